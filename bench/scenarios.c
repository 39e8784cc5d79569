/* bench-scenarios: writes traces like those of the programs in the papers on other schedules
 * (philosophers, an elevator, bank accounts, a connection pool, a grid with a barrier).
 *
 * A small simulation as in generate.c: workers run plans, a plan being a list of steps, and a
 * scheduler picks a random worker for each event. T0 initialises what there is, forks the workers
 * and joins them at the end.
 *
 * Why the traces are well formed: an acquire is written only for a free lock, each plan releases
 * what it acquired and closes what it opened, and a plan is made only when it fits into --events.
 * Why it never hangs: plans acquire their locks in ascending order, and all workers take part in
 * the same number of rounds of the barrier.
 *
 * Clean blocks are atomic in *every* schedule that locks, forks, joins and barriers allow, and bad
 * ones can be cut; each scenario says why. How often bad ones are really cut is up to chance. */
#include "random.h"

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    MAX_STEPS = 128, /* of a plan */
    FLOORS = 8,      /* of an elevator */
    CONNECTIONS = 4, /* of a pool */
    CELLS_A_ROUND = 16,
    LINES_A_BLOCK = 20, /* a block pretends to be a function of so many lines */
    NOBODY = UINT32_MAX
};

enum op { READ, WRITE, ACQUIRE, RELEASE, BEGIN, END, SEND, RECEIVE, FORK, JOIN };

static const char *const op_texts[] = {"r(",   "w(",   "acq(", "rel(",  "begin(",
                                       "end(", "snd(", "rcv(", "fork(", "join("};

struct step {
    enum op op;
    const char *name;
    uint32_t number, line; /* the number has no meaning for begin and end */
};

struct worker {
    struct step plan[MAX_STEPS];
    uint32_t next, count; /* plan[next..count) is still to be done */
    uint32_t line;        /* of the next step that is planned */
    uint32_t behind;      /* next worker in the queue of the lock waited for, or NOBODY */
    uint32_t pool, connection, place; /* pool: what it has, unless connection is NOBODY */
    uint32_t rounds;                  /* barrier: that it has begun */
};

/* The workers in `first..last` wait for the lock; none waits for a lock that stays free. */
struct lock {
    uint32_t holder, first, last;
};

struct world {
    const struct scenario *scenario;
    struct random random;
    FILE *file;
    uint64_t events;    /* at most so many */
    uint64_t written;   /* events so far */
    uint64_t committed; /* events written or in a plan, and the joins */
    uint32_t worker_count, distinct, bad;

    struct worker *workers; /* worker w is thread w + 1 */
    struct lock *locks;
    uint32_t lock_count;
    uint32_t *runnable;
    uint32_t runnable_count;

    uint32_t *used;   /* by pool: a bit for each connection that somebody has */
    uint32_t arrived; /* at the barrier */
    bool last_round;  /* no worker begins another one */
};

struct scenario {
    const char *name, *description;
    uint32_t (*locks)(const struct world *world);
    void (*initialise)(struct world *world);
    void (*plan)(struct world *world, struct worker *worker, uint32_t w);
};

/* ---- writing ---- */

static void put_text(FILE *file, const char *text) {
    while (*text)
        putc_unlocked(*text++, file);
}

static void put_number(FILE *file, uint32_t number) {
    char digits[12], *p = digits + sizeof digits - 1;
    *p = '\0';
    do
        *--p = (char)('0' + number % 10);
    while (number /= 10);
    put_text(file, p);
}

static void put_event(struct world *world, uint32_t thread, const struct step *step) {
    FILE *file = world->file;
    putc_unlocked('T', file);
    put_number(file, thread);
    putc_unlocked('|', file);
    put_text(file, op_texts[step->op]);
    put_text(file, step->name);
    if (step->op >= FORK) {
        put_number(file, step->number);
    } else if (step->op != BEGIN && step->op != END) {
        putc_unlocked('.', file);
        put_number(file, step->number);
    }
    put_text(file, ")|");
    put_text(file, world->scenario->name);
    put_text(file, ".c:");
    put_number(file, step->line);
    putc_unlocked('\n', file);
    world->written++;
}

