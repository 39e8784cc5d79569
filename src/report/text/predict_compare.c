/* Several analyses of one trace: what each reports, what it cost, and for each name of a block, who
 * reports it and why. The finding that says most is told in full, the others in a line each. */
#include "base/memory.h"
#include "report/text/columns.h"
#include "report/story/foreseen.h"
#include "report/text/glyphs.h"
#include "report/text/predict_story.h"
#include "report/text/predict_text.h"
#include "report/text/sentences.h"
#include "report/text/text_parts.h"
#include "report/user_line.h"

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
static void put_name(const struct st_text *text, struct st_columns *columns, const char *name) {
    struct st_text cell = *text;
    cell.file = st_columns_cell(columns);
    if (name)
        st_put_name(&cell, name);
}

/* "1 block", "2 blocks"; what is a sum of several things stays as it is. */
static void put_storage(const struct st_text *text, const struct st_prediction *prediction) {
    const char *unit = prediction->storage_unit;
    size_t word = strcspn(unit, " ");
    bool one = prediction->storage == 1 && word && unit[word - 1] == 's' && !strstr(unit, " and ");
    fprintf(text->file, "%" PRIu64 " ", prediction->storage);
    st_put_safely(text->file, unit, one ? word - 1 : word, SIZE_MAX);
    st_put_name(text, unit + word);
}

static void put_row(const struct st_text *text, struct st_columns *columns,
                    const struct st_prediction *prediction) {
    char seconds[24];
    struct st_text cell = *text;
    st_scale_time(seconds, sizeof seconds, prediction->seconds);
    put_name(text, columns, prediction->engine);
    put_name(text, columns, prediction->notion);
    fprintf(st_columns_cell(columns), "%" PRIu64 " of %" PRIu64, st_all_reported(prediction),
            prediction->block_count);
    put_number(columns, prediction->by[ST_FORESEEN_VIOLATION]);
    put_number(columns, prediction->by[ST_FORESEEN_POTENTIAL]);
    put_number(columns, prediction->by[ST_FORESEEN_TIMEOUT]);
    fputs(seconds, st_columns_cell(columns));
    cell.file = st_columns_cell(columns);
    if (prediction->storage_unit)
        put_storage(&cell, prediction);
    put_name(text, columns, prediction->method);
}

static void put_table(const struct st_text *text, const struct st_report *report) {
    static const char *const titles[] = {"engine",  "notion", "reported", "violation", "potential",
                                         "timeout", "time",   "storage",  "method"};
    struct st_columns columns = {.count = sizeof titles / sizeof *titles,
                                 .widest = WIDEST_CELL,
                                 .right = 1 << 2 | 1 << 3 | 1 << 4 | 1 << 5 | 1 << 6};
    st_put_name(text, report->trace);
    fputs(": ", text->file);
    st_put_facts(text, report);
    st_say_deadlock_count(text, report, "; ");
    fputs("\n\n", text->file);
    for (size_t i = 0; i < sizeof titles / sizeof *titles; i++)
        fputs(titles[i], st_columns_cell(&columns));
    for (size_t i = 0; i < report->predictions->count; i++)
        put_row(text, &columns, &report->predictions->items[i]);
    st_columns_print(&columns, "", text->file);
}

/* ---- One block ---- */

/* What all analyses say: sets[i] and rows[i] are of the prediction i. */
struct comparison {
    const struct st_text *text;
    const struct st_report *report;
    struct st_forecasts *sets;
    struct st_block_row **rows;
    size_t *row_counts;
};

/* Which finding of a block says most: it is certain, it has a way out and back, it has a schedule.
 */
static unsigned worth(const struct st_foreseen *block) {
    return 8u * block->foresight + 4u * (block->path_length > 0 || block->event_count > 2) +
           2u * (block->witness_length > 0) + (block->why != NULL);
}

static const struct st_forecast *find_best(const struct comparison *c, uint32_t name,
                                           size_t *whose) {
    const struct st_forecast *best = NULL;
    for (size_t i = 0; i < c->report->predictions->count; i++)
        for (size_t k = 0; k < c->sets[i].count; k++) {
            const struct st_forecast *forecast = &c->sets[i].items[k];
            if (forecast->block->block != name ||
                (best && worth(forecast->block) <= worth(best->block)))
                continue;
            best = forecast;
            *whose = i;
        }
    return best;
}

