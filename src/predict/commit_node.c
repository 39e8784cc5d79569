/* Commit nodes (Wang and Stoller, PPoPP 2006): is every schedule of the run serializable?
 *
 * A node of a unit's access tree at which it meets other units is a communication node; one that
 * contains no other is a commit node. All that a transaction does can be moved to its commit node,
 * if it has only one, without a difference to anybody: then it is atomic (Theorems 4.1 and 4.4).
 * With several, it may still be that no other unit ever notices (Theorems 4.3 and 4.6).
 *
 * What needed an interpretation, or is different here:
 *
 * - The paper defines a commit node in two ways. It is an *innermost* communication node; with "not
 *   contained in any other" violations are missed. We ask whether there are two communication nodes
 *   of which neither contains the other, which is the same as two innermost ones, and right also
 *   where critical sections overlap without being nested.
 * - Theorems 4.3 and 4.6 look for a cycle through two communication nodes in the forest, which has
 *   no edges for the order of a thread's units and for fork, join and barriers, and so they miss
 *   violations. The directed form, which is used here: a transaction is reported when it has
 *   communication nodes n1 and, later and apart from it, n2, and some path leads from a unit that
 *   meets n1 to one that meets n2. Its steps are inter-edges, in both directions, and "must happen
 *   before", forwards. All units on it are concurrent with the transaction: a cycle in the order of
 *   units that goes through a unit before or after it has a shorter one that leaves the transaction
 *   no later than it enters, so that it need not be blamed.
 * - Figure 5 adds, through its recursion on S(e), inter-edges inside one unit and between units
 * that are not concurrent; both are left out.
 * - Trimming keeps the last write of each variable (predict/draft.h), which view-atomicity needs.
 * - Of identical trees the paper keeps two. Here equal units of one period are one, and those of
 *   different periods are kept, since they can have different neighbours.
 * - Events outside of transactions may synchronise: predict/forest.h.
 *
 * With `as_published`: no order edges, any path that avoids the transaction, and Figure 5 as it
 * stands. `pairwise` looks at two units at a time (Theorems 4.2 and 4.5), which is exact for sets
 * of two transactions. */
#define _GNU_SOURCE
#include "base/memory.h"
#include "predict/forest.h"
#include "predict/parallel.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

/* A communication node, and an access elsewhere that it meets. */
struct meeting {
    struct st_span node;
    uint32_t access; /* in forest->accesses: of the transaction */
    uint32_t entry;  /* of the others */
};

/* How the search came to a unit. */
struct arrival {
    uint32_t from;   /* the unit before; ST_NO_NAME: the transaction itself */
    uint32_t leaves; /* the access of that unit that meets; ST_NO_NAME: order brought us */
    uint32_t enters; /* the entry of this unit that it meets */
};

/* What one thread needs to work on a transaction. Stamps say what was visited in this search. */
struct search {
    const struct analysis *analysis;
    struct meeting *meetings;
    size_t meeting_count, meeting_capacity;
    uint32_t stamp;
    uint32_t *visited;            /* by unit */
    uint32_t *expanded, *entered; /* by entry */
    uint32_t *latest; /* by unit with `goal`: the start of the last node that it meets */
    uint32_t reached; /* the end of the node that this part of the search starts from */
    double deadline;  /* of processor time of this thread; 0: none */
    bool expired;
    uint32_t *goal; /* by unit: it meets a later node of the transaction */
    uint32_t *low;  /* by thread: from this one of its units on, all are reached by order */
    uint32_t *low_stamp;
    uint32_t *queue;
    size_t head, tail;
    struct arrival *arrivals; /* by unit */
    /* The accesses of one unit, by subject: the last one, and for each the one before it. */
    uint32_t subject_stamp;
    uint32_t *indexed, *on_subject; /* by subject: valid if indexed[subject] == subject_stamp */
    uint32_t *same_subject;
    size_t same_capacity;
    uint32_t *stack; /* of locks */
    size_t stack_capacity;
};

struct analysis {
    const struct st_model *model;
    const struct st_predict_options *options;
    struct st_forest *forest;
    uint32_t thread_count;
    uint32_t **of_thread; /* the units of each thread, by their ends */
    uint32_t *of_thread_count;
    enum st_foresight *foresights;
    struct search *searches; /* one for each worker */
};

/* A transaction that is cut: at which nodes, and the last unit on the way. */
struct cut {
    struct meeting out, back;
    uint32_t last;
};

/* ---- meetings ---- */

static void add_meeting(struct search *search, struct st_span node, uint32_t access,
                        uint32_t entry) {
    st_reserve(&search->meetings, &search->meeting_capacity, search->meeting_count + 1);
    search->meetings[search->meeting_count++] = (struct meeting){node, access, entry};
}

