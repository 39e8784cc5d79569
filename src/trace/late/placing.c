#define _GNU_SOURCE /* F_DUPFD_CLOEXEC */
#include "trace/late/placing.h"

#include "base/memory.h"
#include "base/nameless_file.h"
#include "trace/late/leaves.h"
#include "trace/late/placed_output.h"
#include "trace/late/position.h"
#include "trace/late/recent.h"
#include "trace/late/spill.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BATCH = 4096 };

bool st_is_late(const char *bytes, size_t length) {
    return length >= ST_LATE_HEAD && st_native_detect(bytes, length) &&
           memcmp(bytes + ST_LATE_HEAD - 4, "LATE", 4) == 0;
}

/* ---- one reading of the file ---- */

struct late_reading {
    struct st_input input;
    struct st_symbols symbols;
    void *reader;
    struct st_positions positions;
    uint64_t left; /* events that are to be read: a file may grow meanwhile */
    struct st_event events[BATCH];
    uint64_t at[BATCH]; /* the position of each, */
    uint8_t lateness[BATCH];
};

static int open_reading(struct late_reading *reading, int from, const char *name, uint64_t events,
                        struct st_error *error) {
    char path[32];
    memset(reading, 0, sizeof *reading);
    reading->left = events;
    snprintf(path, sizeof path, "/proc/self/fd/%d", from);
    st_symbols_init(&reading->symbols);
    reading->symbols.late = reading->symbols.values = true;
    if (st_input_open(&reading->input, path, error) < 0)
        return -1;
    reading->input.name = name;
    reading->reader = st_native_format.open(&reading->input, &reading->symbols, error);
    return reading->reader ? 0 : -1;
}

static void close_reading(struct late_reading *reading) {
    if (reading->reader)
        st_native_format.close(reading->reader);
    st_symbols_free(&reading->symbols);
    st_positions_free(&reading->positions);
    st_input_close(&reading->input);
}

static bool is_access(const struct st_event *event) {
    return event->written == ST_READ || event->written == ST_WRITE;
}

/* Does it stand where it belongs? */
static bool is_on_time(const struct late_reading *reading, long i) {
    return reading->lateness[i] == ST_ON_TIME || reading->lateness[i] == ST_MARK;
}

/* The next events: how many, 0 at the end, or -1. */
static long next_events(struct late_reading *reading, struct st_error *error) {
    size_t most = reading->left < BATCH ? (size_t)reading->left : BATCH;
    if (!most) /* what is behind the last event is read, too */
        return st_native_format.next(reading->reader, reading->events, 1, error) < 0 ? -1 : 0;
    long count = st_native_format.next(reading->reader, reading->events, most, error);
    const struct st_access_value *words =
        count > 0 ? st_native_format.values(reading->reader) : NULL;
    for (long i = 0; i < count; i++) {
        const struct st_event *event = &reading->events[i];
        enum st_lateness lateness;
        if (!words || !(words[i].known & ST_HELD_KNOWN))
            return st_fail(error, reading->input.name, ST_AT_FILE, 0,
                           "has an event without its position");
        reading->at[i] = st_position_of(&reading->positions, event->thread, &words[i], &lateness);
        reading->lateness[i] = (uint8_t)lateness;
        if (lateness > ST_MARK ||
            (lateness != ST_ON_TIME && lateness != ST_MARK && !is_access(event)))
            return st_fail(error, reading->input.name, ST_AT_FILE, 0,
                           "has an event that cannot be late");
    }
    reading->left -= count > 0 ? (uint64_t)count : 0;
    return count;
}

/* ---- late events ---- */

#define NOWHERE UINT64_MAX

/* Events are numbered from 1, in the order of the file, whatever they are. */
struct late_event {
    struct st_event event;
    uint64_t at, number;
    uint64_t behind; /* the number of the event that it stands behind, or NOWHERE */
};

/* A thread, and those late events of it that have no place yet: they are sorted. */
struct late_thread {
    size_t next, end;
    bool marked, seen;    /* it has a mark; an event that is none */
    uint64_t first, last; /* the numbers of its first event on time, and of the last; 0: none */
    struct st_recent recent;
    uint64_t latest; /* the largest position of its late events so far */
};

/* A thread whose first late events were made before any event of it that is on time. */
struct stray {
    uint64_t behind;
    uint32_t thread;
};

struct placing {
    int from;
    const char *from_name;
    uint64_t events; /* in the file; UINT64_MAX: not known yet */
    bool truncated;
    bool unplaced;         /* not all late events have their places yet */
    struct st_spill spill; /* of late events */
    struct st_leaves leaves;
    struct late_thread *threads;
    size_t thread_count, thread_capacity;
    struct stray *strays; /* sorted by where they stand */
    size_t stray_count, stray_capacity, next_stray;
};

