#include "cli/cluster/name_list.h"

#include "base/memory.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void add(struct name_list *list, const char *name) {
    st_reserve(&list->names, &list->capacity, list->count + 2);
    list->names[list->count++] = st_strdup(name);
}

static int read_file(struct name_list *list, const char *path, struct st_error *error) {
    FILE *file = fopen(path, "re");
    char *line = NULL;
    size_t size = 0;
    ssize_t length;
    if (!file)
        return st_fail(error, path, ST_AT_FILE, 0, "cannot open: %s", strerror(errno));
    while ((length = getline(&line, &size, file)) >= 0) {
        while (length > 0 && (line[length - 1] == '\n' || line[length - 1] == '\r'))
            line[--length] = '\0';
        if (length > 0)
            add(list, line);
    }
    free(line);
    fclose(file);
    return 0;
}

int name_list_read(struct name_list *list, const char *command, const char *const *words,
                   struct st_error *error) {
    *list = (struct name_list){0};
    st_reserve(&list->names, &list->capacity, 1);
    for (; *words; words++) {
        if (**words != '@')
            add(list, *words);
        else if (read_file(list, *words + 1, error) < 0)
            return -1;
    }
    for (size_t i = 0; i < list->count; i++)
        if (strcmp(list->names[i], "-") == 0 && list->count > 1)
            return st_fail(error, command, ST_AT_FILE, 0,
                           "standard input cannot be one of several traces");
    return list->count ? 0 : st_fail(error, command, ST_AT_FILE, 0, "there is no trace to look at");
}

void name_list_free(struct name_list *list) {
    for (size_t i = 0; i < list->count; i++)
        free(list->names[i]);
    free(list->names);
}
