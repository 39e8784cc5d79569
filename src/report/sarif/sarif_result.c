#include "report/sarif/sarif_result.h"

#include "base/memory.h"
#include "base/output.h"
#include "report/calls.h"
#include "report/json/json_parts.h"
#include "report/sarif/sarif_size.h"
#include "report/source/source.h"

#include <stdlib.h>
#include <string.h>

/* ---- Rules: the kinds of findings ---- */

static const struct rule {
    const char *id, *name, *summary, *description;
    const char *page; /* of docs/ that explains it */
} rules[] = {
    [ST_STORY_VIOLATION] = {"atomicity-violation", "AtomicityViolation", "A block was not atomic.",
                            "Another thread depends on a part of the block, and a later part of "
                            "the block depends on that thread: no serial order has the other "
                            "thread's work both after and before the block.",
                            "programs.md#reading-the-report"},
    [ST_STORY_BLAMED] = {"closes-cycle", "ClosesCycle", "A block closed a cycle of transactions.",
                         "The trace is not serializable, and this block made it so. The engine "
                         "does not say whether the block itself was cut.",
                         "engines.md"},
    [ST_STORY_CYCLE] = {"cycle", "Cycle", "Blocks wait for each other in a cycle.",
                        "No single block was cut, and yet there is no order in which the blocks "
                        "could have run one after the other: each would have to come before the "
                        "next.",
                        "engines.md"},
    [ST_STORY_VERDICT] = {"not-serializable", "NotSerializable", "The trace is not serializable.",
                          "There is no order in which the blocks could have run one after the "
                          "other. The engine does not name the blocks.",
                          "engines.md"},
    [ST_STORY_PREDICTED] = {"predicted-atomicity-violation", "PredictedAtomicityViolation",
                            "A block is cut in another schedule.",
                            "There is a schedule in which another thread depends on a part of the "
                            "block, and a later part of the block depends on that thread. The "
                            "message says whether the program could have taken it, or whether it "
                            "is an interleaving in which reads may see other values.",
                            "predict.md"},
    [ST_STORY_POTENTIAL] = {"potential-atomicity-violation", "PotentialAtomicityViolation",
                            "A block may be cut in another schedule.",
                            "As far as locks, fork, join and barriers show, other threads may come "
                            "in between in a way that no serial order explains. Something else may "
                            "keep them from it.",
                            "predict.md"},
    [ST_STORY_RACE] = {"data-race", "DataRace",
                       "Two threads may access a variable at the same time.",
                       "One of them writes, and neither a lock nor any other synchronisation keeps "
                       "the two accesses apart.",
                       "predict.md"},
    [ST_STORY_DEADLOCK] = {"deadlock-potential", "DeadlockPotential",
                           "Threads may wait for each other for ever.",
                           "Each thread holds a lock that another one wants, in a ring, and "
                           "nothing in the trace keeps them from doing so at the same time.",
                           "predict.md"},
    [ST_STORY_FAILURE] = {"failure", "Failure", "The program failed in a schedule.",
                          "It crashed, failed an assertion, came to a deadlock or ended with "
                          "another status in a schedule that it can take. The message says how to "
                          "replay it.",
                          "hunt.md"},
};

enum { RULE_COUNT = sizeof rules / sizeof *rules };

/* A predicted violation comes with a schedule that proves it. */
static const char *level_of(enum st_story_kind kind) {
    return kind == ST_STORY_PREDICTED || kind == ST_STORY_FAILURE ? "error" : "warning";
}

static void put_text(struct st_json *json, const char *key, const char *text) {
    st_json_key(json, key);
    st_json_flat_object(json);
    st_json_string_field(json, "text", text);
    st_json_object_end(json);
}

/* How often a finding of this kind is right: what was seen happened; a prediction has a schedule or
 * a run to show; what only may be is a matter of what the analysis cannot see. */
static const char *precision_of(enum st_story_kind kind) {
    switch (kind) {
    case ST_STORY_VIOLATION:
    case ST_STORY_FAILURE:
        return "very-high";
    case ST_STORY_PREDICTED:
    case ST_STORY_CYCLE:
    case ST_STORY_VERDICT:
        return "high";
    default:
        return "medium";
    }
}

