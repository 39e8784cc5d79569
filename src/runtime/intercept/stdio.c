/* Text and data that <stdio.h> puts into memory of the program, and data that it takes from there;
 * and the locks of streams.
 *
 * There are no events for what printf reads of its arguments, nor for those locks. In controlled
 * runs who waits for such a lock lets others go on. Most programs never lock a stream for longer
 * than a call takes: then nobody ever waits, and calls are no points. Once a program has, each call
 * that uses a stream is a point, and waits for the lock as flockfile does. */
#define _GNU_SOURCE
#ifndef __NO_INLINE__
#define __NO_INLINE__ 1 /* getline is to be defined here and not in <stdio.h> */
#endif
#include "runtime/control/outside/outside.h"
#include "runtime/control/points.h"
#include "runtime/control/waiting.h"
#include "runtime/core/access.h"
#include "runtime/intercept/interpose.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

RT_REAL(int, vsnprintf, char *, size_t, const char *, va_list)
RT_REAL(int, vsprintf, char *, const char *, va_list)
RT_REAL(int, __vsnprintf_chk, char *, size_t, int, size_t, const char *, va_list)
RT_REAL(int, __vsprintf_chk, char *, int, size_t, const char *, va_list)
RT_REAL(char *, fgets, char *, int, FILE *)
RT_REAL(char *, __fgets_chk, char *, size_t, int, FILE *)
RT_REAL(ssize_t, getdelim, char **, size_t *, int, FILE *)
RT_REAL(size_t, fread, void *, size_t, size_t, FILE *)
RT_REAL(size_t, __fread_chk, void *, size_t, size_t, size_t, FILE *)
RT_REAL(size_t, fwrite, const void *, size_t, size_t, FILE *)
RT_REAL(size_t, strlen, const char *)

/* `length` without the zero byte that follows; `room` limits both. */
static int printed(int length, const char *to, size_t room, uintptr_t caller) {
    if (length >= 0 && room)
        RT_EMIT(rt_write_range((uintptr_t)to, (size_t)length < room ? (size_t)length + 1 : room,
                               caller));
    return length;
}

#define WITH_ARGUMENTS(call)                                                                       \
    va_list arguments;                                                                             \
    va_start(arguments, format);                                                                   \
    int length = call;                                                                             \
    va_end(arguments)

RT_EXPORT int vsnprintf(char *to, size_t room, const char *format, va_list arguments) {
    return printed(real_vsnprintf()(to, room, format, arguments), to, room, RT_CALLER);
}

RT_EXPORT int vsprintf(char *to, const char *format, va_list arguments) {
    return printed(real_vsprintf()(to, format, arguments), to, SIZE_MAX, RT_CALLER);
}

RT_EXPORT int snprintf(char *to, size_t room, const char *format, ...) {
    WITH_ARGUMENTS(real_vsnprintf()(to, room, format, arguments));
    return printed(length, to, room, RT_CALLER);
}

RT_EXPORT int sprintf(char *to, const char *format, ...) {
    WITH_ARGUMENTS(real_vsprintf()(to, format, arguments));
    return printed(length, to, SIZE_MAX, RT_CALLER);
}

RT_EXPORT int __vsnprintf_chk(char *to, size_t room, int flag, size_t object, const char *format,
                              va_list arguments);
RT_EXPORT int __vsnprintf_chk(char *to, size_t room, int flag, size_t object, const char *format,
                              va_list arguments) {
    return printed(real___vsnprintf_chk()(to, room, flag, object, format, arguments), to, room,
                   RT_CALLER);
}

RT_EXPORT int __vsprintf_chk(char *to, int flag, size_t object, const char *format,
                             va_list arguments);
RT_EXPORT int __vsprintf_chk(char *to, int flag, size_t object, const char *format,
                             va_list arguments) {
    return printed(real___vsprintf_chk()(to, flag, object, format, arguments), to, SIZE_MAX,
                   RT_CALLER);
}

RT_EXPORT int __snprintf_chk(char *to, size_t room, int flag, size_t object, const char *format,
                             ...);
RT_EXPORT int __snprintf_chk(char *to, size_t room, int flag, size_t object, const char *format,
                             ...) {
    WITH_ARGUMENTS(real___vsnprintf_chk()(to, room, flag, object, format, arguments));
    return printed(length, to, room, RT_CALLER);
}