/* ---- plans ---- */

static void add(struct worker *worker, enum op op, const char *name, uint32_t number) {
    uint32_t line = worker->line++;
    worker->plan[worker->count++] = (struct step){op, name, number, line};
}

static void begin(struct worker *worker, const char *name, uint32_t function) {
    worker->line = function * LINES_A_BLOCK + 10;
    add(worker, BEGIN, name, 0);
}

static void update(struct worker *worker, const char *name, uint32_t number) {
    add(worker, READ, name, number);
    add(worker, WRITE, name, number);
}

static bool is_bad(struct world *world) {
    return below(&world->random, 1000) < world->bad;
}

static uint32_t square_root(uint32_t number) {
    uint32_t root = 1;
    while ((uint64_t)root * root < number)
        root++;
    return root;
}

/* T0 writes something before there are other threads; nothing, when no room is left for work. */
static void put_initial(struct world *world, const char *name, uint32_t count) {
    for (uint32_t i = 0; i < count && world->written < world->events / 10; i++)
        put_event(world, 0, &(struct step){WRITE, name, i, 5});
}

/* philosophers: each seat has a fork on both sides; who sits there holds both while eating, and
 * acquires the lower one first. Clean: two-phase locking, so that all of the block can be moved to
 * where it has both. Bad: it looks at the dish with one fork only and lets go of it before it takes
 * both, so that another one at the same seat can eat in between. */
static uint32_t forks(const struct world *world) {
    return world->distinct < 2 ? 2 : world->distinct;
}

static void lay_table(struct world *world) {
    put_initial(world, "dish", forks(world));
}

static void plan_meal(struct world *world, struct worker *worker, uint32_t w) {
    uint32_t seat = below(&world->random, forks(world)), other = (seat + 1) % forks(world);
    uint32_t low = seat < other ? seat : other, high = seat < other ? other : seat;
    update(worker, "thoughts", w);
    begin(worker, "eat", 1);
    if (is_bad(world)) {
        add(worker, ACQUIRE, "fork", low);
        add(worker, READ, "dish", seat);
        add(worker, RELEASE, "fork", low);
    }
    add(worker, ACQUIRE, "fork", low);
    add(worker, WRITE, "holder", low);
    add(worker, ACQUIRE, "fork", high);
    add(worker, WRITE, "holder", high);
    update(worker, "dish", seat);
    add(worker, RELEASE, "fork", high);
    add(worker, RELEASE, "fork", low);
    add(worker, END, "eat", 0);
}

/* elevator: lifts of a house share its controls, under a lock. Clean: one critical section a block.
 * `tick` has none, but only its own lift writes its clock, and others only read it, outside of
 * blocks: it makes no difference whether they came between its read and its write. Bad: `claim_up`
 * looks in one critical section and claims in another, `arrive` opens the door in a second one. */
static uint32_t houses(const struct world *world) {
    return (world->distinct + 2 * FLOORS - 1) / (2 * FLOORS);
}

static void build_house(struct world *world) {
    put_initial(world, "up", houses(world) * FLOORS);
}

static void part(struct worker *worker, bool bad, uint32_t house) {
    if (bad) {
        add(worker, RELEASE, "controls", house);
        add(worker, ACQUIRE, "controls", house);
    }
}

