#define _GNU_SOURCE /* memfd_create */
#include "fuzz.h"

#include "base/memory.h"
#include "trace/context_tracker.h"
#include "trace/validate.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static void require(bool condition, const char *promise) {
    if (condition)
        return;
    fprintf(stderr, "broken promise: %s\n", promise);
    abort();
}

static struct st_input open_bytes(const uint8_t *data, size_t size, size_t capacity) {
    struct st_input input = {.name = "fuzz", .capacity = capacity};
    input.fd = memfd_create("fuzz", 0);
    require(input.fd >= 0 && write(input.fd, data, size) == (ssize_t)size, "memory file");
    lseek(input.fd, 0, SEEK_SET);
    input.data = st_alloc(capacity + ST_INPUT_PADDING, 1);
    return input;
}

struct st_input fuzz_open(const uint8_t *data, size_t size) {
    struct st_input input = open_bytes(data, size, size + 8);
    input.size = size;
    return input;
}

static void read_all(struct reading *reading, const struct st_format *format,
                     struct st_input *input, size_t batch) {
    /* As st_trace_open does before it chooses the format. */
    reading->failed = st_input_fill(input, ST_NATIVE_MAGIC_SIZE, &reading->error) < 0;
    void *reader = format->open(input, &reading->symbols, &reading->error);
    reading->failed |= !reader;
    if (!reader)
        return;
    long count;
    do {
        st_reserve(&reading->events, &reading->capacity, reading->count + batch);
        count = format->next(reader, reading->events + reading->count, batch, &reading->error);
        require(count <= (long)batch, "a batch is not larger than asked for");
        const struct st_access_value *values =
            count > 0 && format->values ? format->values(reader) : NULL;
        for (long i = 0; values && i < count; i++)
            require(values[i].known <= (ST_HELD_KNOWN | ST_LEFT_KNOWN), "values make sense");
        reading->count += count > 0 ? (size_t)count : 0;
    } while (count > 0);
    reading->failed = count < 0;
    reading->truncated = format->truncated(reader);
    format->close(reader);
}

struct reading fuzz_read(const struct st_format *format, const uint8_t *data, size_t size,
                         size_t capacity, size_t batch) {
    struct reading reading = {0};
    st_symbols_init(&reading.symbols);
    reading.symbols.values = true;
    struct st_input input = open_bytes(data, size, capacity);
    read_all(&reading, format, &input, batch);
    st_input_close(&input);
    return reading;
}

struct reading fuzz_read_lives(const struct st_format *format, const uint8_t *data, size_t size) {
    struct reading reading = {0};
    st_symbols_init(&reading.symbols);
    reading.symbols.values = true;
    reading.symbols.reuses = reading.symbols.packs = true;
    struct st_input input = open_bytes(data, size, size + 8);
    read_all(&reading, format, &input, 900);
    st_input_close(&input);
    return reading;
}

void fuzz_free(struct reading *reading) {
    st_symbols_free(&reading->symbols);
    free(reading->events);
}

/* Errors may be found some events earlier or later, depending on the size of a batch. */
void fuzz_check_same(const struct reading *one, const struct reading *other) {
    require(one->failed == other->failed, "both readings fail, or none");
    if (one->failed) {
        char texts[2][1024];
        st_error_text(&one->error, texts[0], sizeof texts[0]);
        st_error_text(&other->error, texts[1], sizeof texts[1]);
        require(strcmp(texts[0], texts[1]) == 0, "both readings fail for the same reason");
    } else {
        require(one->count == other->count, "both readings have the same number of events");
        require(one->truncated == other->truncated, "both readings are truncated, or none");
    }
    size_t count = one->count < other->count ? one->count : other->count;
    require(!count || !memcmp(one->events, other->events, count * sizeof *one->events),
            "both readings have the same events");
}

/* One may refuse names that the other has room for. */
void fuzz_check_lives(const struct reading *plain, const struct reading *lives) {
    if (plain->failed || lives->failed)
        return;
    require(plain->count == lives->count, "ends of lives change no number of events");
    for (size_t i = 0; i < plain->count; i++) {
        enum st_op op = (enum st_op)plain->events[i].written;
        require(op == lives->events[i].written, "ends of lives change no event");
        require(strcmp(st_target_name(&plain->symbols, op, plain->events[i].target),
                       st_target_name(&lives->symbols, op, lives->events[i].target)) == 0,
                "a variable keeps its name");
    }
}

/* Of the variables of a native file it is not checked that they differ. */
static void check_names(struct st_names *names, bool differ) {
    st_names_index(names);
    for (uint32_t i = 0; i < names->count; i++) {
        require(strlen(st_name(names, i)) == st_name_length(names, i), "no zero byte in a name");
        uint32_t found = st_names_find(names, st_name(names, i), st_name_length(names, i));
        require(differ ? found == i : found <= i, "a name has one number");
    }
}

static void check_event(const struct st_symbols *symbols, const struct st_event *event) {
    require(event->written < ST_OP_COUNT && event->op == event->written, "a known operation");
    require(event->thread < symbols->threads.count, "the thread has a name");
    enum st_op op = (enum st_op)event->written;
    bool may_lack_name = op == ST_BEGIN || op == ST_END;
    require(event->target < st_symbols_of_const(symbols, op)->count ||
                (may_lack_name && event->target == ST_NO_NAME),
            "the target has a name");
    require(!(event->loc & ST_LOC_NAME) || (event->loc & ~ST_LOC_NAME) < symbols->locations.count,
            "the location has a name");
}

