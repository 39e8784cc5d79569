#include "hunt/suspects.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

void st_suspects_free(struct st_suspects *suspects) {
    for (size_t i = 0; i < suspects->count; i++) {
        json_decref(suspects->list[i].prediction);
        free(suspects->list[i].ways);
    }
    free(suspects->list);
}

static const char *text_in(const json_t *object, const char *key) {
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "";
}

static bool are_same_text(const json_t *a, const char *a_key, const json_t *b, const char *b_key) {
    const char *text = text_in(a, a_key);
    return *text && strcmp(text, text_in(b, b_key)) == 0;
}

static uint32_t number_in(const json_t *object, const char *key) {
    return (uint32_t)json_integer_value(json_object_get(object, key));
}

/* ---- placing ---- */

#define KIND(name) (UINT64_C(1) << ST_POINT_##name)

/* What points can be where an event of a trace does this; 0: anything. */
static uint64_t kinds_of(const char *does) {
    static const struct {
        const char *word;
        uint64_t kinds;
    } words[] = {
        {"read", KIND(READ) | KIND(ATOMIC_READ) | KIND(ATOMIC_WRITE)},
        {"write", KIND(WRITE) | KIND(ATOMIC_WRITE)},
        {"acquire", KIND(LOCK) | KIND(READ_LOCK) | KIND(TRY_LOCK) | KIND(COND_WAIT) |
                        KIND(SEM_WAIT) | KIND(ATOMIC_WRITE)},
        {"release", KIND(UNLOCK) | KIND(COND_WAIT) | KIND(SEM_POST) | KIND(ATOMIC_WRITE)},
    };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(does, words[i].word) == 0)
            return words[i].kinds;
    return 0;
}

/* A place where no point was yet is an access. */
static bool fits(const json_t *place, const json_t *step) {
    uint64_t kinds = (uint64_t)json_integer_value(json_object_get(place, "kinds"));
    uint64_t wanted = kinds_of(text_in(step, "does"));
    return !wanted || (kinds ? kinds & wanted : wanted & (KIND(READ) | KIND(WRITE)));
}

/* The sites of an event, or of an entry. By the innermost line; where that is not there, by the
 * user's. */
static uint32_t find_sites(uint64_t *sites, const json_t *step, const json_t *places) {
    static const char *const keys[] = {"line", "loc"};
    uint32_t count = 0;
    for (size_t i = 0; i < sizeof keys / sizeof *keys && !count; i++) {
        size_t index;
        json_t *place;
        json_array_foreach(places, index, place) {
            if (count < ST_CONTROL_STEP_SITES && are_same_text(place, keys[i], step, keys[i]) &&
                fits(place, step))
                sites[count++] = strtoull(text_in(place, "site"), NULL, 16);
        }
    }
    return count;
}

/* The index + 1 of the thread that a trace calls so; 0: not known. */
static uint32_t thread_named(const char *name) {
    if (strcmp(name, "main") == 0)
        return 1;
    return *name == 'T' ? (uint32_t)strtoul(name + 1, NULL, 10) + 1 : 0;
}

static struct st_control_step place_step(const json_t *step, const json_t *places) {
    const json_t *entry = json_object_get(step, "entry");
    struct st_control_step placed = {.role = number_in(step, "role"),
                                     .thread = thread_named(text_in(step, "in_trace"))};
    placed.site_count = find_sites(placed.sites, step, places);
    placed.entry_count = entry ? find_sites(placed.entries, entry, places) : 0;
    return placed;
}

/* Steps that have no place are left out, the first aside. */
static bool place_way(struct st_placed_way *way, const json_t *steps, const json_t *places) {
    uint32_t moved[ST_CONTROL_STEPS];
    size_t index;
    json_t *step;
    *way = (struct st_placed_way){0};
    json_array_foreach(steps, index, step) {
        struct st_control_step placed = place_step(step, places);
        if (index >= ST_CONTROL_STEPS)
            return false;
        moved[index] = way->step_count;
        if (!placed.site_count && !index)
            return false;
        if (!placed.site_count)
            continue;
        uint32_t same = number_in(step, "same");
        placed.same = same <= index ? moved[same] : way->step_count;
        way->with_others |= placed.role != 0;
        way->steps[way->step_count++] = placed;
    }
    return way->step_count > 0;
}

