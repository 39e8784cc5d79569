/* Runs a command with a plan for the program in it, and prints what was logged.
 *
 *     control-play [OPTION...] -- COMMAND ARGUMENT...
 *
 *     --strategy NAME     default, random, urw, pct, block-pct, pos, directed, stall
 *     --seed N, --depth N, --early N, --most N
 *     --learn, --every, --real-time, --diverge, --by-site
 *     --area FILE         where the area is, and stays
 *     --from FILE         the area of an earlier run: its sites, and how many points it had
 *     --replay FILE       its deviations, too
 *     --drop N            without that one of them
 *     --hold F,O,L        sites as --points prints them
 *     --points            prints the log of points
 *
 * Exit status: that of the command. */
#define _GNU_SOURCE
#include "stream/control.h"

#include <fcntl.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *const strategies[] = {"default", "random",   "urw",   "pct",      "block-pct",
                                         "pos",     "directed", "stall", "predicted"};
static const char *const ends[] = {"by itself", "deadlock", "livelock", "too long", "diverged"};
static const char *const kinds[] = {
    "begin",   "read",      "write",  "atomic-read", "atomic-write", "lock",  "rdlock",
    "trylock", "unlock",    "wait",   "signal",      "sem-wait",     "post",  "barrier",
    "fork",    "join",      "once",   "futex-wait",  "futex-wake",   "yield", "sleep",
    "io",      "on-signal", "cancel", "exit",        "end"};
static const char *const deviations[] = {"preempt", "blocked", "wake", "time", "signal", "arrival"};
static const char *const states[] = {"ready", "blocked", "waiting", "sleeping", "outside", "ended"};

