#include "predict/commit/path_search.h"

#include "base/memory.h"
#include "predict/commit/thread_path.h"

#include <stdlib.h>
#include <time.h>

/* ---- meetings ---- */

static void add_meeting(struct st_commit_search *search, struct st_shape_span node, uint32_t access,
                        uint32_t entry) {
    st_reserve(&search->meetings, &search->meeting_capacity, search->meeting_count + 1);
    search->meetings[search->meeting_count++] = (struct st_meeting){node, access, entry};
}

static int by_node(const void *left, const void *right) {
    const struct st_meeting *a = left, *b = right;
    if (a->node.start != b->node.start)
        return a->node.start < b->node.start ? -1 : 1;
    if (a->node.end != b->node.end)
        return a->node.end < b->node.end ? -1 : 1;
    if (a->access != b->access)
        return a->access < b->access ? -1 : 1;
    return (a->entry > b->entry) - (a->entry < b->entry);
}

/* Puts all meetings of a unit into search->meetings, sorted by node. */
static void find_meetings(struct st_commit_search *search, uint32_t unit) {
    const struct st_forest *forest = search->analysis->forest;
    search->meeting_count = 0;
    for (size_t a = forest->first_access[unit]; a < forest->first_access[unit + 1]; a++) {
        const struct st_unit_access *access = &forest->accesses[a];
        struct st_partners partners = st_partners_of(forest, access->entry);
        for (uint32_t other; (other = st_next_partner(&partners)) != ST_NO_ENTRY;)
            add_meeting(
                search,
                st_meeting_node(forest, unit, access->token, forest->entries[other].lockset),
                (uint32_t)a, other);
    }
    if (search->meeting_count)
        qsort(search->meetings, search->meeting_count, sizeof *search->meetings, by_node);
}

/* ---- from the partners of one node to those of a later one ---- */

/* Can a path leave the transaction there, or come back? */
static bool leads_out(const struct st_commit_search *search, const struct st_meeting *meeting) {
    const struct st_forest *forest = search->analysis->forest;
    return st_entry_leads_out(forest, forest->accesses[meeting->access].entry);
}

static bool leads_in(const struct st_commit_search *search, const struct st_meeting *meeting) {
    const struct st_forest *forest = search->analysis->forest;
    return st_entry_leads_in(forest, forest->accesses[meeting->access].entry);
}

static bool may_pass(const struct st_commit_analysis *analysis, uint32_t transaction,
                     uint32_t unit) {
    if (analysis->options->as_published)
        return unit != transaction;
    return st_units_concurrent(analysis->model, transaction, unit);
}

/* A unit stands for all that are like it. A path that comes by an access can come to the first of
 * them. One that comes by order may reach the last one only, and then order leads it nowhere that
 * it does not lead directly. So such a unit comes into the queue once more when an access leads
 * there. True if the unit is a goal. */
static bool visit(struct st_commit_search *search, uint32_t transaction, uint32_t unit,
                  struct st_arrival arrival) {
    bool first = search->visited[unit] != search->stamp;
    bool meets = arrival.leaves != ST_NO_NAME && search->met[unit] != search->stamp;
    if ((!first && !meets) || !may_pass(search->analysis, transaction, unit))
        return false;
    if (meets) {
        search->met[unit] = search->stamp;
        search->meeting_arrivals[unit] = arrival;
    }
    if (first) {
        search->visited[unit] = search->stamp;
        search->arrivals[unit] = arrival;
    }
    search->queue[search->tail++] = unit;
    return search->goal[unit] == search->stamp && search->latest[unit] > search->reached;
}

/* Visits all units that have the entry. Returns the goal, or ST_NO_NAME. */
static uint32_t enter(struct st_commit_search *search, uint32_t transaction,
                      struct st_arrival arrival) {
    const struct st_entry *entry = &search->analysis->forest->entries[arrival.enters];
    if (search->entered[arrival.enters] == search->stamp)
        return ST_NO_NAME;
    search->entered[arrival.enters] = search->stamp;
    for (uint32_t i = 0; i < entry->unit_count; i++)
        if (visit(search, transaction, entry->units[i], arrival))
            return entry->units[i];
    return ST_NO_NAME;
}

