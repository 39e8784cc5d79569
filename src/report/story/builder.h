/* What the builders of stories have in common: sentences and steps. */
#ifndef SERIATIM_REPORT_STORY_BUILDER_H
#define SERIATIM_REPORT_STORY_BUILDER_H

#include "base/output.h"
#include "report/story/story.h"

/* A story in the making. */
struct st_story_builder {
    const struct st_report *report;
    uint32_t home;  /* the thread that it is about; ST_NO_NAME: none */
    bool predicted; /* it is about what could happen, instead of what did */
    struct st_story story;
};

/* A sentence or a part of one, in which %t stands for a thread and %b for a block (uint32_t), %n
 * for a number (uint64_t) and %s for a text: st_sentence(report, "so %b comes after %t", ...). A
 * block without a name is "the block". %T is the thread with the function that it starts with, "T2
 * (drain)", as headlines have it. Release with free(). */
char *st_sentence(const struct st_report *report, const char *format, ...);

/* The same, written to a file. */
void st_put_sentence(FILE *file, const struct st_report *report, const char *format, ...);

/* As st_short_thread (report/story/story.h) shortens it. */
void st_put_short_thread(FILE *file, const char *name);

/* "3 events" */
void st_put_counted(FILE *file, uint64_t count, const char *noun);

/* What goes before the item with this index in a list of `count`: nothing, ", " or " and ". */
const char *st_list_link(size_t index, size_t count);

/* "at bank.c:21"; RAPID's locations are mere numbers: "at location 21". Nothing where there is no
 * location. */
void st_put_where(FILE *file, const struct st_report *report, uint64_t loc);

/* "transfer", "A block without a name" */
void st_put_subject(FILE *file, const struct st_report *report, uint32_t block);

/* Who came in between: "T2", "T2 and T3", "T2, T3, T4 and others" */
void st_put_others(FILE *file, const struct st_report *report,
                   const struct st_violation *violation);

/* What the arrival at the end of the dependence number i of the path means: "so T2 comes after
 * transfer". */
char *st_arrival_text(const struct st_report *report, const struct st_violation *violation,
                      size_t i);

/* "No serial order has T2's work both after and before transfer." */
char *st_conclusion_text(const struct st_report *report, const struct st_violation *violation);

/* What to look at first, where the finding leaves no doubt about it; otherwise NULL. */
char *st_hint_text(const struct st_report *report, const struct st_violation *violation);

/* How often blocks of a name were what `cut` says: "cut in 3 of its 8 runs". NULL where there is
 * nothing to compare with. */
struct st_block_row;
char *st_frequency_text(const struct st_report *report, const char *cut,
                        const struct st_block_row *row);

/* Adds a step. `before` and `after` go around what was done, with a blank or a comma of their own:
 * "started, then " and ", then ended". The result is valid until the next step. */
struct st_story_step *st_add_step(struct st_story_builder *builder, const struct st_place *place,
                                  const char *before, const char *after);

/* The same for any list of steps, without what the thread held and which calls are new. */
struct st_story_step *st_add_event(const struct st_story_builder *builder,
                                   struct st_story_steps *steps, const struct st_place *place,
                                   const char *before, const char *after);

/* Adds what is no event: "T2 did something"; a gap. The gap takes the text over. */
struct st_story_step *st_add_remark(struct st_story_builder *builder, uint32_t thread,
                                    const char *action);
void st_add_gap(struct st_story_steps *steps, char *gap);

/* Takes the note over. */
void st_add_note(struct st_story *story, char *note);

/* How a hunt saw it, what came of it, and how to see it again. */
void st_add_observation(struct st_story *story, const struct st_report *report,
                        const struct st_observation *observation);

/* What a hunt as a whole has found. */
struct st_summary st_hunt_summary(const struct st_report *report, const struct st_result *result);

/* The schedule that a prediction comes with, if it comes with one. */
void st_build_schedule(struct st_story_builder *builder, const struct st_predicted_block *block);

/* "handle, serve and 3 more." */
void st_put_blocks(FILE *file, const struct st_report *report, const uint32_t *names, size_t count);

#endif