static void put_help(struct st_json *json, const struct rule *rule) {
    static const char more[] =
        "Look at the steps in their order, and at the hint: it names the lines between which the "
        "other thread came in. Hold one lock throughout, or say that the block need not be atomic: "
        "with a line in a file "
        "of suppressions, which the message has, or in a specification.";
    struct st_text_buffer buffer;
    FILE *file = st_text_buffer_open(&buffer);
    fprintf(file, "%s %s See docs/%s.", rule->description, more, rule->page);
    char *text = st_text_buffer_close(&buffer);
    file = st_text_buffer_open(&buffer);
    fprintf(file, "**%s**\n\n%s\n\n%s See `docs/%s`.", rule->summary, rule->description, more,
            rule->page);
    char *markdown = st_text_buffer_close(&buffer);
    st_json_key(json, "help");
    st_json_flat_object(json);
    st_json_string_field(json, "text", text);
    st_json_string_field(json, "markdown", markdown);
    st_json_object_end(json);
    free(markdown);
    free(text);
}

/* Whoever builds the program says where its pages can be read. */
static void put_link(struct st_json *json, const struct rule *rule) {
    char address[sizeof SERIATIM_HOMEPAGE + 64];
    if (!*SERIATIM_HOMEPAGE)
        return;
    snprintf(address, sizeof address, "%s/docs/%s", SERIATIM_HOMEPAGE, rule->page);
    st_json_string_field(json, "helpUri", address);
}

static void put_tags(struct st_json *json, enum st_story_kind kind) {
    st_json_key(json, "properties");
    st_json_flat_object(json);
    st_json_string_field(json, "precision", precision_of(kind));
    st_json_string_field(json, "problem.severity", level_of(kind));
    st_json_key(json, "tags");
    st_json_array(json);
    st_json_string(json, "concurrency");
    st_json_string(json, "external/cwe/cwe-362");
    st_json_array_end(json);
    st_json_object_end(json);
}

void st_sarif_rules(struct st_json *json) {
    st_json_key(json, "rules");
    st_json_array(json);
    for (size_t i = 0; i < RULE_COUNT; i++) {
        st_json_object(json);
        st_json_string_field(json, "id", rules[i].id);
        st_json_string_field(json, "name", rules[i].name);
        put_text(json, "shortDescription", rules[i].summary);
        put_text(json, "fullDescription", rules[i].description);
        put_help(json, &rules[i]);
        put_link(json, &rules[i]);
        st_json_key(json, "defaultConfiguration");
        st_json_flat_object(json);
        st_json_string_field(json, "level", level_of((enum st_story_kind)i));
        st_json_object_end(json);
        put_tags(json, (enum st_story_kind)i);
        st_json_object_end(json);
    }
    st_json_array_end(json);
}

/* ---- Messages ---- */

/* "acquired lock m, holding n; so T2 comes after transfer". A location that is no line of a file is
 * part of it, since nothing else shows it. */
static char *step_text(const struct st_story_step *step) {
    struct st_text_buffer buffer;
    uint32_t line;
    FILE *file = st_text_buffer_open(&buffer);
    fputs(step->action, file);
    if (step->where && !st_split_location(step->location, &line))
        fprintf(file, " %s", step->where);
    if (step->holding)
        fprintf(file, ", %s", step->holding);
    if (step->follows)
        fprintf(file, "; %s", step->follows);
    if (step->race)
        fprintf(file, "; %s", step->race);
    return st_text_buffer_close(&buffer);
}

/* The same with the thread that did it. */
static char *thread_step_text(const struct st_story_step *step) {
    struct st_text_buffer buffer;
    char *text = step_text(step);
    fprintf(st_text_buffer_open(&buffer), "%s %s", step->thread, text);
    free(text);
    return st_text_buffer_close(&buffer);
}

static void put_headline(FILE *file, const struct st_story *story) {
    fputs(story->headline, file);
    if (story->frequency)
        fprintf(file, " (%s)", story->frequency);
    fputc('.', file);
}

