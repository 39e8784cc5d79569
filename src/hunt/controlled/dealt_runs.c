#define _GNU_SOURCE
#include "hunt/controlled/dealt_runs.h"

#include "base/memory.h"
#include "cluster/crew.h"
#include "cluster/shared_files.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

bool st_are_dealt(const struct st_hunted *subject) {
    return subject->crew && !st_crew_is_worker(subject->crew) && !subject->client;
}

/* ---- plans ---- */

/* With their places, so that the table is the same. */
static void pack_sites(struct st_packed *to, const struct st_site_set *set) {
    st_pack_number(to, set->count);
    for (uint32_t i = 0; i < ST_CONTROL_SITES; i++)
        if (set->table[i]) {
            st_pack_number(to, i);
            st_pack_number(to, set->table[i]);
        }
}

static void unpack_sites(struct st_unpacking *from, struct st_site_set *set) {
    set->count = (uint32_t)st_unpack_below(from, ST_CONTROL_SITES / 2 + 1);
    for (uint32_t i = 0; i < set->count && !from->bad; i++) {
        uint64_t place = st_unpack_below(from, ST_CONTROL_SITES);
        set->table[place] = st_unpack_number(from);
    }
}

static void pack_list(struct st_packed *to, const void *list, size_t count, size_t size) {
    st_pack_number(to, count);
    st_pack_raw(to, list, count * size);
}

/* At most so many; release with free(). */
static void *unpack_list(struct st_unpacking *from, uint32_t *count, size_t most, size_t size) {
    *count = (uint32_t)st_unpack_below(from, most + 1);
    void *list = st_alloc((size_t)*count + 1, size);
    st_unpack_raw(from, list, *count * size);
    return list;
}

static void pack_plan(struct st_packed *to, const struct st_run_plan *plan) {
    st_pack_number(to, plan->strategy);
    st_pack_number(to, plan->flags);
    st_pack_number(to, plan->seed);
    st_pack_number(to, plan->depth);
    st_pack_number(to, plan->early);
    st_pack_number(to, plan->expected_points);
    st_pack_number(to, plan->expected_block_points);
    pack_list(to, plan->expected, plan->expected_count, sizeof *plan->expected);
    pack_sites(to, &plan->outer);
    st_pack_number(to, plan->stop_thread);
    st_pack_number(to, plan->stop_clock);
    st_pack_raw(to, &plan->hold, sizeof plan->hold);
    pack_list(to, plan->steps, plan->step_count, sizeof *plan->steps);
    pack_sites(to, &plan->sites);
    pack_list(to, plan->deviations, plan->deviation_count, sizeof *plan->deviations);
}

static void unpack_plan(struct st_unpacking *from, struct st_run_plan *plan) {
    plan->strategy = (enum st_control_strategy)st_unpack_below(from, ST_STRATEGY_COUNT);
    plan->flags = (uint32_t)st_unpack_number(from);
    plan->seed = st_unpack_number(from);
    plan->depth = (uint32_t)st_unpack_number(from);
    plan->early = (uint32_t)st_unpack_number(from);
    plan->expected_points = st_unpack_number(from);
    plan->expected_block_points = st_unpack_number(from);
    plan->expected =
        unpack_list(from, &plan->expected_count, ST_CONTROL_EXPECTED, sizeof *plan->expected);
    unpack_sites(from, &plan->outer);
    plan->stop_thread = st_unpack_number(from);
    plan->stop_clock = st_unpack_number(from);
    st_unpack_raw(from, &plan->hold, sizeof plan->hold);
    plan->step_count = (uint32_t)st_unpack_below(from, ST_CONTROL_STEPS + 1);
    st_unpack_raw(from, plan->steps, plan->step_count * sizeof *plan->steps);
    unpack_sites(from, &plan->sites);
    plan->deviations =
        unpack_list(from, &plan->deviation_count, ST_CONTROL_DEVIATIONS, sizeof *plan->deviations);
}

/* ---- logs ---- */

/* The numbers before the tables, then the tables without their empty parts. */
enum { LOG_HEAD = offsetof(struct st_control_log, sites) };

static void pack_log(struct st_packed *to, const struct st_control_log *log) {
    uint32_t taken = 0;
    for (uint32_t i = 0; i < ST_CONTROL_SITES; i++)
        taken += log->sites[i] != 0;
    st_pack_raw(to, log, LOG_HEAD);
    st_pack_number(to, taken);
    for (uint32_t i = 0; i < ST_CONTROL_SITES; i++)
        if (log->sites[i]) {
            st_pack_number(to, i);
            st_pack_number(to, log->sites[i]);
        }
    st_pack_raw(to, log->modules, log->module_count * sizeof *log->modules);
    st_pack_raw(to, log->threads, log->thread_count * sizeof *log->threads);
    st_pack_raw(to, log->deviations, log->deviation_count * sizeof *log->deviations);
    st_pack_raw(to, log->log, log->point_count * sizeof *log->log);
}

