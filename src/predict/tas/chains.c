/* The search over chains. A shortest path that violates a block visits each other thread once:
 *
 *     s -> [u1 .. v1] -> [u2 .. v2] -> ... -> t
 *
 * Each interval [u .. v] lies in one thread, and conflicts link the intervals. The search
 * enumerates such chains and, for each, asks whether a feasible schedule has its events in that
 * order (predict/tas/decider.h). Chains of one interval come first, since most violations have one;
 * chains of a few intervals follow. There are very many longer ones, and most lead nowhere. The
 * search is fast because it can skip most chains:
 *
 *  - An event that must happen before s, or cannot be executed before t, is on no path from s to t.
 *    Neither is an event under a lock that the block's thread holds from s to t.
 *  - Take the intervals that enter by a conflict with one event and leave by the same kind of
 *    access to the same variable. Those that contain another such interval add nothing.
 *  - A path with a shortcut was covered when the shorter path was tried. So s is the first access
 *    of the block that conflicts with u1, no event conflicts with an event of the path other than
 *    the next one, and only the last interval conflicts with t.
 *  - What acquires a lock after the block's thread has acquired it comes after the release. If the
 *    block's thread holds the next lock by then, the same holds of that one, and so on. Where that
 *    leads past the target, the chain ends.
 *  - The set of events before the end of a chain grows with the chain. A quick look ahead
 *    (predict/tas/look_ahead.h) detects when the target cannot be reached after all of them.
 *  - Targets are tried in order. If an event of the path conflicts with an earlier target, it is
 *    executed after that target. Otherwise the earlier target would have been found violated, by a
 *    chain that is no longer, and so in this pass or an earlier one. */
#include "base/lower_bound.h"
#include "base/map64.h"
#include "base/memory.h"
#include "predict/tas/decider.h"
#include "predict/tas/look_ahead.h"

#include <stdlib.h>
#include <string.h>

/* An access of the block where paths start, for the paths that enter their first thread by an
 * access with this key (2 * variable + is it a write). */
struct start {
    uint32_t event, key;
};

struct interval {
    uint32_t entry, exit; /* events */
};

struct chains {
    struct tas_worker *worker;
    const struct st_tas_graph *graph;
    const struct tas_segment *segment;
    struct tas_decider *decider;
    struct tas_runs_between *between;
    struct tas_ahead *ahead; /* for the last passes */
    uint32_t own;            /* the block's strand */
    struct start *starts;    /* by position; no key twice */
    size_t start_count, start_capacity;
    struct st_map64 start_keys; /* numbered as their starts are */

    uint32_t target;     /* t */
    size_t target_place; /* in the accesses of the segment */
    const struct start *start;
    uint32_t *high; /* by strand: the first position that cannot be executed before t */
    uint32_t *last; /* by strand: the last position from which t can be reached, or 0 */
    enum {
        UNKNOWN,
        ROUGH,
        KNOWN
    } reach; /* how well `last` is known; if roughly, it may be later */

    enum {
        NEAR,   /* like PROBE, only from starts at the variable of the target; for large blocks */
        PROBE,  /* chains of one interval, only those close to the target */
        SHORT,  /* all chains of one interval */
        MIDDLE, /* all chains of two to four intervals */
        LONG    /* all longer chains */
    } pass;
    size_t tried;   /* earlier passes tried chains of up to this many intervals */
    size_t longest; /* later passes try chains of more intervals than this */
    struct interval *chain;
    bool *visited;    /* by thread */
    uint32_t *before; /* by interval of the chain and strand: what comes before the interval's
                       * exit */
    size_t before_capacity;
    struct tas_pair *pairs;
    size_t pair_count, pair_capacity;
};

/* The accesses of one strand that conflict with an event: up to two runs. */
struct entries {
    const struct tas_run *runs[2];
    size_t count;
};

enum {
    PROBES = 2, /* intervals that PROBE tries on each side of t */
    LARGE = 100 /* accesses of a block that is first searched by variable: its pairs of accesses are
                 * too many to be tried in their order */
};

/* ---- runs ---- */

