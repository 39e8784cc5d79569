/* Annotations of synchronisation and of memory: ThreadSanitizer's own, and the dynamic annotations
 * (Annotate*) that it shares with Valgrind's tools and WebKit. Locks are in custom_locks.c. */
#include "runtime/core/access.h"
#include "runtime/core/memory_events.h"
#include "runtime/core/sync_events.h"
#include "runtime/tsan/annotation.h"
#include "runtime/tsan/ignoring.h"

/* ---- order ---- */

enum { ANNOTATED = 255 }; /* the channel */

#define SYNC(name, ...)                                                                            \
    RT_EXPORT void name(void *object);                                                             \
    RT_EXPORT void name(void *object) {                                                            \
        if (!rt_enter())                                                                           \
            return;                                                                                \
        __VA_ARGS__;                                                                               \
        rt_leave();                                                                                \
    }

SYNC(__tsan_acquire, rt_receive(object, ANNOTATED, RT_CALLER))
SYNC(__tsan_release, rt_send(object, ANNOTATED, RT_CALLER))
SYNC(__tsan_java_acquire, rt_receive(object, ANNOTATED, RT_CALLER))
SYNC(__tsan_java_release, rt_send(object, ANNOTATED, RT_CALLER))
SYNC(__tsan_java_release_store, rt_send(object, ANNOTATED, RT_CALLER))

ANNOTATE(AnnotateHappensBefore, rt_send(object, ANNOTATED, RT_CALLER))
ANNOTATE(AnnotateHappensAfter, rt_receive(object, ANNOTATED, RT_CALLER))
ANNOTATE(WTFAnnotateHappensBefore, rt_send(object, ANNOTATED, RT_CALLER))
ANNOTATE(WTFAnnotateHappensAfter, rt_receive(object, ANNOTATED, RT_CALLER))

/* A condition variable: who waits for it waits on purpose. */
ANNOTATE(AnnotateCondVarSignal, rt_send(object, ANNOTATED, RT_CALLER))
ANNOTATE(AnnotateCondVarSignalAll, rt_send(object, ANNOTATED, RT_CALLER))

RT_EXPORT void AnnotateCondVarWait(const char *file, int line, const volatile void *condition,
                                   const volatile void *lock);
RT_EXPORT void AnnotateCondVarWait(const char *file, int line, const volatile void *condition,
                                   const volatile void *lock) {
    (void)file, (void)line, (void)lock;
    if (!rt_enter())
        return;
    rt_split();
    rt_receive(condition, ANNOTATED, RT_CALLER);
    rt_leave();
}

/* A queue: what was put in happens before what is taken out later. */
ANNOTATE(AnnotatePCQPut, rt_send(object, ANNOTATED, RT_CALLER))
ANNOTATE(AnnotatePCQGet, rt_receive(object, ANNOTATED, RT_CALLER))

/* ---- what is not to be seen ---- */

#define IGNORE(name, change, kinds)                                                                \
    RT_EXPORT void name(void);                                                                     \
    RT_EXPORT void name(void) {                                                                    \
        if (!rt_enter())                                                                           \
            return;                                                                                \
        change(kinds);                                                                             \
        rt_leave();                                                                                \
    }

/* Their file and line make no difference. */
IGNORE(AnnotateIgnoreReadsBegin, rt_ignore_begin, RT_IGNORE_READS)
IGNORE(AnnotateIgnoreReadsEnd, rt_ignore_end, RT_IGNORE_READS)
IGNORE(AnnotateIgnoreWritesBegin, rt_ignore_begin, RT_IGNORE_WRITES)
IGNORE(AnnotateIgnoreWritesEnd, rt_ignore_end, RT_IGNORE_WRITES)
IGNORE(AnnotateIgnoreSyncBegin, rt_ignore_begin, RT_IGNORE_SYNC)
IGNORE(AnnotateIgnoreSyncEnd, rt_ignore_end, RT_IGNORE_SYNC)
IGNORE(__tsan_ignore_thread_begin, rt_ignore_begin, RT_IGNORE_READS | RT_IGNORE_WRITES)
IGNORE(__tsan_ignore_thread_end, rt_ignore_end, RT_IGNORE_READS | RT_IGNORE_WRITES)

/* ---- memory ---- */

/* An allocator of the program hands it out: what was there before is other memory. */
RT_EXPORT void AnnotateNewMemory(const char *file, int line, const volatile void *memory,
                                 size_t size);
RT_EXPORT void AnnotateNewMemory(const char *file, int line, const volatile void *memory,
                                 size_t size) {
    (void)file, (void)line;
    if (!rt_enter())
        return;
    rt_free((const void *)memory, size);
    rt_allocate((const void *)memory, size, RT_CALLER);
    rt_leave();
}

/* Accesses that a library without instrumentation makes to an object of its own, which is a byte.
 */
RT_EXPORT void __tsan_external_read(void *object, void *caller, void *tag);
RT_EXPORT void __tsan_external_read(void *object, void *caller, void *tag) {
    (void)tag;
    rt_access((uintptr_t)object, 1, false, (uintptr_t)caller);
}

RT_EXPORT void __tsan_external_write(void *object, void *caller, void *tag);
RT_EXPORT void __tsan_external_write(void *object, void *caller, void *tag) {
    (void)tag;
    rt_access((uintptr_t)object, 1, true, (uintptr_t)caller);
}

/* A tag is different from all others. */
RT_EXPORT void *__tsan_external_register_tag(const char *type);
RT_EXPORT void *__tsan_external_register_tag(const char *type) {
    static _Atomic uintptr_t tags;
    (void)type;
    return (void *)(atomic_fetch_add(&tags, 1) + 1);
}

/* A heap that the program manages. */
RT_EXPORT void __tsan_java_alloc(void *memory, size_t size);
RT_EXPORT void __tsan_java_alloc(void *memory, size_t size) {
    if (!rt_enter())
        return;
    rt_allocate(memory, size, RT_CALLER);
    rt_leave();
}

RT_EXPORT void __tsan_java_free(void *memory, size_t size);
RT_EXPORT void __tsan_java_free(void *memory, size_t size) {
    if (!rt_enter())
        return;
    rt_free(memory, size);
    rt_leave();
}

/* While a collector moves objects, the program stands still: it comes after that anyway. */
RT_EXPORT void __tsan_java_move(void *from, void *to, size_t size);
RT_EXPORT void __tsan_java_move(void *from, void *to, size_t size) {
    if (!rt_enter())
        return;
    rt_free(from, size);
    rt_free(to, size);
    rt_allocate(to, size, RT_CALLER);
    rt_leave();
}

/* ---- who is watching ---- */

RT_EXPORT int RunningOnValgrind(void);
RT_EXPORT int RunningOnValgrind(void) {
    return 0;
}

RT_EXPORT double ValgrindSlowdown(void);
RT_EXPORT double ValgrindSlowdown(void) {
    return 10;
}

/* "pure_happens_before" is the only question, and here as there the answer is yes. */
RT_EXPORT const char *ThreadSanitizerQuery(const char *query);
RT_EXPORT const char *ThreadSanitizerQuery(const char *query) {
    static const char known[] = "pure_happens_before";
    size_t i = 0;
    while (i < sizeof known && query[i] == known[i])
        i++;
    return i == sizeof known ? "1" : "0";
}