static struct late_event *late_events(const struct placing *placing) {
    return placing->spill.rows;
}

static struct late_thread *thread_of(struct placing *placing, uint32_t thread) {
    st_reserve(&placing->threads, &placing->thread_capacity, (size_t)thread + 1);
    if (placing->thread_count <= thread)
        placing->thread_count = (size_t)thread + 1;
    return &placing->threads[thread];
}

/* ---- first reading: which are late ---- */

/* Among the last events of its thread. If it is not there, or if an event comes that it belongs
 * behind, another reading finds it. */
static void find_place(struct placing *placing, struct late_thread *thread,
                       struct late_event *late) {
    uint64_t behind;
    if (!st_recent_find(&thread->recent, late->at, &behind))
        placing->unplaced = true;
    else if (behind)
        late->behind = behind;
    if (late->at > thread->latest)
        thread->latest = late->at;
}

static int collect_one(struct placing *placing, const struct late_reading *reading, long i,
                       uint64_t number, uint32_t *whole, struct st_error *error) {
    const struct st_event *event = &reading->events[i];
    struct late_thread *thread = thread_of(placing, event->thread);
    struct late_event *late;
    switch ((enum st_lateness)reading->lateness[i]) {
    case ST_MARK:
    case ST_ON_TIME:
        if (!thread->first)
            thread->first = number;
        placing->unplaced |= reading->at[i] <= thread->latest;
        st_recent_add(&thread->recent, reading->at[i], number);
        thread->marked |= reading->lateness[i] == ST_MARK;
        thread->seen |= reading->lateness[i] == ST_ON_TIME;
        break;
    case ST_LATE:
        late = st_spill_add(&placing->spill, sizeof *late, error);
        if (!late)
            return -1;
        thread->seen = true;
        *late = (struct late_event){*event, reading->at[i], number, NOWHERE};
        find_place(placing, thread, late);
        break;
    case ST_WHOLE:
        *whole = event->target;
        break;
    case ST_PART:
        if (*whole != ST_NO_NAME)
            st_leaves_add(&placing->leaves, *whole, event->target);
        *whole = ST_NO_NAME;
        break;
    }
    return 0;
}

static int collect(struct placing *placing, struct late_reading *reading, struct st_error *error) {
    uint32_t whole = ST_NO_NAME;
    uint64_t number = 0;
    long count;
    while ((count = next_events(reading, error)) > 0)
        for (long i = 0; i < count; i++)
            if (collect_one(placing, reading, i, ++number, &whole, error) < 0)
                return -1;
    placing->events = number;
    placing->truncated = count == 0 && st_native_format.truncated(reading->reader);
    return count < 0 ? -1 : 0;
}

/* Those of a thread by their positions; what it did at one position in the order in which that came
 * to be known. */
static int compare(const void *left, const void *right) {
    const struct late_event *a = left, *b = right;
    if (a->event.thread != b->event.thread)
        return a->event.thread < b->event.thread ? -1 : 1;
    if (a->at != b->at)
        return a->at < b->at ? -1 : 1;
    return (a->number > b->number) - (a->number < b->number);
}

static void sort(struct placing *placing) {
    struct late_event *list = late_events(placing);
    size_t count = placing->spill.count;
    st_leaves_sort(&placing->leaves);
    if (count)
        qsort(list, count, sizeof *list, compare);
    for (size_t i = 0, end; i < count; i = end) {
        uint32_t thread = list[i].event.thread;
        for (end = i; end < count && list[end].event.thread == thread; end++)
            ;
        thread_of(placing, thread)->next = i;
        thread_of(placing, thread)->end = end;
    }
}

/* ---- second reading, if need be: where they stand ---- */

/* What the thread made before this position comes behind its last event so far. */
static void place_until(struct placing *placing, struct late_thread *thread, uint64_t at) {
    struct late_event *list = late_events(placing);
    for (; thread->next < thread->end && list[thread->next].at < at; thread->next++)
        list[thread->next].behind = thread->last ? thread->last : NOWHERE;
}

static int find_places(struct placing *placing, struct late_reading *reading,
                       struct st_error *error) {
    uint64_t number = 0;
    long count;
    while ((count = next_events(reading, error)) > 0)
        for (long i = 0; i < count; i++) {
            struct late_thread *thread = thread_of(placing, reading->events[i].thread);
            number++;
            if (!is_on_time(reading, i))
                continue;
            place_until(placing, thread, reading->at[i]);
            thread->last = number;
        }
    for (size_t i = 0; i < placing->thread_count; i++)
        place_until(placing, &placing->threads[i], UINT64_MAX);
    return count < 0 ? -1 : 0;
}