static void plan_lift(struct world *world, struct worker *worker, uint32_t w) {
    uint32_t house = below(&world->random, houses(world));
    uint32_t floor = house * FLOORS + below(&world->random, FLOORS);
    uint32_t choice = below(&world->random, 8);
    if (choice == 0) {
        add(worker, READ, "clock", below(&world->random, world->worker_count));
        return;
    }
    bool claims = choice < 5, arrives = choice < 7;
    const char *name = claims ? "claim_up" : arrives ? "arrive" : "tick";
    begin(worker, name, claims ? 1 : arrives ? 2 : 3);
    if (claims) {
        add(worker, ACQUIRE, "controls", house);
        add(worker, READ, "up", floor);
        part(worker, is_bad(world), house);
        add(worker, WRITE, "up", floor);
        add(worker, WRITE, "claimed", floor);
        add(worker, RELEASE, "controls", house);
    } else if (arrives) {
        add(worker, ACQUIRE, "controls", house);
        update(worker, "claimed", floor);
        part(worker, is_bad(world), house);
        update(worker, "door", floor);
        add(worker, RELEASE, "controls", house);
    } else {
        update(worker, "clock", w);
    }
    add(worker, END, name, 0);
}

/* accounts: transfers between two accounts and audits of the two, each with the locks of both,
 * acquired in ascending order. Clean: two-phase locking. Bad: the locks are taken one after the
 * other, so that an audit, or a transfer of both, can come in between. */
static uint32_t accounts(const struct world *world) {
    return square_root(world->distinct) + 1;
}

static void open_accounts(struct world *world) {
    put_initial(world, "balance", accounts(world));
}

static void plan_banking(struct world *world, struct worker *worker, uint32_t w) {
    uint32_t count = accounts(world), pair = below(&world->random, world->distinct);
    uint32_t from = pair % count, to = (from + 1 + pair / count % (count - 1)) % count;
    uint32_t low = from < to ? from : to, high = from < to ? to : from;
    bool bad = is_bad(world), audits = one_in(&world->random, 8);
    const char *name = audits ? "audit" : "transfer";
    update(worker, "till", w);
    begin(worker, name, audits ? 1 : 2);
    add(worker, ACQUIRE, "account", low);
    add(worker, READ, "balance", low);
    if (!audits)
        add(worker, WRITE, "balance", low);
    if (bad)
        add(worker, RELEASE, "account", low);
    add(worker, ACQUIRE, "account", high);
    add(worker, READ, "balance", high);
    if (!audits)
        add(worker, WRITE, "balance", high);
    add(worker, RELEASE, "account", high);
    if (!bad)
        add(worker, RELEASE, "account", low);
    add(worker, END, name, 0);
}

/* pool: `get` and `put` take connections from a pool and give them back, under its lock; in between
 * they are used without, since nobody else has them. Clean: one critical section a block. Bad: it
 * looks in one critical section whether there is a connection, and takes it in another. What is
 * done with a connection stands outside of blocks: that nobody else does so at the same time does
 * not follow from locks. */
static uint32_t pools(const struct world *world) {
    return (world->distinct + 1) / 2;
}

static void fill_pools(struct world *world) {
    put_initial(world, "free", pools(world));
}

static bool find_connection(struct world *world, struct worker *worker) {
    uint32_t count = pools(world), first = below(&world->random, count);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t pool = (first + i) % count;
        for (uint32_t c = 0; c < CONNECTIONS; c++)
            if (!(world->used[pool] >> c & 1)) {
                world->used[pool] |= 1u << c;
                worker->pool = pool;
                worker->place = c;
                worker->connection = pool * CONNECTIONS + c;
                return true;
            }
    }
    return false;
}

static void plan_pool_block(struct world *world, struct worker *worker, const char *name,
                            uint32_t function) {
    begin(worker, name, function);
    add(worker, ACQUIRE, "pool", worker->pool);
    add(worker, READ, "free", worker->pool);
    if (is_bad(world)) {
        add(worker, RELEASE, "pool", worker->pool);
        add(worker, ACQUIRE, "pool", worker->pool);
    }
    add(worker, WRITE, "free", worker->pool);
    update(worker, "statistics", worker->pool);
    add(worker, RELEASE, "pool", worker->pool);
    add(worker, END, name, 0);
}

