#include "hunt/controlled/run_description.h"

#include "base/map64.h"
#include "base/memory.h"
#include "base/output.h"
#include "hunt/controlled/area.h"
#include "hunt/controlled/course.h"
#include "session/live_report.h"
#include "symbol/code/code_flow.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST_LINE = 512 };

/* ---- keys ---- */

bool st_keys_have(const struct st_keys *keys, uint64_t key) {
    for (size_t i = 0; i < keys->count; i++)
        if (keys->list[i] == key)
            return true;
    return false;
}

void st_keys_add(struct st_keys *keys, uint64_t key) {
    if (st_keys_have(keys, key))
        return;
    st_reserve(&keys->list, &keys->capacity, keys->count + 1);
    keys->list[keys->count++] = key;
}

void st_keys_free(struct st_keys *keys) {
    free(keys->list);
}

static uint64_t mix_text(uint64_t hash, const char *text) {
    for (; *text; text++)
        hash = st_control_mix(hash, (unsigned char)*text);
    return st_control_mix(hash, 0);
}

/* In other runs modules may be elsewhere. */
static uint64_t relative(const struct st_control_log *log, uint64_t pc) {
    for (uint32_t i = 0; i < log->module_count; i++) {
        const struct st_control_module *module = &log->modules[i];
        if (pc >= module->start && pc < module->end)
            return st_control_site(module->name, pc - module->bias);
    }
    return pc;
}

static bool find_site(const struct st_live_check *check, uint64_t loc, struct st_site *site) {
    const struct st_sites *sites = st_translator_sites(check->watch.translator);
    struct st_site_at at = st_site_at(sites, loc);
    if (at.number == UINT32_MAX)
        return false;
    *site = st_site(sites, at.number);
    return true;
}

/* 0: not known. */
static uint64_t site_of_place(struct st_live_check *check, const struct st_control_log *log,
                              const struct st_place *place) {
    struct st_site site;
    if (!place->number || !find_site(check, place->event.loc, &site))
        return 0;
    return relative(log, site.pc);
}

static uint64_t mix_place(uint64_t hash, struct st_live_check *check,
                          const struct st_control_log *log, const struct st_place *place) {
    return st_control_mix(st_control_mix(hash, place->event.written),
                          site_of_place(check, log, place));
}

static uint64_t mix_edges(uint64_t hash, struct st_live_check *check,
                          const struct st_control_log *log, const struct st_edge *edges,
                          size_t count) {
    for (size_t i = 0; i < count; i++) {
        hash = mix_place(hash, check, log, &edges[i].from);
        hash = mix_place(hash, check, log, &edges[i].to);
    }
    return hash;
}

static uint64_t key_of_violation(struct st_live_check *check, const struct st_control_log *log,
                                 const struct st_violation *violation) {
    const struct st_symbols *symbols = st_translator_symbols(check->watch.translator);
    uint64_t hash = mix_text(1, st_target_name(symbols, ST_BEGIN, violation->block));
    hash = mix_place(hash, check, log, &violation->event);
    return mix_edges(hash, check, log, violation->path, violation->path_length);
}

static json_t *key_text(uint64_t key) {
    char text[24];
    snprintf(text, sizeof text, "%016" PRIx64, key);
    return json_string(text);
}

/* ---- in words ---- */

struct writing {
    json_t *result;
};

static void keep_report(void *context, struct st_report *report) {
    struct writing *writing = context;
    struct st_text_buffer buffer;
    json_error_t cause;
    st_report_json(report, st_text_buffer_open(&buffer));
    char *text = st_text_buffer_close(&buffer);
    json_t *json = json_loads(text, 0, &cause);
    if (json)
        json_object_set_new(writing->result, "report", json);
    free(text);
}

static json_t *name_deviations(struct st_places *places, const struct st_control_log *log) {
    json_t *list = json_array();
    for (uint32_t i = 0; i < log->deviation_count; i++) {
        json_t *named = json_object();
        st_name_site(named, places, log, log->deviations[i].site);
        json_array_append_new(list, named);
    }
    return list;
}

