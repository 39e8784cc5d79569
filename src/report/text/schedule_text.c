#include "report/text/schedule_text.h"

#include "finding/shown.h"
#include "report/text/columns.h"
#include "report/text/glyphs.h"
#include "report/text/sentences.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_RUNS = 12, /* of events that follow each other in the trace, told as numbers */
    MOST_LANES = 4, /* columns of threads */
    MOST_PARTS = 4, /* threads that are named in a row that is left out */
    INDENT = 4,
    NUMBER = 24, /* columns for "event 1" and the like */
    GAP = 2,
};

/* ---- As numbers ---- */

/* How many events from `at` on follow each other in the trace, too. */
static size_t run_length(const struct st_foreseen *block, size_t at) {
    size_t length = 1;
    while (at + length < block->witness_length &&
           block->witness[at + length] == block->witness[at] + length)
        length++;
    return length;
}

/* Where the last MOST_RUNS runs begin. */
static size_t find_start(const struct st_foreseen *block) {
    size_t runs = 0, start;
    for (size_t at = 0; at < block->witness_length; at += run_length(block, at))
        runs++;
    for (start = 0; runs > MOST_RUNS; runs--)
        start += run_length(block, start);
    return start;
}

/* "events 1 to 4, 9, 5 to 7" */
static void say_numbers(const struct st_text *text, const struct st_foreseen *block) {
    size_t start = find_start(block);
    fputs("events ", text->file);
    for (size_t at = start; at < block->witness_length;) {
        size_t length = run_length(block, at);
        fprintf(text->file, "%s%" PRIu64, at == start ? "" : ", ", block->witness[at]);
        if (length > 1)
            fprintf(text->file, "%s%" PRIu64, length == 2 ? ", " : " to ",
                    block->witness[at + length - 1]);
        at += length;
    }
}

/* ---- What the lines say ---- */

/* Names that are too long for a column differ at their ends, if at all. */
static void put_thread(const struct st_text *text, uint32_t thread) {
    const char *name = st_name(&text->symbols->threads, thread);
    st_put_ends(text->file, name, strlen(name), ST_WIDEST_COLUMN);
}

static struct st_text start_words(const struct st_text *text, struct st_text_buffer *buffer) {
    struct st_text words = *text;
    words.file = st_text_buffer_open(buffer);
    words.style.color = false;
    return words;
}

static size_t end_width(struct st_text_buffer *buffer) {
    char *words = st_text_buffer_close(buffer);
    size_t width = st_width(words);
    free(words);
    return width;
}

/* What the finding rests on stands out. */
static void put_deed(const struct st_text *text, FILE *cell, const struct st_foreseen *block,
                     const struct st_place *place, size_t columns) {
    struct st_text_buffer buffer;
    struct st_text painted = *text, words = start_words(text, &buffer);
    bool step = st_is_step(block, place->number);
    painted.file = cell;
    st_put_deed(&words, &place->event);
    char *deed = st_text_buffer_close(&buffer);
    if (step)
        st_put_paint(&painted, ST_BOLD);
    st_put_ends(cell, deed, strlen(deed), columns);
    if (step)
        st_put_paint(&painted, ST_PLAIN);
    free(deed);
}

static void put_number(FILE *cell, const struct st_foreseen *block, uint64_t number) {
    fprintf(cell, "%s event %" PRIu64, st_is_step(block, number) ? ">" : " ", number);
}

static const struct st_broken_read *find_broken(const struct st_foreseen *block, uint64_t number) {
    for (size_t i = 0; i < block->broken_count; i++)
        if (block->broken[i].event == number)
            return &block->broken[i];
    return NULL;
}

static void say_broken(const struct st_text *text, const struct st_broken_read *read) {
    bool unknown = read->sees == ST_UNKNOWN_WRITE;
    if (unknown)
        fputs("sees what the broken operation before it left", text->file);
    else if (read->sees)
        st_say(text, "sees the write of event %n", read->sees);
    else
        fputs("sees the initial value", text->file);
    if (!read->saw)
        fputs(" instead of the initial value", text->file);
    else
        st_say(text, " instead of %s of event %n", read->sees && !unknown ? "that" : "the write",
               read->saw);
}

