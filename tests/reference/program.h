/* What programs that compare random traces have in common: they say at which seed they crash or
 * hang, and read numbers from the command line. */
#ifndef SERIATIM_REFERENCE_PROGRAM_H
#define SERIATIM_REFERENCE_PROGRAM_H

#include <stdbool.h>
#include <stdint.h>

/* The trace that is being looked at, and by whom. */
extern volatile uint64_t program_seed;
extern const char *volatile program_part;

/* From now on a crash, or an alarm (see alarm(2)), says both. */
void program_watch(void);

/* A decimal number, and nothing else. */
bool program_number(const char *text, uint64_t *number);

#endif
