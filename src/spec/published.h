/* Methods as lists of publications have them. Such a list has what need not be atomic. */
#ifndef SERIATIM_SPEC_PUBLISHED_H
#define SERIATIM_SPEC_PUBLISHED_H

#include <stddef.h>

/* Two forms are known: elevator/Lift.doIdle()V, and as DoubleChecker has it, with the line and the
 * place in its code, Lelevator/Lift;.doIdle ()V:78(0). *name is the method in our words,
 * elevator.Lift.doIdle, to be released with free(): ours have no parameters, so all methods of that
 * name are meant. The length of what was read; 0 if the text begins with no such method. */
size_t st_published_method(const char *text, char **name);

#endif
