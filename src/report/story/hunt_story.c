/* What a hunt has to say of a finding: how it came about, what came of it, how to see it again. */
#include "base/memory.h"
#include "report/story/builder.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- The course ---- */

static bool is(const char *text, const char *word) {
    return text && strcmp(text, word) == 0;
}

/* " in transfer at bank.c:42" */
static void put_place(FILE *file, const char *function, const char *loc) {
    if (function && *function)
        fprintf(file, " in %s", function);
    if (loc && *loc)
        fprintf(file, " at %s", loc);
}

static void put_blocks(FILE *file, const char *const *blocks) {
    size_t count = 0;
    while (blocks && blocks[count])
        count++;
    for (size_t i = 0; i < count; i++)
        fprintf(file, "%s%s", i ? st_list_link(i, count) : " ", blocks[i]);
}

static const char *awaited_text(const char *awaited) {
    static const char *const words[][2] = {{"lock", "a lock"},
                                           {"condition", "a condition"},
                                           {"semaphore", "a semaphore"},
                                           {"barrier", "a barrier"},
                                           {"thread", "another thread to end"},
                                           {"initialisation", "an initialisation"},
                                           {"futex", "a futex"},
                                           {"time", "some time to pass"},
                                           {"input", "something outside of the program"}};
    for (size_t i = 0; awaited && i < sizeof words / sizeof *words; i++)
        if (strcmp(awaited, words[i][0]) == 0)
            return words[i][1];
    return "something";
}

/* "runs audit to its end"; lanes have a place of their own for `loc`, and give NULL. */
static void put_run(FILE *file, const struct st_course_step *step, const char *loc) {
    bool named = step->blocks && step->blocks[0];
    fputs("runs", file);
    put_blocks(file, step->blocks);
    if (is(step->until, "end"))
        fputs(named ? " and ends" : " to its end", file);
    else if (is(step->until, "block"))
        fputs(" to its end", file);
    else if (is(step->until, "wait")) {
        fprintf(file, " until it waits for %s", awaited_text(step->awaited));
        put_place(file, step->function, loc);
    }
}

/* "stops in transfer at bank.c:42" */
static void put_deed(FILE *file, const struct st_course_step *step, const char *loc) {
    if (is(step->does, "runs")) {
        put_run(file, step, loc);
        return;
    }
    fputs(step->does, file);
    if (is(step->does, "stops"))
        put_place(file, step->function, loc);
}

static void put_step(FILE *file, const struct st_course_step *step) {
    if (step->more) {
        st_put_counted(file, step->more, "more step");
        fputs(step->alike ? " like these" : "", file);
    } else {
        st_put_short_thread(file, step->thread);
        fputc(' ', file);
        put_deed(file, step, step->loc);
    }
}

/* "Run 12 (directed): T1 stops in transfer at bank.c:42; T2 runs audit to its end; T1 goes on." */
static char *course_text(const struct st_observation *observation) {
    struct st_text_buffer buffer;
    FILE *file = st_text_buffer_open(&buffer);
    fprintf(file, "Run %" PRIu64 " (%s): ", observation->run, observation->strategy);
    for (size_t i = 0; i < observation->course_count; i++) {
        fputs(i ? "; " : "", file);
        put_step(file, &observation->course[i]);
    }
    if (!observation->course_count)
        fputs("no thread was stopped, and each went on as long as it could", file);
    fputc('.', file);
    return st_text_buffer_close(&buffer);
}

/* ---- What came of it ---- */

/* What the program printed, in quotes, up to some length. */
static void put_quoted(FILE *file, const char *text) {
    enum { SHOWN = 120 };
    size_t length = strlen(text);
    fprintf(file, "\"%.*s%s\"", length > SHOWN ? SHOWN : (int)length, text,
            length > SHOWN ? "..." : "");
}

static const char *who_says(const struct st_observation *observation) {
    return observation->client ? "The client" : "The program";
}

static void put_other_output(FILE *file, const struct st_observation *observation) {
    fprintf(file, "%s then ", who_says(observation));
    if (!observation->printed && !observation->expected) {
        fputs("printed something else than usual", file);
    } else if (observation->printed) {
        fputs("printed ", file);
        put_quoted(file, observation->printed);
        fputs(observation->expected ? " instead of " : ", which it does not print otherwise", file);
    } else {
        fputs("did not print ", file);
    }
    if (observation->expected)
        put_quoted(file, observation->expected);
    fputc('.', file);
}

