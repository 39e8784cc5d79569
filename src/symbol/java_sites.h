/* Names for the places and objects of a Java program: the rows of a file that its agent writes
 * while it runs. docs/java-stream.md describes the file.
 *
 * A module whose path is "java:FILE" stands for FILE: row n is at the addresses start + 16 n to
 * start + 16 n + 15. Rows are there before an address of theirs is in the stream, so they are read
 * when they are asked for. */
#ifndef SERIATIM_SYMBOL_JAVA_SITES_H
#define SERIATIM_SYMBOL_JAVA_SITES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ST_JAVA_MODULE "java:"
enum { ST_JAVA_ROW_BYTES = 16 };

/* What a row is about. */
enum st_java_kind {
    ST_JAVA_NOTHING, /* the row is not there, or damaged */
    ST_JAVA_METHOD,
    ST_JAVA_SITE,
    ST_JAVA_OBJECTS, /* of a class */
    ST_JAVA_STATICS, /* of a class */
    ST_JAVA_ARRAYS,  /* of a type */
    ST_JAVA_OTHERS,  /* objects of a class whose fields are not known */
};

struct st_java_row {
    enum st_java_kind kind;
    const char *name;       /* "bank.Account.deposit", "bank.Account", "int[]" */
    const char *file;       /* of methods and sites; "" when not known */
    unsigned line;          /* 0 when not known */
    const char *descriptor; /* of methods and sites: "(IJ)V" */
    const char *rest;       /* methods: flags; objects and statics: "balance\towner" */
};

struct st_java_sites;

bool st_is_java_module(const char *path);

/* Opens the file of such a module and removes its name: nobody else needs it. Source files are
 * looked for in `base` and in `sources`, and in the usual folders there; both may be NULL. They are
 * named relative to `base`, where they are below it. A file that cannot be read has no rows. */
struct st_java_sites *st_java_sites_open(const char *path, const char *base, const char *sources);
void st_java_sites_free(struct st_java_sites *sites);

/* The row at so many bytes from the start of the module. Valid until the next call. */
struct st_java_row st_java_row(struct st_java_sites *sites, uint64_t offset);

/* The name of what is `offset` bytes into an object that a row describes: ".balance", "[3]"; "" for
 * the object itself, and for what an object holds that has no fields. */
void st_java_member(const struct st_java_row *row, uint64_t offset, char *buffer, size_t size);

struct st_modules;
/* The row at an address of a program that ran; nothing, and no texts, where no module of Java is.
 */
struct st_java_row st_java_row_at(struct st_modules *modules, uint64_t address);

/* Does the method have this flag? 'l': a loop. */
static inline bool st_java_has_flag(const struct st_java_row *row, char flag) {
    for (const char *at = row->kind == ST_JAVA_METHOD ? row->rest : ""; *at; at++)
        if (*at == flag)
            return true;
    return false;
}

#endif
