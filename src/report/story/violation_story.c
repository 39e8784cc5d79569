/* What happened: a block that was cut, one that is blamed, a cycle, a mere verdict. */
#include "report/story/builder.h"

#include "base/memory.h"
#include "report/triage/finding_groups.h"
#include "report/triage/suppressions.h"

#include <stdlib.h>

/* Of a longer path or cycle, so many dependences are steps at its start and at its end. */
enum { FIRST_SHOWN = 4, LAST_SHOWN = 4 };

/* So many threads or blocks are named in one sentence. */
enum { NAMED_THREADS = 3 };

/* The dependences with these numbers are left out: [from, to). */
struct gap {
    size_t from, to;
};

/* A gap that would save a line or two is none. */
static struct gap find_gap(size_t length) {
    if (length <= FIRST_SHOWN + LAST_SHOWN + 2)
        return (struct gap){length, length};
    return (struct gap){FIRST_SHOWN, length - LAST_SHOWN};
}

static void add_gap(struct st_story_builder *b, struct gap gap) {
    st_add_gap(&b->story.steps,
               st_sentence(b->report, "%n more dependences", (uint64_t)(gap.to - gap.from)));
}

/* What the order of a conflict is worth. Where the trace is no recording its order is given, and
 * there is nothing to doubt. */
static char *make_race_mark(const struct st_report *report, const struct st_edge *edge) {
    if (edge->race != ST_RACE_FOUND || !report->details)
        return NULL;
    return st_strdup("a data race: nothing orders the two");
}

/* ---- The steps of a violation ---- */

/* "began transfer", "and ended it with event 32" */
static void add_begin(struct st_story_builder *b, const struct st_violation *violation) {
    struct st_place place = st_begin_place(violation);
    struct st_story_step *step = st_add_step(b, &place, "", "");
    step->follows = violation->end
                        ? st_sentence(b->report, "and ended it with event %n", violation->end)
                        : st_strdup("and its end was not seen");
}

/* `arrives` is the dependence that leads to this step and `leaves` that which starts with it, or
 * NULL: they speak of the thread's start and end, which are no events. */
static struct st_story_step *add_step(struct st_story_builder *b, const struct st_place *place,
                                      const struct st_edge *arrives, const struct st_edge *leaves) {
    bool ends = leaves && leaves->kind == ST_EDGE_JOIN;
    bool starts = arrives && arrives->kind == ST_EDGE_FORK;
    return st_add_step(b, place,
                       !starts ? ""
                       : ends  ? "started, "
                               : "started, then ",
                       ends ? ", then ended" : "");
}

char *st_arrival_text(const struct st_report *report, const struct st_violation *violation,
                      size_t i) {
    const struct st_edge *edge = &violation->path[i];
    uint32_t from = edge->from.event.thread, to = edge->to.event.thread;
    if (i + 1 == violation->path_length)
        return st_sentence(report, "still in the block, so %b comes after %t", violation->block,
                           from);
    if (i == 0)
        return st_sentence(report, "so %t comes after %b", to, violation->block);
    return st_sentence(report, "so %t comes after %t", to, from);
}

/* The number alone does not say: a deferred access has that of an earlier event of its thread. */
static bool are_same(const struct st_place *one, const struct st_place *other) {
    const struct st_event *a = &one->event, *b = &other->event;
    return one->number == other->number && a->written == b->written && a->target == b->target &&
           a->loc == b->loc;
}

/* Both ends of a dependence. Where it starts with the event that the last one led to, or with the
 * begin, that step is there already. */
