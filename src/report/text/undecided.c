#include "report/text/undecided.h"

#include "report/text/columns.h"
#include "report/text/glyphs.h"
#include "report/text/sentences.h"

#include <inttypes.h>
#include <string.h>

static bool is_avp(const struct st_prediction *prediction) {
    return prediction->notion && strcmp(prediction->notion, "avp") == 0;
}

void st_say_undecided(const struct st_text *text, const struct st_report *report,
                      const struct st_prediction *prediction) {
    uint64_t open = prediction->by[ST_FORESEEN_TIMEOUT], all = prediction->block_count;
    const char *noun = report->facts->deepest > 1 ? "outermost block" : "block";
    if (all == 1)
        st_say(text, "undecided: the only %s took too long", noun);
    else if (open == all)
        st_say(text, "undecided: all %n %ss took too long", all, noun);
    else
        st_say(text, "undecided: %n of %n %ss took too long, and %s", open, all, noun,
               prediction->may_miss ? "no other was found that another schedule could cut"
               : is_avp(prediction)
                   ? "no other is cut in any schedule in which reads see what they saw"
                   : "no other can be cut in any schedule of this run");
}

/* ---- The list ---- */

/* Where several analyses are compared, it is said whose they are. */
static void put_head(const struct st_text *text, const struct st_report *report,
                     const struct st_prediction *prediction) {
    uint64_t open = prediction->by[ST_FORESEEN_TIMEOUT];
    struct st_text_buffer buffer;
    struct st_text sentence = st_sentence_start(text, &buffer);
    bool shared = strcmp(prediction->engine, "blocks") == 0; /* one limit for all of them */
    st_put_count(&sentence, open, "block");
    st_say(&sentence, " took too long%s", report->compare ? " for " : "");
    if (report->compare)
        st_put_name(&sentence, prediction->engine);
    st_say(&sentence,
           " and %s not decided; a larger --timeout gives %s more %s:", open == 1 ? "was" : "were",
           open == 1 ? "it"
           : shared  ? "them"
                     : "each",
           shared ? "time" : "processor time");
    st_headline_end(text, &buffer);
}

static void put_short(FILE *cell, const char *name) {
    st_put_ends(cell, name, strlen(name), ST_WIDEST_COLUMN);
}

static void add_block(const struct st_text *text, struct st_columns *columns,
                      const struct st_foreseen *block) {
    struct st_text cell = *text;
    put_short(st_columns_cell(columns),
              block->block == ST_NO_NAME ? "a block without a name"
                                         : st_target_name(text->symbols, ST_BEGIN, block->block));
    put_short(st_columns_cell(columns), st_name(&text->symbols->threads, block->thread));
    fprintf(st_columns_cell(columns), "event %" PRIu64, block->begin);
    cell.file = st_columns_cell(columns);
    st_put_location(&cell, block->begin_loc);
}

void st_put_undecided(const struct st_text *text, const struct st_report *report,
                      const struct st_prediction *prediction) {
    struct st_columns columns = {.count = 4};
    uint64_t more = prediction->by[ST_FORESEEN_TIMEOUT];
    if (!more)
        return;
    put_head(text, report, prediction);
    for (size_t i = 0; i < prediction->listed; i++) {
        if (prediction->blocks[i].foresight != ST_FORESEEN_TIMEOUT)
            continue;
        add_block(text, &columns, &prediction->blocks[i]);
        more--;
    }
    st_columns_print(&columns, "  ", text->file);
    if (more)
        st_say(text, "  %n %s not listed; --limit 0 lists all.\n", more, more == 1 ? "is" : "are");
    fputc('\n', text->file);
}
