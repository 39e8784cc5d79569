/* seriatim: finds out whether blocks that should be atomic were atomic in a run. */
#include "cli/command.h"
#include "cli/doctor/scratch.h"
#include "base/output.h"
#include "cli/common_options.h"
#include "cli/messages.h"
#include "cli/cluster/ranks.h"

#include "base/memory.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char options_variable[] = "SERIATIM_OPTIONS";

static void write_version(FILE *file, const void *context) {
    (void)context;
    fputs("seriatim " SERIATIM_VERSION "\n", file);
}

static void write_help(FILE *file, const void *context) {
    (void)context;
    fputs("usage: seriatim COMMAND [OPTIONS] ...\n\n"
          "Finds atomicity violations in multithreaded programs, and in traces of them.\n\n"
          "commands:\n",
          file);
    for (const struct command *const *command = commands; *command; command++)
        fprintf(file, "  %-10s %s\n", (*command)->name, (*command)->summary);
    fprintf(file, "  %-10s %s\n\noptions:\n", HELP_COMMAND, HELP_SUMMARY);
    st_options_help(top_options, file);
    fputs("\nEvery command has --help; cc and c++ pass it on to the compiler. Options in the\n"
          "environment variable SERIATIM_OPTIONS come before those of the command line.\n\n"
          "Exit status: 0 nothing found, 1 something found, 2 error; run and record pass on\n"
          "the status of the program.\n",
          file);
}

static void write_command_help(FILE *file, const void *context) {
    const struct command *command = context;
    if (command->run_untouched) {
        fprintf(file, "usage: seriatim %s %s\n\n%s", command->name, command->operands,
                command->description);
        return;
    }
    fprintf(file, "usage: seriatim %s [OPTIONS]%s%s\n\n%s\noptions:\n", command->name,
            *command->operands ? " " : "", command->operands, command->description);
    st_options_help(command_options(command), file);
    if (command->more_help) {
        fputc('\n', file);
        command->more_help(file);
    }
}

static enum status unknown_command(const char *name) {
    struct st_error error;
    char quoted[80], hint[64] = "see 'seriatim --help'";
    st_quote(quoted, sizeof quoted, name, strlen(name));
    int best = -1;
    for (const struct command *const *command = commands; *command; command++) {
        int likeness = st_likeness(name, (*command)->name);
        if (likeness >= 0 && (best < 0 || likeness < best)) {
            best = likeness;
            snprintf(hint, sizeof hint, "did you mean '%s'?", (*command)->name);
        }
    }
    st_fail(&error, NULL, ST_AT_FILE, 0, "unknown %s %s; %s", *name == '-' ? "option" : "command",
            quoted, hint);
    return complain(&error);
}

/* The required operand with this index: "OUT" is the second of "IN OUT", and the first of "a|b" is
 * "a or b". */
static void name_operand(const char *operands, size_t index, char *name, size_t size) {
    size_t length;
    for (const char *word = operands; *word; word += length + (word[length] == ' ')) {
        length = strcspn(word, " ");
        if (*word != '[' && index-- == 0) {
            int first = (int)strcspn(word, " |."), rest = (int)length - first;
            if (word[first] == '|')
                snprintf(name, size, "%.*s or %.*s", first, word, rest - 1, word + first + 1);
            else
                snprintf(name, size, "%.*s", first, word);
            return;
        }
    }
    snprintf(name, size, "something");
}

static enum status wrong_operands(const struct command *command, const struct st_operands *given) {
    struct st_error error;
    if (given->count < command->least_operands) {
        char name[40];
        name_operand(command->operands, given->count, name, sizeof name);
        bool literal = *name >= 'a' && *name <= 'z' && !strchr(name, ' '); /* to type as it is */
        st_fail(&error, command->name, ST_AT_FILE, 0,
                "%s%s%s is missing; usage: seriatim %s [OPTIONS] %s", literal ? "the word '" : "",
                name, literal ? "'" : "", command->name, command->operands);
    } else {
        char quoted[80];
        const char *extra = given->words[command->most_operands];
        st_fail(&error, command->name, ST_AT_FILE, 0,
                "unexpected %s; usage: seriatim %s [OPTIONS] %s",
                st_quote(quoted, sizeof quoted, extra, strlen(extra)), command->name,
                command->operands);
    }
    return complain(&error);
}

/* The operands, NULL, the words of the program, NULL. */
static enum status run_with_words(const struct command *command, const void *values,
                                  const struct st_operands *operands, size_t before) {
    const char **words = st_alloc(operands->count + 2, sizeof *words);
    if (operands->count) {
        memcpy(words, operands->words, before * sizeof *words);
        memcpy(words + before + 1, operands->words + before,
               (operands->count - before) * sizeof *words);
    }
    enum status status = command->run(values, words);
    free(words);
    return status;
}

