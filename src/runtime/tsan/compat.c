/* What programs call of ThreadSanitizer by name: annotations of their own synchronisation, and the
 * rest of its interface, which has no meaning here but must exist. */
#include "runtime/core/sync_events.h"
#include "runtime/core/thread_state.h"

#define NOTHING(name)                                                                              \
    RT_EXPORT void *name(void);                                                                    \
    RT_EXPORT void *name(void) {                                                                   \
        return NULL;                                                                               \
    }

/* ---- synchronisation ---- */

#define SYNC(name, emit)                                                                           \
    RT_EXPORT void name(void *object);                                                             \
    RT_EXPORT void name(void *object) {                                                            \
        if (!rt_enter())                                                                           \
            return;                                                                                \
        emit(object, 255, RT_CALLER);                                                              \
        rt_leave();                                                                                \
    }

SYNC(__tsan_acquire, rt_receive)
SYNC(__tsan_release, rt_send)
SYNC(__tsan_java_acquire, rt_receive)
SYNC(__tsan_java_release, rt_send)
SYNC(__tsan_java_release_store, rt_send)

/* void AnnotateHappensBefore(const char *file, int line, void *address) and the like. */
#define ANNOTATE_SYNC(name, emit)                                                                  \
    RT_EXPORT void name(const char *file, int line, void *object);                                 \
    RT_EXPORT void name(const char *file, int line, void *object) {                                \
        (void)file, (void)line;                                                                    \
        if (!rt_enter())                                                                           \
            return;                                                                                \
        emit(object, 255, RT_CALLER);                                                              \
        rt_leave();                                                                                \
    }

ANNOTATE_SYNC(AnnotateHappensBefore, rt_send)
ANNOTATE_SYNC(AnnotateHappensAfter, rt_receive)
ANNOTATE_SYNC(AnnotateCondVarSignal, rt_send)
ANNOTATE_SYNC(AnnotateCondVarSignalAll, rt_send)

/* ---- the mutexes of programs that make their own ---- */

enum { TRY_LOCK_FAILED = 1 << 5, READ_LOCK = 1 << 3 };

RT_EXPORT void __tsan_mutex_post_lock(void *mutex, unsigned flags, int recursion);
RT_EXPORT void __tsan_mutex_post_lock(void *mutex, unsigned flags, int recursion) {
    (void)recursion;
    if (flags & TRY_LOCK_FAILED || !rt_enter())
        return;
    rt_acquire_as(mutex, flags & READ_LOCK ? ST_STREAM_READING : ST_STREAM_WRITING, RT_CALLER);
    rt_leave();
}

RT_EXPORT int __tsan_mutex_pre_unlock(void *mutex, unsigned flags);
RT_EXPORT int __tsan_mutex_pre_unlock(void *mutex, unsigned flags) {
    if (!rt_enter())
        return 0;
    rt_release_as(mutex, flags & READ_LOCK ? ST_STREAM_READING : ST_STREAM_WRITING, RT_CALLER);
    rt_leave();
    return 0;
}

NOTHING(__tsan_mutex_create)
NOTHING(__tsan_mutex_destroy)
NOTHING(__tsan_mutex_pre_lock)
NOTHING(__tsan_mutex_post_unlock)
NOTHING(__tsan_mutex_pre_signal)
NOTHING(__tsan_mutex_post_signal)
NOTHING(__tsan_mutex_pre_divert)
NOTHING(__tsan_mutex_post_divert)

/* ---- without a meaning here ---- */

NOTHING(__tsan_external_assign_tag)
NOTHING(__tsan_external_read)
NOTHING(__tsan_external_register_header)
NOTHING(__tsan_external_register_tag)
NOTHING(__tsan_external_write)
NOTHING(__tsan_flush_memory)
NOTHING(__tsan_get_alloc_stack)
NOTHING(__tsan_get_current_report)
NOTHING(__tsan_get_report_data)
NOTHING(__tsan_get_report_loc)
NOTHING(__tsan_get_report_loc_object_type)
NOTHING(__tsan_get_report_mop)
NOTHING(__tsan_get_report_mutex)
NOTHING(__tsan_get_report_stack)
NOTHING(__tsan_get_report_tag)
NOTHING(__tsan_get_report_thread)
NOTHING(__tsan_get_report_unique_tid)
NOTHING(__tsan_java_alloc)
NOTHING(__tsan_java_finalize)
NOTHING(__tsan_java_find)
NOTHING(__tsan_java_fini)
NOTHING(__tsan_java_free)
NOTHING(__tsan_java_init)
NOTHING(__tsan_java_move)
NOTHING(__tsan_java_mutex_lock)
NOTHING(__tsan_java_mutex_lock_rec)
NOTHING(__tsan_java_mutex_read_lock)
NOTHING(__tsan_java_mutex_read_unlock)
NOTHING(__tsan_java_mutex_unlock)
NOTHING(__tsan_java_mutex_unlock_rec)
NOTHING(__tsan_locate_address)
NOTHING(__tsan_testonly_barrier_init)
NOTHING(__tsan_testonly_barrier_wait)
NOTHING(__tsan_testonly_shadow_stack_current_size)

NOTHING(AnnotateBenignRace)
NOTHING(AnnotateBenignRaceSized)
NOTHING(AnnotateCondVarWait)
NOTHING(AnnotateEnableRaceDetection)
NOTHING(AnnotateExpectRace)
NOTHING(AnnotateFlushExpectedRaces)
NOTHING(AnnotateFlushState)
NOTHING(AnnotateIgnoreReadsBegin)
NOTHING(AnnotateIgnoreReadsEnd)
NOTHING(AnnotateIgnoreSyncBegin)
NOTHING(AnnotateIgnoreSyncEnd)
NOTHING(AnnotateIgnoreWritesBegin)
NOTHING(AnnotateIgnoreWritesEnd)
NOTHING(AnnotateMemoryIsInitialized)
NOTHING(AnnotateMemoryIsUninitialized)
NOTHING(AnnotateMutexIsNotPHB)
NOTHING(AnnotateMutexIsUsedAsCondVar)
NOTHING(AnnotateNewMemory)
NOTHING(AnnotateNoOp)
NOTHING(AnnotatePCQCreate)
NOTHING(AnnotatePCQDestroy)
NOTHING(AnnotatePCQGet)
NOTHING(AnnotatePCQPut)
NOTHING(AnnotatePublishMemoryRange)
NOTHING(AnnotateRWLockAcquired)
NOTHING(AnnotateRWLockCreate)
NOTHING(AnnotateRWLockCreateStatic)
NOTHING(AnnotateRWLockDestroy)
NOTHING(AnnotateRWLockReleased)
NOTHING(AnnotateThreadName)
NOTHING(AnnotateTraceMemory)
NOTHING(AnnotateUnpublishMemoryRange)