/* "... 37 events of t0, 2 of t1 ..."; `before` is the event that is shown next, or 0. */
static void say_left_out(const struct st_text *text, const struct st_foreseen *block,
                         uint64_t before, uint64_t count) {
    size_t first = 0, parts = 0, named;
    while (first < block->left_out_count && block->left_out[first].before != before)
        first++;
    while (first + parts < block->left_out_count && block->left_out[first + parts].before == before)
        parts++;
    named = parts > MOST_PARTS ? MOST_PARTS - 1 : parts;
    const struct st_left_out *part = &block->left_out[first];
    uint64_t others = count;
    fputs("  ... ", text->file);
    st_put_count(text, parts ? part[0].count : count, "event");
    for (size_t i = 0; i < named; i++) {
        if (i)
            st_say(text, ", %n", part[i].count);
        fputs(" of ", text->file);
        put_thread(text, part[i].thread);
        others -= part[i].count < others ? part[i].count : others;
    }
    if (named < parts)
        st_say(text, ", %n of %n other threads", others, (uint64_t)(parts - named));
    fputs(" ...", text->file);
}

/* ---- The lines ---- */

/* Goes down the witness: to an event that is shown, or over a row of those that are not. */
struct walk {
    const struct st_foreseen *block;
    size_t at, next; /* in the witness and in the schedule */
};

/* Over what is not shown; how many events that are. */
static uint64_t skip_hidden(struct walk *walk) {
    const struct st_foreseen *block = walk->block;
    size_t start = walk->at;
    while (walk->at < block->witness_length &&
           (walk->next == block->schedule_length ||
            block->schedule[walk->next].number != block->witness[walk->at]))
        walk->at++;
    return walk->at - start;
}

/* The event that is shown next, or NULL at the end. */
static const struct st_place *peek(const struct walk *walk) {
    return walk->at < walk->block->witness_length ? &walk->block->schedule[walk->next] : NULL;
}

static void step_on(struct walk *walk) {
    walk->at++;
    walk->next++;
}

/* ---- As a table ---- */

/* A table that is being made: a column for each of the threads, or one for all. */
struct table {
    const struct st_text *text;
    const struct st_foreseen *block;
    uint32_t lanes[MOST_LANES + 1];
    size_t lane_count;
    struct st_columns columns;
};

/* The threads of what is shown, in the order in which they come; one more than MOST_LANES stands
 * for any number. */
static void find_lanes(struct table *table) {
    const struct st_foreseen *block = table->block;
    for (size_t i = 0; i < block->schedule_length && table->lane_count <= MOST_LANES; i++) {
        size_t known = 0;
        while (known < table->lane_count && table->lanes[known] != block->schedule[i].event.thread)
            known++;
        if (known == table->lane_count)
            table->lanes[table->lane_count++] = block->schedule[i].event.thread;
    }
}

static size_t name_width(const struct st_text *text, uint32_t thread) {
    struct st_text_buffer buffer;
    struct st_text words = start_words(text, &buffer);
    put_thread(&words, thread);
    return end_width(&buffer);
}

static size_t deed_width(const struct st_text *text, const struct st_place *place) {
    struct st_text_buffer buffer;
    struct st_text words = start_words(text, &buffer);
    st_put_deed(&words, &place->event);
    return end_width(&buffer);
}

static size_t remark_width(const struct st_text *text, const struct st_broken_read *read) {
    struct st_text_buffer buffer;
    struct st_text words = start_words(text, &buffer);
    say_broken(&words, read);
    return end_width(&buffer);
}

static void widen(size_t *width, size_t needed) {
    if (needed > *width)
        *width = needed;
}

/* Is there room for a column for each thread? */
static bool lanes_fit(const struct table *table) {
    const struct st_foreseen *block = table->block;
    size_t left = INDENT + NUMBER, right = left;
    for (size_t lane = 0; lane < table->lane_count; lane++) {
        size_t widest = name_width(table->text, table->lanes[lane]);
        for (size_t i = 0; i < block->schedule_length; i++) {
            const struct st_place *place = &block->schedule[i];
            const struct st_broken_read *read = find_broken(block, place->number);
            if (place->event.thread != table->lanes[lane])
                continue;
            widen(&widest, deed_width(table->text, place));
            if (read)
                widen(&right, left + remark_width(table->text, read));
        }
        left += (widest < ST_WIDEST_COLUMN ? widest : ST_WIDEST_COLUMN) + GAP;
    }
    widen(&right, left);
    return table->lane_count <= MOST_LANES && right <= st_text_width(table->text);
}

