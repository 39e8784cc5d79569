#include "report/text/story_text.h"

#include "report/text_buffer.h"
#include "report/story/hint.h"
#include "report/text/sentences.h"
#include "report/text/steps.h"

#include <stdlib.h>

/* Of a longer path or cycle, so many dependences are told at its start and at its end. */
enum { TOLD_FIRST = 4, TOLD_LAST = 4 };

/* So many threads or blocks are named in one sentence. */
enum { NAMED_THREADS = 3, NAMED_BLOCKS = 8 };

/* The dependences with these numbers are left out: [from, to). */
struct gap {
    size_t from, to;
};

/* A gap that would save a line or two is none. */
static struct gap find_gap(size_t length) {
    if (length <= TOLD_FIRST + TOLD_LAST + 2)
        return (struct gap){length, length};
    return (struct gap){TOLD_FIRST, length - TOLD_LAST};
}

/* ---- The steps of a violation ---- */

/* A violation that is being told. */
struct telling {
    const struct st_violation *violation;
    struct st_steps steps;
};

static struct telling start_telling(const struct st_text *text,
                                    const struct st_violation *violation) {
    return (struct telling){violation, {.text = text, .home = violation->thread}};
}

/* What the order of a conflict is worth, behind what follows from it. Where the trace is no
 * recording its order is given, and there is nothing to doubt. */
static void put_race(const struct st_text *cell, const struct st_edge *edge) {
    if (edge->race == ST_RACE_FOUND && cell->details)
        fputs("; a data race: nothing orders the two", cell->file);
}

static void reason(struct telling *t, const char *sentence, uint32_t first, uint32_t second) {
    struct st_text cell = st_steps_reason(&t->steps);
    st_say(&cell, sentence, first, second);
    st_steps_conclude(&t->steps);
}

/* "event 15  teller  began transfer  and ended it with event 32" */
static void put_begin(struct telling *t) {
    const struct st_violation *violation = t->violation;
    struct st_place place = st_begin_place(violation);
    st_steps_add(&t->steps, &place, "", "");
    struct st_text cell = st_steps_reason(&t->steps);
    if (violation->end)
        st_say(&cell, "and ended it with event %n", violation->end);
    else
        st_say(&cell, "and its end was not seen");
    st_steps_conclude(&t->steps);
}

/* `arrives` is the dependence that leads to this step and `leaves` that which starts with it, or
 * NULL: they tell of the thread's start and end, which are no events. */
static void put_step(struct telling *t, const struct st_place *place, const struct st_edge *arrives,
                     const struct st_edge *leaves) {
    bool ends = leaves && leaves->kind == ST_EDGE_JOIN;
    bool starts = arrives && arrives->kind == ST_EDGE_FORK;
    st_steps_add(&t->steps, place,
                 !starts ? ""
                 : ends  ? "started, "
                         : "started, then ",
                 ends ? ", then ended" : "");
}

void st_say_arrival(const struct st_text *text, const struct st_violation *violation, size_t i) {
    const struct st_edge *edge = &violation->path[i];
    uint32_t from = edge->from.event.thread, to = edge->to.event.thread;
    if (i + 1 == violation->path_length)
        st_say(text, "still in the block, so %b comes after %t", violation->block, from);
    else if (i == 0)
        st_say(text, "so %t comes after %b", to, violation->block);
    else
        st_say(text, "so %t comes after %t", to, from);
}

static void put_arrival(struct telling *t, size_t i) {
    struct st_text cell = st_steps_reason(&t->steps);
    st_say_arrival(&cell, t->violation, i);
    put_race(&cell, &t->violation->path[i]);
    st_steps_conclude(&t->steps);
}

/* Both ends of a dependence. Where it starts with the event that the last one led to, or with the
 * begin, that was told already. */
static void put_dependence(struct telling *t, size_t i, bool after_gap) {
    const struct st_violation *violation = t->violation;
    const struct st_edge *edge = &violation->path[i];
    const struct st_edge *next = i + 1 < violation->path_length ? edge + 1 : NULL;
    uint64_t told = i == 0 ? violation->begin : after_gap ? 0 : edge[-1].to.number;
    if (edge->from.number != told)
        put_step(t, &edge->from, NULL, edge);
    put_step(t, &edge->to, edge, next && next->from.number == edge->to.number ? next : NULL);
    put_arrival(t, i);
}

