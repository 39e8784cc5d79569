/* Locks that programs make themselves, and annotate: with ThreadSanitizer's __tsan_mutex_*, with
 * the older AnnotateRWLock*, or with its interface for Java.
 *
 * Such a lock is a mutex until it is locked for reading for the first time, and a read-write lock
 * from then on, with the events that intercept/rwlock.c describes. What its implementation does
 * between the annotations, accesses and synchronisation, is ignored. */
#include "runtime/core/spin.h"
#include "runtime/core/sync_events.h"
#include "runtime/core/system_call.h"
#include "runtime/tsan/annotation.h"
#include "runtime/tsan/ignoring.h"

#include <sys/syscall.h>

/* ---- what is known about each lock ---- */

struct custom_lock {
    uintptr_t address; /* 0: none */
    uint32_t levels;   /* so often its holder has locked it for writing */
    bool readers;      /* it was locked for reading once */
    bool not_static;   /* __tsan_mutex_not_static */
};

/* Hash tables with open addressing, at most half full. A lock that was destroyed stays. */
enum { TABLES = 64, FIRST_CAPACITY = 64 };
static struct table {
    struct rt_spin busy; /* held between rt_enter and rt_leave only */
    struct custom_lock *list;
    size_t count, capacity; /* a power of two */
} tables[TABLES];

static uint64_t hash_of(uintptr_t address) {
    return (address >> 2) * UINT64_C(0x9e3779b97f4a7c15);
}

static struct custom_lock *place_of(const struct table *table, uintptr_t address) {
    size_t i = hash_of(address) >> 32 & (table->capacity - 1);
    while (table->list[i].address && table->list[i].address != address)
        i = (i + 1) & (table->capacity - 1);
    return &table->list[i];
}

static bool grow_table(struct table *table) {
    struct table larger = *table;
    larger.capacity = table->capacity ? 2 * table->capacity : FIRST_CAPACITY;
    larger.list = rt_map_memory(larger.capacity * sizeof *larger.list);
    if (!larger.list)
        return false;
    for (size_t i = 0; i < table->capacity; i++)
        if (table->list[i].address)
            *place_of(&larger, table->list[i].address) = table->list[i];
    if (table->list)
        rt_system_call(SYS_munmap, (long)table->list, (long)(table->capacity * sizeof *table->list),
                       0, 0, 0, 0);
    table->list = larger.list;
    table->capacity = larger.capacity;
    return true;
}

static struct table *lock_table_of(uintptr_t address) {
    struct table *table = &tables[hash_of(address) % TABLES];
    rt_spin_lock(&table->busy);
    return table;
}

/* In its table, which is locked; a new one if it was not there. Without memory for it, a lock that
 * has readers: so no order is lost. */
static struct custom_lock *find_lock(struct table *table, uintptr_t address) {
    static struct custom_lock unknown;
    if (2 * table->count >= table->capacity && !grow_table(table)) {
        unknown = (struct custom_lock){.readers = true};
        return &unknown;
    }
    struct custom_lock *lock = place_of(table, address);
    if (!lock->address) {
        lock->address = address;
        table->count++;
    }
    return lock;
}

/* ---- events ---- */

/* From now on it has readers, who have to come after the writers so far: the reader is the first
 * one that was let in after them. */
static bool notice_reader(const volatile void *object) {
    struct table *table = lock_table_of((uintptr_t)object);
    struct custom_lock *lock = find_lock(table, (uintptr_t)object);
    bool first = !lock->readers;
    lock->readers = true;
    rt_spin_unlock(&table->busy);
    return first;
}

static void read_locked(const volatile void *object, uintptr_t caller) {
    if (notice_reader(object)) {
        rt_acquire(object, caller);
        rt_release_as(object, ST_STREAM_WRITING, caller);
        rt_release(object, caller);
    }
    rt_acquire_as(object, ST_STREAM_READING, caller);
}

