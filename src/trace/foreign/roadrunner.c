/* RoadRunner's logs, as its tools print events:
 *
 *     @  Enter(0,test/Bank.transfer(I)V) from Bank.java:12:3
 *     @    Rd(0,@01.test/Bank.balance_I)  Final  Bank.java:21:7
 *     @    Acquire(1,@02)
 *
 * An event is its name, the number of the thread and what it is about. Behind an access stand the
 * state that the tool keeps for the variable, and the location. Lines that do not start with an @,
 * and those that are no event which we know, are what the program and RoadRunner print beside: they
 * are skipped. Accesses to volatile fields (VRd, VWr) are atomic.
 *
 * In names, "-" stands for what is missing. */
#include "trace/foreign/foreign.h"

#include "base/memory.h"
#include "trace/variable_names.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct word {
    const char *text;
    enum st_op op;
    bool atomic;
};

static const struct word words[] = {
    {"Rd", ST_READ, false},    {"Wr", ST_WRITE, false},        {"ARd", ST_READ, false},
    {"AWr", ST_WRITE, false},  {"VRd", ST_READ, true},         {"VWr", ST_WRITE, true},
    {"Join", ST_JOIN, false},  {"Acquire", ST_ACQUIRE, false}, {"Release", ST_RELEASE, false},
    {"Start", ST_FORK, false}, {"Enter", ST_BEGIN, false},     {"Exit", ST_END, false},
};

/* A part of a line. */
struct piece {
    const char *text;
    size_t length;
};

/* ---- reading ---- */

struct roadrunner_reader {
    struct st_text_lines lines;
    struct st_symbols *symbols;
};

static void *rr_open(struct st_input *input, struct st_symbols *symbols, struct st_error *error) {
    (void)error;
    struct roadrunner_reader *reader = st_alloc(1, sizeof *reader);
    reader->lines.input = input;
    reader->symbols = symbols;
    return reader;
}

static bool is_blank(char c) {
    return c == ' ' || c == '\t';
}

/* Takes the next word, up to a blank, out of the rest. It is empty at the end. */
static struct piece take_word(struct piece *rest) {
    while (rest->length && is_blank(*rest->text)) {
        rest->text++;
        rest->length--;
    }
    struct piece word = {rest->text, 0};
    while (word.length < rest->length && !is_blank(word.text[word.length]))
        word.length++;
    rest->text += word.length;
    rest->length -= word.length;
    return word;
}

/* The event that the line is about, or NULL; *rest becomes what is behind its bracket. */
static const struct word *find_word(const struct st_text_lines *lines, struct piece *rest) {
    struct piece line = {lines->text + 1, lines->length - 1};
    if (!lines->length || *lines->text != '@' || !line.length || !is_blank(*line.text))
        return NULL;
    while (line.length && is_blank(*line.text)) {
        line.text++;
        line.length--;
    }
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        size_t length = strlen(words[i].text);
        if (line.length > length && memcmp(line.text, words[i].text, length) == 0 &&
            line.text[length] == '(') {
            *rest = (struct piece){line.text + length + 1, line.length - length - 1};
            return &words[i];
        }
    }
    return NULL;
}

/* Thread 3 is called T3, so that it can be told from a number. */
static uint32_t number_thread(struct st_symbols *symbols, struct piece name) {
    char text[24];
    bool digits = name.length > 0 && name.length < sizeof text - 1;
    for (size_t i = 0; digits && i < name.length; i++)
        digits = isdigit((unsigned char)name.text[i]);
    if (!digits)
        return st_names_add(&symbols->threads, name.text, name.length);
    text[0] = 'T';
    memcpy(text + 1, name.text, name.length);
    return st_names_add(&symbols->threads, text, name.length + 1);
}

static bool is_missing(struct piece name) {
    return name.length == 1 && *name.text == '-';
}

