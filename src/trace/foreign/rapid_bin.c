/* RapidBin, the binary traces of RAPID's successors. All numbers have their high byte first.
 *
 *     header   2 bytes: threads · 4: locks · 4: variables · 8: events
 *     event    8 bytes: 1 bit zero · 15 location · 34 operand · 4 operation · 10 thread
 *
 * Things are numbers there: thread 3 is called T3, variable 3 V3 and lock 3 L3. Blocks have no
 * names. A request for a lock and a branch, which we do not have, are left out. Of the header, only
 * the number of events is used. */
#include "trace/foreign/foreign.h"

#include "base/memory.h"
#include "base/nameless_file.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
    HEADER_BYTES = 18,
    EVENT_BYTES = 8,
    THREAD_BITS = 10,
    OP_BITS = 4,
    OPERAND_BITS = 34,
    LOCATION_BITS = 15,
};

/* By number in the file; the last two are left out. */
static const enum st_op ops[] = {ST_ACQUIRE, ST_RELEASE, ST_READ, ST_WRITE,    ST_FORK,
                                 ST_JOIN,    ST_BEGIN,   ST_END,  ST_OP_COUNT, ST_OP_COUNT};
enum { OP_COUNT = sizeof ops / sizeof *ops };

static uint64_t load(const char *bytes, size_t count) {
    uint64_t value = 0;
    for (size_t i = 0; i < count; i++)
        value = value << 8 | (unsigned char)bytes[i];
    return value;
}

static void store(char *bytes, size_t count, uint64_t value) {
    for (size_t i = count; i; i--, value >>= 8)
        bytes[i - 1] = (char)(value & 0xff);
}

/* ---- reading ---- */

struct rapidbin_reader {
    struct st_input *input;
    struct st_symbols *symbols;
    uint64_t left; /* events */
    bool truncated;
};

static void *bin_open(struct st_input *input, struct st_symbols *symbols, struct st_error *error) {
    if (st_input_fill(input, HEADER_BYTES, error) < 0)
        return NULL;
    if (st_input_available(input) < HEADER_BYTES) {
        st_fail(error, input->name, ST_AT_OFFSET, input->consumed,
                "ends inside the header of a RapidBin trace");
        return NULL;
    }
    uint64_t events = load(st_input_bytes(input) + 10, 8);
    if (events >> 63) {
        st_fail(error, input->name, ST_AT_OFFSET, input->consumed + 10,
                "is no RapidBin trace: its number of events is negative");
        return NULL;
    }
    struct rapidbin_reader *reader = st_alloc(1, sizeof *reader);
    *reader = (struct rapidbin_reader){.input = input, .symbols = symbols, .left = events};
    st_input_consume(input, HEADER_BYTES);
    return reader;
}

/* A number with a letter before it, as a name. */
static uint32_t add_name(struct st_names *names, char letter, uint64_t number) {
    char text[32];
    int length = snprintf(text, sizeof text, "%c%" PRIu64, letter, number);
    return st_names_add(names, text, (size_t)length);
}

static uint64_t take_bits(uint64_t *image, unsigned bits) {
    uint64_t value = *image & ((UINT64_C(1) << bits) - 1);
    *image >>= bits;
    return value;
}

/* 1, 0 for what is left out, -1 with an error. */
static int read_event(struct rapidbin_reader *reader, uint64_t image, struct st_event *event,
                      struct st_error *error) {
    static const char letters[] = {[ST_READ] = 'V',    [ST_WRITE] = 'V', [ST_ACQUIRE] = 'L',
                                   [ST_RELEASE] = 'L', [ST_FORK] = 'T',  [ST_JOIN] = 'T'};
    uint64_t thread = take_bits(&image, THREAD_BITS), op = take_bits(&image, OP_BITS);
    uint64_t operand = take_bits(&image, OPERAND_BITS), loc = take_bits(&image, LOCATION_BITS);
    const struct st_input *input = reader->input;
    if (op >= OP_COUNT || image)
        return st_fail(error, input->name, ST_AT_OFFSET, input->consumed,
                       image ? "the event has its highest bit set"
                             : "the event has an unknown operation, %" PRIu64,
                       op);
    if (ops[op] == ST_OP_COUNT)
        return 0;
    uint32_t number = add_name(&reader->symbols->threads, 'T', thread), target = ST_NO_NAME;
    if (ops[op] != ST_BEGIN && ops[op] != ST_END) {
        target = add_name(st_symbols_of(reader->symbols, ops[op]), letters[ops[op]], operand);
        if (target == ST_NAMES_FULL)
            return st_fail(error, input->name, ST_AT_OFFSET, input->consumed,
                           "more than 4294967294 different names of one kind");
    }
    *event = st_event_make(number, target, loc, ops[op]);
    return 1;
}

/* The next event's bytes are there: 1, 0 at the end, -1 with an error. */
static int fill(struct rapidbin_reader *reader, struct st_error *error) {
    struct st_input *input = reader->input;
    if (st_input_fill(input, reader->left ? EVENT_BYTES : 1, error) < 0)
        return -1;
    size_t available = st_input_available(input);
    if (reader->left && available < EVENT_BYTES) {
        reader->truncated = true;
        return 0;
    }
    if (!reader->left && available)
        return st_fail(error, input->name, ST_AT_OFFSET, input->consumed,
                       "goes on behind the last event that its header counts");
    return reader->left > 0;
}

