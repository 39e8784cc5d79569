#define _GNU_SOURCE /* getline, "e" of fopen */
#include "cli/compare/program_list.h"

#include "base/memory.h"
#include "base/output.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct listed_program *add(struct program_list *list, const char *name) {
    st_reserve(&list->items, &list->capacity, list->count + 1);
    struct listed_program *program = &list->items[list->count++];
    *program = (struct listed_program){.name = st_strdup(name)};
    return program;
}

/* "exec ...", so that no shell is left between us and the program. */
static char *make_command(const char *text) {
    struct st_text_buffer buffer;
    fprintf(st_text_buffer_open(&buffer), "exec %s", text);
    return st_text_buffer_close(&buffer);
}

void program_list_add(struct program_list *list, const char *const *words, const char *native) {
    struct listed_program *program = add(list, words[0]);
    program->own_words = words;
    program->native_command = native ? make_command(native) : NULL;
}

void program_list_free(struct program_list *list) {
    for (size_t i = 0; i < list->count; i++) {
        free(list->items[i].name);
        free(list->items[i].command);
        free(list->items[i].native_command);
    }
    free(list->items);
}

static const char *const *shell(const char **words, const char *command) {
    words[0] = "/bin/sh";
    words[1] = "-c";
    words[2] = command;
    return words;
}

const char *const *program_words(const struct listed_program *program) {
    return program->own_words ? program->own_words
                              : shell((const char **)program->words, program->command);
}

const char *const *program_native(const struct listed_program *program) {
    return program->native_command ? shell((const char **)program->native, program->native_command)
                                   : program_words(program);
}

/* ---- the file ---- */

static char *trim(char *text) {
    text += strspn(text, " \t");
    size_t length = strlen(text);
    while (length && strchr(" \t\r\n", text[length - 1]))
        text[--length] = '\0';
    return text;
}

static int take_line(struct program_list *list, char *line, const char *path, uint64_t number,
                     struct st_error *error) {
    char *text = trim(line), *colon = strchr(text, ':');
    if (!*text || *text == '#')
        return 0;
    if (!colon || colon == text || !*trim(colon + 1))
        return st_fail(error, path, ST_AT_LINE, number,
                       "a line is 'NAME: COMMAND', like 'bank: ./bank 4'");
    *colon = '\0';
    const char *command = trim(colon + 1);
    if (strcmp(text, "native") != 0) {
        add(list, text)->command = make_command(command);
        return 0;
    }
    if (!list->count || list->items[list->count - 1].native_command)
        return st_fail(error, path, ST_AT_LINE, number,
                       "'native:' goes below the program that it is about");
    list->items[list->count - 1].native_command = make_command(command);
    return 0;
}

int program_list_read(struct program_list *list, const char *command, const char *path,
                      struct st_error *error) {
    FILE *file = fopen(path, "re");
    char *line = NULL;
    size_t capacity = 0;
    uint64_t number = 0;
    int result = 0;
    if (!file)
        return st_fail(error, path, ST_AT_FILE, 0, "cannot open: %s", strerror(errno));
    while (result == 0 && getline(&line, &capacity, file) >= 0)
        result = take_line(list, line, path, ++number, error);
    free(line);
    fclose(file);
    if (result == 0 && !list->count)
        result = st_fail(error, path, ST_AT_FILE, 0, "names no program for %s", command);
    return result;
}
