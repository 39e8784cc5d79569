/* Looks: atomic loads that find nothing new, each in a call of its own: while (!is_ready()) ...
 *
 * Each such call would fill the stream with a begin, a load and an end. But if a thread looks
 * again, and has emitted nothing in between but looks that found nothing new, then it depends on
 * nothing new, and whoever writes the word comes after what it has emitted. So the first call
 * stands for all of them. The last one may still be open, or what has called it, and do more: so
 * its load is deferred. A thread that writes the word emits it, as it does with any read.
 *
 * A thread may look at some words in turn, from some places. But where it starts, the watcher
 * learns from calls which turns its loops take (watch/start_blocks.c). There a call stands only for
 * others from the same place, with no access in between: if the first two of these are in one turn
 * for certain, all of them are; if not, those that are left out are turns in which nothing happens.
 */
#ifndef SERIATIM_RUNTIME_TSAN_LOOKS_H
#define SERIATIM_RUNTIME_TSAN_LOOKS_H

#include "runtime/core/shadow.h"

/* Is it a load that a look before it stands for? Then it is deferred. Whoever writes the word waits
 * meanwhile: its stripe is locked (core/spin.h). */
bool rt_defer_look(struct rt_thread *t, uintptr_t address, uint32_t bytes, uintptr_t caller);

/* Does a load of these bytes go on with looking: has the thread done nothing else before, and read
 * them since they were written? `w`: the word for writes. */
bool rt_goes_on_looking(struct rt_thread *t, uintptr_t address, uint64_t w, uint32_t bytes);

/* A load was emitted. `goes_on`: rt_goes_on_looking, before that. */
void rt_note_look(struct rt_thread *t, uintptr_t address, uintptr_t caller, bool goes_on);

#endif
