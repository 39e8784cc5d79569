#include "report/text/prediction_text.h"

#include "report/text/columns.h"
#include "report/text/glyphs.h"
#include "report/text/overview_text.h"
#include "report/text/story_text.h"
#include "report/text/text_parts.h"
#include "report/triage/finding_groups.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* So many races are shown. */
enum { MOST_RACES = 20 };

/* ---- The line that sums up ---- */

/* "(blocks: Theorem 4, view; 12 events, ...)" */
static void say_means(const struct st_text_writer *text, const struct st_report *report,
                      const struct st_prediction *prediction) {
    fputs(" (", text->file);
    st_put_name(text, prediction->engine);
    if (prediction->method) {
        fputs(": ", text->file);
        st_put_name(text, prediction->method);
    }
    if (prediction->notion) {
        fputs(prediction->method ? ", " : ": ", text->file);
        st_put_name(text, prediction->notion);
    }
    fputs("; ", text->file);
    st_put_facts(text, report);
    fputs(")\n", text->file);
}

static void put_summary(const struct st_text_writer *text, const struct st_report *report) {
    const struct st_prediction *prediction = &report->predictions->items[0];
    struct st_summary summary = st_prediction_summary(report, prediction);
    st_put_name(text, report->trace);
    fputs(": ", text->file);
    st_put_paint(text, prediction->atomic == ST_SERIALIZABLE ? ST_GREEN : ST_RED);
    st_put_part(text, summary.text, summary.verdict);
    st_put_paint(text, ST_PLAIN);
    if (report->triage && st_all_reported(prediction))
        st_put_marks(text, &report->triage->marks[0]);
    st_put_name(text, summary.text + summary.verdict);
    say_means(text, report, prediction);
    free(summary.text);
}

/* ---- Blocks that are not decided ---- */

/* Where several analyses are compared, it is said whose they are. */
static void put_head(const struct st_text_writer *text, const struct st_report *report,
                     const struct st_prediction *prediction) {
    uint64_t open = prediction->by[ST_BLOCK_TIMEOUT];
    bool compared = report->kind == ST_REPORT_PREDICTION_COMPARISON;
    struct st_text_buffer buffer;
    struct st_text_writer sentence = st_sentence_start(text, &buffer);
    st_put_count(&sentence, open, "block");
    st_say(&sentence, " %s not decided%s", open == 1 ? "was" : "were", compared ? " by " : "");
    if (compared)
        st_put_name(&sentence, prediction->engine);
    st_say(&sentence, "; more time (--timeout) or memory (--memory) may help:");
    st_headline_end(text, &buffer);
}

static void put_short(FILE *cell, const char *name) {
    st_put_ends(cell, name, strlen(name), ST_WIDEST_COLUMN);
}

static void add_block(const struct st_text_writer *text, struct st_columns *columns,
                      const struct st_predicted_block *block) {
    struct st_text_writer cell = *text;
    put_short(st_columns_cell(columns),
              block->block == ST_NO_NAME ? "a block without a name"
                                         : st_target_name(text->symbols, ST_BEGIN, block->block));
    put_short(st_columns_cell(columns), st_name(&text->symbols->threads, block->thread));
    fprintf(st_columns_cell(columns), "event %" PRIu64, block->begin);
    cell.file = st_columns_cell(columns);
    st_put_location(&cell, block->begin_loc);
}

static void put_undecided(const struct st_text_writer *text, const struct st_report *report,
                          const struct st_prediction *prediction) {
    struct st_columns columns = {.count = 4};
    uint64_t more = prediction->by[ST_BLOCK_TIMEOUT];
    if (!more)
        return;
    put_head(text, report, prediction);
    for (size_t i = 0; i < prediction->listed; i++) {
        if (prediction->blocks[i].verdict != ST_BLOCK_TIMEOUT)
            continue;
        add_block(text, &columns, &prediction->blocks[i]);
        more--;
    }
    st_columns_print(&columns, "  ", text->file);
    if (more)
        st_say(text, "  %n %s not listed; --limit 0 lists all.\n", more, more == 1 ? "is" : "are");
    fputc('\n', text->file);
}

/* ---- Blocks ---- */

static uint64_t listed_as_new(const struct st_report *report,
                              const struct st_prediction *prediction) {
    uint64_t count = 0;
    for (size_t i = 0; i < prediction->listed; i++)
        count += st_is_reported(&prediction->blocks[i]) &&
                 st_predicted_mark(report, prediction, i).state == ST_NEW;
    return count;
}

