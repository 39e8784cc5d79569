#include "report/sarif/sarif_results.h"

#include "report/json/json_fields.h"
#include "report/text_buffer.h"

#include <stdlib.h>

char *st_sarif_words(const struct st_story *story) {
    struct st_text_buffer buffer;
    FILE *file = st_text_buffer_open(&buffer);
    fprintf(file, "%s.", story->headline);
    if (story->explanation)
        fprintf(file, " %s", story->explanation);
    if (story->hint)
        fprintf(file, " Hint: %s", story->hint);
    for (size_t i = 0; i < story->note_count; i++)
        fprintf(file, " %s", story->notes[i]);
    return st_text_buffer_close(&buffer);
}

/* The sentence once more, and the steps as a list. */
static char *make_markdown(const struct st_sarif *sarif, const char *sentence,
                           const struct st_place *steps, size_t count) {
    struct st_text_buffer buffer;
    char *escaped = st_markdown(sentence);
    FILE *file = st_text_buffer_open(&buffer);
    fprintf(file, "%s\n", escaped);
    free(escaped);
    for (size_t i = 0; i < count; i++) {
        const struct st_place *step = &steps[i];
        char *deed = st_sarif_deed(sarif, step), *safe = st_markdown(deed);
        char *thread = st_markdown(st_name(&sarif->report->symbols->threads, step->event.thread));
        fprintf(file, "\n%zu. **%s** %s", i + 1, thread, safe);
        free(deed);
        free(safe);
        free(thread);
    }
    return st_text_buffer_close(&buffer);
}

void st_sarif_sentence(struct st_sarif *sarif, char *sentence, const struct st_place *steps,
                       size_t count) {
    char *markdown = make_markdown(sarif, sentence, steps, count);
    st_sarif_message(sarif, "message", sentence, markdown);
    free(markdown);
    free(sentence);
}

void st_sarif_fingerprint(struct st_sarif *sarif, struct st_fingerprint fingerprint) {
    st_json_key(&sarif->json, "partialFingerprints");
    st_json_flat_object(&sarif->json);
    string_field(&sarif->json, "seriatim/v1", fingerprint.text);
    st_json_object_end(&sarif->json);
}

static void put_suppression(struct st_sarif *sarif, const struct st_suppressing_line *line) {
    struct st_json *json = &sarif->json;
    st_json_flat_object(json);
    string_field(json, "kind", "external");
    string_field(json, "status", "accepted");
    string_field(json, "justification", line->reason);
    st_json_key(json, "location");
    st_json_flat_object(json);
    st_json_key(json, "physicalLocation");
    st_json_flat_object(json);
    st_sarif_artifact(sarif, line->file);
    st_json_key(json, "region");
    st_json_flat_object(json);
    number_field(json, "startLine", line->line);
    st_json_object_end(json);
    st_json_object_end(json);
    st_json_object_end(json);
    st_json_object_end(json);
}

void st_sarif_mark(struct st_sarif *sarif, struct st_mark mark) {
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
        string_field(&sarif->json, "baselineState", mark.in_baseline ? "unchanged" : "new");
}

void st_sarif_result(struct st_sarif *sarif, enum st_sarif_rule rule) {
    st_json_object(&sarif->json);
    st_sarif_rule_fields(&sarif->json, rule);
}

void st_sarif_related(struct st_sarif *sarif, const struct st_place *place, const char *message) {
    struct st_text_buffer buffer;
    if (!place->number)
        return;
    char *deed = st_sarif_deed(sarif, place);
    fprintf(st_text_buffer_open(&buffer), "%s: %s %s", message,
            st_name(&sarif->report->symbols->threads, place->event.thread), deed);
    char *words = st_text_buffer_close(&buffer);
    st_sarif_location(sarif, place, words);
    free(words);
    free(deed);
}
