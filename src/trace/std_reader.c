/* STD text, RAPID's format with channels added: one event a line, THREAD|OP|LOC
 * (docs/trace-format.md).
 *
 * Reading text spends its time on three things, and each has its remedy here:
 * - finding the ends of short fields: all bars, closing brackets, digits and the line end among the
 *   next 32 bytes, or 64, are found at once, and where fields and numbers end follows from them;
 * - looking up names: most are a text and a number, and in series (base/names.h). Lines are taken
 * in groups: first every line of a group is split into its fields and what its operand is looked up
 *   in is asked for, then the operands are looked up; by then it is in the cache;
 * - branches that depend on the line, which no processor can predict: the word of the operation is
 *   found through a table, and numbers of any length are read alike.
 *
 * Lines that are longer, or not as they should be, are read by read_event, which also finds what is
 * wrong with them. */
#include "trace/format.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>
#ifdef __x86_64__
#include <immintrin.h>
#define HAS_WIDE
#endif

enum {
    GROUP = 64,
    LONGEST_LINE = 1024 * 1024,
};

/* What reads usual lines is compiled twice, see read_lines. */
#define ST_USUAL static inline __attribute__((always_inline))

/* The word of an operation. In a line, '(' or '|' follows. */
struct word {
    uint64_t text, mask; /* the bytes of the word, and which those are */
    uint8_t length, op;
    bool takes_thread;
};

/* A place for a word by its first two bytes; "r" and "w" have a '(' there. */
enum { WORD_PLACES = 16 };
static inline unsigned word_place(uint64_t text) {
    return (unsigned)(text & 0xffff) * 25 >> 6 & (WORD_PLACES - 1);
}

/* The number of a thread or a location whose name has less than 8 bytes: `text` is these, with
 * zeros behind them. */
struct known_name {
    uint64_t text, number;
};
enum { KNOWN_THREAD_BITS = 6, KNOWN_LOCATION_BITS = 11 };

struct operand;
struct std_reader;
typedef size_t read_lines(struct std_reader *reader, struct st_event *events,
                          struct operand *operands, size_t taken, size_t count);

struct std_reader {
    struct st_input *input;
    struct st_symbols *symbols;
    uint64_t line;       /* number of the last line taken */
    uint64_t blank_line; /* number of the first of the blank lines that were just seen, or 0 */
    size_t checked;      /* input->data[begin .. checked) has been searched for zero bytes */
    size_t zero;         /* index in input->data of the first zero byte, or SIZE_MAX */
    const char *text;    /* of the current line, without its line end */
    size_t length;
    const char *bar, *next_bar;                        /* the first two bars in it, or NULL */
    struct st_names *tables[ST_OP_COUNT];              /* of the operands, by operation */
    struct word words[WORD_PLACES];                    /* all zero: there is none */
    struct known_name threads[1 << KNOWN_THREAD_BITS]; /* by hash; a later one replaces another */
    struct known_name locations[1 << KNOWN_LOCATION_BITS];
    read_lines *read_lines;
};

/* An operand whose number is still to be looked up: in a series, or by its key. Of a key for the
 * series, only the text and its length have a meaning. */
