/* What a finding says, as data: a headline, the steps, what follows from them and what limits it.
 *
 * A story is built once, here, from the facts of a finding. Printers (text, JSON, SARIF, the page)
 * lay it out and add no sentence of their own. Builders know nothing of terminals, columns, colour
 * or JSON.
 *
 * All texts are UTF-8 as far as the names of the trace are; a printer escapes what its medium must
 * not obey. NULL stands for what there is nothing to say about. In print:
 *
 *     HEADLINE (FREQUENCY).
 *       INTRODUCTION
 *       STEPS, one below the other
 *       EXPLANATION
 *       CONCLUSION
 *       Hint: HINT
 *       NOTES, a line each
 *       SCHEDULE: its title, and its steps
 *
 * As JSON, in the member "story" of each violation, reported block and race, in "story" of a result
 * that is not serializable although no block is named, and in "deadlock_stories", one for each of
 * "deadlocks":
 *
 *     {"kind": "violation",
 *      "count": 3,
 *      "headline": "transfer was not atomic in thread T1: T2 came in between",
 *      "frequency": "cut in 1 of its 5 runs",
 *      "introduction": null,
 *      "steps": [{"event": 28,
 *                 "thread": "T1",
 *                 "action": "released lock checking.lock",
 *                 "loc": "bank.c:25", "function": "withdraw",
 *                 "holding": "holding no lock",
 *                 "follows": "so T2 comes after transfer",
 *                 "race": "a data race: nothing orders the two"},
 *                {"gap": "4 more dependences"}],
 *      "explanation": null,
 *      "conclusion": "No serial order has T2's work both after and before transfer.",
 *      "hint": "transfer let go of ...",
 *      "notes": ["The block around it was cut by the same: handle."],
 *      "schedule": null}
 *
 * A failure that a hunt has seen has its "course", too: steps that lanes are drawn from, from the
 * first thread that was stopped to where each thread was in the end. Its introduction and its steps
 * say the same, so that text and SARIF leave the course out.
 *
 * - "kind" is the name of an st_story_kind.
 * - "count" is the number of findings that this one stands for, itself included. With 0 another
 *   finding stands for it, and text and SARIF print only that one.
 * - "headline" has no full stop, and "frequency" goes in parentheses behind it.
 * - "frequency", "introduction" (a sentence before the steps), "explanation" (what the analysis
 *   says), "conclusion", "hint" and "schedule" are null where there is nothing to say. A schedule
 *   is {"title": ..., "steps": [...]}.
 * - Of a step, "event" is null and "loc" and "function" are "" where they are not known; "holding",
 *   "follows" and "race" are left out where there is nothing to say.
 *
 * In a schedule, "follows" says what a read sees instead of what it saw, and "marked": true stands
 * for a step that the finding rests on; in a course, for where a thread was in the end. A path, a
 * cycle, a schedule or a course that is long has gaps. */
#ifndef SERIATIM_REPORT_STORY_STORY_H
#define SERIATIM_REPORT_STORY_STORY_H

#include "report/calls.h"

enum st_story_kind {
    ST_STORY_VIOLATION, /* a block that was cut */
    ST_STORY_BLAMED,    /* a block that closed a cycle, and may have been cut or not */
    ST_STORY_CYCLE,     /* not serializable, and yet no block was cut */
    ST_STORY_VERDICT,   /* not serializable, by an engine that names no blocks */
    ST_STORY_PREDICTED, /* a block that is cut in some other schedule */
    ST_STORY_POTENTIAL, /* a block that may be cut in some other schedule */
    ST_STORY_RACE,
    ST_STORY_DEADLOCK,
    ST_STORY_FAILURE /* a program that failed under control */
};
const char *st_story_kind_name(enum st_story_kind kind); /* "violation", "blamed", "cycle", ... */

/* A step, or a gap between steps: then `gap` says what is left out, and the rest is empty. */
struct st_story_step {
    char *gap;             /* "4 more dependences" */
    struct st_place place; /* the event; its number is 0 where only the thread is known */
    char *thread;          /* its name */
    bool home;             /* it is the thread that the finding is about */
    bool marked;           /* in a schedule or a course: the finding rests on this step */
    char *action;          /* "released lock checking.lock" */
    char *holding;         /* "holding savings.lock", "holding no lock" */
    char *where;           /* "at bank.c:25", "at location 21" */
    char *location;        /* "bank.c:25", "21"; "" where it is not known */
    char *follows;         /* "so T2 comes after transfer" */
    char *race;            /* "a data race: nothing orders the two" */
    struct st_calls calls; /* that led there; empty where they are not known */
    size_t new_calls;      /* so many of them, from the innermost on, were not in an earlier step of
                            * the same thread */
};

struct st_story_steps {
    struct st_story_step *items;
    size_t count, capacity;
};

struct st_story {
    enum st_story_kind kind;
    size_t count; /* see above */
    char *headline;
    size_t alarm; /* so many bytes of the headline, from its start, say what is wrong */
    char *frequency;
    char *introduction;
    struct st_story_steps steps;
    char *explanation, *conclusion, *hint;
    char *suppression; /* a line for those to whom it is all right, or NULL; not for the text */
    char **notes;
    size_t note_count, note_capacity;
    char *schedule_title; /* NULL: there is no schedule to be shown */
    struct st_story_steps schedule;
    struct st_story_steps course; /* of a failure; see above */
};

