/* The access forest of PPoPP 2006, section 3: which accesses of different units meet.
 *
 * The trees are the shapes of units. Inter-edges are not stored one by one. Accesses to one
 * variable that are alike (same operation, same locks, same period, same relation to the unit's own
 * writes around them) are one `struct st_entry`. Whether two entries meet is a bit in sparse rows,
 * which omit zero words. The node at which a unit meets another follows from the locks that both
 * hold (st_meeting_node).
 *
 * Locks whose critical sections are not all within transactions also count as accessed, like
 * variables (see `loose`). The paper assumes that events outside transactions do not synchronise.
 * Without that assumption, a serial order must keep such a critical section in order with all
 * others of the lock, or it is no schedule. The order of two critical sections inside transactions
 * does not have to be kept. */
#ifndef SERIATIM_PREDICT_COMMIT_FOREST_H
#define SERIATIM_PREDICT_COMMIT_FOREST_H

#include "base/lower_bound.h"
#include "predict/commit/guards.h"
#include "predict/commit/lock_ranks.h"
#include "predict/model/model.h"
#include "predict/predictor.h"

#define ST_NO_ENTRY UINT32_MAX

struct st_entry {
    uint32_t subject; /* a variable, by its number here, or a lock, numbered after those */
    uint32_t lockset; /* in st_forest.sets: without locks that only one thread holds at accesses */
    uint32_t covered; /* for a read: those of the locks whose critical section around it has an
                       * earlier write of the variable. The read cannot see a write made under one
                       * of them */
    uint32_t own_write; /* for a read: the entry of its unit's last earlier write, or none */
    uint32_t first_period, last_period;
    bool writes;
    bool final;      /* the last write of the variable in its unit */
    bool last;       /* and possibly in a whole schedule */
    bool loose;      /* for a lock: this critical section is not within one transaction */
    uint32_t place;  /* among the entries of its subject */
    uint32_t *units; /* those that have such an access, ascending; in st_forest.entry_units */
    uint32_t unit_count;
};

/* An access of a unit. */
struct st_unit_access {
    uint32_t token; /* ST_NO_TOKEN: a lock held from the beginning */
    uint32_t entry;
};

/* 64 places of a subject, some of which meet. */
struct st_row_word {
    uint32_t index; /* the first of the places, divided by 64 */
    uint64_t bits;  /* never 0 */
};

/* The entries that meet one entry: words of the subject, by index. Entries that are alike share
 * them. */
struct st_row {
    size_t first;
    uint32_t count;
    uint32_t guard; /* a lockset: some of the locks that are held at all of these entries */
};

/* All entries of a variable or a lock, and which of them meet.
 * Invariants: entry i has `place` i among them; if i is in the row of j, j is in that of i. */
struct st_subject {
    uint32_t *entries; /* in st_forest.subject_entries */
    uint32_t count;
    uint32_t *row_of; /* by place; in st_forest.subject_rows */
    struct st_row *rows;
    size_t row_count, row_capacity;
    struct st_row_word *words;
    size_t word_count, word_capacity;
    uint64_t edges;              /* pairs that meet */
    struct st_guard_list guards; /* those of the rows, until they have numbers */
};

struct st_forest {
    const struct st_model *model;
    struct st_entry *entries;
    size_t entry_count, entry_capacity;
    uint32_t *entry_units;     /* the units of all entries */
    uint32_t *subject_entries; /* the entries of all subjects, and their rows */
    uint32_t *subject_rows;
    uint32_t *variables; /* the variables of the trace that are subjects */
    uint32_t variable_count;
    uint32_t *numbers;           /* by variable of the trace: its number there plus 1, or 0 */
    struct st_subject *subjects; /* variables, then locks */
    size_t subject_count;
    struct st_unit_access *accesses; /* of all units */
    size_t access_count, access_capacity;
    size_t *first_access;    /* by unit; has one more element than there are units */
    struct st_locksets sets; /* those of entries */
    uint32_t *ranks;         /* of locks, or NULL (predict/commit/lock_ranks.h) */
    uint64_t nodes;          /* of all trees */
    uint64_t edges;          /* pairs of entries that meet */
};

/* as_published: Figure 5 with the edges inside a unit and between units that are not concurrent. */
struct st_forest *st_forest_new(const struct st_model *model, enum st_notion notion,
                                bool as_published, unsigned jobs);
