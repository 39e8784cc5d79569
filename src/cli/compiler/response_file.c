#include "cli/compiler/response_file.h"

#include "base/memory.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_FILES = 2000 }; /* a file that includes itself ends here */

static void add_word(struct expanded_words *expanded, const char *word) {
    st_reserve(&expanded->words, &expanded->capacity, expanded->count + 1);
    expanded->words[expanded->count++] = word;
}

/* The whole file, terminated; NULL if it cannot be read. */
static char *read_text(const char *path) {
    FILE *file = fopen(path, "r");
    if (!file)
        return NULL;
    char *text = NULL;
    size_t size = 0, capacity = 0, got;
    do {
        st_reserve(&text, &capacity, size + 65536 + 1);
        got = fread(text + size, 1, 65536, file);
        size += got;
    } while (got);
    text[size] = '\0';
    bool failed = ferror(file);
    fclose(file);
    if (failed) {
        free(text);
        return NULL;
    }
    return text;
}

/* Takes the next word from the text, in place: words are separated by blanks; quotes and
 * backslashes work as in gcc. Returns it and moves *at past it; NULL if there is none. */
static char *next_word(char **at) {
    char *in = *at, quote = 0;
    while (isspace((unsigned char)*in))
        in++;
    if (!*in)
        return NULL;
    char *word = in, *out = in;
    for (; *in && (quote || !isspace((unsigned char)*in)); in++) {
        if (*in == '\\' && in[1])
            *out++ = *++in;
        else if (*in == quote)
            quote = 0;
        else if (!quote && (*in == '\'' || *in == '"'))
            quote = *in;
        else
            *out++ = *in;
    }
    *at = *in ? in + 1 : in;
    *out = '\0';
    return word;
}

static void expand_word(struct expanded_words *expanded, const char *word) {
    char *text = NULL;
    if (word[0] == '@' && expanded->text_count < MOST_FILES)
        text = read_text(word + 1);
    if (!text) {
        add_word(expanded, word);
        return;
    }
    st_reserve(&expanded->texts, &expanded->text_capacity, expanded->text_count + 1);
    expanded->texts[expanded->text_count++] = text;
    for (char *inner; (inner = next_word(&text));)
        expand_word(expanded, inner);
}

void expand_words(struct expanded_words *expanded, size_t count, char **words) {
    memset(expanded, 0, sizeof *expanded);
    for (size_t i = 0; i < count; i++)
        expand_word(expanded, words[i]);
}

void expanded_words_free(struct expanded_words *expanded) {
    for (size_t i = 0; i < expanded->text_count; i++)
        free(expanded->texts[i]);
    free(expanded->texts);
    free(expanded->words);
}