static char *harm_text(const struct st_observation *observation) {
    struct st_text_buffer buffer;
    FILE *file = st_text_buffer_open(&buffer);
    switch (observation->outcome) {
    case ST_OUTCOME_OUTPUT:
        put_other_output(file, observation);
        break;
    case ST_OUTCOME_STATUS:
        fprintf(file, "%s then ended with status %" PRIu64 " instead of %" PRIu64 ".",
                who_says(observation), observation->status, observation->expected_status);
        break;
    case ST_OUTCOME_HANG:
        fputs("The program then ran in vain and would not have ended.", file);
        break;
    case ST_OUTCOME_DEADLOCK:
        fputs("The program then came to a deadlock.", file);
        break;
    case ST_OUTCOME_ASSERT:
        fprintf(file, "An assertion of the program then failed: %s",
                observation->message ? observation->message : "");
        break;
    case ST_OUTCOME_CRASH:
        fprintf(file, "The program then crashed (%s).",
                observation->signal ? observation->signal : "a signal");
        break;
    default:
        fputs("No harm came of it in that run: the output and the status were as usual.", file);
    }
    return st_text_buffer_close(&buffer);
}

/* "Replay it with: seriatim replay bank.schedule (1 preemption; 10 of 10 replays were the same)."
 */
static char *replay_text(const struct st_observation *observation) {
    struct st_text_buffer buffer;
    unsigned good = 0, tried = 0;
    FILE *file = st_text_buffer_open(&buffer);
    fprintf(file, "Replay it with: seriatim replay %s (", observation->schedule);
    st_put_counted(file, observation->preemptions, "preemption");
    if (observation->replayed && sscanf(observation->replayed, "%u/%u", &good, &tried) == 2)
        fprintf(file, "; %u of %u replay%s showed the same", good, tried, tried == 1 ? "" : "s");
    fputs(").", file);
    return st_text_buffer_close(&buffer);
}

static char *seen_text(const struct st_report *report, const struct st_observation *observation) {
    return st_sentence(report, "seen in %n of %n run%s", observation->seen_in, report->hunt->runs,
                       report->hunt->runs == 1 ? "" : "s");
}

void st_add_observation(struct st_story *story, const struct st_report *report,
                        const struct st_observation *observation) {
    free(story->introduction);
    story->introduction = course_text(observation);
    if (!story->frequency && report->hunt && report->hunt->runs > 1)
        story->frequency = seen_text(report, observation);
    if (story->kind != ST_STORY_FAILURE)
        st_add_note(story, harm_text(observation));
    if (observation->schedule)
        st_add_note(story, replay_text(observation));
}

/* ---- Failures ---- */

/* ": bank: bank.c:12: audit: Assertion `sum == 100' failed": a headline has no full stop. */
static void put_without_stop(FILE *file, const char *message) {
    size_t length = strlen(message);
    if (length && message[length - 1] == '.')
        length--;
    fprintf(file, ": %.*s", (int)length, message);
}

static void set_headline(struct st_story *story, const struct st_failure *failure) {
    const struct st_observation *observation = &failure->observation;
    struct st_text_buffer buffer;
    FILE *file = st_text_buffer_open(&buffer);
    switch (observation->outcome) {
    case ST_OUTCOME_CRASH:
        fprintf(file, "The program crashed");
        break;
    case ST_OUTCOME_ASSERT:
        fputs("An assertion failed", file);
        break;
    case ST_OUTCOME_DEADLOCK:
        fputs("The program came to a deadlock", file);
        break;
    case ST_OUTCOME_HANG:
        fputs("The program ran in vain", file);
        break;
    default:
        fputs("The program failed", file);
    }
    story->alarm = (size_t)ftell(file);
    if (observation->outcome == ST_OUTCOME_CRASH && observation->signal)
        fprintf(file, " with %s", observation->signal);
    if (observation->outcome == ST_OUTCOME_DEADLOCK)
        fputs(": no thread could go on", file);
    else if (observation->outcome == ST_OUTCOME_HANG)
        fputs(" and would not have ended", file);
    else if (observation->outcome == ST_OUTCOME_ASSERT)
        put_without_stop(file, observation->message ? observation->message : "");
    else if (observation->outcome != ST_OUTCOME_CRASH)
        fprintf(file, ": %s ended with status %" PRIu64 " instead of %" PRIu64,
                observation->client ? "its client" : "it", observation->status,
                observation->expected_status);
    story->headline = st_text_buffer_close(&buffer);
}

