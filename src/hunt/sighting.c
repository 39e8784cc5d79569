#include "hunt/sighting.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

void st_sighting_take(struct st_sighting *sighting, const struct st_controlled_run *run,
                      const struct st_harm *harm) {
    *sighting = (struct st_sighting){.run = run->number,
                                     .seed = run->plan.seed,
                                     .strategy = run->plan.strategy,
                                     .harm = *harm,
                                     .status = harm->by_client ? run->client.status : run->status,
                                     .json = json_incref(run->described.json),
                                     .loose = run->log->loose != 0};
    sighting->harm.message = harm->message ? st_strdup(harm->message) : NULL;
    sighting->harm.printed = harm->printed ? st_strdup(harm->printed) : NULL;
    sighting->harm.wanted = harm->wanted ? st_strdup(harm->wanted) : NULL;
    st_plan_replay(&sighting->replay, &run->plan, run->log);
}

void st_sighting_free(struct st_sighting *sighting) {
    st_plan_free(&sighting->replay);
    st_harm_free(&sighting->harm);
    json_decref(sighting->json);
}

/* ---- failures ---- */

bool st_is_failure(const struct st_expected *expected, const struct st_controlled_run *run,
                   const struct st_harm *harm) {
    if (harm->outcome == ST_OUTCOME_STATUS) /* the program itself says so */
        return !expected->failed && (run->status || run->client.status);
    return harm->outcome > ST_OUTCOME_STATUS;
}

static uint64_t mix_words(uint64_t hash, const char *text) {
    for (; text && *text; text++)
        hash = st_control_mix(hash, (unsigned char)*text);
    return st_control_mix(hash, 0);
}

static uint64_t mix_stuck(uint64_t hash, const struct st_control_log *log) {
    uint64_t sum = 0; /* who came first does not matter */
    for (uint32_t i = 0; i < log->thread_count; i++)
        if (log->threads[i].state != ST_THREAD_ENDED)
            sum |= UINT64_C(1) << (st_control_mix(log->threads[i].kind, log->threads[i].site) & 63);
    return st_control_mix(hash, sum);
}

uint64_t st_failure_key(const struct st_controlled_run *run, const struct st_harm *harm) {
    const struct st_control_log *log = run->log;
    uint64_t hash = st_control_mix(3, (uint64_t)harm->outcome);
    switch (harm->outcome) {
    case ST_OUTCOME_DEADLOCK:
    case ST_OUTCOME_HANG:
        return mix_stuck(hash, log);
    case ST_OUTCOME_ASSERT:
        return mix_words(hash, harm->message);
    case ST_OUTCOME_CRASH:
        hash = mix_words(hash, harm->signal);
        if (log->point_count && st_log_is_complete(log))
            hash = st_control_mix(hash, log->log[log->point_count - 1].site);
        return hash;
    default:
        return st_control_mix(hash, (uint64_t)(harm->by_client ? run->client.status : run->status));
    }
}

/* Where a program crashes may depend on what it did before; that it crashes does not. */
static bool shows_failure(const struct st_controlled_run *run, const struct st_harm *harm,
                          const struct st_target *target) {
    return target->outcome == ST_OUTCOME_CRASH || st_failure_key(run, harm) == target->key;
}

bool st_shows(const struct st_controlled_run *run, const struct st_expected *expected,
              const struct st_target *target) {
    struct st_harm harm = st_find_harm(expected, run);
    bool same =
        harm.outcome == target->outcome &&
        (target->kind == ST_FOUND_FAILURE ? shows_failure(run, &harm, target)
                                          : st_keys_have(&run->described.keys, target->key));
    st_harm_free(&harm);
    return same;
}