static void read_unlocked(const volatile void *object, uintptr_t caller) {
    rt_release_as(object, ST_STREAM_READING, caller);
}

static void write_locked(const volatile void *object, int levels, uintptr_t caller) {
    struct table *table = lock_table_of((uintptr_t)object);
    struct custom_lock *lock = find_lock(table, (uintptr_t)object);
    bool readers = lock->readers, again = lock->levels > 0;
    lock->levels += (uint32_t)levels;
    rt_spin_unlock(&table->busy);
    if (!readers)
        for (int i = 0; i < levels; i++)
            rt_acquire(object, caller);
    else if (!again)
        rt_acquire_as(object, ST_STREAM_WRITING, caller);
}

/* Returns how many levels were left. */
static int write_unlocked(const volatile void *object, bool all, uintptr_t caller) {
    struct table *table = lock_table_of((uintptr_t)object);
    struct custom_lock *lock = find_lock(table, (uintptr_t)object);
    bool readers = lock->readers;
    uint32_t levels = all && lock->levels ? lock->levels : 1;
    lock->levels -= lock->levels ? levels : 0;
    bool last = lock->levels == 0;
    rt_spin_unlock(&table->busy);
    if (!readers)
        for (uint32_t i = 0; i < levels; i++)
            rt_release(object, caller);
    else if (last)
        rt_release_as(object, ST_STREAM_WRITING, caller);
    return (int)levels;
}

/* Its memory begins a new life. */
static void renew(const volatile void *object, bool not_static) {
    struct table *table = lock_table_of((uintptr_t)object);
    struct custom_lock *lock = find_lock(table, (uintptr_t)object);
    lock->readers = false;
    lock->levels = 0;
    lock->not_static = not_static;
    rt_spin_unlock(&table->busy);
}

/* ---- __tsan_mutex_* ---- */

enum {
    LINKER_INIT = 1 << 0,
    READ_LOCK = 1 << 3,
    TRY_LOCK_FAILED = 1 << 5,
    RECURSIVE_LOCK = 1 << 6,
    RECURSIVE_UNLOCK = 1 << 7,
    NOT_STATIC = 1 << 8,
    INSIDE = RT_IGNORE_READS | RT_IGNORE_WRITES | RT_IGNORE_SYNC,
};

/* A mutex with static storage may be used after its destructor: then there is nothing to do. */
static void destroy(const volatile void *object, unsigned flags) {
    struct table *table = lock_table_of((uintptr_t)object);
    bool was_not_static = find_lock(table, (uintptr_t)object)->not_static;
    rt_spin_unlock(&table->busy);
    if (!(flags & LINKER_INIT) && (!(flags & NOT_STATIC) || was_not_static))
        renew(object, false);
}

/* RT_CALLER is the program in each of them. */
#define ANNOTATION(name, ...)                                                                      \
    RT_EXPORT void name(void *object, unsigned flags);                                             \
    RT_EXPORT void name(void *object, unsigned flags) {                                            \
        (void)object, (void)flags;                                                                 \
        if (!rt_enter())                                                                           \
            return;                                                                                \
        __VA_ARGS__;                                                                               \
        rt_leave();                                                                                \
    }

ANNOTATION(__tsan_mutex_create, renew(object, flags &NOT_STATIC))
ANNOTATION(__tsan_mutex_destroy, destroy(object, flags))
ANNOTATION(__tsan_mutex_pre_lock, rt_ignore_begin(INSIDE))
ANNOTATION(__tsan_mutex_post_unlock, rt_ignore_end(INSIDE))
ANNOTATION(__tsan_mutex_pre_signal, rt_ignore_begin(INSIDE))
ANNOTATION(__tsan_mutex_post_signal, rt_ignore_end(INSIDE))
ANNOTATION(__tsan_mutex_pre_divert, rt_ignore_end(INSIDE))
ANNOTATION(__tsan_mutex_post_divert, rt_ignore_begin(INSIDE))

