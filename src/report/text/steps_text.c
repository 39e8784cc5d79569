#include "report/text/story_text.h"

#include "base/memory.h"
#include "report/text/columns.h"
#include "report/text/glyphs.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
    INDENT = 2,        /* before each step */
    GAP = 2,           /* between columns */
    ROLE = 6,          /* "in" and "from" before the name of a function */
    MOST_CALLS = 8,    /* shown with one step */
    GOOD_SOURCE = 48,  /* columns for a line of source; with less, calls begin further left, */
    NARROW_CALLS = 6,  /* namely here */
    LEAST_SOURCE = 24, /* and with less than this, it gets a line of its own */
};

/* ---- what a step shows ---- */

/* A step as cells of a line, made fit for a terminal. Texts are NULL where there is nothing. */
struct row {
    const struct st_story_step *step;
    char *event, *thread, *action, *where, *reason;
    const char *source; /* the line that `where` means */
    size_t source_length;
};

static char *make_fit(const char *text) {
    struct st_text_buffer buffer;
    st_put_safely(st_text_buffer_open(&buffer), text, strlen(text), SIZE_MAX);
    return st_text_buffer_close(&buffer);
}

/* Two parts in one cell; the second may be missing. */
static char *join(const char *first, const char *link, const char *second) {
    struct st_text_buffer buffer;
    FILE *file = st_text_buffer_open(&buffer);
    st_put_safely(file, first, strlen(first), SIZE_MAX);
    if (second) {
        fputs(link, file);
        st_put_safely(file, second, strlen(second), SIZE_MAX);
    }
    return st_text_buffer_close(&buffer);
}

/* Without the function that the thread starts with where the headline has said it. A name that is
 * too long for its column keeps both ends. */
static char *make_thread(const char *headline, const char *name) {
    struct st_text_buffer buffer;
    size_t length = headline && strstr(headline, name) ? st_short_thread(name) : strlen(name);
    st_put_ends(st_text_buffer_open(&buffer), name, length, ST_WIDEST_COLUMN);
    return st_text_buffer_close(&buffer);
}

static char *make_event(uint64_t number) {
    struct st_text_buffer buffer;
    FILE *file = st_text_buffer_open(&buffer);
    if (number)
        fprintf(file, "event %" PRIu64, number);
    return st_text_buffer_close(&buffer);
}

static struct row make_gap(const struct st_story_step *step) {
    return (struct row){.step = step,
                        .event = st_strdup("..."),
                        .thread = st_strdup(""),
                        .action = make_fit(step->gap),
                        .reason = st_strdup("--format json lists them")};
}

static struct row make_row(const struct st_text_writer *text, const char *headline,
                           const struct st_story_step *step) {
    if (step->gap)
        return make_gap(step);
    struct row row = {.step = step,
                      .event = make_event(step->place.number),
                      .thread = make_thread(headline, step->thread),
                      .action = join(step->action, ", ", step->holding)};
    if (step->follows)
        row.reason = join(step->follows, "; ", step->race);
    if (step->calls.count)
        return row;
    row.where = make_fit(step->where ? step->where : "");
    if (!text->sources ||
        !st_source_line(text->sources, step->location, &row.source, &row.source_length))
        row.source = NULL;
    return row;
}

static void free_row(struct row *row) {
    free(row->event);
    free(row->thread);
    free(row->action);
    free(row->where);
    free(row->reason);
}

/* ---- how wide it is ---- */

/* Where columns begin, counted from 0, and whether there is room. */
struct layout {
    size_t width; /* of the terminal, or what we take for it */
    size_t event, thread, action, where, function, location; /* widths of columns */
    size_t left;                                             /* where the actions begin */
    size_t calls;                                            /* where the calls begin */
    bool actions_inside, reasons_inside, source_inside;
};

static void widen(size_t *column, const char *text) {
    size_t width = text ? st_width(text) : 0;
    if (width > ST_WIDEST_COLUMN)
        width = ST_WIDEST_COLUMN;
    if (width > *column)
        *column = width;
}

/* Function and location are not made fit yet. */
static void widen_safe(size_t *column, const char *text) {
    size_t width = st_safe_width(text, strlen(text));
    if (width > ST_WIDEST_COLUMN)
        width = ST_WIDEST_COLUMN;
    if (width > *column)
        *column = width;
}

