/* Replaces @FILE in a command line with the words in FILE, as gcc and clang do. */
#ifndef SERIATIM_CLI_COMPILER_RESPONSE_FILE_H
#define SERIATIM_CLI_COMPILER_RESPONSE_FILE_H

#include <stddef.h>

struct expanded_words {
    const char **words; /* the caller's, or pointers into the texts */
    size_t count, capacity;
    char **texts; /* of the files */
    size_t text_count, text_capacity;
};

/* If a file cannot be read, the word @FILE stays. */
void expand_words(struct expanded_words *expanded, size_t count, char **words);
void expanded_words_free(struct expanded_words *expanded);

#endif
