/* The schedule that a prediction comes with: its events as far as they are shown, and what is left
 * out between them. */
#include "report/story/builder.h"

#include "base/memory.h"
#include "finding/schedules.h"

#include <inttypes.h>
#include <stdlib.h>

enum {
    MOST_RUNS = 12, /* of events that follow each other in the trace, as numbers */
    MOST_PARTS = 4, /* threads that are named in a row that is left out */
};

/* ---- As numbers ---- */

/* How many events from `at` on follow each other in the trace, too. */
static size_t run_length(const struct st_predicted_block *block, size_t at) {
    size_t length = 1;
    while (at + length < block->witness_length &&
           block->witness[at + length] == block->witness[at] + length)
        length++;
    return length;
}

/* Where the last MOST_RUNS runs begin. */
static size_t find_start(const struct st_predicted_block *block) {
    size_t runs = 0, start;
    for (size_t at = 0; at < block->witness_length; at += run_length(block, at))
        runs++;
    for (start = 0; runs > MOST_RUNS; runs--)
        start += run_length(block, start);
    return start;
}

/* "events 1 to 4, 9, 5 to 7" */
static void put_numbers(FILE *file, const struct st_predicted_block *block, size_t start) {
    if (block->replayed)
        fprintf(file, "the events to %" PRIu64 " as in this run, then ", block->replayed);
    fputs("events ", file);
    for (size_t at = start; at < block->witness_length;) {
        size_t length = run_length(block, at);
        fprintf(file, "%s%" PRIu64, at == start ? "" : ", ", block->witness[at]);
        if (length > 1)
            fprintf(file, "%s%" PRIu64, length == 2 ? ", " : " to ",
                    block->witness[at + length - 1]);
        at += length;
    }
}

static char *make_numbers_title(const struct st_predicted_block *block) {
    struct st_text_buffer buffer;
    FILE *file = st_text_buffer_open(&buffer);
    size_t start = find_start(block);
    fputs("A schedule that leads there", file);
    if (start) {
        fputs(" (", file);
        st_put_counted(file, start, "earlier event");
        fputs(start == 1 ? " is left out)" : " are left out)", file);
    }
    fputs(": ", file);
    put_numbers(file, block, start);
    return st_text_buffer_close(&buffer);
}

/* ---- As steps ---- */

static const struct st_broken_read *find_broken(const struct st_predicted_block *block,
                                                uint64_t number) {
    for (size_t i = 0; i < block->broken_count; i++)
        if (block->broken[i].event == number)
            return &block->broken[i];
    return NULL;
}

/* "sees the write of event 50 instead of the initial value" */
static char *make_broken(const struct st_report *report, const struct st_broken_read *read) {
    bool unknown = read->sees == ST_UNKNOWN_WRITE, write = read->sees && !unknown;
    struct st_text_buffer buffer;
    FILE *file = st_text_buffer_open(&buffer);
    if (write)
        st_put_sentence(file, report, "sees the write of event %n", read->sees);
    else
        fputs(unknown ? "sees what the broken operation before it left" : "sees the initial value",
              file);
    if (read->saw)
        st_put_sentence(file, report, " instead of %s of event %n", write ? "that" : "the write",
                        read->saw);
    else
        fputs(" instead of the initial value", file);
    return st_text_buffer_close(&buffer);
}

/* "37 events of t0, 2 of t1"; `before` is the event that is shown next, or 0. */
static char *make_left_out(const struct st_report *report, const struct st_predicted_block *block,
                           uint64_t before, uint64_t count) {
    size_t first = 0, parts = 0;
    while (first < block->left_out_count && block->left_out[first].before != before)
        first++;
    while (first + parts < block->left_out_count && block->left_out[first + parts].before == before)
        parts++;
    size_t named = parts > MOST_PARTS ? MOST_PARTS - 1 : parts;
    const struct st_left_out *part = parts ? &block->left_out[first] : NULL;
    uint64_t others = count;
    struct st_text_buffer buffer;
    FILE *file = st_text_buffer_open(&buffer);
    st_put_counted(file, parts ? part[0].count : count, "event");
    for (size_t i = 0; i < named; i++) {
        if (i)
            st_put_sentence(file, report, ", %n", part[i].count);
        st_put_sentence(file, report, " of %t", part[i].thread);
        others -= part[i].count < others ? part[i].count : others;
    }
    if (named < parts)
        st_put_sentence(file, report, ", %n of %n other threads", others,
                        (uint64_t)(parts - named));
    return st_text_buffer_close(&buffer);
}

static void add_event(struct st_story_builder *b, const struct st_predicted_block *block,
                      const struct st_place *place) {
    const struct st_broken_read *read = find_broken(block, place->number);
    struct st_story_step *step = st_add_event(b, &b->story.schedule, place, "", "");
    step->marked = st_is_step(block, place->number);
    if (read)
        step->follows = make_broken(b->report, read);
}

/* "the events to 1000, as in this run" */
static char *make_replayed(const struct st_report *report, const struct st_predicted_block *block) {
    struct st_text_buffer buffer;
    FILE *file = st_text_buffer_open(&buffer);
    st_put_sentence(file, report, "the events to %n, as in this run", block->replayed);
    return st_text_buffer_close(&buffer);
}

/* Goes down the witness: the events that are shown, and rows of those that are not. */
static void add_events(struct st_story_builder *b, const struct st_predicted_block *block) {
    size_t next = 0;
    if (block->replayed)
        st_add_gap(&b->story.schedule, make_replayed(b->report, block));
    for (size_t at = 0; at < block->witness_length; at++) {
        size_t start = at;
        while (at < block->witness_length && (next == block->schedule_length ||
                                              block->schedule[next].number != block->witness[at]))
            at++;
        bool last = at == block->witness_length;
        const struct st_place *place = last ? NULL : &block->schedule[next++];
        if (at > start)
            st_add_gap(&b->story.schedule,
                       make_left_out(b->report, block, place ? place->number : 0, at - start));
        if (place)
            add_event(b, block, place);
    }
}

void st_build_schedule(struct st_story_builder *b, const struct st_predicted_block *block) {
    if (!block->witness_length)
        return;
    if (!block->schedule_length) {
        b->story.schedule_title = make_numbers_title(block);
        return;
    }
    b->story.schedule_title = st_strdup("A schedule that leads there");
    add_events(b, block);
}
