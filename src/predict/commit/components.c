#include "predict/commit/components.h"

#include "base/memory.h"

#include <stdlib.h>

/* ---- union-find ---- */

static uint32_t find(uint32_t *parents, uint32_t item) {
    while (parents[item] != item) {
        parents[item] = parents[parents[item]];
        item = parents[item];
    }
    return item;
}

/* False if they were together before. The smaller number stands for both. */
static bool unite(uint32_t *parents, uint32_t left, uint32_t right) {
    left = find(parents, left);
    right = find(parents, right);
    if (left == right)
        return false;
    if (left < right)
        parents[right] = left;
    else
        parents[left] = right;
    return true;
}

/* ---- what meetings connect ---- */

static uint32_t chain_of(const struct st_components *components, uint32_t entry) {
    const struct st_commit_analysis *analysis = components->analysis;
    return analysis->model->periods->items[analysis->forest->entries[entry].first_period].chain;
}

static void connect_units(struct st_components *components, const struct st_entry *entry) {
    for (uint32_t k = 1; k < entry->unit_count; k++)
        unite(components->unit, entry->units[0], entry->units[k]);
}

/* Its units lead to each other by way of any that it meets, unless that way leads one way only.
 * Those that nobody has met so far join the queue: what met others before leads to them by way of
 * those. */
static void connect_partners(struct st_components *components, const struct st_subject *subject,
                             uint32_t place) {
    const struct st_forest *forest = components->analysis->forest;
    uint32_t number = subject->entries[place];
    const struct st_entry *entry = &forest->entries[number];
    const struct st_row *row = st_row_at(subject, place);
    bool any = false, both_ways = !st_is_signal_entry(forest, entry);
    for (uint32_t i = 0; i < row->count; i++) {
        const struct st_row_word *word = &subject->words[row->first + i];
        uint64_t fresh = word->bits & components->waiting[word->index];
        any |= (word->bits & components->passing[word->index]) != 0;
        components->waiting[word->index] &= ~fresh;
        for (; fresh; fresh &= fresh - 1) {
            uint32_t next = word->index * 64 + (uint32_t)__builtin_ctzll(fresh);
            uint32_t other = subject->entries[next];
            if (both_ways)
                unite(components->unit, entry->units[0], forest->entries[other].units[0]);
            unite(components->chain, chain_of(components, number), chain_of(components, other));
            components->queue[components->queued++] = next;
        }
    }
    if (any && both_ways)
        connect_units(components, entry);
}

static void note_passing(struct st_components *components, const struct st_subject *subject) {
    for (uint32_t i = 0; i <= subject->count / 64; i++)
        components->passing[i] = 0;
    for (uint32_t i = 0; i < subject->count; i++)
        components->passing[i / 64] |= (uint64_t)components->passable[subject->entries[i]]
                                       << i % 64;
    for (uint32_t i = 0; i <= subject->count / 64; i++)
        components->waiting[i] = components->passing[i];
}

/* Each entry is reached once, and then all words of its row are looked at, instead of all pairs of
 * entries that meet. */
static void connect_subject(struct st_components *components, const struct st_subject *subject) {
    note_passing(components, subject);
    for (uint32_t i = 0; i < subject->count; i++) {
        if (!(components->waiting[i / 64] >> i % 64 & 1))
            continue;
        components->waiting[i / 64] &= ~(UINT64_C(1) << i % 64);
        components->queue[0] = i;
        components->queued = 1;
        for (size_t next = 0; next < components->queued; next++)
            connect_partners(components, subject, components->queue[next]);
    }
}

/* ---- what order connects ---- */

