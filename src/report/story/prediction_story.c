/* What could happen in another schedule: a block that could be cut, a data race, a deadlock. */
#include "report/story/builder.h"

#include "base/json.h"
#include "base/memory.h"
#include "report/predicted_violation.h"
#include "report/triage/finding_groups.h"
#include "report/calls.h"
#include "report/triage/suppressions.h"

#include <stdlib.h>
#include <string.h>

/* So many variables and threads are named in one sentence, in which a pattern gets so many
 * characters; and so many steps of one finding are shown. */
enum { NAMED_VARIABLES = 3, NAMED_THREADS = 4, PATTERN_SIZE = 33, SHOWN_STEPS = 20 };

/* ---- The headline ---- */

static size_t count_characters(const char *text) {
    size_t count = 0;
    for (; *text; text++)
        count += (*text & 0xc0) != 0x80;
    return count;
}

/* Behind so many characters. */
static const char *skip(const char *text, size_t characters) {
    for (; *text; text++)
        if ((*text & 0xc0) != 0x80 && characters-- == 0)
            break;
    return text;
}

/* A long pattern keeps both ends. */
static void put_pattern(FILE *file, const char *pattern) {
    static const char dots[] = "...";
    size_t count = count_characters(pattern), room = PATTERN_SIZE - (sizeof dots - 1);
    if (count <= PATTERN_SIZE) {
        fputs(pattern, file);
        return;
    }
    fwrite(pattern, 1, (size_t)(skip(pattern, room - room / 2) - pattern), file);
    fprintf(file, "%s%s", dots, skip(pattern, count - room / 2));
}

char *st_pattern_text(const struct st_report *report, const struct st_predicted_block *block) {
    struct st_text_buffer buffer;
    FILE *file = st_text_buffer_open(&buffer);
    size_t named = block->variable_count;
    if (named > NAMED_VARIABLES + 1)
        named = NAMED_VARIABLES;
    if (block->pattern)
        put_pattern(file, block->pattern);
    for (size_t i = 0; i < named; i++) {
        fputs(i ? st_list_link(i, block->variable_count) : block->pattern ? " on " : "on ", file);
        fputs(st_target_name(report->symbols, ST_READ, block->variables[i]), file);
    }
    if (named < block->variable_count)
        fprintf(file, " and %zu more", block->variable_count - named);
    return st_text_buffer_close(&buffer);
}

/* Does the finding say who comes in between? */
static bool names_others(const struct st_violation *violation) {
    return violation->closing.to.number;
}

/* "transfer may be cut, in thread T1: T2 may come in between, R-W-R on x" */
static void set_headline(struct st_story_builder *b, const struct st_predicted_block *block,
                         const struct st_violation *violation, bool any_reads) {
    bool certain = b->story.kind == ST_STORY_PREDICTED;
    struct st_text_buffer buffer;
    FILE *file = st_text_buffer_open(&buffer);
    st_put_subject(file, b->report, block->block);
    fputs(!certain    ? " may be cut"
          : any_reads ? " is cut in an interleaving of this run's events"
                      : " is cut in a schedule that the program could have taken",
          file);
    b->story.alarm = (size_t)ftell(file);
    st_put_sentence(file, b->report, ", in thread %T", block->thread);
    if (names_others(violation)) {
        fputs(": ", file);
        st_put_others(file, b->report, violation);
        fputs(!certain                     ? " may come in between"
              : violation->path_length > 2 ? " come in between"
                                           : " comes in between",
              file);
    }
    char *pattern = st_pattern_text(b->report, block);
    if (*pattern)
        fprintf(file, "%s%s", names_others(violation) ? ", " : ": ", pattern);
    free(pattern);
    b->story.headline = st_text_buffer_close(&buffer);
}

/* ---- The steps ---- */

/* The dependence that leads to this step, or SIZE_MAX. */
static size_t find_arrival(const struct st_violation *violation, const struct st_place *step) {
    for (size_t i = 0; i < violation->path_length; i++)
        if (violation->path[i].to.number == step->number)
            return i;
    return SIZE_MAX;
}

static void add_step(struct st_story_builder *b, const struct st_predicted_block *block,
                     const struct st_violation *violation, const struct st_place *place) {
    size_t arrival = find_arrival(violation, place);
    struct st_story_step *step = st_add_step(b, place, "", "");
    if (arrival != SIZE_MAX)
        step->follows = st_arrival_text(b->report, violation, arrival);
    else if (place->number != block->begin)
        return;
    else if (block->end)
        step->follows = st_sentence(b->report, "and ends it with event %n", block->end);
    else
        step->follows = st_strdup("and its end was not seen");
}

static void add_steps(struct st_story_builder *b, const struct st_predicted_block *block,
                      const struct st_violation *violation, const struct st_place *steps,
                      size_t count) {
    size_t shown = count <= SHOWN_STEPS + 1 ? count : SHOWN_STEPS;
    for (size_t i = 0; i < shown; i++)
        add_step(b, block, violation, &steps[i]);
    if (shown < count)
        st_add_gap(&b->story.steps,
                   st_sentence(b->report, "%n more steps", (uint64_t)(count - shown)));
}