static void plan_connection(struct world *world, struct worker *worker, uint32_t w) {
    if (worker->connection != NOBODY) /* which the last plan gave back */
        world->used[worker->pool] &= ~(1u << worker->place);
    worker->connection = NOBODY;
    update(worker, "request", w);
    if (!find_connection(world, worker))
        return;
    plan_pool_block(world, worker, "get", 1);
    for (uint32_t i = 1 + below(&world->random, 4); i > 0; i--)
        update(worker, "connection", worker->connection);
    plan_pool_block(world, worker, "put", 2);
}

/* barrier: cells in a ring, dealt out to the workers in turn. In each round a worker makes the new
 * contents of some of its cells from the old ones of their neighbours, and then waits for all
 * others; new and old change places from round to round. Clean: nobody reads what is written in the
 * same round. Bad: it writes a draft over the old contents first and corrects it later, so that
 * those who make the neighbours can read the draft. */
static uint32_t no_locks(const struct world *world) {
    (void)world;
    return 0;
}

static void fill_grid(struct world *world) {
    put_initial(world, "even", world->distinct);
}

static void plan_cell(struct world *world, struct worker *worker, uint32_t cell, bool even) {
    const char *old = even ? "even" : "odd", *made = even ? "odd" : "even";
    uint32_t count = world->distinct;
    bool bad = is_bad(world);
    begin(worker, "relax", 1);
    if (bad)
        add(worker, WRITE, old, cell);
    add(worker, READ, old, (cell + count - 1) % count);
    add(worker, READ, old, (cell + 1) % count);
    add(worker, WRITE, bad ? old : made, cell);
    add(worker, END, "relax", 0);
}

static void plan_round(struct world *world, struct worker *worker, uint32_t w) {
    uint32_t cells = (world->distinct + world->worker_count - 1) / world->worker_count;
    uint32_t many = cells < CELLS_A_ROUND ? cells : CELLS_A_ROUND;
    uint32_t first = worker->rounds / 2 * many; /* each cell is made from old and from new ones */
    if (world->last_round)
        return;
    for (uint32_t i = 0; i < many; i++) {
        uint32_t cell = w + (first + i) % cells * world->worker_count;
        if (cell < world->distinct)
            plan_cell(world, worker, cell, worker->rounds % 2 == 0);
    }
    add(worker, SEND, "barrier", worker->rounds % 2);
    add(worker, RECEIVE, "barrier", worker->rounds % 2);
    worker->rounds++;
}

static const struct scenario scenarios[] = {
    {"philosophers", "eat with two forks, which are locks", forks, lay_table, plan_meal},
    {"elevator", "claim_up, arrive and tick of lifts that share their controls", houses,
     build_house, plan_lift},
    {"accounts", "transfer and audit with a lock for each account", accounts, open_accounts,
     plan_banking},
    {"pool", "get and put connections under a lock, use them without", pools, fill_pools,
     plan_connection},
    {"barrier", "relax the cells of a grid in rounds, with a barrier", no_locks, fill_grid,
     plan_round},
};
enum { SCENARIO_COUNT = sizeof scenarios / sizeof scenarios[0] };

/* ---- running plans ---- */

/* Gives the worker its next plan; false when it has nothing more to do. A worker never begins a
 * round of the barrier unless all can, so what is left is looked at between the rounds there. */
static bool plan_next(struct world *world, uint32_t w) {
    struct worker *worker = &world->workers[w];
    worker->next = worker->count = 0;
    worker->line = 10;
    world->scenario->plan(world, worker, w);
    if (world->committed + worker->count > world->events)
        worker->count = 0;
    world->committed += worker->count;
    return worker->count > 0;
}

static void make_runnable(struct world *world, uint32_t w) {
    world->runnable[world->runnable_count++] = w;
}

