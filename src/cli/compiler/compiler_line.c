/* Reads the command lines of gcc and clang.
 *
 * Both have hundreds of options. Most start with a dash, contain their own value and do not matter
 * here. What matters is which options take the next word as their value, because that would look
 * like an input; which ones stop before linking; and which ones cannot work with our runtime. */
#include "cli/compiler/compiler_line.h"

#include <string.h>

/* Options whose value is the next word. They may also contain it (-ofile), but that is a different
 * word. */
static const char with_value[] =
    "-A -B -D -F -G -I -L -MF -MQ -MT -T -Tbss -Tdata -Ttext -U -Xanalyzer -Xassembler "
    "-Xclang -Xlinker -Xpreprocessor -arch -aux-info -dumpbase -dumpbase-ext -dumpdir -e "
    "-framework -idirafter -iframework -imacros -imultilib -include -include-pch -iprefix "
    "-iquote -isysroot -isystem -ivfsoverlay -iwithprefix -iwithprefixbefore -iwithsysroot -l "
    "-mllvm -o -rpath -serialize-diagnostics -specs -target -u -working-directory -wrapper -x "
    "-z --assert --config --define-macro --entry --for-assembler --for-linker --force-link "
    "--imacros --include --include-directory --include-directory-after --include-prefix "
    "--include-with-prefix --include-with-prefix-after --include-with-prefix-before "
    "--language --library-directory --output --param --prefix --serialize-diagnostics --specs "
    "--sysroot --undefine-macro";

/* Options that prevent linking. */
static const char without_link[] =
    "-c --compile -S --assemble -E --preprocess -M --dependencies -MM --user-dependencies "
    "-fsyntax-only -emit-ast --precompile --analyze -module-file-info -verify-pch -r";

static const char source_endings[] =
    "c i m mi h cc cp cxx cpp CPP c++ C ii mm M mii S sx ll bc cu cppm ccm cxxm c++m ixx";
static const char header_endings[] = "h hh H hp hxx hpp HPP h++ tcc";

/* gcc's and clang's options for a runtime library inside the executable. */
static const char static_runtime[] = GCC_STATIC_RUNTIME " -static-libsan";

/* Sanitizers with their own runtime library, which conflicts with ours. */
static const char *const foreign_sanitizers[] = {"address",  "hwaddress", "leak",       "memory",
                                                 "dataflow", "fuzzer",    "safe-stack", "scudo"};
enum { FOREIGN_COUNT = sizeof foreign_sanitizers / sizeof *foreign_sanitizers };

static const char why_static[] = "the runtime library can only watch a shared C library; link "
                                 "without this option";
static const char why_static_cxx[] =
    "the runtime library can only watch a shared C++ library; link without this option";
static const char why_foreign[] = "two runtime libraries cannot watch one program; use this option "
                                  "in a separate build";
static const char why_32_bits[] = "the runtime library is for 64-bit programs only; build without "
                                  "this option";

/* The state of reading. */
struct reader {
    struct compiler_line *line;
    const char *language;       /* of -x, or NULL: by the endings of names */
    const char *pending;        /* the option whose value is the next word, or NULL */
    bool stops;                 /* there was an option of `without_link` */
    bool has_linkable;          /* an input that is not a header */
    bool only_inputs;           /* there was a "--" */
    const char *unlinkable;     /* an option that prevents linking with our runtime, and ... */
    const char *why_unlinkable; /* ... its reason */
    const char *foreign[FOREIGN_COUNT]; /* the option that asks for it, or NULL */
};

/* The n characters at `name` are the word. */
static bool is_named(const char *name, size_t length, const char *word) {
    return strlen(word) == length && memcmp(name, word, length) == 0;
}

/* Is the word in the list, which is separated by blanks? */
static bool is_among(const char *list, const char *word) {
    while (*list) {
        size_t length = strcspn(list, " ");
        if (is_named(list, length, word))
            return true;
        list += length + (list[length] == ' ');
    }
    return false;
}

static bool starts(const char *word, const char *start) {
    return strncmp(word, start, strlen(start)) == 0;
}

static const char *ending(const char *name) {
    const char *dot = strrchr(name, '.');
    return dot && !strchr(dot, '/') ? dot + 1 : "";
}

static void read_input(struct reader *reader, const char *name) {
    bool header, source;
    if (reader->language) {
        header = strstr(reader->language, "-header") != NULL;
        source = strcmp(reader->language, "assembler") != 0;
    } else {
        header = is_among(header_endings, ending(name));
        source = header || is_among(source_endings, ending(name)) || strcmp(name, "-") == 0;
    }
    reader->line->has_input = true;
    reader->line->has_source |= source;
    reader->has_linkable |= !header;
}

