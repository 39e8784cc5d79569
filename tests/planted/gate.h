/* Makes each planted bug strike once, and leaves all else to chance.
 *
 * A function with a planted bug calls gap(BUG) where others can come in between. The first call for
 * a bug returns when the one who is to come in between has been there: it calls wait_for_gap(BUG),
 * does its work and calls close_gap(BUG). Later calls wait for a moment or not at all.
 *
 * gate.c is compiled without instrumentation and synchronises by system calls, so that this adds no
 * order that seriatim could see. */
#ifndef GATE_H
#define GATE_H

#ifdef __cplusplus
extern "C" {
#endif

enum { BUGS = 16 };

void gap(int bug);
void wait_for_gap(int bug);
void close_gap(int bug);

#ifdef __cplusplus
}
#endif

#define BLOCK __attribute__((noinline))

#endif