static uint32_t follow_edges(struct st_commit_search *search, uint32_t transaction, uint32_t unit) {
    const struct st_forest *forest = search->analysis->forest;
    for (size_t a = forest->first_access[unit]; a < forest->first_access[unit + 1]; a++) {
        uint32_t number = forest->accesses[a].entry;
        struct st_partners partners = st_partners_of(forest, number);
        if (search->expanded[number] == search->stamp || !st_entry_leads_out(forest, number))
            continue;
        search->expanded[number] = search->stamp;
        for (uint32_t other; (other = st_next_partner(&partners)) != ST_NO_ENTRY;) {
            uint32_t found =
                enter(search, transaction, (struct st_arrival){unit, (uint32_t)a, other});
            if (found != ST_NO_NAME)
                return found;
        }
    }
    return ST_NO_NAME;
}

/* The first of the chain's units that must come after the unit. The chain's units are in order. */
static uint32_t first_after(const struct st_commit_analysis *analysis, uint32_t chain,
                            uint32_t unit) {
    const struct st_model *model = analysis->model;
    uint32_t first;
    st_lower_bound(first, 0, analysis->of_chain_count[chain],
                   !st_unit_before(model, unit, analysis->of_chain[chain][first]));
    return first;
}

static uint32_t follow_order(struct st_commit_search *search, uint32_t transaction, uint32_t unit) {
    const struct st_commit_analysis *analysis = search->analysis;
    for (uint32_t chain = 0; chain < analysis->chain_count; chain++) {
        if (search->low_stamp[chain] != search->stamp) {
            search->low_stamp[chain] = search->stamp;
            search->low[chain] = first_after(analysis, chain, transaction);
        }
        const uint32_t *units = analysis->of_chain[chain];
        while (search->low[chain] &&
               st_unit_before(analysis->model, unit, units[search->low[chain] - 1])) {
            uint32_t other = units[--search->low[chain]];
            if (visit(search, transaction, other,
                      (struct st_arrival){unit, ST_NO_NAME, ST_NO_ENTRY}))
                return other;
        }
    }
    return ST_NO_NAME;
}

static void mark_goals(struct st_commit_search *search, struct st_shape_span node) {
    const struct st_forest *forest = search->analysis->forest;
    for (size_t i = 0; i < search->meeting_count; i++) {
        if (!st_node_before(node, search->meetings[i].node) ||
            !leads_in(search, &search->meetings[i]))
            continue;
        const struct st_entry *entry = &forest->entries[search->meetings[i].entry];
        for (uint32_t j = 0; j < entry->unit_count; j++) {
            search->goal[entry->units[j]] = search->stamp;
            search->latest[entry->units[j]] = UINT32_MAX;
        }
    }
}