/* The last access of the run at or before this position, or TAS_NONE. */
static uint32_t last_to(const struct st_tas_graph *graph, const struct tas_run *run,
                        uint32_t position) {
    size_t place = tas_run_from(graph, run, position + 1);
    return place == run[0].first ? TAS_NONE : graph->accesses[place - 1];
}

static void add_entries(struct entries *entries, const struct tas_run *run) {
    if (run)
        entries->runs[entries->count++] = run;
}

/* The accesses of a strand that conflict with an event, if they are of another thread. */
static struct entries entries_for(const struct st_tas_graph *graph, uint32_t event,
                                  uint32_t strand) {
    const struct st_event *e = &graph->events[event];
    struct entries entries = {.count = 0};
    add_entries(&entries, tas_run_of(graph, 2 * e->target + 1, strand));
    if (e->op == ST_WRITE)
        add_entries(&entries, tas_run_of(graph, 2 * e->target, strand));
    return entries;
}

/* The last entry after `low` and at or before `position`, or TAS_NONE. */
static uint32_t last_entry(const struct st_tas_graph *graph, const struct entries *entries,
                           uint32_t low, uint32_t position) {
    uint32_t best = TAS_NONE;
    for (size_t i = 0; i < entries->count; i++) {
        uint32_t event = last_to(graph, entries->runs[i], position);
        if (event != TAS_NONE && graph->position[event] > low &&
            (best == TAS_NONE || graph->position[event] > graph->position[best]))
            best = event;
    }
    return best;
}

/* The last entry after `low` of the thread that leaves by `exit`, or TAS_NONE. */
static uint32_t entry_before(const struct st_tas_graph *graph, const struct entries *entries,
                             uint32_t low, uint32_t exit) {
    uint32_t before = tas_thread_of(graph, exit)->before;
    return last_entry(graph, entries, low > before ? low : before, graph->position[exit]);
}

/* ---- which accesses can be on a path ---- */

/* Does a lock keep the event from being executed between the access `from` of the block and the
 * target? It does if the block's thread holds the lock the whole time. It also does if that thread
 * acquires the lock in between and still holds it at the target: then the event's section must end
 * before that acquire, and it cannot if its release is missing or must come after the acquire. */
static bool is_shut_out(const struct chains *c, uint32_t event, uint32_t from) {
    const struct st_tas_graph *graph = c->graph;
    uint32_t set = graph->lockset[event], own_set = graph->lockset[c->target];
    if (!set || !own_set || !tas_locks_meet(graph, set, own_set))
        return false;
    for (uint32_t i = graph->lock_sets[set]; i < graph->lock_sets[set + 1]; i++) {
        uint32_t lock = graph->lock_members[i], acquire = tas_holder(graph, lock, c->target + 1);
        if (acquire == TAS_NONE || tas_strand_of(graph, acquire) != c->own)
            continue;
        uint32_t release = graph->partner[tas_holder(graph, lock, event + 1)];
        if (graph->position[acquire] < graph->position[from] || !release ||
            st_row_get(tas_needs(graph, release - 1), c->own) >= graph->position[acquire])
            return true;
    }
    return false;
}

/* Does the event conflict with an access of the block at or before s? Then there may be a shorter
 * path, unless this event is the one that enters the first thread. */
static bool meets_start(const struct chains *c, uint32_t event) {
    const struct st_event *e = &c->graph->events[event];
    uint32_t at = st_map64_find(&c->start_keys, 2 * (uint64_t)e->target + (e->op == ST_WRITE));
    return at != ST_MAP64_NONE &&
           c->graph->position[c->starts[at].event] <= c->graph->position[c->start->event];
}

/* Is there a shorter path if the interval follows `level` others? `last`: the interval ends the
 * chain. */
static bool has_shortcut(const struct chains *c, size_t level, const struct interval *interval,
                         bool last) {
    const struct st_tas_graph *graph = c->graph;
    if (level && (meets_start(c, interval->entry) || meets_start(c, interval->exit)))
        return true;
    for (size_t i = 0; i < level; i++) {
        const struct interval *other = &c->chain[i];
        if (i + 1 < level && (tas_conflict(graph, other->exit, interval->entry) ||
                              tas_conflict(graph, other->exit, interval->exit)))
            return true;
        if (other->entry != other->exit && (tas_conflict(graph, other->entry, interval->entry) ||
                                            tas_conflict(graph, other->entry, interval->exit)))
            return true;
    }
    return !last && (tas_conflict(graph, c->target, interval->entry) ||
                     tas_conflict(graph, c->target, interval->exit));
}

