/* How much a finding matters, apart from how rarely its block was cut.
 *
 * A value that another thread wrote between two accesses of a block is lost, or wrong, whatever the
 * block was meant to be. But counters of references and heads of lists are written, left to others,
 * and read again, each time under the lock, and nothing is wrong with that: it counts for less. A
 * write to one of several variables that a block uses together makes them disagree. Where others
 * only looked, the block itself may be none the worse.
 *
 * Some functions are there to put steps of their own in a row, and that others come in between is
 * by design (enum st_design). We take for one:
 * - a dispatcher: it was cut between two calls, and one of its callees is cut on its own, which is
 *   to be repaired first;
 * - a loop that does the same in each turn: it came back in the critical section that it left, and
 *   to the same variable (struct st_block_gap, next_turn); or from elsewhere to that section, one
 *   turn later, and to another variable;
 * - a function that waited, between the two, for something outside of the program.
 * Loops and waits count only if the block let go with a write: what it had only read may be out of
 * date when it comes back, whatever the function is for. */
#ifndef SERIATIM_REPORT_TRIAGE_WEIGHT_H
#define SERIATIM_REPORT_TRIAGE_WEIGHT_H

#include "report/report.h"

enum st_design { ST_DESIGN_NONE, ST_DESIGN_CALLS, ST_DESIGN_LOOP, ST_DESIGN_WAIT };

/* The worse, the later. */
enum st_damage {
    ST_DAMAGE_ORDER, /* no access shows it, or none that wrote anything */
    ST_DAMAGE_SEEN,  /* others saw a variable between two accesses to it */
    ST_DAMAGE_AFTER, /* others changed a variable that the block had written, and it looked again */
    ST_DAMAGE_PAIR,  /* others changed one of several variables in between */
    ST_DAMAGE_VALUE, /* others changed a variable after the block had read it, or in between */
};

enum st_damage st_damage_of(const struct st_violation *violation);

/* Did the block come back to another variable than it left, of the same name? */
bool st_came_to_namesake(const struct st_symbols *symbols, const struct st_violation *violation);

/* Was it one other thread, which came by one dependence and went by one? Then a hint can say what
 * to repair. */
bool st_is_direct(const struct st_violation *violation);

/* Did the block let go with a write, and not find its value damaged when it came back? */
bool st_left_with_write(const struct st_violation *violation);

/* May it be the next turn of a loop that begins where the block came back: from a later line to an
 * earlier one, and to another variable? */
bool st_goes_backward(const struct st_violation *violation);

/* Did the block let go in one of its calls, and come back in one? */
bool st_between_calls(const struct st_report *report, const struct st_violation *violation);

/* Names the functions that the block was called from, at any distance, but for itself. */
typedef void st_caller_sink(void *context, const char *name, const struct st_violation *callee);
void st_each_caller(const struct st_report *report, const struct st_violation *violation,
                    st_caller_sink *sink, void *context);

#endif
