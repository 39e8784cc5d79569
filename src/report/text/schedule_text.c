#include "report/text/story_text.h"

#include "report/text/columns.h"
#include "report/text/glyphs.h"

#include <inttypes.h>
#include <string.h>

enum {
    MOST_LANES = 4, /* columns of threads */
    INDENT = 4,
    NUMBER = 24, /* columns for "event 1" and the like */
    GAP = 2,
};

/* A table that is being made: a column for each of the threads, or one for all. */
struct table {
    const struct st_text_writer *text;
    const struct st_story_steps *steps;
    const char *lanes[MOST_LANES + 1];
    size_t lane_count;
    struct st_columns columns;
};

static size_t find_lane(const struct table *table, const struct st_story_step *step) {
    size_t lane = 0;
    while (lane < table->lane_count && strcmp(table->lanes[lane], step->thread) != 0)
        lane++;
    return lane;
}

/* The threads of what is shown, in the order in which they come; one more than MOST_LANES stands
 * for any number. */
static void find_lanes(struct table *table) {
    for (size_t i = 0; i < table->steps->count && table->lane_count <= MOST_LANES; i++) {
        const struct st_story_step *step = &table->steps->items[i];
        if (!step->gap && find_lane(table, step) == table->lane_count)
            table->lanes[table->lane_count++] = step->thread;
    }
}

/* ---- Widths ---- */

static size_t width_of(const char *text) {
    return st_safe_width(text, strlen(text));
}

static size_t smaller(size_t a, size_t b) {
    return a < b ? a : b;
}

static void widen(size_t *width, size_t needed) {
    if (needed > *width)
        *width = needed;
}

/* Is there room for a column for each thread? */
static bool lanes_fit(const struct table *table) {
    size_t left = INDENT + NUMBER, right = left;
    for (size_t lane = 0; lane < table->lane_count; lane++) {
        size_t widest = smaller(width_of(table->lanes[lane]), ST_WIDEST_COLUMN);
        for (size_t i = 0; i < table->steps->count; i++) {
            const struct st_story_step *step = &table->steps->items[i];
            if (step->gap || find_lane(table, step) != lane)
                continue;
            widen(&widest, width_of(step->action));
            if (step->follows)
                widen(&right, left + width_of(step->follows));
        }
        left += smaller(widest, ST_WIDEST_COLUMN) + GAP;
    }
    widen(&right, left);
    return table->lane_count <= MOST_LANES && right <= st_text_width(table->text);
}

/* ---- Rows ---- */

/* Names that are too long for a column differ at their ends, if at all. */
static void add_name(struct table *table, const char *name) {
    st_put_ends(st_columns_cell(&table->columns), name, strlen(name), ST_WIDEST_COLUMN);
}

static void add_head(struct table *table) {
    st_columns_cell(&table->columns);
    for (size_t lane = 0; lane < table->lane_count; lane++)
        add_name(table, table->lanes[lane]);
}

/* Cells in which nothing stands. */
static void add_empty(struct table *table, size_t count) {
    while (count--)
        st_columns_cell(&table->columns);
}

static void add_gap(struct table *table, const char *gap) {
    FILE *cell = st_columns_loose_cell(&table->columns);
    fputs("  ... ", cell);
    st_put_safely(cell, gap, strlen(gap), SIZE_MAX);
    fputs(" ...", cell);
    add_empty(table, table->columns.count - 1);
}

/* What the finding rests on stands out. */
static void add_action(struct table *table, const struct st_story_step *step, size_t columns) {
    struct st_text_writer cell = *table->text;
    cell.file = st_columns_cell(&table->columns);
    if (step->marked)
        st_put_paint(&cell, ST_BOLD);
    st_put_ends(cell.file, step->action, strlen(step->action), columns);
    if (step->marked)
        st_put_paint(&cell, ST_PLAIN);
}

/* What follows from the step stands below it. */
static void add_event(struct table *table, const struct st_story_step *step, bool lanes) {
    size_t lane = lanes ? find_lane(table, step) : 1, count = lanes ? table->lane_count : 2;
    fprintf(st_columns_cell(&table->columns), "%s event %" PRIu64, step->marked ? ">" : " ",
            step->place.number);
    if (lanes)
        add_empty(table, lane);
    else
        add_name(table, step->thread);
    add_action(table, step, lane + 1 < count ? ST_WIDEST_COLUMN : SIZE_MAX);
    add_empty(table, count - lane - 1);
    if (!step->follows)
        return;
    add_empty(table, 1 + lane);
    st_put_safely(st_columns_loose_cell(&table->columns), step->follows, strlen(step->follows),
                  SIZE_MAX);
    add_empty(table, count - lane - 1);
}

/* One below the other, when the threads are too many or their work too wide. */
static void put_table(const struct st_text_writer *text, const struct st_story_steps *steps) {
    struct table table = {.text = text, .steps = steps};
    find_lanes(&table);
    bool lanes = lanes_fit(&table);
    table.columns.count = lanes ? (unsigned)table.lane_count + 1 : 3;
    if (lanes)
        add_head(&table);
    for (size_t i = 0; i < steps->count; i++) {
        if (steps->items[i].gap)
            add_gap(&table, steps->items[i].gap);
        else
            add_event(&table, &steps->items[i], lanes);
    }
    st_columns_print(&table.columns, "  ", text->file);
}

void st_print_schedule(const struct st_text_writer *text, const struct st_story *story) {
    struct st_text_buffer buffer;
    if (!story->schedule_title)
        return;
    struct st_text_writer sentence = st_sentence_start(text, &buffer);
    st_put_name(&sentence, story->schedule_title);
    fputs(story->schedule.count ? " (> marks the steps that cut it):" : ".", sentence.file);
    st_sentence_end(text, &buffer);
    if (story->schedule.count)
        put_table(text, &story->schedule);
}
