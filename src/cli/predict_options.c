#include "cli/predict_options.h"

#include "cli/cluster/ranks.h"
#include "base/memory.h"
#include "cli/messages.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ALIGNMENT = _Alignof(max_align_t), LISTED = 128, LONGEST_NAME = 40, LONGEST_HELP = 256 };

/* The values of --engine: st_tiers, then each of st_predictors, then all of these. */
static const struct st_predictor *engine_at(size_t index) {
    return index == 0 ? &st_tiers : index <= st_predictor_count() ? st_predictors[index - 1] : NULL;
}

static bool is_all(size_t index) {
    return index == st_predictor_count() + 1;
}

static const char *engine_choice(size_t index) {
    const struct st_predictor *predictor = engine_at(index);
    return predictor ? predictor->name : is_all(index) ? "all" : NULL;
}

static bool has_theorems(const struct st_predictor *predictor) {
    return predictor->as_published;
}

static bool gives_traces(const struct st_predictor *predictor) {
    return predictor->gives_traces;
}

static bool has_improvements(const struct st_predictor *predictor) {
    return predictor->improvements != 0;
}

static bool has_notions(const struct st_predictor *predictor) {
    return !predictor->notion;
}

/* ---- the table ---- */

static const char *const sync_words[] = {
    [ST_MODEL_BARRIERS] = "barriers", [ST_MODEL_ALL] = "all", NULL};

/* A row of the command itself. */
struct shared_row {
    struct st_option option;
    bool (*is_for)(const struct st_predictor *predictor); /* NULL: for all of them */
};

static const struct shared_row first_rows[] = {
    {{.name = "engine",
      .kind = ST_CHOICE,
      .offset = offsetof(struct predict_values, engine),
      .value = "ENGINE",
      .initial = "tiers",
      .choice = engine_choice,
      .help = "which analysis to run"},
     NULL},
    {{.name = "proven",
      .kind = ST_FLAG,
      .offset = offsetof(struct predict_values, proven),
      .help = "only what is proven: the same as --engine tas"},
     NULL},
    {{.name = "notion",
      .kind = ST_CHOICE,
      .offset = offsetof(struct predict_values, notion),
      .value = "NOTION",
      .initial = "conflict",
      .choices = st_notion_names,
      .help = "which schedules count as equal",
      .note = "every other engine has one notion"},
     has_notions},
    {{.name = "jobs",
      .kind = ST_NUMBER,
      .offset = offsetof(struct predict_values, jobs),
      .value = "N",
      .initial = "0",
      .help = "work with N threads; 0 means one for each processor"},
     NULL},
    {{.name = "timeout",
      .kind = ST_SECONDS,
      .offset = offsetof(struct predict_values, timeout),
      .value = "S",
      .initial = "10",
      .help = "give up a block, or a search for all of them together, after S seconds, which may "
              "be a fraction; 0 means never"},
     NULL},
    {{.name = "total-timeout",
      .kind = ST_SECONDS,
      .offset = offsetof(struct predict_values, total_timeout),
      .value = "S",
      .initial = "0",
      .help = "stop S seconds after the start, and report what is settled by then; 0 means never, "
              "but proofs of what is possible are sought for 240 seconds of processor time for "
              "each job"},
     NULL},
    {{.name = "memory",
      .kind = ST_TEXT,
      .offset = offsetof(struct predict_values, memory),
      .value = "SIZE",
      .help = "use about SIZE bytes of memory (800M, 4G), and say what did not fit; half of the "
              "machine's memory by default; 0 means any amount"},
     NULL},
    {{.name = "sync",
      .kind = ST_CHOICE,
      .offset = offsetof(struct predict_values, sync),
      .value = "VALUE",
      .initial = "barriers",
      .choices = sync_words,
      .help = "which order holds in every schedule, besides locks, fork and join: that of barriers "
              "and of what is done once, or that of conditions, semaphores and all else, too, as "
              "it was observed"},
     NULL},
    {{.name = "as-published",
      .kind = ST_FLAG,
      .offset = offsetof(struct predict_values, as_published),
      .help = "use the theorems as they were printed, with their errors"},
     has_theorems},
    {{.name = "without",
      .kind = ST_CHOICES,
      .offset = offsetof(struct predict_values, without),
      .value = "IMPROVEMENT",
      .choices = st_improvement_names,
      .help = "leave out an improvement",
      .note = "can be given several times"},
     has_improvements},
    {{.name = "dump-witness",
      .kind = ST_TEXT,
      .offset = offsetof(struct predict_values, witness),
      .value = "FILE",
      .help =
          "write the schedule of the first violation to FILE, as a trace in STD text for check"},
     gives_traces},
};

