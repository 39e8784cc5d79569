/* What gcc finds as <string.h> in a program under test: that of the C library, and behind it
 * memcpy, memmove and memset of a few bytes whose number is known as plain accesses.
 *
 * gcc's own way loses accesses. It instruments the copies that it makes of such calls before its
 * pass for ThreadSanitizer, and not those that it expands behind it: a copy of 7 bytes, say, or of
 * a text. So these functions are no builtins in programs under test (cmd_cc.c). But a number that
 * is copied by memcpy, which is how programs read numbers that are not aligned, needs no call: here
 * it is an access like any other, and gcc instruments it like any other.
 *
 * With _FORTIFY_SOURCE the C library has inline functions of its own, which lead to gcc's builtins
 * again. They are left out, and those behind them make the same checks by calls that are seen.
 *
 * What a program may do with these functions stays as it was. `extern inline` in GNU's sense makes
 * no function: whoever takes the address gets that of the C library, and a program may define its
 * own. `artificial` makes debug information say that the code belongs to the caller. */
#pragma GCC system_header
#include <features.h>

#if defined __USE_FORTIFY_LEVEL && __USE_FORTIFY_LEVEL > 0
#pragma push_macro("__USE_FORTIFY_LEVEL")
#undef __USE_FORTIFY_LEVEL
#define __USE_FORTIFY_LEVEL 0
#include_next <string.h>
#pragma pop_macro("__USE_FORTIFY_LEVEL")
#else
#include_next <string.h>
#endif

/* A program that has macros of these names gets other functions by them. */
#if !defined __SERIATIM_STRING && defined __OPTIMIZE__ && defined __SIZEOF_INT128__ &&             \
    __STDC_HOSTED__ && !defined memcpy && !defined memmove && !defined memset &&                   \
    !defined strcpy && !defined strcat && !defined strncpy && !defined strncat &&                  \
    !defined stpcpy && !defined stpncpy && !defined mempcpy
#define __SERIATIM_STRING

/* How much room there is, as far as the compiler knows; -1: it does not. */
#define __SERIATIM_UNKNOWN ((__SIZE_TYPE__)-1)
#if !defined __USE_FORTIFY_LEVEL || __USE_FORTIFY_LEVEL == 0
#define __SERIATIM_ROOM(to, kind) __SERIATIM_UNKNOWN
#elif __USE_FORTIFY_LEVEL > 2
#define __SERIATIM_ROOM(to, kind) __builtin_dynamic_object_size(to, kind)
#else
#define __SERIATIM_ROOM(to, kind) __builtin_object_size(to, kind)
#endif

