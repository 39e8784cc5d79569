/* Signals: those that a program sends itself, those of timers, and, with OUTSIDE, those of a child.
 * In a controlled run handlers run at points, in the same place in each run of a schedule. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static atomic_uint got[8];
static atomic_uint trace;

static void mark(unsigned who) {
    atomic_store(&trace, atomic_load(&trace) * 31 + who);
}

static void on_self(int number) {
    atomic_fetch_add(&got[number == SIGUSR1 ? 0 : 1], 1);
    mark(1);
}

static void on_alarm(int number) {
    (void)number;
    atomic_fetch_add(&got[2], 1);
    mark(2);
}

static void on_timer(int number, siginfo_t *info, void *context) {
    (void)number, (void)context;
    atomic_fetch_add(&got[3], (unsigned)info->si_value.sival_int);
    mark(3);
}

static sigjmp_buf place;
static void on_jump(int number) {
    (void)number;
    siglongjmp(place, 1);
}

static void *works(void *argument) {
    for (int i = 0; i < 5; i++)
        mark(4);
    return argument;
}

static void *takes(void *argument) {
    int number = 0;
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGRTMIN);
    for (int i = 0; i < 2; i++) {
        sigwait(&set, &number);
        got[4] += number == SIGRTMIN;
        mark(5);
    }
    struct timespec soon = {.tv_sec = 100};
    got[5] = sigtimedwait(&set, NULL, &soon) < 0 && errno == EAGAIN;
    return argument;
}

static void *suspends(void *argument) {
    sigset_t set, none;
    sigemptyset(&none);
    sigaddset(&none, SIGRTMIN);
    sigemptyset(&set);
    sigaddset(&set, SIGUSR2);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    sigsuspend(&none);
    mark(6);
    return argument;
}

static void use_timers(void) {
    struct itimerval often = {.it_value = {.tv_sec = 10}, .it_interval = {.tv_sec = 10}},
                     stop = {0};
    struct sigevent event = {
        .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGRTMIN + 1, .sigev_value = {.sival_int = 5}};
    struct itimerspec once = {.it_value = {.tv_sec = 1000}};
    timer_t timer;
    setitimer(ITIMER_REAL, &often, NULL);
    while (atomic_load(&got[2]) < 3)
        pause();
    setitimer(ITIMER_REAL, &stop, NULL);
    timer_create(CLOCK_MONOTONIC, &event, &timer);
    timer_settime(timer, 0, &once, NULL);
    while (!atomic_load(&got[3]))
        ;
    timer_delete(timer);
}

#ifdef OUTSIDE
static void on_child(int number) {
    (void)number;
    atomic_fetch_add(&got[6], 1);
    mark(7);
}

static void get_from_child(void) {
    pid_t child = fork();
    if (child == 0) {
        usleep(2000);
        kill(getppid(), SIGUSR1);
        usleep(2000);
        _exit(0);
    }
    for (unsigned before = atomic_load(&got[0]); atomic_load(&got[0]) == before;)
        mark(8);
    while (!atomic_load(&got[6]))
        sleep(1);
    waitpid(child, NULL, 0);
}
#endif

int main(void) {
    pthread_t worker, taker, suspended;
    struct sigaction self = {.sa_handler = on_self, .sa_flags = SA_RESTART};
    struct sigaction timed = {.sa_sigaction = on_timer, .sa_flags = SA_SIGINFO};
    struct sigaction jump = {.sa_handler = on_jump};
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGRTMIN);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    sigaction(SIGUSR1, &self, NULL);
    sigaction(SIGUSR2, &self, NULL);
    sigaction(SIGRTMIN + 1, &timed, NULL);
    sigaction(SIGHUP, &jump, NULL);
    signal(SIGALRM, on_alarm);
#ifdef OUTSIDE
    signal(SIGCHLD, on_child);
#endif
    pthread_create(&worker, NULL, works, NULL);
    pthread_create(&taker, NULL, takes, NULL);
    pthread_create(&suspended, NULL, suspends, NULL);
    raise(SIGUSR1);
    if (atomic_load(&got[0]) != 1)
        abort();
    kill(getpid(), SIGUSR1);
    kill(getpid(), SIGRTMIN);
    sigqueue(getpid(), SIGRTMIN, (union sigval){0});
    pthread_kill(worker, SIGUSR1);
    while (atomic_load(&got[0]) < 3 && pthread_tryjoin_np(worker, NULL) == EBUSY)
        ;
    use_timers();
    if (!sigsetjmp(place, 1))
        raise(SIGHUP);
    if (!sigsetjmp(place, 1))
        raise(SIGHUP);
    do
        pthread_kill(suspended, SIGUSR2);
    while (pthread_tryjoin_np(suspended, NULL) == EBUSY);
    pthread_join(taker, NULL);
#ifdef OUTSIDE
    get_from_child();
#endif
    printf("%u %u %u %u %u; %08x\n", got[2], got[3], got[4], got[5], got[6], trace);
    return 0;
}