static void unpack_log(struct st_unpacking *from, struct st_control_log *log) {
    st_unpack_raw(from, log, LOG_HEAD);
    if (log->module_count > ST_CONTROL_MODULES || log->thread_count > ST_CONTROL_THREADS ||
        log->deviation_count > ST_CONTROL_DEVIATIONS || log->point_count > ST_CONTROL_POINTS)
        from->bad = true;
    uint64_t taken = st_unpack_below(from, ST_CONTROL_SITES + 1);
    for (uint64_t i = 0; i < taken && !from->bad; i++) {
        uint64_t place = st_unpack_below(from, ST_CONTROL_SITES);
        log->sites[place] = st_unpack_number(from);
    }
    if (from->bad)
        return;
    st_unpack_raw(from, log->modules, log->module_count * sizeof *log->modules);
    st_unpack_raw(from, log->threads, log->thread_count * sizeof *log->threads);
    st_unpack_raw(from, log->deviations, log->deviation_count * sizeof *log->deviations);
    st_unpack_raw(from, log->log, log->point_count * sizeof *log->log);
}

/* ---- what came of a run ---- */

static void pack_printed(struct st_packed *to, const struct st_printed *printed) {
    st_pack_number(to, printed->cut_off);
    st_pack_number(to, printed->text != NULL);
    st_pack_bytes(to, printed->text, printed->length);
}

static struct st_printed unpack_printed(struct st_unpacking *from) {
    struct st_printed printed = {.cut_off = st_unpack_number(from)};
    bool any = st_unpack_number(from);
    const char *text = st_unpack_bytes(from, &printed.length);
    if (any) {
        printed.text = st_alloc(printed.length + 1, 1);
        memcpy(printed.text, text, printed.length);
    }
    return printed;
}

static void pack_outcome(struct st_packed *to, const struct st_controlled_run *run) {
    char *text = json_dumps(run->described.json, JSON_COMPACT);
    st_pack_number(to, 1); /* it was done */
    st_pack_number(to, run->stop);
    st_pack_real(to, run->seconds);
    st_pack_number(to, run->controlled);
    st_pack_number(to, atomic_load(&run->area.map->process));
    st_pack_number(to, atomic_load(&run->area.map->others));
    pack_log(to, run->log);
    pack_printed(to, &run->output);
    pack_printed(to, &run->errors);
    st_pack_text(to, text);
    free(text);
}

static void pack_failure(struct st_packed *to, const struct st_error *error) {
    st_pack_number(to, 0);
    st_pack_text(to, error->file);
    st_pack_text(to, error->cause);
}

static int unpack_failure(struct st_unpacking *from, struct st_error *error) {
    char *file = st_unpack_text(from), *cause = st_unpack_text(from);
    st_fail(error, file, ST_AT_FILE, 0, "%s", cause ? cause : "a run failed");
    free(file);
    free(cause);
    return -1;
}

static int unpack_outcome(const struct st_hunted *subject, struct st_unpacking *from,
                          struct st_controlled_run *run, struct st_error *error) {
    if (!st_unpack_number(from))
        return unpack_failure(from, error);
    char *path = st_run_file(subject, run, "area");
    int result = st_area_create(&run->area, path, error);
    free(path);
    if (result < 0)
        return -1;
    run->stop = (enum st_run_stop)st_unpack_below(from, ST_STOP_REQUEST + 1);
    run->seconds = st_unpack_real(from);
    run->controlled = st_unpack_number(from);
    atomic_store(&run->area.map->process, (uint32_t)st_unpack_number(from));
    atomic_store(&run->area.map->others, (uint32_t)st_unpack_number(from));
    unpack_log(from, &run->area.map->log);
    run->log = st_area_log(&run->area);
    run->output = unpack_printed(from);
    run->errors = unpack_printed(from);
    char *text = st_unpack_text(from);
    if (from->bad || !text)
        result = st_fail(error, subject->command, ST_AT_FILE, 0, "a rank sent a damaged result");
    else
        result = st_description_load(&run->described, text, strlen(text), subject->command, error);
    run->status = (int)json_integer_value(json_object_get(run->described.json, "status"));
    run->done = result == 0;
    free(text);
    return result;
}

/* ---- rank 0 ---- */

struct dealt {
    const struct st_hunted *subject;
    struct st_controlled_run *const *runs;
    size_t jobs;
    const struct st_keys *known;
    bool (*stopped)(void *context);
    void *context;
    struct st_error error; /* of the first run that failed */
    size_t failed;         /* its index */
};