/* Does the event conflict with an access of a further thread that may come after it and from which
 * the target can be reached? If an event has no such access, neither have later events of the same
 * kind in its strand, since ever more must happen before them. */
static bool leads_on(const struct chains *c, uint32_t event) {
    const struct st_tas_graph *graph = c->graph;
    const struct st_event *e = &graph->events[event];
    const struct tas_thread *thread = tas_thread_of(graph, event);
    const struct st_shared_row *needs = tas_needs_free(graph, event);
    for (uint32_t write = e->op == ST_READ; write <= 1; write++) {
        size_t key = 2 * (size_t)e->target + write;
        for (uint32_t r = graph->key_runs[key]; r < graph->key_runs[key + 1]; r++) {
            uint32_t t = graph->runs[r].strand;
            if (t == c->own || tas_is_visited(graph, c->visited, t) || !c->last[t])
                continue;
            uint32_t other = last_to(graph, &graph->runs[r], c->last[t]);
            uint32_t low = t == thread->strand ? thread->last : st_row_get(needs, t);
            if (other != TAS_NONE && graph->position[other] > c->segment->upper[t] &&
                graph->position[other] > low)
                return true;
        }
    }
    return false;
}

/* The last position of the run, between last[t] and high[t] of its strand, that leads on, or 0. */
static uint32_t last_leading_on(const struct chains *c, const struct tas_run *run) {
    const struct st_tas_graph *graph = c->graph;
    uint32_t t = run->strand;
    uint32_t above = c->last[t] > c->segment->upper[t] ? c->last[t] : c->segment->upper[t];
    size_t first = tas_run_from(graph, run, above + 1), end = tas_run_from(graph, run, c->high[t]);
    size_t at;
    st_lower_bound(at, first, end, leads_on(c, graph->accesses[at]));
    return at > first ? graph->position[graph->accesses[at - 1]] : 0;
}

/* What comes before the exit of an interval of the chain. Valid until the next call for a longer
 * chain. */
static uint32_t *before_of(struct chains *c, size_t level) {
    size_t threads = c->graph->strand_count;
    st_reserve(&c->before, &c->before_capacity, (level + 1) * threads);
    return c->before + level * threads;
}

/* Can the event be executed between the first access of the block and the target at all? What the
 * order of these three implies may rule it out. */
static bool fits_between(struct chains *c, uint32_t event) {
    const struct tas_pair pairs[] = {{c->segment->accesses[0], event}, {event, c->target}};
    if (is_shut_out(c, event, c->segment->accesses[0]))
        return false;
    return !tas_refute(c->decider, pairs, 2, c->target, event, before_of(c, 0));
}

/* The last position of the thread that conflicts with the target and can be executed before it, or
 * 0. Gives up early when an exact answer costs more than it saves. */
static uint32_t last_exit(struct chains *c, uint32_t t) {
    const struct st_tas_graph *graph = c->graph;
    struct entries exits = entries_for(graph, c->target, t);
    uint32_t position = c->high[t];
    for (int patience = 32; patience; patience--) {
        uint32_t event = last_entry(graph, &exits, c->segment->upper[t], position - 1);
        if (event == TAS_NONE)
            return 0;
        position = graph->position[event];
        if (fits_between(c, event))
            break;
    }
    return position;
}

/* Moves the last position of the strand from which the target can be reached. Returns whether it
 * has. */
