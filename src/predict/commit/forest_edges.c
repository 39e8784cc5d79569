/* Which entries of a subject meet.
 *
 * The entries of one chain of threads are adjacent, ordered by period. So the entries that can run
 * at the same time as a given one form an interval in each other chain, which a binary search
 * finds. The work grows with the number of concurrent pairs, not with that of all pairs, which is
 * huge in a run with many rounds between barriers. Within one period, entries that differ only in
 * their locks are adjacent (a kind). Whether two kinds meet is decided once for all their entries,
 * of which there can be thousands. */
#define _GNU_SOURCE
#include "base/memory.h"
#include "predict/commit/forest.h"

#include <stdlib.h>
#include <string.h>

struct joining {
    const struct st_forest *forest;
    struct st_subject *subject;
    enum st_notion notion;
    bool as_published;
    uint32_t *kinds; /* where each kind starts; after the last, the number of entries */
    uint32_t kind_count;
    uint32_t *kind_of; /* by place */
    uint32_t *runs;    /* where the entries of each chain start; after the last, their number */
    uint32_t run_count;
    uint32_t *latest; /* by place: the last period of this entry and of those before it in its
                       * run */
    struct st_guard *guards; /* by kind */
    struct st_guard guard;   /* of the row under construction */
};

static const struct st_entry *at(const struct joining *joining, uint32_t place) {
    return &joining->forest->entries[joining->subject->entries[place]];
}

static uint32_t chain_of(const struct st_forest *forest, const struct st_entry *entry) {
    return forest->model->periods->items[entry->first_period].chain;
}

static bool is_variable(const struct joining *joining) {
    return at(joining, 0)->subject < joining->forest->variable_count;
}

/* ---- the order of entries ---- */

static int by_kind(const void *left, const void *right, void *context) {
    const struct st_forest *forest = context;
    const struct st_entry *a = &forest->entries[*(const uint32_t *)left];
    const struct st_entry *b = &forest->entries[*(const uint32_t *)right];
    const uint32_t keys[][2] = {
        {chain_of(forest, a), chain_of(forest, b)},
        {a->first_period, b->first_period},
        {a->last_period, b->last_period},
        {a->writes, b->writes},
        {a->loose, b->loose},
        {a->last, b->last},
        {a->covered, b->covered},
    };
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        if (keys[i][0] != keys[i][1])
            return keys[i][0] < keys[i][1] ? -1 : 1;
    return 0;
}

static void put_in_order(struct joining *joining, struct st_forest *forest) {
    struct st_subject *subject = joining->subject;
    uint32_t *entries = subject->entries, count = subject->count;
    joining->kinds = st_alloc((size_t)count + 1, sizeof *joining->kinds);
    joining->kind_of = st_alloc(count, sizeof *joining->kind_of);
    joining->runs = st_alloc((size_t)count + 1, sizeof *joining->runs);
    joining->latest = st_alloc(count, sizeof *joining->latest);
    qsort_r(entries, count, sizeof *entries, by_kind, forest);
    for (uint32_t i = 0; i < count; i++) {
        struct st_entry *entry = &forest->entries[entries[i]];
        bool new_run = i == 0 || chain_of(forest, entry) != chain_of(forest, at(joining, i - 1));
        entry->place = i;
        if (new_run)
            joining->runs[joining->run_count++] = i;
        if (i == 0 || by_kind(&entries[i - 1], &entries[i], forest) != 0)
            joining->kinds[joining->kind_count++] = i;
        joining->kind_of[i] = joining->kind_count - 1;
        joining->latest[i] = new_run || entry->last_period > joining->latest[i - 1]
                                 ? entry->last_period
                                 : joining->latest[i - 1];
    }
    joining->kinds[joining->kind_count] = joining->runs[joining->run_count] = count;
}

static void find_guards(struct joining *joining) {
    joining->guards = st_alloc(joining->kind_count, sizeof *joining->guards);
    for (uint32_t kind = 0; kind < joining->kind_count; kind++)
        for (uint32_t i = joining->kinds[kind]; i < joining->kinds[kind + 1]; i++)
            st_guard_meet_set(&joining->guards[kind], &joining->forest->sets,
                              at(joining, i)->lockset);
}

/* ---- the neighbours of an entry: those of other chains that need not be before or after ---- */