static void put_gap(struct st_steps *steps, size_t count) {
    char deed[64];
    snprintf(deed, sizeof deed, "%zu more dependences", count);
    st_steps_remark(steps, "...", ST_NO_NAME, deed);
    struct st_text cell = st_steps_reason(steps);
    st_say(&cell, "--format json lists them");
    st_steps_conclude(steps);
}

static void put_path(struct telling *t) {
    struct gap gap = find_gap(t->violation->path_length);
    for (size_t i = 0; i < t->violation->path_length; i++) {
        if (i == gap.from) {
            put_gap(&t->steps, gap.to - gap.from);
            i = gap.to;
        }
        put_dependence(t, i, i == gap.to);
    }
}

/* What is known where there is no path: who came last before the block went on, and with what. */
static void put_closing(struct telling *t) {
    const struct st_edge *closing = &t->violation->closing;
    uint32_t thread = closing->from.event.thread, block = t->violation->block;
    if (closing->from.number)
        put_step(t, &closing->from, NULL, closing);
    else
        st_steps_remark(&t->steps, "", thread, "did something");
    reason(t, "after a step of the block, so %t comes after %b", thread, block);
    put_step(t, &t->violation->event, NULL, NULL);
    struct st_text cell = st_steps_reason(&t->steps);
    st_say(&cell, "still in the block, so %b comes after %t", block, thread);
    put_race(&cell, closing);
    st_steps_conclude(&t->steps);
}

static void put_mere_event(struct telling *t) {
    put_step(t, &t->violation->event, NULL, NULL);
    reason(t, "still in the block, but after work that came after it", 0, 0);
}

static void put_steps(const struct st_text *text, const struct st_violation *violation) {
    struct telling t = start_telling(text, violation);
    put_begin(&t);
    if (violation->path_length)
        put_path(&t);
    else if (violation->closing.to.number)
        put_closing(&t);
    else
        put_mere_event(&t);
    st_steps_print(&t.steps);
}

/* ---- Who came in between ---- */

/* The threads on the way, in its order and each once; one more than NAMED_THREADS stands for any
 * number. 0 when nobody is known. */
static size_t find_others(const struct st_violation *violation, uint32_t *others) {
    size_t count = 0;
    if (!violation->path_length && violation->closing.to.number)
        others[count++] = violation->closing.from.event.thread;
    for (size_t i = 0; i + 1 < violation->path_length && count <= NAMED_THREADS; i++) {
        size_t known = 0;
        while (known < count && others[known] != violation->path[i].to.event.thread)
            known++;
        if (known == count)
            others[count++] = violation->path[i].to.event.thread;
    }
    return count;
}

void st_say_others(const struct st_text *text, const struct st_violation *violation) {
    uint32_t others[NAMED_THREADS + 1];
    size_t count = find_others(violation, others);
    if (count == 0)
        fputs("another thread", text->file);
    for (size_t i = 0; i < count; i++) {
        fputs(i == 0 ? "" : i + 1 == count ? " and " : ", ", text->file);
        if (i == NAMED_THREADS)
            fputs("others", text->file);
        else
            st_put_thread(text, others[i]);
    }
}

/* With several threads it was the first of them that came after the block, and the last that came
 * before it. */
void st_put_conclusion(const struct st_text *text, const struct st_violation *violation) {
    const struct st_edge *closing = &violation->closing;
    uint32_t block = violation->block, last = closing->from.event.thread;
    uint32_t first = violation->path_length ? violation->path[0].to.event.thread : last;
    struct st_text_buffer buffer;
    struct st_text sentence = st_sentence_start(text, &buffer);
    if (!closing->to.number)
        st_say(&sentence, "No serial order has that work both after and before %b.", block);
    else if (first == last)
        st_say(&sentence, "No serial order has %t's work both after and before %b.", last, block);
    else
        st_say(&sentence,
               "No serial order has %b both before %t and after %t, which comes after %t.", block,
               first, last, first);
    st_sentence_end(text, &buffer);
}

