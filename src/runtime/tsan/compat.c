/* The rest of ThreadSanitizer's interface: what programs and tests call by name, and what has no
 * meaning here but must exist. Reports are made elsewhere, so there is none to ask about, and data
 * races are not what we look for, so none is expected or benign. */
#include "runtime/core/runtime.h"
#include "runtime/core/system_call.h"

#include <linux/futex.h>
#include <sys/syscall.h>

#define NOTHING(name)                                                                              \
    RT_EXPORT void *name(void);                                                                    \
    RT_EXPORT void *name(void) {                                                                   \
        return NULL;                                                                               \
    }

/* ---- barriers in tests ---- */

/* They force a schedule and order nothing, so they emit nothing. Bits 0 to 9 are how many threads
 * meet, bits 10 to 31 how many have come. Some programs have 64 bits for it, and some only 32. */
enum { COUNT_BITS = 10 };

RT_EXPORT void __tsan_testonly_barrier_init(uint32_t *barrier, unsigned count);
RT_EXPORT void __tsan_testonly_barrier_init(uint32_t *barrier, unsigned count) {
    __atomic_store_n(barrier, count & ((1u << COUNT_BITS) - 1), __ATOMIC_SEQ_CST);
}

static unsigned round_of(uint32_t word) {
    uint32_t count = word & ((1u << COUNT_BITS) - 1);
    return count ? (word >> COUNT_BITS) / count : 0;
}

RT_EXPORT void __tsan_testonly_barrier_wait(uint32_t *word);
RT_EXPORT void __tsan_testonly_barrier_wait(uint32_t *word) {
    uint32_t before = __atomic_fetch_add(word, 1u << COUNT_BITS, __ATOMIC_SEQ_CST), now;
    if (!(before & ((1u << COUNT_BITS) - 1)))
        return; /* nobody said how many */
    if (round_of(before + (1u << COUNT_BITS)) != round_of(before)) {
        rt_system_call(SYS_futex, (long)word, FUTEX_WAKE, 1 << 30, 0, 0, 0);
        return;
    }
    while (round_of(now = __atomic_load_n(word, __ATOMIC_SEQ_CST)) == round_of(before))
        rt_system_call(SYS_futex, (long)word, FUTEX_WAIT, now, 0, 0, 0);
}

/* ---- without a meaning here ---- */

NOTHING(__tsan_external_assign_tag)
NOTHING(__tsan_external_register_header)
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
NOTHING(__tsan_java_finalize)
NOTHING(__tsan_java_find)
NOTHING(__tsan_java_fini)
NOTHING(__tsan_java_init)
NOTHING(__tsan_locate_address)
NOTHING(__tsan_testonly_shadow_stack_current_size)

NOTHING(AnnotateBenignRace)
NOTHING(AnnotateBenignRaceSized)
NOTHING(WTFAnnotateBenignRaceSized)
NOTHING(AnnotateEnableRaceDetection)
NOTHING(AnnotateExpectRace)
NOTHING(AnnotateFlushExpectedRaces)
NOTHING(AnnotateFlushState)
NOTHING(AnnotateMemoryIsInitialized)
NOTHING(AnnotateMemoryIsUninitialized)
NOTHING(AnnotateMutexIsNotPHB)
NOTHING(AnnotateMutexIsUsedAsCondVar)
NOTHING(AnnotateNoOp)
NOTHING(AnnotatePCQCreate)
NOTHING(AnnotatePCQDestroy)
NOTHING(AnnotatePublishMemoryRange)
NOTHING(AnnotateThreadName)
NOTHING(AnnotateTraceMemory)
NOTHING(AnnotateUnpublishMemoryRange)