/* "0,x)" and what follows: the thread, what it is about, and the rest of the line. */
static bool split(struct piece line, struct piece *thread, struct piece *operand,
                  struct piece *rest) {
    const char *comma = memchr(line.text, ',', line.length), *end = line.text + line.length;
    if (!comma)
        return false;
    const char *stop = comma, *closing = NULL;
    while (stop < end && !is_blank(*stop)) {
        if (*stop == ')')
            closing = stop;
        stop++;
    }
    if (!closing)
        return false;
    *thread = (struct piece){line.text, (size_t)(comma - line.text)};
    *operand = (struct piece){comma + 1, (size_t)(closing - comma - 1)};
    *rest = (struct piece){closing + 1, (size_t)(end - closing - 1)};
    for (size_t i = 0; i < thread->length; i++)
        if (is_blank(thread->text[i]))
            return false;
    return thread->length && operand->length;
}

/* "[1 -> 2]": the values that were read and written. */
static void skip_values(struct piece *rest) {
    const char *closing;
    if (!rest->length || *rest->text != '[' || !(closing = memchr(rest->text, ']', rest->length)))
        return;
    rest->length -= (size_t)(closing + 1 - rest->text);
    rest->text = closing + 1;
}

/* The location: behind the state of an access, behind "from" of an Enter, or all that follows. */
static struct piece find_location(enum st_op op, struct piece rest) {
    if (op == ST_READ || op == ST_WRITE) {
        skip_values(&rest);
        take_word(&rest);
    }
    struct piece location = take_word(&rest);
    if (op == ST_BEGIN && location.length == 4 && memcmp(location.text, "from", 4) == 0)
        location = take_word(&rest);
    bool none = is_missing(location) ||
                (op == ST_BEGIN && location.length == 4 && memcmp(location.text, "null", 4) == 0);
    return none ? (struct piece){location.text, 0} : location;
}

static int read_event(struct roadrunner_reader *reader, const struct word *word, struct piece line,
                      struct st_event *event, struct st_error *error) {
    static const char too_many[] = "more than 4294967294 different names of one kind";
    struct piece thread, operand, rest;
    if (!split(line, &thread, &operand, &rest))
        return st_text_lines_fail(&reader->lines, "the event is not like NAME(THREAD,OPERAND)",
                                  error);
    struct piece place = find_location(word->op, rest);
    uint64_t location = st_location_add(reader->symbols, place.text, place.length);
    uint32_t number = number_thread(reader->symbols, thread);
    if (location == UINT64_MAX || number == ST_NAMES_FULL)
        return st_text_lines_fail(&reader->lines, too_many, error);
    *event = st_event_make(number, ST_NO_NAME, location, word->op);
    event->atomic = word->atomic;
    if (word->op == ST_FORK || word->op == ST_JOIN) {
        event->target = number_thread(reader->symbols, operand);
        return event->target == ST_NAMES_FULL ? st_text_lines_fail(&reader->lines, too_many, error)
                                              : 0;
    }
    bool unnamed = (word->op == ST_BEGIN || word->op == ST_END) && is_missing(operand);
    if (!unnamed && !st_foreign_target(reader->symbols, event, operand.text, operand.length))
        return st_text_lines_fail(&reader->lines, too_many, error);
    return 0;
}

static long rr_next(void *state, struct st_event *events, size_t capacity, struct st_error *error) {
    struct roadrunner_reader *reader = state;
    size_t count = 0;
    while (count < capacity) {
        int more = st_text_lines_next(&reader->lines, error);
        if (more < 0)
            return -1;
        if (more == 0)
            break;
        struct piece rest;
        const struct word *word = find_word(&reader->lines, &rest);
        if (!word)
            continue;
        if (read_event(reader, word, rest, &events[count], error) < 0)
            return -1;
        count++;
    }
    return (long)count;
}

static bool rr_truncated(const void *state) {
    (void)state;
    return false;
}

const struct st_format st_roadrunner_format = {.name = "roadrunner",
                                               .open = rr_open,
                                               .next = rr_next,
                                               .truncated = rr_truncated,
                                               .close = free};

/* ---- writing ---- */

struct roadrunner_writer {
    FILE *file;
    const char *file_name;
    const struct st_symbols *symbols;
    struct st_variable_names variables;
    uint64_t written;
};

