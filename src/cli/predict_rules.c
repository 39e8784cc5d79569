#include "cli/predict_rules.h"

#include "cli/messages.h"
#include "predict/predictor.h"

#include <string.h>

enum { MOST_ENGINES = 4, LISTED = 128 };

/* Which engines take an option; `all` takes whatever one of them does. */
static const struct belonging {
    enum predict_option option;
    const char *words;
    const char *engines[MOST_ENGINES];
} belongings[] = {
    {PREDICT_AS_PUBLISHED, "--as-published", {"reduction", "blocks", "commit-node"}},
    {PREDICT_SEARCH, "--search", {"tas"}},
    {PREDICT_MAX_SWITCHES, "--max-switches", {"tas"}},
    {PREDICT_WHOLE_TRACE, "--whole-trace", {"tas"}},
    {PREDICT_DUMP_WITNESS, "--dump-witness", {"tas"}},
    {PREDICT_ONE_VARIABLE, "--one-variable", {"blocks"}},
    {PREDICT_EXACT, "--exact", {"blocks"}},
    {PREDICT_PAIRWISE, "--pairwise", {"commit-node"}},
    {PREDICT_ONLINE, "--online", {"reduction"}},
    {PREDICT_RACES, "--races", {"reduction"}},
    {PREDICT_WITHOUT, "--without", {"reduction"}},
};

/* One of the two would be ignored. The rows of a table say themselves how they are made. */
static const struct pair {
    enum predict_option left, right;
    const char *words[2];
} pairs[] = {
    {PREDICT_EXACT, PREDICT_ONE_VARIABLE, {"--exact", "--one-variable"}},
    {PREDICT_ONLINE, PREDICT_RACES, {"--online", "--races"}},
    {PREDICT_ABLATION, PREDICT_TABLE, {"--ablation", "--table"}},
    {PREDICT_ABLATION, PREDICT_ONLINE, {"--ablation", "--online"}},
    {PREDICT_ABLATION, PREDICT_RACES, {"--ablation", "--races"}},
    {PREDICT_ABLATION, PREDICT_WITHOUT, {"--ablation", "--without"}},
    {PREDICT_ABLATION, PREDICT_AS_PUBLISHED, {"--ablation", "--as-published"}},
    {PREDICT_TABLE, PREDICT_SEARCH, {"--table", "--search"}},
    {PREDICT_TABLE, PREDICT_MAX_SWITCHES, {"--table", "--max-switches"}},
    {PREDICT_TABLE, PREDICT_WHOLE_TRACE, {"--table", "--whole-trace"}},
    {PREDICT_TABLE, PREDICT_DUMP_WITNESS, {"--table", "--dump-witness"}},
};

/* Tables are modes of their own: they select their engine. */
static const struct mode {
    enum predict_option option;
    const char *words, *engine;
} modes[] = {
    {PREDICT_ABLATION, "--ablation", "reduction"},
    {PREDICT_TABLE, "--table", "tas"},
};

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* Both were given on the command line, or else what comes from the environment is to be told. */
static const char *source_of(const char *left, const char *right) {
    return strcmp(left, "predict") != 0 ? left : right;
}

static int refuse_pair(const char *source, const char *left, const char *right,
                       struct st_error *error) {
    return st_fail(error, source, ST_AT_FILE, 0, "%s and %s cannot go together; leave one out",
                   left, right);
}

static int check_pairs(const struct predict_values *values, struct st_error *error) {
    for (size_t i = 0; i < COUNT(pairs); i++) {
        const char *left = values->given[pairs[i].left], *right = values->given[pairs[i].right];
        if (left && right)
            return refuse_pair(source_of(left, right), pairs[i].words[0], pairs[i].words[1], error);
    }
    if (values->filters.print && (values->reduction.ablation || values->tas.table))
        return refuse_pair("predict", values->tas.table ? "--table" : "--ablation",
                           "--print-suppressions", error);
    return 0;
}

