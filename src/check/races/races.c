#include "check/races/races.h"

#include "base/lower_bound.h"
#include "base/map64.h"
#include "base/memory.h"
#include "check/engine.h"
#include "check/thread_slots.h"

#include <stdlib.h>
#include <string.h>

/* An access at a local time of its thread. time 0: none. */
struct access {
    uint32_t who; /* twice the thread's slot, plus 1 when it is atomic */
    st_time time;
    uint64_t number; /* of the event */
    uint64_t loc;
};

/* Several, ordered by `who`, at most one for each: the last. */
struct accesses {
    uint32_t count, capacity;
    struct access items[];
};

/* The reads and the writes that a later access may race with: one[ST_READ], or those in
 * several[ST_READ] when that is not NULL; the same for writes.
 *
 * Leaving others out makes no difference. An access can go when synchronisation orders another one
 * after it that conflicts with all that it conflicts with: whatever is ordered after the second is
 * ordered after the first. So a write stands for what is before it, and a read for reads; but an
 * atomic one for atomic ones only, since it races with plain ones only. One cache line. */
struct variable {
    struct access one[2];
    struct accesses *several[2];
};

_Static_assert(sizeof(struct variable) == 64, "a variable is one cache line");

/* What a lock, a channel or an atomic variable passes on: a clock, NULL while there is none. When
 * it is that of a single thread at one time, this is `time` of its slot; otherwise time is
 * ST_NEVER. */
struct message {
    uint32_t slot;
    st_time time;
    struct st_shared_row *clock;
};

struct messages {
    struct message *items;
    size_t capacity;
};

/* Invariant: the local time of a thread with a slot, its own entry, is 1 at least. */
struct st_races {
    st_on_race *on_race;
    void *context;
    struct st_thread_slots slots;
    struct st_rows rows;
    struct st_shared_row **clocks; /* by slot; NULL while it is vacant */
    size_t clock_capacity;
    /* By thread, while it has no slot: what it knows, by its fork or, once it was joined, by all
     * that it did. */
    struct st_shared_row **origins;
    size_t origin_capacity;
    struct variable *variables;
    size_t variable_capacity;
    struct messages locks, channels, atomics;
    struct st_map64 atomic_numbers; /* of variables with an atomic write, in `atomics` */
    size_t list_bytes;
    const char *gave_up; /* why, or NULL */
};

struct st_races *st_races_new(st_on_race *on_race, void *context) {
    struct st_races *races = st_alloc(1, sizeof *races);
    races->on_race = on_race;
    races->context = context;
    st_map64_init(&races->atomic_numbers);
    st_rows_init(&races->rows);
    return races;
}

void st_races_free(struct st_races *races) {
    if (!races)
        return;
    for (size_t x = 0; x < races->variable_capacity; x++) {
        free(races->variables[x].several[ST_READ]);
        free(races->variables[x].several[ST_WRITE]);
    }
    st_free_table(races->variables, races->variable_capacity, sizeof *races->variables);
    st_rows_free(&races->rows);
    free(races->clocks);
    free(races->origins);
    st_thread_slots_free(&races->slots);
    free(races->locks.items);
    free(races->channels.items);
    free(races->atomics.items);
    st_map64_free(&races->atomic_numbers);
    free(races);
}

/* ---- clocks ---- */

/* The local time of the thread in the slot. */
static st_time now(const struct st_races *races, uint32_t t) {
    return st_row_get(races->clocks[t], t);
}

static void set_time(struct st_races *races, uint32_t t, st_time time) {
    st_row_set(&races->rows, &races->clocks[t], t, time);
    if (time >= ST_TIME_LIMIT)
        races->gave_up = ST_OUT_OF_TIME;
    else if (races->rows.used_bytes > ST_RACES_CLOCK_BYTES)
        races->gave_up = "too many threads know of too many others";
}

/* What the thread does from now on is not what it has passed on. */
static void tick(struct st_races *races, uint32_t t) {
    set_time(races, t, now(races, t) + 1);
}

/* The first event of a thread, or of one that goes on after it was joined. */
static __attribute__((noinline)) uint32_t enter(struct st_races *races, uint32_t thread) {
    st_time last;
    uint32_t slot = st_thread_slots_enter(&races->slots, thread, races->origins[thread], &last);
    st_reserve(&races->clocks, &races->clock_capacity, (size_t)slot + 1);
    races->clocks[slot] = races->origins[thread];
    races->origins[thread] = NULL;
    set_time(races, slot, last + 1);
    return slot;
}