static struct st_story_step *add_thread(struct st_story_steps *steps, const char *thread,
                                        const char *loc) {
    st_reserve(&steps->items, &steps->capacity, steps->count + 1);
    struct st_story_step *step = &steps->items[steps->count++];
    *step = (struct st_story_step){.thread = st_strdup(thread ? thread : "?"),
                                   .location = st_strdup(loc ? loc : "")};
    return step;
}

/* The function is known to be the innermost one, and nothing of its callers. */
static void set_function(struct st_story_step *step, const char *function) {
    struct st_calls *calls = &step->calls;
    if (!function || !*function)
        return;
    st_reserve(&calls->frames, &calls->capacity, 1);
    calls->frames[calls->count++] = (struct st_frame_text){.function = st_strdup(function),
                                                           .location = st_strdup(step->location)};
}

/* "waits for a lock: savings.lock, which T2 has, in transfer at bank.c:42" */
static char *stuck_text(const struct st_stuck_thread *stuck, const char *loc) {
    struct st_text_buffer buffer;
    FILE *file = st_text_buffer_open(&buffer);
    if (is(stuck->awaited, "thread") && stuck->owner) {
        fputs("waits for ", file);
        st_put_short_thread(file, stuck->owner);
        fputs(" to end", file);
    } else {
        fputs(stuck->awaited ? "waits for " : "is", file);
        if (stuck->awaited)
            fputs(awaited_text(stuck->awaited), file);
        if (stuck->object)
            fprintf(file, ": %s", stuck->object);
        if (stuck->owner) {
            fputs(", which ", file);
            st_put_short_thread(file, stuck->owner);
            fputs(" has,", file);
        }
    }
    put_place(file, stuck->function, loc);
    return st_text_buffer_close(&buffer);
}

static char *last_text(const struct st_failure *failure, const char *loc) {
    struct st_text_buffer buffer;
    FILE *file = st_text_buffer_open(&buffer);
    fputs(failure->exact ? "failed" : "ran last, and was last seen", file);
    put_place(file, failure->function, loc);
    return st_text_buffer_close(&buffer);
}

/* Where each thread was in the end. */
static void add_end(struct st_story *story, const struct st_failure *failure) {
    for (size_t i = 0; i < failure->stuck_count; i++) {
        const struct st_stuck_thread *stuck = &failure->stuck[i];
        add_thread(&story->steps, stuck->thread, stuck->loc)->action =
            stuck_text(stuck, stuck->loc);
    }
    if (!failure->stuck_count && failure->thread)
        add_thread(&story->steps, failure->thread, failure->loc)->action =
            last_text(failure, failure->loc);
}

/* ---- The course of a failure, for lanes ---- */

/* Takes the action over. */
static void add_to_course(struct st_story *story, const char *thread, char *action,
                          const char *function, const char *loc, bool last) {
    struct st_story_step *step = add_thread(&story->course, thread, loc);
    step->action = action;
    step->marked = last;
    set_function(step, function);
}

static void add_course_step(struct st_story *story, const struct st_course_step *step) {
    struct st_text_buffer buffer;
    FILE *file = st_text_buffer_open(&buffer);
    if (step->more) {
        put_step(file, step);
        st_add_gap(&story->course, st_text_buffer_close(&buffer));
    } else {
        put_deed(file, step, NULL);
        add_to_course(story, step->thread, st_text_buffer_close(&buffer), step->function, step->loc,
                      false);
    }
}

static void add_course(struct st_story *story, const struct st_failure *failure) {
    const struct st_observation *observation = &failure->observation;
    for (size_t i = 0; i < observation->course_count; i++)
        add_course_step(story, &observation->course[i]);
    for (size_t i = 0; i < failure->stuck_count; i++) {
        const struct st_stuck_thread *stuck = &failure->stuck[i];
        add_to_course(story, stuck->thread, stuck_text(stuck, NULL), stuck->function, stuck->loc,
                      true);
    }
    if (!failure->stuck_count && failure->thread)
        add_to_course(story, failure->thread, last_text(failure, NULL), failure->function,
                      failure->loc, true);
}