static bool take_lock(struct world *world, uint32_t w, uint32_t l) {
    struct lock *lock = &world->locks[l];
    if (lock->holder == NOBODY) {
        lock->holder = w;
        return true;
    }
    world->workers[w].behind = NOBODY;
    if (lock->first == NOBODY)
        lock->first = w;
    else
        world->workers[lock->last].behind = w;
    lock->last = w;
    return false;
}

/* The first in the queue may run again, but has to try again: a running one may be faster. */
static void give_lock_back(struct world *world, uint32_t l) {
    struct lock *lock = &world->locks[l];
    lock->holder = NOBODY;
    if (lock->first == NOBODY)
        return;
    make_runnable(world, lock->first);
    lock->first = world->workers[lock->first].behind;
}

/* The worker has arrived at the barrier; true when all have, and it may go on. There is another
 * round if the longest one would fit. */
static bool arrive(struct world *world, uint32_t w) {
    if (++world->arrived < world->worker_count)
        return false;
    world->arrived = 0;
    uint64_t longest = (uint64_t)world->worker_count * (CELLS_A_ROUND * 6 + 2);
    world->last_round = world->committed + longest > world->events;
    for (uint32_t other = 0; other < world->worker_count; other++)
        if (other != w)
            make_runnable(world, other);
    return true;
}

/* Does the next step of the worker's plan; false when it has to wait. */
static bool do_step(struct world *world, uint32_t w) {
    struct worker *worker = &world->workers[w];
    const struct step *step = &worker->plan[worker->next];
    if (step->op == ACQUIRE && !take_lock(world, w, step->number))
        return false;
    worker->next++;
    if (step->op == RELEASE)
        give_lock_back(world, step->number);
    put_event(world, w + 1, step);
    return step->op != SEND || arrive(world, w);
}

static void run_workers(struct world *world) {
    while (world->runnable_count > 0) {
        uint32_t i = below(&world->random, world->runnable_count);
        uint32_t w = world->runnable[i];
        struct worker *worker = &world->workers[w];
        bool goes_on = worker->next < worker->count || plan_next(world, w);
        /* do_step only ever appends, so the worker is still at i. */
        if (!goes_on || !do_step(world, w))
            world->runnable[i] = world->runnable[--world->runnable_count];
    }
}

static void put_forks_or_joins(struct world *world, enum op op) {
    for (uint32_t w = 0; w < world->worker_count; w++)
        put_event(world, 0, &(struct step){op, "T", w + 1, op == FORK ? 6 : 7});
}

static void run_world(struct world *world) {
    world->scenario->initialise(world);
    put_forks_or_joins(world, FORK);
    world->committed = world->written + world->worker_count;
    for (uint32_t w = 0; w < world->worker_count; w++)
        make_runnable(world, w);
    run_workers(world);
    put_forks_or_joins(world, JOIN);
}

/* ---- the command line ---- */

static void print_help(void) {
    printf("usage: bench-scenarios --scenario NAME [options]\n"
           "\n"
           "Writes a trace in STD text, complete and well formed, the same for the same options.\n"
           "\n"
           "  --scenario NAME  which program the trace is like (see below)\n"
           "  --events N       at most so many events, and hardly fewer (1000000)\n"
           "  --threads K      so many threads beside the first (8)\n"
           "  --distinct M     about so many different transactions (64)\n"
           "  --bad P          so many blocks in a thousand can be cut (0)\n"
           "  --seed S         for other random choices (1)\n"
           "  -o, --output F   write to the file F instead of standard output\n"
           "  --help           show this\n"
           "\n"
           "scenarios:\n");
    for (int i = 0; i < SCENARIO_COUNT; i++)
        printf("  %-15s %s\n", scenarios[i].name, scenarios[i].description);
}

static _Noreturn void refuse(const char *what, const char *value) {
    fprintf(stderr, "bench-scenarios: %s: %s (see --help)\n", what, value);
    exit(2);
}

static uint64_t number_option(const char *name, const char *value, uint64_t least, uint64_t most) {
    char *end;
    errno = 0;
    unsigned long long number = strtoull(value, &end, 10);
    if (errno || *end || end == value || *value == '-' || number < least || number > most)
        refuse(name, value);
    return number;
}

