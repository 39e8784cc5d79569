/* Suppressions: findings that somebody has examined and does not want to see again, each with the
 * reason (docs/ci.md).
 *
 *     suppress function transfer by audit because the audit allows for transfers on their way
 *     suppress file *_test.c because nobody relies on what tests print; see #12
 *     suppress cycle function put on queue.* because ...
 *
 * A line has at least one clause, each at most once, and all of them must match. The reason
 * extends to the end of the line. */
#ifndef SERIATIM_SPEC_SUPPRESS_H
#define SERIATIM_SPEC_SUPPRESS_H

#include "base/error.h"
#include "spec/pattern.h"

#include <stddef.h>

enum st_clause {
    ST_CLAUSE_FUNCTION, /* the name of the block */
    ST_CLAUSE_FILE,     /* in which it begins */
    ST_CLAUSE_BY,       /* a function on the other side */
    ST_CLAUSE_ON,       /* a variable, lock or channel */
    ST_CLAUSES
};
const char *st_clause_word(enum st_clause clause); /* "function", ... */

struct st_suppression {
    char *file; /* that it is in */
    uint64_t line;
    bool cycle;                             /* it is about cycles, not about blocks */
    struct st_pattern patterns[ST_CLAUSES]; /* the text is NULL if there is no such clause */
    char *reason;
};

/* All zero is empty. */
struct st_suppressions {
    struct st_suppression *items;
    size_t count, capacity;
};

/* Adds the suppressions of a file, or of standard input for "-". */
int st_suppressions_load(struct st_suppressions *suppressions, const char *path,
                         struct st_error *error);
void st_suppressions_free(struct st_suppressions *suppressions);

#endif
