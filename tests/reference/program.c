#include "reference/program.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
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
    write_text(number == SIGALRM ? "\nhangs" : "\ncrashes");
    write_text(" at seed ");
    write_text(p);
    write_text(" in ");
    write_text(program_part);
    write_text("\n");
    signal(number == SIGALRM ? SIGABRT : number, SIG_DFL);
    raise(number == SIGALRM ? SIGABRT : number);
}

/* With AddressSanitizer its report comes first, then the seed: it must abort instead of exiting,
 * and keep its own handler for bad addresses. */
const char *__asan_default_options(void);
const char *__asan_default_options(void) {
    return "abort_on_error=1:allow_user_segv_handler=0";
}

void program_watch(void) {
    static const int numbers[] = {SIGSEGV, SIGBUS, SIGFPE, SIGABRT, SIGALRM};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        signal(numbers[i], on_signal);
}

bool program_number(const char *text, uint64_t *number) {
    char *end;
    errno = 0;
    *number = strtoull(text ? text : "", &end, 10);
    return text && *text >= '0' && *text <= '9' && !*end && !errno;
}