static void add_dependence(struct st_story_builder *b, const struct st_violation *violation,
                           size_t i, bool after_gap) {
    const struct st_edge *edge = &violation->path[i];
    const struct st_edge *next = i + 1 < violation->path_length ? edge + 1 : NULL;
    struct st_place begin = st_begin_place(violation);
    const struct st_place *shown = i == 0 ? &begin : after_gap ? NULL : &edge[-1].to;
    if (!shown || !are_same(&edge->from, shown))
        add_step(b, &edge->from, NULL, edge);
    struct st_story_step *step =
        add_step(b, &edge->to, edge, next && are_same(&next->from, &edge->to) ? next : NULL);
    step->follows = st_arrival_text(b->report, violation, i);
    step->race = make_race_mark(b->report, edge);
}

static void add_path(struct st_story_builder *b, const struct st_violation *violation) {
    struct gap gap = find_gap(violation->path_length);
    for (size_t i = 0; i < violation->path_length; i++) {
        if (i == gap.from) {
            add_gap(b, gap);
            i = gap.to;
        }
        add_dependence(b, violation, i, i == gap.to);
    }
}

/* What is known where there is no path: who came last before the block went on, and with what. */
static void add_closing(struct st_story_builder *b, const struct st_violation *violation) {
    const struct st_edge *closing = &violation->closing;
    uint32_t thread = closing->from.event.thread, block = violation->block;
    struct st_story_step *step = closing->from.number ? add_step(b, &closing->from, NULL, closing)
                                                      : st_add_remark(b, thread, "did something");
    step->follows =
        st_sentence(b->report, "after a step of the block, so %t comes after %b", thread, block);
    step = add_step(b, &violation->event, NULL, NULL);
    step->follows =
        st_sentence(b->report, "still in the block, so %b comes after %t", block, thread);
    step->race = make_race_mark(b->report, closing);
}

static void add_mere_event(struct st_story_builder *b, const struct st_violation *violation) {
    struct st_story_step *step = add_step(b, &violation->event, NULL, NULL);
    step->follows = st_strdup("still in the block, but after work that came after it");
}

static void add_violation_steps(struct st_story_builder *b, const struct st_violation *violation) {
    add_begin(b, violation);
    if (violation->path_length)
        add_path(b, violation);
    else if (violation->closing.to.number)
        add_closing(b, violation);
    else
        add_mere_event(b, violation);
}

