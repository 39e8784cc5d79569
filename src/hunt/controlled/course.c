#include "hunt/controlled/course.h"

#include "hunt/controlled/area.h"
#include "hunt/controlled/log_index.h"
#include "watch/places.h"

#include <stdbool.h>
#include <string.h>

enum {
    MOST_STEPS = 14,
    SHOWN_AT_END = 4,
    LONGEST_ROUND = 4,
    MOST_BLOCKS = 3,
    LONGEST_LOCATION = 512
};

/* ---- names ---- */

uint64_t st_site_address(const struct st_control_log *log, uint64_t site) {
    static const int offset_bits = 40;
    uint64_t offset = site & ((UINT64_C(1) << offset_bits) - 1);
    for (uint32_t i = 0; i < log->module_count; i++) {
        const struct st_control_module *module = &log->modules[i];
        uint64_t address = module->bias + offset;
        if (st_control_site(module->name, 0) >> offset_bits == site >> offset_bits &&
            address >= module->start && address <= module->end)
            return address;
    }
    return 0;
}

static bool name_address(json_t *object, struct st_places *places, uint64_t address) {
    char buffer[LONGEST_LOCATION];
    struct st_code code;
    bool users = st_places_user_line(places, address, &code, buffer, sizeof buffer);
    json_object_set_new(object, "function", json_string(code.function));
    json_object_set_new(object, "loc", json_string(buffer));
    return users;
}

bool st_name_site(json_t *object, struct st_places *places, const struct st_control_log *log,
                  uint64_t site) {
    uint64_t address = site ? st_site_address(log, site) : 0;
    return address && name_address(object, places, address);
}

const char *st_awaited(uint16_t kind) {
    switch ((enum st_control_kind)kind) {
    case ST_POINT_LOCK:
    case ST_POINT_READ_LOCK:
        return "lock";
    case ST_POINT_COND_WAIT:
        return "condition";
    case ST_POINT_SEM_WAIT:
        return "semaphore";
    case ST_POINT_BARRIER:
        return "barrier";
    case ST_POINT_JOIN:
        return "thread";
    case ST_POINT_ONCE:
        return "initialisation";
    case ST_POINT_FUTEX_WAIT:
        return "futex";
    case ST_POINT_SLEEP:
        return "time";
    case ST_POINT_IO:
        return "input";
    default:
        return NULL;
    }
}

/* ---- stretches: what a thread did before another one went on ---- */

struct stretch {
    uint32_t first, last; /* points */
};

static uint32_t thread_at(const struct st_control_log *log, uint32_t point) {
    return log->log[point].thread;
}

static struct stretch stretch_from(const struct st_control_log *log, uint32_t first) {
    uint32_t last = first;
    while (last + 1 < log->point_count && thread_at(log, last + 1) == thread_at(log, first))
        last++;
    return (struct stretch){first, last};
}

/* A log, and what was found in it beforehand. */
struct course {
    const struct st_control_log *log;
    struct st_places *places;
    struct st_log_index index;
};

static const struct st_control_deviation *stop_behind(const struct course *course, uint32_t point) {
    uint32_t stop = course->index.stop[point];
    return stop ? &course->log->deviations[stop - 1] : NULL;
}

/* Is the block of this point over in what the thread did later? */
static bool is_block_over(const struct course *course, uint32_t point) {
    const struct st_control_log *log = course->log;
    uint32_t next = course->index.next[point];
    if (next < log->point_count)
        return log->log[next].block != log->log[point].block;
    return log->threads[thread_at(log, point)].state == ST_THREAD_ENDED;
}

/* ---- steps ---- */

static json_t *make_step(uint32_t thread, const char *does) {
    char name[ST_THREAD_NAME];
    json_t *step = json_object();
    st_control_thread_name(thread, name);
    json_object_set_new(step, "thread", json_string(name));
    json_object_set_new(step, "does", json_string(does));
    return step;
}

static bool has_text(const json_t *array, const char *text) {
    size_t index;
    json_t *value;
    json_array_foreach(array, index, value) {
        if (strcmp(json_string_value(value), text) == 0)
            return true;
    }
    return false;
}

/* The blocks that begin in the stretch, or that it goes on in. */
static json_t *blocks_of(const struct course *course, struct stretch stretch) {
    const struct st_control_log *log = course->log;
    json_t *blocks = json_array();
    uint32_t before = 0;
    for (uint32_t i = stretch.first; i <= stretch.last; i++) {
        const struct st_control_point *point = &log->log[i];
        uint64_t address =
            point->block && point->block != before ? st_site_address(log, point->block_site) : 0;
        before = point->block;
        if (!address || json_array_size(blocks) == MOST_BLOCKS)
            continue;
        const char *name = st_places_function(course->places, address).function;
        bool of_library = strncmp(name, "std::", 5) == 0 || strncmp(name, "__", 2) == 0;
        if (!of_library && !has_text(blocks, name))
            json_array_append_new(blocks, json_string(name));
    }
    return blocks;
}