static int by_node(const void *left, const void *right) {
    const struct meeting *a = left, *b = right;
    if (a->node.start != b->node.start)
        return a->node.start < b->node.start ? -1 : 1;
    if (a->node.end != b->node.end)
        return a->node.end < b->node.end ? -1 : 1;
    if (a->access != b->access)
        return a->access < b->access ? -1 : 1;
    return (a->entry > b->entry) - (a->entry < b->entry);
}

/* All meetings of a unit, by node. */
static void find_meetings(struct search *search, uint32_t unit) {
    const struct st_forest *forest = search->analysis->forest;
    search->meeting_count = 0;
    for (size_t a = forest->first_access[unit]; a < forest->first_access[unit + 1]; a++) {
        const struct st_unit_access *access = &forest->accesses[a];
        const struct st_entry *entry = &forest->entries[access->entry];
        const struct st_subject *subject = &forest->subjects[entry->subject];
        const uint64_t *row = subject->meets + (size_t)entry->place * subject->words;
        for (uint32_t w = 0; w < subject->words; w++)
            for (uint64_t bits = row[w]; bits; bits &= bits - 1) {
                uint32_t other = subject->entries[w * 64 + (uint32_t)__builtin_ctzll(bits)];
                add_meeting(
                    search,
                    st_meeting_node(forest, unit, access->token, forest->entries[other].lockset),
                    (uint32_t)a, other);
            }
    }
    if (search->meeting_count)
        qsort(search->meetings, search->meeting_count, sizeof *search->meetings, by_node);
}

/* Are all communication nodes nested, so that there is at most one commit node? */
static bool has_one_commit_node(const struct search *search) {
    uint32_t least_end = UINT32_MAX; /* of nodes that start earlier */
    for (size_t i = 0, j; i < search->meeting_count; i = j) {
        uint32_t start = search->meetings[i].node.start, end = UINT32_MAX;
        for (j = i; j < search->meeting_count && search->meetings[j].node.start == start; j++) {
            if (search->meetings[j].node.end > least_end)
                return false;
            if (search->meetings[j].node.end < end)
                end = search->meetings[j].node.end;
        }
        if (end < least_end)
            least_end = end;
    }
    return true;
}

/* ---- from the partners of one node to those of a later one ---- */

static bool may_pass(const struct analysis *analysis, uint32_t transaction, uint32_t unit) {
    if (analysis->options->as_published)
        return unit != transaction;
    return st_units_concurrent(analysis->model, transaction, unit);
}

/* True when the unit is a goal. */
static bool visit(struct search *search, uint32_t transaction, uint32_t unit,
                  struct arrival arrival) {
    if (search->visited[unit] == search->stamp || !may_pass(search->analysis, transaction, unit))
        return false;
    search->visited[unit] = search->stamp;
    search->arrivals[unit] = arrival;
    search->queue[search->tail++] = unit;
    return search->goal[unit] == search->stamp && search->latest[unit] > search->reached;
}

/* All units that have the entry. Returns the goal, or ST_NO_NAME. */
static uint32_t enter(struct search *search, uint32_t transaction, struct arrival arrival) {
    const struct st_entry *entry = &search->analysis->forest->entries[arrival.enters];
    if (search->entered[arrival.enters] == search->stamp)
        return ST_NO_NAME;
    search->entered[arrival.enters] = search->stamp;
    for (uint32_t i = 0; i < entry->unit_count; i++)
        if (visit(search, transaction, entry->units[i], arrival))
            return entry->units[i];
    return ST_NO_NAME;
}

static uint32_t follow_edges(struct search *search, uint32_t transaction, uint32_t unit) {
    const struct st_forest *forest = search->analysis->forest;
    for (size_t a = forest->first_access[unit]; a < forest->first_access[unit + 1]; a++) {
        uint32_t number = forest->accesses[a].entry;
        const struct st_entry *entry = &forest->entries[number];
        const struct st_subject *subject = &forest->subjects[entry->subject];
        const uint64_t *row = subject->meets + (size_t)entry->place * subject->words;
        if (search->expanded[number] == search->stamp)
            continue;
        search->expanded[number] = search->stamp;
        for (uint32_t w = 0; w < subject->words; w++)
            for (uint64_t bits = row[w]; bits; bits &= bits - 1) {
                uint32_t other = subject->entries[w * 64 + (uint32_t)__builtin_ctzll(bits)];
                uint32_t found =
                    enter(search, transaction, (struct arrival){unit, (uint32_t)a, other});
                if (found != ST_NO_NAME)
                    return found;
            }
    }
    return ST_NO_NAME;
}