static void measure_row(struct layout *layout, const struct row *row) {
    widen(&layout->event, row->event);
    widen(&layout->thread, row->thread);
    widen(&layout->action, row->action);
    widen(&layout->where, row->where);
    for (size_t i = 0; i < row->step->new_calls && i <= MOST_CALLS; i++) {
        widen_safe(&layout->function, row->step->calls.frames[i].function);
        widen_safe(&layout->location, row->step->calls.frames[i].location);
    }
}

static size_t larger(size_t a, size_t b) {
    return a > b ? a : b;
}

/* Where a step ends that is written in one line, without what follows from it. */
static size_t row_end(const struct layout *layout, const struct row *row) {
    size_t where = row->where ? st_width(row->where) : 0, action = st_width(row->action);
    if (where)
        return layout->left + larger(layout->action, action) + GAP + where;
    return layout->left + action;
}

/* Does what follows from the step fit behind it? */
static bool reason_fits(const struct layout *layout, const struct row *row) {
    size_t column = layout->left + layout->action + (layout->where ? GAP + layout->where : 0);
    return larger(column, row_end(layout, row)) + GAP + st_width(row->reason) <= layout->width;
}

static struct layout make_layout(const struct st_text_writer *text, const struct row *rows,
                                 size_t count) {
    struct layout layout = {.width = st_text_width(text)};
    for (size_t i = 0; i < count; i++)
        measure_row(&layout, &rows[i]);
    layout.left = INDENT + (layout.event ? layout.event + GAP : 0) + layout.thread + GAP;
    layout.actions_inside = layout.reasons_inside = true;
    for (size_t i = 0; i < count; i++) {
        layout.actions_inside &= row_end(&layout, &rows[i]) <= layout.width;
        if (rows[i].reason)
            layout.reasons_inside &= reason_fits(&layout, &rows[i]);
    }
    size_t frame = ROLE + layout.function + GAP + layout.location + GAP;
    layout.calls = layout.left + frame + GOOD_SOURCE <= layout.width ? layout.left : NARROW_CALLS;
    layout.source_inside = layout.calls + frame + LEAST_SOURCE <= layout.width;
    return layout;
}

/* ---- printing ---- */

static void put_blanks(FILE *file, size_t count) {
    fprintf(file, "%*s", (int)count, "");
}

/* A line in the making: blanks are owed until something follows them. */
struct line {
    const struct st_text_writer *text;
    size_t owed;
};

static void put_cell(struct line *line, enum st_paint paint, const char *cell, size_t width) {
    size_t taken = st_width(cell);
    if (taken) {
        put_blanks(line->text->file, line->owed);
        line->owed = 0;
        if (paint != ST_PLAIN)
            st_put_paint(line->text, paint);
        fputs(cell, line->text->file);
        if (paint != ST_PLAIN)
            st_put_paint(line->text, ST_PLAIN);
    }
    line->owed += taken < width ? width - taken : 0;
    if (width)
        line->owed += GAP;
}

/* Tabs inside a line of source are as good as blanks. */
static void put_source(const struct st_text_writer *text, const char *source, size_t length,
                       size_t columns) {
    char *copy = st_alloc(length + 1, 1);
    for (size_t i = 0; i < length; i++)
        copy[i] = source[i] == '\t' ? ' ' : source[i];
    st_put_paint(text, ST_SOURCE);
    st_put_safely(text->file, copy, length, columns);
    st_put_paint(text, ST_PLAIN);
    free(copy);
}

/* A line of source below what it belongs to. */
static void put_source_line(const struct st_text_writer *text, const struct layout *layout,
                            size_t left, const char *source, size_t length) {
    put_blanks(text->file, left);
    put_source(text, source, length, larger(layout->width, left + LEAST_SOURCE) - left);
    fputc('\n', text->file);
}

