#include "report/text/predict_story.h"

#include "report/story/foreseen.h"
#include "report/text/glyphs.h"
#include "report/text/schedule_text.h"
#include "report/text/sentences.h"
#include "report/text/steps.h"
#include "report/text/story_text.h"
#include "report/user_line.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* So many variables and threads are named in one sentence, in which a pattern gets so many columns;
 * and so many steps are told of one finding. */
enum { NAMED_VARIABLES = 3, NAMED_THREADS = 4, PATTERN_COLUMNS = 33, TOLD_STEPS = 20 };

/* ---- The headline ---- */

void st_say_pattern(const struct st_text *text, const struct st_foreseen *block) {
    size_t named = block->variable_count;
    if (named > NAMED_VARIABLES + 1)
        named = NAMED_VARIABLES;
    if (block->pattern)
        st_put_ends(text->file, block->pattern, strlen(block->pattern), PATTERN_COLUMNS);
    for (size_t i = 0; i < named; i++) {
        fputs(i                ? i + 1 == block->variable_count ? " and " : ", "
              : block->pattern ? " on "
                               : "on ",
              text->file);
        st_put_name(text, st_target_name(text->symbols, ST_READ, block->variables[i]));
    }
    if (named < block->variable_count)
        fprintf(text->file, " and %zu more", block->variable_count - named);
}

/* Does the finding say who comes in between? */
static bool names_others(const struct st_violation *violation) {
    return violation->closing.to.number;
}

static void say_what(const struct st_text *text, const struct st_foreseen *block,
                     const struct st_violation *violation, const char *notion) {
    bool certain = block->foresight == ST_FORESEEN_VIOLATION;
    st_put_paint(text, ST_RED);
    st_say_subject(text, violation);
    fputs(!certain                   ? " may be cut"
          : st_ignores_reads(notion) ? " is cut in an interleaving of this run's events"
                                     : " is cut in a schedule that the program could have taken",
          text->file);
    st_put_paint(text, ST_PLAIN);
    st_say(text, ", in thread %t", block->thread);
    if (names_others(violation)) {
        fputs(": ", text->file);
        st_say_others(text, violation);
        fputs(!certain                     ? " may come in between"
              : violation->path_length > 2 ? " come in between"
                                           : " comes in between",
              text->file);
    }
}

void st_say_foreseen(const struct st_text *text, const struct st_foreseen *block,
                     const char *notion) {
    struct st_violation violation = st_foreseen_violation(block);
    say_what(text, block, &violation, notion);
    if (block->pattern || block->variable_count)
        fputs(names_others(&violation) ? ", " : ": ", text->file);
    st_say_pattern(text, block);
    free(violation.path);
}

/* ---- The steps ---- */

/* A block that is being told. */
struct telling {
    const struct st_foreseen *block;
    struct st_violation violation;
    struct st_steps steps;
};

/* The dependence that leads to this step, or SIZE_MAX. */
static size_t find_arrival(const struct telling *t, const struct st_place *step) {
    for (size_t i = 0; i < t->violation.path_length; i++)
        if (t->violation.path[i].to.number == step->number)
            return i;
    return SIZE_MAX;
}

static void put_step(struct telling *t, const struct st_place *step) {
    size_t arrival = find_arrival(t, step);
    st_steps_add(&t->steps, step, "", "");
    if (arrival == SIZE_MAX && step->number != t->block->begin)
        return;
    struct st_text cell = st_steps_reason(&t->steps);
    if (arrival != SIZE_MAX)
        st_say_arrival(&cell, &t->violation, arrival);
    else if (t->block->end)
        st_say(&cell, "and ends it with event %n", t->block->end);
    else
        st_say(&cell, "and its end was not seen");
    st_steps_conclude(&t->steps);
}

static void put_gap(struct telling *t, size_t count) {
    char deed[64];
    snprintf(deed, sizeof deed, "%zu more steps", count);
    st_steps_remark(&t->steps, "...", ST_NO_NAME, deed);
    struct st_text cell = st_steps_reason(&t->steps);
    st_say(&cell, "--format json lists them");
    st_steps_conclude(&t->steps);
}