/* The first of the thread's units that must come after the unit; they are in order. */
static uint32_t first_after(const struct analysis *analysis, uint32_t thread, uint32_t unit) {
    const struct st_model *model = analysis->model;
    uint32_t low = 0, high = analysis->of_thread_count[thread];
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (st_unit_before(model, unit, analysis->of_thread[thread][middle]))
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

static uint32_t follow_order(struct search *search, uint32_t transaction, uint32_t unit) {
    const struct analysis *analysis = search->analysis;
    for (uint32_t thread = 0; thread < analysis->thread_count; thread++) {
        if (search->low_stamp[thread] != search->stamp) {
            search->low_stamp[thread] = search->stamp;
            search->low[thread] = analysis->of_thread_count[thread];
        }
        if (!search->low[thread])
            continue;
        uint32_t first = first_after(analysis, thread, unit);
        while (search->low[thread] > first) {
            uint32_t other = analysis->of_thread[thread][--search->low[thread]];
            if (visit(search, transaction, other, (struct arrival){unit, ST_NO_NAME, ST_NO_ENTRY}))
                return other;
        }
    }
    return ST_NO_NAME;
}

static void mark_goals(struct search *search, struct st_span node) {
    const struct st_forest *forest = search->analysis->forest;
    for (size_t i = 0; i < search->meeting_count; i++) {
        if (!st_node_before(node, search->meetings[i].node))
            continue;
        const struct st_entry *entry = &forest->entries[search->meetings[i].entry];
        for (uint32_t j = 0; j < entry->unit_count; j++) {
            search->goal[entry->units[j]] = search->stamp;
            search->latest[entry->units[j]] = UINT32_MAX;
        }
    }
}

static double processor_time(void) {
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* Goes on from all units that were reached. Returns the goal. */
static uint32_t spread(struct search *search, uint32_t transaction) {
    enum { BETWEEN_LOOKS = 64 };
    uint32_t found = ST_NO_NAME;
    while (found == ST_NO_NAME && search->head < search->tail && !search->expired) {
        uint32_t unit = search->queue[search->head++];
        found = follow_edges(search, transaction, unit);
        if (found == ST_NO_NAME && !search->analysis->options->as_published)
            found = follow_order(search, transaction, unit);
        if (search->deadline > 0 && search->head % BETWEEN_LOOKS == 0)
            search->expired = processor_time() > search->deadline;
    }
    return found;
}

/* Starts with the meetings first .. last - 1, which are of one node. Returns the goal. */
static uint32_t find_way(struct search *search, uint32_t transaction, size_t first, size_t last) {
    search->stamp++;
    search->head = search->tail = 0;
    search->reached = 0;
    mark_goals(search, search->meetings[first].node);
    uint32_t found = ST_NO_NAME;
    for (size_t i = first; i < last && found == ST_NO_NAME; i++)
        found = enter(
            search, transaction,
            (struct arrival){ST_NO_NAME, search->meetings[i].access, search->meetings[i].entry});
    return found == ST_NO_NAME ? spread(search, transaction) : found;
}

/* ---- two at a time ---- */

static bool has_access(const struct st_forest *forest, uint32_t unit, uint32_t entry) {
    for (size_t i = forest->first_access[unit]; i < forest->first_access[unit + 1]; i++)
        if (forest->accesses[i].entry == entry)
            return true;
    return false;
}

/* Does the unit read what it wrote by `write` where it could also read the other's write? */
static bool reads_either(const struct st_forest *forest, uint32_t unit, uint32_t write,
                         uint32_t other) {
    for (size_t i = forest->first_access[unit]; i < forest->first_access[unit + 1]; i++) {
        const struct st_entry *read = &forest->entries[forest->accesses[i].entry];
        if (read->own_write == write && st_can_read(forest, read, &forest->entries[other]))
            return true;
    }
    return false;
}

/* In the forest of these two units alone, do their accesses meet? Two writes that a third unit can
 * read do not. */
static bool meet_alone(const struct analysis *analysis, uint32_t left, uint32_t right,
                       uint32_t left_entry, uint32_t right_entry) {
    const struct st_forest *forest = analysis->forest;
    const struct st_entry *a = &forest->entries[left_entry], *b = &forest->entries[right_entry];
    if (analysis->options->notion == ST_NOTION_CONFLICT || !a->writes || !b->writes)
        return true;
    return (a->last && b->last) || reads_either(forest, left, left_entry, right_entry) ||
           reads_either(forest, right, right_entry, left_entry);
}

/* Is the transaction cut by the other unit alone? */
static bool is_cut_by(const struct search *search, uint32_t transaction, uint32_t other,
                      struct cut *cut) {
    const struct st_forest *forest = search->analysis->forest;
    const struct meeting *earliest = NULL, *candidate = NULL; /* the one that ends first so far,
                                                               * and that among its equal starts */
    for (size_t i = 0; i < search->meeting_count; i++) {
        const struct meeting *meeting = &search->meetings[i];
        if (!has_access(forest, other, meeting->entry) ||
            !meet_alone(search->analysis, transaction, other,
                        forest->accesses[meeting->access].entry, meeting->entry))
            continue;
        if (candidate && candidate->node.start < meeting->node.start) {
            if (!earliest || candidate->node.end < earliest->node.end)
                earliest = candidate;
            candidate = NULL;
        }
        if (earliest && st_node_before(earliest->node, meeting->node)) {
            *cut = (struct cut){*earliest, *meeting, other};
            return true;
        }
        if (!candidate)
            candidate = meeting;
    }
    return false;
}

static bool find_pair(struct search *search, uint32_t transaction, struct cut *cut) {
    const struct st_forest *forest = search->analysis->forest;
    search->stamp++;
    for (size_t i = 0; i < search->meeting_count; i++) {
        const struct st_entry *entry = &forest->entries[search->meetings[i].entry];
        for (uint32_t j = 0; j < entry->unit_count; j++) {
            uint32_t other = entry->units[j];
            if (search->visited[other] == search->stamp || other == transaction)
                continue;
            search->visited[other] = search->stamp;
            if (is_cut_by(search, transaction, other, cut)) {
                search->arrivals[other] =
                    (struct arrival){ST_NO_NAME, cut->out.access, cut->out.entry};
                return true;
            }
        }
    }
    return false;
}

/* ---- all nodes in one search ----
 *
 * When nodes are nested or apart, never half in each other, one search is enough: it starts from
 * the node that ends first, and goes on from the next when nothing new is reached. So each unit is
 * reached first from the node with the earliest end that can reach it, and the transaction is cut
 * if the last node that the unit meets starts behind that. */

/* Is the lock that is released always the one that was acquired last? */
static bool is_nested(struct search *search, const struct st_shape *shape) {
    size_t depth = shape->held_count;
    st_reserve(&search->stack, &search->stack_capacity, depth + shape->count + 1);
    for (size_t i = 0; i < depth; i++)
        search->stack[i] = shape->held[i];
    for (uint32_t i = 0; i < shape->count; i++) {
        const struct st_token *token = &shape->tokens[i];
        if (token->kind == ST_TOKEN_ACQUIRE)
            search->stack[depth++] = token->target;
        else if (token->kind == ST_TOKEN_RELEASE &&
                 (depth == 0 || search->stack[--depth] != token->target))
            return false;
    }
    return true;
}

static int by_end_of_node(const void *left, const void *right) {
    const struct meeting *a = left, *b = right;
    if (a->node.end != b->node.end)
        return a->node.end < b->node.end ? -1 : 1;
    return by_node(left, right);
}

/* For each unit that meets the transaction: where the last node starts that it meets. */
static void note_latest(struct search *search) {
    const struct st_forest *forest = search->analysis->forest;
    for (size_t i = 0; i < search->meeting_count; i++) {
        const struct st_entry *entry = &forest->entries[search->meetings[i].entry];
        uint32_t start = search->meetings[i].node.start;
        for (uint32_t j = 0; j < entry->unit_count; j++) {
            uint32_t unit = entry->units[j];
            if (search->goal[unit] != search->stamp || search->latest[unit] < start)
                search->latest[unit] = start;
            search->goal[unit] = search->stamp;
        }
    }
}

/* The way has led to this unit: how it left the transaction, and how it comes back. */
static bool name_cut(const struct search *search, uint32_t found, struct cut *cut) {
    const struct st_forest *forest = search->analysis->forest;
    uint32_t unit = found;
    bool has_back = false;
    cut->last = found;
    while (search->arrivals[unit].from != ST_NO_NAME)
        unit = search->arrivals[unit].from;
    for (size_t i = 0; i < search->meeting_count; i++) {
        const struct meeting *meeting = &search->meetings[i];
        if (meeting->access == search->arrivals[unit].leaves &&
            meeting->entry == search->arrivals[unit].enters)
            cut->out = *meeting;
        if (meeting->node.start == search->latest[found] && !has_back &&
            has_access(forest, found, meeting->entry)) {
            cut->back = *meeting;
            has_back = true;
        }
    }
    return has_back;
}

static bool find_path_at_once(struct search *search, uint32_t transaction, struct cut *cut) {
    uint32_t found = ST_NO_NAME;
    qsort(search->meetings, search->meeting_count, sizeof *search->meetings, by_end_of_node);
    search->stamp++;
    search->head = search->tail = 0;
    note_latest(search);
    for (size_t i = 0; i < search->meeting_count && found == ST_NO_NAME; i++) {
        const struct meeting *meeting = &search->meetings[i];
        search->reached = meeting->node.end;
        found = enter(search, transaction,
                      (struct arrival){ST_NO_NAME, meeting->access, meeting->entry});
        if (found == ST_NO_NAME &&
            (i + 1 == search->meeting_count || search->meetings[i + 1].node.end > search->reached))
            found = spread(search, transaction);
        if (search->expired)
            return false;
    }
    return found != ST_NO_NAME && name_cut(search, found, cut);
}

/* ---- a transaction ---- */

static bool find_path(struct search *search, uint32_t transaction, struct cut *cut) {
    const struct st_forest *forest = search->analysis->forest;
    for (size_t i = 0, j; i < search->meeting_count; i = j) {
        struct st_span node = search->meetings[i].node;
        for (j = i + 1; j < search->meeting_count && search->meetings[j].node.start == node.start &&
                        search->meetings[j].node.end == node.end;)
            j++;
        uint32_t found = find_way(search, transaction, i, j);
        if (search->expired)
            return false;
        if (found == ST_NO_NAME)
            continue;
        cut->last = found;
        cut->out = search->meetings[i];
        for (size_t k = 0; k < search->meeting_count; k++)
            if (st_node_before(node, search->meetings[k].node) &&
                has_access(forest, found, search->meetings[k].entry)) {
                cut->back = search->meetings[k];
                return true;
            }
    }
    return false;
}

/* ---- the usual case: one other unit meets two nodes ----
 *
 * That is the shortest path there is. In a run with much contention nearly every transaction that
 * is cut is cut by nearly every other one, so a few are tried before all meetings are listed:
 * without that, a recording of memcached with 37,000 different transactions took hours. */

static void index_unit(struct search *search, uint32_t unit) {
    const struct st_forest *forest = search->analysis->forest;
    size_t first = forest->first_access[unit], count = forest->first_access[unit + 1] - first;
    st_reserve(&search->same_subject, &search->same_capacity, count + 1);
    search->subject_stamp++;
    for (uint32_t k = 0; k < count; k++) {
        uint32_t subject = forest->entries[forest->accesses[first + k].entry].subject;
        bool seen = search->indexed[subject] == search->subject_stamp;
        search->same_subject[k] = seen ? search->on_subject[subject] : ST_NO_NAME;
        search->on_subject[subject] = k;
        search->indexed[subject] = search->subject_stamp;
    }
}

/* The meeting that ends first and the one that starts last are enough to know. */
static void note_extremes(struct cut *cut, const struct meeting *meeting, bool first) {
    if (first || meeting->node.end < cut->out.node.end)
        cut->out = *meeting;
    if (first || meeting->node.start > cut->back.node.start)
        cut->back = *meeting;
}

static bool is_cut_directly(struct search *search, uint32_t transaction, uint32_t other,
                            struct cut *cut) {
    const struct st_forest *forest = search->analysis->forest;
    size_t base = forest->first_access[other];
    bool first = true;
    index_unit(search, other);
    for (size_t a = forest->first_access[transaction]; a < forest->first_access[transaction + 1];
         a++) {
        const struct st_unit_access *access = &forest->accesses[a];
        uint32_t subject = forest->entries[access->entry].subject;
        if (search->indexed[subject] != search->subject_stamp)
            continue;
        for (uint32_t k = search->on_subject[subject]; k != ST_NO_NAME;
             k = search->same_subject[k]) {
            uint32_t entry = forest->accesses[base + k].entry;
            if (!st_entries_meet(forest, access->entry, entry))
                continue;
            struct meeting meeting = {
                st_meeting_node(forest, transaction, access->token, forest->entries[entry].lockset),
                (uint32_t)a, entry};
            note_extremes(cut, &meeting, first);
            first = false;
            if (st_node_before(cut->out.node, cut->back.node))
                return true;
        }
    }
    return false;
}

static bool is_cut_by_somebody(struct search *search, uint32_t transaction, struct cut *cut) {
    enum { TRIED = 64, TRIED_OF_ACCESS = 4 };
    const struct st_forest *forest = search->analysis->forest;
    unsigned tried = 0;
    search->stamp++;
    for (size_t a = forest->first_access[transaction];
         a < forest->first_access[transaction + 1] && tried < TRIED; a++) {
        const struct st_entry *entry = &forest->entries[forest->accesses[a].entry];
        const struct st_subject *subject = &forest->subjects[entry->subject];
        const uint64_t *row = subject->meets + (size_t)entry->place * subject->words;
        unsigned of_access = 0;
        for (uint32_t w = 0; w < subject->words && of_access < TRIED_OF_ACCESS; w++) {
            if (!row[w])
                continue;
            uint32_t bit = w * 64 + (uint32_t)__builtin_ctzll(row[w]);
            uint32_t other = forest->entries[subject->entries[bit]].units[0];
            of_access++;
            if (search->visited[other] == search->stamp)
                continue;
            search->visited[other] = search->stamp;
            tried++;
            if (is_cut_directly(search, transaction, other, cut)) {
                cut->last = other;
                search->arrivals[other] =
                    (struct arrival){ST_NO_NAME, cut->out.access, cut->out.entry};
                return true;
            }
        }
    }
    return false;
}

/* As published, two accesses of one unit may meet each other. */
static bool meets_itself(const struct search *search, uint32_t transaction) {
    const struct st_forest *forest = search->analysis->forest;
    for (size_t i = 0; i < search->meeting_count; i++)
        if (has_access(forest, transaction, search->meetings[i].entry))
            return true;
    return false;
}

static bool is_cut(struct search *search, uint32_t transaction, struct cut *cut) {
    const struct st_predict_options *options = search->analysis->options;
    bool plain = !options->pairwise && !options->no_paths && !options->as_published;
    if (plain && is_cut_by_somebody(search, transaction, cut))
        return true;
    find_meetings(search, transaction);
    if (has_one_commit_node(search))
        return false;
    if (options->pairwise)
        return find_pair(search, transaction, cut);
    if (plain && is_nested(search, st_unit_shape(search->analysis->model, transaction)))
        return find_path_at_once(search, transaction, cut);
    if (!options->no_paths && !(options->as_published && meets_itself(search, transaction)))
        return find_path(search, transaction, cut);
    *cut =
        (struct cut){search->meetings[0], search->meetings[search->meeting_count - 1], ST_NO_NAME};
    return true;
}

/* ---- all of them ---- */

static void start_search(struct search *search, const struct analysis *analysis) {
    size_t units = analysis->model->unit_count + 1, entries = analysis->forest->entry_count + 1;
    size_t threads = (size_t)analysis->thread_count + 1;
    *search = (struct search){.analysis = analysis};
    search->visited = st_alloc(units, sizeof(uint32_t));
    search->goal = st_alloc(units, sizeof(uint32_t));
    search->latest = st_alloc(units, sizeof(uint32_t));
    search->queue = st_alloc(units, sizeof(uint32_t));
    search->arrivals = st_alloc(units, sizeof *search->arrivals);
    search->expanded = st_alloc(entries, sizeof(uint32_t));
    search->entered = st_alloc(entries, sizeof(uint32_t));
    search->indexed = st_alloc(analysis->forest->subject_count + 1, sizeof(uint32_t));
    search->on_subject = st_alloc(analysis->forest->subject_count + 1, sizeof(uint32_t));
    search->low = st_alloc(threads, sizeof(uint32_t));
    search->low_stamp = st_alloc(threads, sizeof(uint32_t));
}

static void end_search(struct search *search) {
    free(search->meetings);
    free(search->visited);
    free(search->goal);
    free(search->latest);
    free(search->queue);
    free(search->arrivals);
    free(search->expanded);
    free(search->entered);
    free(search->indexed);
    free(search->on_subject);
    free(search->same_subject);
    free(search->stack);
    free(search->low);
    free(search->low_stamp);
}

static int by_end(const void *left, const void *right, void *context) {
    const struct st_unit *units = context;
    uint64_t a = units[*(const uint32_t *)left].end, b = units[*(const uint32_t *)right].end;
    return (a > b) - (a < b);
}

static void sort_units(struct analysis *analysis) {
    const struct st_model *model = analysis->model;
    for (size_t i = 0; i < model->unit_count; i++)
        if (model->units[i].thread >= analysis->thread_count)
            analysis->thread_count = model->units[i].thread + 1;
    analysis->of_thread = st_alloc(analysis->thread_count + 1, sizeof *analysis->of_thread);
    analysis->of_thread_count = st_alloc(analysis->thread_count + 1, sizeof(uint32_t));
    for (uint32_t i = 0; i < model->unit_count; i++) {
        uint32_t **list = &analysis->of_thread[model->units[i].thread];
        uint32_t *count = &analysis->of_thread_count[model->units[i].thread];
        if (!(*count & (*count - 1)))
            *list = st_realloc(*list, *count ? *count * 2 : 1, sizeof **list);
        (*list)[(*count)++] = i;
    }
    for (uint32_t i = 0; i < analysis->thread_count; i++)
        if (analysis->of_thread_count[i])
            qsort_r(analysis->of_thread[i], analysis->of_thread_count[i], sizeof(uint32_t), by_end,
                    model->units);
}

static void judge(void *context, unsigned worker, size_t unit) {
    struct analysis *analysis = context;
    struct search *search = &analysis->searches[worker];
    double timeout = analysis->options->timeout;
    struct cut cut;
    if (!analysis->model->units[unit].transaction)
        return;
    search->deadline = timeout > 0 ? processor_time() + timeout : 0;
    search->expired = false;
    if (is_cut(search, (uint32_t)unit, &cut))
        analysis->foresights[unit] = ST_FORESEEN_POTENTIAL;
    else if (search->expired)
        analysis->foresights[unit] = ST_FORESEEN_TIMEOUT;
}

/* ---- findings ---- */

/* A finding while it is put together. */
struct story {
    const struct analysis *analysis;
    struct st_foreseen *block;
    size_t event_capacity, path_capacity, variable_capacity;
    char letters[2 * 64];
};

static struct st_place place_of(const struct story *story, uint32_t unit, uint32_t token) {
    const struct st_model *model = story->analysis->model;
    if (token != ST_NO_TOKEN)
        return st_unit_place(model, unit, token);
    return (struct st_place){.number = model->units[unit].begin,
                             .event = {.thread = model->units[unit].thread,
                                       .target = model->units[unit].block,
                                       .loc = model->units[unit].begin_loc,
                                       .written = ST_BEGIN,
                                       .op = ST_BEGIN}};
}

static void tell_event(struct story *story, struct st_place place) {
    static const char letters[] = {[ST_READ] = 'R', [ST_WRITE] = 'W'};
    struct st_foreseen *block = story->block;
    size_t length = strlen(story->letters);
    if (block->event_count && block->events[block->event_count - 1].number == place.number)
        return;
    st_reserve(&block->events, &story->event_capacity, block->event_count + 1);
    block->events[block->event_count++] = place;
    if (length + 3 > sizeof story->letters)
        return;
    char letter = place.event.op <= ST_WRITE ? letters[place.event.op] : 'L';
    memcpy(story->letters + length, (char[]){length ? '-' : letter, length ? letter : 0, 0},
           length ? 3 : 2);
}

static void tell_variable(struct story *story, uint32_t subject) {
    struct st_foreseen *block = story->block;
    if (subject >= story->analysis->forest->variable_count)
        return;
    uint32_t variable = story->analysis->forest->variables[subject];
    for (size_t i = 0; i < block->variable_count; i++)
        if (block->variables[i] == variable)
            return;
    st_reserve(&block->variables, &story->variable_capacity, block->variable_count + 1);
    block->variables[block->variable_count++] = variable;
}

static uint32_t token_with(const struct st_forest *forest, uint32_t unit, uint32_t entry) {
    for (size_t i = forest->first_access[unit]; i < forest->first_access[unit + 1]; i++)
        if (forest->accesses[i].entry == entry)
            return forest->accesses[i].token;
    return ST_NO_TOKEN;
}

/* From an access of one unit to one of another. */
static void tell_edge(struct story *story, uint32_t from, uint32_t from_token, uint32_t to,
                      uint32_t to_token, uint32_t subject) {
    struct st_foreseen *block = story->block;
    struct st_edge edge = {.from = place_of(story, from, from_token),
                           .to = place_of(story, to, to_token),
                           .kind = subject < story->analysis->forest->variable_count
                                       ? ST_EDGE_CONFLICT
                                       : ST_EDGE_LOCK};
    tell_event(story, edge.from);
    tell_event(story, edge.to);
    tell_variable(story, subject);
    st_reserve(&block->path, &story->path_capacity, block->path_length + 1);
    block->path[block->path_length++] = edge;
}

/* The way to the unit, from the transaction on. */
static void tell_way(struct story *story, const struct search *search, uint32_t transaction,
                     uint32_t unit) {
    const struct st_forest *forest = story->analysis->forest;
    const struct arrival *arrival = &search->arrivals[unit];
    if (arrival->from != ST_NO_NAME)
        tell_way(story, search, transaction, arrival->from);
    if (arrival->leaves == ST_NO_NAME)
        return; /* the order of a thread, of fork, join or a barrier */
    uint32_t from = arrival->from == ST_NO_NAME ? transaction : arrival->from;
    const struct st_unit_access *leaves = &forest->accesses[arrival->leaves];
    tell_edge(story, from, leaves->token, unit, token_with(forest, unit, arrival->enters),
              forest->entries[arrival->enters].subject);
}

/* An innermost communication node in this one: the commit node. */
static struct st_span commit_node_in(const struct search *search, struct st_span node) {
    for (size_t i = 0; i < search->meeting_count; i++) {
        struct st_span other = search->meetings[i].node;
        if (other.start >= node.start && other.end <= node.end)
            node = other;
    }
    return node;
}

/* A node is an access, or a critical section, for which its acquire stands. */
static void tell_nodes(struct story *story, const struct search *search, uint32_t unit,
                       const struct cut *cut) {
    struct st_span nodes[] = {commit_node_in(search, cut->out.node),
                              commit_node_in(search, cut->back.node)};
    story->block->nodes = st_alloc(2, sizeof *story->block->nodes);
    story->block->node_count = 2;
    for (int i = 0; i < 2; i++)
        story->block->nodes[i] =
            place_of(story, unit, nodes[i].start ? nodes[i].start - 1 : ST_NO_TOKEN);
}

static void explain(void *context, uint32_t unit, struct st_foreseen *block) {
    struct analysis *analysis = context;
    const struct st_forest *forest = analysis->forest;
    struct search *search = &analysis->searches[0];
    struct story story = {.analysis = analysis, .block = block};
    struct cut cut;
    search->deadline = 0; /* it was found in time before */
    search->expired = false;
    if (!is_cut(search, unit, &cut))
        return;
    find_meetings(search, unit);
    tell_nodes(&story, search, unit, &cut);
    if (cut.last != ST_NO_NAME) {
        tell_way(&story, search, unit, cut.last);
        tell_edge(&story, cut.last, token_with(forest, cut.last, cut.back.entry), unit,
                  forest->accesses[cut.back.access].token, forest->entries[cut.back.entry].subject);
    }
    block->pattern = st_strdup(story.letters);
    block->why = st_strdup("They cannot be moved together, since others can come in between");
}

/* ---- the analysis ---- */

static const char *method(const struct st_predict_options *options) {
    bool view = options->notion == ST_NOTION_VIEW;
    if (options->pairwise)
        return view ? "pairs, Theorem 4.5" : "pairs, Theorem 4.2";
    if (options->as_published)
        return view ? "Theorems 4.4 and 4.6 as published" : "Theorems 4.1 and 4.3 as published";
    return view ? "Theorems 4.4 and 4.6, directed" : "Theorems 4.1 and 4.3, directed";
}

static void run(const struct st_model *model, const struct st_predict_options *options,
                struct st_prediction *prediction) {
    unsigned jobs = options->jobs ? options->jobs : 1;
    struct analysis analysis = {.model = model, .options = options};
    analysis.forest = st_forest_new(model, options->notion, options->as_published, jobs);
    sort_units(&analysis);
    analysis.foresights = st_alloc(model->unit_count + 1, sizeof *analysis.foresights);
    analysis.searches = st_alloc(jobs, sizeof *analysis.searches);
    for (unsigned i = 0; i < jobs; i++)
        start_search(&analysis.searches[i], &analysis);
    st_parallel(jobs, model->unit_count, judge, &analysis);
    prediction->engine = "commit-node";
    prediction->notion = options->notion == ST_NOTION_VIEW ? "view" : "conflict";
    prediction->method = method(options);
    prediction->storage = analysis.forest->nodes + analysis.forest->edges;
    prediction->storage_unit = "nodes and edges";
    if (options->pairwise)
        st_prediction_may_miss(prediction, "Two transactions at a time were looked at: a violation "
                                           "that takes three or more is not seen.");
    if (options->as_published)
        st_prediction_may_miss(prediction, "The theorems as published miss violations.");
    st_model_tell(model, analysis.foresights, explain, &analysis, options->limit, prediction);
    for (unsigned i = 0; i < jobs; i++)
        end_search(&analysis.searches[i]);
    for (uint32_t i = 0; i < analysis.thread_count; i++)
        free(analysis.of_thread[i]);
    free(analysis.searches);
    free(analysis.of_thread);
    free(analysis.of_thread_count);
    free(analysis.foresights);
    st_forest_free(analysis.forest);
}

const struct st_predictor st_commit_node = {
    .name = "commit-node",
    .summary = "access trees and commit nodes (Wang and Stoller, PPoPP 2006)",
    .run = run,
};
