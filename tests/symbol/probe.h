/* For programs that know their own names. They are compiled in many ways, run, and print what
 * tests/unit/test_symbol.c has to find out about them from outside:
 *
 *     module START END BIAS BUILD-ID PATH
 *     call RETURN-ADDRESS FUNCTION:LINE[ < FUNCTION:LINE...] = LINE
 *     data ADDRESS NAME
 *
 * The frames of a call are innermost first and end with the function in which the call physically
 * is; behind "=" is the line of that function's definition. Numbers are hexadecimal, lines decimal.
 */
#ifndef PROBE_H
#define PROBE_H

#ifdef __cplusplus
extern "C" {
#endif

/* A line of a function. `caller` is where it was inlined, NULL if it was not. */
struct site {
    const char *function;
    int line, definition;
    const struct site *caller;
};

/* To be called through PROBE only: its own return address is what it prints. */
void probe_call(const struct site *site);
void probe_data(const volatile void *address, const char *name);

/* Prints the modules that are loaded now and were not printed before. */
void probe_modules(void);

#ifdef __cplusplus
}
#endif

/* A call here must have this function, and those it is inlined into. The empty instruction keeps it
 * from becoming a jump, which has no return address here. */
#define PROBE_THROUGH(call, function, definition, caller)                                          \
    do {                                                                                           \
        const struct site site = {function, __LINE__, definition, caller};                         \
        call(&site);                                                                               \
        __asm__ volatile("");                                                                      \
    } while (0)
#define PROBE(function, definition, caller) PROBE_THROUGH(probe_call, function, definition, caller)

/* A variable whose name is the expression itself, and one with another name. */
#define DATA(expression) probe_data(&(expression), #expression)
#define DATA_AS(expression, name) probe_data(&(expression), name)

#define INLINED static inline __attribute__((always_inline))
#define NOT_INLINED __attribute__((noinline))

#endif
