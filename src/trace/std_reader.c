/* STD text, RAPID's format with channels added: one event a line, THREAD|OP|LOC
 * (docs/trace-format.md).
 *
 * Reading text spends its time on three things, and each has its remedy here:
 * - finding the ends of short fields: all bars, digits and the line end among the next 32 bytes, or
 *   64, are found at once, and where fields and numbers end follows from them (std_marks.h);
 * - looking up names: what a line starts with tells its thread, its operation and, as most names
 *   are a text and a number, the array in which the operand is found (std_leads.h, base/names.h).
 *   Lines are taken in groups: first every line of a group is split into its fields and what its
 *   operand is looked up in is asked for, then the operands are looked up; by then it is in the
 *   cache;
 * - branches that depend on the line, which no processor can predict: numbers of any length are
 *   read alike, and lines without an operand are looked up like those with one.
 *
 * Lines with a start that is not known yet are read by read_usual, which makes it known; those that
 * are longer, or not as they should be, by read_event, which also finds what is wrong with them. */
#include "trace/format.h"

#include "base/memory.h"

#include "trace/std_leads.h"

#include <stdlib.h>
#include <string.h>

enum {
    GROUP = 64,
    LONGEST_LINE = 1024 * 1024,
};

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

/* A location that is no short number, of up to ST_SHORT_NAME bytes: its key, and what it is in an
 * event. All zero: there is none. */
struct known_location {
    uint64_t low, high, loc;
};
enum { KNOWN_LOCATION_BITS = 11 };

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
    const char *bar, *next_bar;           /* the first two bars in it, or NULL */
    struct st_names *tables[ST_OP_COUNT]; /* of the operands, by operation */
    struct word words[WORD_PLACES];       /* all zero: there is none */
    struct lead leads[LEAD_COUNT];        /* by hash; a later one replaces another */
    uint64_t misses;                      /* usual lines whose leads were not known */
    struct known_location locations[1 << KNOWN_LOCATION_BITS]; /* likewise */
    read_lines *read_lines;
};

/* An operand whose number is still to be looked up. */
struct operand {
    const uint32_t *entry; /* its number plus 1, or 0: not known yet, or no operand */
    const char *name;
    uint32_t length; /* 0: there is no operand */
    uint32_t value;  /* what `entry` points to unless that is in a series */
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

/* Conditions by the names that Java has for them: other words for operations, which are rare enough
 * to be looked for only where a line has none of the usual ones. */
static const struct word *read_other_word(const char *op, const char *end) {
    static const struct {
        const char *text;
        struct word word;
    } others[] = {{"wait", {.length = 4, .op = ST_RECEIVE}},
                  {"notify", {.length = 6, .op = ST_SEND}},
                  {"notifyAll", {.length = 9, .op = ST_SEND}}};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        size_t length = others[i].word.length;
        if ((size_t)(end - op) > length && memcmp(op, others[i].text, length) == 0 &&
            (op[length] == '(' || op[length] == '|'))
            return &others[i].word;
    }
    return NULL;
}

/* The end of the operation: the next bar, behind a ')' when there is an operand, for names may
 * contain bars. NULL when there is none. */
static inline const char *find_op_end(const struct std_reader *reader, bool has_operand) {
    const char *bar = reader->next_bar, *end = reader->text + reader->length;
    while (bar && has_operand && bar[-1] != ')')
        bar = memchr(bar + 1, '|', (size_t)(end - bar - 1));
    return bar;
}

/* Looks up the operands that were not found; most of them are new. */
static __attribute__((noinline)) int look_up_others(struct std_reader *reader,
                                                    struct st_event *events,
                                                    const struct operand *operands, size_t count,
                                                    struct st_error *error) {
    for (size_t i = 0; i < count; i++) {
        if (!operands[i].length || events[i].target != ST_NO_NAME)
            continue;
        struct st_names *table = reader->tables[events[i].op];
        bool in_series = operands[i].entry != &operands[i].value; /* then it is in no slot */
        struct st_name_key key = st_name_key_padded(operands[i].name, operands[i].length);
        events[i].target =
            in_series ? st_names_number_slow(table, &key) : st_names_number(table, &key);
        if (events[i].target == ST_NAMES_FULL)
            return fail_too_many_names(reader, error);
    }
    if (reader->symbols->noted != reader->symbols->channels.count)
        st_symbols_note_channels(reader->symbols);
    return 0;
}

