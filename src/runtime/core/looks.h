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
#ifndef SERIATIM_RUNTIME_CORE_LOOKS_H
#define SERIATIM_RUNTIME_CORE_LOOKS_H

#include "runtime/core/thread_state.h"

/* Has the thread emitted nothing since but looks, and the functions around them? */
static inline bool rt_is_looking(const struct rt_thread *t) {
    return t->looks.count && t->looks.end == t->position;
}

/* The same, in what the thread starts with or what that calls: then it must not access anything. */
static inline bool rt_is_looking_at_start(const struct rt_thread *t) {
    return t->emitted_depth <= t->start_depth && rt_is_looking(t);
}

/* Does a look before this one stand for it, at the same address, from the same place? */
bool rt_looks_again(struct rt_thread *t, uintptr_t address, uintptr_t caller);

/* A load was emitted. `goes_on`: before that the thread was looking, and the load found nothing
 * new. */
void rt_note_look(struct rt_thread *t, uintptr_t address, uintptr_t caller, bool goes_on);

#endif