void st_put_hint(const struct st_text *text, const struct st_violation *violation) {
    struct st_text_buffer buffer;
    struct st_text sentence = st_sentence_start(text, &buffer);
    st_put_paint(&sentence, ST_BOLD);
    fputs("Hint:", sentence.file);
    st_put_paint(&sentence, ST_PLAIN);
    fputc(' ', sentence.file);
    if (st_say_hint(&sentence, violation)) {
        fputc('.', sentence.file);
        st_sentence_end(text, &buffer);
    } else {
        free(st_text_buffer_close(&buffer));
    }
}

/* ---- A violation ---- */

void st_say_share(const struct st_text *text, const char *cut, const struct st_block_row *row) {
    if (row->block == ST_NO_NAME && row->executed > 1)
        st_say(text, " (%s: %n of %n blocks without a name)", cut, row->violated, row->executed);
    else if (row->block == ST_NO_NAME)
        return; /* there is nothing to compare it with */
    else if (row->executed == 1)
        st_say(text, " (%s in its only run)", cut);
    else if (row->violated == row->executed)
        st_say(text, " (%s in all of its %n runs)", cut, row->executed);
    else
        st_say(text, " (%s in %n of its %n runs)", cut, row->violated, row->executed);
}

void st_say_subject(const struct st_text *text, const struct st_violation *violation) {
    if (violation->block == ST_NO_NAME)
        fputs("A block without a name", text->file);
    else
        st_put_block(text, violation->block);
}

/* "The blocks around it were cut by the same: handle, serve." */
static void put_around(const struct st_text *text, const struct st_paragraph *paragraph) {
    if (paragraph->around_count == 0)
        return;
    struct st_text_buffer buffer;
    struct st_text sentence = st_sentence_start(text, &buffer);
    fputs(paragraph->around_count == 1 ? "The block around it was cut by the same: "
                                       : "The blocks around it were cut by the same: ",
          sentence.file);
    for (size_t i = 0; i < paragraph->around_count && i < NAMED_BLOCKS; i++) {
        fputs(i ? ", " : "", sentence.file);
        if (paragraph->around[i] == ST_NO_NAME)
            fputs("one without a name", sentence.file);
        else
            st_put_block(&sentence, paragraph->around[i]);
    }
    if (paragraph->around_count > NAMED_BLOCKS)
        fprintf(sentence.file, " and %zu more", paragraph->around_count - NAMED_BLOCKS);
    fputc('.', sentence.file);
    st_sentence_end(text, &buffer);
}

/* The engine blames whatever closes a cycle, so there is not much to say. */
static void put_closer(const struct st_text *text, const struct st_violation *violation) {
    struct telling t = start_telling(text, violation);
    put_begin(&t);
    put_step(&t, &violation->event, NULL, NULL);
    reason(&t, "which closed the cycle", 0, 0);
    st_steps_print(&t.steps);
    st_say(text, "  Whether %b itself was cut, this engine does not tell.\n", violation->block);
}

bool st_is_blamed(const struct st_findings *findings, const struct st_violation *violation) {
    return findings->blames_closers && !violation->path_length;
}

void st_say_violation(const struct st_text *text, const struct st_violation *violation,
                      bool blamed) {
    st_put_paint(text, ST_RED);
    st_say_subject(text, violation);
    fputs(blamed ? " closed a cycle of transactions" : " was not atomic", text->file);
    st_put_paint(text, ST_PLAIN);
    st_say(text, " in thread %t", violation->thread);
    if (blamed)
        return;
    fputs(": ", text->file);
    st_say_others(text, violation);
    fputs(" came in between", text->file);
}

static void put_headline(const struct st_text *text, bool blamed,
                         const struct st_violation *violation, const struct st_block_row *row) {
    struct st_text_buffer buffer;
    struct st_text sentence = st_sentence_start(text, &buffer);
    st_say_violation(&sentence, violation, blamed);
    if (row)
        st_say_share(&sentence, blamed ? "blamed" : "cut", row);
    fputc('.', sentence.file);
    st_headline_end(text, &buffer);
}