/* Gives the operands that are still open their numbers. */
static int look_up(struct std_reader *reader, struct st_event *events,
                   const struct operand *operands, size_t count, struct st_error *error) {
    bool missing = false;
    for (size_t i = 0; i < count; i++) {
        uint32_t value = *operands[i].entry;
        events[i].target = value - 1; /* ST_NO_NAME, if there is none */
        missing |= !value & (operands[i].length != 0);
    }
    return missing ? look_up_others(reader, events, operands, count, error) : 0;
}

/* Is it the name of what a thread starts with? The text of the line goes on behind it. */
static bool begins_as_start(const char *name, size_t length) {
    size_t start = strlen(ST_START_OF), turn = strlen(ST_TURN_OF);
    return (length > start && memcmp(name, ST_START_OF, start) == 0) ||
           (length > turn && memcmp(name, ST_TURN_OF, turn) == 0);
}

/* An operand that is not looked up in a series; or none, of length 0. */
static void open_operand(struct operand *operand, const struct st_names *table, const char *name,
                         size_t length) {
    *operand = (struct operand){&operand->value, name, (uint32_t)length, 0};
    if (length)
        st_names_prefetch(table, st_name_key_padded(name, length).hash);
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
        word = read_other_word(bar + 1, end);
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
    open_operand(operand, reader->tables[word->op], name, name_length);
    /* The following lines may start with the same thread: it must have its number before them. */
    if (word->op != ST_FORK && word->op != ST_JOIN)
        return 0;
    if (look_up(reader, event, operand, 1, error) < 0)
        return -1;
    operand->value = event->target + 1;
    return 0;
}

/* ---- usual lines ---- */

/* What is where in a line. */
struct usual_line {
    unsigned lead;      /* its length */
    unsigned count;     /* of the digits before the byte `stop` - 1 */
    unsigned stop;      /* the second bar */
    unsigned end;       /* of the line */
    unsigned loc_count; /* of the digits behind the second bar */
};

/* False if it is not all there, or longer than 63 bytes, or has too few bars. */
ST_USUAL bool split_line(struct usual_line *line, struct marks marks) {
    /* ends - 1 has no bit above the first line end but those of later line ends. */
    uint64_t bars = marks.bars & (marks.ends - 1), later_bars = bars & (bars - 1);
    if (__builtin_expect(!later_bars || bars & 1 || !marks.ends, 0))
        return false;
    uint64_t stop = later_bars & -later_bars, others = ~marks.digits & ((stop >> 1) - 1);
    line->stop = (unsigned)__builtin_ctzll(later_bars);
    line->end = (unsigned)__builtin_ctzll(marks.ends);
    unsigned behind_others = 64 - (unsigned)__builtin_clzll(others | 1);
    line->count = line->stop - 1 - behind_others;
    line->lead = line->count ? behind_others : line->stop + 1;
    line->loc_count = (unsigned)__builtin_ctzll(~(marks.digits >> (line->stop + 1)));
    return true;
}

/* A location that is no short number. UINT64_MAX if there are too many names. */
static __attribute__((noinline)) uint64_t other_location(struct std_reader *reader,
                                                         const char *text, size_t length) {
    struct st_name_key key = st_name_key_padded(text, length);
    struct known_location *known = &reader->locations[key.hash >> (64 - KNOWN_LOCATION_BITS)];
    if (known->low == key.low && known->high == key.high && length <= ST_SHORT_NAME)
        return known->loc;
    bool returns = length && text[length - 1] == '\r';
    uint64_t loc = st_location_add(reader->symbols, text, returns ? length - 1 : length);
    if (loc != UINT64_MAX && length <= ST_SHORT_NAME)
        *known = (struct known_location){key.low, key.high, loc};
    return loc;
}