struct interval {
    uint32_t first, end; /* of places */
};

static struct interval neighbours_in(const struct joining *joining, const struct st_entry *entry,
                                     uint32_t run) {
    const struct st_periods *periods = joining->forest->model->periods;
    uint32_t start = joining->runs[run], stop = joining->runs[run + 1], first, end;
    if (chain_of(joining->forest, at(joining, start)) == chain_of(joining->forest, entry))
        return (struct interval){0, 0};
    st_lower_bound(first, start, stop,
                   st_period_before(periods, joining->latest[first], entry->first_period));
    st_lower_bound(end, first, stop,
                   !st_period_before(periods, entry->last_period, at(joining, end)->first_period));
    return (struct interval){first, end};
}

/* For two entries of an interval from the function above. */
static bool are_concurrent(const struct joining *joining, const struct st_entry *a,
                           const struct st_entry *b) {
    const struct st_periods *periods = joining->forest->model->periods;
    return !st_period_before(periods, a->last_period, b->first_period) &&
           !st_period_before(periods, b->last_period, a->first_period);
}

/* ---- edges between accesses that meet directly ---- */

/* Locks matter only if a read has a write of its own unit before it. */
enum relation { NEVER, ALWAYS, BY_LOCKS };

static enum relation relate(const struct joining *joining, const struct st_entry *a,
                            const struct st_entry *b) {
    bool variable = is_variable(joining);
    if (variable ? !a->writes && !b->writes : !a->loose && !b->loose)
        return NEVER;
    if (!are_concurrent(joining, a, b))
        return NEVER;
    if (!variable)
        return ALWAYS;
    if (a->writes && b->writes)
        return joining->notion == ST_NOTION_CONFLICT || (a->last && b->last) ? ALWAYS : NEVER;
    return a->covered || b->covered ? BY_LOCKS : ALWAYS;
}

/* Adds bits to the last row, which is under construction. Places ascend. */
static void add_bits(struct st_subject *subject, struct st_row *row, uint32_t index,
                     uint64_t bits) {
    if (row->count && subject->words[subject->word_count - 1].index == index) {
        subject->words[subject->word_count - 1].bits |= bits;
        return;
    }
    st_reserve(&subject->words, &subject->word_capacity, subject->word_count + 1);
    subject->words[subject->word_count++] = (struct st_row_word){index, bits};
    row->count++;
}

static void add_range(struct st_subject *subject, struct st_row *row, uint32_t first,
                      uint32_t end) {
    while (first < end) {
        uint32_t index = first / 64, stop = (index + 1) * 64 < end ? (index + 1) * 64 : end;
        uint64_t bits = stop - first == 64 ? UINT64_MAX : (UINT64_C(1) << (stop - first)) - 1;
        add_bits(subject, row, index, bits << first % 64);
        first = stop;
    }
}

static void add_by_locks(const struct joining *joining, const struct st_entry *one,
                         struct st_row *row, uint32_t first, uint32_t end) {
    for (uint32_t j = first; j < end; j++) {
        const struct st_entry *other = at(joining, j);
        if (one->writes ? st_can_read(joining->forest, other, one)
                        : st_can_read(joining->forest, one, other))
            add_range(joining->subject, row, j, j + 1);
    }
}

/* A row of its own for the entry, with nothing in it yet. */
static struct st_row *add_row(struct st_subject *subject, uint32_t place) {
    st_reserve(&subject->rows, &subject->row_capacity, subject->row_count + 1);
    subject->row_of[place] = (uint32_t)subject->row_count;
    subject->rows[subject->row_count] = (struct st_row){.first = subject->word_count};
    return &subject->rows[subject->row_count++];
}

/* A kind of which some entries are in the row. */
static void guard_with(struct joining *joining, uint32_t kind) {
    st_guard_meet(&joining->guard, joining->guards[kind].locks, joining->guards[kind].count);
}

