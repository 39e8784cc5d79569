/* Options that several commands have. */
#ifndef SERIATIM_CLI_COMMON_OPTIONS_H
#define SERIATIM_CLI_COMMON_OPTIONS_H

#include "cli/command.h"
#include "session/java/java_program.h"
#include "trace/relation.h"

enum color { COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER };
enum format { FORMAT_TEXT, FORMAT_JSON };

/* The first member of every command's struct of values. */
struct common_values {
    bool quiet, help, version;
    unsigned color; /* enum color */
};

extern const char *const color_words[], *const format_words[];

/* The last rows of every command's table of options. */
#define COMMON_OPTIONS                                                                             \
    {.name = "quiet",                                                                              \
     .letter = 'q',                                                                                \
     .kind = ST_FLAG,                                                                              \
     .offset = offsetof(struct common_values, quiet),                                              \
     .help = "show no progress, and only the summary of a report"},                                \
        {.name = "color",                                                                          \
         .kind = ST_CHOICE,                                                                        \
         .offset = offsetof(struct common_values, color),                                          \
         .value = "MODE",                                                                          \
         .initial = "auto",                                                                        \
         .choices = color_words,                                                                   \
         .help = "when to color a report",                                                         \
         .note = "auto: on a terminal, unless NO_COLOR is set"},                                   \
        {.name = "help",                                                                           \
         .letter = 'h',                                                                            \
         .kind = ST_FLAG,                                                                          \
         .offset = offsetof(struct common_values, help),                                           \
         .help = "show this help"},                                                                \
        {.name = "version",                                                                        \
         .kind = ST_FLAG,                                                                          \
         .offset = offsetof(struct common_values, version),                                        \
         .help = "show the version"},                                                              \
    {                                                                                              \
        0                                                                                          \
    }

#define FUNCTIONS_SPEC_OPTION(type)                                                                \
    {                                                                                              \
        .name = "spec", .kind = ST_TEXT, .offset = offsetof(type, spec), .value = "FILE",          \
        .help = "a specification that says which functions should be atomic; without it, nearly "  \
                "all should"                                                                       \
    }

#define ALLOCATOR_OPTION(type)                                                                     \
    {                                                                                              \
        .name = "allocator", .kind = ST_TEXTS, .offset = offsetof(type, allocators),               \
        .value = "GLOB",                                                                           \
        .help = "functions that only hand out memory: name it after their callers; may be "        \
                "repeated",                                                                        \
        .note = "those like malloc are recognised"                                                 \
    }

/* What to watch of a Java program: a struct st_java_options called java. */
#define JAVA_OPTIONS(type)                                                                         \
    {.name = "include",                                                                            \
     .kind = ST_TEXTS,                                                                             \
     .offset = offsetof(type, java.include),                                                       \
     .value = "GLOB",                                                                              \
     .help = "Java: watch these classes, 'com.acme.*'; may be repeated",                           \
     .note = "without it, all but those of the JDK, build tools and test frameworks"},             \
        {.name = "exclude",                                                                        \
         .kind = ST_TEXTS,                                                                         \
         .offset = offsetof(type, java.exclude),                                                   \
         .value = "GLOB",                                                                          \
         .help = "Java: do not watch these classes; may be repeated"},                             \
        {.name = "jdk",                                                                            \
         .kind = ST_TEXTS,                                                                         \
         .offset = offsetof(type, java.jdk),                                                       \
         .value = "CLASS",                                                                         \
         .help = "Java: watch this class of the JDK, too, 'java.util.Vector'; may be repeated"},   \
        {.name = "blocks",                                                                         \
         .kind = ST_CHOICE,                                                                        \
         .offset = offsetof(type, java.blocks),                                                    \
         .value = "WHICH",                                                                         \
         .initial = "all",                                                                         \
         .choices = st_java_blocks,                                                                \
         .help = "Java: which methods can be blocks",                                              \
         .note = "nonleaf: those that call others"},                                               \
    {                                                                                              \
        .name = "arrays", .kind = ST_CHOICE, .offset = offsetof(type, java.arrays),                \
        .value = "HOW", .initial = "fine", .choices = st_java_arrays,                              \
        .help = "Java: how to watch arrays", .note = "coarse: an array is one variable"            \
    }

/* Rows for commands that have them. `type` is the command's struct of values. */
#define OUTPUT_OPTION(type)                                                                        \
    {                                                                                              \
        .name = "output", .letter = 'o', .kind = ST_TEXT, .offset = offsetof(type, output),        \
        .value = "FILE", .help = "write to FILE instead of standard output"                        \
    }

#define FORMAT_OPTION(type)                                                                        \
    {                                                                                              \
        .name = "format", .kind = ST_CHOICE, .offset = offsetof(type, format), .value = "FORMAT",  \
        .initial = "text", .choices = format_words, .help = "how to write the result"              \
    }

#define REPAIR_OPTION(type)                                                                        \
    {                                                                                              \
        .name = "repair", .kind = ST_FLAG, .offset = offsetof(type, repair),                       \
        .help = "drop malformed events (such as the release of a lock that is not held) with a "   \
                "warning, instead of giving up"                                                    \
    }

/* Which relation to check by: an enum st_relation in an unsigned. */
#define RELATION_OPTIONS(type)                                                                     \
    {.name = "data",                                                                               \
     .kind = ST_FLAG,                                                                              \
     .offset = offsetof(type, relation),                                                           \
     .sets = ST_DATA,                                                                              \
     .help = "count what threads read and wrote, not in which order they took locks: the default " \
             "for programs and their recordings"},                                                 \
    {                                                                                              \
        .name = "locks", .kind = ST_FLAG, .offset = offsetof(type, relation), .sets = ST_LOCKS,    \
        .help = "count lock order, too: a release of a lock comes before every later acquire of "  \
                "it. The default for other traces"                                                 \
    }

#endif