/* What the story says behind its steps. `between` separates the sentences. */
/* Paths are relative to the folder: where that is, is nobody's business. */
static void put_ending(FILE *file, const struct st_story *story, const char *folder,
                       const char *between) {
    const char *const sentences[] = {story->explanation, story->conclusion};
    for (size_t i = 0; i < sizeof sentences / sizeof *sentences; i++)
        if (sentences[i])
            fprintf(file, "%s%s", between, sentences[i]);
    if (story->hint)
        fprintf(file, "%sHint: %s", between, story->hint);
    for (size_t i = 0; i < story->note_count; i++)
        fprintf(file, "%s%s", between, story->notes[i]);
    if (!story->suppression)
        return;
    const char *line = story->suppression, *found;
    fprintf(file, "%sTo accept it: ", between);
    for (; folder && *folder && (found = strstr(line, folder)); line = found + strlen(folder))
        fprintf(file, "%.*s", (int)(found - line), line);
    fputs(line, file);
}

static char *plain_text(const struct st_story *story, const char *folder) {
    struct st_text_buffer buffer;
    FILE *file = st_text_buffer_open(&buffer);
    put_headline(file, story);
    put_ending(file, story, folder, " ");
    return st_text_buffer_close(&buffer);
}

/* ---- Markdown ---- */

static void put_escaped(FILE *file, struct st_text_buffer *buffer) {
    char *text = st_text_buffer_close(buffer), *escaped = st_markdown(text);
    fputs(escaped, file);
    free(escaped);
    free(text);
}

static void put_markdown_step(FILE *file, const struct st_story_step *step, size_t number) {
    char *text = step->gap ? st_strdup(step->gap) : step_text(step);
    char *escaped = st_markdown(text), *thread = st_markdown(step->gap ? "..." : step->thread);
    fprintf(file, "\n%zu. **%s** %s", number, thread, escaped);
    free(thread);
    free(escaped);
    free(text);
}

static void put_markdown_steps(FILE *file, const struct st_story_steps *steps) {
    fputs(steps->count ? "\n" : "", file);
    for (size_t i = 0; i < steps->count; i++)
        put_markdown_step(file, &steps->items[i], i + 1);
}

/* A paragraph of its own. */
static void put_paragraph(FILE *file, const char *text) {
    if (!text)
        return;
    char *escaped = st_markdown(text);
    fprintf(file, "\n\n%s", escaped);
    free(escaped);
}

static char *markdown_text(const struct st_story *story, const char *folder) {
    struct st_text_buffer buffer, part;
    FILE *file = st_text_buffer_open(&buffer);
    put_headline(st_text_buffer_open(&part), story);
    put_escaped(file, &part);
    put_paragraph(file, story->introduction);
    put_markdown_steps(file, &story->steps);
    put_ending(st_text_buffer_open(&part), story, folder, "\n\n");
    put_escaped(file, &part);
    put_paragraph(file, story->schedule_title);
    put_markdown_steps(file, &story->schedule);
    return st_text_buffer_close(&buffer);
}

static void put_message(struct st_sarif *sarif, const struct st_story *story) {
    char *text = plain_text(story, sarif->folder);
    char *markdown = markdown_text(story, sarif->folder);
    st_sarif_message(sarif, "message", text, markdown);
    free(markdown);
    free(text);
}

/* ---- Locations ---- */

/* The line in the block where it was cut: that of the step, or of the call that the block made to
 * get there. */
static struct st_user_line block_line(const struct st_calls *around, const struct st_calls *calls,
                                      struct st_user_line line) {
    if (!around->count || !calls->count)
        return line;
    const struct st_frame_text *frame = &calls->frames[st_calls_new(calls, around) - 1];
    return (struct st_user_line){frame->function, frame->location};
}

static const struct st_story_step *find_step(const struct st_story *story,
                                             const struct st_place *place) {
    for (size_t i = 0; i < story->steps.count; i++)
        if (story->steps.items[i].place.number == place->number)
            return &story->steps.items[i];
    return NULL;
}

/* Where a finding is. Texts are copies. */
struct location {
    const struct st_story_step *step; /* that is shown there, or NULL */
    char *line, *function;
};

