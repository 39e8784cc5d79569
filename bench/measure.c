/* bench-measure REPORT SECONDS COMMAND [ARGUMENT...]: runs a command and writes to the file REPORT
 * one line: wall seconds, user seconds, system seconds, peak memory in KiB, exit status (or 128 +
 * signal), and 1 if the command was killed because SECONDS (0: no limit) had passed.
 *
 * Why not from Python: on Linux the peak memory of a process counts what it was before exec, that
 * is a copy of the interpreter. This launcher is smaller than anything that it measures. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile pid_t child;
static volatile sig_atomic_t killed;

static void on_alarm(int signal_number) {
    (void)signal_number;
    killed = 1;
    kill(child, SIGKILL);
}

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static double seconds(struct timeval time) {
    return (double)time.tv_sec + (double)time.tv_usec * 1e-6;
}

static void start(char **command) {
    child = fork();
    if (child < 0) {
        perror("bench-measure: fork");
        exit(2);
    }
    if (child == 0) {
        execvp(command[0], command);
        fprintf(stderr, "bench-measure: cannot run %s: %s\n", command[0], strerror(errno));
        _exit(127);
    }
}

static void limit(double after) {
    struct itimerval timer = {
        .it_value = {.tv_sec = (time_t)after,
                     .tv_usec = (suseconds_t)((after - (time_t)after) * 1e6)}};
    signal(SIGALRM, on_alarm);
    setitimer(ITIMER_REAL, &timer, NULL);
}

int main(int argc, char **argv) {
    if (argc < 4) {
        fprintf(stderr, "usage: bench-measure REPORT SECONDS COMMAND [ARGUMENT...]\n");
        return 2;
    }
    double begin = now();
    start(argv + 3);
    limit(atof(argv[2]));
    int status;
    struct rusage usage;
    while (wait4(child, &status, 0, &usage) < 0)
        if (errno != EINTR)
            return 2;
    double elapsed = now() - begin;
    FILE *report = fopen(argv[1], "w");
    if (!report) {
        fprintf(stderr, "bench-measure: cannot create %s: %s\n", argv[1], strerror(errno));
        return 2;
    }
    fprintf(report, "%.6f %.6f %.6f %ld %d %d\n", elapsed, seconds(usage.ru_utime),
            seconds(usage.ru_stime), usage.ru_maxrss,
            WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), (int)killed);
    return fclose(report) == 0 ? 0 : 2;
}
