/* Where a run leaves the default schedule: as the plan says, and as it is logged. */
#ifndef SERIATIM_RUNTIME_CONTROL_DEVIATIONS_H
#define SERIATIM_RUNTIME_CONTROL_DEVIATIONS_H

#include "runtime/control/runner.h"

void rt_read_deviations(void);
void rt_take_deviations(struct rt_runner *runner);
/* The thread that the plan names for this decision; NULL: it names none. */
struct rt_runner *rt_follow(struct rt_runner *me, enum st_control_deviation_kind kind,
                            uint32_t ordinal);
/* The same without following it; it may be impossible. */
struct rt_runner *rt_peek(struct rt_runner *me, enum st_control_deviation_kind kind,
                          uint32_t ordinal);
/* Does the plan have this signal, later? */
bool rt_is_signal_planned(int number);
/* The signal that the plan names here; 0: none. */
int rt_follow_signal(struct rt_runner *me);
/* What was followed last has turned out to be impossible. */
void rt_cannot_follow(void);
void rt_note_signal(struct rt_runner *me, int number);
void rt_note_deviation(struct rt_runner *me, const struct rt_runner *next,
                       enum st_control_deviation_kind kind, uint32_t ordinal);
struct rt_runner *rt_runner_named(uint64_t name);

#endif
