/* Several analyses of one trace: what each reports, what it cost, and for each name of a block, who
 * reports it and why. The finding that says most is shown in full, the others in a line each. */
#include "base/memory.h"
#include "base/output.h"
#include "report/calls.h"
#include "report/text/columns.h"
#include "report/text/glyphs.h"
#include "report/text/prediction_text.h"
#include "report/text/story_text.h"
#include "report/text/text_parts.h"
#include "report/triage/finding_groups.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* So many findings of one analysis on one block get a line, which has room for places when it is so
 * wide. */
enum { MOST_LINES = 3, WIDE = 100 };

/* No cell of the table is shortened, and the longest that we have takes half of this. */
enum { WIDEST_CELL = 80 };

/* ---- The table ---- */

static void put_number(struct st_columns *columns, uint64_t number) {
    FILE *cell = st_columns_cell(columns);
    if (number)
        fprintf(cell, "%" PRIu64, number);
    else
        fputc('-', cell);
}

/* A text that may be missing, and that a saved result may have made up. */
static void put_name(const struct st_text_writer *text, struct st_columns *columns,
                     const char *name) {
    struct st_text_writer cell = *text;
    cell.file = st_columns_cell(columns);
    if (name)
        st_put_name(&cell, name);
}

/* "1 block", "2 blocks"; what is a sum of several things stays as it is. */
static void put_storage(const struct st_text_writer *text, const struct st_prediction *prediction) {
    const char *unit = prediction->storage_unit;
    size_t word = strcspn(unit, " ");
    bool one = prediction->storage == 1 && word && unit[word - 1] == 's' && !strstr(unit, " and ");
    fprintf(text->file, "%" PRIu64 " ", prediction->storage);
    st_put_safely(text->file, unit, one ? word - 1 : word, SIZE_MAX);
    st_put_name(text, unit + word);
}

static void put_row(const struct st_text_writer *text, struct st_columns *columns,
                    const struct st_prediction *prediction) {
    char seconds[24];
    struct st_text_writer cell = *text;
    st_scale_time(seconds, sizeof seconds, prediction->seconds);
    put_name(text, columns, prediction->engine);
    put_name(text, columns, prediction->notion);
    fprintf(st_columns_cell(columns), "%" PRIu64 " of %" PRIu64, st_all_reported(prediction),
            prediction->block_count);
    put_number(columns, prediction->by[ST_BLOCK_VIOLATION]);
    put_number(columns, prediction->by[ST_BLOCK_POTENTIAL]);
    put_number(columns, prediction->by[ST_BLOCK_TIMEOUT]);
    fputs(seconds, st_columns_cell(columns));
    cell.file = st_columns_cell(columns);
    if (prediction->storage_unit)
        put_storage(&cell, prediction);
    put_name(text, columns, prediction->method);
}

void st_put_prediction_table(const struct st_text_writer *text, const struct st_report *report) {
    static const char *const titles[] = {"engine",  "notion", "reported", "violation", "potential",
                                         "timeout", "time",   "storage",  "method"};
    struct st_columns columns = {.count = sizeof titles / sizeof *titles,
                                 .widest = WIDEST_CELL,
                                 .right = 1 << 2 | 1 << 3 | 1 << 4 | 1 << 5 | 1 << 6};
    st_put_name(text, report->trace);
    fputs(": ", text->file);
    st_put_facts(text, report);
    char *deadlocks = st_deadlock_count_text(report->predictions);
    fputs(deadlocks, text->file);
    free(deadlocks);
    fputs("\n\n", text->file);
    for (size_t i = 0; i < sizeof titles / sizeof *titles; i++)
        fputs(titles[i], st_columns_cell(&columns));
    for (size_t i = 0; i < report->predictions->count; i++)
        put_row(text, &columns, &report->predictions->items[i]);
    st_columns_print(&columns, "", text->file);
}

/* ---- One block ---- */

/* What all analyses say: sets[i] is of the prediction i. */
struct comparison {
    const struct st_text_writer *text;
    const struct st_report *report;
    struct st_predicted_groups *sets;
};

/* Which finding of a block says most: it is certain, it has a way out and back, it has a schedule.
 */
static unsigned worth(const struct st_predicted_block *block) {
    return 8u * block->verdict + 4u * (block->path_length > 0 || block->event_count > 2) +
           2u * (block->witness_length > 0) + (block->why != NULL);
}

static bool is_about(const struct st_predicted_group *group, uint32_t name) {
    return group->state == ST_NEW && group->block->block == name;
}

static const struct st_predicted_group *find_best(const struct comparison *c, uint32_t name,
                                                  size_t *whose) {
    const struct st_predicted_group *best = NULL;
    for (size_t i = 0; i < c->report->predictions->count; i++)
        for (size_t k = 0; k < c->sets[i].count; k++) {
            const struct st_predicted_group *group = &c->sets[i].items[k];
            if (!is_about(group, name) || (best && worth(group->block) <= worth(best->block)))
                continue;
            best = group;
            *whose = i;
        }
    return best;
}