typedef void read_numbers(const char *text, unsigned count, const char *other, unsigned other_count,
                          uint32_t *number, uint32_t *other_number);

/* condition ? one : other. Which it is, no processor can predict, but compilers prefer a branch. */
ST_USUAL uintptr_t choose(bool condition, uintptr_t one, uintptr_t other) {
    return other ^ ((one ^ other) & -(uintptr_t)condition);
}

/* Makes an event from a line whose lead is known; its operand goes to *operand. */
ST_USUAL bool read_led(struct std_reader *reader, const char *text, const struct usual_line *line,
                       const struct lead *lead, read_numbers *numbers, struct st_event *event,
                       struct operand *operand) {
    const struct st_series *series = lead->series;
    const char *loc_text = text + line->stop + 1;
    unsigned loc_length = line->end - line->stop - 1;
    uint32_t number, loc_number;
    numbers(text + line->lead, line->count, loc_text, loc_length, &number, &loc_number);
    bool closed = text[line->stop - 1] == ')';
    bool bad = (line->count != 0) & (!closed | !is_short_number(number, line->count));
    if (__builtin_expect(bad | (number >= series->capacity), 0))
        return false;
    uint64_t loc = loc_number;
    if (__builtin_expect(
            (line->loc_count != loc_length) | !is_short_number(loc_number, line->loc_count), 0))
        loc = other_location(reader, loc_text, loc_length);
    if (__builtin_expect(loc == UINT64_MAX, 0))
        return false;
    struct {
        uint32_t thread, target;
        uint64_t last;
    } image = {lead->thread, 0, loc | lead->last};
    memcpy(event, &image, sizeof *event);
    uintptr_t in_series = (uintptr_t)series->entries + number * sizeof *series->entries;
    const uint32_t *entry =
        (const uint32_t *)choose(lead->numbered, in_series, (uintptr_t)&operand->value);
    __builtin_prefetch(entry);
    operand->entry = entry;
    operand->name = text + lead->name;
    operand->length = (line->stop - 1 - lead->name) & lead->named;
    operand->value = lead->value;
    return true;
}

/* The series of names that start with text[0 .. length), or NULL. */
static const struct st_series *find_series(struct st_names *names, const char *text,
                                           size_t length) {
    char prefix[16] = {0};
    uint64_t low, high;
    if (length > sizeof prefix)
        return NULL;
    memcpy(prefix, text, length);
    memcpy(&low, prefix, sizeof low);
    memcpy(&high, prefix + sizeof low, sizeof high);
    const struct st_series *series = st_names_series(names, low, high);
    return series->capacity && series->low == low && series->high == high ? series : NULL;
}

/* Makes the lead of the line known, for which that event was made. `name`: where the operand
 * starts, or 0. `place` is the second one where it can be. Names that were not looked up yet have
 * to wait for their next line. */
static void learn_lead(struct std_reader *reader, const char *text, const struct usual_line *line,
                       size_t place, const struct st_event *event, unsigned name) {
    static const struct st_series none = {.capacity = SIZE_MAX};
    bool numbered = name && line->count;
    if (line->lead >= LEAD_BYTES)
        return;
    struct st_names *table = reader->tables[event->op];
    struct lead lead = {.series = &none,
                        .thread = event->thread,
                        .name = (uint8_t)name,
                        .numbered = numbered,
                        .named = name ? UINT32_MAX : 0};
    if (numbered)
        lead.series = find_series(table, text + name, line->lead - name);
    else if (name)
        lead.value = st_names_find(table, text + name, line->stop - 1 - name) + 1;
    if (!lead.series || (name && !numbered && !lead.value))
        return;
    struct st_event blank = *event;
    blank.loc = 0;
    memcpy(&lead.last, (const char *)&blank + sizeof blank - sizeof lead.last, sizeof lead.last);
    memcpy(lead.text, text, line->lead);
    struct lead *first = &reader->leads[place ^ 1], *second = &reader->leads[place];
    bool one_is_free = !first->text[0] || !second->text[0];
    *(one_is_free ? (first->text[0] ? second : first) : reader->misses % 2 ? first : second) = lead;
}

