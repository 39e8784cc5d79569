#define _GNU_SOURCE /* asprintf */
#include "cli/compiler/compiler.h"

#include "base/memory.h"
#include "cli/compiler/subprocess.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { QUERY_SECONDS = 60, QUERY_OUTPUT = 4096, QUOTED = 120 };

const struct language language_c = {"cc", "SERIATIM_CC", "gcc"};
const struct language language_cxx = {"c++", "SERIATIM_CXX", "g++"};

static const char *last_part(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* Is one of the words a name of clang? Asking clang takes as long as compiling a small file (40 ms
 * here), so a name such as clang-14 is believed. gcc answers in 2 ms, so it is asked. */
static bool is_called_clang(const char *const *words) {
    for (; *words; words++)
        if (**words != '-' && strstr(last_part(*words), "clang"))
            return true;
    return false;
}

int compiler_cannot_start(const struct language *language, const char *word, int cause,
                          struct st_error *error) {
    char quoted[QUOTED];
    st_quote(quoted, sizeof quoted, word, strlen(word));
    if (cause != ENOENT)
        return st_fail(error, language->command, ST_AT_FILE, 0,
                       "cannot run the compiler %s: %s; set %s to a gcc or clang that works",
                       quoted, strerror(cause), language->variable);
    return st_fail(error, language->command, ST_AT_FILE, 0,
                   "there is no compiler %s; install it (Debian: apt-get install %s) or set %s to "
                   "another gcc or clang",
                   quoted, language->compiler, language->variable);
}

/* Runs the compiler with one option; returns what child_run does. */
static int ask(const char *const *words, const char *question, char output[QUERY_OUTPUT]) {
    static const char *const in_english[] = {"LC_ALL=C", NULL};
    char **environment = child_environment(in_english);
    const char **line = NULL;
    size_t capacity = 0, count = 0;
    for (; words[count]; count++) {
        st_reserve(&line, &capacity, count + 3);
        line[count] = words[count];
    }
    line[count] = question;
    line[count + 1] = NULL;
    int status = child_run(line, environment, QUERY_SECONDS, output, QUERY_OUTPUT);
    int cause = errno;
    free(line);
    free(environment);
    errno = cause;
    return status;
}

/* Does a line of the text end with this? */
static bool has_line_end(const char *text, const char *end) {
    for (; *text; text += strspn(text, "\n")) {
        size_t length = strcspn(text, "\n"), most = strlen(end);
        if (length >= most && memcmp(text + length - most, end, most) == 0)
            return true;
        text += length;
    }
    return false;
}

/* gcc knows the path of its C compiler proper; clang has no such part, and repeats the name. */
int compiler_identify(const char *const *words, const struct language *language,
                      enum compiler_kind *kind, struct st_error *error) {
    char output[QUERY_OUTPUT], quoted[QUOTED];
    if (ask(words, "-print-prog-name=cc1", output) < 0)
        return compiler_cannot_start(language, words[0], errno, error);
    if (!has_line_end(output, "cc1"))
        return st_fail(error, language->command, ST_AT_FILE, 0,
                       "%s is neither gcc nor clang; set %s to one of them",
                       st_quote(quoted, sizeof quoted, words[0], strlen(words[0])),
                       language->variable);
    *kind = has_line_end(output, "/cc1") ? COMPILER_GCC : COMPILER_CLANG;
    return 0;
}

/* "gcc (Debian 12.2.0-14) 12.2.0", "Debian clang version 14.0.6" */
void compiler_version(const char *const *words, char *version, size_t size) {
    char output[QUERY_OUTPUT];
    version[0] = '\0';
    if (ask(words, "--version", output) != 0)
        return;
    output[strcspn(output, "\n")] = '\0';
    const char *found = strstr(output, "clang version ");
    found = found ? found + strlen("clang version ") : strstr(output, ") ");
    if (!found)
        return;
    found += strspn(found, ") ");
    snprintf(version, size, "%.*s", (int)strspn(found, "0123456789."), found);
}

static bool is_program(const char *path) {
    struct stat status;
    return strchr(path, '/') && stat(path, &status) == 0 && S_ISREG(status.st_mode) &&
           access(path, X_OK) == 0;
}

static void split(struct compiler *compiler) {
    size_t capacity = 0;
    char *rest = NULL, *text = compiler->text;
    const char *separators = is_program(text) ? "" : " \t\n";
    for (char *word = strtok_r(text, separators, &rest); word;
         word = strtok_r(NULL, separators, &rest)) {
        st_reserve(&compiler->words, &capacity, compiler->count + 2);
        compiler->words[compiler->count++] = word;
    }
}

/* Is a word seriatim itself? It would call itself forever. */
static bool is_seriatim(const char *word) {
    const char *name = last_part(word);
    return strcmp(name, "seriatim") == 0 || strcmp(name, "seriatim-cc") == 0 ||
           strcmp(name, "seriatim-c++") == 0;
}

int compiler_open(struct compiler *compiler, const struct language *language,
                  struct st_error *error) {
    memset(compiler, 0, sizeof *compiler);
    const char *chosen = getenv(language->variable);
    compiler->text =
        st_strdup(chosen && chosen[strspn(chosen, " \t\n")] ? chosen : language->compiler);
    split(compiler);
    for (size_t i = 0; i < compiler->count; i++)
        if (is_seriatim(compiler->words[i]))
            return st_fail(error, language->command, ST_AT_FILE, 0,
                           "%s names seriatim itself; set it to the compiler that seriatim is to "
                           "call",
                           language->variable);
    if (is_called_clang(compiler->words)) {
        compiler->kind = COMPILER_CLANG;
        return 0;
    }
    return compiler_identify(compiler->words, language, &compiler->kind, error);
}

/* Does the program run the compiler that is named behind it? */
static bool is_launcher(const char *word) {
    static const char *const names[] = {"ccache", "sccache", "distcc", "icecc"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(last_part(word), names[i]) == 0)
            return true;
    return false;
}

int compiler_take(const struct language *language, int count, char **words) {
    char *both = NULL;
    bool two = count > 1 && is_launcher(words[0]);
    if (two && asprintf(&both, "%s %s", words[0], words[1]) < 0)
        st_out_of_memory();
    if (setenv(language->variable, two ? both : words[0], 1) < 0)
        st_out_of_memory();
    free(both);
    return two ? 2 : 1;
}

void compiler_close(struct compiler *compiler) {
    free(compiler->words);
    free(compiler->text);
    memset(compiler, 0, sizeof *compiler);
}
