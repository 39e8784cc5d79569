#include "symbol/paths.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

/* Appends the components of a path to `out`, which ends with '/' or is empty, and removes one for
 * each "..". Returns the new length; the result ends with '/'. A ".." at the start of a relative
 * path stays. */
static size_t append_components(char *out, size_t length, const char *path) {
    while (*path) {
        size_t size = strcspn(path, "/");
        size_t back = length;
        if (length > 1)
            for (back = length - 1; back > 0 && out[back - 1] != '/';)
                back--;
        int is_up = length - back == 3 && memcmp(out + back, "../", 3) == 0;
        if (size == 2 && memcmp(path, "..", 2) == 0 && length > 0 && !is_up) {
            length = length > 1 ? back : length; /* above the root is the root */
        } else if (size > 0 && !(size == 1 && path[0] == '.')) {
            memcpy(out + length, path, size);
            out[length + size] = '/';
            length += size + 1;
        }
        path += size;
        path += strspn(path, "/");
    }
    return length;
}

/* The two paths joined and normalised; the result ends with '/'. */
static char *join(const char *directory, const char *file) {
    char *out = st_alloc(strlen(directory) + strlen(file) + 4, 1);
    size_t length = 0;
    if (file[0] == '/')
        directory = "";
    if (file[0] == '/' || directory[0] == '/')
        out[length++] = '/';
    length = append_components(out, length, directory);
    length = append_components(out, length, file);
    out[length] = '\0';
    return out;
}

static void drop_controls(char *text) {
    for (; *text; text++)
        if ((unsigned char)*text < 0x20 || *text == 0x7f)
            *text = '?';
}

char *st_source_path(const char *base, const char *directory, const char *file) {
    char *path = join(directory ? directory : "", file);
    size_t length = strlen(path);
    if (length > 1)
        path[--length] = '\0';
    drop_controls(path);
    if (!base)
        return path;
    char *top = join("", base);
    size_t skip = strlen(top);
    if (skip && length > skip && memcmp(path, top, skip) == 0)
        memmove(path, path + skip, length - skip + 1);
    free(top);
    return path;
}
