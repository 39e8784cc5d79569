/* Memory that is mapped, unmapped and freed in ranges of any size: what the watcher knows of it,
 * compared with a model that has an entry for each granule. */
#include "watch/memory/origins.h"
#include "watch/locks.h"
#include "watch/translator_state.h"
#include "watch/memory/variables.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/resource.h>

#include <cmocka.h>

/* The same each time. */
static uint32_t random_below(uint64_t limit) {
    static uint64_t seed = 1;
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)((seed >> 33) % limit);
}

/* Islands of pages, far from each other; the granules of all are counted through. */
enum { ISLANDS = 4, ISLAND_GRANULES = 70 * ST_PAGE_GRANULES, GRANULES = ISLANDS * ISLAND_GRANULES };

static uint64_t address_of(uint32_t granule) {
    static const uint64_t islands[ISLANDS] = {0x10000, 0x40000000, 0x4000000000, 0x7fff00000000};
    return islands[granule / ISLAND_GRANULES] + 8 * (uint64_t)(granule % ISLAND_GRANULES);
}

/* From the first to the last granule, with all between their islands. */
struct range {
    uint32_t first, last;
    uint64_t address, length;
};

static struct range make_range(uint32_t first, uint32_t last) {
    uint64_t start = address_of(first);
    return (struct range){first, last, start, address_of(last) + 8 - start};
}

/* Many are small, some are all. */
static struct range random_range(void) {
    uint32_t first = random_below(GRANULES), more = random_below(UINT64_C(1) << random_below(20));
    return make_range(first, first + more < GRANULES ? first + more : GRANULES - 1);
}

static void note_variable(void *context, uint32_t variable, bool write) {
    (void)write;
    *(uint32_t *)context = variable;
}

static uint32_t touch(struct st_variables *v, uint64_t address) {
    uint32_t variable = ST_VARIABLE_NONE;
    st_variables_touch(v, address, 8, true, note_variable, &variable);
    return variable;
}

/* ---- variables ---- */

enum { GONE = UINT32_MAX };

/* Of each granule: its variable, or GONE. */
static void step_of_variables(struct st_variables *v, uint32_t *model) {
    if (random_below(4)) {
        uint32_t granule = random_below(GRANULES), count = st_variables_count(v);
        uint32_t expected = model[granule] == GONE ? count : model[granule];
        if (model[granule] != GONE && random_below(2))
            assert_int_equal(st_variables_find(v, address_of(granule) + 4, 4), ST_VARIABLE_NONE);
        assert_int_equal(touch(v, address_of(granule)), expected);
        model[granule] = expected;
        return;
    }
    struct range range = random_range();
    st_variables_forget(v, range.address + random_below(8), range.length - 7);
    for (uint32_t i = range.first; i <= range.last; i++)
        model[i] = GONE;
}

static void a_range_that_is_freed_is_forgotten_and_nothing_else(void **state) {
    (void)state;
    struct st_variables v;
    st_variables_init(&v);
    uint32_t *model = malloc(GRANULES * sizeof *model);
    assert_non_null(model);
    for (uint32_t i = 0; i < GRANULES; i++)
        model[i] = GONE;
    for (int i = 0; i < 60000; i++)
        step_of_variables(&v, model);
    free(model);
    st_variables_free(&v);
}

/* ---- allocations ---- */

enum { NO_ORIGIN = 0, UNSETTLED = UINT32_MAX };

/* Of each granule: the allocation that it is in; one of which a part was allocated anew is freed
 * before by a real program. */
struct allocations {
    uint32_t *origin, *first, *last;
};

static void unsettle(const struct allocations *model, uint32_t granule) {
    if (model->origin[granule] == NO_ORIGIN || model->origin[granule] == UNSETTLED)
        return;
    uint32_t first = model->first[granule], last = model->last[granule];
    for (uint32_t i = first; i <= last; i++)
        model->origin[i] = UNSETTLED;
}

static void allocate(struct st_variables *v, const struct allocations *model, uint32_t origin) {
    struct range range = random_range();
    unsettle(model, range.first);
    unsettle(model, range.last);
    st_variables_allocate(v, range.address, range.length, origin);
    for (uint32_t i = range.first; i <= range.last; i++) {
        model->origin[i] = origin;
        model->first[i] = range.first;
        model->last[i] = range.last;
    }
}

static void expect_place(const struct st_variables *v, const struct allocations *model,
                         uint32_t granule) {
    struct st_data_place place = st_variables_place(v, address_of(granule) + 3);
    if (model->origin[granule] == UNSETTLED)
        return;
    assert_int_equal(place.origin, model->origin[granule]);
    if (place.origin)
        assert_int_equal(place.offset, address_of(granule) + 3 - address_of(model->first[granule]));
}

static void memory_is_named_after_the_last_allocation_there(void **state) {
    (void)state;
    struct st_variables v;
    st_variables_init(&v);
    uint32_t *memory = calloc(3 * (size_t)GRANULES, sizeof *memory);
    assert_non_null(memory);
    struct allocations model = {memory, memory + GRANULES, memory + 2 * (size_t)GRANULES};
    for (uint32_t i = 0; i < 6000; i++) {
        allocate(&v, &model, 1 + i % 1000);
        for (int j = 0; j < 20; j++)
            expect_place(&v, &model, random_below(GRANULES));
    }
    free(memory);
    st_variables_free(&v);
}

/* ---- locks ---- */

