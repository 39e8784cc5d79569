#include "predict/commit/thread_path.h"

/* A meeting, and of the units that have its entry the first and the last. */
struct sample {
    struct st_meeting meeting;
    uint32_t first, last;
    bool leads_out, leads_in;
};

enum { SAMPLES = 64, SAMPLES_OF_ACCESS = 4, ACCESSES = SAMPLES / SAMPLES_OF_ACCESS };

/* From accesses all over the transaction. */
static size_t take_samples(const struct st_forest *forest, uint32_t transaction,
                           struct sample *samples) {
    size_t first = forest->first_access[transaction], end = forest->first_access[transaction + 1];
    size_t step = (end - first + ACCESSES - 1) / ACCESSES, count = 0;
    for (size_t a = first; a < end; a += step) {
        const struct st_unit_access *access = &forest->accesses[a];
        struct st_partners partners = st_partners_of(forest, access->entry);
        uint32_t other;
        for (int i = 0;
             i < SAMPLES_OF_ACCESS && (other = st_next_partner(&partners)) != ST_NO_ENTRY; i++) {
            const struct st_entry *entry = &forest->entries[other];
            struct st_shape_span node =
                st_meeting_node(forest, transaction, access->token, entry->lockset);
            samples[count++] =
                (struct sample){.meeting = {node, (uint32_t)a, other},
                                .first = entry->units[0],
                                .last = entry->units[entry->unit_count - 1],
                                .leads_out = st_entry_leads_out(forest, access->entry),
                                .leads_in = st_entry_leads_in(forest, access->entry)};
        }
    }
    return count;
}

static bool leads_back(const struct st_model *model, const struct sample *out,
                       const struct sample *back) {
    return out->leads_out && back->leads_in &&
           st_node_before(out->meeting.node, back->meeting.node) &&
           model->units[out->first].thread == model->units[back->last].thread &&
           (out->first == back->last || st_unit_before(model, out->first, back->last));
}

static void note_path(struct st_commit_search *search, const struct sample *out,
                      const struct sample *back, struct st_commit_violation *violation) {
    *violation = (struct st_commit_violation){out->meeting, back->meeting, back->last};
    search->arrivals[back->last] = (struct st_arrival){out->first, ST_NO_NAME, ST_NO_ENTRY};
    search->meeting_arrivals[out->first] =
        (struct st_arrival){ST_NO_NAME, out->meeting.access, out->meeting.entry};
    if (out->first == back->last)
        search->arrivals[out->first] = search->meeting_arrivals[out->first];
}

bool st_find_thread_path(struct st_commit_search *search, uint32_t transaction,
                         struct st_commit_violation *violation) {
    struct sample samples[SAMPLES];
    const struct st_commit_analysis *analysis = search->analysis;
    size_t count = take_samples(analysis->forest, transaction, samples);
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < count; j++)
            if (leads_back(analysis->model, &samples[i], &samples[j])) {
                if (search->explains)
                    note_path(search, &samples[i], &samples[j], violation);
                return true;
            }
    return false;
}