RT_EXPORT void __tsan_mutex_post_lock(void *mutex, unsigned flags, int recursion);
RT_EXPORT void __tsan_mutex_post_lock(void *mutex, unsigned flags, int recursion) {
    if (!rt_enter())
        return;
    rt_ignore_end(INSIDE);
    if (flags & READ_LOCK && !(flags & TRY_LOCK_FAILED))
        read_locked(mutex, RT_CALLER);
    else if (!(flags & TRY_LOCK_FAILED))
        write_locked(mutex, flags & RECURSIVE_LOCK && recursion > 1 ? recursion : 1, RT_CALLER);
    rt_leave();
}

RT_EXPORT int __tsan_mutex_pre_unlock(void *mutex, unsigned flags);
RT_EXPORT int __tsan_mutex_pre_unlock(void *mutex, unsigned flags) {
    int levels = 0;
    if (!rt_enter())
        return 0;
    if (flags & READ_LOCK)
        read_unlocked(mutex, RT_CALLER);
    else
        levels = write_unlocked(mutex, flags & RECURSIVE_UNLOCK, RT_CALLER);
    rt_ignore_begin(INSIDE);
    rt_leave();
    return levels;
}

/* ---- Annotate* ---- */

ANNOTATE(AnnotateRWLockCreate, renew(object, false))
ANNOTATE(AnnotateRWLockCreateStatic, (void)object)
ANNOTATE(AnnotateRWLockDestroy, renew(object, false))

RT_EXPORT void AnnotateRWLockAcquired(const char *file, int line, const volatile void *lock,
                                      long write);
RT_EXPORT void AnnotateRWLockAcquired(const char *file, int line, const volatile void *lock,
                                      long write) {
    (void)file, (void)line;
    if (!rt_enter())
        return;
    if (write)
        write_locked(lock, 1, RT_CALLER);
    else
        read_locked(lock, RT_CALLER);
    rt_leave();
}

RT_EXPORT void AnnotateRWLockReleased(const char *file, int line, const volatile void *lock,
                                      long write);
RT_EXPORT void AnnotateRWLockReleased(const char *file, int line, const volatile void *lock,
                                      long write) {
    (void)file, (void)line;
    if (!rt_enter())
        return;
    if (write)
        write_unlocked(lock, false, RT_CALLER);
    else
        read_unlocked(lock, RT_CALLER);
    rt_leave();
}

/* ---- Java ---- */

#define JAVA_LOCK(name, ...)                                                                       \
    RT_EXPORT void name(void *object);                                                             \
    RT_EXPORT void name(void *object) {                                                            \
        if (!rt_enter())                                                                           \
            return;                                                                                \
        __VA_ARGS__;                                                                               \
        rt_leave();                                                                                \
    }

JAVA_LOCK(__tsan_java_mutex_lock, write_locked(object, 1, RT_CALLER))
JAVA_LOCK(__tsan_java_mutex_unlock, write_unlocked(object, false, RT_CALLER))
JAVA_LOCK(__tsan_java_mutex_read_lock, read_locked(object, RT_CALLER))
JAVA_LOCK(__tsan_java_mutex_read_unlock, read_unlocked(object, RT_CALLER))

RT_EXPORT void __tsan_java_mutex_lock_rec(void *object, int levels);
RT_EXPORT void __tsan_java_mutex_lock_rec(void *object, int levels) {
    if (!rt_enter())
        return;
    write_locked(object, levels > 1 ? levels : 1, RT_CALLER);
    rt_leave();
}

RT_EXPORT int __tsan_java_mutex_unlock_rec(void *object);
RT_EXPORT int __tsan_java_mutex_unlock_rec(void *object) {
    int levels = 0;
    if (rt_enter()) {
        levels = write_unlocked(object, true, RT_CALLER);
        rt_leave();
    }
    return levels;
}