/* "in    withdraw    bank.c:25  pthread_mutex_unlock(&account->lock);" */
static void put_frame(const struct st_text_writer *text, const struct layout *layout,
                      const struct st_frame_text *frame, const char *role) {
    char *function = make_fit(frame->function), *location = make_fit(frame->location);
    struct line line = {text, layout->calls};
    const char *source;
    size_t length;
    bool quoted = text->sources && st_source_line(text->sources, frame->location, &source, &length);
    put_cell(&line, ST_DIM, role, ROLE - GAP);
    put_cell(&line, ST_PLAIN, function, layout->function);
    put_cell(&line, ST_DIM, location, layout->location);
    if (quoted && layout->source_inside) {
        size_t column = layout->calls + ROLE + larger(layout->function, st_width(function)) + GAP +
                        larger(layout->location, st_width(location)) + GAP;
        put_blanks(text->file, line.owed);
        put_source(text, source, length, larger(layout->width, column + LEAST_SOURCE) - column);
    }
    fputc('\n', text->file);
    if (quoted && !layout->source_inside)
        put_source_line(text, layout, layout->calls + ROLE, source, length);
    free(function);
    free(location);
}

static void put_frames(const struct st_text_writer *text, const struct layout *layout,
                       const struct row *row) {
    size_t count = row->step->new_calls;
    if (count > MOST_CALLS + 1)
        count = MOST_CALLS;
    for (size_t i = 0; i < count; i++)
        put_frame(text, layout, &row->step->calls.frames[i], i ? "from" : "in");
    if (count < row->step->new_calls) {
        put_blanks(text->file, layout->calls);
        fprintf(text->file, "from  %zu more calls; --format json lists them\n",
                row->step->new_calls - count);
    }
}

/* A text below the actions, word by word; the first line is begun already unless `below`. */
static void put_wrapped(const struct st_text_writer *text, const struct layout *layout,
                        const char *sentence, bool below) {
    char *indent = st_alloc(layout->left + 1, 1);
    memset(indent, ' ', layout->left);
    if (below)
        fputs(indent, text->file);
    st_put_wrapped(text->file, sentence, layout->left, indent, layout->width);
    free(indent);
}

/* Action and location as a sentence, when they are too wide for columns. */
static void put_wrapped_action(const struct st_text_writer *text, const struct layout *layout,
                               const struct row *row) {
    bool where = row->where && *row->where;
    struct st_text_buffer buffer;
    fprintf(st_text_buffer_open(&buffer), "%s%s%s", row->action, where ? " " : "",
            where ? row->where : "");
    char *sentence = st_text_buffer_close(&buffer);
    put_wrapped(text, layout, sentence, false);
    free(sentence);
}

static void put_action(struct line *line, const struct layout *layout, const struct row *row) {
    put_cell(line, ST_PLAIN, row->action, layout->action);
    put_cell(line, ST_DIM, row->where ? row->where : "", layout->where);
    if (row->reason && layout->reasons_inside)
        put_cell(line, ST_BOLD, row->reason, 0);
    fputc('\n', line->text->file);
}

static void put_row(const struct st_text_writer *text, const struct layout *layout,
                    const struct row *row) {
    struct line line = {text, INDENT};
    put_cell(&line, ST_DIM, row->event, layout->event);
    put_cell(&line, row->step->home ? ST_HOME : ST_OTHER, row->thread, layout->thread);
    if (layout->actions_inside) {
        put_action(&line, layout, row);
    } else {
        put_blanks(text->file, line.owed);
        put_wrapped_action(text, layout, row);
    }
    if (row->reason && !(layout->actions_inside && layout->reasons_inside))
        put_wrapped(text, layout, row->reason, true);
    if (row->source)
        put_source_line(text, layout, layout->left + INDENT, row->source, row->source_length);
    put_frames(text, layout, row);
}

/* Steps that were noted later than they happened share the number of an event: it is said once. */
static bool has_number_of_step_before(const struct st_story_steps *steps, size_t i) {
    return i && !steps->items[i].gap && !steps->items[i - 1].gap &&
           steps->items[i].place.number == steps->items[i - 1].place.number;
}

void st_print_steps(const struct st_text_writer *text, const char *headline,
                    const struct st_story_steps *steps) {
    struct row *rows = st_alloc(steps->count + 1, sizeof *rows);
    for (size_t i = 0; i < steps->count; i++) {
        rows[i] = make_row(text, headline, &steps->items[i]);
        if (has_number_of_step_before(steps, i))
            *rows[i].event = '\0';
    }
    struct layout layout = make_layout(text, rows, steps->count);
    for (size_t i = 0; i < steps->count; i++)
        put_row(text, &layout, &rows[i]);
    for (size_t i = 0; i < steps->count; i++)
        free_row(&rows[i]);
    free(rows);
}
