#define _GNU_SOURCE
#include "runtime/core/shadow.h"
#include "runtime/core/thread_slot.h"

#include <sys/mman.h>

char *rt_cells, *rt_mores;

bool rt_cells_start(void) {
    size_t bytes = (size_t)4 << RT_ADDRESS_BITS;
    void *cells = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (cells == MAP_FAILED)
        return false;
    madvise(cells, bytes, MADV_DONTDUMP);
    madvise(cells, bytes, MADV_NOHUGEPAGE); /* memory that is used here and there */
    madvise(cells, bytes, MADV_DONTFORK);
    rt_cells = cells;
    rt_mores = rt_cells + bytes / 2;
    return true;
}

uint32_t rt_live_bytes(uint64_t word, uint64_t more) {
    uint32_t slot = rt_slot_of(word), live = 0;
    if (!rt_is_dead(slot, rt_epoch_of(word)))
        live |= word & RT_BYTES;
    uint32_t old = rt_old_bytes(more);
    if (old && !rt_is_dead(slot, rt_old_epoch(word, more)))
        live |= old;
    return live;
}