double st_commit_time(void) {
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* Continues from all units reached. Returns the goal. */
static uint32_t spread(struct st_commit_search *search, uint32_t transaction) {
    enum { BETWEEN_LOOKS = 64 };
    uint32_t found = ST_NO_NAME;
    while (found == ST_NO_NAME && search->head < search->tail && !search->expired) {
        uint32_t unit = search->queue[search->head++];
        found = follow_edges(search, transaction, unit);
        if (found == ST_NO_NAME && search->met[unit] == search->stamp &&
            !search->analysis->options->as_published)
            found = follow_order(search, transaction, unit);
        if (search->head % BETWEEN_LOOKS == 0)
            search->expired = (search->deadline > 0 && st_commit_time() > search->deadline) ||
                              st_total_time_is_up(search->total);
    }
    return found;
}

/* Starts from the meetings first .. last - 1, all of one node. Returns the goal. */
static uint32_t find_way(struct st_commit_search *search, uint32_t transaction, size_t first,
                         size_t last) {
    search->stamp++;
    search->head = search->tail = 0;
    search->reached = 0;
    mark_goals(search, search->meetings[first].node);
    uint32_t found = ST_NO_NAME;
    for (size_t i = first; i < last && found == ST_NO_NAME; i++)
        if (leads_out(search, &search->meetings[i]))
            found = enter(search, transaction,
                          (struct st_arrival){ST_NO_NAME, search->meetings[i].access,
                                              search->meetings[i].entry});
    return found == ST_NO_NAME ? spread(search, transaction) : found;
}

/* ---- two at a time ---- */

static bool has_access(const struct st_forest *forest, uint32_t unit, uint32_t entry) {
    for (size_t i = forest->first_access[unit]; i < forest->first_access[unit + 1]; i++)
        if (forest->accesses[i].entry == entry)
            return true;
    return false;
}

/* Does the unit read what it wrote by `write` at a point where it could also read the other's
 * write? */
static bool reads_either(const struct st_forest *forest, uint32_t unit, uint32_t write,
                         uint32_t other) {
    for (size_t i = forest->first_access[unit]; i < forest->first_access[unit + 1]; i++) {
        const struct st_entry *read = &forest->entries[forest->accesses[i].entry];
        if (read->own_write == write && st_can_read(forest, read, &forest->entries[other]))
            return true;
    }
    return false;
}

/* Do the accesses meet in the forest of these two units alone? Two writes that only a third unit
 * can read do not. */
static bool meet_alone(const struct st_commit_analysis *analysis, uint32_t left, uint32_t right,
                       uint32_t left_entry, uint32_t right_entry) {
    const struct st_forest *forest = analysis->forest;
    const struct st_entry *a = &forest->entries[left_entry], *b = &forest->entries[right_entry];
    if (analysis->options->notion == ST_NOTION_CONFLICT || !a->writes || !b->writes)
        return true;
    return (a->last && b->last) || reads_either(forest, left, left_entry, right_entry) ||
           reads_either(forest, right, right_entry, left_entry);
}

/* Is the transaction violated by the other unit alone? */
static bool is_violated_by(const struct st_commit_search *search, uint32_t transaction,
                           uint32_t other, struct st_commit_violation *violation) {
    const struct st_forest *forest = search->analysis->forest;
    const struct st_meeting *earliest = NULL; /* of those that lead out, the one that ends first */
    for (size_t i = 0; i < search->meeting_count; i++) {
        const struct st_meeting *meeting = &search->meetings[i];
        if (!has_access(forest, other, meeting->entry) ||
            !meet_alone(search->analysis, transaction, other,
                        forest->accesses[meeting->access].entry, meeting->entry))
            continue;
        if (earliest && st_node_before(earliest->node, meeting->node) &&
            leads_in(search, meeting)) {
            *violation = (struct st_commit_violation){*earliest, *meeting, other};
            return true;
        }
        if (leads_out(search, meeting) && (!earliest || meeting->node.end < earliest->node.end))
            earliest = meeting;
    }
    return false;
}

static bool find_pair(struct st_commit_search *search, uint32_t transaction,
                      struct st_commit_violation *violation) {
    const struct st_forest *forest = search->analysis->forest;
    search->stamp++;
    for (size_t i = 0; i < search->meeting_count; i++) {
        const struct st_entry *entry = &forest->entries[search->meetings[i].entry];
        for (uint32_t j = 0; j < entry->unit_count; j++) {
            uint32_t other = entry->units[j];
            if (search->visited[other] == search->stamp || other == transaction)
                continue;
            search->visited[other] = search->stamp;
            if (is_violated_by(search, transaction, other, violation)) {
                search->arrivals[other] =
                    (struct st_arrival){ST_NO_NAME, violation->out.access, violation->out.entry};
                return true;
            }
        }
    }
    return false;
}

/* ---- all nodes in one search ----
 *
 * It starts from the node that ends first, and continues from the next one when it reaches nothing
 * new. So each unit is first reached from the node with the earliest end that can reach it. The
 * transaction is violated if the last node that the unit meets starts after that end. */

static int by_end_of_node(const void *left, const void *right) {
    const struct st_meeting *a = left, *b = right;
    if (a->node.end != b->node.end)
        return a->node.end < b->node.end ? -1 : 1;
    return by_node(left, right);
}

/* For each unit that meets the transaction, finds where the last node that it meets starts. */
static void note_latest(struct st_commit_search *search) {
    const struct st_forest *forest = search->analysis->forest;
    for (size_t i = 0; i < search->meeting_count; i++) {
        const struct st_entry *entry = &forest->entries[search->meetings[i].entry];
        uint32_t start = search->meetings[i].node.start;
        if (!leads_in(search, &search->meetings[i]))
            continue;
        for (uint32_t j = 0; j < entry->unit_count; j++) {
            uint32_t unit = entry->units[j];
            if (search->goal[unit] != search->stamp || search->latest[unit] < start)
                search->latest[unit] = start;
            search->goal[unit] = search->stamp;
        }
    }
}

/* The path has reached this unit. Finds how it left the transaction and how it comes back. */
static bool name_nodes(const struct st_commit_search *search, uint32_t found,
                       struct st_commit_violation *violation) {
    const struct st_forest *forest = search->analysis->forest;
    const struct st_arrival *first = &search->arrivals[found];
    bool has_back = false;
    violation->last = found;
    while (first->from != ST_NO_NAME)
        first = st_arrival_before(search, first);
    for (size_t i = 0; i < search->meeting_count; i++) {
        const struct st_meeting *meeting = &search->meetings[i];
        if (meeting->access == first->leaves && meeting->entry == first->enters)
            violation->out = *meeting;
        if (meeting->node.start == search->latest[found] && !has_back &&
            leads_in(search, meeting) && has_access(forest, found, meeting->entry)) {
            violation->back = *meeting;
            has_back = true;
        }
    }
    return has_back;
}

static bool find_path_at_once(struct st_commit_search *search, uint32_t transaction,
                              struct st_commit_violation *violation) {
    uint32_t found = ST_NO_NAME;
    qsort(search->meetings, search->meeting_count, sizeof *search->meetings, by_end_of_node);
    search->stamp++;
    search->head = search->tail = 0;
    note_latest(search);
    for (size_t i = 0; i < search->meeting_count && found == ST_NO_NAME; i++) {
        const struct st_meeting *meeting = &search->meetings[i];
        search->reached = meeting->node.end;
        if (leads_out(search, meeting))
            found = enter(search, transaction,
                          (struct st_arrival){ST_NO_NAME, meeting->access, meeting->entry});
        if (found == ST_NO_NAME &&
            (i + 1 == search->meeting_count || search->meetings[i + 1].node.end > search->reached))
            found = spread(search, transaction);
        if (search->expired)
            return false;
    }
    return found != ST_NO_NAME && name_nodes(search, found, violation);
}

/* ---- a transaction ---- */

static bool find_path(struct st_commit_search *search, uint32_t transaction,
                      struct st_commit_violation *violation) {
    const struct st_forest *forest = search->analysis->forest;
    for (size_t i = 0, j; i < search->meeting_count; i = j) {
        struct st_shape_span node = search->meetings[i].node;
        for (j = i + 1; j < search->meeting_count && search->meetings[j].node.start == node.start &&
                        search->meetings[j].node.end == node.end;)
            j++;
        uint32_t found = find_way(search, transaction, i, j);
        if (search->expired)
            return false;
        if (found == ST_NO_NAME)
            continue;
        violation->last = found;
        while (!leads_out(search, &search->meetings[i]))
            i++;
        violation->out = search->meetings[i];
        for (size_t k = 0; k < search->meeting_count; k++)
            if (st_node_before(node, search->meetings[k].node) &&
                leads_in(search, &search->meetings[k]) &&
                has_access(forest, found, search->meetings[k].entry)) {
                violation->back = search->meetings[k];
                return true;
            }
    }
    return false;
}

/* ---- the usual case: one other unit meets two nodes ----
 *
 * That is the shortest possible path. In a run with much contention, nearly every violated
 * transaction is violated by nearly every other one. So the search tries a few before it lists all
 * meetings. Without that, a recording of memcached with 37,000 different transactions took
 * hours. */

static void index_unit(struct st_commit_search *search, uint32_t unit) {
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

/* Of the meetings at which a path can leave, the one that ends first, and of those at which it can
 * come back, the one that starts last: they are enough to decide. */
struct extremes {
    const struct st_commit_search *search;
    bool out, back; /* there is one */
};

static bool note_extremes(struct extremes *known, struct st_commit_violation *violation,
                          const struct st_meeting *meeting) {
    if (leads_out(known->search, meeting) &&
        (!known->out || meeting->node.end < violation->out.node.end)) {
        violation->out = *meeting;
        known->out = true;
    }
    if (leads_in(known->search, meeting) &&
        (!known->back || meeting->node.start > violation->back.node.start)) {
        violation->back = *meeting;
        known->back = true;
    }
    return known->out && known->back && st_node_before(violation->out.node, violation->back.node);
}

static bool is_violated_directly(struct st_commit_search *search, uint32_t transaction,
                                 uint32_t other, struct st_commit_violation *violation) {
    const struct st_forest *forest = search->analysis->forest;
    size_t base = forest->first_access[other];
    struct extremes known = {.search = search};
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
            struct st_meeting meeting = {
                st_meeting_node(forest, transaction, access->token, forest->entries[entry].lockset),
                (uint32_t)a, entry};
            if (note_extremes(&known, violation, &meeting))
                return true;
        }
    }
    return false;
}

