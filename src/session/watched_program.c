#define _GNU_SOURCE /* stpcpy */
#include "session/watched_program.h"

#include "base/memory.h"
#include "check/witness/witness.h"
#include "session/runtime_files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int st_watched_program_start(struct st_watch *watch, const char *command, const char *const *words,
                             const char *spec, struct st_spec **loaded,
                             struct st_translation *translation,
                             const struct st_following *following, struct st_error *error) {
    *loaded = spec ? st_spec_load(spec, error) : NULL;
    if (spec && !*loaded)
        return -1;
    char *folder = st_runtime_folder(command, error);
    if (!folder)
        return -1;
    translation->spec = *loaded;
    int result = st_watch_start(watch, words, folder, translation, following, error);
    free(folder);
    return result;
}

char *st_expand_process(const char *path, pid_t process) {
    char number[24];
    int digits = snprintf(number, sizeof number, "%ld", (long)process);
    char *result = st_alloc(strlen(path) * (size_t)digits + 1, 1), *end = result;
    for (const char *at = path; *at;) {
        if (at[0] == '%' && at[1] == 'p') {
            end = stpcpy(end, number);
            at += 2;
        } else {
            *end++ = *at++;
        }
    }
    return result;
}

/* ---- checked while it runs ---- */

static void check_events(void *context, struct st_event *events, const uint64_t *at, size_t count) {
    struct st_live_check *check = context;
    if (check->run.stopped)
        return;
    const struct st_symbols *symbols = st_translator_symbols(check->watch.translator);
    uint64_t first = st_validator_facts(check->validator)->events + 1;
    st_validate(check->validator, events, count, symbols->threads.count, symbols->locks.count);
    if (check->comparable && !check->selection)
        check->selection = st_selection_new(NULL, symbols, false);
    if (check->selection)
        st_select(check->selection, events, count);
    st_relation_apply(check->relation, &symbols->channel_facts, events, count);
    st_engine_run_feed(&check->run, events, check->comparable ? NULL : at, count, first);
    st_watch_announce(&check->watch, check->run.findings.all_violated);
    if (check->run.stopped) {
        check->hooks.found(check->hooks.context);
        st_watch_stop(&check->watch);
    }
}

static uint64_t dead_before(void *context, uint32_t thread) {
    struct st_live_check *check = context;
    return st_witness_dead_before(check->run.state, thread);
}

static void forget_variable(void *context, uint32_t variable) {
    struct st_live_check *check = context;
    check->run.engine->forget(check->run.state, variable);
}

void st_live_check_init(struct st_live_check *check, enum st_relation relation, size_t keep,
                        bool first_only, const struct st_live_check_hooks *hooks) {
    *check = (struct st_live_check){
        .hooks = *hooks, .relation = relation, .validator = st_validator_new(true)};
    /* The only engine that takes deferred accesses. */
    st_engine_run_start(&check->run, st_engine_find("witness"), keep, first_only);
}

void st_live_check_compare(struct st_live_check *check, const struct st_engine *engine) {
    size_t keep = check->run.findings.limit;
    bool first_only = check->run.first_only;
    st_engine_run_free(&check->run);
    st_engine_run_start(&check->run, engine, keep, first_only);
    check->comparable = true;
}

struct st_facts st_live_check_facts(const struct st_live_check *check) {
    struct st_facts facts = *st_validator_facts(check->validator);
    if (check->selection) {
        const struct st_selected *selected = st_selection_selected(check->selection);
        facts.executed = selected->executed;
        facts.executed_count = selected->executed_count;
        facts.unnamed_blocks = selected->unnamed;
    }
    return facts;
}

static struct st_translation translation_for(struct st_live_check *check) {
    return (struct st_translation){.sites = true,
                                   .allocators = check->allocators,
                                   .source_root = check->source_root,
                                   .sink = check_events,
                                   .dead_before = check->comparable ? NULL : dead_before,
                                   .quiet_locks = check->relation == ST_DATA,
                                   .rule = check->comparable ? ST_STREAM_EVERY : ST_STREAM_REDUCED,
                                   .forget = forget_variable,
                                   .context = check};
}

int st_live_check_start(struct st_live_check *check, const char *command, const char *const *words,
                        const char *spec, const struct st_following *following,
                        struct st_error *error) {
    struct st_translation translation = translation_for(check);
    return st_watched_program_start(&check->watch, command, words, spec, &check->spec, &translation,
                                    following, error);
}

int st_live_check_attach(struct st_live_check *check, struct st_other_process *other,
                         const struct st_spec *spec, struct st_error *error) {
    struct st_translation translation = translation_for(check);
    translation.spec = spec;
    return st_watch_attach(&check->watch, other, &translation, error);
}

static void asked(void *context) {
    struct st_live_check *check = context;
    check->hooks.asked(check->hooks.context);
}

static void tick(void *context) {
    struct st_live_check *check = context;
    st_engine_run_note_memory(&check->run);
}

static void behind(void *context, uint64_t records, double rate) {
    struct st_live_check *check = context;
    if (check->hooks.behind)
        check->hooks.behind(check->hooks.context, records, rate);
}

static void news(void *context, const struct st_broker_message *message, int fd) {
    struct st_live_check *check = context;
    if (check->hooks.news)
        check->hooks.news(check->hooks.context, message, fd);
}

static void waiting(void *context) {
    struct st_live_check *check = context;
    if (check->hooks.waiting)
        check->hooks.waiting(check->hooks.context);
}

void st_live_check_follow(struct st_live_check *check) {
    struct st_watch_hooks hooks = {.asked = asked,
                                   .tick = tick,
                                   .behind = behind,
                                   .news = news,
                                   .waiting = waiting,
                                   .context = check};
    st_watch_follow(&check->watch, &hooks);
    st_engine_run_note_memory(&check->run);
    st_engine_run_finish(&check->run, st_validator_facts(check->validator)->events);
    if (check->watch.interrupted) {
        struct st_findings *findings = &check->run.findings;
        findings->gave_up = "interrupted before all events were checked";
        if (findings->verdict == ST_SERIALIZABLE)
            findings->verdict = ST_UNDECIDED;
    }
}

void st_live_check_free(struct st_live_check *check) {
    st_watch_free(&check->watch);
    st_engine_run_free(&check->run);
    st_selection_free(check->selection);
    st_validator_free(check->validator);
    st_spec_free(check->spec);
}