RT_EXPORT int __sprintf_chk(char *to, int flag, size_t object, const char *format, ...);
RT_EXPORT int __sprintf_chk(char *to, int flag, size_t object, const char *format, ...) {
    WITH_ARGUMENTS(real___vsprintf_chk()(to, flag, object, format, arguments));
    return printed(length, to, SIZE_MAX, RT_CALLER);
}

/* ---- locks of streams ---- */

RT_REAL(void, flockfile, FILE *)
RT_REAL(int, ftrylockfile, FILE *)
RT_REAL(void, funlockfile, FILE *)

static atomic_bool any_locked; /* by the program itself */

static void lock_in_turn(FILE *file, uintptr_t caller) {
    rt_point(ST_POINT_LOCK, file, 1, caller);
    while (real_ftrylockfile()(file))
        rt_block_until(file, 0, RT_FOREVER);
    rt_taken(file, false);
}

RT_EXPORT void flockfile(FILE *file) {
    atomic_store_explicit(&any_locked, true, memory_order_relaxed);
    if (rt_takes_turns())
        lock_in_turn(file, RT_CALLER);
    else
        real_flockfile()(file);
}

RT_EXPORT int ftrylockfile(FILE *file) {
    atomic_store_explicit(&any_locked, true, memory_order_relaxed);
    rt_point(ST_POINT_TRY_LOCK, file, 1, RT_CALLER);
    int result = real_ftrylockfile()(file);
    if (result == 0 && rt_takes_turns())
        rt_taken(file, false);
    return result;
}

RT_EXPORT void funlockfile(FILE *file) {
    real_funlockfile()(file);
    rt_unblock(file);
}

/* Around a call that uses a stream; NULL: all of them, of which standard output stands for most.
 * Returns what `unlock` is to be given, also when the thread is cancelled in between. */
static FILE *lock(FILE *file, uintptr_t caller) {
    if (!rt_takes_turns() || !atomic_load_explicit(&any_locked, memory_order_relaxed))
        return NULL;
    file = file ? file : stdout;
    lock_in_turn(file, caller);
    return file;
}

static void unlock(FILE *const *locked) {
    if (*locked) {
        real_funlockfile()(*locked);
        rt_unblock(*locked);
    }
}

#define LOCKED(file) __attribute__((cleanup(unlock), unused)) FILE *locked = lock(file, RT_CALLER)

/* A function that does nothing else of interest. */
#define WITH_LOCK(result, name, file, parameters, arguments, ...)                                  \
    RT_REAL(result, name, __VA_ARGS__)                                                             \
    RT_EXPORT result name parameters;                                                              \
    RT_EXPORT result name parameters {                                                             \
        LOCKED(file);                                                                              \
        return real_##name() arguments;                                                            \
    }

WITH_LOCK(int, puts, stdout, (const char *text), (text), const char *)
WITH_LOCK(int, fputs, file, (const char *text, FILE *file), (text, file), const char *, FILE *)
WITH_LOCK(int, putchar, stdout, (int c), (c), int)
WITH_LOCK(int, putc, file, (int c, FILE *file), (c, file), int, FILE *)
WITH_LOCK(int, fputc, file, (int c, FILE *file), (c, file), int, FILE *)
WITH_LOCK(int, getchar, stdin, (void), (), void)
WITH_LOCK(int, getc, file, (FILE * file), (file), FILE *)
WITH_LOCK(int, fgetc, file, (FILE * file), (file), FILE *)
WITH_LOCK(int, ungetc, file, (int c, FILE *file), (c, file), int, FILE *)
WITH_LOCK(int, fflush, file, (FILE * file), (file), FILE *)
WITH_LOCK(int, fseek, file, (FILE * file, long at, int from), (file, at, from), FILE *, long, int)
WITH_LOCK(long, ftell, file, (FILE * file), (file), FILE *)
WITH_LOCK(int, vprintf, stdout, (const char *format, va_list arguments), (format, arguments),
          const char *, va_list)
WITH_LOCK(int, vfprintf, file, (FILE * file, const char *format, va_list arguments),
          (file, format, arguments), FILE *, const char *, va_list)
WITH_LOCK(int, __vprintf_chk, stdout, (int flag, const char *format, va_list arguments),
          (flag, format, arguments), int, const char *, va_list)
