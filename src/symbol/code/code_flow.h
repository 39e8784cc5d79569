/* The control flow of one function, from its machine code: does it loop, and can it get from one
 * call to another without beginning another turn of its loop?
 *
 * Nothing here is a guess. Where the code does something that cannot be followed (a jump through a
 * table, setjmp, a handler of exceptions, a loop that is entered in two places), there is no
 * answer. Nor is there one where a compiler wrote several turns of a loop one after the other, as
 * far as debug information shows that; code without any has no answers.
 *
 * A watcher is sure to hear of some calls: of functions that lock, unlock and wait; and of
 * functions with instrumentation, unless nothing happens in them, and then it hears that some were
 * skipped (ST_STREAM_SKIPPED in stream/stream.h). All other calls, and accesses to memory, can go
 * unheard. */
#ifndef SERIATIM_SYMBOL_CODE_CODE_FLOW_H
#define SERIATIM_SYMBOL_CODE_CODE_FLOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct st_modules;
struct st_code_flow;

/* That of the function which holds the address, in a program that ran. NULL: it cannot be followed.
 * Addresses below are those of the program, too. */
struct st_code_flow *st_code_flow_new(struct st_modules *modules, uint64_t address);
struct st_object;
struct st_code_flow *st_code_flow_in(struct st_object *object, uint64_t address, uint64_t bias);
void st_code_flow_free(struct st_code_flow *flow);

/* How many loops it has that are in no other loop. Those that do nothing but compute, and write
 * memory of their own accord, do not count: no thread waits in them, and no work is done in turns.
 */
unsigned st_code_flow_loops(const struct st_code_flow *flow);

/* Does it call one other function, and nothing else, and write no memory? */
bool st_code_flow_hands_on(const struct st_code_flow *flow);

/* The loop, from 0 on, around the call that returns to `pc`; ST_NO_LOOP if there is none, if no
 * such call is known, or if nobody knows what one turn of the loop is. */
#define ST_NO_LOOP UINT32_MAX
uint32_t st_code_flow_loop(const struct st_code_flow *flow, uint64_t pc);

/* Where the next call in the function returns to, beginning with *position = 0; 0 behind the last.
 */
uint64_t st_code_flow_next_call(const struct st_code_flow *flow, size_t *position);

/* The function has come from the call that returns to `from` to the one that returns to `to`, and
 * nobody heard of another call in between; `skipped`: but some were skipped. Is it certain that
 * both were in the same turn of the same loop? */
bool st_code_flow_same_turn(struct st_code_flow *flow, uint64_t from, uint64_t to, bool skipped);

/* The index-th of the addresses at which a loop begins or turns; 0 behind the last. The least of
 * their lines is where a reader finds the loop. */
uint64_t st_code_flow_turn(const struct st_code_flow *flow, uint32_t loop, size_t index);

/* Does a function with this name, as the linker knows it, never come back? */
bool st_code_never_returns(const char *name);

#endif
