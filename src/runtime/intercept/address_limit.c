/* Limits on the addresses that a program may use (RLIMIT_AS). Shadow memory needs a multiple of any
 * limit that makes sense. So a limit that the program sets is made larger by what we use, and what
 * it asks for made smaller: it has the same room as without us. */
#define _GNU_SOURCE
#include "runtime/core/flush_deferred.h"
#include "runtime/core/shadow.h"
#include "runtime/intercept/interpose.h"

#include <errno.h>
#include <sys/resource.h>
#include <unistd.h>

RT_REAL(int, prlimit64, pid_t, __rlimit_resource_t, const struct rlimit64 *, struct rlimit64 *)

_Static_assert(sizeof(struct rlimit) == sizeof(struct rlimit64) && sizeof(rlim_t) == 8,
               "limits of both kinds are one");

/* For all threads that can come, for what they call, and for what they spill. It is set aside: a
 * program may use up all that it has, and ours with it. */
static const rlim_t for_threads =
    RT_SLOTS * (rlim_t)(sizeof(struct rt_thread) + 256 * 1024) + RT_MOST_SPILLED;

/* By so much the limit of this process is larger than what the program asked for, or one that it
 * was forked from. */
static _Atomic rlim_t added;

static rlim_t ours(void) {
    return rt_head ? rt_shadow_bytes + st_stream_bytes(rt_head->chunk_count) + for_threads : added;
}

static rlim_t larger(rlim_t limit) {
    return limit < RLIM_INFINITY - added ? limit + added : RLIM_INFINITY;
}

static rlim_t smaller(rlim_t limit) {
    return limit == RLIM_INFINITY ? limit : limit > added ? limit - added : 0;
}

static int change(pid_t process, __rlimit_resource_t which, const struct rlimit64 *limit,
                  struct rlimit64 *before) {
    bool own = which == RLIMIT_AS && (process == 0 || process == getpid());
    if (!own)
        return real_prlimit64()(process, which, limit, before);
    struct rlimit64 changed, was;
    int result = real_prlimit64()(process, which, NULL, &was);
    if (result == 0 && before)
        *before = (struct rlimit64){smaller(was.rlim_cur), smaller(was.rlim_max)};
    if (result || !limit)
        return result;
    added = ours();
    if (rt_head)
        rt_reserve_addresses(for_threads);
    changed = (struct rlimit64){larger(limit->rlim_cur), larger(limit->rlim_max)};
    if (was.rlim_max != RLIM_INFINITY && limit->rlim_max == smaller(was.rlim_max))
        changed.rlim_max = was.rlim_max; /* not raised */
    return real_prlimit64()(process, which, &changed, NULL);
}

RT_EXPORT int prlimit64(pid_t process, __rlimit_resource_t which, const struct rlimit64 *limit,
                        struct rlimit64 *before) {
    return change(process, which, limit, before);
}

RT_EXPORT int prlimit(pid_t process, __rlimit_resource_t which, const struct rlimit *limit,
                      struct rlimit *before) {
    return change(process, which, (const struct rlimit64 *)limit, (struct rlimit64 *)before);
}

RT_EXPORT int setrlimit64(__rlimit_resource_t which, const struct rlimit64 *limit) {
    return change(0, which, limit, NULL);
}

RT_EXPORT int setrlimit(__rlimit_resource_t which, const struct rlimit *limit) {
    return change(0, which, (const struct rlimit64 *)limit, NULL);
}

RT_EXPORT int getrlimit64(__rlimit_resource_t which, struct rlimit64 *limit) {
    return change(0, which, NULL, limit);
}

RT_EXPORT int getrlimit(__rlimit_resource_t which, struct rlimit *limit) {
    return change(0, which, NULL, (struct rlimit64 *)limit);
}
