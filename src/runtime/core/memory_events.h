/* Allocating and freeing as events. For use between rt_enter and rt_leave only. */
#ifndef SERIATIM_RUNTIME_CORE_MEMORY_EVENTS_H
#define SERIATIM_RUNTIME_CORE_MEMORY_EVENTS_H

#include <stddef.h>
#include <stdint.h>

void rt_allocate(const void *memory, size_t size, uintptr_t caller); /* after */
void rt_free(const void *memory, size_t size);                       /* before */

/* An allocator of the program's own returns that memory to `caller`; size 0: it is not known. */
void rt_hand_out(uintptr_t memory, size_t size, uintptr_t caller);

#endif