/* Where names do not repeat, and so leads neither, learning them would double the time. */
static bool should_learn(struct std_reader *reader) {
    enum { ALWAYS = 4 * LEAD_COUNT, LATER = 16 };
    return ++reader->misses < ALWAYS || reader->misses % LATER == 0;
}

/* Makes an event from the line, whose operand goes to *operand, if it is usual: well formed, and no
 * fork or join. Returns the length of the line with its end, or 0: read_event must look at it.
 * `place` is the second one where its lead can be. */
static __attribute__((noinline)) size_t read_usual(struct std_reader *reader, const char *text,
                                                   size_t place, struct st_event *event,
                                                   struct operand *operand) {
    struct usual_line line;
    struct marks marks = join_marks(marks_of_32(text), marks_of_32(text + 32), 32);
    if (!split_line(&line, marks))
        return 0;
    const char *bar = memchr(text, '|', line.stop), *end = text + line.stop - 1;
    const struct word *word = read_word(reader, bar + 1);
    if (!word || word->takes_thread)
        return 0;
    const char *name = bar + 2 + word->length;
    bool has_operand = name[-1] == '(', needs_none = word->op == ST_BEGIN || word->op == ST_END;
    if (has_operand ? *end != ')' || name >= end : !needs_none)
        return 0;
    struct st_name_key thread = st_name_key_padded(text, (size_t)(bar - text));
    uint32_t thread_number = st_names_number(&reader->symbols->threads, &thread);
    uint64_t loc = other_location(reader, text + line.stop + 1, line.end - line.stop - 1);
    if (thread_number == ST_NAMES_FULL || loc == UINT64_MAX)
        return 0;
    *event = st_event_make(thread_number, ST_NO_NAME, loc, word->op);
    size_t length = has_operand ? (size_t)(end - name) : 0;
    event->atomic = word->op == ST_BEGIN && begins_as_start(name, length);
    open_operand(operand, reader->tables[word->op], name, length);
    if (should_learn(reader))
        learn_lead(reader, text, &line, place, event, has_operand ? (unsigned)(name - text) : 0);
    return line.end + 1;
}

/* Reads usual lines until there are `count` events, of which there are `taken`; returns how many
 * there are. No zero byte is in memory. */
#define READ_USUAL_LINES(function, marks_of_32, find_lead, short_numbers)                          \
    static size_t function(struct std_reader *reader, struct st_event *events,                     \
                           struct operand *operands, size_t taken, size_t count) {                 \
        const char *start = st_input_bytes(reader->input), *text = start;                          \
        size_t before = taken, place = 0, length;                                                  \
        for (; taken < count; taken++, text += length) {                                           \
            struct usual_line line;                                                                \
            struct marks marks = marks_of_32(text);                                                \
            if (__builtin_expect(!marks.ends, 0))                                                  \
                marks = join_marks(marks, marks_of_32(text + 32), 32);                             \
            if (__builtin_expect(!split_line(&line, marks), 0))                                    \
                break;                                                                             \
            const struct lead *lead = find_lead(reader->leads, text, line.lead, &place);           \
            length = line.end + 1;                                                                 \
            if (__builtin_expect(lead && read_led(reader, text, &line, lead, short_numbers,        \
                                                  &events[taken], &operands[taken]),               \
                                 1))                                                               \
                continue;                                                                          \
            length = read_usual(reader, text, place, &events[taken], &operands[taken]);            \
            if (!length)                                                                           \
                break;                                                                             \
        }                                                                                          \
        reader->line += taken - before;                                                            \
        st_input_consume(reader->input, (size_t)(text - start));                                   \
        return taken;                                                                              \
    }

READ_USUAL_LINES(read_usual_lines, marks_of_32, find_lead, short_numbers)
#ifdef ST_HAS_WIDE
ST_WIDE READ_USUAL_LINES(read_wide_lines, wide_marks_of_32, find_wide_lead, wide_short_numbers)
#endif

    static read_lines *choose_read_lines(void) {
#ifdef ST_HAS_WIDE
    return st_may_use_wide() ? read_wide_lines : read_usual_lines;
#else
    return read_usual_lines;
#endif
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