static struct location find_location(const struct st_sarif *sarif,
                                     const struct st_sarif_finding *finding) {
    const struct st_report *report = sarif->report;
    const struct st_violation *violation = finding->violation;
    char buffer[ST_LOCATION_SIZE];
    struct st_calls around = {0}, calls = {0};
    if (!finding->proof)
        return (struct location){NULL, st_strdup(""), st_strdup("")};
    uint64_t loc = finding->proof->event.loc;
    struct st_user_line line = st_user_line(report->symbols, report->details, loc, buffer);
    if (violation) {
        around = st_calls_at(report->details, violation->begin_loc);
        calls = st_calls_at(report->details, loc);
        line = block_line(&around, &calls, line);
        if (!*line.function)
            line.function = st_target_name(report->symbols, ST_BEGIN, violation->block);
    }
    struct location location = {find_step(finding->story, finding->proof), st_strdup(line.location),
                                st_strdup(line.function)};
    st_calls_free(&around);
    st_calls_free(&calls);
    return location;
}

static void put_location(struct st_sarif *sarif, const struct location *location) {
    char *text = location->step ? step_text(location->step) : NULL;
    st_json_flat_object(&sarif->json);
    st_sarif_place(sarif, location->line, location->function);
    if (text)
        st_sarif_message(sarif, "message", text, NULL);
    st_json_object_end(&sarif->json);
    free(text);
}

static const char *function_of(const struct st_story_step *step) {
    return step->calls.count ? step->calls.frames[0].function : "";
}

/* The steps, but for the one that the finding is at. Each has a number, since two may be alike,
 * which the standard does not allow. */
static void put_related(struct st_sarif *sarif, const struct st_story *story,
                        const struct location *location) {
    st_json_key(&sarif->json, "relatedLocations");
    st_json_array(&sarif->json);
    for (size_t i = 0; i < story->steps.count && i < ST_SARIF_STEPS; i++) {
        const struct st_story_step *step = &story->steps.items[i];
        if (step->gap || !step->place.number ||
            (step == location->step && strcmp(step->location, location->line) == 0))
            continue;
        char *text = thread_step_text(step);
        st_json_flat_object(&sarif->json);
        st_json_number_field(&sarif->json, "id", i + 1);
        st_sarif_place(sarif, step->location, function_of(step));
        st_sarif_message(sarif, "message", text, NULL);
        st_json_object_end(&sarif->json);
        free(text);
    }
    st_json_array_end(&sarif->json);
}

static void put_locations(struct st_sarif *sarif, const struct st_sarif_finding *finding) {
    struct location location = find_location(sarif, finding);
    bool known = finding->proof || strcmp(sarif->report->trace, "-") != 0;
    st_json_key(&sarif->json, "locations");
    st_json_array(&sarif->json);
    if (known)
        put_location(sarif, &location);
    st_json_array_end(&sarif->json);
    if (finding->story->steps.count)
        put_related(sarif, finding->story, &location);
    free(location.line);
    free(location.function);
}

/* ---- The interleaving ---- */

/* In words that the standard proposes. */
static void put_kinds(struct st_json *json, enum st_op op) {
    static const char *const kinds[][2] = {
        [ST_READ] = {"memory", "value"},    [ST_WRITE] = {"memory", "value"},
        [ST_ACQUIRE] = {"acquire", "lock"}, [ST_RELEASE] = {"release", "lock"},
        [ST_FORK] = {"call", "resource"},   [ST_JOIN] = {"return", "resource"},
        [ST_BEGIN] = {"enter", "scope"},    [ST_END] = {"exit", "scope"},
        [ST_SEND] = {"release", "value"},   [ST_RECEIVE] = {"acquire", "value"},
    };
    st_json_key(json, "kinds");
    st_json_array(json);
    st_json_string(json, kinds[op][0]);
    st_json_string(json, kinds[op][1]);
    st_json_array_end(json);
}

