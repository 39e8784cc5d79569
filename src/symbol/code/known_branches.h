/* Conditions of several parts, `a || b`, without optimisation: clang writes to a byte of the stack
 * what is known after the first part, jumps behind the last one, and asks the byte there. Such a
 * jump leads on to one side only. Where it is taken for a jump to both, a loop seems to go on, or
 * to end, after a look that rules it out. */
#ifndef SERIATIM_SYMBOL_CODE_KNOWN_BRANCHES_H
#define SERIATIM_SYMBOL_CODE_KNOWN_BRANCHES_H

struct st_code_walk;

/* Leads such jumps where they go in the end. */
void st_walk_lead_on(struct st_code_walk *walk);

#endif
