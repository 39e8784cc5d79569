/* Words of a command line with @FILE replaced by the words in FILE, as gcc and clang do it. */
#ifndef SERIATIM_CLI_COMPILER_RESPONSE_FILE_H
#define SERIATIM_CLI_COMPILER_RESPONSE_FILE_H

#include <stddef.h>

struct expanded_words {
    const char **words; /* those of the caller, or into the texts */
    size_t count, capacity;
    char **texts; /* of the files */
    size_t text_count, text_capacity;
};

/* A file that cannot be read stays the word that it is. */
void expand_words(struct expanded_words *expanded, size_t count, char **words);
void expanded_words_free(struct expanded_words *expanded);

#endif