static void put_story(const struct st_text_writer *text, struct st_story story) {
    st_print_story(text, &story, NULL);
    st_story_free(&story);
    fputc('\n', text->file);
}

/* "Proven: ..." */
static void put_tier(const struct st_text_writer *text, enum st_block_verdict verdict) {
    for (size_t i = 0; i < ST_TIERS; i++) {
        const struct st_tier *tier = &st_tiers_promise[i];
        struct st_text_buffer buffer;
        if (tier->verdict != verdict)
            continue;
        struct st_text_writer sentence = st_sentence_start(text, &buffer);
        fprintf(sentence.file, "%c%s: %s", toupper((unsigned char)tier->name[0]), tier->name + 1,
                tier->means);
        st_headline_end(text, &buffer);
        fputc('\n', text->file);
    }
}

/* ---- The first screen ---- */

static size_t count_new(const struct st_predicted_groups *groups) {
    size_t count = 0;
    while (count < groups->count && groups->items[count].state == ST_NEW)
        count++;
    return count;
}

/* "77 possible findings, the most important first:" */
static void put_overview_head(const struct st_text_writer *text, const char *noun, size_t count) {
    st_put_count(text, count, noun);
    fprintf(text->file, "%s\n", count > 1 ? ", the most important first:" : ":");
}

static const char *noun_of(const struct st_prediction *prediction, enum st_block_verdict verdict) {
    if (!prediction->in_tiers)
        return "finding";
    return verdict == ST_BLOCK_VIOLATION ? "proven finding" : "possible finding";
}

/* A single finding is its own summary. */
static void put_overview(const struct st_text_writer *text, const struct st_report *report,
                         const struct st_predicted_groups *groups, size_t all, size_t shown) {
    const struct st_prediction *prediction = &report->predictions->items[0];
    if (all < 2)
        return;
    for (size_t from = 0, to = 0; from < all; from = to) {
        enum st_block_verdict verdict = groups->items[from].block->verdict;
        struct st_columns columns = {.count = ST_OVERVIEW_COLUMNS, .right = 1};
        st_start_overview(&columns, "what is cut", "reported");
        for (; to < all && (!prediction->in_tiers || groups->items[to].block->verdict == verdict);
             to++)
            st_add_overview(text, &columns, st_predicted_overview(report, &groups->items[to]));
        put_overview_head(text, noun_of(prediction, verdict), to - from);
        st_put_overview(text, &columns);
    }
    if (shown < all)
        fprintf(text->file, "The first %zu in full; --stories 0 describes all:\n\n", shown);
}

static void put_blocks(const struct st_text_writer *text, const struct st_report *report) {
    const struct st_prediction *prediction = &report->predictions->items[0];
    struct st_predicted_groups groups = st_group_predictions(report, prediction);
    size_t all = count_new(&groups), most = text->style.stories ? text->style.stories : all;
    size_t shown = all < most ? all : most;
    put_overview(text, report, &groups, all, shown);
    for (size_t i = 0; i < shown; i++) {
        enum st_block_verdict verdict = groups.items[i].block->verdict;
        if (prediction->in_tiers && (i == 0 || groups.items[i - 1].block->verdict != verdict))
            put_tier(text, verdict);
        put_story(text, st_predicted_story(report, prediction, &groups.items[i]));
    }
    uint64_t more = st_new_reported(report, prediction) - listed_as_new(report, prediction);
    if (more) {
        st_put_count(text, more, "more reported block");
        fputs(" not listed; --limit 0 lists all.\n\n", text->file);
    }
    if (groups.row_count > 1 && groups.rows[0].violated) {
        st_put_block_table(text, groups.rows, groups.row_count, "reported", "reported");
        fputc('\n', text->file);
    }
    st_predicted_groups_free(&groups);
}

/* ---- Races and deadlocks ---- */

static void put_races(const struct st_text_writer *text, const struct st_report *report,
                      const struct st_prediction *prediction) {
    size_t count;
    struct st_race_group *groups = st_group_races(report, prediction, &count);
    for (size_t i = 0; i < count && i < MOST_RACES; i++)
        put_story(text, st_race_story(report, groups[i].race, groups[i].count));
    if (count > MOST_RACES)
        fprintf(text->file, "Data races in %zu more places; --format json lists them.\n\n",
                count - MOST_RACES);
    free(groups);
}