struct st_story st_failure_story(const struct st_report *report, const struct st_failure *failure) {
    const struct st_observation *observation = &failure->observation;
    struct st_story story = {.kind = ST_STORY_FAILURE, .count = 1};
    set_headline(&story, failure);
    add_end(&story, failure);
    add_course(&story, failure);
    if (observation->outcome == ST_OUTCOME_CRASH && observation->message)
        story.explanation = st_sentence(report, "Its last words: %s", observation->message);
    st_add_observation(&story, report, observation);
    return story;
}

/* ---- Predictions ---- */

static void put_list(FILE *file, const char *const *texts) {
    size_t count = 0;
    while (texts && texts[count])
        count++;
    for (size_t i = 0; i < count; i++)
        fprintf(file, "%s%s", st_list_link(i, count), texts[i]);
}

static bool is_proved(const struct st_tried_prediction *prediction) {
    return is(prediction->verdict, "violation");
}

/* "transfer may be cut", "threads may wait for each other for ever" */
static void put_foreseen(FILE *file, const struct st_tried_prediction *prediction) {
    bool cut = is(prediction->kind, "cut");
    const char *subject = !cut                                      ? "threads"
                          : prediction->block && *prediction->block ? prediction->block
                                                                    : "a block without a name";
    if (prediction->state == ST_CONFIRMED)
        fprintf(file, "%s %s", subject, cut ? "is cut" : "wait for each other for ever");
    else if (prediction->state == ST_IMPOSSIBLE)
        fprintf(file, "no order of the events of the recorded run cuts %s", subject);
    else
        fprintf(file, "%s %s %s", subject, is_proved(prediction) ? "can" : "may",
                cut ? "be cut" : "wait for each other for ever");
}

/* ", W-R-R-W on a and b, in the block at bank.c:40 (by blocks and commit-node)" */
static void put_grounds(FILE *file, const struct st_tried_prediction *prediction) {
    if (prediction->pattern)
        fprintf(file, ", %s", prediction->pattern);
    if (prediction->variables && prediction->variables[0]) {
        fputs(prediction->pattern ? " on " : ", on ", file);
        put_list(file, prediction->variables);
    }
    if (prediction->loc && *prediction->loc)
        fprintf(file, ", at %s", prediction->loc);
    fputs(" (foreseen by ", file);
    put_list(file, prediction->engines);
    fputc(')', file);
}

static void put_state(FILE *file, const struct st_tried_prediction *prediction) {
    if (prediction->state == ST_CONFIRMED) {
        fputs("Prediction confirmed: ", file);
    } else if (prediction->state == ST_IMPOSSIBLE) {
        fputs("Prediction that cannot happen: ", file);
    } else if (prediction->tries) {
        fputs("Prediction not confirmed in ", file);
        fprintf(file, "%" PRIu64 " %s: ", prediction->tries,
                prediction->tries == 1 ? "try" : "tries");
    } else {
        fputs("Prediction not tried: ", file);
    }
}

static bool are_equal(const char *left, const char *right) {
    return left && right ? strcmp(left, right) == 0 : left == right;
}

/* Do they say the same of one block, on other variables or in another order? Where a run shows one
 * of them, does it show both? */
static bool are_alike(const struct st_tried_prediction *left,
                      const struct st_tried_prediction *right) {
    return left->state == right->state &&
           (left->state != ST_CONFIRMED || left->run == right->run) &&
           !left->tries == !right->tries && left->placed == right->placed &&
           is_proved(left) == is_proved(right) && are_equal(left->kind, right->kind) &&
           are_equal(left->block, right->block) && are_equal(left->loc, right->loc);
}

bool st_tried_is_folded(const struct st_hunt_facts *hunt, size_t index) {
    for (size_t i = 0; i < index; i++)
        if (are_alike(&hunt->predictions[i], &hunt->predictions[index]))
            return true;
    return false;
}

static size_t count_folded(const struct st_hunt_facts *hunt, size_t index) {
    size_t count = 0;
    for (size_t i = index + 1; i < hunt->prediction_count; i++)
        count += are_alike(&hunt->predictions[index], &hunt->predictions[i]);
    return count;
}

