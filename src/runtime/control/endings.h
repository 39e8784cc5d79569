/* How a run ends, and what is logged then. */
#ifndef SERIATIM_RUNTIME_CONTROL_ENDINGS_H
#define SERIATIM_RUNTIME_CONTROL_ENDINGS_H

#include "runtime/control/runner.h"

_Noreturn void rt_end_run(enum st_control_end end);
void rt_log_all(void);
/* Has the C library come to the end of standard input? What it reads for itself is not seen. */
void rt_note_end_of_input(void);
void rt_check_length(void);
/* Nobody can go on. Returns if somebody can after all. */
void rt_nobody_can(void);

#endif
