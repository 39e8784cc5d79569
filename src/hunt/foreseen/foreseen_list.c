#include "hunt/foreseen/foreseen_list.h"

#include "base/memory.h"
#include "report/calls.h"

#include <stdlib.h>
#include <string.h>

enum {
    MOST_FORESEEN = 200,
    MOST_WAYS = 6, /* of one prediction */
    MOST_STEPS = 16
};

void st_foreseen_init(struct st_foreseen_list *list, const struct st_trace_input *input) {
    *list = (struct st_foreseen_list){.symbols = &input->symbols,
                                      .threads = &st_trace_symbols(input->reading.trace)->threads,
                                      .contexts = {.symbols = &input->symbols},
                                      .has_contexts = input->tracker != NULL,
                                      .list = json_array()};
}

/* ---- order ---- */

static bool is_certain(const json_t *prediction) {
    const char *verdict = json_string_value(json_object_get(prediction, "verdict"));
    return verdict && strcmp(verdict, "violation") == 0;
}

json_t *st_foreseen_finish(struct st_foreseen_list *list) {
    json_t *sorted = json_array(), *prediction;
    size_t index;
    for (int certain = 1; certain >= 0; certain--)
        json_array_foreach(list->list, index, prediction) {
            if (is_certain(prediction) == certain)
                json_array_append(sorted, prediction);
        }
    json_decref(list->list);
    st_context_details_free(&list->contexts);
    return sorted;
}

/* ---- texts ---- */

/* A name may be no UTF-8. */
static json_t *text_of(const char *text) {
    json_t *value = json_string(text ? text : "");
    return value ? value : json_string("?");
}

static json_t *thread_text(const struct st_foreseen_list *list, uint32_t thread) {
    return text_of(st_name(&list->symbols->threads, thread));
}

static const struct st_details *details_of(struct st_foreseen_list *list) {
    list->details = (struct st_details){st_context_details_lookup, &list->contexts};
    return list->has_contexts ? &list->details : NULL;
}

static void set_place(struct st_foreseen_list *list, json_t *object, uint64_t loc) {
    char buffer[ST_LOCATION_SIZE];
    struct st_user_line user = st_user_line(list->symbols, details_of(list), loc, buffer);
    json_object_set_new(object, "function", text_of(user.function));
    json_object_set_new(object, "loc", text_of(user.location));
    struct st_user_line inner = st_innermost_line(list->symbols, details_of(list), loc, buffer);
    json_object_set_new(object, "line", text_of(inner.location));
}

/* ---- ways ---- */

/* Variables, locks and channels have numbers of their own. */
static int sort_of(const struct st_event *event) {
    switch ((enum st_op)event->written) {
    case ST_READ:
    case ST_WRITE:
        return 0;
    case ST_ACQUIRE:
    case ST_RELEASE:
        return 1;
    default:
        return 2;
    }
}

static bool are_same_object(const struct st_event *a, const struct st_event *b) {
    return sort_of(a) == sort_of(b) && a->target == b->target;
}

struct way {
    const struct st_place *places[MOST_STEPS];
    size_t count;
};

static size_t first_same(const struct way *way, size_t index) {
    size_t i = 0;
    while (i < index && !are_same_object(&way->places[i]->event, &way->places[index]->event))
        i++;
    return i;
}

static size_t role_of(const struct way *way, size_t index) {
    size_t role = 0;
    for (size_t i = 0; i <= index; i++) {
        size_t j = 0;
        while (way->places[j]->event.thread != way->places[i]->event.thread)
            j++;
        if (way->places[i]->event.thread == way->places[index]->event.thread)
            return role;
        role += j == i;
    }
    return role;
}

static json_t *make_step(struct st_foreseen_list *list, const struct way *way, size_t index) {
    const struct st_event *event = &way->places[index]->event;
    json_t *step = json_object();
    char *op = st_op_text(list->symbols, event);
    json_object_set_new(step, "role", json_integer((json_int_t)role_of(way, index)));
    json_object_set_new(step, "same", json_integer((json_int_t)first_same(way, index)));
    json_object_set_new(step, "thread", thread_text(list, event->thread));
    json_object_set_new(step, "in_trace", text_of(st_name(list->threads, event->thread)));
    json_object_set_new(step, "op", text_of(op));
    json_object_set_new(step, "does", text_of(st_op_word((enum st_op)event->written)));
    json_object_set_new(step, "event", json_integer((json_int_t)way->places[index]->number));
    set_place(list, step, event->loc);
    free(op);
    return step;
}