/* The engine blames whatever closes a cycle, so there is not much to say. */
static void add_blamed_steps(struct st_story_builder *b, const struct st_violation *violation) {
    add_begin(b, violation);
    add_step(b, &violation->event, NULL, NULL)->follows = st_strdup("which closed the cycle");
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

void st_put_others(FILE *file, const struct st_report *report,
                   const struct st_violation *violation) {
    uint32_t others[NAMED_THREADS + 1];
    size_t count = find_others(violation, others);
    if (count == 0)
        fputs("another thread", file);
    for (size_t i = 0; i < count; i++)
        fprintf(file, "%s%s", st_list_link(i, count),
                i == NAMED_THREADS ? "others" : st_name(&report->symbols->threads, others[i]));
}

/* With several threads it was the first of them that came after the block, and the last that came
 * before it. */
char *st_conclusion_text(const struct st_report *report, const struct st_violation *violation) {
    const struct st_edge *closing = &violation->closing;
    uint32_t block = violation->block, last = closing->from.event.thread;
    uint32_t first = violation->path_length ? violation->path[0].to.event.thread : last;
    if (!closing->to.number)
        return st_sentence(report, "No serial order has that work both after and before %b.",
                           block);
    if (first == last)
        return st_sentence(report, "No serial order has %t's work both after and before %b.", last,
                           block);
    return st_sentence(report,
                       "No serial order has %b both before %t and after %t, which comes after %t.",
                       block, first, last, first);
}

/* ---- A violation ---- */

static bool is_blamed(const struct st_findings *findings, const struct st_violation *violation) {
    return findings->blames_closers && !violation->path_length;
}

/* "transfer was not atomic in thread T1: T2 came in between" */
static void set_headline(struct st_story_builder *b, const struct st_violation *violation) {
    bool blamed = b->story.kind == ST_STORY_BLAMED;
    struct st_text_buffer buffer;
    FILE *file = st_text_buffer_open(&buffer);
    st_put_subject(file, b->report, violation->block);
    fputs(blamed ? " closed a cycle of transactions" : " was not atomic", file);
    b->story.alarm = (size_t)ftell(file);
    st_put_sentence(file, b->report, " in thread %T", violation->thread);
    if (!blamed) {
        fputs(": ", file);
        st_put_others(file, b->report, violation);
        fputs(" came in between", file);
    }
    b->story.headline = st_text_buffer_close(&buffer);
}

/* "The blocks around it were cut by the same: handle, serve." */
static void note_around(struct st_story_builder *b, const struct st_violation_group *group) {
    struct st_text_buffer buffer;
    if (group->around_count == 0)
        return;
    FILE *file = st_text_buffer_open(&buffer);
    fputs(group->around_count == 1 ? "The block around it was cut by the same: "
                                   : "The blocks around it were cut by the same: ",
          file);
    st_put_blocks(file, b->report, group->around, group->around_count);
    st_add_note(&b->story, st_text_buffer_close(&buffer));
}

/* "In process 4711 of server, and in 2 other processes." */
static void note_processes(struct st_story_builder *b, const struct st_violation_group *group) {
    const struct st_violation *violation = group->violation;
    size_t others = group->process_count ? group->process_count - 1 : 0;
    const char *program = violation->program ? violation->program : b->report->trace;
    if (!violation->process)
        return;
    struct st_text_buffer buffer;
    FILE *file = st_text_buffer_open(&buffer);
    st_put_sentence(file, b->report, "In process %n of %s", violation->process,
                    st_program_name(program));
    if (others)
        st_put_sentence(file, b->report, ", and in %n other process%s", (uint64_t)others,
                        others == 1 ? "" : "es");
    fputc('.', file);
    st_add_note(&b->story, st_text_buffer_close(&buffer));
}

/* Where only some of the violations of the block are kept, the others may have been the same. */
static void note_repeats(struct st_story_builder *b, const struct st_findings *findings,
                         const struct st_violation_group *group) {
    bool all_kept = !st_findings_unkept(findings, group->violation->block);
    uint64_t count = group->count;
    if (count > 1)
        st_add_note(&b->story,
                    st_sentence(b->report, "The same happened %s%n times in the same place.",
                                all_kept ? "" : "at least ", count));
}

/* When reading stopped, the trace was counted further than the engine went. */
static bool has_counts(const struct st_report *report, const struct st_block_row *row) {
    return row && row->executed && !report->stopped && !report->hunt;
}

struct st_story st_violation_story(const struct st_report *report, const struct st_result *result,
                                   const struct st_violation_group *group) {
    const struct st_violation *violation = group->violation;
    bool blamed = is_blamed(result->findings, violation);
    struct st_story_builder b = {
        .report = report,
        .home = violation->thread,
        .story = {.kind = blamed ? ST_STORY_BLAMED : ST_STORY_VIOLATION, .count = group->count}};
    set_headline(&b, violation);
    if (has_counts(report, group->row))
        b.story.frequency = st_frequency_text(report, blamed ? "blamed" : "cut", group->row);
    if (blamed) {
        add_blamed_steps(&b, violation);
        b.story.conclusion = st_sentence(
            report, "This engine does not say whether %b itself was cut.", violation->block);
    } else {
        add_violation_steps(&b, violation);
        b.story.conclusion = st_conclusion_text(report, violation);
        b.story.hint = st_hint_text(report, violation);
    }
    b.story.suppression = st_suppression_line(report, violation);
    if (violation->observation)
        st_add_observation(&b.story, report, violation->observation);
    note_around(&b, group);
    if (!violation->observation)
        note_repeats(&b, result->findings, group);
    note_processes(&b, group);
    return b.story;
}

/* ---- A cycle ---- */

/* "put in T1", "event 5 of T1"; mere "T1" where the transaction is not known. */
static void put_transaction(FILE *file, const struct st_report *report,
                            const struct st_transaction *transaction, uint32_t thread) {
    if (!transaction->first)
        st_put_sentence(file, report, "%t", thread);
    else if (transaction->unary)
        st_put_sentence(file, report, "event %n of %t", transaction->first, thread);
    else if (transaction->block == ST_NO_NAME)
        st_put_sentence(file, report, "a block in %t", thread);
    else
        st_put_sentence(file, report, "%b in %t", transaction->block, thread);
}

/* "so get in T2 comes after put in T1" */
static char *make_order(const struct st_report *report, const char *link,
                        const struct st_transaction *later, uint32_t later_thread,
                        const struct st_transaction *earlier, uint32_t earlier_thread) {
    struct st_text_buffer buffer;
    FILE *file = st_text_buffer_open(&buffer);
    fputs(link, file);
    put_transaction(file, report, later, later_thread);
    fputs(" comes after ", file);
    put_transaction(file, report, earlier, earlier_thread);
    return st_text_buffer_close(&buffer);
}

static bool are_different(const struct st_transaction *one, const struct st_transaction *other) {
    return one->first && other->first && one->first != other->first;
}

/* Both ends of dependence number i. The first one follows the last: it is a cycle, which may come
 * to a thread in one transaction and leave it in a later one. */
static void add_cycle_edge(struct st_story_builder *b, const struct st_findings *findings,
                           size_t i) {
    static const struct st_ends unknown;
    const struct st_ends *all = findings->cycle_ends, *ends = all ? &all[i] : &unknown;
    const struct st_ends *last = all ? &all[i ? i - 1 : findings->cycle_length - 1] : &unknown;
    const struct st_edge *edge = &findings->cycle[i];
    uint32_t from = edge->from.event.thread, to = edge->to.event.thread;
    struct st_story_step *step =
        st_add_step(b, &edge->from, "", edge->kind == ST_EDGE_JOIN ? ", then ended" : "");
    if (are_different(&last->to, &ends->from))
        step->follows = make_order(b->report, "and ", &ends->from, from, &last->to, from);
    step = st_add_step(b, &edge->to, edge->kind == ST_EDGE_FORK ? "started, then " : "", "");
    step->follows = make_order(b->report, "so ", &ends->to, to, &ends->from, from);
    step->race = make_race_mark(b->report, edge);
}

static void add_cycle_steps(struct st_story_builder *b, const struct st_findings *findings) {
    struct gap gap = find_gap(findings->cycle_length);
    for (size_t i = 0; i < findings->cycle_length; i++) {
        if (i == gap.from) {
            add_gap(b, gap);
            i = gap.to;
        }
        add_cycle_edge(b, findings, i);
    }
}

struct st_story st_cycle_story(const struct st_report *report, const struct st_result *result) {
    const struct st_findings *findings = result->findings;
    static const char alarm[] = "No serial order explains the trace";
    struct st_story_builder b = {
        .report = report,
        .home = ST_NO_NAME,
        .story = {.kind = findings->names_blocks ? ST_STORY_CYCLE : ST_STORY_VERDICT,
                  .count = 1,
                  .alarm = sizeof alarm - 1}};
    b.story.headline = findings->names_blocks
                           ? st_sentence(report, "%s, although no single block was cut", alarm)
                           : st_strdup(alarm);
    if (findings->first_bad_event && (findings->names_blocks || findings->cycle_length))
        b.story.introduction =
            st_sentence(report, "With event %n its transactions wait for each other in a cycle.",
                        findings->first_bad_event);
    add_cycle_steps(&b, findings);
    if (!findings->names_blocks)
        b.story.conclusion = st_strdup("This engine does not say which blocks were cut.");
    if (report->hunt && report->hunt->cycle)
        st_add_observation(&b.story, report, report->hunt->cycle);
    return b.story;
}
