#define _GNU_SOURCE
#include "runtime/cells.h"
#include "runtime/spin.h"

#include <string.h>
#include <sys/mman.h>

char *rt_cells;

bool rt_cells_start(void) {
    size_t bytes = (size_t)1 << RT_ADDRESS_BITS;
    void *cells = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (cells == MAP_FAILED)
        return false;
    madvise(cells, bytes, MADV_DONTDUMP);
    madvise(cells, bytes, MADV_NOHUGEPAGE); /* memory that is used here and there */
    madvise(cells, bytes, MADV_DONTFORK);
    rt_cells = cells;
    return true;
}

/* ---- owners ---- */

/* The next epoch of each slot: a thread that gets the slot of one that has ended is not taken for
 * it. Epoch 0 does not exist. */
static uint32_t next_epochs[RT_SLOTS];
static uint32_t free_slots[RT_SLOTS], free_count, used_slots;
static struct rt_spin slots_lock;

void rt_take_slot(struct rt_thread *t) {
    rt_spin_lock(&slots_lock);
    t->slot = free_count              ? free_slots[--free_count]
              : used_slots < RT_SLOTS ? used_slots++
                                      : RT_SLOTS;
    uint32_t epoch = t->slot < RT_SLOTS ? next_epochs[t->slot] : 0;
    rt_spin_unlock(&slots_lock);
    t->owner = (uint64_t)(epoch + 1) << 32 | (uint64_t)(t->slot & (RT_SLOTS - 1)) << 18 |
               (uint64_t)RT_CELL_OWN << 16;
    if (t->slot == RT_SLOTS)
        t->owner = UINT64_MAX; /* equal to no cell */
}

void rt_give_slot(struct rt_thread *t) {
    if (t->slot >= RT_SLOTS)
        return;
    rt_spin_lock(&slots_lock);
    next_epochs[t->slot] = (uint32_t)(t->owner >> 32);
    free_slots[free_count++] = t->slot;
    rt_spin_unlock(&slots_lock);
}

/* Epochs come back after four billion of them: a cell that was not touched meanwhile could then be
 * taken for a fresh one. We accept that. */
void rt_new_epoch(struct rt_thread *t) {
    if (t->slot < RT_SLOTS)
        t->owner += UINT64_C(1) << 32;
}

/* ---- accesses ---- */

static bool is_own(const struct rt_thread *t, uint64_t cell) {
    return t->slot < RT_SLOTS && rt_cell_state(cell) == RT_CELL_OWN &&
           (cell >> 18 & (RT_SLOTS - 1)) == t->slot;
}

/* What an access of this thread to memory with such a cell has to tell. */
struct need {
    bool number;      /* it needs one */
    uint64_t observe; /* it happens after this one */
};

static void look(struct need *need, const struct rt_thread *t, uint64_t cell, bool write) {
    switch (rt_cell_state(cell)) {
    case RT_CELL_NOBODY:
        break;
    case RT_CELL_OWN:
        need->number |= !is_own(t, cell);
        break;
    case RT_CELL_SHARED:
        need->number |= write;
        /* fall through */
    case RT_CELL_FREED:
        if (rt_cell_number(cell) > need->observe)
            need->observe = rt_cell_number(cell);
        break;
    }
}

/* The cell after the access, which was told with this number, or without one (0). */
static uint64_t after(const struct rt_thread *t, uint64_t cell, uint32_t bytes, bool write,
                      uint64_t number) {
    uint64_t mine = t->slot < RT_SLOTS ? t->owner | (write ? bytes : (uint64_t)bytes << 8)
                                       : rt_cell_with_number(RT_CELL_SHARED, t->number);
    switch (rt_cell_state(cell)) {
    case RT_CELL_SHARED:
        return write ? mine : cell;
    case RT_CELL_OWN:
        if (rt_cell_is_of(cell, t->owner))
            return cell | mine;
        if (!write && !is_own(t, cell))
            return rt_cell_with_number(RT_CELL_SHARED, number ? number : t->number);
        return mine;
    default:
        return mine;
    }
}

static uint64_t announce(struct rt_thread *t, const struct need *need) {
    rt_tell_frames(t);
    if (need->observe > t->number)
        rt_new_epoch(t);
    rt_observe(t, need->observe);
    if (!need->number)
        return 0;
    rt_new_epoch(t); /* what the other thread did may be news */
    return rt_draw(t);
}

static void remember_shared(struct rt_thread *t, uintptr_t granule, uint64_t cell, uint32_t bytes) {
    struct rt_shared_read *read = &t->shared[granule >> 3 & (RT_SHARED_READS - 1)];
    bool same =
        read->granule == granule && read->cell == cell && rt_cell_is_of(read->owner, t->owner);
    *read = (struct rt_shared_read){granule, cell, (same ? read->owner : t->owner) | bytes};
}

void rt_touch(struct rt_thread *t, uintptr_t address, size_t size, uint32_t bytes, bool write,
              uintptr_t caller) {
    _Atomic uint64_t *place = rt_cell(address);
    uint64_t cell = atomic_load_explicit(place, memory_order_acquire);
    struct need need = {0};
    look(&need, t, cell, write);
    uint64_t number = announce(t, &need);
    rt_put(t, st_stream_what(write ? ST_STREAM_WRITE : ST_STREAM_READ, (unsigned)size, address),
           caller);
    rt_publish(t);
    uint64_t then = after(t, cell, bytes, write, number);
    if (then != cell)
        atomic_store_explicit(place, then, memory_order_release);
    if (!write && rt_cell_state(then) == RT_CELL_SHARED)
        remember_shared(t, address & ~(uintptr_t)7, then, bytes);
}