static long bin_next(void *state, struct st_event *events, size_t capacity,
                     struct st_error *error) {
    struct rapidbin_reader *reader = state;
    size_t count = 0;
    while (count < capacity && !reader->truncated) {
        int more = fill(reader, error);
        if (more < 0)
            return -1;
        if (more == 0)
            break;
        uint64_t image = load(st_input_bytes(reader->input), EVENT_BYTES);
        int taken = read_event(reader, image, &events[count], error);
        if (taken < 0)
            return -1;
        st_input_consume(reader->input, EVENT_BYTES);
        reader->left--;
        count += (size_t)taken;
    }
    return (long)count;
}

static bool bin_truncated(const void *state) {
    return ((const struct rapidbin_reader *)state)->truncated;
}

const struct st_format st_rapidbin_format = {.name = "rapidbin",
                                             .open = bin_open,
                                             .next = bin_next,
                                             .truncated = bin_truncated,
                                             .close = free};

/* ---- writing ---- */

/* The header counts what comes behind it, so events wait in a temporary file. */
struct rapidbin_writer {
    FILE *file, *events;
    const char *file_name;
    const struct st_symbols *symbols;
    uint64_t written;
};

static void *bin_open_writer(FILE *file, const char *file_name, const struct st_symbols *symbols) {
    struct rapidbin_writer *writer = st_alloc(1, sizeof *writer);
    struct st_error error; /* check_files says so */
    *writer = (struct rapidbin_writer){.file = file,
                                       .events = st_nameless_file(&error),
                                       .file_name = file_name,
                                       .symbols = symbols};
    return writer;
}

static void bin_close_writer(void *state) {
    struct rapidbin_writer *writer = state;
    if (writer->events)
        fclose(writer->events);
    free(writer);
}

static int refuse_number(const struct rapidbin_writer *writer, const char *what, uint64_t most,
                         struct st_error *error) {
    return st_fail(error, writer->file_name, ST_AT_EVENT, writer->written + 1,
                   "RapidBin can hold %" PRIu64 " %s, and there are more; use the native format",
                   most, what);
}

/* Locations that are numbers stay as they are; names become their numbers among the names. */
static uint64_t location_number(uint64_t loc) {
    return loc & ~ST_LOC_NAME;
}

static int write_event(struct rapidbin_writer *writer, const struct st_event *event,
                       struct st_error *error) {
    uint64_t op = 0, loc = location_number(event->loc);
    bool named = event->written != ST_BEGIN && event->written != ST_END;
    char bytes[EVENT_BYTES];
    while (op < OP_COUNT && ops[op] != (enum st_op)event->written)
        op++;
    if (op == OP_COUNT)
        return st_foreign_refuse(writer->file_name, "RapidBin", "operation",
                                 st_op_word((enum st_op)event->written), writer->written + 1,
                                 error);
    if (event->thread >> THREAD_BITS)
        return refuse_number(writer, "threads", UINT64_C(1) << THREAD_BITS, error);
    if (loc >> LOCATION_BITS)
        return refuse_number(writer, "locations", UINT64_C(1) << LOCATION_BITS, error);
    uint64_t image = loc << OPERAND_BITS | (named ? event->target : 0);
    image = (image << OP_BITS | op) << THREAD_BITS | event->thread;
    store(bytes, sizeof bytes, image);
    fwrite(bytes, sizeof bytes, 1, writer->events);
    writer->written++;
    return 0;
}

static int check_files(const struct rapidbin_writer *writer, struct st_error *error) {
    if (!writer->events || ferror(writer->events))
        return st_fail(error, writer->file_name, ST_AT_FILE, 0,
                       "cannot write to a temporary file: %s", strerror(errno));
    if (ferror(writer->file))
        return st_fail(error, writer->file_name, ST_AT_FILE, 0, "cannot write: %s",
                       strerror(errno));
    return 0;
}

static int bin_write(void *state, const struct st_event *events, size_t count,
                     struct st_error *error) {
    struct rapidbin_writer *writer = state;
    if (check_files(writer, error) < 0)
        return -1;
    for (size_t i = 0; i < count; i++)
        if (events[i].op != ST_DROPPED && write_event(writer, &events[i], error) < 0)
            return -1;
    return check_files(writer, error);
}

static int bin_flush(void *state, struct st_error *error) {
    return check_files(state, error);
}

static void write_header(const struct rapidbin_writer *writer) {
    char header[HEADER_BYTES];
    store(header, 2, writer->symbols->threads.count);
    store(header + 2, 4, writer->symbols->locks.count);
    store(header + 6, 4, writer->symbols->variables.count);
    store(header + 10, 8, writer->written);
    fwrite(header, sizeof header, 1, writer->file);
}

static int bin_finish(void *state, bool truncated, struct st_error *error) {
    struct rapidbin_writer *writer = state;
    (void)truncated; /* there is no place to say so */
    char bytes[4096];
    size_t got;
    if (check_files(writer, error) < 0)
        return -1;
    if (writer->symbols->locks.count >> 31 || writer->symbols->variables.count >> 31)
        return refuse_number(writer, "variables or locks", (UINT64_C(1) << 31) - 1, error);
    write_header(writer);
    rewind(writer->events);
    while ((got = fread(bytes, 1, sizeof bytes, writer->events)) > 0)
        fwrite(bytes, 1, got, writer->file);
    fflush(writer->file);
    return check_files(writer, error);
}

const struct st_writer_format st_rapidbin_writer = {.name = "rapidbin",
                                                    .open = bin_open_writer,
                                                    .write = bin_write,
                                                    .flush = bin_flush,
                                                    .finish = bin_finish,
                                                    .close = bin_close_writer};