/* Units of the chain between two that lead to each other. Returns whether there were any. */
static bool connect_between(struct st_components *components, uint32_t transaction,
                            uint32_t chain) {
    const struct st_commit_analysis *analysis = components->analysis;
    const uint32_t *units = analysis->of_chain[chain];
    uint32_t count = analysis->of_chain_count[chain], reach = 0, before = ST_NO_NAME;
    bool any = false;
    for (uint32_t i = 0; i < count; i++)
        components->last[find(components->unit, units[i])] = i;
    for (uint32_t i = 0; i < count; i++) {
        if (!st_units_concurrent(analysis->model, transaction, units[i]))
            continue;
        uint32_t last = components->last[find(components->unit, units[i])];
        if (before != ST_NO_NAME && i <= reach)
            any |= unite(components->unit, before, units[i]);
        reach = last > reach ? last : reach;
        components->last[find(components->unit, units[i])] = reach;
        before = units[i];
    }
    return any;
}

/* The first or the last unit of the chain that can run at the same time as the transaction. */
static uint32_t passable_end(const struct st_components *components, uint32_t transaction,
                             uint32_t chain, bool last) {
    const struct st_commit_analysis *analysis = components->analysis;
    uint32_t count = analysis->of_chain_count[chain];
    for (uint32_t i = 0; i < count; i++) {
        uint32_t unit = analysis->of_chain[chain][last ? count - 1 - i : i];
        if (st_units_concurrent(analysis->model, transaction, unit))
            return unit;
    }
    return ST_NO_NAME;
}

/* Two chains are ordered somewhere if the first unit of one comes before the last of the other. */
static void connect_chains(struct st_components *components, uint32_t transaction) {
    const struct st_commit_analysis *analysis = components->analysis;
    uint32_t count = analysis->chain_count;
    components->knows_order = (size_t)count * count <= analysis->model->unit_count + 4096;
    if (!components->knows_order)
        return;
    uint32_t *firsts = st_alloc((size_t)count + 1, sizeof *firsts);
    for (uint32_t i = 0; i < count; i++)
        firsts[i] = passable_end(components, transaction, i, false);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t last = passable_end(components, transaction, i, true);
        for (uint32_t j = 0; last != ST_NO_NAME && j < count; j++)
            if (firsts[j] != ST_NO_NAME && st_unit_before(analysis->model, firsts[j], last))
                unite(components->chain, i, j);
    }
    free(firsts);
}

/* ---- all of it ---- */

static uint32_t most_entries(const struct st_forest *forest) {
    uint32_t most = 0;
    for (size_t i = 0; i < forest->subject_count; i++)
        if (forest->subjects[i].count > most)
            most = forest->subjects[i].count;
    return most;
}

static void start(struct st_components *components, const struct st_commit_analysis *analysis) {
    size_t units = analysis->model->unit_count, chains = analysis->chain_count;
    if (!components->analysis) {
        size_t most = most_entries(analysis->forest);
        components->analysis = analysis;
        components->passing = st_alloc(most / 64 + 1, sizeof(uint64_t));
        components->waiting = st_alloc(most / 64 + 1, sizeof(uint64_t));
        components->queue = st_alloc(most + 1, sizeof(uint32_t));
        components->passable = st_alloc(analysis->forest->entry_count + 1, sizeof(bool));
        components->unit = st_alloc(units + 1, sizeof(uint32_t));
        components->last = st_alloc(units + 1, sizeof(uint32_t));
        components->chain = st_alloc(chains + 1, sizeof(uint32_t));
        components->nodes = st_alloc(chains + 1, sizeof *components->nodes);
        components->stamps = st_alloc(chains + 1, sizeof(uint32_t));
    }
    for (uint32_t i = 0; i < units; i++)
        components->unit[i] = i;
    for (uint32_t i = 0; i < chains; i++)
        components->chain[i] = i;
}

