#include "report/story.h"

#include "report/columns.h"

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

/* ---- The steps of a violation, in columns ---- */

/* A violation that is being told. Columns: event, thread, what it did, where, what follows. */
struct telling {
    const struct st_text *text;
    const struct st_violation *violation;
    struct st_columns columns;
};

static struct st_text next_cell(struct telling *t) {
    struct st_text cell = *t->text;
    cell.file = st_columns_cell(&t->columns);
    return cell;
}

/* "event 15  teller"; 0 where the event is not known. */
static void put_who(struct telling *t, uint64_t event, uint32_t thread) {
    struct st_text cell = next_cell(t);
    if (event)
        st_say(&cell, "event %n", event);
    cell = next_cell(t);
    st_put_thread(&cell, thread);
}

static void put_where(struct telling *t, uint64_t loc) {
    struct st_text cell = next_cell(t);
    st_put_location(&cell, loc);
}

/* "event 15  teller  began transfer  at bank.c:21  and ended it with event 32" */
static void put_begin(struct telling *t) {
    const struct st_violation *violation = t->violation;
    put_who(t, violation->begin, violation->thread);
    struct st_text cell = next_cell(t);
    st_put_deed(&cell, &(struct st_event){.written = ST_BEGIN, .target = violation->block});
    put_where(t, violation->begin_loc);
    cell = next_cell(t);
    if (violation->end)
        st_say(&cell, "and ended it with event %n", violation->end);
    else
        st_say(&cell, "and its end was not seen");
}

/* All but the last column. `arrives` is the dependence that leads to this step and `leaves` that
 * which starts with it, or NULL: they tell of the thread's start and end, which are no events. */
static void put_step(struct telling *t, const struct st_place *place, const struct st_edge *arrives,
                     const struct st_edge *leaves) {
    put_who(t, place->number, place->event.thread);
    struct st_text cell = next_cell(t);
    bool ends = leaves && leaves->kind == ST_EDGE_JOIN;
    if (arrives && arrives->kind == ST_EDGE_FORK)
        fputs(ends ? "started, " : "started, then ", cell.file);
    st_put_deed(&cell, &place->event);
    fputs(ends ? ", then ended" : "", cell.file);
    put_where(t, place->event.loc);
}

/* What the arrival at the end of the dependence number i means. */
static void put_arrival(struct telling *t, size_t i) {
    const struct st_edge *edge = &t->violation->path[i];
    uint32_t from = edge->from.event.thread, to = edge->to.event.thread;
    struct st_text cell = next_cell(t);
    if (i + 1 == t->violation->path_length)
        st_say(&cell, "still in the block, so %b comes after %t", t->violation->block, from);
    else if (i == 0)
        st_say(&cell, "so %t comes after %b", to, t->violation->block);
    else
        st_say(&cell, "so %t comes after %t", to, from);
}

/* Both ends of a dependence. Where it starts with the event that the last one led to, or with the
 * begin, that was told already. */
static void put_dependence(struct telling *t, size_t i, bool after_gap) {
    const struct st_violation *violation = t->violation;
    const struct st_edge *edge = &violation->path[i];
    const struct st_edge *next = i + 1 < violation->path_length ? edge + 1 : NULL;
    uint64_t told = i == 0 ? violation->begin : after_gap ? 0 : edge[-1].to.number;
    if (edge->from.number != told) {
        put_step(t, &edge->from, NULL, edge);
        next_cell(t);
    }
    put_step(t, &edge->to, edge, next && next->from.number == edge->to.number ? next : NULL);
    put_arrival(t, i);
}

static void put_gap(struct telling *t, size_t count) {
    fputs("...", next_cell(t).file);
    next_cell(t);
    fprintf(next_cell(t).file, "%zu more dependences", count);
    next_cell(t);
    fputs("--format json lists them", next_cell(t).file);
}

