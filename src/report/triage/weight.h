/* How much a finding matters, apart from how rarely its block was cut.
 *
 * A value that another thread wrote between two accesses of a block is lost, or wrong, whatever the
 * block was meant to be. A write to one of several variables that a block uses together makes them
 * disagree. Where others only looked, the block itself may be none the worse.
 *
 * A dispatcher is a function that calls others, one after the other, for steps of their own: that
 * others come in between is what it is for. We take one for a dispatcher that was cut between two
 * calls, and of whose callees one is cut on its own, which is to be repaired first. */
#ifndef SERIATIM_REPORT_TRIAGE_WEIGHT_H
#define SERIATIM_REPORT_TRIAGE_WEIGHT_H

#include "report/report.h"

/* The worse, the later. */
enum st_damage {
    ST_DAMAGE_ORDER, /* no access shows it, or none that wrote anything */
    ST_DAMAGE_SEEN,  /* others saw a variable between two accesses to it */
    ST_DAMAGE_PAIR,  /* others changed one of several variables in between */
    ST_DAMAGE_VALUE, /* others changed a variable between two accesses to it */
};

enum st_damage st_damage_of(const struct st_violation *violation);

/* Was it one other thread, which came by one dependence and went by one? Then a hint can say what
 * to repair. */
bool st_is_direct(const struct st_violation *violation);

/* Did the block let go in one of its calls, and come back in one? */
bool st_between_calls(const struct st_report *report, const struct st_violation *violation);

/* Names the functions that the block was called from, at any distance, but for itself. */
typedef void st_caller_sink(void *context, const char *name, const struct st_violation *callee);
void st_each_caller(const struct st_report *report, const struct st_violation *violation,
                    st_caller_sink *sink, void *context);

#endif
