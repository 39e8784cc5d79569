#include "spec/sections.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

/* What a thread holds, and the section that it is in. */
struct section_thread {
    uint64_t *held; /* mutexes, and locks of channels: those are odd */
    size_t held_count, held_capacity;
    uint32_t depth;    /* open blocks of the trace */
    bool open;         /* its section is a block that has not ended */
    uint32_t began_in; /* with so many open blocks */
    struct st_event last;
};

struct st_sections {
    const struct st_channels *channels;
    const struct st_names *blocks;
    struct section_thread *threads;
    size_t thread_capacity;
    struct st_event *marked;
    size_t count, capacity;
    uint64_t sections, events;
};

struct st_sections *st_sections_new(const struct st_channels *channels,
                                    const struct st_names *blocks) {
    struct st_sections *sections = st_alloc(1, sizeof *sections);
    sections->channels = channels;
    sections->blocks = blocks;
    return sections;
}

void st_sections_free(struct st_sections *sections) {
    if (!sections)
        return;
    for (size_t i = 0; i < sections->thread_capacity; i++)
        free(sections->threads[i].held);
    free(sections->threads);
    free(sections->marked);
    free(sections);
}

uint64_t st_sections_count(const struct st_sections *sections) {
    return sections->sections;
}

uint64_t st_sections_events(const struct st_sections *sections) {
    return sections->events;
}

/* ---- what is held ---- */

static size_t find_held(const struct section_thread *thread, uint64_t lock) {
    size_t place = 0;
    while (place < thread->held_count && thread->held[place] != lock)
        place++;
    return place;
}

static void hold(struct section_thread *thread, uint64_t lock) {
    st_reserve(&thread->held, &thread->held_capacity, thread->held_count + 1);
    thread->held[thread->held_count++] = lock;
}

/* Whether it was held. */
static bool let_go(struct section_thread *thread, uint64_t lock) {
    size_t place = find_held(thread, lock);
    if (place == thread->held_count)
        return false;
    memmove(&thread->held[place], &thread->held[place + 1],
            (--thread->held_count - place) * sizeof *thread->held);
    return true;
}

/* A receive from `s [signal]` directly before one from `s [lock]`, at the same place: nobody holds
 * s. */
static bool follows_signal(const struct st_sections *sections, const struct section_thread *thread,
                           const struct st_event *event) {
    const struct st_event *last = &thread->last;
    return last->op == ST_RECEIVE && last->loc == event->loc &&
           st_channel(sections->channels, last->target).kind == ST_SIGNAL_SIDE;
}

/* The lock that the event acquires or releases, or 0. */
static uint64_t lock_of(const struct st_sections *sections, const struct st_event *event) {
    if (event->op == ST_ACQUIRE || event->op == ST_RELEASE)
        return (uint64_t)event->target * 2 + 2;
    if ((event->op != ST_SEND && event->op != ST_RECEIVE) ||
        !st_is_lock_channel(sections->channels, event->target))
        return 0;
    return (uint64_t)st_channel(sections->channels, event->target).lock * 2 + 1;
}

/* ---- events ---- */

static void put(struct st_sections *sections, struct st_event event) {
    st_reserve(&sections->marked, &sections->capacity, sections->count + 1 + ST_SECTION_ROOM);
    sections->marked[sections->count++] = event;
    sections->events++;
}

static void put_mark(struct st_sections *sections, const struct st_event *at, enum st_op op) {
    put(sections, st_event_make(at->thread, ST_NO_NAME, at->loc, op));
}

static void end_section(struct st_sections *sections, struct section_thread *thread,
                        const struct st_event *at) {
    if (thread->open)
        put_mark(sections, at, ST_END);
    thread->open = false;
}

/* Is what the thread did last the begin of a block for this very section? */
static bool is_marked(const struct st_sections *sections, const struct section_thread *thread) {
    const struct st_event *last = &thread->last;
    return last->op == ST_BEGIN && last->target != ST_NO_NAME && thread->depth &&
           strncmp(st_name(sections->blocks, last->target), ST_SECTION_OF,
                   sizeof ST_SECTION_OF - 1) == 0;
}

static void on_acquire(struct st_sections *sections, struct section_thread *thread,
                       const struct st_event *event, uint64_t lock) {
    bool more = find_held(thread, lock) < thread->held_count; /* the other side of a lock */
    bool first = !thread->held_count && !follows_signal(sections, thread, event);
    if (first && !is_marked(sections, thread)) {
        put_mark(sections, event, ST_BEGIN);
        thread->open = true;
        thread->began_in = thread->depth;
        sections->sections++;
    }
    if (!more && (first || thread->held_count))
        hold(thread, lock);
    put(sections, *event);
}

static void on_event(struct st_sections *sections, const struct st_event *event) {
    st_reserve(&sections->threads, &sections->thread_capacity, (size_t)event->thread + 1);
    struct section_thread *thread = &sections->threads[event->thread];
    uint64_t lock = lock_of(sections, event);
    if (event->op == ST_BEGIN)
        thread->depth++;
    if (event->op == ST_END && thread->open && thread->began_in == thread->depth)
        end_section(sections, thread, event);
    if (event->op == ST_END)
        thread->depth--;
    if (lock && (event->op == ST_ACQUIRE || event->op == ST_RECEIVE)) {
        on_acquire(sections, thread, event, lock);
    } else {
        put(sections, *event);
        if (lock && let_go(thread, lock) && !thread->held_count)
            end_section(sections, thread, event);
    }
    thread->last = *event;
}

struct st_event *st_sections_mark(struct st_sections *sections, const struct st_event *events,
                                  size_t count, size_t *marked) {
    sections->count = 0;
    for (size_t i = 0; i < count; i++)
        on_event(sections, &events[i]);
    *marked = sections->count;
    return sections->marked;
}