/* Returns whether the other entries of its kind have the same row. */
static bool make_row(struct joining *joining, uint32_t place) {
    const struct st_entry *entry = at(joining, place);
    struct st_row *row = add_row(joining->subject, place);
    bool shared = true;
    st_guard_clear(&joining->guard);
    for (uint32_t run = 0; run < joining->run_count; run++) {
        struct interval near = neighbours_in(joining, entry, run);
        for (uint32_t first = near.first, end; first < near.end; first = end) {
            end = joining->kinds[joining->kind_of[first] + 1];
            enum relation relation = relate(joining, entry, at(joining, first));
            if (relation != NEVER)
                guard_with(joining, joining->kind_of[first]);
            if (relation == ALWAYS)
                add_range(joining->subject, row, first, end);
            else if (relation == BY_LOCKS) {
                shared = false;
                add_by_locks(joining, entry, row, first, end);
            }
        }
    }
    row->guard = st_guard_list_add(&joining->subject->guards, &joining->guard);
    return shared;
}

static void join_directly(struct joining *joining) {
    struct st_subject *subject = joining->subject;
    for (uint32_t i = 0; i < subject->count;) {
        uint32_t end = joining->kinds[joining->kind_of[i] + 1];
        bool shared = make_row(joining, i);
        for (i++; shared && i < end; i++)
            subject->row_of[i] = subject->row_of[i - 1];
    }
}

/* ---- view-atomicity: two writes that one read can see must keep their order, too ----
 *
 * The paper considers writes that are concurrent with the read, and the last one before it in its
 * own unit. But a read can also see what was written before it. */

/* The last units of a chain that read what other units wrote. */
struct last_reads {
    uint32_t period;   /* the last one in which such a unit begins */
    uint32_t units[2]; /* those that end last, or ST_NO_NAME */
};

struct seeing {
    struct joining *joining;
    uint64_t *row;            /* of one write, under construction */
    uint64_t *seen;           /* all writes seen by some read that also sees this one */
    uint32_t *first_own;      /* by place of a write, plus one more: index into `own` */
    uint32_t *own;            /* the places of reads that have it as their own write */
    struct last_reads *reads; /* by run */
    uint32_t *direct;         /* by place: the row as join_directly left it */
};

static const struct st_row *direct_row(const struct seeing *seeing, uint32_t place) {
    return &seeing->joining->subject->rows[seeing->direct[place]];
}

/* Must some unit with the write end before some unit with the read begins, and is the write the
 * last one in its unit? Then the read can see it. */
static bool is_seen_later(const struct st_forest *forest, const struct st_entry *write,
                          const struct st_entry *read) {
    if (!write->final || read->own_write != ST_NO_ENTRY)
        return false;
    for (uint32_t i = 0; i < read->unit_count; i++)
        if (read->units[i] != write->units[0] &&
            st_unit_before(forest->model, write->units[0], read->units[i]))
            return true;
    return false;
}

static void note_last_read(const struct st_model *model, struct last_reads *reads, uint32_t unit) {
    uint32_t *last = reads->units;
    if (last[0] == unit || last[1] == unit)
        return;
    if (last[0] == ST_NO_NAME || model->units[unit].end > model->units[last[0]].end) {
        last[1] = last[0];
        last[0] = unit;
    } else if (last[1] == ST_NO_NAME || model->units[unit].end > model->units[last[1]].end)
        last[1] = unit;
}

/* If any read comes after two given writes, the last reads of some chain do. */
static void note_last_reads(struct seeing *seeing) {
    const struct joining *joining = seeing->joining;
    for (uint32_t run = 0; run < joining->run_count; run++) {
        struct last_reads *reads = &seeing->reads[run];
        *reads = (struct last_reads){0, {ST_NO_NAME, ST_NO_NAME}};
        for (uint32_t i = joining->runs[run]; i < joining->runs[run + 1]; i++) {
            const struct st_entry *entry = at(joining, i);
            if (entry->writes || entry->own_write != ST_NO_ENTRY)
                continue;
            reads->period = entry->first_period;
            for (uint32_t k = 0; k < entry->unit_count; k++)
                note_last_read(joining->forest->model, reads, entry->units[k]);
        }
    }
}

static bool is_before_last(const struct seeing *seeing, const struct st_entry *write,
                           const struct last_reads *reads) {
    const struct st_model *model = seeing->joining->forest->model;
    uint32_t unit = write->units[0];
    if (reads->units[0] == ST_NO_NAME)
        return false;
    if (model->units[unit].thread != model->units[reads->units[0]].thread)
        return st_period_before(model->periods, model->units[unit].last_period, reads->period);
    for (int k = 0; k < 2; k++)
        if (reads->units[k] != ST_NO_NAME && reads->units[k] != unit &&
            st_unit_before(model, unit, reads->units[k]))
            return true;
    return false;
}

