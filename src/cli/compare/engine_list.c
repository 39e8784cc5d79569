#include "cli/compare/engine_list.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

/* What errors are about. */
struct origin {
    const char *command, *option;
};

static int add_engine(struct engine_list *list, struct origin origin,
                      const struct st_engine *engine, struct st_error *error) {
    for (size_t i = 0; i < list->count; i++)
        if (list->items[i] == engine)
            return st_fail(error, origin.command, ST_AT_FILE, 0, "--%s has %s twice", origin.option,
                           engine->name);
    if (list->count == MOST_ENGINES)
        return st_fail(error, origin.command, ST_AT_FILE, 0, "--%s has too many", origin.option);
    list->items[list->count++] = engine;
    return 0;
}

static int add_engines(struct engine_list *list, struct origin origin,
                       const struct st_engine *const *engines, bool published_only,
                       struct st_error *error) {
    for (; *engines; engines++)
        if ((!published_only || (*engines)->published_form_of) &&
            add_engine(list, origin, *engines, error) < 0)
            return -1;
    return 0;
}

static int add_named(struct engine_list *list, struct origin origin, const char *name,
                     struct st_error *error) {
    const struct st_engine *engine = st_engine_find(name);
    char quoted[80];
    if (strcmp(name, "all") == 0)
        return add_engines(list, origin, st_engines, false, error);
    if (strcmp(name, "published") == 0)
        return add_engines(list, origin, st_other_engines, true, error);
    if (engine)
        return add_engine(list, origin, engine, error);
    return st_fail(error, origin.command, ST_AT_FILE, 0,
                   "unknown engine %s in --%s; 'seriatim help %s' lists them",
                   st_quote(quoted, sizeof quoted, name, strlen(name)), origin.option,
                   origin.command);
}

int choose_engines(struct engine_list *list, const char *command, const char *option,
                   const char *text, struct st_error *error) {
    struct origin origin = {command, option};
    char *names = st_strdup(text), *rest = names, *name;
    int result = 0;
    while (result == 0 && (name = strsep(&rest, ",")))
        result = add_named(list, origin, name, error);
    free(names);
    return result;
}

static void describe(const struct st_engine *engine, FILE *file) {
    fprintf(file, "  %-20s %s\n", engine->name, engine->summary);
}

void describe_engines(bool with_baseline, FILE *file) {
    fputs("engines:\n", file);
    for (size_t i = 0; st_engines[i]; i++)
        describe(st_engines[i], file);
    for (size_t i = 0; st_other_engines[i]; i++)
        describe(st_other_engines[i], file);
    if (with_baseline)
        describe(&st_empty, file);
}