static struct message *message_at(struct messages *messages, uint32_t number) {
    st_reserve(&messages->items, &messages->capacity, (size_t)number + 1);
    return &messages->items[number];
}

/* A release: the thread acquired the lock, and with it the clock of the release before, so its own
 * clock covers all. */
static void pass_on(struct st_races *races, struct message *message, uint32_t t) {
    st_row_drop(&races->rows, message->clock);
    message->clock = st_row_share(races->clocks[t]);
    message->slot = t;
    message->time = now(races, t);
    tick(races, t);
}

/* A send: those of others count as before. */
static void add_to(struct st_races *races, struct message *message, uint32_t t) {
    bool all = !message->clock || (message->time != ST_NEVER &&
                                   st_row_get(races->clocks[t], message->slot) >= message->time);
    if (all) {
        pass_on(races, message, t);
        return;
    }
    st_row_join(&races->rows, &message->clock, races->clocks[t]);
    message->time = ST_NEVER;
    tick(races, t);
}

static void learn(struct st_races *races, uint32_t t, const struct message *message) {
    if (message->clock &&
        (message->time == ST_NEVER || st_row_get(races->clocks[t], message->slot) < message->time))
        st_row_join(&races->rows, &races->clocks[t], message->clock);
}

/* ---- the accesses of a variable ---- */

/* Does synchronisation order the access before a thread with that clock? */
static bool is_before(const struct st_shared_row *clock, const struct access *access) {
    return st_row_get(clock, access->who >> 1) >= access->time;
}

/* Does all that conflicts with `old` conflict with `new`, too, if they are of one kind or new
 * writes? */
static bool stands_for(uint32_t new, uint32_t old) {
    return !(new & 1) || old & 1;
}

static size_t list_size(uint32_t capacity) {
    return sizeof(struct accesses) + capacity * sizeof(struct access);
}

static void drop_list(struct st_races *races, struct variable *variable, enum st_op kind) {
    races->list_bytes -= list_size(variable->several[kind]->capacity);
    free(variable->several[kind]);
    variable->several[kind] = NULL;
    variable->one[kind].time = 0;
}

/* Removes accesses in the list that the new one stands for. */
static void thin(struct st_races *races, struct variable *variable, enum st_op kind,
                 const struct st_shared_row *clock, uint32_t who) {
    struct accesses *list = variable->several[kind];
    uint32_t kept = 0;
    for (uint32_t i = 0; i < list->count; i++)
        if (!is_before(clock, &list->items[i]) || !stands_for(who, list->items[i].who))
            list->items[kept++] = list->items[i];
    list->count = kept;
    if (!kept)
        drop_list(races, variable, kind);
}

static struct accesses *grow(struct st_races *races, struct variable *variable, enum st_op kind,
                             uint32_t capacity) {
    struct accesses *list = variable->several[kind];
    races->list_bytes += list_size(capacity) - (list ? list_size(list->capacity) : 0);
    list = st_realloc(list, list_size(capacity), 1);
    list->capacity = capacity;
    variable->several[kind] = list;
    return list;
}

/* The one access becomes the first of a list. */
static void start_list(struct st_races *races, struct variable *variable, enum st_op kind) {
    struct accesses *list = grow(races, variable, kind, 4);
    list->items[0] = variable->one[kind];
    list->count = 1;
}

/* The place of `who` in the list, or where it would be. */
static uint32_t find(const struct accesses *list, uint32_t who) {
    uint32_t at;
    st_lower_bound(at, 0, list->count, list->items[at].who < who);
    return at;
}

static __attribute__((noinline)) void insert(struct st_races *races, struct variable *variable,
                                             enum st_op kind, const struct st_shared_row *clock,
                                             const struct access *access) {
    struct accesses *list = variable->several[kind];
    uint32_t at = find(list, access->who);
    if (at < list->count && list->items[at].who == access->who) {
        list->items[at] = *access;
        return;
    }
    if (list->count == list->capacity) { /* make room */
        thin(races, variable, kind, clock, access->who);
        list = variable->several[kind];
        if (!list) {
            variable->one[kind] = *access;
            return;
        }
        if (list->count > list->capacity / 2)
            list = grow(races, variable, kind, 2 * list->capacity);
        at = find(list, access->who);
    }
    memmove(&list->items[at + 1], &list->items[at], (list->count - at) * sizeof *list->items);
    list->items[at] = *access;
    list->count++;
}

