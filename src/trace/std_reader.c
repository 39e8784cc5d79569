/* STD text, RAPID's format: one event a line, THREAD|OP|LOC (docs/trace-format.md).
 *
 * The time of a text trace goes into finding line ends and into looking up names, so lines are
 * taken in groups: first every line of a group is cut into its fields and the hash slot of its
 * operand is asked for, then the operands are looked up. By then the slots are in the cache. */
#include "trace/format.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

enum {
    GROUP = 64,
    LONGEST_LINE = 1024 * 1024,
};

struct std_reader {
    struct st_input *input;
    struct st_symbols *symbols;
    uint64_t line;       /* number of the last line taken */
    uint64_t blank_line; /* number of the first of the blank lines that were just seen, or 0 */
    size_t checked;      /* input->data[begin .. checked) has been searched for zero bytes */
    size_t zero;         /* index in input->data of the first zero byte, or SIZE_MAX */
    const char *text;    /* of the line at hand, without its line end */
    size_t length;
};

/* An operand whose number is still to be looked up. */
struct operand {
    struct st_names *table;
    struct st_name_key key;
};

static int fail_line(const struct std_reader *reader, const char *cause, struct st_error *error) {
    char quoted[80];
    st_quote(quoted, sizeof quoted, reader->text, reader->length);
    const char *hint = reader->line == 1 ? "; the file is neither STD text nor a native trace" : "";
    return st_fail(error, reader->input->name, ST_AT_LINE, reader->line, "%s in %s%s", cause,
                   quoted, hint);
}

static int fail_too_many_names(const struct std_reader *reader, struct st_error *error) {
    return st_fail(error, reader->input->name, ST_AT_LINE, reader->line,
                   "more than 4294967294 different names of one kind");
}

/* A line group must not see the input move: so zero bytes are looked for when bytes arrive. */
static void look_for_zero(struct std_reader *reader) {
    const struct st_input *input = reader->input;
    if (reader->zero != SIZE_MAX)
        return;
    const char *from = input->data + reader->checked;
    const char *zero = memchr(from, 0, input->end - reader->checked);
    reader->checked = input->end;
    if (zero)
        reader->zero = (size_t)(zero - input->data);
}

static void *std_open(struct st_input *input, struct st_symbols *symbols, struct st_error *error) {
    (void)error;
    struct std_reader *reader = st_alloc(1, sizeof *reader);
    reader->input = input;
    reader->symbols = symbols;
    reader->zero = SIZE_MAX;
    reader->checked = input->begin;
    look_for_zero(reader); /* the start was read already, to tell the format */
    return reader;
}

/* Reads on, keeping `checked` and `zero` right although the bytes move to the front. */
static int read_on(struct std_reader *reader, struct st_error *error) {
    struct st_input *input = reader->input;
    size_t moved = input->begin;
    if (st_input_available(input) > LONGEST_LINE) {
        reader->line++;
        return st_fail(error, input->name, ST_AT_LINE, reader->line,
                       "line is longer than %d bytes; this is no STD trace", LONGEST_LINE);
    }
    if (st_input_fill(input, st_input_available(input) + 1, error) < 0)
        return -1;
    if (input->begin != moved) {
        reader->checked = reader->checked > moved ? reader->checked - moved : 0;
        if (reader->zero != SIZE_MAX)
            reader->zero -= moved;
    }
    look_for_zero(reader);
    return 0;
}

/* Takes the next line out of the input. 1, 0 when more bytes are needed, -1 with an error. */
static int take_line(struct std_reader *reader, struct st_error *error) {
    struct st_input *input = reader->input;
    const char *text = st_input_bytes(input);
    size_t available = st_input_available(input);
    const char *newline = memchr(text, '\n', available);
    if (!newline && !(input->at_end && available))
        return 0;
    size_t length = newline ? (size_t)(newline - text) : available;
    bool has_zero = reader->zero < input->begin + length;
    st_input_consume(input, length + (newline ? 1 : 0));
    if (length && text[length - 1] == '\r')
        length--;
    reader->line++;
    reader->text = text;
    reader->length = length;
    if (has_zero)
        return fail_line(reader, "zero byte", error);
    if (length > LONGEST_LINE)
        return st_fail(error, input->name, ST_AT_LINE, reader->line,
                       "line is longer than %d bytes; this is no STD trace", LONGEST_LINE);
    return 1;
}

static bool is_blank(const struct std_reader *reader) {
    for (size_t i = 0; i < reader->length; i++)
        if (reader->text[i] != ' ' && reader->text[i] != '\t')
            return false;
    return true;
}

/* Which operation the text at `op` starts with, and how long its word is; -1 for none. Eight bytes
 * can always be read there (ST_INPUT_PADDING). The character after the word tells "r(" from
 * "rel(". */