static void ask(void *context, size_t index, struct st_packed *question) {
    const struct dealt *dealt = context;
    const struct st_controlled_run *run = dealt->runs[index];
    st_pack_number(question, dealt->subject->most_points);
    st_pack_real(question, dealt->subject->seconds);
    st_pack_number(question, run->in_full);
    st_pack_number(question, run->keys_only);
    st_pack_number(question, run->recorded);
    pack_list(question, dealt->known ? dealt->known->list : NULL,
              dealt->known ? dealt->known->count : 0, sizeof *dealt->known->list);
    pack_plan(question, &run->plan);
    st_pack_number(question, st_file_sample(dealt->subject->words[0]));
    st_pack_number(question, dealt->subject->input ? st_file_sample(dealt->subject->input) : 0);
}

static void attach(void *context, size_t index, struct st_packed *question) {
    const struct dealt *dealt = context;
    (void)index;
    st_pack_number(question, dealt->subject->input != NULL);
    if (dealt->subject->input)
        st_pack_file(question, dealt->subject->input);
}

static void take(void *context, size_t index, const char *answer, size_t length) {
    struct dealt *dealt = context;
    struct st_unpacking from = st_unpack(answer, length);
    struct st_error error;
    if (!dealt->runs[index]->done &&
        unpack_outcome(dealt->subject, &from, dealt->runs[index], &error) < 0 &&
        index < dealt->failed) {
        dealt->failed = index;
        dealt->error = error;
    }
}

static int do_here(void *context, const size_t *indices, size_t count, struct st_packed *answers,
                   struct st_error *error) {
    struct dealt *dealt = context;
    struct st_controlled_run **runs = st_alloc(count, sizeof *runs);
    for (size_t i = 0; i < count; i++)
        runs[i] = dealt->runs[indices[i]];
    int result = st_do_runs_here(dealt->subject, runs, count, dealt->jobs, dealt->known,
                                 dealt->stopped, dealt->context, error);
    for (size_t i = 0; i < count; i++)
        if (runs[i]->done && runs[i]->described.json && runs[i]->stop != ST_STOP_REQUEST)
            pack_outcome(&answers[i], runs[i]);
    free(runs);
    return result;
}

static bool is_stopped(void *context) {
    const struct dealt *dealt = context;
    return dealt->stopped && dealt->stopped(dealt->context);
}

int st_deal_runs(const struct st_hunted *subject, struct st_controlled_run *const *runs,
                 size_t count, size_t jobs, const struct st_keys *known,
                 bool (*stopped)(void *context), void *context, struct st_error *error) {
    struct dealt dealt = {.subject = subject,
                          .runs = runs,
                          .jobs = jobs,
                          .known = known,
                          .stopped = stopped,
                          .context = context,
                          .failed = SIZE_MAX};
    struct st_dealing dealing = {.wanted = count,
                                 .phase = 1,
                                 .ask = ask,
                                 .attach = attach,
                                 .take = take,
                                 .do_here = do_here,
                                 .stopped = is_stopped,
                                 .context = &dealt};
    int result = st_crew_deal(subject->crew, &dealing, error);
    if (result == 0 && dealt.failed != SIZE_MAX) {
        *error = dealt.error;
        return -1;
    }
    return result;
}

/* ---- the others ---- */

static void unpack_known(struct st_unpacking *from, struct st_keys *known) {
    enum { MOST_KEYS = 1 << 24 };
    uint32_t count;
    known->list = unpack_list(from, &count, MOST_KEYS, sizeof *known->list);
    known->count = known->capacity = count;
}

static void work(void *context, const char *question, size_t length, struct st_packed *answer) {
    const struct st_hunted *given = context;
    struct st_hunted subject = *given;
    struct st_unpacking from = st_unpack(question, length);
    struct st_controlled_run run, *pointer = &run;
    struct st_keys known;
    struct st_error error;
    char *input = NULL;
    st_controlled_run_init(&run);
    subject.most_points = st_unpack_number(&from);
    subject.seconds = st_unpack_real(&from);
    run.in_full = st_unpack_number(&from);
    run.keys_only = st_unpack_number(&from);
    run.recorded = st_unpack_number(&from);
    unpack_known(&from, &known);
    unpack_plan(&from, &run.plan);
    st_unpack_number(&from);
    st_unpack_number(&from);
    if (st_unpack_number(&from))
        subject.input = input = st_unpack_file(subject.crew, &from, NULL);
    int result = st_do_runs_here(&subject, &pointer, 1, 1, &known, st_crew_is_unwanted,
                                 subject.crew, &error);
    if (result < 0)
        pack_failure(answer, &error);
    else if (run.done && run.stop != ST_STOP_REQUEST)
        pack_outcome(answer, &run);
    st_keys_free(&known);
    st_controlled_run_free(&run);
    free(input);
}

void st_serve_runs(const struct st_hunted *subject) {
    struct st_serving serving = {.phase = 1, .work = work, .context = (void *)subject};
    st_crew_serve(subject->crew, &serving, NULL);
}
