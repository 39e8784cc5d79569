#include "runtime/core/access.h"

void rt_announce(struct rt_thread *t, const struct rt_need *need) {
    rt_observe(t, need->observe);
    if (need->number)
        rt_draw(t);
}

void rt_put_access(struct rt_thread *t, uintptr_t address, size_t size, bool write,
                   uintptr_t caller) {
    enum st_stream_op op = write ? ST_STREAM_WRITE : ST_STREAM_READ;
    bool small = size <= 16;
    rt_put(t, st_stream_what(op, small ? (unsigned)size : 0, address), caller);
    if (!small)
        rt_put(t, st_stream_what(ST_STREAM_LENGTH, 0, 0), size);
}

void rt_keep_in_table(struct rt_thread *t, uintptr_t granule, uint64_t write, uint32_t bytes,
                      uintptr_t caller, bool told) {
    const struct rt_shared_read *read = rt_shared_read(t, granule);
    bool same = rt_was_shared_read(read, granule, write);
    uint64_t flag = told ? RT_TOLD : 0, mine = t->current | bytes | flag;
    if (same && rt_is_of(read->mine, t->current))
        mine = (read->mine & ~(uint64_t)RT_TOLD) | bytes | (read->mine & flag);
    else
        rt_settle_shared_read(t, rt_place_of(granule), same ? bytes : 0);
    rt_remember_shared(t, granule, write, mine, caller);
}

static void touch_range(struct rt_thread *t, uintptr_t address, size_t size, bool write,
                        uintptr_t caller) {
    if (size)
        (rt_late ? rt_keep_range : rt_tell_range)(t, address, size, write, caller);
}

void rt_range_slow(uintptr_t address, size_t size, bool write, uintptr_t caller) {
    if (!rt_enter())
        return;
    touch_range(rt_self, address, size, write, caller);
    rt_leave();
}

void rt_read_range(uintptr_t address, size_t size, uintptr_t caller) {
    touch_range(rt_self, address, size, false, caller);
}

void rt_write_range(uintptr_t address, size_t size, uintptr_t caller) {
    touch_range(rt_self, address, size, true, caller);
}
