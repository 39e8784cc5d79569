/* Calls into the C++ library that wait for other threads or let them go on.
 *
 * libstdc++ makes them from atomics and futexes, in headers that are compiled with the program.
 * What they mean is known by their names. A function that waits is never a step of the block around
 * it, whether its thread had to sleep or found at once what it waits for: that is chance, and the
 * answer must not depend on it. So blocks are split there in any case.
 *
 * The waits of std::condition_variable_any are split where they sleep (pthread_cond_wait), as those
 * of std::condition_variable are: the program's own code reads the condition, also where it was
 * inlined, and the block acts on what it has seen. That such a wait tells a std::stop_token whom to
 * wake is no send.
 *
 * Who is to be called when a std::stop_token says so is in a list, under a lock that is one bit of
 * a word with a flag and a count. The atomics are sends and receives; the list is nobody's data,
 * and neither is what a wait puts into it. What a std::stop_callback of the program carries is.
 *
 * A std::atomic<std::shared_ptr> is two pointers, and the lowest bit of one of them is a lock. It
 * is one for us, too: then each operation has one step, what it does to the other pointer. */
#include "watch/translator_state.h"

#include "base/memory.h"

#include <string.h>

/* A name matches if it begins like one and ends like the other, template arguments aside. */
static const struct {
    const char *start, *end;
    unsigned calls;
} table[] = {
    {"std::__atomic_wait_address", "", CALL_WAITS},
    {"std::__atomic_base<", "::wait", CALL_WAITS},
    {"std::__atomic_ref<", "::wait", CALL_WAITS},
    {"std::atomic<", "::wait", CALL_WAITS},
    {"std::atomic_ref<", "::wait", CALL_WAITS},
    {"std::atomic_flag::wait", "", CALL_WAITS},
    {"std::atomic_flag_wait", "", CALL_WAITS},
    {"std::atomic_wait", "", CALL_WAITS},
    {"std::latch::", "", CALL_SIGNALS},
    {"std::latch::", "::wait", CALL_WAITS},
    {"std::latch::", "::arrive_and_wait", CALL_WAITS},
    {"std::barrier<", "::arrive", CALL_WAITS | CALL_SIGNALS | CALL_RECEIVES},
    {"std::barrier<", "::wait", CALL_WAITS | CALL_SIGNALS | CALL_RECEIVES},
    {"std::barrier<", "::arrive_and_wait", CALL_WAITS | CALL_SIGNALS | CALL_RECEIVES},
    {"std::barrier<", "::arrive_and_drop", CALL_WAITS | CALL_SIGNALS | CALL_RECEIVES},
    {"std::__tree_barrier<", "::arrive", CALL_WAITS | CALL_SIGNALS | CALL_RECEIVES},
    {"std::__tree_barrier<", "::wait", CALL_WAITS | CALL_SIGNALS | CALL_RECEIVES},
    {"std::__tree_barrier<", "::arrive_and_drop", CALL_WAITS | CALL_SIGNALS | CALL_RECEIVES},
    {"std::counting_semaphore<", "", CALL_SEMAPHORE},
    {"std::counting_semaphore<", "::acquire", CALL_WAITS},
    {"std::counting_semaphore<", "::try_acquire_for", CALL_WAITS},
    {"std::counting_semaphore<", "::try_acquire_until", CALL_WAITS},
    {"std::__atomic_semaphore::", "", CALL_SEMAPHORE},
    {"std::__atomic_semaphore::_M_try_acquire_", "", CALL_WAITS},
    {"std::__atomic_semaphore::_M_acquire", "", CALL_WAITS},
    {"std::future<", "", CALL_SIGNALS},
    {"std::future<", "::get", CALL_WAITS},
    {"std::shared_future<", "", CALL_SIGNALS},
    {"std::shared_future<", "::get", CALL_WAITS},
    {"std::__basic_future<", "", CALL_SIGNALS},
    {"std::__basic_future<", "::wait", CALL_WAITS},
    {"std::__basic_future<", "::wait_for", CALL_WAITS},
    {"std::__basic_future<", "::wait_until", CALL_WAITS},
    {"std::__basic_future<", "::_M_get_result", CALL_WAITS},
    {"std::__future_base::", "", CALL_SIGNALS},
    {"std::__future_base::", "::wait", CALL_WAITS},
    {"std::__future_base::", "::wait_for", CALL_WAITS},
    {"std::__future_base::", "::wait_until", CALL_WAITS},
    {"std::promise<", "", CALL_SIGNALS},
    {"std::packaged_task<", "", CALL_SIGNALS},
    {"std::async<", "", CALL_SIGNALS},
    {"std::stop_", "", CALL_SIGNALS | CALL_RECEIVES},
    {"std::stop_token::_Stop_state_t::", "", CALL_LISTS},
    {"std::stop_token::_Stop_cb::", "", CALL_LISTS},
    {"std::stop_callback<std::_V2::condition_variable_any::", "", CALL_LISTS},
    {"std::_V2::condition_variable_any::wait", "::operator()", CALL_LISTS},
    {"std::jthread::", "", CALL_SIGNALS | CALL_RECEIVES},
    {"std::_V2::condition_variable_any::", "", CALL_SIGNALS | CALL_RECEIVES},
    {"std::_V2::condition_variable_any::", "::wait", CALL_ASKS},
    {"std::_V2::condition_variable_any::", "::wait_for", CALL_ASKS},
    {"std::_V2::condition_variable_any::", "::wait_until", CALL_ASKS},
    {"std::_Sp_counted_base<", "::_M_add_ref_copy", CALL_COUNTS},
    {"std::_Sp_counted_base<", "::_M_weak_add_ref", CALL_COUNTS},
    {"std::_Sp_counted_base<", "::_M_release", CALL_COUNTS},
    {"std::_Sp_counted_base<", "::_M_release_last_use", CALL_COUNTS},
    {"std::_Sp_counted_base<", "::_M_weak_release", CALL_COUNTS},
    {"std::_Sp_atomic<", "::_Atomic_count::lock", CALL_LOCK_BIT},
    {"std::_Sp_atomic<", "::_Atomic_count::unlock", CALL_LOCK_BIT},
    {"std::_Sp_atomic<", "::_Atomic_count::_M_swap_unlock", CALL_LOCK_BIT},
    {"std::_Sp_atomic<", "::_Atomic_count::_M_wait_unlock", CALL_LOCK_BIT},
    {"std::__detail::__waiter_pool", "", CALL_POOL},
    {"std::__detail::__waiter_base<", "::_M_notify", CALL_POOL},
};