static void put_path(struct telling *t) {
    struct gap gap = find_gap(t->violation->path_length);
    for (size_t i = 0; i < t->violation->path_length; i++) {
        if (i == gap.from) {
            put_gap(t, gap.to - gap.from);
            i = gap.to;
        }
        put_dependence(t, i, i == gap.to);
    }
}

/* What is known where there is no path: who came last before the block went on, and with what. */
static void put_closing(struct telling *t) {
    const struct st_edge *closing = &t->violation->closing;
    uint32_t thread = closing->from.event.thread;
    if (closing->from.number) {
        put_step(t, &closing->from, NULL, closing);
    } else {
        put_who(t, 0, thread);
        fputs("did something", next_cell(t).file);
        next_cell(t);
    }
    struct st_text cell = next_cell(t);
    st_say(&cell, "after a step of the block, so %t comes after %b", thread, t->violation->block);
    put_step(t, &t->violation->event, NULL, NULL);
    cell = next_cell(t);
    st_say(&cell, "still in the block, so %b comes after %t", t->violation->block, thread);
}

static void put_mere_event(struct telling *t) {
    put_step(t, &t->violation->event, NULL, NULL);
    fputs("still in the block, but after work that came after it", next_cell(t).file);
}

static void put_steps(const struct st_text *text, const struct st_violation *violation) {
    struct telling t = {.text = text, .violation = violation, .columns = {.count = 5}};
    put_begin(&t);
    if (violation->path_length)
        put_path(&t);
    else if (violation->closing.to.number)
        put_closing(&t);
    else
        put_mere_event(&t);
    st_columns_print(&t.columns, "  ", text->file);
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

/* "T2", "T2 and T3", "T2, T3, T4 and others" */
static void put_others(const struct st_text *text, const struct st_violation *violation) {
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
static void put_conclusion(const struct st_text *text, const struct st_violation *violation) {
    const struct st_edge *closing = &violation->closing;
    uint32_t block = violation->block, last = closing->from.event.thread;
    uint32_t first = violation->path_length ? violation->path[0].to.event.thread : last;
    if (!closing->to.number)
        st_say(text, "  No serial order has that work both after and before %b.\n", block);
    else if (first == last)
        st_say(text, "  No serial order has %t's work both after and before %b.\n", last, block);
    else
        st_say(text,
               "  No serial order has %b both before %t and after %t, which comes after %t.\n",
               block, first, last, first);
}

/* ---- A violation ---- */

/* How often blocks of this name were cut. */
static void put_share(const struct st_text *text, const char *cut, const struct st_block_row *row) {
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

static void put_subject(const struct st_text *text, const struct st_violation *violation) {
    if (violation->block == ST_NO_NAME)
        fputs("A block without a name", text->file);
    else
        st_put_block(text, violation->block);
}

/* "The blocks around it were cut by the same: handle, serve." */
static void put_around(const struct st_text *text, const struct st_paragraph *paragraph) {
    if (paragraph->around_count == 0)
        return;
    fputs(paragraph->around_count == 1 ? "  The block around it was cut by the same: "
                                       : "  The blocks around it were cut by the same: ",
          text->file);
    for (size_t i = 0; i < paragraph->around_count && i < NAMED_BLOCKS; i++) {
        fputs(i ? ", " : "", text->file);
        if (paragraph->around[i] == ST_NO_NAME)
            fputs("one without a name", text->file);
        else
            st_put_block(text, paragraph->around[i]);
    }
    if (paragraph->around_count > NAMED_BLOCKS)
        fprintf(text->file, " and %zu more", paragraph->around_count - NAMED_BLOCKS);
    fputs(".\n", text->file);
}

/* The engine blames whatever closes a cycle, so there is not much to say. */
static void put_closer(const struct st_text *text, const struct st_violation *violation) {
    struct telling t = {.text = text, .violation = violation, .columns = {.count = 5}};
    put_begin(&t);
    put_step(&t, &violation->event, NULL, NULL);
    fputs("which closed the cycle", next_cell(&t).file);
    st_columns_print(&t.columns, "  ", text->file);
    st_say(text, "  Whether %b itself was cut, this engine does not tell.\n", violation->block);
}

static void put_headline(const struct st_text *text, bool closer,
                         const struct st_violation *violation, const struct st_block_row *row) {
    st_put_paint(text, ST_RED);
    put_subject(text, violation);
    fputs(closer ? " closed a cycle of transactions" : " was not atomic", text->file);
    st_put_paint(text, ST_PLAIN);
    st_say(text, " in thread %t", violation->thread);
    if (!closer) {
        fputs(": ", text->file);
        put_others(text, violation);
        fputs(" came in between", text->file);
    }
    if (row)
        put_share(text, closer ? "blamed" : "cut", row);
    fputs(".\n", text->file);
}

void st_put_violation(const struct st_text *text, const struct st_findings *findings,
                      const struct st_paragraph *paragraph, const struct st_block_row *row) {
    const struct st_violation *violation = paragraph->violation;
    bool closer = findings->blames_closers && !violation->path_length;
    put_headline(text, closer, violation, row);
    if (closer) {
        put_closer(text, violation);
    } else {
        put_steps(text, violation);
        put_conclusion(text, violation);
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

/* "  get in T2 comes after put in T1" */
static void put_order(const struct st_text *text, const struct st_transaction *later,
                      uint32_t later_thread, const struct st_transaction *earlier,
                      uint32_t earlier_thread) {
    fputs("  ", text->file);
    put_transaction(text, later, later_thread);
    fputs(" comes after ", text->file);
    put_transaction(text, earlier, earlier_thread);
}

/* "get in T2 comes after put in T1: T1 wrote x at a.c:3 (event 3), then T2 read x (event 6)." */
static void put_waiting(const struct st_text *text, const struct st_edge *edge,
                        const struct st_ends *ends) {
    put_order(text, &ends->to, edge->to.event.thread, &ends->from, edge->from.event.thread);
    fputs(": ", text->file);
    st_put_place(text, &edge->from);
    fputs(", then ", text->file);
    st_put_place(text, &edge->to);
    fputs(".\n", text->file);
}

/* The cycle may come to a thread in one transaction and leave it in a later one. */
static void put_program_order(const struct st_text *text, const struct st_transaction *earlier,
                              const struct st_transaction *later, uint32_t thread) {
    if (!earlier->first || !later->first || earlier->first == later->first)
        return;
    put_order(text, later, thread, earlier, thread);
    fputs(", which the same thread did before.\n", text->file);
}

static void put_waitings(const struct st_text *text, const struct st_findings *findings) {
    static const struct st_ends unknown;
    struct gap gap = find_gap(findings->cycle_length);
    const struct st_ends *all = findings->cycle_ends;
    for (size_t i = 0; i < findings->cycle_length; i++) {
        if (i == gap.from) {
            fprintf(text->file, "  ... and so on: --format json lists %zu more ...\n",
                    gap.to - gap.from);
            i = gap.to;
        } else if (i && all) {
            put_program_order(text, &all[i - 1].to, &all[i].from,
                              findings->cycle[i].from.event.thread);
        }
        put_waiting(text, &findings->cycle[i], all ? &all[i] : &unknown);
    }
    size_t last = findings->cycle_length - 1;
    if (all)
        put_program_order(text, &all[last].to, &all[0].from, findings->cycle[0].from.event.thread);
}

void st_put_cycle(const struct st_text *text, const struct st_findings *findings) {
    st_put_paint(text, ST_RED);
    fputs("No serial order explains the trace", text->file);
    st_put_paint(text, ST_PLAIN);
    st_say(text,
           ", although no single block was cut:\n"
           "  with event %n its transactions wait for each other in a cycle.\n",
           findings->first_bad_event);
    if (findings->cycle_length)
        put_waitings(text, findings);
    fputc('\n', text->file);
}
