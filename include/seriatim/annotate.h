/* Marks blocks of a program that should be atomic. C and C++ (11 or later), gcc and clang.
 *
 *     #include <seriatim/annotate.h>
 *
 *     SERIATIM_ATOMIC_BEGIN("refill");            from here
 *     ...
 *     SERIATIM_ATOMIC_END();                      to here
 *
 *     {
 *         SERIATIM_ATOMIC_SCOPE("refill");        from here to the closing brace, even if left
 *         ...                                     by return, break, goto or an exception
 *     }
 *
 *     seriatim::atomic_scope block("refill");     the same in C++, as an object
 *
 * When the program runs under `seriatim run` or `seriatim record`, each such block is checked under
 * its name, in addition to the functions that the specification calls atomic. Unlike blocks that
 * seriatim derives from functions, annotated blocks are never split, not even by a condition wait.
 *
 * Otherwise the marks do nothing: the two functions below are weak, so a program that is not linked
 * with seriatim's runtime only tests a pointer. Define SERIATIM_NO_ANNOTATIONS before the #include
 * to remove even that. (A program that was linked with -no-pie and without the runtime does not
 * find them in a preloaded runtime.)
 *
 * Rules:
 * - A name is a string that stays unchanged until the program ends, such as a literal. Blocks with
 *   equal names are counted together.
 * - Blocks may nest in each other and in functions, in any number of threads at once. BEGIN and END
 *   match like brackets within one thread: END ends the most recent block.
 * - BEGIN needs an END on every way out; SCOPE provides one. longjmp() runs neither kind of END:
 *   the runtime ends the blocks that it jumps out of.
 * - The marks take no locks that the program could notice, order nothing between threads, and may
 * be used in signal handlers. */
#ifndef SERIATIM_ANNOTATE_H
#define SERIATIM_ANNOTATE_H

#if defined(__GNUC__) && !defined(SERIATIM_NO_ANNOTATIONS)

#ifdef __cplusplus
extern "C" {
#endif

/* Defined by the runtime. Call them through the macros, which first test whether they exist. */
void __seriatim_begin(const char *name) __attribute__((weak));
void __seriatim_end(void) __attribute__((weak));

#ifdef __cplusplus
}
#endif

#define SERIATIM_ATOMIC_BEGIN(name) (__seriatim_begin ? __seriatim_begin(name) : (void)0)
#define SERIATIM_ATOMIC_END() (__seriatim_end ? __seriatim_end() : (void)0)

#else

#define SERIATIM_ATOMIC_BEGIN(name) ((void)(name))
#define SERIATIM_ATOMIC_END() ((void)0)

#endif

/* The helpers below must be inlined into their caller: if one were instrumented, it would be a
 * block around half of the mark. */
#ifdef __GNUC__
#define SERIATIM_VANISH_ __inline__ __attribute__((always_inline, unused, no_instrument_function))
#else
#define SERIATIM_VANISH_ inline
#endif

#define SERIATIM_JOIN_(a, b) a##b
#define SERIATIM_NAME_(a, b) SERIATIM_JOIN_(a, b)

#ifdef __cplusplus

namespace seriatim {

class atomic_scope {
  public:
    SERIATIM_VANISH_ explicit atomic_scope(const char *name) noexcept {
        SERIATIM_ATOMIC_BEGIN(name);
    }
    SERIATIM_VANISH_ ~atomic_scope() {
        SERIATIM_ATOMIC_END();
    }
    atomic_scope(const atomic_scope &) = delete;
    atomic_scope &operator=(const atomic_scope &) = delete;
};

} // namespace seriatim

#define SERIATIM_ATOMIC_SCOPE(name)                                                                \
    const ::seriatim::atomic_scope SERIATIM_NAME_(seriatim_scope_, __LINE__)(name)

#elif defined(__GNUC__)

static SERIATIM_VANISH_ void seriatim_leave_scope_(const char *const *scope) {
    (void)scope;
    SERIATIM_ATOMIC_END();
}

#define SERIATIM_ATOMIC_SCOPE(name)                                                                \
    const char *const SERIATIM_NAME_(seriatim_scope_, __LINE__)                                    \
        __attribute__((unused, cleanup(seriatim_leave_scope_))) =                                  \
            (SERIATIM_ATOMIC_BEGIN(name), (const char *)0)

#endif

#endif