static enum status run_with_program(const struct command *command, const void *values,
                                    const struct st_operands *operands) {
    struct st_error error;
    size_t before = operands->dashes < operands->count ? operands->dashes : operands->count;
    if (before == operands->count || before > command->most_operands) {
        st_fail(&error, command->name, ST_AT_FILE, 0, "%s; usage: seriatim %s %s",
                before == operands->count ? "PROGRAM is missing behind '--'"
                                          : "too much stands before '--'",
                command->name, command->program_usage);
        return complain(&error);
    }
    return run_with_words(command, values, operands, before);
}

static enum status run_parsed(const struct command *command, const void *values,
                              const struct st_operands *operands) {
    const struct common_values *common = values;
    if (common->help)
        return show(write_command_help, command);
    if (common->version)
        return show(write_version, NULL);
    if (command->takes_program && command->takes_program(values))
        return run_with_program(command, values, operands);
    if (command->program_may_follow && operands->dashes != SIZE_MAX)
        return run_with_program(command, values, operands);
    if (operands->count < command->least_operands || operands->count > command->most_operands)
        return wrong_operands(command, operands);
    if (command->program_may_follow)
        return run_with_words(command, values, operands, operands->count);
    return command->run(values, operands->words);
}

static enum status run_command(const struct command *command, int argc, char **argv) {
    struct st_operands operands;
    struct st_error error;
    if (command->in_crew && ranks_join(command->name, argc, argv, &error) < 0)
        return complain(&error);
    void *values = st_alloc(1, command->values_size);
    int parsed = st_options_parse(command_options(command), values, &operands, command->name,
                                  !command->operands_end_options, argc, argv, options_variable,
                                  getenv(options_variable), &error);
    enum status status = parsed < 0 ? complain(&error) : run_parsed(command, values, &operands);
    st_operands_free(&operands);
    free(values);
    return command->in_crew ? ranks_leave(status) : status;
}

static enum status run_help(int argc, char **argv) {
    if (argc == 0)
        return show(write_help, NULL);
    const struct command *command = find_command(argv[0]);
    return command ? show(write_command_help, command) : unknown_command(argv[0]);
}

/* Removes temporary files, then dies from the signal as if there were no handler. */
static void on_deadly_signal(int number) {
    st_output_remove_unfinished();
    scratch_remove();
    signal(number, SIG_DFL);
    raise(number);
}

static void set_signals(void) {
    static const int deadly[] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGQUIT};
    struct sigaction action = {.sa_handler = on_deadly_signal};
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < sizeof deadly / sizeof *deadly; i++) {
        struct sigaction before;
        sigaction(deadly[i], NULL, &before);
        if (before.sa_handler != SIG_IGN) /* nohup, shells without job control */
            sigaction(deadly[i], &action, NULL);
    }
    signal(SIGXFSZ, SIG_IGN); /* if a file may not grow, write() fails instead */
}

/* A file that we open must not become standard output or error because the caller closed those.
 * Writing to a closed standard output remains an error: its replacement is read-only. */
static void keep_standard_descriptors(void) {
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", fd ? O_RDONLY : O_WRONLY) < 0)
            abort();
}

/* The command that the program runs because of its own name: seriatim-cc. */
static const struct command *find_own_name(const char *path) {
    static const char prefix[] = "seriatim-";
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    if (strncmp(name, prefix, strlen(prefix)) != 0)
        return NULL;
    const struct command *command = find_command(name + strlen(prefix));
    return command && command->run_untouched ? command : NULL;
}

int main(int argc, char **argv) {
    keep_standard_descriptors();
    const struct command *command = argc > 0 ? find_own_name(argv[0]) : NULL;
    if (command)
        return (int)command->run_untouched(argc - 1, argv + 1);
    if (argc < 2) {
        write_help(stderr, NULL);
        return STATUS_TROUBLE;
    }
    const char *word = argv[1];
    command = find_command(word);
    if (command && command->run_untouched)
        return (int)command->run_untouched(argc - 2, argv + 2);
    set_signals();
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0)
        return (int)show(write_help, NULL);
    if (strcmp(word, "--version") == 0)
        return (int)show(write_version, NULL);
    if (strcmp(word, HELP_COMMAND) == 0)
        return (int)run_help(argc - 2, argv + 2);
    return (int)(command ? run_command(command, argc - 2, argv + 2) : unknown_command(word));
}
