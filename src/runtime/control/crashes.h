/* Signals that end the program: where that happened. */
#ifndef SERIATIM_RUNTIME_CONTROL_CRASHES_H
#define SERIATIM_RUNTIME_CONTROL_CRASHES_H

#include "runtime/control/runner.h"

/* The process is about to be ended by this signal, for what is done at this place. */
void rt_crashes_at(int number, uintptr_t place);

/* ---- for control/ alone ---- */

void rt_catch_crashes(void);

#endif