/* Do they come in the order of the trace? */
static bool are_in_order(const struct st_place *steps, size_t count) {
    for (size_t i = 1; i < count; i++)
        if (steps[i].number < steps[i - 1].number)
            return false;
    return true;
}

static const char *introduction(const struct st_story_builder *b,
                                const struct st_violation *violation, const struct st_place *steps,
                                size_t count, bool any_reads) {
    if (!names_others(violation))
        return "The steps that it rests on:";
    if (are_in_order(steps, count))
        return "In this run the steps came in this very order:";
    return b->story.kind == ST_STORY_PREDICTED && !any_reads
               ? "In this run the steps came in another order; they can come in this:"
               : "In this run the steps came in another order; they may come in this:";
}

/* ---- What follows, and what limits it ---- */

char *st_closed_sentence(const char *text) {
    struct st_text_buffer buffer;
    size_t length = strlen(text);
    FILE *file = st_text_buffer_open(&buffer);
    bool small = *text >= 'a' && *text <= 'z';
    if (small)
        fputc(*text - 'a' + 'A', file);
    fputs(text + small, file);
    if (length && !strchr(".:", text[length - 1]))
        fputc('.', file);
    return st_text_buffer_close(&buffer);
}

/* Where atomic is a matter of what reads see, conflicts alone prove nothing. */
static char *make_conclusion(const struct st_report *report, const struct st_violation *violation,
                             bool any_reads) {
    if (!violation->path_length)
        return NULL;
    if (any_reads)
        return st_strdup("No serial order lets every read see the same write and leaves the same "
                         "last writes.");
    return st_conclusion_text(report, violation);
}

/* A signal is marked as atomic: other channels are those of locks. */
static const char *node_words(const struct st_event *event) {
    if (event->op == ST_READ)
        return "the read of ";
    if (event->op == ST_WRITE)
        return "the write of ";
    if (event->op == ST_SEND && event->atomic)
        return "the signal on ";
    return event->op == ST_RECEIVE && event->atomic ? "the wait for " : "the critical section on ";
}

static void put_node(FILE *file, const struct st_report *report, const struct st_place *node) {
    const struct st_event *event = &node->event;
    char buffer[ST_LOCATION_SIZE];
    if (event->op == ST_BEGIN) {
        fputs("the block as a whole", file);
        return;
    }
    fputs(node_words(event), file);
    fputs(st_target_name(report->symbols, event->op, event->target), file);
    if (*st_user_location(report->symbols, report->details, event->loc, buffer))
        fputc(' ', file);
    st_put_where(file, report, event->loc);
}

static void put_nodes(FILE *file, const struct st_report *report,
                      const struct st_predicted_block *block) {
    for (size_t i = 0; i < block->node_count; i++) {
        fputs(i ? st_list_link(i, block->node_count) : "Its commit nodes are ", file);
        put_node(file, report, &block->nodes[i]);
    }
    fputs(block->node_count ? "." : "", file);
}

/* What the analysis says: the reason may speak of the nodes. */
static char *make_explanation(const struct st_report *report,
                              const struct st_predicted_block *block) {
    struct st_text_buffer buffer;
    if (!block->node_count && !block->why)
        return NULL;
    FILE *file = st_text_buffer_open(&buffer);
    put_nodes(file, report, block);
    if (block->why) {
        char *why = st_closed_sentence(block->why);
        fprintf(file, "%s%s", block->node_count ? " " : "", why);
        free(why);
    }
    return st_text_buffer_close(&buffer);
}

/* "The same cuts the blocks around it: handle, serve." */
static void note_around(struct st_story_builder *b, const struct st_predicted_block *block) {
    struct st_text_buffer buffer;
    if (!block->around_count)
        return;
    FILE *file = st_text_buffer_open(&buffer);
    fprintf(file, "The same %s the block%s around it: ",
            b->story.kind == ST_STORY_PREDICTED ? "cuts" : "may cut",
            block->around_count > 1 ? "s" : "");
    st_put_blocks(file, b->report, block->around, block->around_count);
    st_add_note(&b->story, st_text_buffer_close(&buffer));
}

static void add_notes(struct st_story_builder *b, const struct st_predicted_block *block,
                      bool any_reads) {
    note_around(b, block);
    if (block->events_of)
        st_add_note(&b->story,
                    st_sentence(b->report,
                                "But for its begin, the steps of %t are those of the equal block "
                                "that begins with event %n.",
                                block->thread, block->events_of));
    if (block->witness_length && any_reads)
        st_add_note(&b->story, st_strdup("Not all events of the interleaving are listed: as a rule "
                                         "only synchronisation, initial reads and final writes."));
    if (b->story.count > 1)
        st_add_note(&b->story,
                    st_sentence(b->report,
                                "The same holds for %n blocks that begin in the same place.",
                                (uint64_t)b->story.count));
}