/* Does the analysis report a block of this name? */
static bool reports(const struct comparison *c, size_t i, uint32_t name) {
    for (size_t k = 0; k < c->sets[i].row_count; k++)
        if (c->sets[i].rows[k].block == name)
            return c->sets[i].rows[k].violated;
    return false;
}

/* "T1 bank.c:21, T2 bank.c:30, T1 bank.c:25" */
static void put_places(const struct st_text_writer *text, const struct st_predicted_block *block) {
    char buffer[ST_LOCATION_SIZE];
    for (size_t i = 0; i < block->event_count; i++) {
        fputs(i ? ", " : "", text->file);
        st_put_thread(text, block->events[i].event.thread);
        fputc(' ', text->file);
        st_put_name(text, st_user_location(text->symbols, text->details, block->events[i].event.loc,
                                           buffer));
    }
}

static void put_finding(const struct comparison *c, struct st_columns *columns, const char *engine,
                        const struct st_predicted_block *block) {
    struct st_text_writer cell = *c->text;
    put_name(c->text, columns, engine);
    fputs(st_block_verdict_name(block->verdict), st_columns_cell(columns));
    char *pattern = st_pattern_text(c->report, block);
    put_name(c->text, columns, pattern);
    free(pattern);
    cell.file = st_columns_cell(columns);
    if (st_text_width(c->text) >= WIDE)
        put_places(&cell, block);
}

/* What the analysis says of the block, in a few lines. */
static void put_findings_of(const struct comparison *c, struct st_columns *columns, size_t i,
                            uint32_t name) {
    const struct st_prediction *prediction = &c->report->predictions->items[i];
    size_t shown = 0, more = 0;
    for (size_t k = 0; k < c->sets[i].count; k++) {
        if (!is_about(&c->sets[i].items[k], name))
            continue;
        if (shown < MOST_LINES)
            put_finding(c, columns, shown ? "" : prediction->engine, c->sets[i].items[k].block);
        shown++;
        more += shown > MOST_LINES;
    }
    if (!shown && !reports(c, i, name)) {
        put_name(c->text, columns, prediction->engine);
        fputs("not reported", st_columns_cell(columns));
        st_columns_cell(columns);
        st_columns_cell(columns);
    } else if (more) {
        st_columns_cell(columns);
        fprintf(st_columns_cell(columns), "%zu more", more);
        st_columns_cell(columns);
        st_columns_cell(columns);
    }
}

/* "reported by 2 of 4 engines; shown as tas found it" */
static char *make_remark(const struct comparison *c, uint32_t name, const char *engine) {
    size_t count = c->report->predictions->count, reporting = 0;
    struct st_text_buffer buffer;
    for (size_t i = 0; i < count; i++)
        reporting += reports(c, i, name);
    fprintf(st_text_buffer_open(&buffer), "reported by %zu of %zu engine%s; shown as %s found it",
            reporting, count, count == 1 ? "" : "s", engine);
    return st_text_buffer_close(&buffer);
}

/* A block that somebody reports. */
static void put_block(const struct comparison *c, uint32_t name) {
    size_t whose = 0;
    const struct st_predicted_group *best = find_best(c, name, &whose);
    struct st_columns columns = {.count = 4};
    if (!best)
        return; /* it is known, suppressed or not listed */
    const struct st_prediction *prediction = &c->report->predictions->items[whose];
    struct st_story story = st_predicted_story(c->report, prediction, best);
    char *remark = make_remark(c, name, prediction->engine);
    st_print_story(c->text, &story, remark);
    free(remark);
    st_story_free(&story);
    for (size_t i = 0; i < c->report->predictions->count; i++)
        put_findings_of(c, &columns, i, name);
    st_columns_print(&columns, "  ", c->text->file);
    fputc('\n', c->text->file);
}

/* ---- All ---- */

/* The names that somebody reports, each once: as the first analysis that does ranks them. */
static void put_blocks(const struct comparison *c) {
    for (size_t i = 0; i < c->report->predictions->count; i++)
        for (size_t k = 0; k < c->sets[i].row_count && c->sets[i].rows[k].violated; k++) {
            uint32_t name = c->sets[i].rows[k].block;
            bool before = false;
            for (size_t j = 0; j < i; j++)
                before |= reports(c, j, name);
            if (!before)
                put_block(c, name);
        }
}

void st_put_compared_blocks(const struct st_text_writer *text, const struct st_report *report) {
    size_t count = report->predictions->count;
    struct comparison c = {text, report, st_alloc(count, sizeof *c.sets)};
    for (size_t i = 0; i < count; i++)
        c.sets[i] = st_group_predictions(report, &report->predictions->items[i]);
    put_blocks(&c);
    for (size_t i = 0; i < count; i++)
        st_predicted_groups_free(&c.sets[i]);
    free(c.sets);
}