/* Does some read see one of the writes as a concurrent one, and the other because it came
 * before? */
static bool is_seen_before(const struct seeing *seeing, uint32_t during, uint32_t before) {
    const struct st_forest *forest = seeing->joining->forest;
    const struct st_entry *write = at(seeing->joining, before);
    struct st_partners partners =
        st_partners_in(seeing->joining->subject, direct_row(seeing, during));
    if (!write->final)
        return false;
    for (uint32_t other; (other = st_next_partner(&partners)) != ST_NO_ENTRY;)
        if (!forest->entries[other].writes && is_seen_later(forest, write, &forest->entries[other]))
            return true;
    return false;
}

static bool are_seen_together(const struct seeing *seeing, uint32_t i, uint32_t j) {
    const struct st_entry *a = at(seeing->joining, i), *b = at(seeing->joining, j);
    if (!a->final && !b->final)
        return false;
    for (uint32_t run = 0; run < seeing->joining->run_count && a->final && b->final; run++)
        if (is_before_last(seeing, a, &seeing->reads[run]) &&
            is_before_last(seeing, b, &seeing->reads[run]))
            return true;
    return is_seen_before(seeing, i, j) || is_seen_before(seeing, j, i);
}

static void or_row(const struct seeing *seeing, const struct st_row *row, uint64_t *bits) {
    const struct st_row_word *words = seeing->joining->subject->words + row->first;
    for (uint32_t w = 0; w < row->count; w++)
        bits[words[w].index] |= words[w].bits;
}

/* Adds all writes that the read sees while it runs, and its own. */
static void or_seen_by(const struct seeing *seeing, uint32_t read) {
    const struct joining *joining = seeing->joining;
    uint32_t own = at(joining, read)->own_write;
    if (!direct_row(seeing, read)->count)
        return;
    or_row(seeing, direct_row(seeing, read), seeing->seen);
    if (own != ST_NO_ENTRY) {
        uint32_t place = joining->forest->entries[own].place;
        seeing->seen[place / 64] |= UINT64_C(1) << place % 64;
    }
}

static void or_seen_with(const struct seeing *seeing, uint32_t write) {
    const struct joining *joining = seeing->joining;
    struct st_partners partners = st_partners_in(joining->subject, direct_row(seeing, write));
    for (uint32_t other; (other = st_next_partner(&partners)) != ST_NO_ENTRY;)
        if (!joining->forest->entries[other].writes)
            or_seen_by(seeing, joining->forest->entries[other].place);
    for (uint32_t k = seeing->first_own[write]; k < seeing->first_own[write + 1]; k++)
        or_seen_by(seeing, seeing->own[k]);
}

/* Keeps the writes in `seen` that are neighbours, and adds neighbours that are seen together with
 * this write in other ways. */
static void keep_neighbours(const struct seeing *seeing, uint32_t write) {
    const struct joining *joining = seeing->joining;
    const struct st_entry *entry = at(joining, write);
    for (uint32_t run = 0; run < joining->run_count; run++) {
        struct interval near = neighbours_in(joining, entry, run);
        for (uint32_t place = near.first; place < near.end; place++) {
            const struct st_entry *other = at(joining, place);
            uint64_t bit = UINT64_C(1) << place % 64;
            if (other->writes && are_concurrent(joining, entry, other) &&
                (seeing->seen[place / 64] & bit || are_seen_together(seeing, write, place)))
                seeing->row[place / 64] |= bit;
        }
    }
}

static void join_seen(struct seeing *seeing, uint32_t write) {
    const struct joining *joining = seeing->joining;
    struct st_subject *subject = joining->subject;
    size_t size = (size_t)subject->count / 64 + 1;
    memset(seeing->seen, 0, size * sizeof *seeing->seen);
    memset(seeing->row, 0, size * sizeof *seeing->row);
    or_seen_with(seeing, write);
    if (joining->as_published) {
        memcpy(seeing->row, seeing->seen, size * sizeof *seeing->row);
        seeing->row[write / 64] &= ~(UINT64_C(1) << write % 64);
    } else
        keep_neighbours(seeing, write);
    or_row(seeing, direct_row(seeing, write), seeing->row);
    struct st_row *row = add_row(subject, write);
    row->guard = st_guard_list_add(&subject->guards, &(struct st_guard){0}); /* not known */
    for (uint32_t index = 0; index < size; index++)
        if (seeing->row[index])
            add_bits(subject, row, index, seeing->row[index]);
}