static void set_name_of_data(json_t *object, struct st_places *places, uint64_t address) {
    char name[ST_LONGEST_NAME];
    if (address && st_places_data(places, address, name, sizeof name))
        json_object_set_new(object, "object", json_string(name));
}

static void set_thread(json_t *object, const char *key, uint32_t thread) {
    char name[ST_THREAD_NAME];
    st_control_thread_name(thread, name);
    json_object_set_new(object, key, json_string(name));
}

/* Threads that have not ended, and what they wait for. */
static json_t *name_stuck(struct st_places *places, const struct st_control_log *log) {
    json_t *list = json_array();
    for (uint32_t i = 0; i < log->thread_count; i++) {
        const struct st_control_thread *thread = &log->threads[i];
        if (thread->state == ST_THREAD_ENDED)
            continue;
        json_t *stuck = json_object();
        const char *awaited = st_awaited(thread->kind);
        set_thread(stuck, "thread", i);
        if (awaited)
            json_object_set_new(stuck, "for", json_string(awaited));
        st_name_site(stuck, places, log, thread->site);
        set_name_of_data(stuck, places, thread->blocked_on ? thread->blocked_on : thread->object);
        uint32_t owner = thread->owner ? st_control_find_thread(log, thread->owner) : UINT32_MAX;
        if (owner != UINT32_MAX)
            set_thread(stuck, "owner", owner);
        json_array_append_new(list, stuck);
    }
    return list;
}

/* Where it crashed, if that is in the user's own code, or what called it there; NULL: not known. */
static json_t *name_crash(struct st_places *places, const struct st_control_log *log) {
    enum { LONGEST_LOCATION = 512 };
    char buffer[LONGEST_LOCATION];
    struct st_code code;
    if (!log->crash_signal)
        return NULL;
    /* Of other libraries without lines we cannot say whose they are. */
    bool own = !st_places_is_between(places, log->crash_pc) &&
               !st_places_is_library(places, log->crash_pc) &&
               st_places_user_line(places, log->crash_pc, &code, buffer, sizeof buffer) &&
               (strrchr(buffer, ':') || !log->crash_caller);
    if (!own && !st_places_user_line(places, log->crash_caller, &code, buffer, sizeof buffer))
        return NULL;
    json_t *crash = json_object();
    set_thread(crash, "thread", log->crash_thread);
    json_object_set_new(crash, "function", json_string(code.function));
    json_object_set_new(crash, "loc", json_string(buffer));
    json_object_set_new(crash, "exact", json_true());
    return crash;
}

/* Its last point in the user's own code, if that is not long ago; otherwise its last point. */
static void name_point_before(json_t *last, struct st_places *places,
                              const struct st_control_log *log, uint32_t point) {
    enum { POINTS_TO_TRY = 256 };
    uint32_t thread = log->log[point].thread;
    for (uint32_t i = point + 1, n = 0; i-- > 0 && n < POINTS_TO_TRY; n++)
        if (log->log[i].thread == thread && st_name_site(last, places, log, log->log[i].site))
            return;
    st_name_site(last, places, log, log->log[point].site);
}

/* Where the thread was that ran last. */
static json_t *name_last(struct st_places *places, const struct st_control_log *log) {
    json_t *crash = name_crash(places, log);
    if (crash)
        return crash;
    json_t *last = json_object();
    if (!log->point_count || !st_log_is_complete(log))
        return last;
    uint32_t point = log->point_count - 1;
    set_thread(last, "thread", log->log[point].thread);
    name_point_before(last, places, log, point);
    return last;
}

static json_t *find_named(json_t *list, const struct st_map64 *numbers, uint64_t site) {
    return json_array_get(list, st_map64_find(numbers, site));
}

static void name_place(json_t *list, struct st_map64 *numbers, struct st_places *places,
                       const struct st_control_log *log, uint64_t site) {
    char line[LONGEST_LINE];
    json_t *named = json_object();
    uint64_t address = st_site_address(log, site);
    json_object_set_new(named, "site", key_text(site));
    st_name_site(named, places, log, site);
    if (address)
        json_object_set_new(named, "line",
                            json_string(st_places_location(places, address, line, sizeof line)));
    json_object_set_new(named, "kinds", json_integer(0));
    st_map64_number(numbers, site);
    json_array_append_new(list, named);
}