static const struct st_block_row *row_of(const struct comparison *c, size_t i, uint32_t name) {
    for (size_t k = 0; k < c->row_counts[i]; k++)
        if (c->rows[i][k].block == name)
            return &c->rows[i][k];
    return NULL;
}

/* "T1 bank.c:21, T2 bank.c:30, T1 bank.c:25" */
static void put_places(const struct st_text *text, const struct st_foreseen *block) {
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
                        const struct st_foreseen *block) {
    struct st_text cell = *c->text;
    put_name(c->text, columns, engine);
    fputs(st_foresight_name(block->foresight), st_columns_cell(columns));
    cell.file = st_columns_cell(columns);
    st_say_pattern(&cell, block);
    cell.file = st_columns_cell(columns);
    if (st_text_width(c->text) >= WIDE)
        put_places(&cell, block);
}

/* What the analysis says of the block, in a few lines. */
static void put_findings_of(const struct comparison *c, struct st_columns *columns, size_t i,
                            uint32_t name) {
    const struct st_prediction *prediction = &c->report->predictions->items[i];
    size_t told = 0, more = 0;
    for (size_t k = 0; k < c->sets[i].count; k++) {
        const struct st_foreseen *block = c->sets[i].items[k].block;
        if (block->block != name)
            continue;
        if (told < MOST_LINES)
            put_finding(c, columns, told ? "" : prediction->engine, block);
        told++;
        more += told > MOST_LINES;
    }
    if (!told && !(row_of(c, i, name) && row_of(c, i, name)->violated)) {
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

static size_t count_reporting(const struct comparison *c, uint32_t name) {
    size_t count = 0;
    for (size_t i = 0; i < c->report->predictions->count; i++) {
        const struct st_block_row *row = row_of(c, i, name);
        count += row && row->violated;
    }
    return count;
}

/* A block that somebody reports. */
static void put_block(const struct comparison *c, uint32_t name) {
    size_t whose = 0, count = c->report->predictions->count;
    const struct st_forecast *best = find_best(c, name, &whose);
    struct st_columns columns = {.count = 4};
    struct st_text_buffer buffer;
    if (!best)
        return; /* it is known, suppressed or not listed */
    const struct st_prediction *teller = &c->report->predictions->items[whose];
    struct st_text sentence = st_sentence_start(c->text, &buffer);
    st_say_foreseen(&sentence, best->block, teller->notion);
    st_say(&sentence, " (reported by %n of %n engine%s; told by ",
           (uint64_t)count_reporting(c, name), (uint64_t)count, count == 1 ? "" : "s");
    st_put_name(&sentence, teller->engine);
    fputs(").", sentence.file);
    st_headline_end(c->text, &buffer);
    st_put_foreseen(c->text, best->block, teller->notion);
    for (size_t i = 0; i < count; i++)
        put_findings_of(c, &columns, i, name);
    st_columns_print(&columns, "  ", c->text->file);
    fputc('\n', c->text->file);
}

/* ---- All ---- */

/* The names that somebody reports, each once: as the first analysis that does ranks them. */
static void put_blocks(const struct comparison *c) {
    for (size_t i = 0; i < c->report->predictions->count; i++)
        for (size_t k = 0; k < c->row_counts[i] && c->rows[i][k].violated; k++) {
            const struct st_block_row *before = NULL;
            for (size_t j = 0; j < i && !(before && before->violated); j++)
                before = row_of(c, j, c->rows[i][k].block);
            if (!before || !before->violated)
                put_block(c, c->rows[i][k].block);
        }
}

void st_put_comparison(const struct st_text *text, const struct st_report *report) {
    size_t count = report->predictions->count;
    struct comparison c = {text, report, st_alloc(count, sizeof *c.sets),
                           st_alloc(count, sizeof *c.rows), st_alloc(count, sizeof *c.row_counts)};
    put_table(text, report);
    for (size_t i = 0; !text->style.quiet && i < count; i++) {
        const struct st_prediction *prediction = &report->predictions->items[i];
        c.rows[i] = st_rank_foreseen(report, prediction, &c.row_counts[i]);
        c.sets[i] = st_forecasts_make(report, prediction, ST_NEW, c.rows[i], c.row_counts[i]);
    }
    if (!text->style.quiet) {
        fputc('\n', text->file);
        put_blocks(&c);
    }
    for (size_t i = 0; i < count; i++) {
        st_forecasts_free(&c.sets[i]);
        free(c.rows[i]);
    }
    free(c.sets);
    free(c.rows);
    free(c.row_counts);
}