static void put_steps(struct telling *t) {
    size_t count, told;
    struct st_place *steps = st_foreseen_steps(t->block, &count);
    told = count <= TOLD_STEPS + 1 ? count : TOLD_STEPS;
    for (size_t i = 0; i < told; i++)
        put_step(t, &steps[i]);
    if (told < count)
        put_gap(t, count - told);
    st_steps_print(&t->steps);
    free(steps);
}

/* ---- Sentences around the steps ---- */

void st_say_sentence(const struct st_text *text, const char *words) {
    size_t length = strlen(words);
    bool small = *words >= 'a' && *words <= 'z';
    if (small)
        fputc(*words - 'a' + 'A', text->file);
    st_put_name(text, words + small);
    if (length && !strchr(".:", words[length - 1]))
        fputc('.', text->file);
}

static void put_sentence(const struct st_text *text, const char *words) {
    struct st_text_buffer buffer;
    struct st_text sentence = st_sentence_start(text, &buffer);
    st_say_sentence(&sentence, words);
    st_sentence_end(text, &buffer);
}

/* Do they come in the order of the trace? */
static bool are_in_order(const struct st_place *steps, size_t count) {
    for (size_t i = 1; i < count; i++)
        if (steps[i].number < steps[i - 1].number)
            return false;
    return true;
}

static void put_introduction(const struct st_text *text, const struct telling *t,
                             const char *notion) {
    bool certain = t->block->foresight == ST_FORESEEN_VIOLATION && !st_ignores_reads(notion);
    size_t count;
    struct st_place *steps = st_foreseen_steps(t->block, &count);
    if (!names_others(&t->violation))
        put_sentence(text, "The steps that it rests on:");
    else if (are_in_order(steps, count))
        put_sentence(text, "In this run the steps came in this very order:");
    else if (certain)
        put_sentence(text, "In this run the steps came in another order; they can come in this:");
    else
        put_sentence(text, "In this run the steps came in another order; they may come in this:");
    free(steps);
}

/* Where atomic is a matter of what reads see, conflicts alone prove nothing. */
static void put_conclusion(const struct st_text *text, const struct telling *t,
                           const char *notion) {
    if (!t->violation.path_length)
        return;
    if (st_ignores_reads(notion))
        put_sentence(text, "No serial order lets every read see the same write and leaves the same "
                           "last writes.");
    else
        st_put_conclusion(text, &t->violation);
}

static void say_node(const struct st_text *text, const struct st_place *node) {
    const struct st_event *event = &node->event;
    if (event->op == ST_BEGIN) {
        fputs("the block as a whole", text->file);
        return;
    }
    fputs(event->op == ST_READ    ? "the read of "
          : event->op == ST_WRITE ? "the write of "
                                  : "the critical section on ",
          text->file);
    st_put_name(text, st_target_name(text->symbols, event->op, event->target));
    char buffer[ST_LOCATION_SIZE];
    if (*st_user_location(text->symbols, text->details, event->loc, buffer))
        fputc(' ', text->file);
    st_put_location(text, event->loc);
}

static void put_nodes(const struct st_text *text, const struct st_foreseen *block) {
    struct st_text_buffer buffer;
    struct st_text sentence = st_sentence_start(text, &buffer);
    for (size_t i = 0; i < block->node_count; i++) {
        fputs(i == 0                       ? "Its commit nodes are "
              : i + 1 == block->node_count ? " and "
                                           : ", ",
              sentence.file);
        say_node(&sentence, &block->nodes[i]);
    }
    fputc('.', sentence.file);
    st_sentence_end(text, &buffer);
}

static void put_source(const struct st_text *text, const struct st_foreseen *block) {
    struct st_text_buffer buffer;
    struct st_text sentence = st_sentence_start(text, &buffer);
    st_say(&sentence,
           "But for its begin, the steps of %t are those of the equal block that begins with event "
           "%n.",
           block->thread, block->events_of);
    st_sentence_end(text, &buffer);
}

void st_put_foreseen(const struct st_text *text, const struct st_foreseen *block,
                     const char *notion) {
    struct telling t = {block, st_foreseen_violation(block), {.text = text, .home = block->thread}};
    put_introduction(text, &t, notion);
    put_steps(&t);
    if (block->events_of)
        put_source(text, block);
    if (block->node_count)
        put_nodes(text, block);
    if (block->why)
        put_sentence(text, block->why);
    put_conclusion(text, &t, notion);
    st_put_hint(text, &t.violation);
    if (block->witness_length && st_ignores_reads(notion))
        put_sentence(text, "Not all events of the interleaving are listed: as a rule only "
                           "synchronisation, initial reads and final writes.");
    st_put_schedule(text, block);
    free(t.violation.path);
}