/* ---- A block ---- */

struct st_story st_predicted_story(const struct st_report *report,
                                   const struct st_prediction *prediction,
                                   const struct st_predicted_group *group) {
    const struct st_predicted_block *block = group->block;
    bool any_reads = st_prediction_any_reads(prediction);
    struct st_violation violation = st_predicted_violation(block);
    struct st_story_builder b = {.report = report,
                                 .home = block->thread,
                                 .predicted = true,
                                 .story = {.kind = block->verdict == ST_BLOCK_VIOLATION
                                                       ? ST_STORY_PREDICTED
                                                       : ST_STORY_POTENTIAL,
                                           .count = group->count}};
    size_t count;
    struct st_place *steps = st_predicted_steps(block, &count);
    set_headline(&b, block, &violation, any_reads);
    if (group->row)
        b.story.frequency = st_frequency_text(report, "reported", group->row);
    b.story.introduction = st_strdup(introduction(&b, &violation, steps, count, any_reads));
    add_steps(&b, block, &violation, steps, count);
    b.story.explanation = make_explanation(report, block);
    b.story.conclusion = make_conclusion(report, &violation, any_reads);
    b.story.hint = st_hint_text(report, &violation);
    b.story.suppression = st_suppression_line(report, &violation);
    add_notes(&b, block, any_reads);
    st_build_schedule(&b, block);
    free(steps);
    free(violation.path);
    return b.story;
}

/* ---- A race ---- */

static void set_race_headline(struct st_story_builder *b, const struct st_predicted_race *race) {
    const char *name = st_target_name(b->report->symbols, ST_READ, race->variable);
    char *alarm =
        race->suspected
            ? st_sentence(b->report, "The locks held at accesses to %s do not all agree", name)
            : st_sentence(b->report, "%T and %T may access %s at the same time",
                          race->first.event.thread, race->second.event.thread, name);
    b->story.alarm = strlen(alarm);
    b->story.headline = st_sentence(
        b->report, race->suspected ? "%s (suspected data race)" : "%s (data race)", alarm);
    free(alarm);
}

struct st_story st_race_story(const struct st_report *report, const struct st_predicted_race *race,
                              size_t count) {
    struct st_story_builder b = {.report = report,
                                 .home = ST_NO_NAME,
                                 .predicted = true,
                                 .story = {.kind = ST_STORY_RACE, .count = count}};
    set_race_headline(&b, race);
    st_add_step(&b, &race->first, "", "");
    st_add_step(&b, &race->second, "", "");
    b.story.conclusion = st_strdup(
        race->suspected
            ? "These are two of them; they need not be the ones that race."
            : "Neither a lock nor any other synchronisation keeps the two accesses apart.");
    if (count > 1)
        st_add_note(&b.story,
                    st_sentence(report,
                                "The same holds for %n pairs of accesses in the same place.",
                                (uint64_t)count));
    return b.story;
}

/* ---- A deadlock ---- */

static void set_deadlock_headline(struct st_story_builder *b,
                                  const struct st_predicted_deadlock *deadlock) {
    size_t named = deadlock->count > NAMED_THREADS ? NAMED_THREADS : deadlock->count;
    struct st_text_buffer buffer;
    FILE *file = st_text_buffer_open(&buffer);
    for (size_t i = 0; i < named; i++) {
        fputs(st_list_link(i, deadlock->count), file);
        st_put_sentence(file, b->report, "%T", deadlock->waits[i].holds.event.thread);
    }
    if (named < deadlock->count)
        fputs(" and others", file);
    fputs(" may wait for each other for ever", file);
    b->story.alarm = (size_t)ftell(file);
    fputs(" (deadlock potential)", file);
    b->story.headline = st_text_buffer_close(&buffer);
}

struct st_story st_deadlock_story(const struct st_report *report,
                                  const struct st_predicted_deadlock *deadlock) {
    struct st_story_builder b = {.report = report,
                                 .home = ST_NO_NAME,
                                 .predicted = true,
                                 .story = {.kind = ST_STORY_DEADLOCK, .count = 1}};
    set_deadlock_headline(&b, deadlock);
    for (size_t i = 0; i < deadlock->count; i++) /* all have a lock before anyone waits */
        st_add_step(&b, &deadlock->waits[i].holds, "", "")->follows = st_strdup("and holds it");
    for (size_t i = 0; i < deadlock->count; i++) {
        const struct st_predicted_wait *next = &deadlock->waits[(i + 1) % deadlock->count];
        st_add_step(&b, &deadlock->waits[i].wants, "", "")->follows =
            st_sentence(report, "waits for it while %t holds it", next->holds.event.thread);
    }
    b.story.conclusion = st_strdup("Each holds a lock that another one wants, and nothing keeps "
                                   "them from doing so at the same time.");
    return b.story;
}