static bool is_named(const json_t *list, const struct st_map64 *numbers, uint64_t site) {
    return st_map64_find(numbers, site) < json_array_size(list);
}

/* All sites that the run had points at, and what they did there; and those that later ones will
 * have points at. */
static json_t *name_sites(struct st_places *places, const struct st_control_log *log) {
    json_t *list = json_array();
    struct st_map64 numbers;
    st_map64_init(&numbers);
    for (uint32_t i = 0; i < log->point_count; i++) {
        uint64_t site = log->log[i].site;
        if (!site)
            continue;
        if (!is_named(list, &numbers, site))
            name_place(list, &numbers, places, log, site);
        json_t *kinds = json_object_get(find_named(list, &numbers, site), "kinds");
        json_integer_set(kinds, json_integer_value(kinds) | INT64_C(1) << log->log[i].kind);
    }
    for (uint32_t i = 0; i < ST_CONTROL_SITES; i++)
        if (log->sites[i] && !is_named(list, &numbers, log->sites[i]))
            name_place(list, &numbers, places, log, log->sites[i]);
    st_map64_free(&numbers);
    return list;
}

/* Threads get the names that they have in findings. */
static void call_thread(json_t *object, const char *key, const struct st_symbols *symbols) {
    const char *usual = json_string_value(json_object_get(object, key));
    char name[ST_LONGEST_NAME];
    uint32_t thread =
        usual ? st_names_find(&symbols->threads, usual, strlen(usual)) : ST_NAMES_FULL;
    if (thread == ST_NAMES_FULL)
        return;
    st_symbols_thread_name(symbols, thread, name, sizeof name);
    json_object_set_new(object, key, json_string(name));
}

static void call_threads(json_t *list, const struct st_symbols *symbols) {
    size_t index;
    json_t *object;
    json_array_foreach(list, index, object) {
        call_thread(object, "thread", symbols);
        call_thread(object, "owner", symbols);
    }
}

static void put_in_words(json_t *result, struct st_live_check *check,
                         const struct st_control_log *log, const char *program, bool with_spec) {
    struct st_places *places = st_translator_places(check->watch.translator);
    struct writing writing = {result};
    st_live_report(check, program, with_spec, keep_report, &writing);
    json_object_set_new(result, "deviations", name_deviations(places, log));
    json_object_set_new(result, "course", st_course(log, places));
    json_object_set_new(result, "last", name_last(places, log));
    if (log->end == ST_END_DEADLOCK || log->end == ST_END_LIVELOCK)
        json_object_set_new(result, "stuck", name_stuck(places, log));
    const struct st_symbols *symbols = st_translator_symbols(check->watch.translator);
    call_threads(json_object_get(result, "course"), symbols);
    call_threads(json_object_get(result, "stuck"), symbols);
    call_thread(json_object_get(result, "last"), "thread", symbols);
}

/* ---- where a debugger should stop ---- */

/* The index of the thread with this name in reports. */
static uint32_t index_of_thread(const struct st_live_check *check, uint32_t thread) {
    const struct st_symbols *symbols = st_translator_symbols(check->watch.translator);
    const char *name = st_name(&symbols->threads, thread);
    return *name == 'T' ? (uint32_t)strtoul(name + 1, NULL, 10) : 0;
}

static uint32_t find_point(const struct st_control_log *log, uint32_t from, uint32_t thread,
                           uint64_t site) {
    while (from < log->point_count &&
           (log->log[from].thread != thread || log->log[from].site != site))
        from++;
    return from;
}

/* Where the block goes on although another thread has come in between: the event that proves it,
 * behind what it depends on. Without a cut, the last point of the run. */