static const struct scenario *scenario_option(const char *name) {
    for (int i = 0; i < SCENARIO_COUNT; i++)
        if (strcmp(scenarios[i].name, name) == 0)
            return &scenarios[i];
    refuse("no such scenario", name);
}

/* Returns the name of the output, or NULL for standard output. */
static const char *parse_options(int argc, char **argv, struct world *world) {
    static const struct option names[] = {
        {"scenario", required_argument, NULL, 'n'},
        {"events", required_argument, NULL, 'e'},
        {"threads", required_argument, NULL, 't'},
        {"distinct", required_argument, NULL, 'd'},
        {"bad", required_argument, NULL, 'b'},
        {"seed", required_argument, NULL, 's'},
        {"output", required_argument, NULL, 'o'},
        {"help", no_argument, NULL, 'h'},
        {NULL, 0, NULL, 0},
    };
    const char *output = NULL;
    uint64_t seed = 1;
    int option;
    while ((option = getopt_long(argc, argv, "o:h", names, NULL)) != -1) {
        if (option == 'n')
            world->scenario = scenario_option(optarg);
        else if (option == 'e')
            world->events = number_option("--events", optarg, 1, UINT64_MAX / 128);
        else if (option == 't')
            world->worker_count = (uint32_t)number_option("--threads", optarg, 1, 100000);
        else if (option == 'd')
            world->distinct = (uint32_t)number_option("--distinct", optarg, 1, 100000000);
        else if (option == 'b')
            world->bad = (uint32_t)number_option("--bad", optarg, 0, 1000);
        else if (option == 's')
            seed = number_option("--seed", optarg, 0, UINT64_MAX);
        else if (option == 'o')
            output = optarg;
        else if (option == 'h')
            print_help();
        if (option == 'h' || option == '?')
            exit(option == 'h' ? 0 : 2);
    }
    if (optind < argc)
        refuse("unexpected argument", argv[optind]);
    if (!world->scenario)
        refuse("missing option", "--scenario");
    if (world->events < 10 * (uint64_t)world->worker_count)
        refuse("too few for so many threads", "--events");
    world->random.state = seed * 0x2545f4914f6cdd1du;
    return output;
}

static void *allocate(size_t count, size_t size) {
    void *memory = calloc(count ? count : 1, size);
    if (!memory) {
        fprintf(stderr, "bench-scenarios: out of memory\n");
        exit(2);
    }
    return memory;
}

static void allocate_state(struct world *world) {
    world->lock_count = world->scenario->locks(world);
    world->workers = allocate(world->worker_count, sizeof *world->workers);
    world->runnable = allocate(world->worker_count, sizeof *world->runnable);
    world->locks = allocate(world->lock_count, sizeof *world->locks);
    world->used = allocate(pools(world), sizeof *world->used);
    for (uint32_t w = 0; w < world->worker_count; w++)
        world->workers[w].connection = NOBODY;
    for (uint32_t l = 0; l < world->lock_count; l++)
        world->locks[l] = (struct lock){NOBODY, NOBODY, NOBODY};
}

int main(int argc, char **argv) {
    struct world world = {.events = 1000000, .worker_count = 8, .distinct = 64};
    const char *output = parse_options(argc, argv, &world);
    world.file = output ? fopen(output, "we") : stdout;
    if (!world.file) {
        fprintf(stderr, "bench-scenarios: cannot create %s: %s\n", output, strerror(errno));
        return 2;
    }
    allocate_state(&world);
    run_world(&world);
    if (fclose(world.file) != 0) {
        fprintf(stderr, "bench-scenarios: cannot write %s: %s\n",
                output ? output : "standard output", strerror(errno));
        return 2;
    }
    free(world.workers);
    free(world.runnable);
    free(world.locks);
    free(world.used);
    return 0;
}