static void put_locks(struct st_sarif *sarif, const struct st_place *place) {
    struct st_detail detail = st_sarif_detail(sarif, place);
    struct st_text_buffer buffer;
    if (!*detail.locks)
        return;
    FILE *file = st_text_buffer_open(&buffer);
    for (const char *const *lock = detail.locks; *lock; lock++)
        fprintf(file, "%s%s", lock == detail.locks ? "" : ", ", *lock);
    char *locks = st_text_buffer_close(&buffer);
    st_json_key(&sarif->json, "state");
    st_json_flat_object(&sarif->json);
    st_sarif_message(sarif, "locks held", locks, NULL);
    st_json_object_end(&sarif->json);
    free(locks);
}

static void put_step_location(struct st_sarif *sarif, const struct st_story_step *step) {
    char *text = step_text(step);
    st_json_key(&sarif->json, "location");
    st_json_flat_object(&sarif->json);
    if (step->place.number)
        st_sarif_place(sarif, step->location, function_of(step));
    st_sarif_message(sarif, "message", text, NULL);
    st_json_object_end(&sarif->json);
    free(text);
}

static void put_step(struct st_sarif *sarif, const struct st_story_step *step, size_t order) {
    st_json_object(&sarif->json);
    put_step_location(sarif, step);
    if (step->place.number)
        put_kinds(&sarif->json, (enum st_op)step->place.event.written);
    st_json_number_field(&sarif->json, "executionOrder", order);
    put_locks(sarif, &step->place);
    if (step->calls.count) { /* of the user's own code; `stacks` has all of it */
        st_json_key(&sarif->json, "stack");
        st_sarif_calls(sarif, &step->calls);
    }
    st_json_object_end(&sarif->json);
}

static bool is_of_thread(const struct st_story_step *step, uint32_t thread) {
    return !step->gap && step->place.event.thread == thread;
}

static void put_thread_flow(struct st_sarif *sarif, const struct st_story_steps *steps,
                            uint32_t thread) {
    struct st_json *json = &sarif->json;
    st_json_object(json);
    st_json_string_field(json, "id", st_name(&sarif->report->symbols->threads, thread));
    st_json_key(json, "locations");
    st_json_array(json);
    for (size_t i = 0; i < steps->count && i < ST_SARIF_STEPS; i++)
        if (is_of_thread(&steps->items[i], thread))
            put_step(sarif, &steps->items[i], i + 1);
    st_json_array_end(json);
    st_json_object_end(json);
}

/* Is this the first step of its thread? */
static bool is_first(const struct st_story_steps *steps, size_t index) {
    uint32_t thread = steps->items[index].place.event.thread;
    for (size_t i = 0; i < index; i++)
        if (is_of_thread(&steps->items[i], thread))
            return false;
    return !steps->items[index].gap;
}

/* A flow for each thread, and the order across all of them, which is that of the steps. The thread
 * that the finding is about comes first. */
static void put_code_flow(struct st_sarif *sarif, const struct st_story_steps *steps) {
    struct st_json *json = &sarif->json;
    st_json_key(json, "codeFlows");
    st_json_array(json);
    st_json_object(json);
    st_json_key(json, "threadFlows");
    st_json_array(json);
    for (int home = 1; home >= 0; home--)
        for (size_t i = 0; i < steps->count && i < ST_SARIF_STEPS; i++)
            if (is_first(steps, i) && steps->items[i].home == home)
                put_thread_flow(sarif, steps, steps->items[i].place.event.thread);
    st_json_array_end(json);
    st_json_object_end(json);
    st_json_array_end(json);
}

static void put_stack(struct st_sarif *sarif, const struct st_story *story,
                      const struct st_place *place) {
    if (!place || !*st_sarif_detail(sarif, place).stack)
        return;
    const struct st_story_step *step = find_step(story, place);
    char *text = step ? thread_step_text(step) : NULL;
    st_sarif_stack(sarif, place, text);
    free(text);
}

/* Of the step that proves it and of the other side. */
static void put_stacks(struct st_sarif *sarif, const struct st_sarif_finding *finding) {
    if (!finding->proof || !*st_sarif_detail(sarif, finding->proof).stack)
        return;
    st_json_key(&sarif->json, "stacks");
    st_json_array(&sarif->json);
    put_stack(sarif, finding->story, finding->proof);
    put_stack(sarif, finding->story, finding->other);
    st_json_array_end(&sarif->json);
}