static inline void keep(struct st_races *races, struct variable *variable, enum st_op kind,
                        const struct st_shared_row *clock, const struct access *access) {
    struct access *one = &variable->one[kind];
    if (!variable->several[kind]) {
        if (!one->time || one->who == access->who ||
            (is_before(clock, one) && stands_for(access->who, one->who))) {
            *one = *access;
            return;
        }
        start_list(races, variable, kind);
    }
    insert(races, variable, kind, clock, access);
}

/* A write stands for all that is before it. */
static inline void supersede(struct st_races *races, struct variable *variable, enum st_op kind,
                             const struct st_shared_row *clock, uint32_t who) {
    struct access *one = &variable->one[kind];
    if (variable->several[kind])
        thin(races, variable, kind, clock, who);
    else if (one->time && is_before(clock, one) && stands_for(who, one->who))
        one->time = 0;
}

/* One of these accesses that the one of `who` races with, or NULL. */
static inline const struct access *find_race(const struct variable *variable, enum st_op kind,
                                             const struct st_shared_row *clock, uint32_t who) {
    const struct accesses *list = variable->several[kind];
    const struct access *items = list ? list->items : &variable->one[kind];
    for (uint32_t i = 0, count = list ? list->count : 1; i < count; i++)
        if (!is_before(clock, &items[i]) && !(items[i].who & who & 1))
            return &items[i];
    return NULL;
}

static __attribute__((noinline)) void report(const struct st_races *races,
                                             const struct access *access, enum st_op kind,
                                             const struct st_event *event, uint64_t number) {
    struct st_event earlier = {
        .thread = st_thread_slots_who(&races->slots, access->who >> 1, access->time),
        .target = event->target,
        .loc = access->loc & ((ST_LOC_NAME << 1) - 1),
        .written = kind,
        .atomic = access->who & 1,
        .op = kind};
    struct st_place from = {access->number, earlier}, to = {number, *event};
    races->on_race(races->context, &from, &to);
}

/* ---- events ---- */

static inline void on_access(struct st_races *races, const struct st_event *event, uint32_t t,
                             uint64_t number) {
    struct variable *variable = &races->variables[event->target];
    const struct st_shared_row *clock = races->clocks[t];
    enum st_op kind = (enum st_op)event->op;
    struct access access = {t << 1 | event->atomic, st_row_get(clock, t), number, event->loc};
    const struct access *race = find_race(variable, ST_WRITE, clock, access.who);
    enum st_op race_kind = ST_WRITE;
    if (kind == ST_WRITE && !race) {
        race = find_race(variable, ST_READ, clock, access.who);
        race_kind = ST_READ;
    }
    if (__builtin_expect(race != NULL, 0))
        report(races, race, race_kind, event, number);
    if (kind == ST_WRITE) {
        supersede(races, variable, ST_READ, clock, access.who);
        supersede(races, variable, ST_WRITE, clock, access.who);
    }
    keep(races, variable, kind, clock, &access);
}

/* An atomic read joins the clock of the variable before it is checked, and an atomic write passes
 * its clock on afterwards. */
static __attribute__((noinline)) void
on_atomic(struct st_races *races, const struct st_event *event, uint32_t t, uint64_t number) {
    if (event->op == ST_READ) {
        uint32_t known = st_map64_find(&races->atomic_numbers, event->target);
        if (known != ST_MAP64_NONE)
            learn(races, t, message_at(&races->atomics, known));
    }
    if (races->on_race)
        on_access(races, event, t, number);
    if (event->op == ST_WRITE)
        add_to(races,
               message_at(&races->atomics, st_map64_number(&races->atomic_numbers, event->target)),
               t);
}

static void on_fork(struct st_races *races, uint32_t t, uint32_t child) {
    st_row_join(&races->rows, &races->origins[child], races->clocks[t]);
    tick(races, t);
}

