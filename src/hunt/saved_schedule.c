#define _GNU_SOURCE
#include "hunt/saved_schedule.h"

#include "base/json.h"
#include "base/memory.h"
#include "base/output.h"
#include "report/load/fields.h"
#include "symbol/build_id.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const kinds[ST_DEVIATION_KINDS] = {
    [ST_DEVIATION_PREEMPT] = "preempt", [ST_DEVIATION_BLOCKED] = "blocked",
    [ST_DEVIATION_WAKE] = "wake",       [ST_DEVIATION_TIME] = "time",
    [ST_DEVIATION_SIGNAL] = "signal",   [ST_DEVIATION_ARRIVAL] = "arrival"};

/* What is likely to change how many threads there are, or what is printed. */
static const char *const noted[] = {"OMP_NUM_THREADS",  "OMP_SCHEDULE", "LANG", "LC_ALL", "TZ",
                                    "MALLOC_ARENA_MAX", "SERIATIM_JAVA"};

/* ---- writing ---- */

static void write_hex(struct st_json *json, uint64_t value) {
    char text[24];
    snprintf(text, sizeof text, "%016" PRIx64, value);
    st_json_string(json, text);
}

/* "main.0.2": the descent of a thread. */
static void put_descent(FILE *file, const struct st_control_log *log, uint64_t name,
                        unsigned depth) {
    enum { DEEPEST = 1000 };
    uint32_t index = st_control_find_thread(log, name);
    if (name == ST_CONTROL_MAIN || index == UINT32_MAX || depth > DEEPEST) {
        fputs("main", file);
        return;
    }
    put_descent(file, log, log->threads[index].parent, depth + 1);
    fprintf(file, ".%" PRIu32, log->threads[index].child);
}

static void write_thread(struct st_json *json, const char *key, const struct st_control_log *log,
                         uint64_t name) {
    struct st_text_buffer buffer;
    put_descent(st_text_buffer_open(&buffer), log, name, 0);
    char *text = st_text_buffer_close(&buffer);
    st_json_string_field(json, key, text);
    free(text);
}

static void write_deviation(struct st_json *json, const struct st_control_deviation *deviation,
                            const struct st_control_log *log, const json_t *named) {
    st_json_flat_object(json);
    st_json_string_field(json, "kind", kinds[deviation->kind]);
    write_thread(json, "thread", log, deviation->thread);
    st_json_number_field(json, "clock", deviation->clock);
    st_json_number_field(json, "ordinal", deviation->ordinal);
    if (deviation->kind == ST_DEVIATION_SIGNAL)
        st_json_number_field(json, "signal", deviation->next);
    else
        write_thread(json, "next", log, deviation->next);
    st_json_maybe_string_field(json, "function",
                               json_string_value(json_object_get(named, "function")));
    st_json_maybe_string_field(json, "loc", json_string_value(json_object_get(named, "loc")));
    st_json_number_field(json, "count", deviation->count);
    st_json_key(json, "site");
    write_hex(json, deviation->site);
    st_json_object_end(json);
}

static void write_sites(struct st_json *json, const struct st_site_set *sites) {
    st_json_key(json, "sites");
    st_json_flat_array(json);
    for (uint32_t i = 0; i < ST_CONTROL_SITES; i++)
        if (sites->table[i])
            write_hex(json, sites->table[i]);
    st_json_array_end(json);
}