static bool has_caveat(const struct st_prediction *prediction, const char *caveat) {
    for (size_t i = 0; i < prediction->caveat_count; i++)
        if (strcmp(prediction->caveats[i], caveat) == 0)
            return true;
    return false;
}

/* " of blocks and tas", unless it holds for all engines. */
static void say_engines(const struct st_text_writer *text, const struct st_predictions *predictions,
                        const char *caveat) {
    size_t count = 0, said = 0;
    for (size_t i = 0; i < predictions->count; i++)
        count += has_caveat(&predictions->items[i], caveat);
    for (size_t i = 0; count < predictions->count && i < predictions->count; i++) {
        if (!has_caveat(&predictions->items[i], caveat))
            continue;
        fputs(said == 0 ? " on " : said + 1 == count ? " and " : ", ", text->file);
        st_put_name(text, predictions->items[i].engine);
        said++;
    }
}

/* Several engines may have the same to say: each sentence stands with the first that has it. */
static bool put_caveats(const struct st_text_writer *text, const struct st_predictions *predictions,
                        size_t index) {
    const struct st_prediction *prediction = &predictions->items[index];
    bool any = false;
    for (size_t i = 0; i < prediction->caveat_count; i++) {
        struct st_text_buffer buffer;
        bool before = false;
        for (size_t k = 0; k < index; k++)
            before |= has_caveat(&predictions->items[k], prediction->caveats[i]);
        if (before)
            continue;
        struct st_text_writer sentence = st_sentence_start(text, &buffer);
        fputs("Note", sentence.file);
        say_engines(&sentence, predictions, prediction->caveats[i]);
        fputs(": ", sentence.file);
        char *caveat = st_closed_sentence(prediction->caveats[i]);
        st_put_name(&sentence, caveat);
        free(caveat);
        st_headline_end(text, &buffer);
        any = true;
    }
    return any;
}

static void put_all_caveats(const struct st_text_writer *text,
                            const struct st_predictions *predictions) {
    bool any = false;
    for (size_t i = 0; i < predictions->count; i++)
        any |= put_caveats(text, predictions, i);
    if (any)
        fputc('\n', text->file);
}

/* ---- All ---- */

/* What all kinds of predictions have beside blocks. */
static void put_rest(const struct st_text_writer *text, const struct st_report *report) {
    const struct st_predictions *predictions = report->predictions;
    for (size_t i = 0; i < predictions->count; i++) {
        put_undecided(text, report, &predictions->items[i]);
        put_races(text, report, &predictions->items[i]);
    }
    for (size_t i = 0; i < predictions->deadlock_count; i++)
        put_story(text, st_deadlock_story(report, &predictions->deadlocks[i]));
    put_all_caveats(text, predictions);
    st_put_newer_sources(text);
    if (report->triage)
        st_put_triage(text, report);
}

/* Paragraphs end with an empty line, the last one does not. */
static void put_trimmed(const char *text, FILE *file) {
    size_t length = strlen(text);
    while (length && text[length - 1] == '\n')
        length--;
    fwrite(text, 1, length, file);
    if (length)
        fputc('\n', file);
}

/* Below the summary, or the table. */
static void print_body(const struct st_text_writer *given, const struct st_report *report,
                       void (*put_findings)(const struct st_text_writer *text,
                                            const struct st_report *report)) {
    struct st_text_writer text = *given;
    struct st_text_buffer buffer;
    text.file = st_text_buffer_open(&buffer);
    text.sources = st_sources_new(report->folder, report->built);
    fputc('\n', text.file);
    put_findings(&text, report);
    put_rest(&text, report);
    st_sources_free(text.sources);
    char *body = st_text_buffer_close(&buffer);
    put_trimmed(body, given->file);
    free(body);
}

void st_print_prediction(const struct st_text_writer *text, const struct st_report *report) {
    put_summary(text, report);
    if (!text->style.quiet)
        print_body(text, report, put_blocks);
}

void st_print_prediction_comparison(const struct st_text_writer *text,
                                    const struct st_report *report) {
    st_put_prediction_table(text, report);
    if (!text->style.quiet)
        print_body(text, report, st_put_compared_blocks);
}