static uint32_t find_cut(struct st_live_check *check, const struct st_control_log *log) {
    const struct st_findings *findings = &check->run.findings;
    uint32_t last = log->point_count - 1;
    if (!findings->kept)
        return last;
    const struct st_violation *violation = &findings->violations[0];
    const struct st_edge *closing =
        violation->path_length ? &violation->path[violation->path_length - 1] : &violation->closing;
    uint32_t thread = index_of_thread(check, violation->thread);
    uint32_t other = find_point(log, 0, index_of_thread(check, closing->from.event.thread),
                                site_of_place(check, log, &closing->from));
    uint32_t cut = find_point(log, other, thread, site_of_place(check, log, &violation->event));
    return cut < log->point_count ? cut : last;
}

static void set_cut(json_t *result, struct st_live_check *check, const struct st_control_log *log) {
    if (!log->point_count)
        return;
    const struct st_control_point *point = &log->log[find_cut(check, log)];
    json_t *cut = json_object();
    json_object_set_new(cut, "thread", key_text(log->threads[point->thread].name));
    json_object_set_new(cut, "clock", json_integer((json_int_t)point->clock));
    json_object_set_new(result, "cut", cut);
}

/* ---- the whole ---- */

/* Does the block write what it has read, and what another thread has written since? */
static bool overwrites(const struct st_violation *violation) {
    if (!violation->path_length)
        return false;
    const struct st_edge *out = &violation->path[0];
    const struct st_edge *back = &violation->path[violation->path_length - 1];
    return out->kind == ST_EDGE_CONFLICT && back->kind == ST_EDGE_CONFLICT &&
           out->from.event.op == ST_READ && back->to.event.op == ST_WRITE &&
           out->to.event.target == back->to.event.target;
}

static bool is_start(struct st_live_check *check, const struct st_violation *violation) {
    const struct st_symbols *symbols = st_translator_symbols(check->watch.translator);
    const char *name = st_target_name(symbols, ST_BEGIN, violation->block), *function;
    size_t length;
    return st_block_is_start(name, &function, &length);
}

/* Was the thread in one block all the time, and did it something there again and again? */
static bool is_one_block(const struct st_control_log *log, uint32_t thread) {
    uint32_t block = 0;
    bool repeats = false;
    struct st_site_set seen;
    st_site_set_init(&seen);
    bool one = true;
    for (uint32_t i = 0; i < log->point_count && one; i++) {
        const struct st_control_point *point = &log->log[i];
        if (point->thread != thread || point->kind == ST_POINT_BEGIN || point->kind == ST_POINT_END)
            continue;
        one = point->block && (!block || block == point->block);
        block = point->block;
        repeats |= st_site_set_has(&seen, point->site);
        st_site_set_add(&seen, point->site);
    }
    st_site_set_free(&seen);
    return one && repeats;
}

/* A function that a thread calls first, which loops until the thread ends, is what the thread would
 * start with if it had no arguments: the loop of a pool of threads, say. */
static bool is_loop_of_thread(struct st_live_check *check, const struct st_control_log *log,
                              const struct st_violation *violation) {
    struct st_site site;
    if (violation->depth || !find_site(check, violation->begin_loc, &site) ||
        !is_one_block(log, index_of_thread(check, violation->thread)))
        return false;
    struct st_code_flow *flow =
        st_places_flow(st_translator_places(check->watch.translator), site.pc);
    bool loops = !flow || st_code_flow_loops(flow);
    if (flow)
        st_code_flow_free(flow);
    return loops;
}

/* Does code at this place, or what it was inlined into, drop a reference of a std::shared_ptr? */
static bool drops_reference(struct st_places *places, uint64_t pc) {
    struct st_code code;
    for (size_t depth = 0; st_places_frame(places, pc, depth, &code); depth++)
        if (strstr(code.function, "_Sp_counted") || strstr(code.function, "__shared_count"))
            return strstr(code.function, "release") || strchr(code.function, '~');
    return false;
}

static bool is_of_library(struct st_places *places, uint64_t function) {
    const char *name = st_places_function(places, function).function;
    return strncmp(name, "std::", 5) == 0 || strncmp(name, "__", 2) == 0;
}

