#define _GNU_SOURCE
#include "runtime/core/shadow.h"
#include "runtime/core/flush_deferred.h"
#include "runtime/core/system_call.h"

#include <sys/mman.h>
#include <sys/syscall.h>

char *rt_shadow_base, *rt_detail_base, *rt_spilled_base;
static bool restored; /* the memory there is ours, and not that of the parent */

/* Words, details, and numbers of places for what is spilled, one behind the other. A processor
 * tells cache lines apart by some lower bits of their addresses first, and pays when it was wrong.
 * If the details of a granule were 2^45 bytes behind its words, all those bits would be the same: a
 * function with three accesses took 115 ns instead of 47 on a Zen 4. So there are some pages more
 * between them. */
enum { APART = 91 * 4096 };
static const size_t half = (size_t)2 << RT_ADDRESS_BITS;
const size_t rt_shadow_bytes =
    ((size_t)4 << RT_ADDRESS_BITS) + APART + ((size_t)1 << (RT_ADDRESS_BITS - 1));

static void *map(void *where) {
    int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | (where ? MAP_FIXED : 0);
    long memory = rt_system_call(SYS_mmap, (long)where, (long)rt_shadow_bytes,
                                 PROT_READ | PROT_WRITE, flags, -1, 0);
    return memory < 0 ? NULL : (void *)memory;
}

void rt_shadow_restore(void) {
    rt_spilled_reset();
    restored = map(rt_shadow_base) != NULL;
}

bool rt_shadow_start(void) {
    void *memory = map(restored ? rt_shadow_base : NULL);
    if (!memory)
        return false;
    restored = false;
    madvise(memory, rt_shadow_bytes, MADV_DONTDUMP);
    madvise(memory, rt_shadow_bytes, MADV_NOHUGEPAGE); /* it is used here and there */
    madvise(memory, rt_shadow_bytes, MADV_DONTFORK);
    rt_shadow_base = memory;
    rt_detail_base = rt_shadow_base + half + APART;
    rt_spilled_base = rt_detail_base + half;
    return true;
}

uint32_t rt_live_bytes(uint64_t word, uint64_t detail) {
    uint32_t slot = rt_slot_of(word), live = 0;
    if (!rt_is_dead(slot, rt_epoch_of(word)))
        live |= word & RT_BYTES;
    uint32_t old = rt_old_bytes(detail);
    if (old && !rt_is_dead(slot, rt_old_epoch(word, detail)))
        live |= old;
    return live;
}
