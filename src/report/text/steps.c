#include "report/text/steps.h"

#include "base/memory.h"
#include "report/text/columns.h"
#include "report/text/glyphs.h"
#include "report/source/source.h"
#include "report/user_line.h"

#include <stdlib.h>
#include <string.h>

enum {
    INDENT = 2,        /* before each step */
    GAP = 2,           /* between columns */
    ROLE = 6,          /* "in" and "from" before the name of a function */
    MOST_CALLS = 8,    /* told with one step */
    GOOD_SOURCE = 48,  /* columns for a line of source; with less, calls begin further left, */
    NARROW_CALLS = 6,  /* namely here */
    LEAST_SOURCE = 24, /* and with less than this, it gets a line of its own */
};

/* ---- what a step says ---- */

static struct st_step *new_step(struct st_steps *steps, uint32_t thread) {
    st_reserve(&steps->items, &steps->capacity, steps->count + 1);
    struct st_step *step = &steps->items[steps->count++];
    *step = (struct st_step){.number = thread};
    return step;
}

static struct st_text open_draft(struct st_steps *steps) {
    struct st_text text = *steps->text;
    text.file = st_text_buffer_open(&steps->buffer);
    text.style.color = false;
    return text;
}

/* Of the locks that the thread held, those that say something beyond the deed itself. */
static void put_held(const struct st_text *text, const struct st_event *event) {
    struct st_detail detail;
    bool access = event->written == ST_READ || event->written == ST_WRITE;
    bool on_lock = event->written == ST_ACQUIRE || event->written == ST_RELEASE;
    const char *own =
        on_lock ? st_target_name(text->symbols, (enum st_op)event->written, event->target) : NULL;
    size_t count = 0;
    text->details->lookup(text->details->context, event->loc, &detail);
    for (const char *const *lock = detail.locks; *lock; lock++) {
        if (own && strcmp(*lock, own) == 0)
            continue;
        fputs(count++ ? ", " : ", holding ", text->file);
        st_put_name(text, *lock);
    }
    if (access && !count)
        fputs(", holding no lock", text->file);
}

/* What was told last of the same thread. */
static const struct st_calls *told_calls(const struct st_steps *steps, uint32_t thread) {
    static const struct st_calls none;
    for (size_t i = steps->count - 1; i-- > 0;)
        if (steps->items[i].number == thread && steps->items[i].calls.count)
            return &steps->items[i].calls;
    return &none;
}

static void add_place(struct st_steps *steps, struct st_step *step, uint64_t loc) {
    char buffer[ST_LOCATION_SIZE];
    if (step->calls.count) {
        step->untold = st_calls_untold(&step->calls, told_calls(steps, step->number));
        return;
    }
    struct st_text text = open_draft(steps);
    st_put_location(&text, loc);
    step->where = st_text_buffer_close(&steps->buffer);
    if (!steps->text->sources ||
        !st_source_line(steps->text->sources,
                        st_user_location(text.symbols, text.details, loc, buffer), &step->line,
                        &step->length))
        step->line = NULL;
}

/* A name that is too long for its column keeps both ends. */
static char *thread_name(struct st_steps *steps, uint32_t thread) {
    const char *name = thread == ST_NO_NAME ? "" : st_name(&steps->text->symbols->threads, thread);
    struct st_text text = open_draft(steps);
    st_put_ends(text.file, name, strlen(name), ST_WIDEST_COLUMN);
    return st_text_buffer_close(&steps->buffer);
}

void st_steps_add(struct st_steps *steps, const struct st_place *place, const char *before,
                  const char *after) {
    struct st_step *step = new_step(steps, place->event.thread);
    struct st_text text = open_draft(steps);
    if (place->number)
        st_say(&text, "event %n", place->number);
    step->event = st_text_buffer_close(&steps->buffer);
    step->thread = thread_name(steps, place->event.thread);
    text = open_draft(steps);
    fputs(before, text.file);
    st_put_deed(&text, &place->event);
    fputs(after, text.file);
    if (place->number)
        step->calls = st_calls_at(text.details, place->event.loc);
    if (step->calls.count && place->event.written != ST_BEGIN)
        put_held(&text, &place->event);
    step->deed = st_text_buffer_close(&steps->buffer);
    add_place(steps, step, place->event.loc);
}

void st_steps_remark(struct st_steps *steps, const char *event, uint32_t thread, const char *deed) {
    struct st_step *step = new_step(steps, thread);
    step->event = st_strdup(event);
    step->deed = st_strdup(deed);
    step->where = st_strdup("");
    step->thread = thread_name(steps, thread);
}

struct st_text st_steps_reason(struct st_steps *steps) {
    return open_draft(steps);
}

void st_steps_conclude(struct st_steps *steps) {
    steps->items[steps->count - 1].reason = st_text_buffer_close(&steps->buffer);
}

/* ---- how wide it is ---- */