static bool move_last(struct chains *c, uint32_t t) {
    struct tas_runs_between *between = c->between;
    uint32_t above = c->last[t] > c->segment->upper[t] ? c->last[t] : c->segment->upper[t];
    size_t base = between->count;
    bool moved = false;
    tas_list_runs_between(between, t, above, c->high[t]);
    bool in_time = tas_spend(&c->worker->budget, between->work);
    for (size_t i = base; i < between->count && in_time; i++) {
        uint32_t position = last_leading_on(c, &c->graph->runs[between->list[i]]);
        if (position) {
            c->last[t] = position;
            moved = true;
        }
        in_time = tas_spend(&c->worker->budget, 100);
    }
    between->count = base;
    return moved;
}

/* The same without a look at whether it can be executed before the target. */
static uint32_t last_conflict(const struct chains *c, uint32_t t) {
    struct entries exits = entries_for(c->graph, c->target, t);
    uint32_t event = last_entry(c->graph, &exits, c->segment->upper[t], c->high[t] - 1);
    return event == TAS_NONE ? 0 : c->graph->position[event];
}

/* Finds from where in each thread the target can be reached, as far as a quick look shows. */
static void find_last(struct chains *c, bool roughly) {
    const struct st_tas_graph *graph = c->graph;
    for (uint32_t t = 0; t < graph->strand_count; t++)
        c->last[t] = t == c->own ? 0 : roughly ? last_conflict(c, t) : last_exit(c, t);
    c->reach = roughly ? ROUGH : KNOWN;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t t = 0; t < graph->strand_count && !c->worker->budget.expired; t++)
            changed |= t != c->own && move_last(c, t);
    }
}

/* ---- asking ---- */

static void add_pair(struct chains *c, uint32_t from, uint32_t to) {
    st_reserve(&c->pairs, &c->pair_capacity, c->pair_count + 1);
    c->pairs[c->pair_count++] = (struct tas_pair){from, to};
}

/* Puts the last earlier target that conflicts with the event before it. False if the event cannot
 * be executed after that target. */
static bool follow_earlier_target(struct chains *c, uint32_t event) {
    const uint32_t *accesses = c->segment->accesses;
    for (size_t i = c->target_place; i-- > 0 && accesses[i] != c->start->event;)
        if (tas_conflict(c->graph, accesses[i], event)) {
            add_pair(c, accesses[i], event);
            return !is_shut_out(c, event, accesses[i]);
        }
    return true;
}

/* Lists the order in which the first `count` intervals of the chain, and then the target, have to
 * be executed. False if that order is impossible. */
static bool make_pairs(struct chains *c, size_t count) {
    uint32_t from = c->start->event;
    c->pair_count = 0;
    for (size_t i = 0; i < count; i++) {
        const struct interval *interval = &c->chain[i];
        add_pair(c, from, interval->entry);
        if (c->pass > PROBE &&
            (!follow_earlier_target(c, interval->entry) ||
             (interval->entry != interval->exit && !follow_earlier_target(c, interval->exit))))
            return false;
        from = interval->exit;
    }
    add_pair(c, from, c->target);
    return true;
}

/* ---- chains ---- */

/* Can a chain of `count` intervals continue from its last access to the target? `before`: what
 * comes before that access. */
static bool reaches_target(struct chains *c, size_t count, uint32_t from, const uint32_t *before) {
    const struct tas_ahead_task task = {.from = from,
                                        .target = c->target,
                                        .before = before,
                                        .high = c->high,
                                        .visited = c->visited,
                                        .intervals = c->longest - count};
    bool reached = tas_ahead_reaches(c->ahead, &task);
    return tas_spend(&c->worker->budget, c->ahead->work) && reached;
}

/* The block's strand lets go of its locks before the interval acquires them: must it then have come
 * past the target before the interval ends? Those who walk through a list hand over hand do not
 * overtake each other, and this shows it without a question to the decider. */
static bool is_behind_target(struct chains *c, size_t level, const struct interval *interval) {
    enum { PATIENCE = 1000 };
    const struct st_tas_graph *graph = c->graph;
    uint32_t limit = graph->position[c->target], strand = tas_strand_of(graph, interval->entry);
    uint32_t first = graph->position[interval->entry], last = graph->position[interval->exit];
    uint32_t reached = level ? before_of(c, level - 1)[c->own] : 0;
    if (reached < graph->position[c->start->event])
        reached = graph->position[c->start->event];
    reached = tas_position_let_in_all(graph, c->own, reached, interval->entry);
    for (uint32_t p = first + 1; p < last && p < first + PATIENCE && reached < limit; p++) {
        uint32_t event = tas_event_at(graph, strand, p);
        if (graph->events[event].op == ST_ACQUIRE)
            reached = tas_position_let_in(graph, c->own, reached, graph->events[event].target);
    }
    return reached >= limit;
}