static void add_head(struct table *table) {
    struct st_text cell = *table->text;
    st_columns_cell(&table->columns);
    for (size_t lane = 0; lane < table->lane_count; lane++) {
        cell.file = st_columns_cell(&table->columns);
        put_thread(&cell, table->lanes[lane]);
    }
}

static void add_gap(struct table *table, uint64_t before, uint64_t count) {
    struct st_text cell = *table->text;
    cell.file = st_columns_loose_cell(&table->columns);
    say_left_out(&cell, table->block, before, count);
    for (unsigned i = 1; i < table->columns.count; i++)
        st_columns_cell(&table->columns);
}

/* The cells before that for what the thread does, and those behind it. */
static void add_lanes(struct table *table, size_t from, size_t to) {
    for (size_t lane = from; lane < to; lane++)
        st_columns_cell(&table->columns);
}

static void add_event(struct table *table, const struct st_place *place, bool lanes) {
    const struct st_broken_read *read = find_broken(table->block, place->number);
    struct st_text cell = *table->text;
    size_t lane = 0, count = lanes ? table->lane_count : 2;
    while (lanes ? table->lanes[lane] != place->event.thread : !lane)
        lane++;
    put_number(st_columns_cell(&table->columns), table->block, place->number);
    add_lanes(table, 0, lanes ? lane : 0);
    if (!lanes) {
        cell.file = st_columns_cell(&table->columns);
        put_thread(&cell, place->event.thread);
    }
    put_deed(table->text, st_columns_cell(&table->columns), table->block, place,
             lane + 1 < count ? ST_WIDEST_COLUMN : SIZE_MAX);
    add_lanes(table, lane + 1, count);
    if (!read)
        return;
    st_columns_cell(&table->columns);
    add_lanes(table, 0, lane);
    cell.file = st_columns_loose_cell(&table->columns);
    say_broken(&cell, read);
    add_lanes(table, lane + 1, count);
}

/* One below the other, when the threads are too many or their work too wide. */
static void put_table(const struct st_text *text, const struct st_foreseen *block) {
    struct table table = {.text = text, .block = block};
    struct walk walk = {.block = block};
    find_lanes(&table);
    bool lanes = lanes_fit(&table);
    table.columns.count = lanes ? (unsigned)table.lane_count + 1 : 3;
    if (lanes)
        add_head(&table);
    do {
        uint64_t hidden = skip_hidden(&walk);
        const struct st_place *place = peek(&walk);
        if (hidden)
            add_gap(&table, place ? place->number : 0, hidden);
        if (!place)
            break;
        add_event(&table, place, lanes);
        step_on(&walk);
    } while (walk.at < block->witness_length);
    st_columns_print(&table.columns, "  ", text->file);
}

/* ---- All ---- */

static void say_unknown(const struct st_text *text, const struct st_foreseen *block) {
    size_t earlier = find_start(block);
    if (earlier) {
        fputs(" (", text->file);
        st_put_count(text, earlier, "earlier event");
        fputs(earlier == 1 ? " is left out)" : " are left out)", text->file);
    }
    fputs(": ", text->file);
    say_numbers(text, block);
    fputc('.', text->file);
}

void st_put_schedule(const struct st_text *text, const struct st_foreseen *block) {
    struct st_text_buffer buffer;
    if (!block->witness_length)
        return;
    struct st_text sentence = st_sentence_start(text, &buffer);
    fputs("A schedule that leads there", sentence.file);
    if (block->schedule_length)
        fputs(" (> marks the steps that cut it):", sentence.file);
    else
        say_unknown(&sentence, block);
    st_sentence_end(text, &buffer);
    if (block->schedule_length)
        put_table(text, block);
}