static const struct st_option last_rows[] = {
    {.name = "spec",
     .kind = ST_TEXT,
     .offset = offsetof(struct predict_values, spec),
     .value = "FILE",
     .help = "which blocks are meant to be atomic; without it, all are"},
    {.name = "all-depths",
     .kind = ST_FLAG,
     .offset = offsetof(struct predict_values, all_depths),
     .help = "judge blocks inside others with every engine, and even where nothing around them was "
             "found cut"},
    {.name = "limit",
     .kind = ST_NUMBER,
     .offset = offsetof(struct predict_values, limit),
     .value = "N",
     .initial = "100",
     .help = "list at most N blocks of each depth, those with findings first; 0 lists all"},
    STORIES_OPTION(struct predict_values, filters),
    {.name = "confirm",
     .kind = ST_FLAG,
     .offset = offsetof(struct predict_values, confirm),
     .help =
         "then run the program that stands behind -- under control, and try to make happen what "
         "was predicted; without TRACE, from a recording of a run of its own. Without --engine, "
         "all analyses count"},
    {.name = "tries",
     .kind = ST_NUMBER,
     .offset = offsetof(struct predict_values, tries),
     .value = "N",
     .initial = "20",
     .help = "with --confirm: try each prediction N times"},
    {.name = "seed",
     .kind = ST_NUMBER,
     .offset = offsetof(struct predict_values, seed),
     .value = "N",
     .initial = "1",
     .help = "with --confirm: choose other schedules"},
    {.name = "keep",
     .kind = ST_TEXT,
     .offset = offsetof(struct predict_values, keep),
     .value = "DIR",
     .help = "with --confirm: where schedules go; the folder seriatim-hunt if not given"},
    RELATION_OPTIONS(struct predict_values),
    REPAIR_OPTION(struct predict_values),
    FILTER_OPTIONS(struct predict_values, filters),
    REPORT_FORMAT_OPTION(struct predict_values, "text"),
    EDITOR_OPTION(struct predict_values, filters),
    RESUME_OPTION(struct predict_values),
    OUTPUT_OPTION(struct predict_values),
    COMMON_OPTIONS,
};

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* Invariant: `rows` ends with an empty row. Row i is of the predictor with the index owner[i], or
 * of the command: OF_COMMAND. */
enum { OF_COMMAND = MOST_PREDICTORS };
static struct {
    struct st_option rows[MOST_PREDICT_OPTIONS + 1];
    size_t owner[MOST_PREDICT_OPTIONS];
    size_t count;
    size_t own[MOST_PREDICTORS]; /* where in values->own the options of each predictor are */
} table;

static void add_row(struct st_option row, size_t owner) {
    if (table.count == MOST_PREDICT_OPTIONS)
        abort(); /* the constant is too small for what predictors bring */
    row.given = offsetof(struct predict_values, given) + table.count * sizeof(const char *);
    table.owner[table.count] = owner;
    table.rows[table.count++] = row;
}

/* "reduction, blocks: use the theorems" */
static const char *help_for(bool (*is_for)(const struct st_predictor *predictor),
                            const char *help) {
    char *text = st_alloc(LONGEST_HELP, 1);
    size_t used = is_for(&st_tiers) ? (size_t)sprintf(text, "%s", st_tiers.name) : 0;
    for (size_t i = 0; st_predictors[i]; i++)
        if (is_for(st_predictors[i]))
            used += (size_t)snprintf(text + used, LONGEST_HELP - used, "%s%s", used ? ", " : "",
                                     st_predictors[i]->name);
    snprintf(text + used, LONGEST_HELP - used, ": %s", help);
    return text;
}