static bool is_violated_by_one(struct st_commit_search *search, uint32_t transaction,
                               struct st_commit_violation *violation) {
    enum { TRIED = 64, TRIED_OF_ACCESS = 4 };
    const struct st_forest *forest = search->analysis->forest;
    unsigned tried = 0;
    search->stamp++;
    for (size_t a = forest->first_access[transaction];
         a < forest->first_access[transaction + 1] && tried < TRIED; a++) {
        const struct st_entry *entry = &forest->entries[forest->accesses[a].entry];
        const struct st_subject *subject = &forest->subjects[entry->subject];
        const struct st_row *row = st_row_at(subject, entry->place);
        for (uint32_t w = 0; w < row->count && w < TRIED_OF_ACCESS; w++) {
            const struct st_row_word *word = &subject->words[row->first + w];
            uint32_t place = word->index * 64 + (uint32_t)__builtin_ctzll(word->bits);
            uint32_t other = forest->entries[subject->entries[place]].units[0];
            if (search->visited[other] == search->stamp)
                continue;
            search->visited[other] = search->stamp;
            tried++;
            if (is_violated_directly(search, transaction, other, violation)) {
                violation->last = other;
                search->arrivals[other] =
                    (struct st_arrival){ST_NO_NAME, violation->out.access, violation->out.entry};
                return true;
            }
        }
    }
    return false;
}