/* Sets *engine to that of the table that is wanted, if one is. */
static int check_modes(const struct predict_values *values, const char **engine,
                       struct st_error *error) {
    for (size_t i = 0; i < COUNT(modes); i++) {
        const char *source = values->given[modes[i].option];
        if (!source)
            continue;
        if (values->given[PREDICT_ENGINE] && strcmp(*engine, modes[i].engine) != 0)
            return st_fail(error, source_of(source, values->given[PREDICT_ENGINE]), ST_AT_FILE, 0,
                           "%s goes with --engine %s, which may be left out, and not with %s",
                           modes[i].words, modes[i].engine, *engine);
        *engine = modes[i].engine;
    }
    return 0;
}

static bool takes(const struct belonging *belonging, const char *engine) {
    for (size_t i = 0; i < MOST_ENGINES && belonging->engines[i]; i++)
        if (strcmp(belonging->engines[i], engine) == 0)
            return true;
    return false;
}

/* "blocks, commit-node or all" */
static const char *list_engines(const struct belonging *belonging, char buffer[LISTED]) {
    size_t used = 0;
    for (size_t i = 0; i < MOST_ENGINES && belonging->engines[i] && used < LISTED; i++)
        used += (size_t)snprintf(buffer + used, LISTED - used, "%s%s", i ? ", " : "",
                                 belonging->engines[i]);
    if (used < LISTED)
        snprintf(buffer + used, LISTED - used, " or all");
    return buffer;
}

static int check_belongings(const struct predict_values *values, const char *engine,
                            struct st_error *error) {
    bool chosen = values->given[PREDICT_ENGINE] || values->reduction.ablation || values->tas.table;
    char listed[LISTED];
    for (size_t i = 0; i < COUNT(belongings); i++) {
        const struct belonging *belonging = &belongings[i];
        const char *source = values->given[belonging->option];
        if (source && !takes(belonging, engine))
            return st_fail(error, source, ST_AT_FILE, 0,
                           "%s needs --engine %s; it means nothing to %s%s", belonging->words,
                           list_engines(belonging, listed), engine, chosen ? "" : ", the default");
    }
    return 0;
}

/* Every engine can be asked for a notion, so that scripts need not tell them apart; but who asks
 * for what it does not have is told. */
static void mind_notion(const struct predict_values *values, const char *engine) {
    const char *about = strcmp(engine, "tas") == 0         ? "which has a notion of its own"
                        : strcmp(engine, "blocks") == 0    ? "which is about views"
                        : strcmp(engine, "reduction") == 0 ? "which is about conflicts"
                                                           : NULL;
    bool has = strcmp(engine, values->notion == ST_NOTION_VIEW ? "blocks" : "reduction") == 0;
    if (values->given[PREDICT_NOTION] && about && !has)
        warn("--notion %s makes no difference to %s, %s",
             values->notion == ST_NOTION_VIEW ? "view" : "conflict", engine, about);
}

int check_predict_options(const struct predict_values *values, const char *engine,
                          struct st_error *error) {
    if (check_pairs(values, error) < 0 || check_modes(values, &engine, error) < 0)
        return -1;
    if (strcmp(engine, "all") == 0)
        return 0;
    mind_notion(values, engine);
    return check_belongings(values, engine, error);
}

/* Online, only what is about locks can be left out: there is nothing else to it. */
int check_predict_without(const struct predict_values *values, const char *improvement,
                          struct st_error *error) {
    static const char *const online[] = {"re-entrant", "thread-local", "protected"};
    const char *source = values->given[PREDICT_WITHOUT];
    char words[64];
    snprintf(words, sizeof words, "--without %s", improvement);
    if (values->given[PREDICT_RACES] && strcmp(improvement, "multilockset") == 0)
        return refuse_pair(source_of(source, values->given[PREDICT_RACES]), words, "--races",
                           error);
    if (!values->reduction.online)
        return 0;
    for (size_t i = 0; i < COUNT(online); i++)
        if (strcmp(improvement, online[i]) == 0)
            return 0;
    return refuse_pair(source_of(source, values->given[PREDICT_ONLINE]), words, "--online", error);
}