/* Without what says nothing of the code, so that the same way is known in other threads. */
static bool are_equal_ways(const json_t *a, const json_t *b) {
    static const char *const keys[] = {"role", "same", "does", "line"};
    bool equal = json_array_size(a) == json_array_size(b);
    for (size_t i = 0; equal && i < json_array_size(a); i++)
        for (size_t j = 0; j < sizeof keys / sizeof *keys; j++)
            equal &= json_equal(json_object_get(json_array_get(a, i), keys[j]),
                                json_object_get(json_array_get(b, i), keys[j]));
    return equal;
}

static void add_way(struct st_foreseen_list *list, json_t *prediction, const struct way *way) {
    json_t *ways = json_object_get(prediction, "ways"), *steps = json_array(), *known;
    size_t index;
    for (size_t i = 0; i < way->count; i++)
        json_array_append_new(steps, make_step(list, way, i));
    bool is_new = json_array_size(ways) < MOST_WAYS;
    json_array_foreach(ways, index, known) is_new &= !are_equal_ways(known, steps);
    if (is_new && way->count)
        json_array_append(ways, steps);
    json_decref(steps);
}

/* ---- predictions ---- */

static void add_text_once(json_t *array, const char *text) {
    size_t index;
    json_t *value;
    json_array_foreach(array, index, value) {
        if (strcmp(json_string_value(value), text) == 0)
            return;
    }
    json_array_append_new(array, text_of(text));
}

static int by_text(const void *left, const void *right) {
    return strcmp(*(const char *const *)left, *(const char *const *)right);
}

static json_t *sorted_names(const struct st_foreseen_list *list, const uint32_t *variables,
                            size_t count) {
    json_t *names = json_array();
    const char **texts = st_alloc(count + 1, sizeof *texts);
    for (size_t i = 0; i < count; i++)
        texts[i] = st_target_name(list->symbols, ST_READ, variables[i]);
    if (count)
        qsort(texts, count, sizeof *texts, by_text);
    for (size_t i = 0; i < count; i++)
        add_text_once(names, texts[i]);
    free(texts);
    return names;
}

static json_t *new_prediction(struct st_foreseen_list *list, const char *kind) {
    json_t *prediction = json_object();
    json_object_set_new(prediction, "kind", text_of(kind));
    json_object_set_new(prediction, "engines", json_array());
    json_object_set_new(prediction, "verdict", text_of("potential"));
    json_object_set_new(prediction, "impossible", json_false());
    json_object_set_new(prediction, "ways", json_array());
    json_array_append_new(list->list, prediction);
    return prediction;
}

static bool has_text(const json_t *object, const char *key, const char *text) {
    const char *value = json_string_value(json_object_get(object, key));
    return value && strcmp(value, text) == 0;
}

/* NULL: there is none. `on` may be NULL: whatever it is about. */
static json_t *find_cut(const struct st_foreseen_list *list, const char *block, const json_t *on) {
    size_t index;
    json_t *prediction;
    json_array_foreach(list->list, index, prediction) {
        if (has_text(prediction, "kind", "cut") && has_text(prediction, "block", block) &&
            (!on || json_equal(json_object_get(prediction, "on"), on)))
            return prediction;
    }
    return NULL;
}

static json_t *new_cut(struct st_foreseen_list *list, const struct st_predicted_block *block,
                       const char *name, json_t *on, unsigned depth) {
    json_t *prediction = new_prediction(list, "cut"), *place = json_object();
    json_object_set_new(prediction, "block", text_of(name));
    json_object_set(prediction, "on", on);
    json_object_set_new(prediction, "depth", json_integer((json_int_t)depth));
    json_object_set_new(prediction, "begin", json_integer((json_int_t)block->begin));
    json_object_set_new(prediction, "thread", thread_text(list, block->thread));
    json_object_set_new(prediction, "pattern",
                        block->pattern ? text_of(block->pattern) : json_null());
    set_place(list, place, block->begin_loc);
    json_object_set(prediction, "loc", json_object_get(place, "loc"));
    json_decref(place);
    return prediction;
}

static bool names_others(const struct st_predicted_block *block) {
    for (size_t i = 0; i < block->event_count; i++)
        if (block->events[i].event.thread != block->thread)
            return true;
    return false;
}