/* Is the block cut only where it gives back a std::shared_ptr that others have, too? If it was the
 * last, what it points to is destroyed there. That may be something of the library: the state of a
 * std::packaged_task, say. What the program's own destructors do counts. */
static bool gives_back(struct st_live_check *check, const struct st_violation *violation) {
    const struct st_sites *sites = st_translator_sites(check->watch.translator);
    struct st_places *places = st_translator_places(check->watch.translator);
    struct st_site site;
    if (!find_site(check, violation->event.event.loc, &site))
        return false;
    uint64_t pc = site.pc;
    uint32_t call = site.call;
    while (!drops_reference(places, pc)) {
        if (!call || !is_of_library(places, st_call(sites, call).function))
            return false;
        pc = st_call(sites, call).called_from;
        call = st_call(sites, call).caller;
    }
    return true;
}

/* Nobody said that it is one step. What a thread starts with may do several in a row; and that
 * others count references to the same object, too, is what they are counted for. */
static bool is_doubtful(struct st_live_check *check, const struct st_control_log *log,
                        const struct st_violation *violation) {
    return !overwrites(violation) &&
           (is_start(check, violation) || is_loop_of_thread(check, log, violation) ||
            gives_back(check, violation));
}

/* False when one of them is new. */
static bool set_keys(json_t *result, struct st_live_check *check, const struct st_control_log *log,
                     const struct st_keys *known) {
    struct st_findings findings = st_engine_run_snapshot(&check->run);
    json_t *keys = json_array(), *doubtful = json_array();
    bool all_known = true;
    for (size_t i = 0; i < findings.kept; i++) {
        uint64_t key = key_of_violation(check, log, &findings.violations[i]);
        json_array_append_new(keys, key_text(key));
        if (is_doubtful(check, log, &findings.violations[i]))
            json_array_append_new(doubtful, key_text(key));
        all_known &= known && st_keys_have(known, key);
    }
    json_object_set_new(result, "keys", keys);
    json_object_set_new(result, "doubtful", doubtful);
    json_object_set_new(result, "serializable", json_boolean(findings.verdict == ST_SERIALIZABLE));
    if (findings.first_bad_event && !findings.kept) {
        uint64_t key = mix_edges(2, check, log, findings.cycle, findings.cycle_length);
        json_object_set_new(result, "cycle", key_text(key));
        all_known &= known && st_keys_have(known, key);
    }
    st_engine_run_free_snapshot(&findings);
    return all_known;
}

/* The text of what stands in the way, or NULL. */
static const char *trouble_of(const struct st_watch *watch) {
    if (!st_watch_attached(watch))
        return "not watched";
    if (st_watch_had_no_room(watch))
        return "no room";
    if (st_watch_is_damaged(watch))
        return "damaged";
    return NULL;
}

/* ---- functions that are no blocks ---- */

static bool is_block(const struct st_translator *translator, const char *name) {
    for (size_t i = 0; i < st_translator_function_count(translator); i++) {
        struct st_seen_function function = st_translator_function(translator, i);
        if (strcmp(function.name, name) == 0)
            return function.was_block && !function.hidden && !function.outermost;
    }
    return false;
}

/* The functions that are no blocks and were called by nothing else: those of the implementation,
 * those that the specification does not ask for, and those that threads start with. With
 * std::thread, these lie below some of the implementation. */
static void set_outer(json_t *result, struct st_live_check *check,
                      const struct st_control_log *log) {
    struct st_translator *translator = check->watch.translator;
    const struct st_sites *sites = st_translator_sites(translator);
    struct st_places *places = st_translator_places(translator);
    json_t *list = json_array();
    struct st_site_set seen;
    bool *is_outer = st_alloc((size_t)sites->calls.count + 1, sizeof *is_outer);
    st_site_set_init(&seen);
    is_outer[0] = true;
    for (uint32_t i = 1; i <= sites->calls.count && json_array_size(list) < ST_CONTROL_OUTER; i++) {
        struct st_call call = st_call(sites, i);
        uint64_t site = call.function ? relative(log, call.function) : 0;
        if (!site || !is_outer[call.caller])
            continue;
        is_outer[i] = st_site_set_has(&seen, site);
        if (is_outer[i] || is_block(translator, st_places_function(places, call.function).function))
            continue;
        is_outer[i] = true;
        st_site_set_add(&seen, site);
        json_array_append_new(list, key_text(site));
    }
    st_site_set_free(&seen);
    free(is_outer);
    json_object_set_new(result, "outer", list);
}