static int compare_strays(const void *left, const void *right) {
    const struct stray *a = left, *b = right;
    if (a->behind != b->behind)
        return a->behind < b->behind ? -1 : 1;
    return (a->thread > b->thread) - (a->thread < b->thread);
}

/* What a thread made before all of its events that are on time comes before the first of them, or
 * where the first of it came to be known, if that was earlier: then the thread was there. */
static void place_strays(struct placing *placing) {
    const struct late_event *list = late_events(placing);
    for (size_t i = 0, end; i < placing->spill.count; i = end) {
        uint32_t thread = list[i].event.thread;
        uint64_t before = NOWHERE;
        for (end = i; end < placing->spill.count && list[end].event.thread == thread; end++)
            if (list[end].behind == NOWHERE && list[end].number < before)
                before = list[end].number;
        if (before == NOWHERE)
            continue;
        uint64_t first = thread_of(placing, thread)->first;
        if (first && first < before)
            before = first;
        st_reserve(&placing->strays, &placing->stray_capacity, placing->stray_count + 1);
        placing->strays[placing->stray_count++] = (struct stray){before - 1, thread};
    }
    if (placing->stray_count)
        qsort(placing->strays, placing->stray_count, sizeof *placing->strays, compare_strays);
}

/* Each thread begins again with its first late event. */
static void rewind_threads(struct placing *placing) {
    const struct late_event *list = late_events(placing);
    for (size_t i = placing->spill.count; i-- > 0;)
        thread_of(placing, list[i].event.thread)->next = i;
}

/* ---- last reading: everything at its place ---- */

/* An event, or one for each part of its variable. */
static int put_parts(struct placing *placing, struct st_placed_output *output,
                     struct st_event event, struct st_error *error) {
    if (!is_access(&event) || !placing->leaves.count)
        return st_placed_put(output, &event, error);
    size_t count;
    const uint32_t *leaves = st_leaves_find(&placing->leaves, event.target, &count);
    for (size_t i = 0; i < count; i++) {
        event.target = leaves[i];
        if (st_placed_put(output, &event, error) < 0)
            return -1;
    }
    return 0;
}

/* A mark of a thread that has no event becomes one that orders nothing: a send that nobody
 * receives.
 */
static int put_on_time(struct placing *placing, struct st_placed_output *output,
                       struct st_event event, bool mark, struct st_error *error) {
    if (!mark)
        return put_parts(placing, output, event, error);
    struct late_thread *thread = thread_of(placing, event.thread);
    if (thread->seen)
        return 0;
    thread->seen = true;
    event = st_event_make(event.thread, output->channel, event.loc, ST_SEND);
    return st_placed_put(output, &event, error);
}

/* What the thread made behind that event. */
static int put_late(struct placing *placing, struct st_placed_output *output, uint32_t thread,
                    uint64_t behind, struct st_error *error) {
    struct late_thread *late = thread_of(placing, thread);
    const struct late_event *list = late_events(placing);
    for (; late->next < late->end && list[late->next].behind == behind; late->next++)
        if (put_parts(placing, output, list[late->next].event, error) < 0)
            return -1;
    return 0;
}

static int put_strays(struct placing *placing, struct st_placed_output *output, uint64_t behind,
                      struct st_error *error) {
    for (; placing->next_stray < placing->stray_count &&
           placing->strays[placing->next_stray].behind == behind;
         placing->next_stray++)
        if (put_late(placing, output, placing->strays[placing->next_stray].thread, NOWHERE, error) <
            0)
            return -1;
    return 0;
}

static int put_all(struct placing *placing, struct late_reading *reading,
                   struct st_placed_output *output, struct st_error *error) {
    uint64_t number = 0;
    long count;
    if (put_strays(placing, output, number, error) < 0)
        return -1;
    while ((count = next_events(reading, error)) > 0)
        for (long i = 0; i < count; i++) {
            struct st_event event = reading->events[i];
            number++;
            if (is_on_time(reading, i) &&
                (put_on_time(placing, output, event, reading->lateness[i] == ST_MARK, error) < 0 ||
                 put_late(placing, output, event.thread, number, error) < 0))
                return -1;
            if (put_strays(placing, output, number, error) < 0)
                return -1;
        }
    return count < 0 || st_placed_flush(output, error) < 0 ? -1 : 0;
}

/* ---- all of it ---- */

typedef int late_pass(struct placing *placing, struct late_reading *reading,
                      struct st_error *error);

