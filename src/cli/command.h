/* A command is a value: `const struct command cmd_check` at the end of cmd_check.c, and a line in
 * the table in commands.c. Help, manual pages and shell completion are written from it. */
#ifndef SERIATIM_CLI_COMMAND_H
#define SERIATIM_CLI_COMMAND_H

#include "base/options.h"

/* Exit status of the process. */
enum status { STATUS_CLEAN = 0, STATUS_FOUND = 1, STATUS_TROUBLE = 2 };

struct command {
    const char *name;
    const char *operands;            /* as in the usage line: "TRACE"; "bash|zsh" for fixed words */
    const char *summary;             /* one line for the list of commands */
    const char *description;         /* what --help says before the options; lines end with \n */
    const struct st_option *options; /* or, where they are put together at run time, ... */
    const struct st_option *(*make_options)(void);
    size_t values_size; /* of its struct of values, which starts with struct common_values */
    size_t least_operands, most_operands;
    bool operands_end_options; /* words after the first operand are not ours to read */
    /* With these values, does a program with its arguments come behind "--"? Then its operands may
     * all be missing, and `run` gets the words of the program behind their NULL. NULL: never. */
    bool (*takes_program)(const void *values);
    /* Traces or a program: "--" and a program may come instead of operands, or behind them. `run`
     * gets operands, NULL, the words of the program if there is one, and NULL. */
    bool program_may_follow;
    const char *program_usage;     /* the usage line then, from the options on */
    void (*more_help)(FILE *file); /* what --help says after the options, or NULL */
    enum status (*run)(const void *values, const char *const *operands);
    bool in_crew; /* mpirun may start it on several ranks, which then work together */
    /* Instead of everything from `options` on, for a command that passes its arguments on
     * unchanged. It runs with the signals that we were started with, so that it may exec. */
    enum status (*run_untouched)(int argc, char **argv);
};

extern const struct command cmd_run, cmd_record, cmd_hunt, cmd_replay, cmd_check, cmd_predict,
    cmd_infer, cmd_report, cmd_stats, cmd_convert, cmd_dump, cmd_cc, cmd_cxx, cmd_doctor,
    cmd_completion, cmd_baseline, cmd_compare, cmd_refine;

extern const struct command *const commands[]; /* ends with NULL */

/* The command `help` is not in the table: it only shows the table. */
#define HELP_COMMAND "help"
#define HELP_SUMMARY "show the help of a command, as in: seriatim help check"

extern const struct st_option common_options[]; /* of every command */
extern const struct st_option top_options[];    /* of seriatim itself, instead of a command */

const struct command *find_command(const char *name); /* NULL if there is none */

/* Its options, made or not; NULL if it takes its arguments as they are. */
const struct st_option *command_options(const struct command *command);

#endif