/* From the block's first step on. A way that is too long is none. */
static struct way way_of(const struct st_predicted_block *block) {
    struct way way = {.count = 0};
    size_t from = 0;
    while (from < block->event_count && block->events[from].event.thread != block->thread)
        from++;
    if (block->event_count - from > MOST_STEPS)
        return way;
    for (size_t i = from; i < block->event_count; i++)
        way.places[way.count++] = &block->events[i];
    return way;
}

static void add_block(struct st_foreseen_list *list, const char *engine,
                      const struct st_predicted_block *block, unsigned depth) {
    const char *name = st_target_name(list->symbols, ST_BEGIN, block->block);
    json_t *on = sorted_names(list, block->variables, block->variable_count);
    json_t *prediction = find_cut(list, name, names_others(block) ? on : NULL);
    if (!prediction && json_array_size(list->list) < MOST_FORESEEN)
        prediction = new_cut(list, block, name, on, depth);
    if (prediction) {
        struct way way = way_of(block);
        add_text_once(json_object_get(prediction, "engines"), engine);
        if (block->verdict == ST_BLOCK_VIOLATION)
            json_object_set_new(prediction, "verdict", text_of("violation"));
        if (names_others(block) || !json_array_size(json_object_get(prediction, "ways")))
            add_way(list, prediction, &way);
    }
    json_decref(on);
}

/* ---- deadlocks ---- */

static void add_deadlock(struct st_foreseen_list *list,
                         const struct st_predicted_deadlock *deadlock) {
    struct way way = {.count = 0};
    if (2 * deadlock->count > MOST_STEPS || json_array_size(list->list) >= MOST_FORESEEN)
        return;
    json_t *prediction = new_prediction(list, "deadlock"), *on = json_array();
    for (size_t i = 0; i < deadlock->count; i++) {
        way.places[way.count++] = &deadlock->waits[i].holds;
        add_text_once(
            on, st_target_name(list->symbols, ST_ACQUIRE, deadlock->waits[i].holds.event.target));
    }
    for (size_t i = 0; i < deadlock->count; i++)
        way.places[way.count++] = &deadlock->waits[i].wants;
    add_text_once(json_object_get(prediction, "engines"), "deadlock");
    json_object_set_new(prediction, "on", on);
    json_object_set_new(prediction, "begin", json_integer((json_int_t)way.places[0]->number));
    json_object_set_new(prediction, "thread", thread_text(list, way.places[0]->event.thread));
    add_way(list, prediction, &way);
    json_t *first = json_array_get(json_array_get(json_object_get(prediction, "ways"), 0), 0);
    json_object_set(prediction, "loc", json_object_get(first, "loc"));
    json_object_set_new(prediction, "pattern", json_null());
}

/* Deadlocks in the same lines are one. */
static void drop_known_deadlock(struct st_foreseen_list *list) {
    size_t last = json_array_size(list->list) - 1;
    json_t *ways = json_object_get(json_array_get(list->list, last), "ways");
    for (size_t i = 0; i < last; i++) {
        json_t *other = json_array_get(list->list, i);
        if (has_text(other, "kind", "deadlock") &&
            are_equal_ways(json_array_get(json_object_get(other, "ways"), 0),
                           json_array_get(ways, 0))) {
            json_array_remove(list->list, last);
            return;
        }
    }
}

/* ---- all ---- */

/* What names those who come in between comes first, so that the rest can join it. */
static void add_blocks(struct st_foreseen_list *list, const struct st_predictions *predictions,
                       unsigned depth, bool with_others) {
    for (size_t i = predictions->count; i-- > 0;) {
        const struct st_prediction *items = &predictions->items[i];
        for (size_t j = 0; j < items->listed; j++)
            if (st_is_reported(&items->blocks[j]) && names_others(&items->blocks[j]) == with_others)
                add_block(list, items->engine, &items->blocks[j], depth);
    }
}

bool st_foreseen_add(struct st_foreseen_list *list, const struct st_predictions *predictions,
                     unsigned depth) {
    bool any = false;
    add_blocks(list, predictions, depth, true);
    add_blocks(list, predictions, depth, false);
    for (size_t i = 0; i < predictions->count; i++) {
        any |= st_all_reported(&predictions->items[i]) > 0;
        list->undecided |= predictions->items[i].by[ST_BLOCK_TIMEOUT] > 0;
    }
    for (size_t i = 0; depth == 0 && i < predictions->deadlock_count; i++) {
        size_t before = json_array_size(list->list);
        add_deadlock(list, &predictions->deadlocks[i]);
        if (json_array_size(list->list) > before)
            drop_known_deadlock(list);
    }
    return any;
}