/* Where columns begin, counted from 0, and whether there is room. */
struct layout {
    size_t width; /* of the terminal, or what we take for it */
    size_t event, thread, deed, where, function, location; /* widths of columns */
    size_t left;                                           /* where the deeds begin */
    size_t calls;                                          /* where the calls begin */
    bool deeds_inside, reasons_inside, source_inside;
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

static void measure_step(struct layout *layout, const struct st_step *step) {
    widen(&layout->event, step->event);
    widen(&layout->thread, step->thread);
    widen(&layout->deed, step->deed);
    widen(&layout->where, step->where);
    for (size_t i = 0; i < step->untold && i <= MOST_CALLS; i++) {
        widen_safe(&layout->function, step->calls.frames[i].function);
        widen_safe(&layout->location, step->calls.frames[i].location);
    }
}

static size_t larger(size_t a, size_t b) {
    return a > b ? a : b;
}

/* Where a step ends that is written in one line, without what follows from it. */
static size_t step_end(const struct layout *layout, const struct st_step *step) {
    size_t where = step->where ? st_width(step->where) : 0, deed = st_width(step->deed);
    if (where)
        return layout->left + larger(layout->deed, deed) + GAP + where;
    return layout->left + deed;
}

/* Does what follows from the step fit behind it? */
static bool reason_fits(const struct layout *layout, const struct st_step *step) {
    size_t column = layout->left + layout->deed + (layout->where ? GAP + layout->where : 0);
    return larger(column, step_end(layout, step)) + GAP + st_width(step->reason) <= layout->width;
}

static struct layout make_layout(const struct st_steps *steps) {
    struct layout layout = {.width = st_text_width(steps->text)};
    for (size_t i = 0; i < steps->count; i++)
        measure_step(&layout, &steps->items[i]);
    layout.left = INDENT + (layout.event ? layout.event + GAP : 0) + layout.thread + GAP;
    layout.deeds_inside = layout.reasons_inside = true;
    for (size_t i = 0; i < steps->count; i++) {
        layout.deeds_inside &= step_end(&layout, &steps->items[i]) <= layout.width;
        if (steps->items[i].reason)
            layout.reasons_inside &= reason_fits(&layout, &steps->items[i]);
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
    const struct st_text *text;
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

static char *make_fit(const char *text) {
    struct st_text_buffer buffer;
    st_put_safely(st_text_buffer_open(&buffer), text, strlen(text), SIZE_MAX);
    return st_text_buffer_close(&buffer);
}

/* Tabs inside a line of source are as good as blanks. */
static void put_source(const struct st_text *text, const char *source, size_t length,
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
static void put_source_line(const struct st_text *text, const struct layout *layout, size_t left,
                            const char *source, size_t length) {
    put_blanks(text->file, left);
    put_source(text, source, length, larger(layout->width, left + LEAST_SOURCE) - left);
    fputc('\n', text->file);
}

/* "in    withdraw    bank.c:25  pthread_mutex_unlock(&account->lock);" */
static void put_frame(const struct st_text *text, const struct layout *layout,
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

static void put_frames(const struct st_text *text, const struct layout *layout,
                       const struct st_step *step) {
    size_t count = step->untold;
    if (count > MOST_CALLS + 1)
        count = MOST_CALLS;
    for (size_t i = 0; i < count; i++)
        put_frame(text, layout, &step->calls.frames[i], i ? "from" : "in");
    if (count < step->untold) {
        put_blanks(text->file, layout->calls);
        fprintf(text->file, "from  %zu more calls; --format json lists them\n",
                step->untold - count);
    }
}

/* A text below the deeds, word by word; the first line is begun already unless `below`. */
static void put_words(const struct st_text *text, const struct layout *layout, const char *words,
                      bool below) {
    char *indent = st_alloc(layout->left + 1, 1);
    memset(indent, ' ', layout->left);
    if (below)
        fputs(indent, text->file);
    st_put_wrapped(text->file, words, layout->left, indent, layout->width);
    free(indent);
}

/* Deed and location as a sentence, when they are too wide for columns. */
static void put_deed_words(const struct st_text *text, const struct layout *layout,
                           const struct st_step *step) {
    struct st_text_buffer buffer;
    bool where = step->where && *step->where;
    fprintf(st_text_buffer_open(&buffer), "%s%s%s", step->deed, where ? " " : "",
            where ? step->where : "");
    char *words = st_text_buffer_close(&buffer);
    put_words(text, layout, words, false);
    free(words);
}

static void put_deed(struct line *line, const struct layout *layout, const struct st_step *step) {
    put_cell(line, ST_PLAIN, step->deed, layout->deed);
    put_cell(line, ST_DIM, step->where ? step->where : "", layout->where);
    if (step->reason && layout->reasons_inside)
        put_cell(line, ST_BOLD, step->reason, 0);
    fputc('\n', line->text->file);
}

static void put_step(const struct st_steps *steps, const struct layout *layout,
                     const struct st_step *step) {
    const struct st_text *text = steps->text;
    struct line line = {text, INDENT};
    put_cell(&line, ST_DIM, step->event, layout->event);
    put_cell(&line, step->number == steps->home ? ST_HOME : ST_OTHER, step->thread, layout->thread);
    if (layout->deeds_inside) {
        put_deed(&line, layout, step);
    } else {
        put_blanks(text->file, line.owed);
        put_deed_words(text, layout, step);
    }
    if (step->reason && !(layout->deeds_inside && layout->reasons_inside))
        put_words(text, layout, step->reason, true);
    if (step->line)
        put_source_line(text, layout, layout->left + INDENT, step->line, step->length);
    put_frames(text, layout, step);
}

static void free_step(struct st_step *step) {
    free(step->event);
    free(step->thread);
    free(step->deed);
    free(step->where);
    free(step->reason);
    st_calls_free(&step->calls);
}

void st_steps_print(struct st_steps *steps) {
    struct layout layout = make_layout(steps);
    for (size_t i = 0; i < steps->count; i++)
        put_step(steps, &layout, &steps->items[i]);
    for (size_t i = 0; i < steps->count; i++)
        free_step(&steps->items[i]);
    free(steps->items);
    steps->items = NULL;
    steps->count = steps->capacity = 0;
}