/* Whatever the order of the events, validation has something to say and comes to an end. */
static void check_validation(const struct reading *reading, bool repair) {
    struct st_event *events = st_alloc(reading->count + 1, sizeof *events);
    if (reading->count)
        memcpy(events, reading->events, reading->count * sizeof *events);
    struct st_validator *validator = st_validator_new(repair);
    const struct st_symbols *symbols = &reading->symbols;
    struct st_error error;
    int status = st_validate(validator, events, reading->count, symbols->threads.count,
                             symbols->locks.count);
    require(status == 0 || !repair, "repair accepts everything");
    if (status < 0)
        st_validate_explain(validator, symbols, &error);
    st_validator_free(validator);
    free(events);
}

static void check_contexts(const struct st_symbols *symbols) {
    const struct st_contexts *contexts = &symbols->contexts;
    require(!contexts->kept || contexts->site_count == symbols->locations.count,
            "a location is a site");
    for (size_t i = 0; i < contexts->frame_count; i++)
        require(contexts->frames[i].function < contexts->functions.count &&
                    contexts->frames[i].line < contexts->lines.count &&
                    contexts->frames[i].caller <= i,
                "a frame has names, and its caller comes first");
    for (size_t i = 0; i < contexts->site_count; i++)
        require(contexts->sites[i].line < contexts->lines.count &&
                    contexts->sites[i].frame <= contexts->frame_count &&
                    contexts->sites[i].call <= contexts->frame_count && !contexts->sites[i].held,
                "a site has a name and frames");
}

/* Whatever the events, all of their contexts can be described. */
static void check_tracker(const struct reading *reading) {
    if (!reading->symbols.contexts.kept || !reading->count)
        return;
    struct st_event *events = st_alloc(reading->count, sizeof *events);
    memcpy(events, reading->events, reading->count * sizeof *events);
    struct st_symbols described = reading->symbols;
    st_names_init(&described.locations);
    st_contexts_init(&described.contexts);
    struct st_context_tracker *tracker = st_context_tracker_new(&reading->symbols.channel_facts);
    st_context_tracker_events(tracker, events, reading->count);
    for (size_t i = 0; i < reading->count; i++) {
        char one[ST_LOCATION_SIZE], other[ST_LOCATION_SIZE];
        uint64_t loc =
            st_context_tracker_location(tracker, &reading->symbols, &described, events[i].loc);
        require(!strcmp(st_location_text(&described, loc, one),
                        st_location_text(&reading->symbols, reading->events[i].loc, other)),
                "the location is as it was");
    }
    st_context_tracker_free(tracker);
    st_names_free(&described.locations);
    st_contexts_free(&described.contexts);
    free(events);
}

void fuzz_check_promises(struct reading *reading) {
    check_names(&reading->symbols.threads, true);
    check_names(&reading->symbols.variables, false);
    check_names(&reading->symbols.locks, true);
    check_names(&reading->symbols.blocks, true);
    check_names(&reading->symbols.locations, !reading->symbols.contexts.kept);
    check_names(&reading->symbols.channels, true);
    for (size_t i = 0; i < reading->count; i++)
        check_event(&reading->symbols, &reading->events[i]);
    check_contexts(&reading->symbols);
    check_tracker(reading);
    check_validation(reading, false);
    check_validation(reading, true);
}

/* Equal as text: numbers may differ, since writing leaves out names that no event uses. */
/* In text, variables of one name become "x", "x #2", "x #3". */
static bool same_target(const struct st_symbols *read, uint32_t target,
                        const struct st_symbols *written, uint32_t original, enum st_op op) {
    const char *name = st_target_name(written, op, original);
    const char *found = st_target_name(read, op, target);
    size_t length = strlen(name);
    if (op > ST_WRITE || strncmp(name, found, length) != 0)
        return strcmp(name, found) == 0;
    const char *behind = found + length;
    return !*behind || (!strncmp(behind, " #", 2) && strspn(behind + 2, "0123456789"));
}

static bool same_event(const struct reading *one, const struct reading *other, size_t i) {
    const struct st_event *a = &one->events[i], *b = &other->events[i];
    char a_loc[ST_LOCATION_SIZE], b_loc[ST_LOCATION_SIZE];
    enum st_op op = (enum st_op)a->written;
    return a->written == b->written &&
           !strcmp(st_name(&one->symbols.threads, a->thread),
                   st_name(&other->symbols.threads, b->thread)) &&
           same_target(&one->symbols, a->target, &other->symbols, b->target, op) &&
           !strcmp(st_location_text(&one->symbols, a->loc, a_loc),
                   st_location_text(&other->symbols, b->loc, b_loc));
}

void fuzz_check_writing(const struct reading *reading, const struct st_writer_format *writer,
                        const struct st_format *format) {
    char *data = NULL;
    size_t size = 0;
    struct st_error error;
    FILE *file = open_memstream(&data, &size);
    void *state = writer->open(file, "fuzz", &reading->symbols);
    bool refused = writer->write(state, reading->events, reading->count, &error) ||
                   writer->finish(state, reading->truncated, &error);
    writer->close(state);
    fclose(file);
    if (!refused) {
        struct reading again = fuzz_read(format, (const uint8_t *)data, size, 64, 1000);
        require(!again.failed, "what was written can be read");
        require(again.count == reading->count, "as many events are read as were written");
        for (size_t i = 0; i < again.count; i++)
            require(same_event(&again, reading, i), "what is read is what was written");
        fuzz_free(&again);
    }
    free(data);
}