static void read_library(struct reader *reader) {
    reader->line->has_input = true;
    reader->has_linkable = true;
}

static void read_sanitizer(struct reader *reader, const char *option, const char *name,
                           size_t length, bool on) {
    struct compiler_line *line = reader->line;
    bool all = is_named(name, length, "all"), foreign = false;
    for (size_t i = 0; i < FOREIGN_COUNT; i++) {
        const char *known = foreign_sanitizers[i];
        bool kernel =
            length > 7 && memcmp(name, "kernel-", 7) == 0 && is_named(name + 7, length - 7, known);
        if (!all && !kernel && !is_named(name, length, known))
            continue;
        reader->foreign[i] = on ? option : NULL;
        foreign = true;
    }
    if (all || is_named(name, length, "thread")) {
        line->thread = on;
        line->unwatched = !on;
    } else if (!foreign && on) {
        line->undefined = true;
    }
    if (!on && (all || is_named(name, length, "undefined")))
        line->undefined = false;
}

/* The names after "-fsanitize=", separated by commas. */
static void read_sanitizers(struct reader *reader, const char *option, bool on) {
    const char *name = strchr(option, '=') + 1;
    while (*name) {
        size_t length = strcspn(name, ",");
        read_sanitizer(reader, option, name, length, on);
        name += length + (name[length] == ',');
    }
}

/* An option for the linker, alone or in a list after "-Wl,". */
static void read_for_linker(struct reader *reader, const char *list) {
    while (*list) {
        size_t length = strcspn(list, ",");
        if (is_named(list, length, "-r") || is_named(list, length, "--relocatable") ||
            is_named(list, length, "-i"))
            reader->stops = true;
        list += length + (list[length] == ',');
    }
}

static void read_value(struct reader *reader, const char *option, const char *value) {
    if (strcmp(option, "-x") == 0 || strcmp(option, "--language") == 0)
        reader->language = strcmp(value, "none") == 0 ? NULL : value;
    else if (strcmp(option, "-Xlinker") == 0 || strcmp(option, "--for-linker") == 0)
        read_for_linker(reader, value);
    else if (strcmp(option, "-l") == 0)
        read_library(reader);
}

static void forbid_link(struct reader *reader, const char *option, const char *why) {
    if (!reader->unlinkable) {
        reader->unlinkable = option;
        reader->why_unlinkable = why;
    }
}

static void read_option(struct reader *reader, const char *word) {
    struct compiler_line *line = reader->line;
    if (is_among(with_value, word))
        reader->pending = word;
    else if (is_among(without_link, word))
        reader->stops = true;
    else if (starts(word, "-x"))
        read_value(reader, "-x", word + 2);
    else if (starts(word, "-l"))
        read_library(reader);
    else if (starts(word, "-Wl,"))
        read_for_linker(reader, word + 4);
    else if (starts(word, "-fsanitize="))
        read_sanitizers(reader, word, true);
    else if (starts(word, "-fno-sanitize="))
        read_sanitizers(reader, word, false);
    else if (strcmp(word, "-shared") == 0 || strcmp(word, "--shared") == 0)
        line->shared = true;
    else if (strcmp(word, "-static") == 0 || strcmp(word, "--static") == 0 ||
             strcmp(word, "-static-pie") == 0)
        forbid_link(reader, word, why_static);
    else if (strcmp(word, "-static-libstdc++") == 0)
        forbid_link(reader, word, why_static_cxx);
    else if (is_among(static_runtime, word))
        line->within = true;
    else if ((strcmp(word, "-m32") == 0 || strcmp(word, "-mx32") == 0) && !line->odd) {
        line->odd = word;
        line->why = why_32_bits;
    } else if (strcmp(word, "-m64") == 0) {
        line->odd = NULL;
    } else if (strcmp(word, "--") == 0) {
        reader->only_inputs = true;
    }
}

static void read_word(struct reader *reader, const char *word) {
    if (reader->pending) {
        const char *option = reader->pending;
        reader->pending = NULL;
        read_value(reader, option, word);
    } else if (word[0] == '-' && word[1] && !reader->only_inputs) {
        read_option(reader, word);
    } else {
        read_input(reader, word);
    }
}

void compiler_line_read(struct compiler_line *line, const char *const *words, size_t count) {
    struct reader reader = {.line = line};
    memset(line, 0, sizeof *line);
    for (size_t i = 0; i < count; i++)
        read_word(&reader, words[i]);
    line->links = reader.has_linkable && !reader.stops;
    for (size_t i = 0; i < FOREIGN_COUNT && !line->odd; i++) {
        line->odd = reader.foreign[i];
        line->why = why_foreign;
    }
    if (!line->odd && line->links) {
        line->odd = reader.unlinkable;
        line->why = reader.why_unlinkable;
    }
}