WITH_LOCK(int, __vfprintf_chk, file, (FILE * file, int flag, const char *format, va_list arguments),
          (file, flag, format, arguments), FILE *, int, const char *, va_list)

RT_EXPORT int printf(const char *format, ...) {
    LOCKED(stdout);
    WITH_ARGUMENTS(real_vfprintf()(stdout, format, arguments));
    return length;
}

RT_EXPORT int fprintf(FILE *file, const char *format, ...) {
    LOCKED(file);
    WITH_ARGUMENTS(real_vfprintf()(file, format, arguments));
    return length;
}

RT_EXPORT int __printf_chk(int flag, const char *format, ...);
RT_EXPORT int __printf_chk(int flag, const char *format, ...) {
    LOCKED(stdout);
    WITH_ARGUMENTS(real___vfprintf_chk()(stdout, flag, format, arguments));
    return length;
}

RT_EXPORT int __fprintf_chk(FILE *file, int flag, const char *format, ...);
RT_EXPORT int __fprintf_chk(FILE *file, int flag, const char *format, ...) {
    LOCKED(file);
    WITH_ARGUMENTS(real___vfprintf_chk()(file, flag, format, arguments));
    return length;
}

/* ---- buffers of the program ---- */

static char *got(char *line, uintptr_t caller) {
    if (line)
        RT_EMIT(rt_write_range((uintptr_t)line, real_strlen()(line) + 1, caller));
    return line;
}

RT_EXPORT char *fgets(char *line, int room, FILE *file) {
    LOCKED(file);
    return got(real_fgets()(line, room, file), RT_CALLER);
}

RT_EXPORT char *__fgets_chk(char *line, size_t object, int room, FILE *file);
RT_EXPORT char *__fgets_chk(char *line, size_t object, int room, FILE *file) {
    LOCKED(file);
    return got(real___fgets_chk()(line, object, room, file), RT_CALLER);
}

/* The line is in memory from realloc, which is interposed too. */
static ssize_t got_line(ssize_t length, char *const *line, uintptr_t caller) {
    if (length >= 0)
        RT_EMIT(rt_write_range((uintptr_t)*line, (size_t)length + 1, caller));
    return length;
}

RT_EXPORT ssize_t getdelim(char **line, size_t *room, int end, FILE *file) {
    LOCKED(file);
    return got_line(real_getdelim()(line, room, end, file), line, RT_CALLER);
}

/* What getline is in a program that was compiled with optimisation. */
RT_EXPORT ssize_t __getdelim(char **line, size_t *room, int end, FILE *file) {
    LOCKED(file);
    return got_line(real_getdelim()(line, room, end, file), line, RT_CALLER);
}

RT_EXPORT ssize_t getline(char **line, size_t *room, FILE *file) {
    LOCKED(file);
    return got_line(real_getdelim()(line, room, '\n', file), line, RT_CALLER);
}

static size_t was_read(size_t count, const void *to, size_t size, uintptr_t caller) {
    if (count)
        RT_EMIT(rt_write_range((uintptr_t)to, count * size, caller));
    return count;
}

RT_EXPORT size_t fread(void *to, size_t size, size_t count, FILE *file) {
    LOCKED(file);
    return was_read(real_fread()(to, size, count, file), to, size, RT_CALLER);
}

RT_EXPORT size_t __fread_chk(void *to, size_t object, size_t size, size_t count, FILE *file);
RT_EXPORT size_t __fread_chk(void *to, size_t object, size_t size, size_t count, FILE *file) {
    LOCKED(file);
    return was_read(real___fread_chk()(to, object, size, count, file), to, size, RT_CALLER);
}

RT_EXPORT size_t fwrite(const void *from, size_t size, size_t count, FILE *file) {
    LOCKED(file);
    RT_EMIT(rt_read_range((uintptr_t)from, size * count, RT_CALLER));
    return real_fwrite()(from, size, count, file);
}

/* ---- opening ---- */

RT_REAL(FILE *, fopen, const char *, const char *)
RT_REAL(FILE *, fopen64, const char *, const char *)

RT_EXPORT FILE *fopen(const char *path, const char *mode) {
    rt_opens(path);
    return real_fopen()(path, mode);
}
RT_EXPORT FILE *fopen64(const char *path, const char *mode) {
    rt_opens(path);
    return real_fopen64()(path, mode);
}
