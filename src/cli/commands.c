#include "cli/command.h"
#include "cli/common_options.h"

#include <string.h>

const struct command *const commands[] = {
    &cmd_run,   &cmd_record, &cmd_hunt,   &cmd_replay,     &cmd_check, &cmd_predict, &cmd_compare,
    &cmd_infer, &cmd_refine, &cmd_report, &cmd_baseline,   &cmd_stats, &cmd_convert, &cmd_dump,
    &cmd_cc,    &cmd_cxx,    &cmd_doctor, &cmd_completion, NULL};

const char *const color_words[] = {
    [COLOR_AUTO] = "auto", [COLOR_ALWAYS] = "always", [COLOR_NEVER] = "never", NULL};
const char *const format_words[] = {[FORMAT_TEXT] = "text", [FORMAT_JSON] = "json", NULL};

const struct st_option common_options[] = {COMMON_OPTIONS};

const struct st_option top_options[] = {
    {.name = "help",
     .letter = 'h',
     .kind = ST_FLAG,
     .offset = offsetof(struct common_values, help),
     .help = "show this help"},
    {.name = "version",
     .kind = ST_FLAG,
     .offset = offsetof(struct common_values, version),
     .help = "show the version"},
    {0},
};

const struct command *find_command(const char *name) {
    for (const struct command *const *command = commands; *command; command++)
        if (strcmp((*command)->name, name) == 0)
            return *command;
    return NULL;
}

const struct st_option *command_options(const struct command *command) {
    return command->make_options ? command->make_options() : command->options;
}
