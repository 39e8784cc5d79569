#include "report/text/story_text.h"

#include <string.h>

/* "transfer was not atomic in thread T1: T2 came in between (cut in 1 of its 5 runs)." */
static void put_headline(const struct st_text_writer *text, const struct st_story *story,
                         const char *remark) {
    struct st_text_buffer buffer;
    struct st_text_writer sentence = st_sentence_start(text, &buffer);
    st_put_paint(&sentence, ST_RED);
    st_put_part(&sentence, story->headline, story->alarm);
    st_put_paint(&sentence, ST_PLAIN);
    st_put_name(&sentence, story->headline + story->alarm);
    if (remark) {
        fputs(" (", sentence.file);
        st_put_name(&sentence, remark);
        fputc(')', sentence.file);
    }
    fputc('.', sentence.file);
    st_headline_end(text, &buffer);
}

static void put_sentence(const struct st_text_writer *text, const char *sentence) {
    struct st_text_buffer buffer;
    if (!sentence)
        return;
    struct st_text_writer line = st_sentence_start(text, &buffer);
    st_put_name(&line, sentence);
    st_sentence_end(text, &buffer);
}

static void put_hint(const struct st_text_writer *text, const char *hint) {
    struct st_text_buffer buffer;
    if (!hint)
        return;
    struct st_text_writer line = st_sentence_start(text, &buffer);
    st_put_paint(&line, ST_BOLD);
    fputs("Hint:", line.file);
    st_put_paint(&line, ST_PLAIN);
    fputc(' ', line.file);
    st_put_name(&line, hint);
    st_sentence_end(text, &buffer);
}

void st_print_story(const struct st_text_writer *text, const struct st_story *story,
                    const char *remark) {
    put_headline(text, story, remark ? remark : story->frequency);
    put_sentence(text, story->introduction);
    st_print_steps(text, story->headline, &story->steps);
    put_sentence(text, story->explanation);
    put_sentence(text, story->conclusion);
    put_hint(text, story->hint);
    for (size_t i = 0; i < story->note_count; i++)
        put_sentence(text, story->notes[i]);
    st_print_schedule(text, story);
}