static bool visit_strands(struct chains *c, size_t level);

/* Appends an interval to `level` others, as the last one or as one to continue from. What is
 * impossible for a prefix of a chain is impossible for the whole chain. */
static bool visit(struct chains *c, size_t level, struct interval interval, bool last) {
    if (c->visited[c->graph->events[interval.exit].thread] ||
        is_shut_out(c, interval.entry, c->start->event) ||
        is_shut_out(c, interval.exit, c->start->event) || has_shortcut(c, level, &interval, last) ||
        is_behind_target(c, level, &interval))
        return false;
    if (!tas_spend(&c->worker->budget, 200))
        return false;
    c->chain[level] = interval;
    if (!make_pairs(c, level + 1))
        return false;
    if (last)
        return tas_decide(c->decider, c->pairs, c->pair_count, c->target);
    if (tas_refute(c->decider, c->pairs, c->pair_count, c->target, interval.exit,
                   before_of(c, level)) ||
        !reaches_target(c, level + 1, interval.exit, before_of(c, level)))
        return false;
    uint32_t thread = c->graph->events[interval.exit].thread;
    c->visited[thread] = true;
    bool found = visit_strands(c, level + 1);
    c->visited[thread] = false;
    return found;
}

/* Visits all intervals from one of the entries to an exit of the run that contain no other
 * interval. */
static bool visit_intervals(struct chains *c, size_t level, const struct entries *entries,
                            const struct tas_run *exits, uint32_t low, uint32_t high, bool last) {
    const struct st_tas_graph *graph = c->graph;
    size_t place = tas_run_from(graph, exits, low + 1);
    for (; place < exits[1].first && tas_spend(&c->worker->budget, 50); place++) {
        uint32_t exit = graph->accesses[place];
        if (graph->position[exit] >= high || (!last && !leads_on(c, exit)))
            break;
        uint32_t entry = entry_before(graph, entries, low, exit);
        low = graph->position[exit];
        if (entry != TAS_NONE && visit(c, level, (struct interval){entry, exit}, last))
            return true;
    }
    return false;
}

/* Does the same for the few exits next to the target in the trace. */
static bool probe_intervals(struct chains *c, const struct entries *entries,
                            const struct tas_run *exits, uint32_t low, uint32_t high) {
    const struct st_tas_graph *graph = c->graph;
    size_t middle = tas_run_from_event(graph, exits, c->target);
    size_t from = middle - exits[0].first > PROBES ? middle - PROBES : exits[0].first;
    size_t to = exits[1].first - middle > PROBES ? middle + PROBES : exits[1].first;
    for (size_t place = from; place < to; place++) {
        uint32_t exit = graph->accesses[place], before = low;
        if (graph->position[exit] <= low || graph->position[exit] >= high)
            continue;
        uint32_t entry = entry_before(graph, entries, before, exit);
        if (entry != TAS_NONE && visit(c, 0, (struct interval){entry, exit}, true))
            return true;
    }
    return false;
}

/* Visits the intervals of a strand that end the chain: they leave by a conflict with the target. */
static bool visit_last(struct chains *c, size_t level, const struct entries *entries,
                       uint32_t strand, uint32_t low) {
    struct entries exits = entries_for(c->graph, c->target, strand);
    for (size_t i = 0; i < exits.count; i++) {
        if (c->pass <= PROBE
                ? probe_intervals(c, entries, exits.runs[i], low, c->high[strand])
                : visit_intervals(c, level, entries, exits.runs[i], low, c->high[strand], true))
            return true;
    }
    return false;
}