#ifdef __cplusplus
extern "C" {
#if __cplusplus < 201103L
#define __SERIATIM_NO_THROW throw()
#else
#define __SERIATIM_NO_THROW noexcept(true)
#endif
#else
#define __SERIATIM_NO_THROW
#endif

/* Code can be inlined only where all can be used that it may use. */
#pragma GCC push_options
#pragma GCC target("general-regs-only")

#define __SERIATIM_ANYWHERE __attribute__((__may_alias__, __aligned__(1)))
typedef unsigned char __seriatim_number1 __SERIATIM_ANYWHERE;
typedef unsigned short __seriatim_number2 __SERIATIM_ANYWHERE;
typedef unsigned int __seriatim_number4 __SERIATIM_ANYWHERE;
typedef unsigned long __seriatim_number8 __SERIATIM_ANYWHERE;
__extension__ typedef unsigned __int128 __seriatim_number16 __SERIATIM_ANYWHERE;

/* A function of the C library, under a name that gcc does not know. */
#define __SERIATIM_REAL(result, name, ...)                                                         \
    extern result __seriatim_##name(__VA_ARGS__) __SERIATIM_NO_THROW __asm__(#name)                \
        __attribute__((__nothrow__, __leaf__));

#define __SERIATIM_INLINE                                                                          \
    extern __inline                                                                                \
        __attribute__((__always_inline__, __gnu_inline__, __artificial__, __nothrow__, __leaf__))

#define __SERIATIM_COPY(bytes)                                                                     \
    case bytes:                                                                                    \
        *(__seriatim_number##bytes *)__to = *(const __seriatim_number##bytes *)__from;             \
        return __to;

#define __SERIATIM_FILL(bytes)                                                                     \
    case bytes: {                                                                                  \
        __seriatim_number##bytes __value = (unsigned char)__byte, __all = 0;                       \
        __all--;                                                                                   \
        __value = (__seriatim_number##bytes)(__value * (__all / 255));                             \
        *(__seriatim_number##bytes *)__to = __value;                                               \
        return __to;                                                                               \
    }

/* All of a number is read before any of it is written, so that the two may overlap. */
#define __SERIATIM_MEMORY(name, what, type, argument, one)                                         \
    __SERIATIM_REAL(void *, name, void *, type, __SIZE_TYPE__)                                     \
    __SERIATIM_REAL(void *, __##name##_chk, void *, type, __SIZE_TYPE__, __SIZE_TYPE__)            \
    __SERIATIM_INLINE void *name(void *what __to, type what argument, __SIZE_TYPE__ __size)        \
        __SERIATIM_NO_THROW {                                                                      \
        __SIZE_TYPE__ __room = __SERIATIM_ROOM(__to, 0);                                           \
        if (__builtin_constant_p(__size) && __size <= __room)                                      \
            switch (__size) { one(1) one(2) one(4) one(8) one(16) }                                \
        if (__room != __SERIATIM_UNKNOWN)                                                          \
            return __seriatim___##name##_chk(__to, argument, __size, __room);                      \
        return __seriatim_##name(__to, argument, __size);                                          \
    }

#define __SERIATIM_ANY
__SERIATIM_MEMORY(memcpy, __restrict, const void *, __from, __SERIATIM_COPY)
__SERIATIM_MEMORY(memmove, __SERIATIM_ANY, const void *, __from, __SERIATIM_COPY)
__SERIATIM_MEMORY(memset, __SERIATIM_ANY, int, __byte, __SERIATIM_FILL)

#if defined __USE_FORTIFY_LEVEL && __USE_FORTIFY_LEVEL > 0
#define __SERIATIM_CHECKED(result, name, type)                                                     \
    __SERIATIM_REAL(result, name, result, type)                                                    \
    __SERIATIM_REAL(result, __##name##_chk, result, type, __SIZE_TYPE__)                           \
    __SERIATIM_INLINE result name(result __restrict __to, type __restrict __from)                  \
        __SERIATIM_NO_THROW {                                                                      \
        __SIZE_TYPE__ __room = __SERIATIM_ROOM(__to, __USE_FORTIFY_LEVEL > 1);                     \
        if (__room != __SERIATIM_UNKNOWN)                                                          \
            return __seriatim___##name##_chk(__to, __from, __room);                                \
        return __seriatim_##name(__to, __from);                                                    \
    }

#define __SERIATIM_CHECKED_SIZE(result, name, type, kind)                                          \
    __SERIATIM_REAL(result, name, result, type, __SIZE_TYPE__)                                     \
    __SERIATIM_REAL(result, __##name##_chk, result, type, __SIZE_TYPE__, __SIZE_TYPE__)            \
    __SERIATIM_INLINE result name(result __restrict __to, type __restrict __from,                  \
                                  __SIZE_TYPE__ __size) __SERIATIM_NO_THROW {                      \
        __SIZE_TYPE__ __room = __SERIATIM_ROOM(__to, kind);                                        \
        if (__room != __SERIATIM_UNKNOWN)                                                          \
            return __seriatim___##name##_chk(__to, __from, __size, __room);                        \
        return __seriatim_##name(__to, __from, __size);                                            \
    }

__SERIATIM_CHECKED(char *, strcpy, const char *)
__SERIATIM_CHECKED(char *, strcat, const char *)
__SERIATIM_CHECKED_SIZE(char *, strncpy, const char *, __USE_FORTIFY_LEVEL > 1)
__SERIATIM_CHECKED_SIZE(char *, strncat, const char *, __USE_FORTIFY_LEVEL > 1)
#ifdef __USE_XOPEN2K8
__SERIATIM_CHECKED(char *, stpcpy, const char *)
__SERIATIM_CHECKED_SIZE(char *, stpncpy, const char *, __USE_FORTIFY_LEVEL > 1)
#endif
#ifdef __USE_GNU
__SERIATIM_CHECKED_SIZE(void *, mempcpy, const void *, 0)
#endif
#undef __SERIATIM_CHECKED_SIZE
#undef __SERIATIM_CHECKED
#endif

#undef __SERIATIM_ANY
#undef __SERIATIM_MEMORY
#undef __SERIATIM_FILL
#undef __SERIATIM_COPY
#undef __SERIATIM_INLINE
#undef __SERIATIM_REAL
#undef __SERIATIM_ANYWHERE
#pragma GCC pop_options
#undef __SERIATIM_NO_THROW
#ifdef __cplusplus
}
#endif
#undef __SERIATIM_ROOM
#undef __SERIATIM_UNKNOWN
#endif