/* Builders. What they are given must outlive the story only as far as `place` is used. Release each
 * story with st_story_free. */

struct st_violation_group;
struct st_predicted_group;

/* A violated block, or one that an engine blames, and those that it stands for. */
struct st_story st_violation_story(const struct st_report *report, const struct st_result *result,
                                   const struct st_violation_group *group);

/* One of the ways in which a finding was cut, among the violations that are listed. */
struct st_variant {
    char *subject; /* as in st_overview */
    char *function,
        *place; /* what another thread did first, in between; "" where it is not known */
    size_t count;
};
enum { ST_MOST_VARIANTS = 10 }; /* that are kept of a finding */

/* A finding in a line, and why it stands where it does among the others. JSON has it in "findings",
 * one for each, in the order of their ranks. */
struct st_overview {
    size_t rank;     /* from 1 */
    char *function;  /* the block that was cut */
    char *subject;   /* "balance", "count and sum" */
    char *frequency; /* "2 of 17 calls" */
    char *place;     /* "bank.c:26 and 28": where the block let go and where it came back */
    char *why_here;
    struct st_variant *variants;         /* the most frequent first */
    size_t variant_count, more_variants; /* kept, and not */
    bool by_design;                      /* it may be: report/triage/weight.h */
};

struct st_overview st_overview_of(const struct st_report *report, const struct st_result *result,
                                  const struct st_violation_group *group);
void st_overview_free(struct st_overview *line);

/* The same of what could be cut; without a reason and variants. */
struct st_predicted_group;
struct st_overview st_predicted_overview(const struct st_report *report,
                                         const struct st_predicted_group *group);

/* A trace that is not serializable although no block is named (st_result_has_cycle). */
struct st_story st_cycle_story(const struct st_report *report, const struct st_result *result);

/* A block that could be cut, and those that it stands for. */
struct st_story st_predicted_story(const struct st_report *report,
                                   const struct st_prediction *prediction,
                                   const struct st_predicted_group *group);

/* `count` races are at the same lines. */
struct st_story st_race_story(const struct st_report *report, const struct st_predicted_race *race,
                              size_t count);

/* A failure that a hunt has seen. */
struct st_story st_failure_story(const struct st_report *report, const struct st_failure *failure);

/* What became of a prediction that a hunt tried to confirm: one or two sentences. Release with
 * free(). Of those that say the same of one block, the first says how many there are, and the
 * others are folded: a printer leaves them out. */
struct st_hunt_facts;
char *st_tried_text(const struct st_hunt_facts *hunt, size_t index);
bool st_tried_is_folded(const struct st_hunt_facts *hunt, size_t index);

struct st_story st_deadlock_story(const struct st_report *report,
                                  const struct st_predicted_deadlock *deadlock);

/* What a whole result or prediction says, in a line without a full stop, which JSON has as
 * "summary": "not serializable (no order of whole blocks explains this run), first bad event 11; 1
 * violated block". The verdict comes first, then what it means, for those who read it for the first
 * time. Release the text with free(). */
struct st_summary {
    char *text;
    size_t verdict, meaning; /* where each of them ends */
};

struct st_summary st_result_summary(const struct st_report *report, const struct st_result *result);

/* Whether lock order counts, where that is not as usual; otherwise NULL. */
const char *st_relation_remark(const struct st_report *report);
struct st_summary st_prediction_summary(const struct st_report *report,
                                        const struct st_prediction *prediction);

/* What a prediction in tiers promises of the blocks that it reports, the better proof first. JSON
 * has it as "tiers": [{"tier": "proven", "blocks": 1, "means": ...}, ...]. */
struct st_tier {
    enum st_block_verdict verdict; /* of its blocks */
    const char *name;              /* "proven", "possible" */
    const char *means;             /* a sentence */
};
enum { ST_TIERS = 2 };
extern const struct st_tier st_tiers_promise[ST_TIERS];

/* That nothing was checked, where that is so: no block ran, only one thread did, or no two threads
 * met at any memory. Then no news is no good news, and the summary must not sound like it. JSON has
 * it as "unchecked": {"what": ..., "reasons": [...]}. */
struct st_unchecked {
    char *what;     /* "no block ran"; NULL: something was checked */
    char **reasons; /* sentences: why, as far as that is known for certain, and what to do */
    size_t count, capacity;
};

struct st_unchecked st_report_unchecked(const struct st_report *report);
void st_unchecked_free(struct st_unchecked *unchecked);

/* Parts of stories, for tables and lists. Release each with free(). */

/* What the thread did: "wrote x", "acquired lock l"; or with `predicted`, would do: "writes x". */
char *st_action_text(const struct st_symbols *symbols, const struct st_event *event,
                     bool predicted);

/* "R-W-R on x, y and 3 more"; "" where nothing is known. */
char *st_pattern_text(const struct st_report *report, const struct st_predicted_block *block);

/* "; 2 deadlock potentials" or the like; "" where there are none. */
char *st_deadlock_count_text(const struct st_predictions *predictions);

/* What an analysis said, with a capital and a full stop if it left that to us. */
char *st_closed_sentence(const char *text);

void st_story_free(struct st_story *story);

/* The length of "T2" in "T2 (drain)", for who has read all of it before; of other names of threads,
 * their own. */
size_t st_short_thread(const char *name);

#endif