static void set_until(json_t *step, const struct course *course, struct stretch stretch) {
    const struct st_control_log *log = course->log;
    const struct st_control_point *last = &log->log[stretch.last];
    const char *until = "switch", *awaited = st_awaited(last->kind);
    bool leads_on = stretch.last + 1 < log->point_count;
    if (last->kind == ST_POINT_END || last->kind == ST_POINT_EXIT)
        until = "end";
    else if (stop_behind(course, stretch.last))
        until = "switch";
    else if (leads_on && awaited)
        until = "wait";
    else if (last->block && is_block_over(course, stretch.last))
        until = "block";
    else if (!leads_on && log->threads[last->thread].state == ST_THREAD_ENDED)
        until = "end";
    json_object_set_new(step, "until", json_string(until));
    if (strcmp(until, "wait") == 0) {
        json_object_set_new(step, "for", json_string(awaited));
        if (!st_name_site(step, course->places, log,
                          last->site)) { /* nobody knows a library's lines */
            json_object_del(step, "function");
            json_object_del(step, "loc");
        }
    }
}

/* In a library, the line that called it says more; or else the block. */
static void name_caller(json_t *step, const struct course *course, const uint64_t *callers,
                        uint32_t point) {
    const struct st_control_log *log = course->log;
    struct st_places *places = course->places;
    for (size_t i = 0; i < ST_CONTROL_CALLERS && callers[i]; i++)
        if (name_address(step, places, callers[i]))
            return;
    uint64_t site = point < log->point_count ? log->log[point].block_site : 0;
    uint64_t address = site ? st_site_address(log, site) : 0;
    if (address)
        json_object_set_new(step, "function",
                            json_string(st_places_function(places, address).function));
    json_object_del(step, "loc");
}

/* Steps of the threads that were stopped before are theirs to go on with. */
static void add_stretch(json_t *steps, const struct course *course, struct stretch stretch,
                        bool *stopped) {
    const struct st_control_log *log = course->log;
    uint32_t thread = thread_at(log, stretch.first);
    const struct st_control_deviation *stop = stop_behind(course, stretch.last);
    if (stopped[thread]) {
        stopped[thread] = false;
        json_array_append_new(steps, make_step(thread, "goes on"));
    } else if (stretch.first < stretch.last || !stop) {
        json_t *step = make_step(thread, "runs");
        json_object_set_new(step, "blocks", blocks_of(course, stretch));
        set_until(step, course, stretch);
        json_array_append_new(steps, step);
    }
    if (stop) {
        json_t *step = make_step(thread, "stops");
        if (!st_name_site(step, course->places, log, stop->site))
            name_caller(step, course, log->callers[stop - log->deviations],
                        course->index.next[stretch.last]);
        json_array_append_new(steps, step);
        stopped[thread] = true;
    }
}

static json_t *make_gap(size_t more, bool alike) {
    json_t *gap = json_object();
    json_object_set_new(gap, "more", json_integer((json_int_t)more));
    if (alike)
        json_object_set_new(gap, "alike", json_true());
    return gap;
}

/* How many steps from `at` on repeat the `round` steps before, in whole rounds. */
static size_t repeated_steps(const json_t *course, size_t at, size_t round) {
    size_t end = at;
    while (round <= at && end < json_array_size(course) &&
           json_equal(json_array_get(course, end), json_array_get(course, end - round)))
        end++;
    return (end - at) / round * round;
}

/* Threads that take turns do the same again and again: once is enough. */
static json_t *fold_rounds(json_t *course) {
    json_t *result = json_array();
    for (size_t i = 0; i < json_array_size(course);) {
        size_t repeated = 0;
        for (size_t round = 1; round <= LONGEST_ROUND && !repeated; round++)
            repeated = repeated_steps(course, i, round);
        if (repeated > 1)
            json_array_append_new(result, make_gap(repeated, true));
        else
            json_array_append(result, json_array_get(course, i));
        i += repeated > 1 ? repeated : 1;
    }
    json_decref(course);
    return result;
}

/* A course that is long is of interest at its beginning and at its end. */
static json_t *shorten(json_t *course) {
    size_t count = json_array_size(course), more = count - MOST_STEPS;
    if (count <= MOST_STEPS + 1)
        return course;
    json_t *result = json_array();
    for (size_t i = 0; i < count; i++) {
        if (i == MOST_STEPS - SHOWN_AT_END) {
            json_array_append_new(result, make_gap(more, false));
            i += more;
        }
        json_array_append(result, json_array_get(course, i));
    }
    json_decref(course);
    return result;
}

static bool is_any(const bool *list, uint32_t count) {
    for (uint32_t i = 0; i < count; i++)
        if (list[i])
            return true;
    return false;
}

json_t *st_course(const struct st_control_log *log, struct st_places *places) {
    static bool stopped[ST_CONTROL_THREADS];
    struct course course = {.log = log, .places = places};
    json_t *steps = json_array();
    uint32_t first = UINT32_MAX, last = 0;
    st_log_index_make(&course.index, log);
    memset(stopped, 0, sizeof stopped);
    for (uint32_t i = 0; i < log->deviation_count; i++) {
        uint32_t point = course.index.before[i];
        first = point < first ? point : first;
        last = point < log->point_count && point > last ? point : last;
    }
    for (uint32_t at = first; at < log->point_count;) {
        struct stretch stretch = stretch_from(log, at);
        add_stretch(steps, &course, stretch, stopped);
        at = stretch.last + 1;
        if (stretch.first > last && !is_any(stopped, log->thread_count))
            break;
    }
    st_log_index_free(&course.index);
    return shorten(fold_rounds(steps));
}