static void set_modules(json_t *result, struct st_places *places) {
    json_t *list = json_array();
    for (size_t i = 0; i < st_places_module_count(places); i++)
        json_array_append_new(list, json_string(st_places_module_path(places, i)));
    json_object_set_new(result, "modules", list);
}

int st_describe_run(struct st_live_check *check, const struct st_control_log *log,
                    const char *program, bool with_spec, bool in_full, bool keys_only,
                    const struct st_keys *known, const char *path) {
    const struct st_watch *watch = &check->watch;
    const char *trouble = trouble_of(watch);
    json_t *result = json_object();
    json_object_set_new(result, "status", json_integer(watch->program.status));
    json_object_set_new(result, "violated",
                        json_integer((json_int_t)check->run.findings.violation_count));
    json_object_set_new(result, "events",
                        json_integer((json_int_t)st_validator_facts(check->validator)->events));
    if (trouble)
        json_object_set_new(result, "trouble", json_string(trouble));
    bool failed = log->end != ST_END_BY_ITSELF || watch->program.status;
    bool all_known = set_keys(result, check, log, known);
    if (in_full || (!keys_only && (failed || !all_known)))
        put_in_words(result, check, log, program, with_spec);
    if (in_full) {
        set_cut(result, check, log);
        set_outer(result, check, log);
        json_object_set_new(result, "places",
                            name_sites(st_translator_places(watch->translator), log));
        set_modules(result, st_translator_places(watch->translator));
    }
    int written = json_dump_file(result, path, JSON_COMPACT);
    json_decref(result);
    return written;
}

/* ---- reading ---- */

static void take_key(struct st_keys *keys, const json_t *value) {
    if (json_is_string(value))
        st_keys_add(keys, strtoull(json_string_value(value), NULL, 16));
}

static int use_description(struct st_description *described, const char *path,
                           struct st_error *error) {
    if (!described->json)
        return st_fail(error, path, ST_AT_FILE, 0,
                       "the watcher of a run has left no result; it may have been killed");
    const json_t *refused = json_object_get(described->json, "cannot_start");
    if (refused)
        return st_fail(error, json_string_value(json_object_get(described->json, "file")),
                       ST_AT_FILE, 0, "%s", json_string_value(refused));
    size_t index;
    json_t *value;
    json_array_foreach(json_object_get(described->json, "keys"), index, value)
        take_key(&described->keys, value);
    json_array_foreach(json_object_get(described->json, "doubtful"), index, value)
        take_key(&described->doubtful, value);
    take_key(&described->keys, json_object_get(described->json, "cycle"));
    described->trouble = json_string_value(json_object_get(described->json, "trouble"));
    described->report = json_object_get(described->json, "report");
    return 0;
}

int st_description_load(struct st_description *described, const char *text, size_t length,
                        const char *name, struct st_error *error) {
    json_error_t cause;
    *described = (struct st_description){.json = json_loadb(text, length, 0, &cause)};
    return use_description(described, name, error);
}

int st_description_read(struct st_description *described, const char *path,
                        struct st_error *error) {
    json_error_t cause;
    *described = (struct st_description){.json = json_load_file(path, 0, &cause)};
    return use_description(described, path, error);
}

void st_description_free(struct st_description *described) {
    json_decref(described->json);
    st_keys_free(&described->keys);
    st_keys_free(&described->doubtful);
}

json_t *st_described_violation(const struct st_description *described, uint64_t key) {
    json_t *violations = json_object_get(described->report, "violations");
    size_t index;
    json_t *value;
    json_array_foreach(json_object_get(described->json, "keys"), index, value) {
        if (strtoull(json_string_value(value), NULL, 16) == key)
            return json_array_get(violations, index);
    }
    return NULL;
}
