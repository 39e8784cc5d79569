#define _GNU_SOURCE
#include "runtime/intercept/new_thread_mask.h"
#include "runtime/intercept/interpose.h"

#include <sched.h>

RT_REAL(int, pthread_attr_getsigmask_np, const pthread_attr_t *, sigset_t *)
RT_REAL(int, pthread_attr_setsigmask_np, pthread_attr_t *, const sigset_t *)
RT_REAL(int, pthread_getattr_default_np, pthread_attr_t *)

/* glibc says 0 when the attributes have a mask. Otherwise it says PTHREAD_ATTR_NO_SIGMASK_NP (-1),
 * and empties the set that it was given. */
static bool has_mask(const pthread_attr_t *attr, sigset_t *mask) {
    sigset_t found;
    if (!real_pthread_attr_getsigmask_np() || !real_pthread_attr_setsigmask_np() ||
        real_pthread_attr_getsigmask_np()(attr, &found))
        return false;
    *mask = found;
    return true;
}

static bool copy_stack(pthread_attr_t *to, const pthread_attr_t *from) {
    void *low;
    size_t size;
    if (pthread_attr_getstack(from, &low, &size))
        return false;
    if ((uintptr_t)low + size != 0) /* that is what it says when none was given */
        return pthread_attr_setstack(to, low, size) == 0;
    return pthread_attr_getstacksize(from, &size) == 0 && pthread_attr_setstacksize(to, size) == 0;
}

/* All processors: what it says when none were given, and the creator's are inherited. */
static bool copy_processors(pthread_attr_t *to, const pthread_attr_t *from) {
    cpu_set_t processors;
    if (pthread_attr_getaffinity_np(from, sizeof processors, &processors))
        return false;
    return CPU_COUNT(&processors) == CPU_SETSIZE ||
           pthread_attr_setaffinity_np(to, sizeof processors, &processors) == 0;
}

static bool copy_rest(pthread_attr_t *to, const pthread_attr_t *from) {
    int detached, inherited, policy, scope;
    size_t guard;
    struct sched_param parameters;
    return pthread_attr_getdetachstate(from, &detached) == 0 &&
           pthread_attr_setdetachstate(to, detached) == 0 &&
           pthread_attr_getguardsize(from, &guard) == 0 &&
           pthread_attr_setguardsize(to, guard) == 0 &&
           pthread_attr_getinheritsched(from, &inherited) == 0 &&
           pthread_attr_setinheritsched(to, inherited) == 0 &&
           pthread_attr_getschedpolicy(from, &policy) == 0 &&
           pthread_attr_setschedpolicy(to, policy) == 0 &&
           pthread_attr_getschedparam(from, &parameters) == 0 &&
           pthread_attr_setschedparam(to, &parameters) == 0 &&
           pthread_attr_getscope(from, &scope) == 0 && pthread_attr_setscope(to, scope) == 0;
}

/* The attributes belong to the program, and other threads may be using them: they are copied rather
 * than changed. */
static bool copy_attributes(pthread_attr_t *to, const pthread_attr_t *from, const sigset_t *mask) {
    if (pthread_attr_init(to))
        return false;
    if (copy_stack(to, from) && copy_processors(to, from) && copy_rest(to, from) &&
        real_pthread_attr_setsigmask_np()(to, mask) == 0)
        return true;
    pthread_attr_destroy(to);
    return false;
}

/* Copies them if they have a mask, which is written to `mask`; the copy has `all` instead. */
static bool replace_mask(pthread_attr_t *copy, const pthread_attr_t *attr, sigset_t *mask,
                         const sigset_t *all) {
    return has_mask(attr, mask) && copy_attributes(copy, attr, all);
}

/* The same for those that a thread gets when it is created without any. */
static bool replace_default_mask(pthread_attr_t *copy, sigset_t *mask, const sigset_t *all) {
    pthread_attr_t attr;
    if (!real_pthread_getattr_default_np() || real_pthread_getattr_default_np()(&attr))
        return false;
    bool replaced = replace_mask(copy, &attr, mask, all);
    pthread_attr_destroy(&attr);
    return replaced;
}

const pthread_attr_t *rt_block_signals(struct rt_blocked *blocked, const pthread_attr_t *attr,
                                       sigset_t *mask) {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &blocked->before);
    *mask = blocked->before;
    blocked->copied = attr ? replace_mask(&blocked->attr, attr, mask, &all)
                           : replace_default_mask(&blocked->attr, mask, &all);
    return blocked->copied ? &blocked->attr : attr;
}

void rt_unblock_signals(struct rt_blocked *blocked) {
    if (blocked->copied)
        pthread_attr_destroy(&blocked->attr);
    pthread_sigmask(SIG_SETMASK, &blocked->before, NULL);
}