/* The end of a name: without its own template arguments, "::wait_for<long, ...>". */
static size_t length_without_arguments(const char *name) {
    size_t length = strlen(name);
    if (!length || name[length - 1] != '>')
        return length;
    int depth = 0;
    while (length) {
        char c = name[--length];
        depth += c == '>' ? 1 : c == '<' ? -1 : 0;
        if (!depth)
            return length;
    }
    return strlen(name);
}

static bool ends_with(const char *name, size_t length, const char *end) {
    size_t size = strlen(end);
    return size <= length && strncmp(name + length - size, end, size) == 0;
}

/* oneTBB: nothing in its scheduler is a step of anybody's block, and its atomics are how its tasks
 * wait for each other. Locks and containers in its headers are what they are for the program, and
 * so is what they are made of (d0). */
static unsigned tbb_calls(const char *function) {
    static const char start[] = "tbb::detail::d";
    static const char *const others[] = {
        "spin_",    "queuing_",     "mutex",      "rw_mutex",      "rtm_",       "rw_scoped_lock",
        "null_",    "unique_scope", "concurrent", "micro_queue",   "hash_map_",  "split_order",
        "segment_", "skip_list",    "blocked_",   "cache_aligned", "enumerable", "combinable",
        "ets_",     "tbb_alloc",    "scalable_",  "proportional_", NULL};
    if (strncmp(function, start, strlen(start)) != 0 || function[strlen(start)] == '0')
        return 0;
    const char *name = strstr(function + strlen(start), "::");
    for (size_t i = 0; name && others[i]; i++)
        if (strncmp(name + 2, others[i], strlen(others[i])) == 0)
            return 0;
    return CALL_WAITS | CALL_SIGNALS | CALL_RECEIVES;
}

