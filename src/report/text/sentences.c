#include "report/text/sentences.h"

#include <stdlib.h>

struct st_text st_sentence_start(const struct st_text *text, struct st_draft *draft) {
    struct st_text sentence = *text;
    sentence.file = st_draft_open(draft);
    return sentence;
}

void st_sentence_end(const struct st_text *text, struct st_draft *draft) {
    char *sentence = st_draft_close(draft);
    fputs("  ", text->file);
    st_put_wrapped(text->file, sentence, 2, "  ", st_text_width(text));
    free(sentence);
}

void st_headline_end(const struct st_text *text, struct st_draft *draft) {
    char *sentence = st_draft_close(draft);
    st_put_wrapped(text->file, sentence, 0, "  ", text->style.width);
    free(sentence);
}