void st_put_violation(const struct st_text *text, const struct st_findings *findings,
                      const struct st_paragraph *paragraph, const struct st_block_row *row) {
    const struct st_violation *violation = paragraph->violation;
    bool blamed = st_is_blamed(findings, violation);
    put_headline(text, blamed, violation, row);
    if (blamed) {
        put_closer(text, violation);
    } else {
        put_steps(text, violation);
        st_put_conclusion(text, violation);
        st_put_hint(text, violation);
    }
    put_around(text, paragraph);
    if (paragraph->count > 1)
        fprintf(text->file, "  The same happened %zu times in the same place.\n", paragraph->count);
    fputc('\n', text->file);
}

/* ---- A cycle ---- */

/* "put in T1", "event 5 of T1"; mere "T1" where the transaction is not known. */
static void put_transaction(const struct st_text *text, const struct st_transaction *transaction,
                            uint32_t thread) {
    if (!transaction->first)
        st_say(text, "%t", thread);
    else if (transaction->unary)
        st_say(text, "event %n of %t", transaction->first, thread);
    else if (transaction->block == ST_NO_NAME)
        st_say(text, "a block in %t", thread);
    else
        st_say(text, "%b in %t", transaction->block, thread);
}

/* "so get in T2 comes after put in T1" */
static void put_order(struct st_steps *steps, const struct st_edge *edge,
                      const struct st_ends *ends) {
    struct st_text cell = st_steps_reason(steps);
    fputs("so ", cell.file);
    put_transaction(&cell, &ends->to, edge->to.event.thread);
    fputs(" comes after ", cell.file);
    put_transaction(&cell, &ends->from, edge->from.event.thread);
    put_race(&cell, edge);
    st_steps_conclude(steps);
}

/* The cycle may come to a thread in one transaction and leave it in a later one:
 * "and put in T1 comes after get in T1" */
static void put_program_order(struct st_steps *steps, const struct st_transaction *earlier,
                              const struct st_transaction *later, uint32_t thread) {
    if (!earlier->first || !later->first || earlier->first == later->first)
        return;
    struct st_text cell = st_steps_reason(steps);
    fputs("and ", cell.file);
    put_transaction(&cell, later, thread);
    fputs(" comes after ", cell.file);
    put_transaction(&cell, earlier, thread);
    st_steps_conclude(steps);
}

/* Both ends of dependence number i. The first one follows the last: it is a cycle. */
static void put_waiting(struct st_steps *steps, const struct st_findings *findings, size_t i) {
    static const struct st_ends unknown;
    const struct st_ends *all = findings->cycle_ends, *ends = all ? &all[i] : &unknown;
    const struct st_edge *edge = &findings->cycle[i];
    st_steps_add(steps, &edge->from, "", edge->kind == ST_EDGE_JOIN ? ", then ended" : "");
    if (all)
        put_program_order(steps, &all[i ? i - 1 : findings->cycle_length - 1].to, &ends->from,
                          edge->from.event.thread);
    st_steps_add(steps, &edge->to, edge->kind == ST_EDGE_FORK ? "started, then " : "", "");
    put_order(steps, edge, ends);
}

static void put_waitings(const struct st_text *text, const struct st_findings *findings) {
    struct st_steps steps = {.text = text, .home = ST_NO_NAME};
    struct gap gap = find_gap(findings->cycle_length);
    for (size_t i = 0; i < findings->cycle_length; i++) {
        if (i == gap.from) {
            put_gap(&steps, gap.to - gap.from);
            i = gap.to;
        }
        put_waiting(&steps, findings, i);
    }
    st_steps_print(&steps);
}

void st_put_cycle(const struct st_text *text, const struct st_findings *findings) {
    struct st_text_buffer buffer;
    struct st_text sentence = st_sentence_start(text, &buffer);
    st_put_paint(&sentence, ST_RED);
    fputs("No serial order explains the trace", sentence.file);
    st_put_paint(&sentence, ST_PLAIN);
    fputs(", although no single block was cut:", sentence.file);
    st_headline_end(text, &buffer);
    sentence = st_sentence_start(text, &buffer);
    st_say(&sentence, "with event %n its transactions wait for each other in a cycle.",
           findings->first_bad_event);
    st_sentence_end(text, &buffer);
    if (findings->cycle_length)
        put_waitings(text, findings);
    fputc('\n', text->file);
}
