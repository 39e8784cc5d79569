/* How the functions of dynamic annotations are defined, which Valgrind's tools know, too. */
#ifndef SERIATIM_RUNTIME_TSAN_ANNOTATION_H
#define SERIATIM_RUNTIME_TSAN_ANNOTATION_H

#include "runtime/core/runtime.h"
#include "runtime/core/thread_state.h"

/* void AnnotateHappensBefore(const char *file, int line, const volatile void *object) and the like.
 */
#define ANNOTATE(name, ...)                                                                        \
    RT_EXPORT void name(const char *file, int line, const volatile void *object);                  \
    RT_EXPORT void name(const char *file, int line, const volatile void *object) {                 \
        (void)file, (void)line;                                                                    \
        if (!rt_enter())                                                                           \
            return;                                                                                \
        __VA_ARGS__;                                                                               \
        rt_leave();                                                                                \
    }

#endif
