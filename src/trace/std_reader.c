/* STD text, RAPID's format with channels added: one event a line, THREAD|OP|LOC
 * (docs/trace-format.md).
 *
 * Reading text spends its time on three things, and each has its remedy here:
 * - looking up names: lines are taken in groups. First every line of a group is split into its
 *   fields and the hash slot of its operand is asked for, then the operands are looked up; by then
 *   the slots are in the cache;
 * - finding the ends of short fields: all bars and the line end among the next 32 bytes are found
 *   at once, which is all there is to a usual line;
 * - branches that depend on the operation, which no processor can predict: its word is found
 *   through a table. */
#include "trace/format.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

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
    const char *text;    /* of the current line, without its line end */
    size_t length;
    const char *bar, *next_bar; /* the first two bars in it, or NULL */
};

/* An operand whose number is still to be looked up. */
struct operand {
    struct st_names *table;
    struct st_name_key key;
};

static int fail_line(const struct std_reader *reader, const char *cause, struct st_error *error) {
    char quoted[80];
    st_quote(quoted, sizeof quoted, reader->text, reader->length);
    bool foreign = reader->line == 1 && !reader->bar;
    const char *hint = foreign ? "; the file is neither STD text nor a native trace" : "";
    return st_fail(error, reader->input->name, ST_AT_LINE, reader->line, "%s in %s%s", cause,
                   quoted, hint);
}

static int fail_too_long(const struct std_reader *reader, struct st_error *error) {
    return st_fail(error, reader->input->name, ST_AT_LINE, reader->line,
                   "line is longer than %d bytes; this is not an STD trace", LONGEST_LINE);
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
    look_for_zero(reader); /* the start was read already, to detect the format */
    return reader;
}