static const char *last_part(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* Does the program have points in it? */
static bool has_sites(const struct st_site_set *sites, const char *module) {
    static const int offset_bits = 40;
    char name[ST_CONTROL_MODULE_NAME];
    snprintf(name, sizeof name, "%s", module);
    uint64_t hash = st_control_site(name, 0) >> offset_bits;
    for (uint32_t i = 0; i < ST_CONTROL_SITES; i++)
        if (sites->table[i] && sites->table[i] >> offset_bits == hash)
            return true;
    return false;
}

static void write_modules(struct st_json *json, const struct st_site_set *sites,
                          const struct st_description *described) {
    size_t index;
    json_t *path;
    st_json_key(json, "modules");
    st_json_array(json);
    json_array_foreach(json_object_get(described->json, "modules"), index, path) {
        char id[ST_BUILD_ID_SIZE];
        const char *text = json_string_value(path);
        if (!has_sites(sites, last_part(text)) || !st_build_id(text, id))
            continue;
        st_json_flat_object(json);
        st_json_string_field(json, "name", last_part(text));
        st_json_string_field(json, "path", text);
        st_json_string_field(json, "build_id", id);
        st_json_object_end(json);
    }
    st_json_array_end(json);
}

static void write_program(struct st_json *json, const struct st_saved_schedule_facts *facts) {
    char *folder = get_current_dir_name();
    st_json_key(json, "program");
    st_json_flat_array(json);
    for (const char *const *word = facts->words; *word; word++)
        st_json_string(json, *word);
    st_json_array_end(json);
    st_json_maybe_string_field(json, "folder", folder);
    free(folder);
    st_json_maybe_string_field(json, "input", facts->input);
    st_json_maybe_string_field(json, "client", facts->client);
    st_json_key(json, "environment");
    st_json_flat_object(json);
    for (size_t i = 0; i < sizeof noted / sizeof *noted; i++)
        if (getenv(noted[i]))
            st_json_string_field(json, noted[i], getenv(noted[i]));
    st_json_object_end(json);
    st_json_maybe_string_field(json, "spec", facts->spec);
    st_json_string_field(json, "relation", st_relation_name(facts->relation));
}

static void write_expected(struct st_json *json, const struct st_saved_schedule_facts *facts) {
    st_json_key(json, "expected");
    st_json_flat_object(json);
    st_json_string_field(json, "outcome", st_outcome_name(facts->outcome));
    st_json_number_field(json, "status", (uint64_t)facts->status);
    st_json_maybe_string_field(json, "printed", facts->printed);
    st_json_maybe_string_field(json, "usual", facts->usual);
    st_json_key(json, "keys");
    st_json_flat_array(json);
    for (size_t i = 0; i < facts->key_count; i++)
        write_hex(json, facts->keys[i]);
    st_json_array_end(json);
    st_json_key(json, "blocks");
    st_json_flat_array(json);
    for (const char *const *block = facts->blocks; block && *block; block++)
        st_json_string(json, *block);
    st_json_array_end(json);
    st_json_object_end(json);
}

static void write_all(FILE *file, const struct st_saved_schedule_facts *facts,
                      const struct st_run_plan *plan, const struct st_control_log *log,
                      const struct st_description *described) {
    const json_t *names = json_object_get(described->json, "deviations");
    struct st_json json;
    st_json_start(&json, file);
    st_json_object(&json);
    st_json_string_field(&json, "schema", ST_SCHEDULE_SCHEMA);
    write_program(&json, facts);
    st_json_number_field(&json, "seed", facts->seed);
    st_json_number_field(&json, "run", facts->run);
    st_json_string_field(&json, "strategy", facts->strategy);
    st_json_bool_field(&json, "real_time", plan->flags & ST_CONTROL_REAL_TIME);
    st_json_bool_field(&json, "every_access", plan->flags & ST_CONTROL_EVERY_ACCESS);
    write_modules(&json, &plan->sites, described);
    write_expected(&json, facts);
    write_sites(&json, &plan->sites);
    st_json_key(&json, "deviations");
    st_json_array(&json);
    for (uint32_t i = 0; i < plan->deviation_count; i++)
        write_deviation(&json, &plan->deviations[i], log, json_array_get(names, i));
    st_json_array_end(&json);
    st_json_object_end(&json);
    st_json_finish(&json);
}

int st_saved_schedule_write(const char *path, const struct st_saved_schedule_facts *facts,
                            const struct st_run_plan *plan, const struct st_control_log *log,
                            const struct st_description *described, struct st_error *error) {
    struct st_output output;
    if (st_output_open(&output, path, NULL, error) < 0)
        return -1;
    write_all(output.file, facts, plan, log, described);
    return st_output_finish(&output, error);
}

/* ---- reading ---- */

static uint64_t read_hex(struct st_fields *fields, const char *text) {
    char *end;
    uint64_t value = strtoull(text, &end, 16);
    if (!*text || *end)
        st_fields_reject(fields, "must be a hexadecimal number");
    return value;
}

static uint64_t read_thread(struct st_fields *fields, const json_t *object, const char *key) {
    const char *text = st_field_text(fields, object, key), *at = text + strlen("main");
    uint64_t name = ST_CONTROL_MAIN;
    st_fields_enter(fields, key, 0);
    if (strncmp(text, "main", strlen("main")) != 0)
        st_fields_reject(fields, "must name a thread, as main.0.2 does");
    for (; !fields->failed && *at == '.';) {
        char *end;
        unsigned long child = strtoul(at + 1, &end, 10);
        if (end == at + 1 || child > UINT32_MAX)
            break;
        name = st_control_child(name, (uint32_t)child);
        at = end;
    }
    if (!fields->failed && *at)
        st_fields_reject(fields, "must name a thread, as main.0.2 does");
    st_fields_leave(fields);
    return name;
}

static uint16_t read_kind(struct st_fields *fields, const json_t *object) {
    const char *text = st_field_text(fields, object, "kind");
    for (uint16_t kind = 0; kind < ST_DEVIATION_KINDS; kind++)
        if (strcmp(text, kinds[kind]) == 0)
            return kind;
    st_fields_enter(fields, "kind", 0);
    st_fields_reject(fields, "must be preempt, blocked, wake, time, signal or arrival");
    st_fields_leave(fields);
    return 0;
}

static struct st_control_deviation read_deviation(struct st_fields *fields, const json_t *object) {
    struct st_control_deviation deviation = {.kind = read_kind(fields, object)};
    deviation.thread = read_thread(fields, object, "thread");
    deviation.clock = st_field_number(fields, object, "clock");
    deviation.ordinal = (uint16_t)st_field_number(fields, object, "ordinal");
    deviation.count = (uint32_t)st_field_maybe_number(fields, object, "count");
    deviation.next = deviation.kind == ST_DEVIATION_SIGNAL
                         ? st_field_number(fields, object, "signal")
                         : read_thread(fields, object, "next");
    const char *site = st_field_maybe_text(fields, object, "site");
    st_fields_enter(fields, "site", 0);
    deviation.site = site ? read_hex(fields, site) : 0;
    st_fields_leave(fields);
    return deviation;
}

static void read_deviations(struct st_saved_schedule *schedule, struct st_fields *fields) {
    const json_t *list = st_field_array(fields, schedule->json, "deviations");
    size_t count = json_array_size(list);
    st_fields_enter(fields, "deviations", 0);
    if (count > ST_CONTROL_DEVIATIONS)
        st_fields_reject(fields, "are too many: at most %d", (int)ST_CONTROL_DEVIATIONS);
    struct st_control_deviation *deviations = st_alloc(count + 1, sizeof *deviations);
    schedule->functions = st_alloc(count + 1, sizeof *schedule->functions);
    schedule->locs = st_alloc(count + 1, sizeof *schedule->locs);
    for (size_t i = 0; i < count && !fields->failed; i++) {
        const json_t *object = st_element_object(fields, list, i);
        st_fields_enter(fields, NULL, i);
        deviations[i] = read_deviation(fields, object);
        schedule->functions[i] = st_field_maybe_text(fields, object, "function");
        schedule->locs[i] = st_field_maybe_text(fields, object, "loc");
        st_fields_leave(fields);
    }
    st_fields_leave(fields);
    if (!fields->failed)
        st_plan_deviate(&schedule->plan, deviations, (uint32_t)count);
    free(deviations);
}

/* Calls `use` with each text of the list. */
static void read_list(struct st_saved_schedule *schedule, struct st_fields *fields,
                      const json_t *object, const char *key,
                      void (*use)(struct st_saved_schedule *schedule, struct st_fields *fields,
                                  size_t index, const char *text)) {
    const json_t *list = st_field_array(fields, object, key);
    st_fields_enter(fields, key, 0);
    for (size_t i = 0; i < json_array_size(list) && !fields->failed; i++) {
        const char *text = json_string_value(json_array_get(list, i));
        st_fields_enter(fields, NULL, i);
        if (text)
            use(schedule, fields, i, text);
        else
            st_fields_reject(fields, "must be a text");
        st_fields_leave(fields);
    }
    st_fields_leave(fields);
}

static void take_word(struct st_saved_schedule *schedule, struct st_fields *fields, size_t index,
                      const char *text) {
    (void)fields;
    schedule->words[index] = text;
}

static void take_site(struct st_saved_schedule *schedule, struct st_fields *fields, size_t index,
                      const char *text) {
    (void)index;
    st_site_set_add(&schedule->plan.sites, read_hex(fields, text));
}

static void take_key(struct st_saved_schedule *schedule, struct st_fields *fields, size_t index,
                     const char *text) {
    (void)index;
    st_keys_add(&schedule->keys, read_hex(fields, text));
}

static void read_expected(struct st_saved_schedule *schedule, struct st_fields *fields) {
    const json_t *expected = st_field_object(fields, schedule->json, "expected");
    st_fields_enter(fields, "expected", 0);
    schedule->outcome = st_outcome_find(st_field_text(fields, expected, "outcome"));
    schedule->status = (int)st_field_number(fields, expected, "status");
    schedule->printed = st_field_maybe_text(fields, expected, "printed");
    schedule->usual = st_field_maybe_text(fields, expected, "usual");
    read_list(schedule, fields, expected, "keys", take_key);
    if (schedule->outcome == ST_OUTCOME_COUNT) {
        schedule->outcome = ST_OUTCOME_SAME;
        st_fields_reject(fields, "has an outcome that is not known");
    }
    st_fields_leave(fields);
}

static void read_head(struct st_saved_schedule *schedule, struct st_fields *fields) {
    const json_t *root = schedule->json;
    const char *schema = json_string_value(json_object_get(root, "schema"));
    if (schema && strncmp(schema, "seriatim-schedule/", strlen("seriatim-schedule/")) == 0 &&
        strcmp(schema, ST_SCHEDULE_SCHEMA) != 0)
        st_fields_reject(fields,
                         "is a schedule of another version of seriatim (%s, and this one "
                         "reads " ST_SCHEDULE_SCHEMA "); hunt again",
                         schema);
    else if (!schema || strcmp(schema, ST_SCHEDULE_SCHEMA) != 0)
        st_fields_reject(fields, "is no schedule that hunt has written (" ST_SCHEDULE_SCHEMA ")");
    size_t count = json_array_size(st_field_array(fields, root, "program"));
    schedule->words = st_alloc(count + 1, sizeof *schedule->words);
    read_list(schedule, fields, root, "program", take_word);
    if (!count)
        st_fields_reject(fields, "names no program");
    schedule->folder = st_field_maybe_text(fields, root, "folder");
    schedule->input = st_field_maybe_text(fields, root, "input");
    schedule->client = st_field_maybe_text(fields, root, "client");
    schedule->spec = st_field_maybe_text(fields, root, "spec");
    schedule->strategy = st_field_text(fields, root, "strategy");
    schedule->relation = st_relation_find(st_field_text(fields, root, "relation"));
    if (schedule->relation == ST_USUAL_RELATION)
        st_fields_reject(fields, "has a relation that is not known");
    schedule->seed = st_field_number(fields, root, "seed");
    schedule->run = st_field_number(fields, root, "run");
    schedule->plan.flags |=
        st_field_maybe_bool(fields, root, "real_time") ? ST_CONTROL_REAL_TIME : 0;
    schedule->plan.flags |=
        st_field_maybe_bool(fields, root, "every_access") ? ST_CONTROL_EVERY_ACCESS : 0;
}

int st_saved_schedule_read(struct st_saved_schedule *schedule, const char *path,
                           struct st_error *error) {
    enum { LARGEST = 64 << 20 };
    struct st_fields fields;
    *schedule = (struct st_saved_schedule){0};
    st_plan_init(&schedule->plan);
    FILE *file = fopen(path, "re");
    if (!file)
        return st_fail(error, path, ST_AT_FILE, 0, "cannot read: %m");
    schedule->text = st_alloc(LARGEST + 1, 1);
    size_t length = fread(schedule->text, 1, LARGEST, file);
    bool good = !ferror(file);
    fclose(file);
    if (!good)
        return st_fail(error, path, ST_AT_FILE, 0, "cannot read: %m");
    if (length == LARGEST)
        return st_fail(error, path, ST_AT_FILE, 0, "is too large for a schedule");
    if (st_fields_open(&fields, path, schedule->text, length, error) < 0)
        return -1;
    schedule->json = json_incref(fields.root);
    if (!json_is_object(fields.root))
        st_fields_reject(&fields, "is no schedule");
    read_head(schedule, &fields);
    read_expected(schedule, &fields);
    read_list(schedule, &fields, schedule->json, "sites", take_site);
    read_deviations(schedule, &fields);
    st_fields_close(&fields);
    return fields.failed ? -1 : 0;
}

void st_saved_schedule_free(struct st_saved_schedule *schedule) {
    st_plan_free(&schedule->plan);
    st_keys_free(&schedule->keys);
    free((void *)schedule->words);
    free((void *)schedule->functions);
    free((void *)schedule->locs);
    free(schedule->text);
    json_decref(schedule->json);
}

void st_saved_schedule_apply_environment(const struct st_saved_schedule *schedule) {
    json_t *all = json_object_get(schedule->json, "environment");
    for (size_t i = 0; i < sizeof noted / sizeof *noted; i++) {
        const char *value = json_string_value(json_object_get(all, noted[i]));
        if (value)
            setenv(noted[i], value, 1);
        else
            unsetenv(noted[i]);
    }
}

/* As execvp finds it. Release with free(). */
static char *find_program(const char *name) {
    const char *folders = getenv("PATH");
    if (strchr(name, '/') || !folders)
        return st_strdup(name);
    for (const char *at = folders; *at;) {
        size_t length = strcspn(at, ":");
        char *path = NULL;
        if (asprintf(&path, "%.*s/%s", (int)length, at, name) < 0)
            st_out_of_memory();
        if (access(path, X_OK) == 0)
            return path;
        free(path);
        at += length + (at[length] == ':');
    }
    return st_strdup(name);
}

static bool has_build(const json_t *module, const char *path) {
    const char *wanted = json_string_value(json_object_get(module, "build_id"));
    char id[ST_BUILD_ID_SIZE];
    return path && wanted && st_build_id(path, id) && strcmp(id, wanted) == 0;
}

static bool is_called(const json_t *module, const char *name) {
    const char *text = json_string_value(json_object_get(module, "name"));
    return text && strcmp(text, name) == 0;
}

/* A program can be a script that starts another one, which is among the modules then, and it is
 * not. */
enum st_same_program st_saved_schedule_compare(const struct st_saved_schedule *schedule,
                                               const char *program, const char **module) {
    const json_t *modules = json_object_get(schedule->json, "modules");
    const char *before = last_part(schedule->words[0]);
    char *path = find_program(program);
    enum st_same_program result = ST_PROGRAM_SAME;
    bool direct = false, found = false;
    size_t index;
    json_t *entry;
    json_array_foreach(modules, index, entry) {
        bool itself = is_called(entry, before);
        const char *at = json_string_value(json_object_get(entry, "path"));
        bool renamed = itself && !is_called(entry, last_part(program));
        bool same = has_build(entry, itself ? path : at);
        direct |= itself;
        found |= itself && (same || !renamed);
        same &= !renamed; /* sites are named after files */
        if (!same && result == ST_PROGRAM_SAME) {
            result = ST_PROGRAM_REBUILT;
            *module = json_string_value(json_object_get(entry, "name"));
        }
    }
    free(path);
    return direct && !found ? ST_PROGRAM_OTHER : result;
}