void st_components_make(struct st_components *components, const struct st_commit_analysis *analysis,
                        uint32_t transaction) {
    enum { ROUNDS = 4 }; /* what is found no more then is searched for */
    const struct st_forest *forest = analysis->forest;
    start(components, analysis);
    for (size_t i = 0; i < forest->entry_count; i++)
        components->passable[i] =
            st_units_concurrent(analysis->model, transaction, forest->entries[i].units[0]);
    for (size_t i = 0; i < forest->subject_count; i++)
        connect_subject(components, &forest->subjects[i]);
    bool more = true;
    for (int round = 0; more && round < ROUNDS; round++) {
        more = false;
        for (uint32_t i = 0; i < analysis->chain_count; i++)
            more |= connect_between(components, transaction, i);
    }
    connect_chains(components, transaction);
}

void st_components_free(struct st_components *components) {
    free(components->passable);
    free(components->passing);
    free(components->waiting);
    free(components->queue);
    free(components->unit);
    free(components->last);
    free(components->chain);
    free(components->nodes);
    free(components->stamps);
}

/* ---- verdicts ---- */

/* A node of the transaction, and the units that it meets there by one entry. */
struct sample {
    struct st_shape_span node;
    uint32_t first, last;
    bool leads_out, leads_in;
};

enum { SAMPLES = 64, SAMPLES_OF_ACCESS = 4 };

static size_t take_samples(const struct st_components *components, uint32_t transaction,
                           struct sample *samples) {
    const struct st_forest *forest = components->analysis->forest;
    size_t count = 0;
    for (size_t a = forest->first_access[transaction]; a < forest->first_access[transaction + 1];
         a++) {
        const struct st_unit_access *access = &forest->accesses[a];
        struct st_partners partners = st_partners_of(forest, access->entry);
        uint32_t other;
        for (int i = 0; i < SAMPLES_OF_ACCESS && count < SAMPLES &&
                        (other = st_next_partner(&partners)) != ST_NO_ENTRY;
             i++) {
            const struct st_entry *entry = &forest->entries[other];
            samples[count++] =
                (struct sample){st_meeting_node(forest, transaction, access->token, entry->lockset),
                                entry->units[0], entry->units[entry->unit_count - 1],
                                st_entry_leads_out(forest, access->entry),
                                st_entry_leads_in(forest, access->entry)};
        }
    }
    return count;
}

static bool leads_to(const struct st_components *components, const struct sample *out,
                     const struct sample *back) {
    uint32_t from = find(components->unit, out->first);
    if (!out->leads_out || !back->leads_in)
        return false;
    return from == find(components->unit, back->first) ||
           from == find(components->unit, back->last) ||
           st_unit_before(components->analysis->model, out->first, back->last);
}

bool st_components_prove(struct st_components *components, uint32_t transaction) {
    struct sample samples[SAMPLES];
    size_t count = take_samples(components, transaction, samples);
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < count; j++)
            if (st_node_before(samples[i].node, samples[j].node) &&
                leads_to(components, &samples[i], &samples[j]))
                return true;
    return false;
}

/* Of the nodes at which it meets chains that are connected with one another, `nodes` has the end
 * of the one that ends first, and the start of the one that starts last. */
bool st_components_refute(struct st_components *components, uint32_t transaction) {
    const struct st_forest *forest = components->analysis->forest;
    if (!components->knows_order)
        return false;
    components->stamp++;
    for (size_t a = forest->first_access[transaction]; a < forest->first_access[transaction + 1];
         a++) {
        const struct st_unit_access *access = &forest->accesses[a];
        struct st_partners partners = st_partners_of(forest, access->entry);
        for (uint32_t other; (other = st_next_partner(&partners)) != ST_NO_ENTRY;) {
            uint32_t chain = find(components->chain, chain_of(components, other));
            struct st_shape_span *node = &components->nodes[chain];
            struct st_shape_span met =
                st_meeting_node(forest, transaction, access->token, forest->entries[other].lockset);
            if (components->stamps[chain] != components->stamp)
                *node = (struct st_shape_span){0, UINT32_MAX};
            components->stamps[chain] = components->stamp;
            node->end = met.end < node->end ? met.end : node->end;
            node->start = met.start > node->start ? met.start : node->start;
            if (node->end < node->start)
                return false;
        }
    }
    return true;
}
