#include "report/schedule_text.h"

#include "base/memory.h"
#include "report/columns.h"
#include "report/glyphs.h"
#include "report/sentences.h"

#include <inttypes.h>
#include <stdlib.h>

enum {
    MOST_RUNS = 12, /* of events that follow each other in the trace, told as numbers */
    MOST_LANES = 4, /* columns of threads */
    INDENT = 4,
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

/* ---- As a table ---- */

/* The threads of the schedule, in the order in which they come; one more than MOST_LANES stands for
 * any number. */
static size_t find_lanes(const struct st_foreseen *block, uint32_t *lanes) {
    size_t count = 0;
    for (size_t i = 0; i < block->schedule_length && count <= MOST_LANES; i++) {
        size_t known = 0;
        while (known < count && lanes[known] != block->schedule[i].event.thread)
            known++;
        if (known == count)
            lanes[count++] = block->schedule[i].event.thread;
    }
    return count;
}

static char *deed_of(const struct st_text *text, const struct st_place *place) {
    struct st_draft draft;
    struct st_text words = *text;
    words.file = st_draft_open(&draft);
    words.style.color = false;
    st_put_deed(&words, &place->event);
    return st_draft_close(&draft);
}

/* Is there room for so many columns? */
static bool lanes_fit(const struct st_text *text, const struct st_foreseen *block,
                      const uint32_t *lanes, size_t count) {
    size_t width = INDENT, number = 24;
    for (size_t lane = 0; lane < count; lane++) {
        size_t widest = 0;
        for (size_t i = 0; i < block->schedule_length; i++) {
            if (block->schedule[i].event.thread != lanes[lane])
                continue;
            char *deed = deed_of(text, &block->schedule[i]);
            size_t needed = st_width(deed);
            widest = needed > widest ? needed : widest;
            free(deed);
        }
        width += widest + GAP;
    }
    return count <= MOST_LANES && width + number <= st_text_width(text);
}

/* Does the finding rest on the event? */
static bool is_step(const struct st_foreseen *block, uint64_t number) {
    for (size_t i = 0; i < block->event_count; i++)
        if (block->events[i].number == number)
            return true;
    return false;
}

static void put_deed(const struct st_text *text, FILE *cell, const struct st_foreseen *block,
                     const struct st_place *place) {
    struct st_text words = *text;
    words.file = cell;
    bool step = is_step(block, place->number);
    if (step)
        st_put_paint(&words, ST_BOLD);
    st_put_deed(&words, &place->event);
    if (step)
        st_put_paint(&words, ST_PLAIN);
}

static void put_lanes(const struct st_text *text, const struct st_foreseen *block,
                      const uint32_t *lanes, size_t count) {
    struct st_columns columns = {.count = (unsigned)count + 1};
    struct st_text cell = *text;
    st_columns_cell(&columns);
    for (size_t lane = 0; lane < count; lane++) {
        cell.file = st_columns_cell(&columns);
        st_put_thread(&cell, lanes[lane]);
    }
    for (size_t i = 0; i < block->schedule_length; i++) {
        const struct st_place *place = &block->schedule[i];
        fprintf(st_columns_cell(&columns), "event %" PRIu64, place->number);
        for (size_t lane = 0; lane < count; lane++) {
            FILE *file = st_columns_cell(&columns);
            if (place->event.thread == lanes[lane])
                put_deed(text, file, block, place);
        }
    }
    st_columns_print(&columns, "    ", text->file);
}

/* One below the other, when the threads are too many or their work too wide. */
static void put_rows(const struct st_text *text, const struct st_foreseen *block) {
    struct st_columns columns = {.count = 3};
    struct st_text cell = *text;
    for (size_t i = 0; i < block->schedule_length; i++) {
        const struct st_place *place = &block->schedule[i];
        fprintf(st_columns_cell(&columns), "event %" PRIu64, place->number);
        cell.file = st_columns_cell(&columns);
        st_put_thread(&cell, place->event.thread);
        put_deed(text, st_columns_cell(&columns), block, place);
    }
    st_columns_print(&columns, "    ", text->file);
}

/* ---- All ---- */

static void say_left_out(const struct st_text *text, uint64_t left_out) {
    if (!left_out)
        return;
    fputs(" (", text->file);
    st_put_count(text, left_out, "earlier event");
    fputs(left_out == 1 ? " is left out)" : " are left out)", text->file);
}

void st_put_schedule(const struct st_text *text, const struct st_foreseen *block) {
    uint32_t lanes[MOST_LANES + 1];
    struct st_draft draft;
    if (!block->witness_length)
        return;
    struct st_text sentence = st_sentence_start(text, &draft);
    fputs("A schedule that leads there", sentence.file);
    if (!block->schedule_length) {
        say_left_out(&sentence, find_start(block));
        fputs(": ", sentence.file);
        say_numbers(&sentence, block);
        fputc('.', sentence.file);
        st_sentence_end(text, &draft);
        return;
    }
    size_t known = block->schedule_length, all = block->witness_length;
    say_left_out(&sentence, all > known ? all - known : 0);
    fputc(':', sentence.file);
    st_sentence_end(text, &draft);
    size_t count = find_lanes(block, lanes);
    if (lanes_fit(text, block, lanes, count))
        put_lanes(text, block, lanes, count);
    else
        put_rows(text, block);
}