/* As published, two accesses of one unit may meet each other. */
static bool meets_itself(const struct st_commit_search *search, uint32_t transaction) {
    const struct st_forest *forest = search->analysis->forest;
    for (size_t i = 0; i < search->meeting_count; i++)
        if (has_access(forest, transaction, search->meetings[i].entry))
            return true;
    return false;
}

/* Is no communication node over before another one begins? */
static bool has_one_commit_node(const struct st_commit_search *search, uint32_t transaction) {
    const struct st_forest *forest = search->analysis->forest;
    uint32_t least_end = UINT32_MAX, last_start = 0;
    for (size_t a = forest->first_access[transaction]; a < forest->first_access[transaction + 1];
         a++) {
        const struct st_unit_access *access = &forest->accesses[a];
        struct st_partners partners = st_partners_of(forest, access->entry);
        for (uint32_t other; (other = st_next_partner(&partners)) != ST_NO_ENTRY;) {
            struct st_shape_span node =
                st_meeting_node(forest, transaction, access->token, forest->entries[other].lockset);
            least_end = node.end < least_end ? node.end : least_end;
            last_start = node.start > last_start ? node.start : last_start;
            if (least_end < last_start)
                return false;
        }
    }
    return true;
}

/* The same for sure, but not each time when it is so: it only looks at guards. Every node of an
 * access contains what its guard gives. If those are not apart, the nodes are not either. */
static bool has_one_guarded_node(const struct st_commit_search *search, uint32_t transaction) {
    const struct st_forest *forest = search->analysis->forest;
    uint32_t least_end = UINT32_MAX, last_start = 0;
    for (size_t a = forest->first_access[transaction]; a < forest->first_access[transaction + 1];
         a++) {
        const struct st_unit_access *access = &forest->accesses[a];
        const struct st_row *row = st_row_of(forest, access->entry);
        if (!row->count)
            continue;
        struct st_shape_span node = st_guarded_node(forest, transaction, access->token, row->guard);
        least_end = node.end < least_end ? node.end : least_end;
        last_start = node.start > last_start ? node.start : last_start;
        if (least_end < last_start)
            return false;
    }
    return true;
}

enum st_commit_look st_commit_look(struct st_commit_search *search, uint32_t transaction,
                                   struct st_commit_violation *violation) {
    if (has_one_guarded_node(search, transaction))
        return ST_COMMIT_ATOMIC;
    if (search->analysis->model->sparse ? st_find_thread_path(search, transaction, violation)
                                        : is_violated_by_one(search, transaction, violation))
        return ST_COMMIT_VIOLATED;
    return has_one_commit_node(search, transaction) ? ST_COMMIT_ATOMIC : ST_COMMIT_OPEN;
}