static void add_shared_row(const struct shared_row *shared) {
    struct st_option row = shared->option;
    if (shared->is_for)
        row.help = help_for(shared->is_for, row.help);
    add_row(row, OF_COMMAND);
}

/* Returns where in values->own the options of the next predictor are. */
static size_t add_predictor_rows(size_t index, size_t room) {
    const struct st_predictor *predictor = st_predictors[index];
    size_t end = (room + predictor->own_size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    if (index == MOST_PREDICTORS || end > PREDICTOR_ROOM)
        abort(); /* as above */
    table.own[index] = offsetof(struct predict_values, own) + room;
    for (const struct st_option *own = predictor->options; own->name; own++) {
        struct st_option row = *own;
        char *help = st_alloc(LONGEST_HELP, 1);
        snprintf(help, LONGEST_HELP, "%s: %s", predictor->name, own->help);
        row.help = help;
        row.offset += table.own[index];
        add_row(row, index);
    }
    return end;
}

const struct st_option *predict_options(void) {
    size_t room = 0;
    if (table.count)
        return table.rows;
    for (size_t i = 0; i < COUNT(first_rows); i++)
        add_shared_row(&first_rows[i]);
    for (size_t i = 0; st_predictors[i]; i++)
        room = add_predictor_rows(i, room);
    for (const struct st_option *row = last_rows; row->name; row++)
        add_row(*row, OF_COMMAND);
    return table.rows;
}

const void *predictor_options(const struct predict_values *values,
                              const struct st_predictor *predictor) {
    for (size_t i = 0; st_predictors[i]; i++)
        if (st_predictors[i] == predictor)
            return (const char *)values + table.own[i];
    return NULL;
}

/* ---- what was given ---- */

/* Who gave the option, or NULL. "without escape" is the option `without` with that word. */
static const char *source_of(const struct predict_values *values, const char *option) {
    size_t length = strcspn(option, " "), row = 0;
    while (row < table.count &&
           (strncmp(table.rows[row].name, option, length) != 0 || table.rows[row].name[length]))
        row++;
    if (row == table.count)
        return NULL;
    if (!option[length])
        return values->given[row];
    unsigned words = *(const unsigned *)((const char *)values + table.rows[row].offset);
    for (unsigned i = 0; st_option_choice(&table.rows[row], i); i++)
        if (strcmp(st_option_choice(&table.rows[row], i), option + length + 1) == 0)
            return words & 1u << i ? values->given[row] : NULL;
    return NULL;
}

bool runs_all_predictors(const struct predict_values *values) {
    if (chosen_table(values, &(const struct st_predictor *){NULL}))
        return false;
    return is_all(values->engine) ||
           (values->confirm && !values->proven && !source_of(values, "engine"));
}

const struct st_predictor *chosen_predictor(const struct predict_values *values) {
    const struct st_predictor *predictor;
    if (chosen_table(values, &predictor))
        return predictor;
    if (values->proven)
        return &st_tas;
    return engine_at(values->engine);
}

const struct st_predictor_table *chosen_table(const struct predict_values *values,
                                              const struct st_predictor **predictor) {
    for (size_t i = 0; st_predictors[i]; i++) {
        const struct st_predictor_table *tables = st_predictors[i]->tables;
        *predictor = st_predictors[i];
        for (; tables && tables->option; tables++)
            if (source_of(values, tables->option))
                return tables;
    }
    return NULL;
}

/* Of two sources, the environment is the one that the user has to be reminded of. */
static const char *less_obvious(const char *left, const char *right) {
    return strcmp(left, "predict") != 0 ? left : right;
}

/* ---- sizes ---- */

/* "4G", "800M", "65536". False if it is no size. */
static bool parse_size(const char *text, size_t *size) {
    static const char units[] = "KMGT";
    char *end;
    errno = 0;
    unsigned long long number = strtoull(text, &end, 10);
    const char *unit = *end ? strchr(units, *end) : NULL;
    unsigned shift = unit ? 10 * (unsigned)(unit - units + 1) : 0;
    if (end == text || *text == '-' || errno || end[unit != NULL] || number > SIZE_MAX >> shift)
        return false;
    *size = (size_t)number << shift;
    return true;
}

size_t predict_memory(const struct predict_values *values) {
    size_t size = 0;
    if (values->memory)
        return parse_size(values->memory, &size) ? size : 0;
    long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    return pages > 0 && page > 0 ? (size_t)pages / 2 * (size_t)page : 0;
}

static int check_memory(const struct predict_values *values, struct st_error *error) {
    size_t size;
    if (!values->memory || parse_size(values->memory, &size))
        return 0;
    return st_fail(error, source_of(values, "memory"), ST_AT_FILE, 0,
                   "--memory wants a size such as 800M or 4G, not '%s'", values->memory);
}

/* ---- what does not go together ---- */

static int refuse_pair(const struct predict_values *values, const char *left, const char *right,
                       struct st_error *error) {
    const char *one = source_of(values, left), *other = source_of(values, right);
    if (!one || !other)
        return 0;
    return st_fail(error, less_obvious(one, other), ST_AT_FILE, 0,
                   "--%s and --%s cannot go together; leave one out", left, right);
}

static int check_conflicts(const struct predict_values *values, struct st_error *error) {
    for (size_t i = 0; st_predictors[i]; i++) {
        const char *const(*pair)[2] = st_predictors[i]->conflicts;
        for (; pair && (*pair)[0]; pair++)
            if (refuse_pair(values, (*pair)[0], (*pair)[1], error) < 0)
                return -1;
    }
    return 0;
}

/* An option does not go with any table, other than the one that it asks for. */
static int refuse_tables(const struct predict_values *values, const char *option,
                         struct st_error *error) {
    for (size_t i = 0; st_predictors[i]; i++) {
        const struct st_predictor_table *tables = st_predictors[i]->tables;
        for (; tables && tables->option; tables++)
            if (strcmp(tables->option, option) != 0 &&
                refuse_pair(values, option, tables->option, error) < 0)
                return -1;
    }
    return 0;
}

/* A table is written instead of a report, with one predictor: its own. */
static int check_table(const struct predict_values *values, struct st_error *error) {
    const struct st_predictor *predictor;
    const struct st_predictor_table *chosen = chosen_table(values, &predictor);
    const char *engine = source_of(values, "engine");
    if (!chosen)
        return 0;
    const char *option = chosen->option;
    if (refuse_tables(values, option, error) < 0)
        return -1;
    if (refuse_pair(values, option, "dump-witness", error) < 0 ||
        refuse_pair(values, option, "print-suppressions", error) < 0)
        return -1;
    if (engine && engine_at(values->engine) != predictor)
        return st_fail(error, less_obvious(source_of(values, option), engine), ST_AT_FILE, 0,
                       "--%s goes with --engine %s, which may be left out, and not with %s", option,
                       predictor->name, engine_choice(values->engine));
    const char *format = st_report_format_name(values->format);
    if (strcmp(format, "text") != 0 && strcmp(format, "json") != 0)
        return st_fail(error, "predict", ST_AT_FILE, 0, "--%s can be written as text or json only",
                       option);
    return 0;
}

/* Options of --confirm mean nothing without it, and others nothing with it. */
static int check_confirm(const struct predict_values *values, struct st_error *error) {
    static const char *const only_with[] = {"tries", "seed", "keep"};
    for (size_t i = 0; i < COUNT(only_with); i++)
        if (!values->confirm && source_of(values, only_with[i]))
            return st_fail(error, source_of(values, only_with[i]), ST_AT_FILE, 0,
                           "--%s needs --confirm", only_with[i]);
    if (!values->tries)
        return st_fail(error, "predict", ST_AT_FILE, 0, "option '--tries' needs a number above 0");
    if (refuse_tables(values, "confirm", error) < 0)
        return -1;
    return refuse_pair(values, "confirm", "dump-witness", error);
}

static bool takes(const struct st_predictor *predictor, size_t row) {
    if (table.owner[row] != OF_COMMAND)
        return st_predictors[table.owner[row]] == predictor;
    return row >= COUNT(first_rows) || !first_rows[row].is_for || first_rows[row].is_for(predictor);
}

/* "tiers, tas or all" */
static const char *list_takers(size_t row, char buffer[LISTED]) {
    size_t used = takes(&st_tiers, row) ? (size_t)snprintf(buffer, LISTED, "%s", st_tiers.name) : 0;
    for (size_t i = 0; st_predictors[i] && used < LISTED; i++)
        if (takes(st_predictors[i], row))
            used += (size_t)snprintf(buffer + used, LISTED - used, "%s%s", used ? ", " : "",
                                     st_predictors[i]->name);
    if (used < LISTED)
        snprintf(buffer + used, LISTED - used, " or all");
    return buffer;
}

/* Every predictor can be asked for a notion, so that scripts can treat them alike. */
static bool is_notion(size_t row) {
    return strcmp(table.rows[row].name, "notion") == 0;
}

static int check_takers(const struct predict_values *values, const struct st_predictor *predictor,
                        struct st_error *error) {
    bool chosen = source_of(values, "engine") || predictor != &st_tiers;
    char listed[LISTED];
    for (size_t row = 0; row < table.count; row++)
        if (values->given[row] && !takes(predictor, row) && !is_notion(row))
            return st_fail(error, values->given[row], ST_AT_FILE, 0,
                           "--%s needs --engine %s; it means nothing to %s%s", table.rows[row].name,
                           list_takers(row, listed), predictor->name,
                           chosen ? "" : ", the default");
    return 0;
}

/* An improvement that the predictor does not have cannot be left out. */
static int check_without(const struct predict_values *values, const struct st_predictor *predictor,
                         struct st_error *error) {
    for (unsigned i = 0; st_improvement_names[i]; i++)
        if (values->without & ~predictor->improvements & 1u << i)
            return st_fail(error, source_of(values, "without"), ST_AT_FILE, 0,
                           "--without %s means nothing to %s", st_improvement_names[i],
                           predictor->name);
    return 0;
}

/* Whoever asks for a notion that the predictor does not have should know. */
static void warn_of_notion(const struct predict_values *values,
                           const struct st_predictor *predictor) {
    const char *wanted = st_notion_names[values->notion], *notion = predictor->notion;
    if (!source_of(values, "notion") || !notion || strcmp(notion, wanted) == 0)
        return;
    bool known = false;
    for (size_t i = 0; st_notion_names[i]; i++)
        known |= strcmp(st_notion_names[i], notion) == 0;
    if (known)
        warn("--notion %s makes no difference to %s, which is about %ss", wanted, predictor->name,
             notion);
    else
        warn("--notion %s makes no difference to %s, which has a notion of its own", wanted,
             predictor->name);
}

int check_predict_options(const struct predict_values *values, struct st_error *error) {
    if (check_conflicts(values, error) < 0 || refuse_pair(values, "proven", "engine", error) < 0 ||
        check_confirm(values, error) < 0 || check_table(values, error) < 0 ||
        check_memory(values, error) < 0)
        return -1;
    if (values->witness && values->output && strcmp(values->witness, values->output) == 0)
        return st_fail(error, "predict", ST_AT_FILE, 0,
                       "--dump-witness and --output cannot be the same file");
    if (runs_all_predictors(values))
        return 0;
    warn_of_notion(values, chosen_predictor(values));
    if (check_takers(values, chosen_predictor(values), error) < 0)
        return -1;
    return check_without(values, chosen_predictor(values), error);
}
