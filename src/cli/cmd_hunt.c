/* seriatim hunt: makes bugs happen, under a scheduler of its own. */
#include "cli/hunting.h"
#include "cli/messages.h"
#include "cli/cluster/ranks.h"

#include <string.h>
#include <unistd.h>

struct values {
    struct common_values common;
    const char *spec, *output, *keep, *client, *resume;
    uint64_t limit, runs, jobs, seed, points;
    double time, run_time;
    bool real_time;
    unsigned relation, format, strategy, until;
    struct st_texts allocators;
    struct filter_values filters;
    struct st_java_options java;
};

enum { UNTIL_ALL, UNTIL_FIRST };
static const char *const until_words[] = {[UNTIL_ALL] = "all", [UNTIL_FIRST] = "first", NULL};

/* The default schedule is the first strategy, and nothing to choose. */
static const char *strategy_word(size_t index) {
    return st_choice_name(index + 1);
}

/* ---- the command ---- */

/* Two servers at a time would want the same address. */
static size_t jobs_of(const struct values *values) {
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    if (values->jobs)
        return (size_t)values->jobs;
    return values->client || processors < 1 ? 1 : (size_t)processors;
}

static struct st_hunt_options options_of(const struct values *values, const char *const *words,
                                         const struct hunting *hunting) {
    struct st_hunt_options options = usual_hunt(hunting, "hunt", words, values->spec);
    options.subject.java = &values->java;
    options.subject.client = values->client;
    options.subject.allocators = &values->allocators;
    options.subject.relation = st_relation_or_usual(values->relation, true);
    options.subject.most_points = values->points;
    options.subject.bounded = values->run_time > 0;
    options.subject.real_time = values->real_time;
    if (values->run_time > 0)
        options.subject.seconds = values->run_time;
    options.runs = values->runs;
    options.seed = values->seed;
    options.seconds = values->time;
    options.jobs = jobs_of(values);
    options.subject.crew = ranks_crew();
    options.choice = values->strategy + 1;
    options.until_first = values->until == UNTIL_FIRST;
    if (values->keep)
        options.keep = values->keep;
    return options;
}

static int check_values(const struct values *values, struct st_error *error) {
    if (values->runs <= ST_LEARNING_RUNS)
        return st_fail(error, "hunt", ST_AT_FILE, 0,
                       "option '--runs' needs a number above %d: the first runs are for learning",
                       (int)ST_LEARNING_RUNS);
    return 0;
}

/* All ranks run the same program. */
static int require_same(const struct values *values, const char *const *words,
                        struct st_error *error) {
    struct st_crew *crew = ranks_crew();
    if (!crew || st_crew_workers(crew) == 0)
        return 0;
    bool here = strchr(words[0], '/') && access(words[0], R_OK) == 0;
    if (st_crew_require(crew, ".", error) < 0 ||
        (here && st_crew_require(crew, words[0], error) < 0))
        return -1;
    return values->spec ? st_crew_require(crew, values->spec, error) : 0;
}

/* On a rank that does runs for rank 0. */
static enum status help_hunting(const struct values *values, const char *const *words) {
    struct hunting hunting = {
        .common = &values->common, .filters = &values->filters, .limit = values->limit};
    struct st_hunt_options options = options_of(values, words, &hunting);
    struct st_error error;
    st_hunt_serve(&options, &error);
    return complain(&error);
}

static enum status hunt_program(const void *command_values, const char *const *operands) {
    const struct values *values = command_values;
    const char *const inputs[] = {values->spec, NULL};
    struct st_filters filters;
    struct st_output output;
    struct st_error error;
    if (st_crew_is_worker(ranks_crew()))
        return help_hunting(values, operands);
    if (check_values(values, &error) < 0 || ranks_resume(values->resume, NULL, &error) < 0 ||
        require_same(values, operands, &error) < 0 ||
        st_filters_open(&filters, &values->filters.files, "hunt", inputs, &error) < 0)
        return complain(&error);
    enum status status;
    if (st_output_open(&output, values->output, inputs, &error) < 0) {
        status = complain(&error);
    } else {
        struct hunting hunting = {.common = &values->common,
                                  .filters = &values->filters,
                                  .limit = values->limit,
                                  .format = values->format};
        struct st_hunt_options options = options_of(values, operands, &hunting);
        status = hunt_and_write(&hunting, &options, &filters, &output);
    }
    st_filters_close(&filters);
    return status;
}