void st_put_forecast(const struct st_text *text, const struct st_prediction *prediction,
                     const struct st_forecast *forecast, const struct st_block_row *row) {
    struct st_text_buffer buffer;
    struct st_text sentence = st_sentence_start(text, &buffer);
    st_say_foreseen(&sentence, forecast->block, prediction->notion);
    if (row)
        st_say_share(&sentence, "reported", row);
    fputc('.', sentence.file);
    st_headline_end(text, &buffer);
    st_put_foreseen(text, forecast->block, prediction->notion);
    if (forecast->count > 1)
        fprintf(text->file, "  The same holds for %zu blocks that begin in the same place.\n",
                forecast->count);
    fputc('\n', text->file);
}

/* ---- Deadlocks and races ---- */

void st_say_deadlock(const struct st_text *text, const struct st_foreseen_deadlock *deadlock) {
    size_t named = deadlock->count > NAMED_THREADS ? NAMED_THREADS : deadlock->count;
    st_put_paint(text, ST_RED);
    for (size_t i = 0; i < named; i++) {
        fputs(i == 0 ? "" : i + 1 == deadlock->count ? " and " : ", ", text->file);
        st_put_thread(text, deadlock->waits[i].holds.event.thread);
    }
    if (named < deadlock->count)
        fputs(" and others", text->file);
    fputs(" may wait for each other for ever", text->file);
    st_put_paint(text, ST_PLAIN);
}

void st_put_deadlock(const struct st_text *text, const struct st_foreseen_deadlock *deadlock) {
    struct st_steps steps = {.text = text, .home = ST_NO_NAME};
    struct st_text_buffer buffer;
    struct st_text sentence = st_sentence_start(text, &buffer);
    st_say_deadlock(&sentence, deadlock);
    fputs(" (deadlock potential):", sentence.file);
    st_headline_end(text, &buffer);
    for (size_t i = 0; i < deadlock->count; i++) {
        const struct st_foreseen_wait *wait = &deadlock->waits[i];
        const struct st_foreseen_wait *next = &deadlock->waits[(i + 1) % deadlock->count];
        st_steps_add(&steps, &wait->holds, "", "");
        struct st_text cell = st_steps_reason(&steps);
        st_say(&cell, "and holds it");
        st_steps_conclude(&steps);
        st_steps_add(&steps, &wait->wants, "", "");
        cell = st_steps_reason(&steps);
        st_say(&cell, "waits for it while %t holds it", next->holds.event.thread);
        st_steps_conclude(&steps);
    }
    st_steps_print(&steps);
    fputc('\n', text->file);
}

void st_say_race(const struct st_text *text, const struct st_foreseen_race *race) {
    st_put_paint(text, ST_RED);
    if (race->suspected) {
        fputs("The locks held at accesses to ", text->file);
        st_put_name(text, st_target_name(text->symbols, ST_READ, race->variable));
        fputs(" do not all agree", text->file);
        st_put_paint(text, ST_PLAIN);
        return;
    }
    st_say(text, "%t and %t may access ", race->first.event.thread, race->second.event.thread);
    st_put_name(text, st_target_name(text->symbols, ST_READ, race->variable));
    fputs(" at the same time", text->file);
    st_put_paint(text, ST_PLAIN);
}

void st_put_foreseen_race(const struct st_text *text, const struct st_foreseen_race *race,
                          size_t count) {
    struct st_steps steps = {.text = text, .home = ST_NO_NAME};
    struct st_text_buffer buffer;
    struct st_text sentence = st_sentence_start(text, &buffer);
    st_say_race(&sentence, race);
    fputs(race->suspected ? " (suspected data race):" : " (data race):", sentence.file);
    st_headline_end(text, &buffer);
    st_steps_add(&steps, &race->first, "", "");
    st_steps_add(&steps, &race->second, "", "");
    st_steps_print(&steps);
    if (count > 1)
        fprintf(text->file, "  The same holds for %zu pairs of accesses in the same place.\n",
                count);
    fputc('\n', text->file);
}