static void step_of_objects(struct st_objects *objects, uint32_t *model, uint32_t number) {
    if (random_below(4)) {
        uint32_t granule = random_below(GRANULES);
        struct st_sync_object *object = st_object_at(objects, address_of(granule), granule % 3);
        assert_int_equal(object->number, model[granule]);
        if (object->number == ST_NO_OBJECT)
            assert_int_equal(object->holder, 0);
        object->number = model[granule] = number;
        object->holder = object->count = 1;
        return;
    }
    struct range range = random_range();
    st_objects_forget(objects, range.address, range.length);
    for (uint32_t i = range.first; i <= range.last; i++)
        model[i] = ST_NO_OBJECT;
}

static void locks_in_a_range_that_is_freed_are_gone_and_no_others(void **state) {
    (void)state;
    struct st_objects objects;
    st_objects_init(&objects);
    uint32_t *model = malloc(GRANULES * sizeof *model);
    assert_non_null(model);
    for (uint32_t i = 0; i < GRANULES; i++)
        model[i] = ST_NO_OBJECT;
    for (uint32_t i = 0; i < 60000; i++)
        step_of_objects(&objects, model, i);
    free(model);
    st_objects_free(&objects);
}

/* ---- cost ---- */

/* A program maps 16 MB anew, again and again, in which it touches a byte now. This took hours when
 * each page that was ever touched was searched. */
static void what_was_touched_long_ago_costs_nothing(void **state) {
    (void)state;
    const uint64_t start = 0x7f0000000000, length = 16 << 20;
    struct st_variables v;
    struct st_objects objects;
    st_variables_init(&v);
    st_objects_init(&objects);
    for (uint64_t at = start; at < start + length; at += 8) {
        touch(&v, at);
        st_object_at(&objects, at, 0)->number = 1;
    }
    for (uint32_t i = 0; i < 100000; i++) {
        st_variables_forget(&v, start, length);
        st_variables_forget(&v, 0, UINT64_C(1) << 47);
        st_objects_forget(&objects, start, length);
        st_objects_forget(&objects, 0, UINT64_C(1) << 47);
        st_variables_allocate(&v, start, length, 1);
        uint64_t at = start + 4096 * (uint64_t)(i % 4096);
        assert_int_equal(touch(&v, at), length / 8 + i);
        assert_int_equal(st_object_at(&objects, at, 0)->number, ST_NO_OBJECT);
    }
    st_variables_free(&v);
    st_objects_free(&objects);
}

/* Buffers of more than a page are freed and allocated in any order: none of them moves others. */
static void an_allocation_costs_the_same_among_many(void **state) {
    (void)state;
    enum { COUNT = 200000, BYTES = 5000 };
    struct st_variables v;
    st_variables_init(&v);
    for (uint64_t i = 0; i < COUNT; i++)
        st_variables_allocate(&v, 0x10000 + i * BYTES, BYTES, 1);
    for (uint32_t i = 0; i < COUNT; i++) {
        uint64_t address = 0x10000 + (uint64_t)random_below(COUNT) * BYTES;
        st_variables_allocate(&v, address, BYTES, 2 + i);
        assert_int_equal(st_variables_place(&v, address + BYTES - 1).origin, 2 + i);
    }
    st_variables_free(&v);
}

static long most_memory(void) {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss / 1024; /* MB */
}

/* A program that maps ever new addresses. With a page of ours for each it takes 1 GB. */
static void pages_of_what_was_freed_serve_for_others(void **state) {
    (void)state;
    struct st_variables v;
    st_variables_init(&v);
    long before = most_memory();
    for (uint64_t i = 0; i < 250000; i++) {
        uint64_t at = i << 24;
        st_variables_allocate(&v, at, 64, 1);
        touch(&v, at + 8);
        st_variables_forget(&v, at, 1 << 16);
        st_variables_allocate(&v, at, 1 << 16, 2); /* in place of the small one */
    }
    assert_true(most_memory() < before + 500);
    st_variables_free(&v);
}

/* ---- where variables were ---- */

/* Neighbours most of the time, in allocations and outside of them, and some that move. */
static void origins_come_back(void **state) {
    (void)state;
    enum { MANY = 5000 };
    static struct st_origin expected[MANY];
    struct st_origins origins = {0};
    uint32_t chance = 1;
    struct st_origin next = {0x1000, 0, 0};
    for (uint32_t i = 0; i < MANY; i++) {
        chance = chance * 1664525 + 1013904223;
        if (chance >> 24 == 0) {
            uint32_t origin = chance >> 8 & 3;
            next = (struct st_origin){chance, origin, origin ? chance & 0xff : 0};
        }
        expected[i] = next;
        st_origins_add(&origins, next);
        next.address += 8;
        next.offset += next.origin ? 8 : 0;
    }
    for (uint32_t i = 7; i < MANY; i += 501) {
        expected[i].address += i % 2 ? 4096 : 0;
        st_origins_move(&origins, i, expected[i].address);
    }
    assert_int_equal(origins.count, MANY);
    for (uint32_t i = 0; i < MANY; i++) {
        struct st_origin found = st_origins_get(&origins, i);
        assert_int_equal(found.address, expected[i].address);
        assert_int_equal(found.origin, expected[i].origin);
        assert_int_equal(found.offset, expected[i].offset);
    }
    st_origins_free(&origins);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(origins_come_back),
        cmocka_unit_test(a_range_that_is_freed_is_forgotten_and_nothing_else),
        cmocka_unit_test(memory_is_named_after_the_last_allocation_there),
        cmocka_unit_test(locks_in_a_range_that_is_freed_are_gone_and_no_others),
        cmocka_unit_test(what_was_touched_long_ago_costs_nothing),
        cmocka_unit_test(an_allocation_costs_the_same_among_many),
        cmocka_unit_test(pages_of_what_was_freed_serve_for_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
