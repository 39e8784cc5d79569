/* seriatim cc, seriatim c++: call the user's compiler, with what it takes to watch the program.
 *
 * The compiler's own -fsanitize=thread inserts a call at each memory access and at the begin and
 * end of each function. We use that, and link our runtime library in place of the compiler's. Our
 * options come first and the user's follow unchanged, so that the user's win where they disagree.
 *
 * An inlined function has no begin and no end, so it cannot be seen as a block. At -O2 nearly
 * every small function is inlined. So we let the compiler inline only what is declared inline and
 * is no larger than a call to it: such a body holds an access or two, and a block of one access
 * cannot be violated. This keeps the accessors of C++ containers cheap, while a function that
 * takes a lock stays a function. docs/programs.md says what it costs. */
#include "cli/compiler/compiler.h"
#include "cli/compiler/compiler_line.h"
#include "session/runtime_files.h"
#include "cli/messages.h"

#include "base/memory.h"
#include "cli/compiler/subprocess.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* For all compilers: lines for the report, frames to walk, and callers that stay on the stack. And
 * what symbol/code/code_flow.h needs to know the loops of a function: a switch that can be
 * followed. */
static const char *const common_flags[] = {"-fsanitize=thread",       "-g",
                                           "-fno-omit-frame-pointer", "-fno-optimize-sibling-calls",
                                           "-fno-jump-tables",        NULL};

/* gcc would copy and compare small pieces of memory, and known texts, without a call, unseen. (Of
 * some, src/runtime/headers/string.h makes accesses that are seen.) It would merge equal functions,
 * and make variants of others under other names. It would write the turns of a short loop one after
 * the other, so that nobody can see that there was a loop. And it warns that ThreadSanitizer does
 * not support fences, which does not concern us, and would be an error with -Werror. */
static const char *const gcc_flags[] = {"-fno-builtin-memcpy",
                                        "-fno-builtin-memmove",
                                        "-fno-builtin-memset",
                                        "-fno-builtin-mempcpy",
                                        "-fno-builtin-bzero",
                                        "-fno-builtin-bcopy",
                                        "-fno-builtin-memcmp",
                                        "-fno-builtin-bcmp",
                                        "-fno-builtin-strcpy",
                                        "-fno-builtin-stpcpy",
                                        "-fno-builtin-strncpy",
                                        "-fno-builtin-stpncpy",
                                        "-fno-builtin-strcat",
                                        "-fno-builtin-strncat",
                                        "-fno-builtin-strcmp",
                                        "-fno-builtin-strncmp",
                                        "-fno-builtin-sprintf",
                                        "-fno-builtin-snprintf",
                                        "-fno-ipa-icf",
                                        "-fno-ipa-cp",
                                        "-fno-ipa-sra",
                                        "--param=max-completely-peel-times=0",
                                        "-Wno-tsan",
                                        NULL};
static const char *const gcc_inline_flags[] = {"-fno-inline-functions",
                                               "-fno-inline-small-functions",
                                               "-fno-inline-functions-called-once",
                                               "-fno-partial-inlining",
                                               "--param=early-inlining-insns=0",
                                               "--param=max-inline-insns-single=0",
                                               NULL};

/* clang would leave out a read right before a write of the same location; but another thread may
 * write in between. Loops as above. */
static const char *const clang_flags[] = {"-fno-unroll-loops", "-mllvm",
                                          "-tsan-instrument-read-before-write=1", NULL};
static const char *const clang_inline_flags[] = {"-finline-hint-functions", "-mllvm",
                                                 "-inline-threshold=0",     "-mllvm",
                                                 "-inlinehint-threshold=0", NULL};

/* The command line that is being built. */
struct call {
    const struct language *language;
    struct compiler compiler;
    struct compiler_line line;
    const char **words; /* ends with NULL */
    size_t count, capacity;
    char **texts; /* the words that were allocated here */
    size_t text_count, text_capacity;
};

static void add(struct call *call, const char *word) {
    st_reserve(&call->words, &call->capacity, call->count + 2);
    call->words[call->count++] = word;
}

static void add_list(struct call *call, const char *const *list) {
    for (; *list; list++)
        add(call, *list);
}

static void add_for_linker(struct call *call, const char *word) {
    add(call, "-Xlinker");
    add(call, word);
}

/* A word made of three parts, valid as long as the call. */
static const char *join(struct call *call, const char *a, const char *b, const char *c) {
    size_t size = strlen(a) + strlen(b) + strlen(c) + 1;
    char *text = st_alloc(size, 1);
    snprintf(text, size, "%s%s%s", a, b, c);
    st_reserve(&call->texts, &call->text_capacity, call->text_count + 1);
    return call->texts[call->text_count++] = text;
}

static bool leaves_inlining_alone(void) {
    const char *chosen = getenv("SERIATIM_INLINE");
    return chosen && *chosen && strcmp(chosen, "0") != 0;
}