struct operand {
    struct st_names *table; /* NULL: there is none */
    const struct st_series *series;
    uint32_t number; /* in the series, which has room for it */
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

/* Finds the end of the next line and its first two bars. False when the line is not there in whole;
 * the last line of the input needs no line end. */
static bool find_line(struct std_reader *reader, size_t *length) {
    const struct st_input *input = reader->input;
    const char *text = st_input_bytes(input);
    size_t available = st_input_available(input);
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
static int take_line(struct std_reader *reader, struct st_error *error) {
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

/* The word of the operation that starts at `op`, or NULL. Its first two bytes decide which it can
 * be. Eight bytes can always be read there (ST_INPUT_PADDING). */
ST_USUAL const struct word *read_word(const struct std_reader *reader, const char *op) {
    uint64_t text;
    memcpy(&text, op, sizeof text);
    const struct word *word = &reader->words[word_place(text)];
    unsigned char next = (unsigned char)(text >> 8 * word->length);
    bool good = ((text & word->mask) == word->text) & ((next == '(') | (next == '|'));
    return good ? word : NULL;
}

/* The end of the operation: the next bar, behind a ')' when there is an operand, for names may
 * contain bars. NULL when there is none. */
static inline const char *find_op_end(const struct std_reader *reader, bool has_operand) {
    const char *bar = reader->next_bar, *end = reader->text + reader->length;
    while (bar && has_operand && bar[-1] != ')')
        bar = memchr(bar + 1, '|', (size_t)(end - bar - 1));
    return bar;
}

/* The name of the operand is not in its series: it is new, in most cases. */
static int add_name(const struct operand *operand, struct st_event *event) {
    event->target = st_names_add(operand->table, operand->key.text, operand->key.length);
    return event->target == ST_NAMES_FULL ? -1 : 0;
}

/* Gives the operands that are still open their numbers. */
static int look_up(struct std_reader *reader, struct st_event *events, struct operand *operands,
                   size_t count, struct st_error *error) {
    for (size_t i = 0; i < count; i++) {
        struct operand *operand = &operands[i];
        if (!operand->table)
            continue;
        events[i].target = operand->series ? operand->series->entries[operand->number] - 1
                                           : st_names_number(operand->table, &operand->key);
        if (__builtin_expect(events[i].target == ST_NAMES_FULL, 0) &&
            add_name(operand, &events[i]) < 0)
            return fail_too_many_names(reader, error);
        operand->table = NULL;
    }
    if (__builtin_expect(reader->symbols->noted != reader->symbols->channels.count, 0))
        st_symbols_note_channels(reader->symbols);
    return 0;
}

/* Is it the name of what a thread starts with? The text of the line goes on behind it. */
static bool begins_as_start(const char *name, size_t length) {
    size_t start = strlen(ST_START_OF), turn = strlen(ST_TURN_OF);
    return (length > start && memcmp(name, ST_START_OF, start) == 0) ||
           (length > turn && memcmp(name, ST_TURN_OF, turn) == 0);
}

/* An operand that is not looked up in a series. */
static void open_operand(struct operand *operand, struct st_names *table, const char *name,
                         size_t length) {
    operand->table = table;
    operand->series = NULL;
    operand->key = st_name_key_padded(name, length);
    st_names_prefetch(table, operand->key.hash);
}

/* Makes an event from the current line; its operand, if any, goes to *operand. */
static int read_event(struct std_reader *reader, struct st_event *event, struct operand *operand,
                      struct st_error *error) {
    const char *text = reader->text, *end = text + reader->length, *bar = reader->bar;
    if (!bar)
        return fail_line(reader, "expected THREAD|OP|LOC", error);
    if (bar == text)
        return fail_line(reader, "empty thread name", error);
    const struct word *word = read_word(reader, bar + 1);
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
    if (name_length)
        open_operand(operand, reader->tables[word->op], name, name_length);
    /* The following lines may start with the same thread: it must have its number before them. */
    if (word->op == ST_FORK || word->op == ST_JOIN)
        return look_up(reader, event, operand, 1, error);
    return 0;
}

/* ---- usual lines ---- */

/* What there is among the bytes from the start of a line on: bit i for byte i. */
struct marks {
    uint64_t ends, bars, closers, digits;
};

#ifdef __SSE2__
ST_USUAL struct marks marks_of_16(const char *text) {
    __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)text);
    __m128i value = _mm_sub_epi8(bytes, _mm_set1_epi8('0'));
    __m128i digit = _mm_cmpeq_epi8(_mm_min_epu8(value, _mm_set1_epi8(9)), value);
    return (struct marks){
        .ends = (uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(bytes, _mm_set1_epi8('\n'))),
        .bars = (uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(bytes, _mm_set1_epi8('|'))),
        .closers = (uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(bytes, _mm_set1_epi8(')'))),
        .digits = (uint32_t)_mm_movemask_epi8(digit),
    };
}
#else
ST_USUAL struct marks marks_of_16(const char *text) {
    struct marks marks = {0, 0, 0, 0};
    for (int i = 0; i < 16; i++) {
        marks.ends |= (uint64_t)(text[i] == '\n') << i;
        marks.bars |= (uint64_t)(text[i] == '|') << i;
        marks.closers |= (uint64_t)(text[i] == ')') << i;
        marks.digits |= (uint64_t)(text[i] >= '0' && text[i] <= '9') << i;
    }
    return marks;
}
#endif

ST_USUAL struct marks join_marks(struct marks marks, struct marks more, unsigned shift) {
    return (struct marks){marks.ends | more.ends << shift, marks.bars | more.bars << shift,
                          marks.closers | more.closers << shift,
                          marks.digits | more.digits << shift};
}

ST_USUAL struct marks marks_of_32(const char *text) {
    return join_marks(marks_of_16(text), marks_of_16(text + 16), 16);
}

#ifdef HAS_WIDE
__attribute__((target("avx2"))) ST_USUAL struct marks wide_marks_of_32(const char *text) {
    __m256i bytes = _mm256_loadu_si256((const __m256i *)(const void *)text);
    __m256i value = _mm256_sub_epi8(bytes, _mm256_set1_epi8('0'));
    __m256i digit = _mm256_cmpeq_epi8(_mm256_min_epu8(value, _mm256_set1_epi8(9)), value);
    return (struct marks){
        .ends = (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(bytes, _mm256_set1_epi8('\n'))),
        .bars = (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(bytes, _mm256_set1_epi8('|'))),
        .closers = (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(bytes, _mm256_set1_epi8(')'))),
        .digits = (uint32_t)_mm256_movemask_epi8(digit),
    };
}
#endif

/* The number that text[0 .. end) ends with; *start is its first digit. False if there is none of
 * 1 to 8 digits, without zeros in front. Digits are paired, then pairs of pairs, each step one
 * multiplication, however many there are. */
ST_USUAL bool read_number(const char *text, uint64_t digits, unsigned end, unsigned *start,
                          uint32_t *number) {
    unsigned count = (unsigned)__builtin_clzll(~(digits << (64 - end)));
    *start = end - count;
    if (__builtin_expect(count - 1 >= 8 || text[*start] == '0', 0) && (count != 1))
        return false;
    uint64_t value;
    memcpy(&value, text + *start, sizeof value);
    value <<= 64 - 8 * count;
    value = (value & UINT64_C(0x0f0f0f0f0f0f0f0f)) * (10 * 256 + 1) >> 8;
    value = (value & UINT64_C(0x00ff00ff00ff00ff)) * (100 * 65536 + 1) >> 16;
    value = (value & UINT64_C(0x0000ffff0000ffff)) * (UINT64_C(10000) * 4294967296 + 1) >> 32;
    *number = (uint32_t)value;
    return true;
}

/* The series with the prefix text[0 .. length), if there is one with room for the number. */
ST_USUAL const struct st_series *find_series(struct st_names *names, const char *text,
                                             unsigned length, uint32_t number) {
    static const char masks[] = "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"
                                "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0";
    if (__builtin_expect(length > 16, 0))
        return NULL;
    uint64_t prefix[2], mask[2];
    memcpy(prefix, text, sizeof prefix);
    memcpy(mask, masks + 16 - length, sizeof mask);
    uint64_t low = prefix[0] & mask[0], high = prefix[1] & mask[1];
    const struct st_series *series = st_names_series(names, low, high);
    bool found = (series->low == low) & (series->high == high) & (number < series->capacity);
    return found ? series : NULL;
}

/* Looks for text[0 .. length) among the names that are known. False: *place is where it belongs. */
ST_USUAL bool is_known(struct known_name *names, unsigned bits, const char *text, unsigned length,
                       struct known_name **place) {
    uint64_t name;
    memcpy(&name, text, sizeof name);
    name &= ~(UINT64_MAX << 8 * (length & 7));
    *place = &names[name * UINT64_C(0x9E3779B97F4A7C15) >> (64 - bits)];
    return (*place)->text == name && length - 1 < 7;
}

static void make_known(struct known_name *place, const char *text, size_t length, uint64_t number) {
    if (length < 1 || length > 7)
        return;
    *place = (struct known_name){.number = number};
    memcpy(&place->text, text, length);
}

/* These return UINT64_MAX if there are too many names. */
static __attribute__((noinline)) uint64_t add_thread(struct std_reader *reader, const char *text,
                                                     size_t length, struct known_name *place) {
    uint32_t number = st_names_add(&reader->symbols->threads, text, length);
    if (number == ST_NAMES_FULL)
        return UINT64_MAX;
    make_known(place, text, length, number);
    return number;
}

static __attribute__((noinline)) uint64_t add_location(struct std_reader *reader, const char *text,
                                                       size_t length, struct known_name *place) {
    size_t without_return = length && text[length - 1] == '\r' ? length - 1 : length;
    uint64_t number = st_location_add(reader->symbols, text, without_return);
    if (number != UINT64_MAX)
        make_known(place, text, length, number);
    return number;
}

/* The operand text[start .. end). */
ST_USUAL void find_operand(struct operand *operand, struct st_names *table, const char *text,
                           uint64_t digits, unsigned start, unsigned end) {
    unsigned first_digit;
    const struct st_series *series = NULL;
    if (read_number(text, digits, end, &first_digit, &operand->number))
        series = find_series(table, text + start, first_digit - start, operand->number);
    if (__builtin_expect(!series, 0)) {
        open_operand(operand, table, text + start, end - start);
        return;
    }
    __builtin_prefetch(&series->entries[operand->number]);
    operand->table = table;
    operand->series = series;
    operand->key.text = text + start;
    operand->key.length = end - start;
}

/* Makes an event from the line at `text`, whose operand goes to *operand, if the line is usual: of
 * less than 64 bytes, well formed, and no fork or join. Returns the length of the line with its
 * end, or 0: read_event must look at it. */
ST_USUAL size_t read_usual(struct std_reader *reader, const char *text, struct marks marks,
                           struct st_event *event, struct operand *operand) {
    /* ends - 1 has no bit above the first line end but those of later line ends. */
    uint64_t bars = marks.bars & (marks.ends - 1), later_bars = bars & (bars - 1);
    if (__builtin_expect(!marks.ends || !later_bars || bars & 1, 0))
        return 0;
    unsigned line_end = (unsigned)__builtin_ctzll(marks.ends);
    unsigned bar = (unsigned)__builtin_ctzll(bars);
    const struct word *word = read_word(reader, text + bar + 1);
    if (__builtin_expect(!word || word->takes_thread, 0))
        return 0;
    unsigned name = bar + 2 + word->length;
    bool has_operand = text[name - 1] == '(';
    uint64_t stops = has_operand ? later_bars & marks.closers << 1 : later_bars;
    if (__builtin_expect(!stops, 0))
        return 0;
    unsigned stop = (unsigned)__builtin_ctzll(stops), loc = stop + 1;
    bool no_name = has_operand ? stop - 1 == name : word->op != ST_BEGIN && word->op != ST_END;
    if (__builtin_expect(no_name, 0))
        return 0;
    struct known_name *thread, *location;
    uint64_t thread_number, location_number;
    thread_number = is_known(reader->threads, KNOWN_THREAD_BITS, text, bar, &thread)
                        ? thread->number
                        : add_thread(reader, text, bar, thread);
    location_number =
        is_known(reader->locations, KNOWN_LOCATION_BITS, text + loc, line_end - loc, &location)
            ? location->number
            : add_location(reader, text + loc, line_end - loc, location);
    if (__builtin_expect((int64_t)(thread_number | location_number) < 0, 0))
        return 0;
    *event = st_event_make((uint32_t)thread_number, ST_NO_NAME, location_number, word->op);
    operand->table = NULL;
    if (__builtin_expect(has_operand, 1))
        find_operand(operand, reader->tables[word->op], text, marks.digits, name, stop - 1);
    if (word->op == ST_BEGIN && has_operand)
        event->atomic = begins_as_start(text + name, stop - 1 - name);
    return line_end + 1;
}

/* Reads usual lines until there are `count` events, of which there are `taken`; returns how many
 * there are. No zero byte is in memory. */
#define READ_USUAL_LINES(name, marks_of_32)                                                        \
    static size_t name(struct std_reader *reader, struct st_event *events,                         \
                       struct operand *operands, size_t taken, size_t count) {                     \
        const char *start = st_input_bytes(reader->input), *text = start;                          \
        size_t before = taken, length;                                                             \
        for (; taken < count; taken++, text += length) {                                           \
            struct marks marks = marks_of_32(text);                                                \
            if (!marks.ends)                                                                       \
                marks = join_marks(marks, marks_of_32(text + 32), 32);                             \
            length = read_usual(reader, text, marks, &events[taken], &operands[taken]);            \
            if (!length)                                                                           \
                break;                                                                             \
        }                                                                                          \
        reader->line += taken - before;                                                            \
        st_input_consume(reader->input, (size_t)(text - start));                                   \
        return taken;                                                                              \
    }

READ_USUAL_LINES(read_usual_lines, marks_of_32)
#ifdef HAS_WIDE
__attribute__((target("avx2,bmi,bmi2"))) READ_USUAL_LINES(read_wide_lines, wide_marks_of_32)
#endif

