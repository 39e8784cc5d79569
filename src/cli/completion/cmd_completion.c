/* seriatim completion: prints a script with which a shell completes our command lines. */
#include "cli/completion/completion.h"
#include "base/output.h"
#include "cli/common_options.h"
#include "cli/messages.h"

#include <string.h>

struct values {
    struct common_values common;
    const char *output;
};

static const struct shell {
    const char *name;
    void (*write)(FILE *file);
} shells[] = {{"bash", write_bash_completion}, {"zsh", write_zsh_completion}};

static const struct shell *find_shell(const char *name, struct st_error *error) {
    char quoted[80];
    for (size_t i = 0; i < sizeof shells / sizeof *shells; i++)
        if (strcmp(shells[i].name, name) == 0)
            return &shells[i];
    st_fail(error, "completion", ST_AT_FILE, 0, "unknown shell %s; it must be bash or zsh",
            st_quote(quoted, sizeof quoted, name, strlen(name)));
    return NULL;
}

static enum status run(const void *given, const char *const *operands) {
    const struct values *values = given;
    struct st_output output;
    struct st_error error;
    const struct shell *shell = find_shell(operands[0], &error);
    if (!shell || st_output_open(&output, values->output, NULL, &error) < 0)
        return complain(&error);
    shell->write(output.file);
    return st_output_finish(&output, &error) < 0 ? complain(&error) : STATUS_CLEAN;
}

static const struct st_option options[] = {
    OUTPUT_OPTION(struct values),
    COMMON_OPTIONS,
};

const struct command cmd_completion = {
    .name = "completion",
    .operands = "bash|zsh",
    .summary = "print the completion script for a shell",
    .description =
        "Prints a script with which bash or zsh completes commands, options and their\n"
        "values. It is installed where the shells look for it; this command is for other\n"
        "cases. In ~/.bashrc:\n\n"
        "  source <(seriatim completion bash)\n\n"
        "In ~/.zshrc, after compinit:\n\n"
        "  source <(seriatim completion zsh)\n",
    .options = options,
    .values_size = sizeof(struct values),
    .least_operands = 1,
    .most_operands = 1,
    .run = run,
};