char *st_tried_text(const struct st_hunt_facts *hunt, size_t index) {
    const struct st_tried_prediction *prediction = &hunt->predictions[index];
    size_t folded = st_tried_is_folded(hunt, index) ? 0 : count_folded(hunt, index);
    struct st_text_buffer buffer;
    FILE *file = st_text_buffer_open(&buffer);
    put_state(file, prediction);
    put_foreseen(file, prediction);
    put_grounds(file, prediction);
    fputc('.', file);
    if (prediction->state == ST_CONFIRMED) {
        fprintf(file, " Run %" PRIu64 " shows it", prediction->run);
        if (prediction->schedule)
            fprintf(file, "; replay it with: seriatim replay %s", prediction->schedule);
        fputc('.', file);
    } else if (prediction->state == ST_IMPOSSIBLE) {
        if (prediction->tries)
            fprintf(file, " Nor did %" PRIu64 " %s.", prediction->tries,
                    prediction->tries == 1 ? "try" : "tries");
        fputs(" A run that does other things may still.", file);
    } else if (!prediction->placed) {
        fputs(" The program did not come by there.", file);
    }
    if (folded)
        fprintf(file, " There %s %zu more like it.", folded == 1 ? "is" : "are", folded);
    return st_text_buffer_close(&buffer);
}

/* "; 2 of 4 predictions confirmed, 1 cannot happen" */
static void put_predicted(FILE *file, const struct st_hunt_facts *hunt) {
    size_t by[ST_CONFIRMATIONS] = {0};
    for (size_t i = 0; i < hunt->prediction_count; i++)
        by[hunt->predictions[i].state]++;
    if (hunt->prediction_count)
        fprintf(file, "; %zu of %zu prediction%s confirmed", by[ST_CONFIRMED],
                hunt->prediction_count, hunt->prediction_count == 1 ? "" : "s");
    if (by[ST_IMPOSSIBLE])
        fprintf(file, ", %zu cannot happen", by[ST_IMPOSSIBLE]);
}

/* ---- The whole ---- */

/* A run that no serial order explains counts as a cycle where no block was cut. */
static void put_found(FILE *file, const struct st_hunt_facts *hunt, uint64_t violated, bool cycle) {
    if (hunt->failure_count)
        st_put_counted(file, hunt->failure_count, "failure");
    if (hunt->failure_count && (violated || cycle))
        fputs(" and ", file);
    if (violated)
        st_put_counted(file, violated, "violated block");
    else if (hunt->failure_count && cycle)
        st_put_counted(file, 1, "cycle");
    if (!hunt->failure_count && !violated)
        fputs(cycle ? "not serializable, although no block was cut," : "nothing found", file);
}

/* "1 failure and 2 violated blocks in 100 runs (81212 points)" */
struct st_summary st_hunt_summary(const struct st_report *report, const struct st_result *result) {
    const struct st_hunt_facts *hunt = report->hunt;
    uint64_t violated = st_all_violated(result->findings);
    bool bad = result->findings->verdict == ST_NOT_SERIALIZABLE;
    bool found = hunt->failure_count || bad;
    struct st_summary summary = {0};
    struct st_text_buffer buffer;
    FILE *file = st_text_buffer_open(&buffer);
    put_found(file, hunt, violated, bad);
    summary.verdict = summary.meaning = (size_t)ftell(file);
    fputs(" in ", file);
    st_put_counted(file, hunt->runs, "run");
    fprintf(file, ", seed %" PRIu64, hunt->seed);
    if (hunt->exhausted)
        fprintf(file, "; all schedules with at most %" PRIu64 " preemptions were tried",
                hunt->bound);
    else if (!found)
        fputs("; other schedules may still cut a block", file);
    put_predicted(file, hunt);
    if (hunt->loose)
        fprintf(file, "; %" PRIu64 " of the runs may not be repeatable", hunt->loose);
    if (hunt->other_outputs) {
        fputs("; ", file);
        st_put_counted(file, hunt->other_outputs, "run");
        fputs(" printed something else although nothing was cut", file);
    }
    if (hunt->interrupted)
        fputs("; interrupted", file);
    summary.text = st_text_buffer_close(&buffer);
    return summary;
}