static void *rr_open_writer(FILE *file, const char *file_name, const struct st_symbols *symbols) {
    struct roadrunner_writer *writer = st_alloc(1, sizeof *writer);
    *writer = (struct roadrunner_writer){.file = file, .file_name = file_name, .symbols = symbols};
    st_variable_names_init(&writer->variables);
    return writer;
}

static void rr_close_writer(void *state) {
    struct roadrunner_writer *writer = state;
    st_variable_names_free(&writer->variables);
    free(writer);
}

/* "T3" is thread 3. */
static const char *thread_text(const char *name) {
    const char *at = name + 1;
    if (*name != 'T' || !*at || (*at == '0' && at[1]) || strlen(at) > 20)
        return name;
    while (isdigit((unsigned char)*at))
        at++;
    return *at ? name : name + 1;
}

/* A name that reads back as it is. */
static bool fits(const char *text) {
    return *text && !strpbrk(text, " \t\r\n") && strcmp(text, "-") != 0;
}

static int refuse(const struct roadrunner_writer *writer, const char *part, const char *text,
                  struct st_error *error) {
    return st_foreign_refuse(writer->file_name, "a RoadRunner log", part, text, writer->written + 1,
                             error);
}

static const char *word_of(const struct st_event *event) {
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (words[i].op == event->written &&
            (event->written > ST_WRITE || words[i].atomic == event->atomic))
            return words[i].text;
    return NULL;
}

static int rr_write_event(struct roadrunner_writer *writer, const struct st_event *event,
                          struct st_error *error) {
    const struct st_symbols *symbols = writer->symbols;
    enum st_op op = (enum st_op)event->written;
    char buffer[ST_LOCATION_SIZE];
    const char *thread = st_name(&symbols->threads, event->thread), *word = word_of(event);
    const char *target = st_target_name(symbols, op, event->target);
    const char *loc = st_location_text(symbols, event->loc, buffer);
    if (!word)
        return refuse(writer, "operation", st_op_word(op), error);
    if (!fits(thread) || strchr(thread, ',') || (isdigit((unsigned char)*thread)))
        return refuse(writer, "thread name", thread, error);
    if (*target ? !fits(target) : op != ST_BEGIN && op != ST_END)
        return refuse(writer, "name", target, error);
    if (*loc && (!fits(loc) || (op == ST_BEGIN && strcmp(loc, "null") == 0)))
        return refuse(writer, "location", loc, error);
    if (op == ST_FORK || op == ST_JOIN)
        target = thread_text(target);
    fprintf(writer->file, "@  %s(%s,%s", word, thread_text(thread), *target ? target : "-");
    uint32_t nth = st_variable_names_nth(&writer->variables, event);
    if (nth > 1)
        fprintf(writer->file, "#%" PRIu32, nth);
    const char *before = op <= ST_WRITE ? "  -  " : op == ST_BEGIN ? " from " : "  ";
    fprintf(writer->file, ")%s%s\n", before, *loc ? loc : "-");
    writer->written++;
    return 0;
}

static int check_file(const struct roadrunner_writer *writer, struct st_error *error) {
    if (!ferror(writer->file))
        return 0;
    return st_fail(error, writer->file_name, ST_AT_FILE, 0, "cannot write: %s", strerror(errno));
}

static int rr_write(void *state, const struct st_event *events, size_t count,
                    struct st_error *error) {
    struct roadrunner_writer *writer = state;
    st_variable_names_update(&writer->variables, writer->symbols);
    for (size_t i = 0; i < count; i++)
        if (events[i].op != ST_DROPPED && rr_write_event(writer, &events[i], error) < 0)
            return -1;
    return check_file(writer, error);
}

static int rr_flush(void *state, struct st_error *error) {
    struct roadrunner_writer *writer = state;
    fflush(writer->file);
    return check_file(writer, error);
}

static int rr_finish(void *state, bool truncated, struct st_error *error) {
    (void)truncated; /* text has no place to say so */
    return rr_flush(state, error);
}

const struct st_writer_format st_roadrunner_writer = {.name = "roadrunner",
                                                      .open = rr_open_writer,
                                                      .write = rr_write,
                                                      .flush = rr_flush,
                                                      .finish = rr_finish,
                                                      .close = rr_close_writer};