static void place_suspect(struct st_suspect *suspect, const json_t *places) {
    const json_t *ways = json_object_get(suspect->prediction, "ways");
    suspect->ways = st_alloc(json_array_size(ways) + 1, sizeof *suspect->ways);
    for (size_t i = 0; i < json_array_size(ways); i++)
        suspect->way_count +=
            place_way(&suspect->ways[suspect->way_count], json_array_get(ways, i), places);
}

void st_suspects_take(struct st_suspects *suspects, const json_t *list, const json_t *places) {
    size_t index;
    json_t *prediction;
    suspects->list = st_alloc(json_array_size(list) + 1, sizeof *suspects->list);
    json_array_foreach(list, index, prediction) {
        struct st_suspect *suspect = &suspects->list[suspects->count++];
        *suspect = (struct st_suspect){.prediction = json_incref(prediction),
                                       .impossible =
                                           json_is_true(json_object_get(prediction, "impossible"))};
        place_suspect(suspect, places);
    }
}

/* ---- trying ---- */

static struct st_suspect *least_planned(const struct st_suspects *suspects, bool impossible,
                                        uint64_t most_tries) {
    struct st_suspect *best = NULL;
    for (size_t i = 0; i < suspects->count; i++) {
        struct st_suspect *suspect = &suspects->list[i];
        if (suspect->way_count && !suspect->confirmed && suspect->impossible == impossible &&
            suspect->planned < most_tries && (!best || suspect->planned < best->planned))
            best = suspect;
    }
    return best;
}

struct st_suspect *st_suspects_next(const struct st_suspects *suspects, uint64_t most_tries) {
    enum { SELDOM = 4 };
    struct st_suspect *next = least_planned(suspects, false, most_tries);
    return next ? next : least_planned(suspects, true, most_tries / SELDOM);
}

static uint32_t copy_sites(uint64_t *target, const struct st_control_step *step) {
    memcpy(target, step->sites, sizeof step->sites);
    return step->site_count;
}

/* Without the order of the steps, and whatever objects they are about. */
static void hold_loosely(const struct st_placed_way *way, struct st_run_plan *plan) {
    const struct st_control_step *other = NULL, *last = NULL;
    for (uint32_t i = 0; i < way->step_count; i++)
        if (way->steps[i].role) {
            other = other ? other : &way->steps[i];
            last = &way->steps[i];
        }
    plan->strategy = other ? ST_STRATEGY_DIRECTED : ST_STRATEGY_STALL;
    plan->hold.first_count = copy_sites(plan->hold.first, &way->steps[0]);
    if (other) {
        plan->hold.other_count = copy_sites(plan->hold.other, other);
        plan->hold.last_count = copy_sites(plan->hold.last, last);
    }
}

/* The block is stopped behind each of its steps in turn. */
static void stall_somewhere(const struct st_placed_way *way, uint64_t number,
                            struct st_run_plan *plan) {
    plan->strategy = ST_STRATEGY_STALL;
    plan->hold.first_count = copy_sites(plan->hold.first, &way->steps[number % way->step_count]);
}

/* The threads may be others than in the recorded run. */
static void follow_steps(const struct st_placed_way *way, bool by_any, struct st_run_plan *plan) {
    plan->strategy = ST_STRATEGY_STEPS;
    plan->step_count = way->step_count;
    memcpy(plan->steps, way->steps, sizeof plan->steps);
    for (uint32_t i = 0; by_any && i < way->step_count; i++)
        plan->steps[i].thread = 0;
}