/* Visits the intervals of a strand that lead on to other threads. */
static bool visit_more(struct chains *c, size_t level, const struct entries *entries,
                       uint32_t strand, uint32_t low) {
    struct tas_runs_between *between = c->between;
    uint32_t high = c->last[strand] + 1;
    size_t base = between->count;
    tas_list_runs_between(between, strand, low, high);
    size_t end = between->count;
    bool found = false;
    if (tas_spend(&c->worker->budget, between->work))
        for (size_t i = base; i < end && !found; i++)
            found = visit_intervals(c, level, entries, &c->graph->runs[between->list[i]], low, high,
                                    false);
    between->count = base;
    return found;
}

static bool visit_strand(struct chains *c, size_t level, const struct entries *entries,
                         uint32_t strand, uint32_t low) {
    if (!entries->count || low + 1 >= c->high[strand])
        return false;
    if (level >= c->tried && visit_last(c, level, entries, strand, low))
        return true;
    if (c->longest == 1 || !c->last[strand] ||
        last_entry(c->graph, entries, low, c->last[strand]) == TAS_NONE)
        return false;
    if (level + 1 == c->longest) {
        c->ahead->bounded = true;
        return false;
    }
    return visit_more(c, level, entries, strand, low);
}

/* Tries every thread that the chain does not visit yet, strand by strand, after its last exit or,
 * for an empty chain, after s. */
static bool visit_strands(struct chains *c, size_t level) {
    const struct st_tas_graph *graph = c->graph;
    const struct st_shared_row *needs = tas_needs(graph, c->start->event), *exit_needs = needs;
    if (level)
        exit_needs = tas_needs_free(graph, c->chain[level - 1].exit);
    for (uint32_t t = 0; t < graph->strand_count && !c->worker->budget.expired; t++) {
        if (t == c->own || tas_is_visited(graph, c->visited, t))
            continue;
        struct entries entries = {.count = 0};
        if (level)
            entries = entries_for(graph, c->chain[level - 1].exit, t);
        else
            add_entries(&entries, tas_run_of(graph, c->start->key, t));
        uint32_t low = st_row_get(needs, t), exit_low = st_row_get(exit_needs, t);
        low = low > exit_low ? low : exit_low;
        if (level && before_of(c, level - 1)[t] > low)
            low = before_of(c, level - 1)[t];
        if (level && t == tas_strand_of(graph, c->chain[level - 1].exit) &&
            low < tas_thread_of(graph, c->chain[level - 1].exit)->last)
            low = tas_thread_of(graph, c->chain[level - 1].exit)->last;
        if (visit_strand(c, level, &entries, t, low))
            return true;
    }
    return false;
}

/* Can a path from the start enter a strand where the target can be reached? */
static bool enters(const struct chains *c, const struct start *start) {
    const struct st_tas_graph *graph = c->graph;
    const struct st_shared_row *needs = tas_needs(graph, start->event);
    for (uint32_t r = graph->key_runs[start->key]; r < graph->key_runs[start->key + 1]; r++) {
        uint32_t t = graph->runs[r].strand;
        if (t == c->own || !c->last[t])
            continue;
        uint32_t entry = last_to(graph, &graph->runs[r], c->last[t]);
        if (entry != TAS_NONE && graph->position[entry] > st_row_get(needs, t))
            return true;
    }
    return false;
}

/* Is there any longer chain from the start to the target? Of nearly all starts, a rough look back
 * from the target shows that there is none. It is one look for all of them, and a look ahead is
 * one for each. */
static bool leads_to_target(struct chains *c, const struct start *start) {
    if (c->reach == UNKNOWN)
        find_last(c, true);
    if (!enters(c, start))
        return false;
    tas_needs_list(c->graph, tas_needs(c->graph, start->event), before_of(c, 0));
    if (!reaches_target(c, 0, start->event, before_of(c, 0)))
        return false;
    if (c->reach == ROUGH)
        find_last(c, false);
    return true;
}

/* Tries the start for the present target. */
static bool visit_start(struct chains *c, const struct start *start) {
    c->start = start;
    if (!tas_spend(&c->worker->budget, 20 * (uint64_t)c->graph->strand_count))
        return false;
    return (c->longest == 1 || leads_to_target(c, start)) && visit_strands(c, 0);
}

