/* What a command line for gcc or clang asks for, as far as `cc` must know. The line itself goes to
 * the compiler unchanged. */
#ifndef SERIATIM_CLI_COMPILER_COMPILER_LINE_H
#define SERIATIM_CLI_COMPILER_COMPILER_LINE_H

#include <stdbool.h>
#include <stddef.h>

/* clang does not know this option, and calls it -static-libsan. */
#define GCC_STATIC_RUNTIME "-static-libtsan"

struct compiler_line {
    bool has_input;  /* otherwise it only asks something, such as --version */
    bool has_source; /* something is compiled, or at least preprocessed */
    bool links;      /* it produces an executable or a shared library */
    bool shared;     /* -shared */
    bool thread;     /* it already has -fsanitize=thread */
    bool unwatched;  /* -fno-sanitize=thread */
    bool within;     /* -static-libtsan: the runtime library goes into the executable */
    bool undefined;  /* -fsanitize=undefined, or a part of it */
    const char *odd; /* an option that cannot work with the runtime, or NULL */
    const char *why; /* why it cannot, and what to do instead: the end of a sentence */
};

/* Reads the words, with @FILE already replaced. They must outlive the result. */
void compiler_line_read(struct compiler_line *line, const char *const *words, size_t count);

#endif