/* Programs can do without these headers, so it is no error if they are missing. */
static void add_headers(struct call *call) {
    struct st_error error;
    char *place = st_runtime_folder(call->language->command, &error);
    if (place && st_runtime_has_headers(place)) {
        add(call, "-isystem");
        add(call, join(call, place, "/", ST_RUNTIME_HEADERS));
    }
    free(place);
}

/* clang complains about unused options, so it gets none when it only links. */
static void add_compile_flags(struct call *call) {
    bool clang = call->compiler.kind == COMPILER_CLANG;
    if (clang && !call->line.has_source)
        return;
    add_list(call, common_flags);
    add_list(call, clang ? clang_flags : gcc_flags);
    if (!clang)
        add_headers(call);
    if (!leaves_inlining_alone())
        add_list(call, clang ? clang_inline_flags : gcc_inline_flags);
}

/* Adds one of clang's runtime libraries, as clang would. */
static int add_clang_library(struct call *call, const char *name, struct st_error *error) {
    static const char *const machines[] = {"-x86_64", "-aarch64", ""};
    for (size_t i = 0; i < sizeof machines / sizeof *machines; i++) {
        const char *file = join(call, name, machines[i], ".a");
        const char **words = NULL;
        size_t capacity = 0;
        st_reserve(&words, &capacity, call->compiler.count + 2);
        memcpy(words, call->compiler.words, call->compiler.count * sizeof *words);
        words[call->compiler.count] = join(call, "-print-file-name=", file, "");
        char path[4096];
        int status = child_run(words, NULL, 60, path, sizeof path);
        free(words);
        path[strcspn(path, "\n")] = '\0';
        if (status != 0 || access(path, R_OK) < 0)
            continue;
        add_for_linker(call, "--whole-archive");
        add_for_linker(call, join(call, path, "", ""));
        add_for_linker(call, "--no-whole-archive");
        return 0;
    }
    return st_fail(error, call->language->command, ST_AT_FILE, 0,
                   "clang's library %s for -fsanitize=undefined is missing; install it (Debian: "
                   "apt-get install libclang-rt-dev) or build without that option",
                   name);
}

/* clang's library for -fsanitize=thread contains all its other runtime libraries, and we do not
 * link it. We still need the one for -fsanitize=undefined, if a source file is compiled and linked
 * in one step. (When clang only links, it gets no -fsanitize=thread from us, and handles this
 * itself.) */
static int add_clang_libraries(struct call *call, struct st_error *error) {
    if (!call->line.has_source && !call->line.thread)
        return 0;
    add(call, "-fno-sanitize-link-runtime");
    if (!call->line.undefined || call->line.shared)
        return 0;
    if (add_clang_library(call, "libclang_rt.ubsan_standalone", error) < 0)
        return -1;
    if (call->language != &language_cxx)
        return 0;
    return add_clang_library(call, "libclang_rt.ubsan_standalone_cxx", error);
}

/* Our runtime library comes before all others, so that its definitions are found first, and it
 * stays even with --as-needed. gcc adds -ltsan itself: through -L it finds our library under that
 * name, before its own. */
static void add_shared_runtime(struct call *call, const char *place) {
    add_for_linker(call, "--push-state");
    add_for_linker(call, "--no-as-needed");
    add_for_linker(call, join(call, place, "/", ST_RUNTIME_LIBRARY));
    add_for_linker(call, "--pop-state");
    add_for_linker(call, "-rpath");
    add_for_linker(call, join(call, place, "", ""));
}

/* The whole archive goes into the executable, and its definitions are available to all libraries
 * that are ever loaded. The libraries themselves get none: there must be one runtime for all. gcc
 * finds our archive under the name of its own. */
static int add_static_runtime(struct call *call, const char *place, struct st_error *error) {
    if (call->line.shared)
        return 0;
    if (!st_runtime_has_archive(place))
        return st_fail(error, call->language->command, ST_AT_FILE, 0,
                       GCC_STATIC_RUNTIME ": " ST_RUNTIME_ARCHIVE ", " ST_RUNTIME_ARCHIVE_NAMES
                                          " and " ST_RUNTIME_ARCHIVE_LINK_NAME
                                          " are not all beside " ST_RUNTIME_LIBRARY
                                          "; build or install seriatim again, or link without "
                                          "this option");
    add_for_linker(call, join(call, "--dynamic-list=", place, "/" ST_RUNTIME_ARCHIVE_NAMES));
    if (call->compiler.kind == COMPILER_GCC && !call->line.unwatched)
        return 0;
    add_for_linker(call, "--whole-archive");
    add_for_linker(call, join(call, place, "/", ST_RUNTIME_ARCHIVE));
    add_for_linker(call, "--no-whole-archive");
    add_for_linker(call, "-ldl");
    add_for_linker(call, "-lpthread");
    return 0;
}

