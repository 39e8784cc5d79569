#define _GNU_SOURCE
#include "runtime/core/shadow.h"

#include <sys/mman.h>

char *rt_shadow_base, *rt_detail_base;

bool rt_shadow_start(void) {
    size_t bytes = (size_t)4 << RT_ADDRESS_BITS;
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED)
        return false;
    madvise(memory, bytes, MADV_DONTDUMP);
    madvise(memory, bytes, MADV_NOHUGEPAGE); /* it is used here and there */
    madvise(memory, bytes, MADV_DONTFORK);
    rt_shadow_base = memory;
    rt_detail_base = rt_shadow_base + bytes / 2;
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
