/* Text and data that <stdio.h> puts into memory of the program, and data that it takes from there.
 * There are no events for what printf reads of its arguments, nor for the locks of streams; in
 * controlled runs who waits for such a lock lets others go on. */
#define _GNU_SOURCE
#ifndef __NO_INLINE__
#define __NO_INLINE__ 1 /* getline is to be defined here and not in <stdio.h> */
#endif
#include "runtime/control/turns.h"
#include "runtime/core/access.h"
#include "runtime/intercept/interpose.h"

#include <stdarg.h>
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

static char *got(char *line, uintptr_t caller) {
    if (line)
        RT_EMIT(rt_write_range((uintptr_t)line, real_strlen()(line) + 1, caller));
    return line;
}

RT_EXPORT char *fgets(char *line, int room, FILE *file) {
    return got(real_fgets()(line, room, file), RT_CALLER);
}

RT_EXPORT char *__fgets_chk(char *line, size_t object, int room, FILE *file);
RT_EXPORT char *__fgets_chk(char *line, size_t object, int room, FILE *file) {
    return got(real___fgets_chk()(line, object, room, file), RT_CALLER);
}

/* The line is in memory from realloc, which is interposed too. */
static ssize_t got_line(ssize_t length, char *const *line, uintptr_t caller) {
    if (length >= 0)
        RT_EMIT(rt_write_range((uintptr_t)*line, (size_t)length + 1, caller));
    return length;
}

RT_EXPORT ssize_t getdelim(char **line, size_t *room, int end, FILE *file) {
    return got_line(real_getdelim()(line, room, end, file), line, RT_CALLER);
}

/* What getline is in a program that was compiled with optimisation. */
RT_EXPORT ssize_t __getdelim(char **line, size_t *room, int end, FILE *file) {
    return got_line(real_getdelim()(line, room, end, file), line, RT_CALLER);
}

RT_EXPORT ssize_t getline(char **line, size_t *room, FILE *file) {
    return got_line(real_getdelim()(line, room, '\n', file), line, RT_CALLER);
}

static size_t was_read(size_t count, const void *to, size_t size, uintptr_t caller) {
    if (count)
        RT_EMIT(rt_write_range((uintptr_t)to, count * size, caller));
    return count;
}

RT_EXPORT size_t fread(void *to, size_t size, size_t count, FILE *file) {
    return was_read(real_fread()(to, size, count, file), to, size, RT_CALLER);
}

RT_EXPORT size_t __fread_chk(void *to, size_t object, size_t size, size_t count, FILE *file);
RT_EXPORT size_t __fread_chk(void *to, size_t object, size_t size, size_t count, FILE *file) {
    return was_read(real___fread_chk()(to, object, size, count, file), to, size, RT_CALLER);
}

RT_EXPORT size_t fwrite(const void *from, size_t size, size_t count, FILE *file) {
    RT_EMIT(rt_read_range((uintptr_t)from, size * count, RT_CALLER));
    return real_fwrite()(from, size, count, file);
}

/* ---- locks of streams ---- */

RT_REAL(void, flockfile, FILE *)
RT_REAL(int, ftrylockfile, FILE *)
RT_REAL(void, funlockfile, FILE *)

RT_EXPORT void flockfile(FILE *file) {
    if (!rt_takes_turns()) {
        real_flockfile()(file);
        return;
    }
    rt_point(ST_POINT_LOCK, file, 1, RT_CALLER);
    while (real_ftrylockfile()(file))
        rt_block_until(file, 0, RT_FOREVER);
}

RT_EXPORT void funlockfile(FILE *file) {
    real_funlockfile()(file);
    rt_unblock(file);
}