static int add_link_flags(struct call *call, struct st_error *error) {
    if (!call->line.links)
        return 0;
    char *place = st_runtime_folder(call->language->command, error);
    int result = place ? 0 : -1;
    if (place) {
        add(call, join(call, "-L", place, ""));
        if (call->line.within)
            result = add_static_runtime(call, place, error);
        else
            add_shared_runtime(call, place);
    }
    free(place);
    if (result < 0 || call->compiler.kind != COMPILER_CLANG)
        return result;
    return add_clang_libraries(call, error);
}

static int refuse(const struct call *call, struct st_error *error) {
    char quoted[80];
    return st_fail(
        error, call->language->command, ST_AT_FILE, 0, "%s does not work with seriatim: %s",
        st_quote(quoted, sizeof quoted, call->line.odd, strlen(call->line.odd)), call->line.why);
}

/* A line without input only asks the compiler something, and is passed on unchanged. */
static int add_flags(struct call *call, struct st_error *error) {
    if (!call->line.has_input)
        return 0;
    if (call->line.odd)
        return refuse(call, error);
    add_compile_flags(call);
    return add_link_flags(call, error);
}

/* Returns only if there is an error. */
static int execute(const struct call *call, struct st_error *error) {
    execvp(call->words[0], (char *const *)call->words);
    if (errno == E2BIG)
        return st_fail(
            error, call->language->command, ST_AT_FILE, 0,
            "the command line is too long for this system; put the arguments into a file "
            "and give @FILE instead");
    return compiler_cannot_start(call->language, call->words[0], errno, error);
}

static int make_call(struct call *call, int argc, char **argv, struct st_error *error) {
    if (compiler_open(&call->compiler, call->language, error) < 0)
        return -1;
    for (size_t i = 0; i < call->compiler.count; i++)
        add(call, call->compiler.words[i]);
    if (add_flags(call, error) < 0)
        return -1;
    for (int i = 0; i < argc; i++)
        if (call->compiler.kind == COMPILER_GCC || strcmp(argv[i], GCC_STATIC_RUNTIME) != 0)
            add(call, argv[i]);
    return execute(call, error);
}

/* Drops --launch and the compiler behind it. */
static int take_compiler(const struct language *language, int *argc, char ***argv,
                         struct st_error *error) {
    if (!*argc || strcmp(**argv, "--launch") != 0)
        return 0;
    if (*argc == 1)
        return st_fail(error, language->command, ST_AT_FILE, 0,
                       "--launch needs a compiler behind it, with its arguments");
    int taken = 1 + compiler_take(language, *argc - 1, *argv + 1);
    *argc -= taken;
    *argv += taken;
    return 0;
}

static enum status compile(const struct language *language, int argc, char **argv) {
    struct call call = {.language = language};
    struct expanded_words expanded;
    struct st_error error;
    if (take_compiler(language, &argc, &argv, &error) < 0)
        return complain(&error);
    expand_words(&expanded, (size_t)argc, argv);
    compiler_line_read(&call.line, expanded.words, expanded.count);
    make_call(&call, argc, argv, &error);
    enum status status = complain(&error);
    for (size_t i = 0; i < call.text_count; i++)
        free(call.texts[i]);
    free(call.texts);
    free(call.words);
    compiler_close(&call.compiler);
    expanded_words_free(&expanded);
    return status;
}

static enum status run_cc(int argc, char **argv) {
    return compile(&language_c, argc, argv);
}

static enum status run_cxx(int argc, char **argv) {
    return compile(&language_cxx, argc, argv);
}

#define DESCRIPTION(name, compiler, variable)                                                      \
    "Compiles and links as the compiler itself would, but so that seriatim can watch\n"            \
    "the program: with -fsanitize=thread and seriatim's runtime library. All\n"                    \
    "arguments go to the compiler, even --help and --version. The command\n"                       \
    "seriatim-" name " does the same.\n\n"                                                         \
    "With --launch as the first argument, the next one is the compiler. Build\n"                   \
    "systems that can put a launcher before the compiler use it so.\n\n"                           \
    "environment:\n"                                                                               \
    "  " variable "          the compiler, a gcc or clang; it may have several words,\n"           \
    "                        such as 'ccache " compiler "' (default " compiler ")\n"               \
    "  SERIATIM_INLINE       if 1, the compiler inlines functions as it likes; such\n"             \
    "                        functions cannot be seen as blocks\n"                                 \
    "  SERIATIM_RUNTIME_DIR  the folder of the runtime library, if it is not where it\n"           \
    "                        was installed\n"

const struct command cmd_cc = {
    .name = "cc",
    .operands = "ARGUMENTS...",
    .summary = "compile and link C code so that the program can be watched",
    .description = DESCRIPTION("cc", "gcc", "SERIATIM_CC "),
    .run_untouched = run_cc,
};

const struct command cmd_cxx = {
    .name = "c++",
    .operands = "ARGUMENTS...",
    .summary = "the same for C++",
    .description = DESCRIPTION("c++", "g++", "SERIATIM_CXX"),
    .run_untouched = run_cxx,
};
