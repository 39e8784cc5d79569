/* A system call without a function of the C library, which programs may replace and we do. */
#ifndef SERIATIM_RUNTIME_CORE_SYSTEM_CALL_H
#define SERIATIM_RUNTIME_CORE_SYSTEM_CALL_H

/* The result as the kernel returns it: an error is its negative number. */
static inline long rt_system_call(long number, long a, long b, long c, long d, long e, long f) {
    register long r10 __asm__("r10") = d;
    register long r8 __asm__("r8") = e;
    register long r9 __asm__("r9") = f;
    long result;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                     : "rcx", "r11", "memory");
    return result;
}

#endif