/* Groups the reads by their own write, by counting them first. */
static void note_own_writes(struct seeing *seeing) {
    const struct joining *joining = seeing->joining;
    uint32_t count = joining->subject->count;
    for (uint32_t i = 0; i < count; i++)
        if (at(joining, i)->own_write != ST_NO_ENTRY)
            seeing->first_own[joining->forest->entries[at(joining, i)->own_write].place]++;
    for (uint32_t i = 0; i < count; i++)
        seeing->first_own[i + 1] += seeing->first_own[i];
    for (uint32_t i = count; i-- > 0;)
        if (at(joining, i)->own_write != ST_NO_ENTRY) {
            uint32_t place = joining->forest->entries[at(joining, i)->own_write].place;
            seeing->own[--seeing->first_own[place]] = i;
        }
}

static void join_seen_together(struct joining *joining) {
    struct st_subject *subject = joining->subject;
    size_t count = subject->count;
    struct seeing seeing = {.joining = joining};
    seeing.row = st_alloc(count / 64 + 1, sizeof *seeing.row);
    seeing.seen = st_alloc(count / 64 + 1, sizeof *seeing.seen);
    seeing.first_own = st_alloc(count + 1, sizeof *seeing.first_own);
    seeing.own = st_alloc(count, sizeof *seeing.own);
    seeing.reads = st_alloc(joining->run_count, sizeof *seeing.reads);
    seeing.direct = st_alloc(count, sizeof *seeing.direct);
    memcpy(seeing.direct, subject->row_of, count * sizeof *seeing.direct);
    note_own_writes(&seeing);
    note_last_reads(&seeing);
    for (uint32_t i = 0; i < count; i++)
        if (at(joining, i)->writes)
            join_seen(&seeing, i);
    free(seeing.row);
    free(seeing.seen);
    free(seeing.first_own);
    free(seeing.own);
    free(seeing.reads);
    free(seeing.direct);
}

/* ---- a subject ---- */

static uint64_t count_edges(const struct st_subject *subject) {
    uint64_t ends = 0, of_row = 0;
    for (uint32_t i = 0; i < subject->count; i++) {
        const struct st_row *row = st_row_at(subject, i);
        if (!i || subject->row_of[i] != subject->row_of[i - 1]) { /* not shared */
            of_row = 0;
            for (uint32_t w = 0; w < row->count; w++)
                of_row += (unsigned)__builtin_popcountll(subject->words[row->first + w].bits);
        }
        ends += of_row;
    }
    return ends / 2;
}

/* There are millions of subjects with a few rows. */
static void drop_spare_room(struct st_subject *subject) {
    subject->rows = st_realloc(subject->rows, subject->row_count, sizeof *subject->rows);
    subject->words = st_realloc(subject->words, subject->word_count, sizeof *subject->words);
    subject->guards.words =
        st_realloc(subject->guards.words, subject->guards.count, sizeof *subject->guards.words);
    subject->row_capacity = subject->row_count;
    subject->word_capacity = subject->word_count;
    subject->guards.capacity = subject->guards.count;
}

void st_join_subject(struct st_forest *forest, struct st_subject *subject, enum st_notion notion,
                     bool as_published) {
    struct joining joining = {
        .forest = forest, .subject = subject, .notion = notion, .as_published = as_published};
    put_in_order(&joining, forest);
    find_guards(&joining);
    join_directly(&joining);
    if (notion == ST_NOTION_VIEW && is_variable(&joining))
        join_seen_together(&joining);
    subject->edges = count_edges(subject);
    drop_spare_room(subject);
    for (uint32_t kind = 0; kind < joining.kind_count; kind++)
        st_guard_free(&joining.guards[kind]);
    free(joining.guards);
    st_guard_free(&joining.guard);
    free(joining.kinds);
    free(joining.kind_of);
    free(joining.runs);
    free(joining.latest);
}
