#include "symbol/user_code.h"

#include <stddef.h>
#include <string.h>

static bool starts_with(const char *text, const char *start) {
    return strncmp(text, start, strlen(start)) == 0;
}

static bool is_one_of(const char *text, const char *const *list) {
    for (; *list; list++)
        if (strcmp(text, *list) == 0)
            return true;
    return false;
}

/* "bank.c:21", but not "bank+0x11f3". */
static bool is_source_line(const char *location) {
    const char *colon = strrchr(location, ':');
    return colon && colon > location && colon[1] >= '0' && colon[1] <= '9';
}

/* Paths below the folder in which seriatim runs are relative, so that in /usr a header of the
 * library is "include/c++/12/mutex". */
static bool is_system_header(const char *location) {
    static const char *const starts[] = {"/usr/include/",   "/usr/local/include/", "/usr/lib/gcc/",
                                         "/usr/lib/clang/", "/usr/lib/llvm",       NULL};
    for (const char *const *start = starts; *start; start++)
        if (starts_with(location, *start))
            return true;
    return starts_with(location, "include/c++/") || strstr(location, "/include/c++/") ||
           strstr(location, "/lib/gcc/") || strstr(location, "/lib/clang/");
}

/* The implementation, wherever its source is. */
static bool is_library_name(const char *function) {
    static const char *const starters[] = {"_start", "start_thread",
                                           "execute_native_thread_routine", NULL};
    return starts_with(function, "std::") || starts_with(function, "__gnu_cxx::") ||
           starts_with(function, "__libc_start") || is_one_of(function, starters);
}

/* Names that the implementation has, and programs, too. */
static bool is_shared_name(const char *function) {
    static const char *const names[] = {"clone", "clone3", NULL};
    return starts_with(function, "__") || is_one_of(function, names);
}

bool st_is_user_code(const char *function, const char *location) {
    if (is_library_name(function) || is_system_header(location))
        return false;
    if (is_source_line(location))
        return true;
    return !is_shared_name(function) && strcmp(function, location) != 0;
}