static struct st_control_area *map(const char *path, int flags) {
    int fd = open(path, O_RDWR | flags, 0600);
    if (fd < 0 || (flags && ftruncate(fd, sizeof(struct st_control_area)) < 0)) {
        perror(path);
        exit(2);
    }
    void *memory =
        mmap(NULL, sizeof(struct st_control_area), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    if (memory == MAP_FAILED) {
        perror(path);
        exit(2);
    }
    return memory;
}

static uint32_t strategy_named(const char *name) {
    for (uint32_t i = 0; i < ST_STRATEGY_COUNT; i++)
        if (strcmp(strategies[i], name) == 0)
            return i;
    fprintf(stderr, "no strategy %s\n", name);
    exit(2);
}

static void take_from(struct st_control_plan *plan, const char *path, int with_deviations) {
    const struct st_control_area *earlier = map(path, 0);
    const struct st_control_log *log = &earlier->log;
    memcpy(plan->sites, log->sites, sizeof plan->sites);
    plan->site_count = log->site_count;
    plan->expected_points = log->contested;
    plan->expected_block_points = log->contested_in_blocks;
    for (uint32_t i = 0; i < log->thread_count && i < ST_CONTROL_EXPECTED; i++)
        plan->expected[plan->expected_count++] =
            (struct st_control_expected){log->threads[i].name, log->threads[i].points};
    if (!with_deviations)
        return;
    plan->deviation_count = log->deviation_count;
    memcpy(plan->deviations, log->deviations, log->deviation_count * sizeof *plan->deviations);
}

static void set_hold(struct st_control_hold *hold, const char *text) {
    char *end;
    hold->first[hold->first_count++] = strtoull(text, &end, 16);
    if (*end)
        hold->other[hold->other_count++] = strtoull(end + 1, &end, 16);
    if (*end)
        hold->last[hold->last_count++] = strtoull(end + 1, &end, 16);
}

static void print_points(const struct st_control_log *log) {
    for (uint32_t i = 0; i < log->point_count; i++) {
        const struct st_control_point *point = &log->log[i];
        printf("T%u @%lu %s %lx site %lx block %u contested %x\n", point->thread,
               (unsigned long)point->clock, kinds[point->kind], (unsigned long)point->object,
               (unsigned long)point->site, point->block, point->contested);
    }
}

static unsigned index_of(const struct st_control_log *log, uint64_t name) {
    for (uint32_t i = 0; i < log->thread_count; i++)
        if (log->threads[i].name == name)
            return i;
    return 9999;
}

static void print_log(const struct st_control_area *area) {
    const struct st_control_log *log = &area->log;
    printf("ended %s, points %lu, contested %lu, in blocks %lu, switches %lu, preemptions %lu, "
           "events %lu, time %lu, loose %u, hits %u, given up %u, sites %u, followed %u, others "
           "%u\n",
           ends[log->end], (unsigned long)log->points, (unsigned long)log->contested,
           (unsigned long)log->contested_in_blocks, (unsigned long)log->switches,
           (unsigned long)log->preemptions, (unsigned long)log->events,
           (unsigned long)log->virtual_nanoseconds, log->loose, log->hits, log->given_up,
           log->site_count, log->followed, area->others);
    for (uint32_t i = 0; i < log->deviation_count && i < 40; i++) {
        const struct st_control_deviation *d = &log->deviations[i];
        printf("T%u @%lu.%u %s: T%u (site %lx, count %u)\n", index_of(log, d->thread),
               (unsigned long)d->clock, d->ordinal, deviations[d->kind], index_of(log, d->next),
               (unsigned long)d->site, d->count);
    }
    if (log->end == ST_END_BY_ITSELF)
        return;
    for (uint32_t i = 0; i < log->thread_count; i++) {
        const struct st_control_thread *thread = &log->threads[i];
        if (thread->state != ST_THREAD_ENDED)
            printf("T%u %s at %s of %lx, owner T%u\n", i, states[thread->state],
                   kinds[thread->kind], (unsigned long)thread->object,
                   index_of(log, thread->owner));
    }
}

enum { DROP = 1, HOLD };

int main(int argc, char **argv) {
    static struct st_control_plan plan = {.depth = 3, .early = 24};
    static const struct option options[] = {{"strategy", 1, 0, 's'},
                                            {"seed", 1, 0, 'n'},
                                            {"depth", 1, 0, 'd'},
                                            {"early", 1, 0, 'e'},
                                            {"most", 1, 0, 'm'},
                                            {"learn", 0, 0, 'l'},
                                            {"every", 0, 0, 'v'},
                                            {"real-time", 0, 0, 't'},
                                            {"diverge", 0, 0, 'g'},
                                            {"by-site", 0, 0, 'b'},
                                            {"area", 1, 0, 'a'},
                                            {"from", 1, 0, 'f'},
                                            {"replay", 1, 0, 'r'},
                                            {"points", 0, 0, 'p'},
                                            {"drop", 1, 0, DROP},
                                            {"hold", 1, 0, HOLD},
                                            {0}};
    char path[] = "/tmp/control-XXXXXX";
    const char *where = NULL;
    int points = 0;
    for (int option; (option = getopt_long(argc, argv, "+", options, NULL)) != -1;)
        switch (option) {
        case 's':
            plan.strategy = strategy_named(optarg);
            break;
        case 'n':
            plan.seed = strtoull(optarg, NULL, 10);
            break;
        case 'd':
            plan.depth = (uint32_t)atoi(optarg);
            break;
        case 'e':
            plan.early = (uint32_t)atoi(optarg);
            break;
        case 'm':
            plan.most_points = strtoull(optarg, NULL, 10);
            break;
        case 'l':
            plan.flags |= ST_CONTROL_LEARN;
            break;
        case 'v':
            plan.flags |= ST_CONTROL_EVERY_ACCESS;
            break;
        case 't':
            plan.flags |= ST_CONTROL_REAL_TIME;
            break;
        case 'g':
            plan.flags |= ST_CONTROL_DIVERGE;
            break;
        case 'b':
            plan.flags |= ST_CONTROL_BY_SITE;
            break;
        case 'a':
            where = optarg;
            break;
        case 'f':
            take_from(&plan, optarg, 0);
            break;
        case 'r':
            take_from(&plan, optarg, 1);
            break;
        case 'p':
            points = 1;
            break;
        case HOLD:
            set_hold(&plan.hold, optarg);
            break;
        case DROP:
            plan.deviation_count--;
            memmove(&plan.deviations[atoi(optarg)], &plan.deviations[atoi(optarg) + 1],
                    (plan.deviation_count - (uint32_t)atoi(optarg)) * sizeof *plan.deviations);
            break;
        default:
            return 2;
        }
    if (!where) {
        close(mkstemp(path));
        where = path;
    }
    struct st_control_area *area = map(where, O_CREAT | O_TRUNC);
    area->magic = ST_CONTROL_MAGIC;
    area->version = ST_CONTROL_VERSION;
    area->plan = plan;
    setenv(ST_CONTROL_VARIABLE, where, 1);
    pid_t child = fork();
    if (child == 0) {
        personality(ADDR_NO_RANDOMIZE); /* as hunt does */
        execvp(argv[optind], argv + optind);
        perror(argv[optind]);
        _exit(2);
    }
    int status = 0;
    waitpid(child, &status, 0);
    if (points)
        print_points(&area->log);
    print_log(area);
    if (where == path)
        unlink(path);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 2;
}