/* ---- ranges ---- */

/* The bytes of a granule that lie in the range. */
static uint32_t bytes_in(uintptr_t granule, uintptr_t address, size_t size) {
    uint32_t bytes = 0xff;
    if (granule < address)
        bytes &= 0xffu << (address - granule);
    if (granule + 8 > address + size)
        bytes &= 0xffu >> (granule + 8 - address - size);
    return bytes;
}

static bool was_told(const struct rt_thread *t, uint64_t cell, uintptr_t granule, uint32_t bytes,
                     bool write) {
    uint32_t told = write ? cell & 0xff : (cell | cell >> 8) & 0xff;
    if (rt_cell_is_of(cell, t->owner))
        return (bytes & ~told) == 0;
    return !write && rt_cell_state(cell) == RT_CELL_SHARED &&
           rt_was_shared_read(t, granule, cell, bytes);
}

/* All granules of a range with what they need; false if all was told before. */
static bool look_at_range(struct need *need, const struct rt_thread *t, uintptr_t address,
                          size_t size, bool write) {
    bool news = false;
    for (uintptr_t g = address & ~(uintptr_t)7; g < address + size; g += 8) {
        uint64_t cell = atomic_load_explicit(rt_cell(g), memory_order_acquire);
        if (was_told(t, cell, g, bytes_in(g, address, size), write))
            continue;
        news = true;
        look(need, t, cell, write);
    }
    return news;
}

static void touch_granule(struct rt_thread *t, uintptr_t granule, uint32_t bytes, bool write,
                          uint64_t number) {
    uint64_t cell = atomic_load_explicit(rt_cell(granule), memory_order_relaxed);
    uint64_t then = after(t, cell, bytes, write, number);
    if (then != cell)
        atomic_store_explicit(rt_cell(granule), then, memory_order_release);
    if (!write && rt_cell_state(then) == RT_CELL_SHARED)
        remember_shared(t, granule, then, bytes);
}

void rt_touch_range(struct rt_thread *t, uintptr_t address, size_t size, bool write,
                    uintptr_t caller) {
    struct need need = {0};
    if (size == 0 || !look_at_range(&need, t, address, size, write))
        return;
    uint64_t number = announce(t, &need);
    bool small = size <= 16;
    rt_put(t,
           st_stream_what(write ? ST_STREAM_WRITE : ST_STREAM_READ, small ? (unsigned)size : 0,
                          address),
           caller);
    if (!small)
        rt_put(t, st_stream_what(ST_STREAM_LENGTH, 0, 0), size);
    rt_publish(t);
    for (uintptr_t g = address & ~(uintptr_t)7; g < address + size; g += 8)
        touch_granule(t, g, bytes_in(g, address, size), write, number);
}

/* ---- fresh memory ---- */

enum { LARGE = 256 * 1024 };

static bool was_touched(uintptr_t address, size_t size) {
    for (uintptr_t g = address & ~(uintptr_t)7; g < address + size; g += 8)
        if (atomic_load_explicit(rt_cell(g), memory_order_relaxed))
            return true;
    return false;
}

static void tell_memory(struct rt_thread *t, enum st_stream_op op, uintptr_t address, size_t size,
                        uintptr_t caller) {
    rt_put(t, st_stream_what(op, 0, address), caller);
    rt_put(t, st_stream_what(ST_STREAM_LENGTH, 0, 0), size);
    rt_publish(t);
}

/* Of large blocks whole pages of cells are given back, which says nothing about when; the number at
 * their next allocation does. */
void rt_allocate(const void *memory, size_t size, uintptr_t caller) {
    struct rt_thread *t = rt_self;
    if (size >= LARGE)
        rt_draw(t);
    tell_memory(t, ST_STREAM_ALLOCATE, (uintptr_t)memory, size, caller);
}

static void forget_cells(uintptr_t address, size_t size, uint64_t number) {
    uintptr_t end = address + size, page = 4096;
    uintptr_t first = (address + page - 1) & -page, last = end & -page;
    if (size >= LARGE && last > first) {
        madvise((void *)rt_cell(first), last - first, MADV_DONTNEED);
        forget_cells(address, first - address, number);
        forget_cells(last, end - last, number);
        return;
    }
    for (uintptr_t g = address & ~(uintptr_t)7; g < end; g += 8)
        if (atomic_load_explicit(rt_cell(g), memory_order_relaxed))
            atomic_store_explicit(rt_cell(g), rt_cell_with_number(RT_CELL_FREED, number),
                                  memory_order_release);
}

void rt_free(const void *memory, size_t size) {
    uintptr_t address = (uintptr_t)memory;
    struct rt_thread *t = rt_self;
    if (size == 0 || (size < LARGE && !was_touched(address, size)))
        return; /* as if it had never been there */
    uint64_t number = rt_draw(t);
    tell_memory(t, ST_STREAM_FREE, address, size, 0);
    forget_cells(address, size, number);
}

void rt_mark_guard(const volatile void *guard) {
    uint64_t cell = rt_cell_with_number(RT_CELL_SHARED, rt_self->number) | RT_CELL_GUARD;
    atomic_store_explicit(rt_cell((uintptr_t)guard), cell, memory_order_release);
}

void rt_read_range(uintptr_t address, size_t size, uintptr_t caller) {
    rt_touch_range(rt_self, address, size, false, caller);
}

void rt_write_range(uintptr_t address, size_t size, uintptr_t caller) {
    rt_touch_range(rt_self, address, size, true, caller);
}