static struct late_reading *read_with(struct placing *placing, late_pass *pass,
                                      struct st_error *error) {
    struct late_reading *reading = st_alloc(1, sizeof *reading);
    if (open_reading(reading, placing->from, placing->from_name, placing->events, error) == 0 &&
        pass(placing, reading, error) == 0)
        return reading;
    close_reading(reading);
    free(reading);
    return NULL;
}

struct placed_to {
    struct placing *placing;
    FILE *file;
    const char *name;
    struct st_symbols *symbols; /* of the whole file: a late event has names that come later */
};

static const char SILENT[] = "threads without events";

static bool has_silent_thread(const struct placing *placing) {
    for (size_t i = 0; i < placing->thread_count; i++)
        if (placing->threads[i].marked && !placing->threads[i].seen)
            return true;
    return false;
}

static int write_placed(const struct placed_to *to, uint64_t *events, struct st_error *error) {
    struct late_reading *reading = st_alloc(1, sizeof *reading);
    struct st_placed_output *output = st_alloc(1, sizeof *output);
    struct placing *placing = to->placing;
    if (has_silent_thread(placing))
        output->channel = st_names_add(&to->symbols->channels, SILENT, sizeof SILENT - 1);
    st_placed_open(output, to->file, to->name, to->symbols);
    int result = open_reading(reading, placing->from, placing->from_name, placing->events, error);
    if (result == 0)
        result = put_all(placing, reading, output, error);
    if (result == 0)
        result = st_native_writer.finish(output->writer, placing->truncated, error);
    *events = output->all;
    st_placed_close(output);
    close_reading(reading);
    free(reading);
    free(output);
    return result;
}

static void free_placing(struct placing *placing) {
    st_spill_free(&placing->spill);
    st_leaves_free(&placing->leaves);
    for (size_t i = 0; i < placing->thread_count; i++)
        st_recent_free(&placing->threads[i].recent);
    free(placing->threads);
    free(placing->strays);
}

int st_late_place(int from, const char *from_name, FILE *to, const char *to_name, uint64_t *events,
                  struct st_error *error) {
    struct placing placing = {.from = from, .from_name = from_name, .events = UINT64_MAX};
    struct late_reading *reading = read_with(&placing, collect, error);
    int result = -1;
    if (reading)
        sort(&placing);
    if (reading && placing.unplaced) {
        close_reading(reading);
        free(reading);
        reading = read_with(&placing, find_places, error);
    }
    if (reading) {
        place_strays(&placing);
        rewind_threads(&placing);
        struct placed_to placed = {&placing, to, to_name, &reading->symbols};
        result = write_placed(&placed, events, error);
        close_reading(reading);
        free(reading);
    }
    free_placing(&placing);
    return result;
}

/* ---- an input ---- */

/* A pipe can be read only once. */
static int copy_input(struct st_input *input, FILE *to, struct st_error *error) {
    do {
        size_t size = st_input_available(input);
        if (fwrite(st_input_bytes(input), 1, size, to) != size)
            return st_fail(error, input->name, ST_AT_FILE, 0, "cannot copy: %s", strerror(errno));
        st_input_consume(input, size);
        if (st_input_fill(input, 1, error) < 0)
            return -1;
    } while (st_input_available(input));
    return fflush(to)
               ? st_fail(error, input->name, ST_AT_FILE, 0, "cannot copy: %s", strerror(errno))
               : 0;
}

/* What was written to the file is what the input reads. */
static int replace_input(struct st_input *input, FILE *file, struct st_error *error) {
    const char *name = input->name;
    struct st_input placed;
    char path[32];
    snprintf(path, sizeof path, "/proc/self/fd/%d", fileno(file));
    if (fflush(file) || st_input_open(&placed, path, error) < 0)
        return st_fail(error, name, ST_AT_FILE, 0, "cannot put its events at their places: %s",
                       strerror(errno));
    st_input_close(input);
    *input = placed;
    input->name = name;
    return 0;
}

int st_late_place_input(struct st_input *input, struct st_error *error) {
    FILE *copy = NULL, *placed = st_nameless_file(error);
    uint64_t events;
    int result = placed ? 0 : -1;
    if (result == 0 && !input->size) {
        copy = st_nameless_file(error);
        result = copy ? copy_input(input, copy, error) : -1;
    }
    if (result == 0)
        result = st_late_place(copy ? fileno(copy) : input->fd, input->name, placed, input->name,
                               &events, error);
    if (result == 0)
        result = replace_input(input, placed, error);
    if (copy)
        fclose(copy);
    if (placed)
        fclose(placed);
    return result;
}