    static read_lines *choose_read_lines(void) {
#ifdef HAS_WIDE
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
        __builtin_cpu_supports("bmi2"))
        return read_wide_lines;
#endif
    return read_usual_lines;
}

/* Takes up to `count` events from the lines that are in memory. Their operands are still open. */
static long read_group(struct std_reader *reader, struct st_event *events, struct operand *operands,
                       size_t count, struct st_error *error) {
    size_t taken = 0;
    for (;;) {
        if (!reader->blank_line && reader->zero == SIZE_MAX)
            taken = reader->read_lines(reader, events, operands, taken, count);
        if (taken == count)
            return (long)taken;
        int more = take_line(reader, error);
        if (more < 0)
            return -1;
        if (more == 0)
            return (long)taken;
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
}

static void set_word(struct std_reader *reader, enum st_op op) {
    char text[8] = {0};
    const char *spelling = st_op_std(op);
    size_t length = strlen(spelling);
    struct word word = {.length = (uint8_t)length, .op = (uint8_t)op};
    memcpy(text, spelling, length);
    memcpy(&word.text, text, sizeof text);
    word.mask = UINT64_MAX >> (64 - 8 * length);
    word.takes_thread = op == ST_FORK || op == ST_JOIN;
    text[length] = '(';
    uint64_t start;
    memcpy(&start, text, sizeof start);
    reader->words[word_place(start)] = word;
}

static void *std_open(struct st_input *input, struct st_symbols *symbols, struct st_error *error) {
    (void)error;
    struct std_reader *reader = st_alloc(1, sizeof *reader);
    reader->input = input;
    reader->symbols = symbols;
    for (enum st_op op = 0; op < ST_OP_COUNT; op++) {
        reader->tables[op] = st_symbols_of(symbols, op);
        set_word(reader, op);
    }
    reader->read_lines = choose_read_lines();
    reader->zero = SIZE_MAX;
    reader->checked = input->begin;
    look_for_zero(reader); /* the start was read already, to detect the format */
    return reader;
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
