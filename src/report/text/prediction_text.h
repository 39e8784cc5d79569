/* The text of predictions: one line that sums up, and then what could happen. */
#ifndef SERIATIM_REPORT_TEXT_PREDICTION_TEXT_H
#define SERIATIM_REPORT_TEXT_PREDICTION_TEXT_H

#include "report/text/text_writer.h"

/* `text` quotes no sources; it is done here where it is wanted. */
void st_print_prediction(const struct st_text_writer *text, const struct st_report *report);
void st_print_prediction_comparison(const struct st_text_writer *text,
                                    const struct st_report *report);

/* Several analyses side by side: a table, and the findings of each block together. By
 * comparison_text.c. */
void st_put_prediction_table(const struct st_text_writer *text, const struct st_report *report);
void st_put_compared_blocks(const struct st_text_writer *text, const struct st_report *report);

#endif