unsigned st_library_calls(const char *function) {
    unsigned calls = 0;
    if (strncmp(function, "tbb::", 5) == 0)
        return tbb_calls(function);
    if (strncmp(function, "std::", 5) != 0)
        return 0;
    size_t length = length_without_arguments(function);
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (strncmp(function, table[i].start, strlen(table[i].start)) == 0 &&
            ends_with(function, length, table[i].end))
            calls |= table[i].calls;
    return calls;
}

/* What an awaiter does when a coroutine has stopped: as a rule it tells somebody to resume it. */
bool st_suspends_coroutine(const char *function) {
    return ends_with(function, length_without_arguments(function), "::await_suspend");
}

static bool is_of_library(const char *function) {
    return strncmp(function, "std::", 5) == 0 || strncmp(function, "__", 2) == 0;
}

/* A reference can be the last, and the destructor of the program be inlined where it is dropped; so
 * can be what the program wants to be called. */
static unsigned inlined_at(struct st_translator *t, uint64_t pc) {
    unsigned calls = 0, all = ~0u;
    bool suspends = false;
    struct st_code code;
    for (size_t depth = 0; st_places_frame(t->places, pc, depth, &code); depth++) {
        calls |= suspends ? CALL_SUSPENDS : 0;
        suspends = st_suspends_coroutine(code.function);
        if (!is_of_library(code.function))
            all &= ~(unsigned)(CALL_COUNTS | CALL_LISTS);
        calls |= st_library_calls(code.function) & all;
    }
    return calls;
}

static unsigned facts_at(struct st_translator *t, uint64_t pc) {
    if (!pc)
        return 0;
    uint32_t number = st_map64_number(&t->call_sites, pc);
    st_reserve(&t->call_site_facts, &t->call_site_capacity, (size_t)number + 1);
    if (!t->call_site_facts[number].known) {
        unsigned calls = st_places_is_library(t->places, pc) ? 0 : inlined_at(t, pc);
        t->call_site_facts[number] = (struct call_site){true, (uint16_t)calls};
    }
    return t->call_site_facts[number].calls;
}

unsigned st_library_calls_at(struct st_translator *t, uint64_t pc) {
    return facts_at(t, pc) & ~(unsigned)CALL_SUSPENDS;
}

bool st_suspends_coroutine_at(struct st_translator *t, uint64_t pc) {
    return facts_at(t, pc) & CALL_SUSPENDS;
}

/* ---- the user's own code ---- */

bool st_translate_is_users(struct st_translator *t, uint64_t pc) {
    char where[ST_LONGEST_NAME];
    struct st_code code;
    uint32_t number = st_map64_number(&t->calls, pc);
    st_reserve(&t->owners, &t->owner_capacity, (size_t)number + 1);
    if (t->owners[number] == NOT_ASKED)
        t->owners[number] = !st_places_is_library(t->places, pc) &&
                                    st_places_user_line(t->places, pc, &code, where, sizeof where)
                                ? USER
                                : LIBRARY;
    return t->owners[number] == USER;
}

/* Nobody waits for a library that calls itself for ever. */
enum { MOST_LIBRARY_CALLS = 64 };

uint64_t st_translate_user_call(struct st_translator *t, const struct thread *thread, uint64_t pc) {
    size_t depth = thread->depth;
    uint64_t at = pc;
    for (int i = 0; i < MOST_LIBRARY_CALLS; i++) {
        if (at && st_translate_is_users(t, at))
            return at;
        if (!depth)
            break;
        at = thread->frames[--depth].called_from;
    }
    return pc;
}