/* The child leaves its slot, unless it has none. If it did nothing, its fork comes before the
 * join. */
static void on_join(struct st_races *races, uint32_t t, uint32_t child) {
    uint32_t slot = races->slots.of[child];
    if (slot != ST_NO_SLOT) {
        st_thread_slots_leave(&races->slots, child, now(races, slot));
        races->origins[child] = races->clocks[slot];
        races->clocks[slot] = NULL;
    }
    st_row_join(&races->rows, &races->clocks[t], races->origins[child]);
}

static void on_sync(struct st_races *races, const struct st_event *event, uint32_t t) {
    switch (event->op) {
    case ST_ACQUIRE:
        learn(races, t, message_at(&races->locks, event->target));
        break;
    case ST_RELEASE:
        pass_on(races, message_at(&races->locks, event->target), t);
        break;
    case ST_SEND:
        add_to(races, message_at(&races->channels, event->target), t);
        break;
    case ST_RECEIVE:
        learn(races, t, message_at(&races->channels, event->target));
        break;
    case ST_FORK:
        on_fork(races, t, event->target);
        break;
    case ST_JOIN:
        on_join(races, t, event->target);
        break;
    default:
        break;
    }
}

void st_races_feed(struct st_races *races, const struct st_event *events, size_t count,
                   uint64_t first) {
    struct st_extent need = st_batch_extent(events, count);
    st_thread_slots_reserve(&races->slots, need.threads);
    st_reserve(&races->origins, &races->origin_capacity, need.threads);
    if (races->on_race)
        st_reserve_table(&races->variables, &races->variable_capacity, need.variables);
    for (size_t i = 0; i < count && !races->gave_up; i++) {
        const struct st_event *event = &events[i];
        if (races->on_race)
            st_batch_prefetch(events, i, count, races->variables);
        uint32_t t = races->slots.of[event->thread];
        if (__builtin_expect(t == ST_NO_SLOT, 0)) {
            if (event->op == ST_DROPPED)
                continue; /* as if it were not there */
            t = enter(races, event->thread);
        }
        if (event->op > ST_WRITE)
            on_sync(races, event, t);
        else if (__builtin_expect(event->atomic, 0))
            on_atomic(races, event, t, first + i);
        else if (races->on_race)
            on_access(races, event, t, first + i);
    }
}

void st_races_forget(struct st_races *races, uint32_t number) {
    if (number < races->variable_capacity) {
        struct variable *variable = &races->variables[number];
        for (int kind = ST_READ; kind <= ST_WRITE; kind++)
            if (variable->several[kind])
                drop_list(races, variable, (enum st_op)kind);
        memset(variable, 0, sizeof *variable);
    }
    uint32_t known = st_map64_find(&races->atomic_numbers, number);
    if (known == ST_MAP64_NONE)
        return;
    struct message *message = message_at(&races->atomics, known);
    st_row_drop(&races->rows, message->clock);
    *message = (struct message){.clock = NULL};
}

const char *st_races_gave_up(const struct st_races *races) {
    return races->gave_up;
}

struct st_race_moment st_races_now(struct st_races *races, uint32_t thread) {
    st_thread_slots_reserve(&races->slots, (size_t)thread + 1);
    st_reserve(&races->origins, &races->origin_capacity, (size_t)thread + 1);
    uint32_t slot = races->slots.of[thread];
    if (slot == ST_NO_SLOT)
        slot = enter(races, thread);
    return (struct st_race_moment){slot, now(races, slot)};
}

bool st_races_knows(const struct st_races *races, uint32_t thread, struct st_race_moment moment) {
    uint32_t slot = races->slots.of[thread];
    return slot != ST_NO_SLOT && st_row_get(races->clocks[slot], moment.slot) >= moment.time;
}

size_t st_races_memory(const struct st_races *races) {
    size_t messages = races->locks.capacity + races->channels.capacity + races->atomics.capacity;
    return races->variable_capacity * sizeof *races->variables +
           st_thread_slots_memory(&races->slots) + st_rows_memory(&races->rows) +
           races->clock_capacity * sizeof *races->clocks +
           races->origin_capacity * sizeof *races->origins + messages * sizeof(struct message) +
           races->list_bytes + st_map64_memory(&races->atomic_numbers);
}