static int read_word(const char *op, size_t *word_length) {
#define WORD(text, length, kind)                                                                   \
    { text, (UINT64_C(1) << 8 * length) - 1, length, kind }
    /* In order of frequency. */
    static const struct {
        char word[8];
        uint64_t mask;
        uint8_t length, op;
    } words[] = {
        WORD("r", 1, ST_READ),      WORD("w", 1, ST_WRITE),     WORD("acq", 3, ST_ACQUIRE),
        WORD("rel", 3, ST_RELEASE), WORD("begin", 5, ST_BEGIN), WORD("end", 3, ST_END),
        WORD("fork", 4, ST_FORK),   WORD("join", 4, ST_JOIN),
    };
#undef WORD
    uint64_t text, word;
    memcpy(&text, op, sizeof text);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        memcpy(&word, words[i].word, sizeof word);
        size_t length = words[i].length;
        if ((text & words[i].mask) == word && (op[length] == '(' || op[length] == '|')) {
            *word_length = length;
            return words[i].op;
        }
    }
    return -1;
}

/* The end of the operation that starts at `op`: the first '|' (behind a ')' when there is an
 * operand, for names may contain '|'). NULL when there is none. */
static const char *find_op_end(const char *op, const char *end, bool has_operand) {
    const char *bar = memchr(op, '|', (size_t)(end - op));
    while (bar && has_operand && bar[-1] != ')')
        bar = memchr(bar + 1, '|', (size_t)(end - bar - 1));
    return bar;
}

/* Cuts the line at hand into an event; its operand, if any, goes to *operand. */
static int read_event(struct std_reader *reader, struct st_event *event, struct operand *operand,
                      struct st_error *error) {
    const char *text = reader->text, *end = text + reader->length;
    const char *bar = memchr(text, '|', reader->length);
    if (!bar)
        return fail_line(reader, "expected THREAD|OP|LOC", error);
    if (bar == text)
        return fail_line(reader, "empty thread name", error);
    const char *op = bar + 1;
    size_t word_length = 0;
    int kind = read_word(op, &word_length);
    if (kind < 0)
        return fail_line(reader, "unknown operation", error);
    bool has_operand = op[word_length] == '(';
    const char *op_end = find_op_end(op + word_length, end, has_operand);
    if (!op_end)
        return fail_line(reader,
                         has_operand ? "expected ')' and '|' behind the operand"
                                     : "expected '|' and a location",
                         error);
    const char *name = op + word_length + 1;
    size_t name_length = has_operand ? (size_t)(op_end - 1 - name) : 0;
    if (name_length == 0 && kind != ST_BEGIN && kind != ST_END)
        return fail_line(reader, "operation without an operand", error);

    struct st_name_key thread = st_name_key_padded(text, (size_t)(bar - text));
    uint32_t thread_number = st_names_number(&reader->symbols->threads, &thread);
    uint64_t loc = st_location_add(reader->symbols, op_end + 1, (size_t)(end - op_end - 1));
    if (thread_number == ST_NAMES_FULL || loc == UINT64_MAX)
        return fail_too_many_names(reader, error);
    event->thread = thread_number;
    event->target = ST_NO_NAME;
    event->loc = loc & (ST_LOC_NAME | (ST_LOC_NAME - 1));
    event->written = event->op = (uint8_t)kind;
    operand->table = NULL;
    if (name_length) {
        operand->table = st_symbols_of(reader->symbols, (enum st_op)kind);
        operand->key = st_name_key_padded(name, name_length);
        st_names_prefetch(operand->table, operand->key.hash);
    }
    return 0;
}

/* Takes up to `count` events from the lines that are in memory. Their operands are still open. */
static long read_group(struct std_reader *reader, struct st_event *events, struct operand *operands,
                       size_t count, struct st_error *error) {
    size_t taken = 0;
    while (taken < count) {
        int more = take_line(reader, error);
        if (more < 0)
            return -1;
        if (more == 0)
            break;
        if (__builtin_expect(is_blank(reader), 0)) {
            if (!reader->blank_line)
                reader->blank_line = reader->line;
            continue;
        }
        if (reader->blank_line)
            return st_fail(error, reader->input->name, ST_AT_LINE, reader->blank_line,
                           "blank line inside the trace");
        if (read_event(reader, &events[taken], &operands[taken], error) < 0)
            return -1;
        taken++;
    }
    return (long)taken;
}

static int look_up(struct std_reader *reader, struct st_event *events, struct operand *operands,
                   size_t count, struct st_error *error) {
    for (size_t i = 0; i < count; i++) {
        if (!operands[i].table)
            continue;
        events[i].target = st_names_number(operands[i].table, &operands[i].key);
        if (events[i].target == ST_NAMES_FULL)
            return fail_too_many_names(reader, error);
    }
    return 0;
}

static long std_next(void *state, struct st_event *events, size_t capacity,
                     struct st_error *error) {
    struct std_reader *reader = state;
    struct operand operands[GROUP];
    size_t total = 0;
    while (total < capacity) {
        size_t room = capacity - total < GROUP ? capacity - total : GROUP;
        long taken = read_group(reader, events + total, operands, room, error);
        if (taken < 0 || look_up(reader, events + total, operands, (size_t)taken, error) < 0)
            return -1;
        total += (size_t)taken;
        if ((size_t)taken == room)
            continue;
        if (total || (reader->input->at_end && !st_input_available(reader->input)))
            break; /* hand out what there is before waiting for more */
        if (read_on(reader, error) < 0)
            return -1;
    }
    return (long)total;
}

static bool std_cut(const void *state) {
    (void)state;
    return false;
}

const struct st_format st_std_format = {
    .name = "std", .open = std_open, .next = std_next, .cut = std_cut, .close = free};