bool st_commit_is_violated(struct st_commit_search *search, uint32_t transaction,
                           struct st_commit_violation *violation) {
    const struct st_predict_options *options = search->analysis->options;
    bool pairwise = search->analysis->pairwise, plain = !pairwise && !options->as_published;
    enum st_commit_look look =
        plain ? st_commit_look(search, transaction, violation) : ST_COMMIT_OPEN;
    if (look != ST_COMMIT_OPEN)
        return look == ST_COMMIT_VIOLATED;
    if (!plain && has_one_commit_node(search, transaction))
        return false;
    find_meetings(search, transaction);
    if (pairwise)
        return find_pair(search, transaction, violation);
    if (plain)
        return find_path_at_once(search, transaction, violation);
    if (!(options->as_published && meets_itself(search, transaction)))
        return find_path(search, transaction, violation);
    *violation = (struct st_commit_violation){
        search->meetings[0], search->meetings[search->meeting_count - 1], ST_NO_NAME};
    return true;
}

/* ---- commit nodes ---- */

/* Of the communication nodes at this access that are within `around`, and start no earlier than
 * `from`: is one of them before `first`, by its start and then by its end? */
static void look_for_earlier(const struct st_forest *forest, uint32_t unit,
                             const struct st_unit_access *access, struct st_shape_span around,
                             uint32_t from, struct st_shape_span *first) {
    struct st_partners partners = st_partners_of(forest, access->entry);
    uint32_t known = UINT32_MAX; /* the lockset of the partner before: the node is the same */
    for (uint32_t other; (other = st_next_partner(&partners)) != ST_NO_ENTRY;) {
        uint32_t lockset = forest->entries[other].lockset;
        if (lockset == known)
            continue;
        known = lockset;
        struct st_shape_span node = st_meeting_node(forest, unit, access->token, lockset);
        if (node.start >= from && node.end <= around.end &&
            (node.start < first->start || (node.start == first->start && node.end < first->end)))
            *first = node;
    }
}

/* The first node within `around` that starts no earlier than `from`. Every node of an access
 * contains it, so most accesses need no look. */
static bool find_first_node(const struct st_forest *forest, uint32_t unit,
                            struct st_shape_span around, uint32_t from,
                            struct st_shape_span *first) {
    *first = (struct st_shape_span){UINT32_MAX, UINT32_MAX};
    for (size_t a = forest->first_access[unit]; a < forest->first_access[unit + 1]; a++) {
        const struct st_unit_access *access = &forest->accesses[a];
        uint32_t place = access->token + 1; /* ST_NO_TOKEN: 0, before the first token */
        if (place >= from && place <= around.end)
            look_for_earlier(forest, unit, access, around, from, first);
    }
    return first->start != UINT32_MAX;
}

struct st_shape_span st_commit_node_in(const struct st_forest *forest, uint32_t unit,
                                       struct st_shape_span node) {
    struct st_shape_span inner;
    for (uint32_t from = node.start; find_first_node(forest, unit, node, from, &inner);
         from = node.start + 1)
        node = inner;
    return node;
}

/* ---- what a search needs ---- */

void st_commit_search_start(struct st_commit_search *search,
                            const struct st_commit_analysis *analysis) {
    size_t units = analysis->model->unit_count + 1, entries = analysis->forest->entry_count + 1;
    size_t chains = (size_t)analysis->chain_count + 1;
    *search = (struct st_commit_search){.analysis = analysis};
    search->visited = st_alloc(units, sizeof(uint32_t));
    search->goal = st_alloc(units, sizeof(uint32_t));
    search->latest = st_alloc(units, sizeof(uint32_t));
    search->queue = st_alloc(units * 2, sizeof(uint32_t));
    search->arrivals = st_alloc(units, sizeof *search->arrivals);
    search->met = st_alloc(units, sizeof(uint32_t));
    search->meeting_arrivals = st_alloc(units, sizeof *search->meeting_arrivals);
    search->expanded = st_alloc(entries, sizeof(uint32_t));
    search->entered = st_alloc(entries, sizeof(uint32_t));
    search->indexed = st_alloc(analysis->forest->subject_count + 1, sizeof(uint32_t));
    search->on_subject = st_alloc(analysis->forest->subject_count + 1, sizeof(uint32_t));
    search->low = st_alloc(chains, sizeof(uint32_t));
    search->low_stamp = st_alloc(chains, sizeof(uint32_t));
}

void st_commit_search_end(struct st_commit_search *search) {
    free(search->meetings);
    free(search->visited);
    free(search->goal);
    free(search->latest);
    free(search->queue);
    free(search->arrivals);
    free(search->met);
    free(search->meeting_arrivals);
    free(search->expanded);
    free(search->entered);
    free(search->indexed);
    free(search->on_subject);
    free(search->same_subject);
    free(search->low);
    free(search->low_stamp);
}