void st_suspect_try(struct st_suspect *suspect, struct st_run_plan *plan) {
    enum { ROUND = 4, BY_ANY = 1, LOOSELY = 3 }; /* the second and the last of so many */
    uint64_t number = suspect->planned++;
    uint64_t turn = number / suspect->way_count % ROUND;
    const struct st_placed_way *way = &suspect->ways[number % suspect->way_count];
    if (!way->with_others)
        stall_somewhere(way, number / suspect->way_count, plan);
    else if (turn == LOOSELY)
        hold_loosely(way, plan);
    else
        follow_steps(way, turn == BY_ANY, plan);
}

/* ---- recognising ---- */

static bool is_kind(const struct st_suspect *suspect, const char *kind) {
    return strcmp(text_in(suspect->prediction, "kind"), kind) == 0;
}

static bool has_text(const json_t *array, const char *text) {
    size_t index;
    json_t *value;
    json_array_foreach(array, index, value) {
        if (json_is_string(value) && strcmp(json_string_value(value), text) == 0)
            return true;
    }
    return false;
}

/* Is one of the dependences about a variable that the prediction is about? */
static bool shares_variable(const struct st_suspect *suspect, const json_t *path) {
    const json_t *on = json_object_get(suspect->prediction, "on");
    size_t index;
    json_t *edge;
    json_array_foreach(path, index, edge) {
        if (has_text(on, text_in(edge, "on")))
            return true;
    }
    return false;
}

/* Memory without a name, such as that of a local variable, has only an address, and the recording
 * and the run need not agree on that. */
static bool has_nameless(const struct st_suspect *suspect) {
    size_t index;
    json_t *name;
    json_array_foreach(json_object_get(suspect->prediction, "on"), index, name) {
        if (strncmp(json_string_value(name), "0x", 2) == 0)
            return true;
    }
    return false;
}

static bool is_step_of(const json_t *way, const json_t *place) {
    size_t index;
    json_t *step;
    json_array_foreach(way, index, step) {
        if (are_same_text(step, "loc", place, "loc"))
            return true;
    }
    return false;
}

/* Does one of the dependences lead from a line of the prediction to another? */
static bool shares_lines(const struct st_suspect *suspect, const json_t *path) {
    size_t index, number;
    json_t *way, *edge;
    json_array_foreach(json_object_get(suspect->prediction, "ways"), index, way) {
        json_array_foreach(path, number, edge) {
            if (is_step_of(way, json_object_get(edge, "from")) &&
                is_step_of(way, json_object_get(edge, "to")))
                return true;
        }
    }
    return false;
}

static bool names_others(const struct st_suspect *suspect) {
    size_t index, number;
    json_t *way, *step;
    json_array_foreach(json_object_get(suspect->prediction, "ways"), index, way) {
        json_array_foreach(way, number, step) {
            if (number_in(step, "role"))
                return true;
        }
    }
    return false;
}

bool st_suspect_is_cut(const struct st_suspect *suspect, const json_t *violation) {
    const json_t *path = json_object_get(violation, "path");
    return is_kind(suspect, "cut") &&
           are_same_text(suspect->prediction, "block", violation, "block") &&
           (!names_others(suspect) || shares_variable(suspect, path) ||
            (has_nameless(suspect) && shares_lines(suspect, path)));
}

/* Does the thread wait where the step has it wait? In a library, many do: then it must be for one
 * of the locks. */
static bool waits_at(const struct st_suspect *suspect, const json_t *step, const json_t *thread) {
    return are_same_text(step, "loc", thread, "loc") ||
           (are_same_text(step, "line", thread, "loc") &&
            has_text(json_object_get(suspect->prediction, "on"), text_in(thread, "object")));
}

/* Two of those who were to wait do so where they were to. */
bool st_suspect_is_stuck(const struct st_suspect *suspect, const json_t *stuck) {
    const json_t *way = json_array_get(json_object_get(suspect->prediction, "ways"), 0);
    size_t index, found = 0, half = json_array_size(way) / 2;
    json_t *thread;
    if (!is_kind(suspect, "deadlock"))
        return false;
    json_array_foreach(stuck, index, thread) {
        bool waits = false;
        for (size_t i = half; i < 2 * half; i++)
            waits |= waits_at(suspect, json_array_get(way, i), thread);
        found += waits;
    }
    return found >= 2;
}