static const struct st_option options[] = {
    {.name = "runs",
     .kind = ST_NUMBER,
     .offset = offsetof(struct values, runs),
     .value = "N",
     .initial = "100",
     .help = "stop after N runs"},
    {.name = "time",
     .kind = ST_SECONDS,
     .offset = offsetof(struct values, time),
     .value = "S",
     .initial = "60",
     .help = "start no more runs after S seconds; what was found is repeated and minimised for at "
             "most 60 seconds more than that"},
    {.name = "until",
     .kind = ST_CHOICE,
     .offset = offsetof(struct values, until),
     .value = "WHEN",
     .initial = "all",
     .choices = until_words,
     .help = "go on to the end, or stop at the first finding"},
    {.name = "jobs",
     .letter = 'j',
     .kind = ST_NUMBER,
     .offset = offsetof(struct values, jobs),
     .value = "N",
     .initial = "0",
     .help = "run N processes at a time; 0: as many as there are processors, and one with "
             "--client. The result does not depend on it"},
    {.name = "seed",
     .kind = ST_NUMBER,
     .offset = offsetof(struct values, seed),
     .value = "N",
     .initial = "1",
     .help = "choose other schedules: the same seed gives the same result"},
    {.name = "strategy",
     .kind = ST_CHOICE,
     .offset = offsetof(struct values, strategy),
     .value = "NAME",
     .initial = "portfolio",
     .choice = strategy_word,
     .help = "how to choose schedules",
     .note = "portfolio: all but systematic, in turns"},
    {.name = "keep",
     .kind = ST_TEXT,
     .offset = offsetof(struct values, keep),
     .value = "DIR",
     .help = "where schedules go; the folder seriatim-hunt if not given"},
    {.name = "real-time",
     .kind = ST_FLAG,
     .offset = offsetof(struct values, real_time),
     .help = "leave clocks and sleeping alone; otherwise time passes when no thread can go on"},
    {.name = "run-time",
     .kind = ST_SECONDS,
     .offset = offsetof(struct values, run_time),
     .value = "S",
     .initial = "0",
     .help = "end each run after S seconds, for programs that do not end; 0: a program that takes "
             "longer than 20 seconds is refused"},
    {.name = "points",
     .kind = ST_NUMBER,
     .offset = offsetof(struct values, points),
     .value = "N",
     .initial = "0",
     .help = "end each run after N points (synchronisation, and accesses to shared memory); 0: "
             "never"},
    {.name = "client",
     .kind = ST_TEXT,
     .offset = offsetof(struct values, client),
     .value = "COMMAND",
     .help = "for a server: run COMMAND in a shell when it listens for connections, in turns "
             "with it, and end it when COMMAND has ended"},
    RELATION_OPTIONS(struct values),
    FUNCTIONS_SPEC_OPTION(struct values),
    ALLOCATOR_OPTION(struct values),
    JAVA_OPTIONS(struct values),
    LIMIT_OPTION(struct values),
    STORIES_OPTION(struct values, filters),
    FILTER_OPTIONS(struct values, filters),
    RESUME_OPTION(struct values),
    OUTPUT_OPTION(struct values),
    REPORT_FORMAT_OPTION(struct values, "text"),
    EDITOR_OPTION(struct values, filters),
    COMMON_OPTIONS,
};

const struct command cmd_hunt = {
    .name = "hunt",
    .operands = "[--] PROGRAM [ARGUMENT...]",
    .summary = "run a program in many schedules until a block is cut or it fails",
    .description =
        "Runs a program that was built with seriatim-cc or seriatim-c++ again and\n"
        "again, under a scheduler that looks for trouble: one thread at a time, switched\n"
        "where it hurts. Reports blocks that were cut, crashes, failed assertions and\n"
        "deadlocks, what harm came of them, and a schedule for each that 'seriatim\n"
        "replay' repeats exactly. A Java program is hunted as it is (java -jar app.jar).\n\n"
        "Exit status: 0 if nothing was found, 1 if something was, 2 after an error.\n",
    .options = options,
    .values_size = sizeof(struct values),
    .least_operands = 1,
    .most_operands = SIZE_MAX,
    .operands_end_options = true,
    .in_crew = true,
    .run = hunt_program,
};