/* Reads on, keeping `checked` and `zero` right although the bytes move to the front. */
static int read_on(struct std_reader *reader, struct st_error *error) {
    struct st_input *input = reader->input;
    size_t moved = input->begin;
    if (st_input_available(input) > LONGEST_LINE) {
        reader->line++;
        return fail_too_long(reader, error);
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

/* Where the bars and the line ends are among the 32 bytes from `text` on: bit i for text[i]. */
static inline void find_marks(const char *text, uint32_t *bars, uint32_t *ends) {
#ifdef __SSE2__
    __m128i low = _mm_loadu_si128((const __m128i *)(const void *)text);
    __m128i high = _mm_loadu_si128((const __m128i *)(const void *)(text + 16));
    __m128i bar = _mm_set1_epi8('|'), end = _mm_set1_epi8('\n');
    *bars = (uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(low, bar)) |
            (uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(high, bar)) << 16;
    *ends = (uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(low, end)) |
            (uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(high, end)) << 16;
#else
    *bars = *ends = 0;
    for (int i = 0; i < 32; i++) {
        *bars |= (uint32_t)(text[i] == '|') << i;
        *ends |= (uint32_t)(text[i] == '\n') << i;
    }
#endif
}

/* Finds the end of the next line and its first two bars. False when the line is not there in whole;
 * the last line of the input needs no line end. */
static inline bool find_line(struct std_reader *reader, size_t *length) {
    const struct st_input *input = reader->input;
    const char *text = st_input_bytes(input);
    size_t available = st_input_available(input);
    uint32_t bars, ends;
    find_marks(text, &bars, &ends);
    if (__builtin_expect(ends != 0, 1)) {
        *length = (size_t)__builtin_ctz(ends);
        bars &= ends ^ (ends - 1);
        reader->bar = bars ? text + __builtin_ctz(bars) : NULL;
        bars &= bars - 1;
        reader->next_bar = bars ? text + __builtin_ctz(bars) : NULL;
        return true;
    }
    const char *newline = memchr(text, '\n', available);
    if (!newline && !(input->at_end && available))
        return false;
    *length = newline ? (size_t)(newline - text) : available;
    reader->bar = memchr(text, '|', *length);
    reader->next_bar =
        reader->bar ? memchr(reader->bar + 1, '|', (size_t)(text + *length - reader->bar - 1))
                    : NULL;
    return true;
}

/* Takes the next line out of the input. 1, 0 when more bytes are needed, -1 with an error. */
static inline int take_line(struct std_reader *reader, struct st_error *error) {
    struct st_input *input = reader->input;
    const char *text = st_input_bytes(input);
    size_t length;
    if (!find_line(reader, &length))
        return 0;
    bool has_zero = reader->zero < input->begin + length;
    size_t taken = length < st_input_available(input) ? length + 1 : length;
    st_input_consume(input, taken);
    if (length && text[length - 1] == '\r')
        length--;
    reader->line++;
    reader->text = text;
    reader->length = length;
    if (__builtin_expect(has_zero, 0))
        return fail_line(reader, "zero byte", error);
    if (__builtin_expect(length > LONGEST_LINE, 0))
        return fail_too_long(reader, error);
    return 1;
}

static bool is_blank(const struct std_reader *reader) {
    for (size_t i = 0; i < reader->length; i++)
        if (reader->text[i] != ' ' && reader->text[i] != '\t')
            return false;
    return true;
}

/* The words of the operations. A word is followed by '(' or '|'. */
static const struct word {
    char text[8];
    uint64_t mask; /* of the bytes that count */
    uint8_t length, op;
} words[] = {
#define WORD(text, length, op)                                                                     \
    { text, (UINT64_C(1) << 8 * length) - 1, length, op }
    WORD("?", 1, 0),
    WORD("r", 1, ST_READ),
    WORD("rel", 3, ST_RELEASE),
    WORD("rcv", 3, ST_RECEIVE),
    WORD("w", 1, ST_WRITE),
    WORD("acq", 3, ST_ACQUIRE),
    WORD("begin", 5, ST_BEGIN),
    WORD("end", 3, ST_END),
    WORD("fork", 4, ST_FORK),
    WORD("join", 4, ST_JOIN),
    WORD("snd", 3, ST_SEND),
#undef WORD
};

/* Which of them the text at `op` starts with, or NULL. Its first letter decides but for "r",
 * "rel" and "rcv". Eight bytes can always be read there (ST_INPUT_PADDING). */
static inline const struct word *read_word(const char *op) {
    static const uint8_t by_letter[256] = {
        ['r'] = 1, ['w'] = 4, ['a'] = 5, ['b'] = 6, ['e'] = 7, ['f'] = 8, ['j'] = 9, ['s'] = 10};
    const struct word *word = &words[by_letter[(unsigned char)op[0]]];
    word += (op[0] == 'r') * ((op[1] == 'e') + 2 * (op[1] == 'c'));
    uint64_t text, wanted;
    memcpy(&text, op, sizeof text);
    memcpy(&wanted, word->text, sizeof wanted);
    char next = op[word->length];
    return (text & word->mask) == wanted && word != words && (next == '(' || next == '|') ? word
                                                                                          : NULL;
}

/* The end of the operation: the next bar, behind a ')' when there is an operand, for names may
 * contain bars. NULL when there is none. */
static inline const char *find_op_end(const struct std_reader *reader, bool has_operand) {
    const char *bar = reader->next_bar, *end = reader->text + reader->length;
    while (bar && has_operand && bar[-1] != ')')
        bar = memchr(bar + 1, '|', (size_t)(end - bar - 1));
    return bar;
}

/* Gives the operands that are still open their numbers. */
static int look_up(struct std_reader *reader, struct st_event *events, struct operand *operands,
                   size_t count, struct st_error *error) {
    for (size_t i = 0; i < count; i++) {
        if (!operands[i].table)
            continue;
        events[i].target = st_names_number(operands[i].table, &operands[i].key);
        if (events[i].target == ST_NAMES_FULL)
            return fail_too_many_names(reader, error);
        operands[i].table = NULL;
    }
    if (__builtin_expect(reader->symbols->noted != reader->symbols->channels.count, 0))
        st_symbols_note_channels(reader->symbols);
    return 0;
}

/* Is it the name of what a thread starts with? The text of the line goes on behind it. */
static inline bool begins_as_start(const char *name, size_t length) {
    size_t start = strlen(ST_START_OF), turn = strlen(ST_TURN_OF);
    return (length > start && memcmp(name, ST_START_OF, start) == 0) ||
           (length > turn && memcmp(name, ST_TURN_OF, turn) == 0);
}

/* Makes an event from the current line; its operand, if any, goes to *operand. */
static inline int read_event(struct std_reader *reader, struct st_event *event,
                             struct operand *operand, struct st_error *error) {
    const char *text = reader->text, *end = text + reader->length, *bar = reader->bar;
    if (!bar)
        return fail_line(reader, "expected THREAD|OP|LOC", error);
    if (bar == text)
        return fail_line(reader, "empty thread name", error);
    const struct word *word = read_word(bar + 1);
    if (!word)
        return fail_line(reader, "unknown operation", error);
    const char *name = bar + 1 + word->length + 1; /* of the operand, if there is one */
    bool has_operand = name[-1] == '(';
    const char *op_end = find_op_end(reader, has_operand);
    if (!op_end)
        return fail_line(reader,
                         has_operand ? "expected ')' and '|' after the operand"
                                     : "expected '|' and a location",
                         error);
    size_t name_length = has_operand ? (size_t)(op_end - 1 - name) : 0;
    if (name_length == 0 && word->op != ST_BEGIN && word->op != ST_END)
        return fail_line(reader, "operation without an operand", error);

    struct st_name_key thread = st_name_key_padded(text, (size_t)(bar - text));
    uint32_t thread_number = st_names_number(&reader->symbols->threads, &thread);
    const char *loc_text = op_end + 1;
    uint64_t loc = st_location_add_padded(reader->symbols, loc_text, (size_t)(end - loc_text));
    if (thread_number == ST_NAMES_FULL || loc == UINT64_MAX)
        return fail_too_many_names(reader, error);
    event->thread = thread_number;
    event->target = ST_NO_NAME;
    event->loc = loc & (ST_LOC_NAME | (ST_LOC_NAME - 1));
    event->written = event->op = word->op;
    event->atomic = word->op == ST_BEGIN && begins_as_start(name, name_length);
    operand->table = NULL;
    if (name_length) {
        operand->table = st_symbols_of(reader->symbols, (enum st_op)word->op);
        operand->key = st_name_key_padded(name, name_length);
        st_names_prefetch(operand->table, operand->key.hash);
    }
    /* The following lines may start with the same thread: it must have its number before them. */
    if (word->op == ST_FORK || word->op == ST_JOIN)
        return look_up(reader, event, operand, 1, error);
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
        if (__builtin_expect(!reader->bar && is_blank(reader), 0)) {
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

static bool std_truncated(const void *state) {
    (void)state;
    return false;
}

const struct st_format st_std_format = {
    .name = "std", .open = std_open, .next = std_next, .truncated = std_truncated, .close = free};