void st_forest_free(struct st_forest *forest);

/* Sorts the subject's entries, gives them their places, and makes their rows. Subjects can be
 * joined in parallel (forest_edges.c). Their guards have no numbers
 * yet. */
void st_join_subject(struct st_forest *forest, struct st_subject *subject, enum st_notion notion,
                     bool as_published);

/* Iterates over the entries that meet one entry, by place. */
struct st_partners {
    const struct st_subject *subject;
    const struct st_row_word *word, *end;
    uint64_t bits; /* of the word: those still to come */
};

static inline struct st_partners st_partners_in(const struct st_subject *subject,
                                                const struct st_row *row) {
    const struct st_row_word *word = subject->words + row->first;
    return (struct st_partners){subject, word, word + row->count, row->count ? word->bits : 0};
}

static inline const struct st_row *st_row_at(const struct st_subject *subject, uint32_t place) {
    return &subject->rows[subject->row_of[place]];
}

static inline const struct st_row *st_row_of(const struct st_forest *forest, uint32_t entry) {
    return st_row_at(&forest->subjects[forest->entries[entry].subject],
                     forest->entries[entry].place);
}

static inline struct st_partners st_partners_of(const struct st_forest *forest, uint32_t entry) {
    return st_partners_in(&forest->subjects[forest->entries[entry].subject],
                          st_row_of(forest, entry));
}

/* ST_NO_ENTRY: no more. */
static inline uint32_t st_next_partner(struct st_partners *partners) {
    if (partners->word == partners->end)
        return ST_NO_ENTRY;
    uint32_t place = partners->word->index * 64 + (uint32_t)__builtin_ctzll(partners->bits);
    partners->bits &= partners->bits - 1;
    if (!partners->bits && ++partners->word < partners->end)
        partners->bits = partners->word->bits;
    return partners->subject->entries[place];
}

static inline bool st_row_has(const struct st_subject *subject, const struct st_row *row,
                              uint32_t place) {
    const struct st_row_word *words = subject->words + row->first;
    uint32_t at;
    st_lower_bound(at, 0, row->count, words[at].index < place / 64);
    return at < row->count && words[at].index == place / 64 && (words[at].bits >> place % 64 & 1);
}

static inline bool st_entries_meet(const struct st_forest *forest, uint32_t left, uint32_t right) {
    const struct st_entry *a = &forest->entries[left], *b = &forest->entries[right];
    const struct st_subject *subject = &forest->subjects[a->subject];
    return a->subject == b->subject && st_row_has(subject, st_row_at(subject, a->place), b->place);
}

/* A signal that is waited for (model/handovers.h) is always given before it is taken. So a path can
 * leave a unit where it gives one, and enter one where it takes it, and never the other way
 * round. */
static inline bool st_is_signal_entry(const struct st_forest *forest,
                                      const struct st_entry *entry) {
    return entry->subject < forest->variable_count &&
           forest->variables[entry->subject] >= forest->model->first_signal;
}

static inline bool st_entry_leads_out(const struct st_forest *forest, uint32_t entry) {
    const struct st_entry *e = &forest->entries[entry];
    return e->writes || !st_is_signal_entry(forest, e);
}

static inline bool st_entry_leads_in(const struct st_forest *forest, uint32_t entry) {
    const struct st_entry *e = &forest->entries[entry];
    return !e->writes || !st_is_signal_entry(forest, e);
}

/* Do locks allow the read to see the write? */
bool st_can_read(const struct st_forest *forest, const struct st_entry *read,
                 const struct st_entry *write);

/* The communication node of the unit at which its access meets an access under that lockset: the
 * critical section on the common lock that decides (predict/commit/lock_ranks.h), or else the
 * access itself. If sections are nested and deadlock is impossible, it is the outermost one. */
struct st_shape_span st_meeting_node(const struct st_forest *forest, uint32_t unit, uint32_t token,
                                     uint32_t lockset);

/* What all nodes of the access have in common, if all accesses that it meets hold at least these
 * locks. */
struct st_shape_span st_guarded_node(const struct st_forest *forest, uint32_t unit, uint32_t token,
                                     uint32_t lockset);

/* Is the left node over before the right one begins? */
static inline bool st_node_before(struct st_shape_span left, struct st_shape_span right) {
    return left.end < right.start;
}

#endif