/* Tries the starts at the variable of the target. */
static bool visit_near_starts(struct chains *c) {
    uint64_t key = 2 * (uint64_t)c->graph->events[c->target].target;
    for (int write = 0; write <= 1; write++, key++) {
        uint32_t at = st_map64_find(&c->start_keys, key);
        if (at != ST_MAP64_NONE &&
            c->graph->position[c->starts[at].event] < c->graph->position[c->target] &&
            visit_start(c, &c->starts[at]))
            return true;
    }
    return false;
}

/* Tries all chains of this pass's length that end at one target. */
static bool visit_target(struct chains *c, size_t place) {
    const struct st_tas_graph *graph = c->graph;
    c->reach = UNKNOWN;
    c->target_place = place;
    c->target = c->segment->accesses[place];
    for (uint32_t t = 0; t < graph->strand_count; t++)
        c->high[t] = t == c->own ? 0 : tas_lower_frontier(graph, t, c->target);
    if (!tas_spend(&c->worker->budget, 200 * (uint64_t)graph->strand_count))
        return false;
    if (c->pass == NEAR)
        return visit_near_starts(c);
    for (size_t i = 0; i < c->start_count && !c->worker->budget.expired; i++) {
        if (graph->position[c->starts[i].event] >= graph->position[c->target])
            return false;
        if (visit_start(c, &c->starts[i]))
            return true;
    }
    return false;
}

static bool visit_targets(struct chains *c) {
    for (size_t i = 1; i < c->segment->access_count && !c->worker->budget.expired; i++)
        if (visit_target(c, i))
            return true;
    return false;
}

static void add_start(struct chains *c, uint32_t event, uint32_t key) {
    if (st_map64_number(&c->start_keys, key) < c->start_count)
        return;
    st_reserve(&c->starts, &c->start_capacity, c->start_count + 1);
    c->starts[c->start_count++] = (struct start){event, key};
}

/* Finds the first access of the block to each variable, where threads that write it enter, and the
 * first write, where threads that read it enter. */
static void find_starts(struct chains *c) {
    for (size_t i = 0; i + 1 < c->segment->access_count; i++) {
        uint32_t event = c->segment->accesses[i];
        const struct st_event *e = &c->graph->events[event];
        add_start(c, event, 2 * e->target + 1);
        if (e->op == ST_WRITE)
            add_start(c, event, 2 * e->target);
    }
}

static bool search(struct chains *c) {
    static const size_t longest[] = {
        [NEAR] = 1, [PROBE] = 1, [SHORT] = 1, [MIDDLE] = 4, [LONG] = SIZE_MAX};
    int first = c->segment->access_count > LARGE ? NEAR : PROBE;
    for (int pass = first; pass <= LONG; pass++) {
        c->pass = pass;
        c->tried = pass > SHORT ? longest[pass - 1] : 0;
        c->longest = longest[pass];
        if (pass == MIDDLE)
            tas_ahead_start(c->ahead, c->segment);
        if (visit_targets(c))
            return true;
        if (pass == MIDDLE && !c->ahead->bounded)
            return false; /* there are no longer chains */
    }
    return false;
}

bool tas_search_chains(struct tas_worker *worker) {
    const struct st_tas_graph *graph = worker->graph;
    size_t threads = (size_t)graph->thread_count + 1, strands = (size_t)graph->strand_count + 1;
    struct chains c = {.worker = worker, .graph = graph, .segment = &worker->segment};
    c.own = worker->segment.block->strand;
    c.decider = worker->decider;
    c.between = &worker->between;
    c.ahead = &worker->ahead;
    c.high = st_alloc(strands, sizeof *c.high);
    c.last = st_alloc(strands, sizeof *c.last);
    c.chain = st_alloc(threads, sizeof *c.chain);
    c.visited = st_alloc(threads, sizeof *c.visited);
    st_map64_init(&c.start_keys);
    find_starts(&c);
    bool found = search(&c);
    st_map64_free(&c.start_keys);
    free(c.starts);
    free(c.high);
    free(c.last);
    free(c.chain);
    free(c.visited);
    free(c.before);
    free(c.pairs);
    return found;
}