/* ---- Which finding it is, and whether it is new ---- */

static void put_fingerprint(struct st_sarif *sarif, const struct st_fingerprint *fingerprint) {
    if (!*fingerprint->text)
        return;
    st_json_key(&sarif->json, "partialFingerprints");
    st_json_flat_object(&sarif->json);
    st_json_string_field(&sarif->json, "seriatim/v1", fingerprint->text);
    char line_hash[sizeof fingerprint->text + 4]; /* the one that GitHub knows findings by */
    snprintf(line_hash, sizeof line_hash, "%s:1", fingerprint->text);
    st_json_string_field(&sarif->json, "primaryLocationLineHash", line_hash);
    st_json_object_end(&sarif->json);
}

static void put_suppression(struct st_sarif *sarif, const struct st_suppressing_line *line) {
    struct st_json *json = &sarif->json;
    st_json_flat_object(json);
    st_json_string_field(json, "kind", "external");
    st_json_string_field(json, "status", "accepted");
    st_json_string_field(json, "justification", line->reason);
    st_json_key(json, "location");
    st_json_flat_object(json);
    st_sarif_file(sarif, line->file, (uint32_t)line->line);
    st_json_object_end(json);
    st_json_object_end(json);
}

/* "suppressions" and "baselineState"; a list that is empty says that somebody asked. */
static void put_mark(struct st_sarif *sarif, struct st_mark mark) {
    const struct st_triage *triage = sarif->report->triage;
    if (!triage)
        return;
    if (triage->suppresses) {
        st_json_key(&sarif->json, "suppressions");
        st_json_array(&sarif->json);
        if (mark.state == ST_SUPPRESSED)
            put_suppression(sarif, &triage->lines[mark.line]);
        st_json_array_end(&sarif->json);
    }
    if (triage->baseline_count)
        st_json_string_field(&sarif->json, "baselineState", mark.in_baseline ? "unchanged" : "new");
}

static void put_properties(struct st_sarif *sarif, const struct st_sarif_finding *finding) {
    if (!finding->verdict)
        return;
    st_json_key(&sarif->json, "properties");
    st_json_flat_object(&sarif->json);
    st_json_string_field(&sarif->json, "verdict", finding->verdict);
    if (finding->pattern)
        st_json_string_field(&sarif->json, "pattern", finding->pattern);
    st_json_object_end(&sarif->json);
}

/* The first is 100, and each is worth less than the one before, down to 1. */
static uint64_t rank_of(const struct st_sarif *sarif) {
    uint64_t behind = sarif->results - 1;
    return behind < 50 ? 100 - behind : behind < 5000 ? 50 - behind / 102 : 1;
}

void st_sarif_result(struct st_sarif *sarif, const struct st_sarif_finding *finding) {
    struct st_json *json = &sarif->json;
    const struct st_story *story = finding->story;
    if (++sarif->results > ST_SARIF_RESULTS)
        return;
    fflush(json->file);
    uint64_t packed = st_sarif_packed(sarif->size);
    if (packed > ST_SARIF_BYTES) {
        sarif->left_out++;
        return;
    }
    st_json_object(json);
    st_json_string_field(json, "ruleId", rules[story->kind].id);
    st_json_number_field(json, "ruleIndex", story->kind);
    st_json_string_field(json, "level", level_of(story->kind));
    st_json_number_field(json, "rank", rank_of(sarif));
    put_message(sarif, story);
    put_locations(sarif, finding);
    if (story->steps.count && sarif->results <= ST_SARIF_IN_FULL &&
        packed <= ST_SARIF_BYTES_IN_FULL) {
        put_code_flow(sarif, &story->steps);
        put_stacks(sarif, finding);
    }
    put_fingerprint(sarif, &finding->fingerprint);
    if (story->count)
        st_json_number_field(json, "occurrenceCount", story->count);
    put_mark(sarif, finding->mark);
    put_properties(sarif, finding);
    st_json_object_end(json);
}