/* ---- critical sections ---- */

/* Invariant: the locks that a thread holds, in the order in which it acquired them. */
struct holding {
    struct {
        uint32_t lock;
        uint64_t loc;
    } * locks;
    size_t count, capacity;
};

/* A step, and the number of its event. */
struct entering {
    json_t *step;
    uint64_t number;
};

struct finding_entries {
    struct st_foreseen_list *list;
    struct st_trace_input *input;
    struct entering *steps; /* by number */
    size_t step_count, step_capacity, next;
    struct holding *threads;
    size_t thread_capacity;
};

static void acquire(struct holding *holding, const struct st_event *event) {
    st_reserve(&holding->locks, &holding->capacity, holding->count + 1);
    holding->locks[holding->count].lock = event->target;
    holding->locks[holding->count++].loc = event->loc;
}

static void release(struct holding *holding, const struct st_event *event) {
    size_t i = holding->count;
    while (i > 0 && holding->locks[i - 1].lock != event->target)
        i--;
    if (!i)
        return;
    memmove(&holding->locks[i - 1], &holding->locks[i],
            (holding->count - i) * sizeof *holding->locks);
    holding->count--;
}

static void set_entry(struct finding_entries *finding, json_t *step,
                      const struct holding *holding) {
    if (!holding->count)
        return;
    json_t *entry = json_object();
    json_object_set_new(entry, "does", text_of("acquire"));
    set_place(finding->list, entry, st_trace_input_location(finding->input, holding->locks[0].loc));
    json_object_set_new(step, "entry", entry);
}

static void follow_locks(void *context, const struct st_event *events, size_t count,
                         uint64_t first) {
    struct finding_entries *finding = context;
    for (size_t i = 0; i < count && finding->next < finding->step_count; i++) {
        st_reserve(&finding->threads, &finding->thread_capacity, (size_t)events[i].thread + 1);
        struct holding *holding = &finding->threads[events[i].thread];
        for (; finding->next < finding->step_count &&
               finding->steps[finding->next].number == first + i;
             finding->next++)
            set_entry(finding, finding->steps[finding->next].step, holding);
        if (events[i].op == ST_ACQUIRE)
            acquire(holding, &events[i]);
        else if (events[i].op == ST_RELEASE)
            release(holding, &events[i]);
    }
}

static int by_event(const void *left, const void *right) {
    const struct entering *a = left, *b = right;
    return (a->number > b->number) - (a->number < b->number);
}

static void collect_steps(struct finding_entries *finding) {
    size_t i, j, k;
    json_t *prediction, *way, *step;
    json_array_foreach(finding->list->list, i, prediction) {
        json_array_foreach(json_object_get(prediction, "ways"), j, way) {
            json_array_foreach(way, k, step) {
                uint64_t number = (uint64_t)json_integer_value(json_object_get(step, "event"));
                st_reserve(&finding->steps, &finding->step_capacity, finding->step_count + 1);
                finding->steps[finding->step_count++] = (struct entering){step, number};
            }
        }
    }
    if (finding->step_count)
        qsort(finding->steps, finding->step_count, sizeof *finding->steps, by_event);
}

int st_foreseen_find_entries(struct st_foreseen_list *list, struct st_trace_input *input,
                             struct st_error *error) {
    struct finding_entries finding = {.list = list, .input = input};
    collect_steps(&finding);
    while (finding.next < finding.step_count && !finding.steps[finding.next].number)
        finding.next++;
    int result = finding.step_count ? st_trace_input_pass(input, follow_locks, &finding, error) : 0;
    for (size_t i = 0; i < finding.thread_capacity; i++)
        free(finding.threads[i].locks);
    free(finding.threads);
    free(finding.steps);
    return result;
}

/* ---- what cannot be ---- */

json_t *st_foreseen_unproved(const struct st_foreseen_list *list) {
    json_t *names = json_array(), *prediction;
    size_t index;
    json_array_foreach(list->list, index, prediction) {
        const char *block = json_string_value(json_object_get(prediction, "block"));
        if (block && *block && !is_certain(prediction))
            add_text_once(names, block);
    }
    return names;
}

void st_foreseen_refute(struct st_foreseen_list *list, const char *name) {
    size_t index;
    json_t *prediction;
    json_array_foreach(list->list, index, prediction) {
        if (has_text(prediction, "kind", "cut") && has_text(prediction, "block", name) &&
            !is_certain(prediction))
            json_object_set_new(prediction, "impossible", json_true());
    }
}
