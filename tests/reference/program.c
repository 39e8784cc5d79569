#include "reference/program.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

volatile uint64_t program_seed;
const char *volatile program_part = "the reference";

static void write_text(const char *text) {
    if (write(STDERR_FILENO, text, strlen(text)) < 0)
        return;
}

static void on_signal(int number) {
    char digits[24], *p = digits + sizeof digits - 1;
    *p = '\0';
    uint64_t seed = program_seed;
    do
        *--p = (char)('0' + seed % 10);
    while (seed /= 10);
    write_text(number == SIGVTALRM ? "\nhangs" : "\ncrashes");
    write_text(" at seed ");
    write_text(p);
    write_text(" in ");
    write_text(program_part);
    write_text("\n");
    signal(number == SIGVTALRM ? SIGABRT : number, SIG_DFL);
    raise(number == SIGVTALRM ? SIGABRT : number);
}

/* With AddressSanitizer its report comes first, then the seed: it must abort instead of exiting,
 * and keep its own handler for bad addresses. */
const char *__asan_default_options(void);
const char *__asan_default_options(void) {
    return "abort_on_error=1:allow_user_segv_handler=0";
}

void program_watch(void) {
    static const int numbers[] = {SIGSEGV, SIGBUS, SIGFPE, SIGABRT, SIGVTALRM};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        signal(numbers[i], on_signal);
}

void program_be_patient_for(int seconds) {
    struct itimerval timer = {.it_value = {.tv_sec = seconds}};
    setitimer(ITIMER_VIRTUAL, &timer, NULL);
}

/* ---- the command line ---- */

static bool read_number(const char *text, uint64_t *number) {
    char *end;
    errno = 0;
    *number = strtoull(text ? text : "", &end, 10);
    return text && *text >= '0' && *text <= '9' && !*end && !errno;
}

static bool refuse(const struct program *program, const char *option, const char *needs) {
    if (needs)
        fprintf(stderr, "%s: %s needs %s\n", program->name, option, needs);
    else
        fprintf(stderr, "%s: unknown option\n", program->name);
    fprintf(stderr, "usage: %s %s\n", program->name, program->usage);
    return false;
}

static const struct program_option *find(const struct program_option *options, const char *name) {
    for (; options->name; options++)
        if (strcmp(options->name, name) == 0)
            return options;
    return NULL;
}

bool program_read(struct program *program, const struct program_option *options, int argc,
                  char **argv) {
    const struct program_option common[] = {{.name = "--forever", .flag = &program->forever},
                                            {.name = "--verbose", .flag = &program->verbose},
                                            {.name = NULL}};
    for (int i = 1; i < argc; i++) {
        const char *name = argv[i], *value = i + 1 < argc ? argv[i + 1] : NULL;
        bool seed = strcmp(name, "--seed") == 0;
        const struct program_option *option = find(common, name);
        if (!option)
            option = find(options, name);
        if (option && option->flag) {
            *option->flag = true;
            continue;
        }
        i++;
        if (seed || strcmp(name, "--count") == 0) {
            if (!read_number(value, seed ? &program->seed : &program->count))
                return refuse(program, name, "a number");
        } else if (!option) {
            return refuse(program, name, NULL);
        } else {
            *option->value = value;
            if (!value || !option->is_valid(value))
                return refuse(program, name, option->needs);
        }
    }
    return true;
}

/* ---- all seeds ---- */

bool program_run(const struct program *program, bool (*check)(void *context, uint64_t seed),
                 void *context) {
    double start = program_seconds();
    for (uint64_t i = 0; program->forever || i < program->count; i++) {
        program_seed = program->seed + i;
        if (!check(context, program->seed + i))
            return false;
        if (program->forever && (i + 1) % 100000 == 0) {
            printf("%" PRIu64 " traces, %.0f a second\n", i + 1,
                   (double)(i + 1) / (program_seconds() - start));
            fflush(stdout);
        }
    }
    return true;
}

double program_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}
