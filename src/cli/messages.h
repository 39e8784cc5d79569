/* What goes to the terminal: errors, warnings, help. */
#ifndef SERIATIM_CLI_MESSAGES_H
#define SERIATIM_CLI_MESSAGES_H

#include "base/error.h"
#include "cli/command.h"

/* Print one line on standard error: "seriatim: ..." and "seriatim: warning: ...". */
enum status complain(const struct st_error *error);
void warn(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Writes a help text or the like to standard output. */
enum status show(void (*write)(FILE *file, const void *context), const void *context);

/* Should what goes to this file descriptor be in color? `color` is an enum color. */
bool use_color(unsigned color, int fd);

#endif
