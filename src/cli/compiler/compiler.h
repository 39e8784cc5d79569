/* The compiler that the user has chosen, which `cc` calls and `doctor` examines. */
#ifndef SERIATIM_CLI_COMPILER_COMPILER_H
#define SERIATIM_CLI_COMPILER_COMPILER_H

#include "base/error.h"

enum compiler_kind { COMPILER_GCC, COMPILER_CLANG };

/* A language: the variable that names its compiler, and the default compiler. */
struct language {
    const char *command;  /* of seriatim: "cc" */
    const char *variable; /* "SERIATIM_CC" */
    const char *compiler; /* "gcc" */
};

extern const struct language language_c, language_cxx;

struct compiler {
    char *text;         /* that the words point into */
    const char **words; /* "ccache", "gcc"; ends with NULL */
    size_t count;
    enum compiler_kind kind;
};

/* Takes the compiler from the variable of the language and finds out which one it is. The value
 * may have several words, separated by blanks, unless the whole value is the name of a file. */
int compiler_open(struct compiler *compiler, const struct language *language,
                  struct st_error *error);
void compiler_close(struct compiler *compiler);

/* Takes the compiler from the first of these words instead, of which there is at least one: for
 * build systems that put us before the compiler, as they do with ccache. Returns how many words it
 * took: two if the first is ccache or the like. */
int compiler_take(const struct language *language, int count, char **words);

/* Finds out which compiler `words` is. Errors name the language's command and variable. */
int compiler_identify(const char *const *words, const struct language *language,
                      enum compiler_kind *kind, struct st_error *error);

/* Writes its version ("12.2.0") into the buffer, or the empty text if it does not say. */
void compiler_version(const char *const *words, char *version, size_t size);

/* The error if the first word of a compiler could not be started; `cause` is the errno. */
int compiler_cannot_start(const struct language *language, const char *word, int cause,
                          struct st_error *error);

#endif
