#define _GNU_SOURCE
#include "cluster/crew.h"

#include "base/memory.h"
#include "cluster/crew_state.h"
#include "cluster/shared_files.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <xxhash.h>

#ifndef SERIATIM_MPI_LIBRARY
#define SERIATIM_MPI_LIBRARY "libmpi.so"
#endif

extern char **environ;

double st_crew_clock(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* The longer nothing came, the longer: at most a millisecond. */
void st_crew_nap(unsigned *idle) {
    enum { SHORTEST = 20000, LONGEST = 1000000, DOUBLINGS = 6 };
    long length = SHORTEST << (*idle < DOUBLINGS ? *idle : DOUBLINGS);
    struct timespec nap = {.tv_nsec = length < LONGEST ? length : LONGEST};
    nanosleep(&nap, NULL);
    ++*idle;
}

/* ---- messages ---- */

struct st_packed st_crew_message(enum st_message_kind kind) {
    struct st_packed message = {0};
    st_pack_number(&message, kind);
    return message;
}

void st_crew_send(struct st_crew *crew, int rank, struct st_packed *message) {
    crew->transport->send(rank, message->bytes, message->length);
    *message = (struct st_packed){0};
}

struct st_letter *st_crew_receive(struct st_crew *crew, int *rank) {
    size_t length;
    char *bytes = crew->transport->receive(rank, &length);
    if (!bytes)
        return NULL;
    struct st_letter *letter = st_alloc(1, sizeof *letter);
    letter->bytes = bytes;
    letter->body = st_unpack(bytes, length);
    letter->kind = (enum st_message_kind)st_unpack_below(&letter->body, ST_MESSAGE_KINDS);
    return letter;
}

void st_letter_free(struct st_letter *letter) {
    free(letter->bytes);
    free(letter);
}

/* ---- who we are ---- */

bool st_crew_is_there(void) {
    static const char *const variables[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MPI_LOCALNRANKS"};
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
        const char *size = getenv(variables[i]);
        if (size)
            return atoi(size) > 1;
    }
    const char *tasks = getenv("SLURM_NTASKS"); /* srun --mpi=pmix */
    return getenv("PMIX_RANK") && tasks && atoi(tasks) > 1;
}

uint64_t st_crew_build(void) {
    enum { CHUNK = 1 << 16 };
    XXH3_state_t *state = XXH3_createState();
    FILE *program = fopen("/proc/self/exe", "re");
    char chunk[CHUNK];
    size_t got;
    XXH3_64bits_reset(state);
    while (program && (got = fread(chunk, 1, sizeof chunk, program)) > 0)
        XXH3_64bits_update(state, chunk, got);
    if (program)
        fclose(program);
    uint64_t build = XXH3_64bits_digest(state);
    XXH3_freeState(state);
    return build;
}

static uint64_t process_space(void) {
    struct stat status;
    char boot[64] = "";
    FILE *file = fopen("/proc/sys/kernel/random/boot_id", "re");
    if (file && !fgets(boot, sizeof boot, file))
        boot[0] = '\0';
    if (file)
        fclose(file);
    if (stat("/proc/self/ns/pid", &status) < 0)
        return 0;
    return XXH3_64bits_withSeed(boot, strlen(boot), (XXH64_hash_t)status.st_ino);
}

/* ---- loading ---- */

static const struct st_transport *load(const char *folder, char *why, size_t size) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, ST_TRANSPORT_LIBRARY);
    if (access(path, R_OK) < 0) {
        snprintf(why, size,
                 "this seriatim was built without MPI; install libopenmpi-dev and build it again");
        return NULL;
    }
    if (!dlopen(SERIATIM_MPI_LIBRARY, RTLD_NOW | RTLD_GLOBAL)) {
        snprintf(why, size, "%s cannot be loaded; install Open MPI (openmpi-bin)",
                 SERIATIM_MPI_LIBRARY);
        return NULL;
    }
    void *library = dlopen(path, RTLD_NOW);
    const struct st_transport *transport = library ? dlsym(library, ST_TRANSPORT_SYMBOL) : NULL;
    if (!transport)
        snprintf(why, size, "%.400s", dlerror());
    else if (transport->version != ST_TRANSPORT_VERSION)
        snprintf(why, size, "%.300s is of another version of seriatim", path);
    return transport && transport->version == ST_TRANSPORT_VERSION ? transport : NULL;
}

char *st_crew_why_not(const char *library) {
    char why[512];
    return load(library, why, sizeof why) ? NULL : st_strdup(why);
}

/* ---- the same surroundings for all ---- */

/* What mpirun, or what it uses, puts into the environment: programs that are hunted do not get it,
 * since it is another one on each rank. */
static bool is_of_mpi(const char *variable) {
    static const char *const prefixes[] = {
        "OMPI_",           "PMIX_",           "PMI_",   "OPAL_",
        "ORTE_",           "PRTE_",           "HFI_",   "IPATH_",
        "MPI_LOCALNRANKS", "MPI_LOCALRANKID", "SLURM_", "SLURMD_"};
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
        if (strncmp(variable, prefixes[i], strlen(prefixes[i])) == 0)
            return true;
    return false;
}

static void clean_environment(void) {
    size_t kept = 0;
    for (size_t i = 0; environ[i]; i++)
        if (!is_of_mpi(environ[i]))
            environ[kept++] = environ[i];
    environ[kept] = NULL;
}

static void welcome(struct st_crew *crew) {
    char *folder = getcwd(NULL, 0);
    size_t count = 0;
    clean_environment();
    while (environ[count])
        count++;
    for (int rank = 1; rank < crew->size; rank++) {
        struct st_packed message = st_crew_message(ST_MESSAGE_WELCOME);
        st_pack_text(&message, folder);
        st_pack_number(&message, (uint64_t)getpid());
        st_pack_number(&message, crew->space);
        st_pack_number(&message, crew->job);
        st_pack_number(&message, count);
        for (size_t i = 0; i < count; i++)
            st_pack_text(&message, environ[i]);
        st_crew_send(crew, rank, &message);
    }
    free(folder);
}

static void take_environment(struct st_unpacking *body) {
    size_t count = st_unpack_below(body, 1 << 20);
    char **list = st_alloc(count + 1, sizeof *list);
    for (size_t i = 0; i < count; i++)
        list[i] = st_unpack_text(body);
    environ = list;
}

static void be_welcomed(struct st_crew *crew) {
    struct st_letter *letter;
    unsigned idle = 0;
    int rank;
    while (!(letter = st_crew_receive(crew, &rank)))
        st_crew_nap(&idle);
    char *folder = st_unpack_text(&letter->body), host[256] = "";
    pid_t dealer = (pid_t)st_unpack_number(&letter->body);
    if (st_unpack_number(&letter->body) == crew->space)
        crew->dealer = dealer;
    crew->job = st_unpack_number(&letter->body);
    take_environment(&letter->body);
    crew->no_folder = !folder || chdir(folder) < 0;
    gethostname(host, sizeof host - 1);
    struct st_packed hello = st_crew_message(ST_MESSAGE_HELLO);
    st_pack_number(&hello, crew->build);
    st_pack_number(&hello, (uint64_t)getpid());
    st_pack_number(&hello, crew->space);
    st_pack_text(&hello, host);
    st_crew_send(crew, 0, &hello);
    free(folder);
    st_letter_free(letter);
}

static bool all_greeted(const struct st_crew *crew) {
    for (int rank = 1; rank < crew->size; rank++)
        if (!crew->members[rank].greeted && !crew->members[rank].lost)
            return false;
    return true;
}

/* Waits for all, since it must be known that they are of the same build. */
static int greet(struct st_crew *crew, struct st_error *error) {
    static const double patience = 60;
    double since = st_crew_clock();
    unsigned idle = 0;
    while (!all_greeted(crew) && st_crew_clock() < since + patience) {
        int rank;
        struct st_letter *letter = st_crew_receive(crew, &rank);
        if (letter)
            st_crew_hear(crew, rank, letter);
        else
            st_crew_nap(&idle);
    }
    for (int rank = 1; rank < crew->size; rank++)
        crew->members[rank].lost |= !crew->members[rank].greeted;
    /* What one of them complains of, we may find ourselves, and say better. */
    return crew->other_build ? st_fail(error, NULL, ST_AT_FILE, 0, "%s", crew->trouble) : 0;
}

/* ---- joining ---- */

static void do_nothing(int number) {
    (void)number;
}

/* Who writes to a rank that has just died must not die of it. Programs that we start do not inherit
 * a handler, as they would if the signal were ignored. */
static void survive_broken_connections(void) {
    struct sigaction action = {.sa_handler = do_nothing, .sa_flags = SA_RESTART};
    sigemptyset(&action.sa_mask);
    sigaction(SIGPIPE, &action, NULL);
}

/* Rank 0 decides when the job ends: what is sent to all of them is for it. */
static void leave_signals_to_dealer(void) {
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2};
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        signal(signals[i], SIG_IGN);
}

struct st_crew *st_crew_alone(void) {
    struct st_crew *crew = st_alloc(1, sizeof *crew);
    crew->size = 1;
    st_map64_init(&crew->asked);
    return crew;
}

struct st_crew *st_crew_join(const char *library, struct st_error *error) {
    char why[512];
    struct st_crew *crew = st_crew_alone();
    crew->transport = load(library, why, sizeof why);
    const char *failure = crew->transport ? crew->transport->start(&crew->rank, &crew->size) : why;
    if (failure) {
        st_fail(error, NULL, ST_AT_FILE, 0, "cannot work with the other ranks: %s", failure);
        free(crew);
        return NULL;
    }
    survive_broken_connections();
    crew->recovers = getenv("OMPI_MCA_orte_enable_recovery") != NULL;
    crew->space = process_space();
    crew->build = st_crew_build();
    if (crew->rank) {
        leave_signals_to_dealer();
        be_welcomed(crew);
        return crew;
    }
    crew->members = st_alloc((size_t)crew->size, sizeof *crew->members);
    crew->job = crew->space ^ (uint64_t)getpid() << 32 ^ (uint64_t)time(NULL);
    welcome(crew);
    if (greet(crew, error) == 0)
        return crew;
    st_crew_leave(crew, 2);
    return NULL;
}

bool st_crew_is_worker(const struct st_crew *crew) {
    return crew && crew->rank > 0;
}

size_t st_crew_workers(const struct st_crew *crew) {
    return (size_t)crew->size - 1;
}

uint64_t st_crew_next_phase(struct st_crew *crew) {
    return ++crew->phase;
}

void st_crew_on_loss(struct st_crew *crew, void (*say)(const char *sentence)) {
    crew->say = say;
}

int st_crew_resume(struct st_crew *crew, const char *folder, const char *job,
                   struct st_error *error) {
    char *full = NULL;
    if (asprintf(&full, "%016llx %s", (unsigned long long)st_crew_build(), job) < 0)
        st_out_of_memory();
    crew->journal = st_journal_open(folder, full, error);
    free(full);
    return crew->journal ? 0 : -1;
}

/* ---- what rank 0 hears ---- */

static void set_trouble(struct st_crew *crew, int rank, const char *what) {
    const struct st_rank *member = &crew->members[rank];
    if (!crew->trouble && asprintf(&crew->trouble, "rank %d on %s %s", rank,
                                   member->host ? member->host : "its machine", what) < 0)
        st_out_of_memory();
}

static void hear_hello(struct st_crew *crew, int rank, struct st_unpacking *body) {
    struct st_rank *member = &crew->members[rank];
    uint64_t build = st_unpack_number(body);
    member->process = (pid_t)st_unpack_number(body);
    member->space = st_unpack_number(body);
    member->host = st_unpack_text(body);
    member->greeted = true;
    if (build == crew->build)
        return;
    crew->other_build = true;
    set_trouble(crew, rank,
                "runs another build of seriatim than rank 0: install the same one on all "
                "machines");
}

void st_crew_hear(struct st_crew *crew, int rank, struct st_letter *letter) {
    struct st_rank *member = &crew->members[rank];
    switch (letter->kind) {
    case ST_MESSAGE_HELLO:
        hear_hello(crew, rank, &letter->body);
        break;
    case ST_MESSAGE_READY:
        member->phase = st_unpack_number(&letter->body);
        member->digest = st_unpack_number(&letter->body);
        break;
    case ST_MESSAGE_FOUND:
        free(member->found);
        member->found = st_unpack_text(&letter->body);
        break;
    case ST_MESSAGE_WANT:
        st_send_part(crew, rank, &letter->body);
        break;
    case ST_MESSAGE_ANSWER: /* to what nobody waits for any more */
        member->out -= member->out > 0;
        member->silent = false;
        break;
    case ST_MESSAGE_TROUBLE: {
        char *what = st_unpack_text(&letter->body), *sentence = NULL;
        if (asprintf(&sentence, "cannot go on: %s", what ? what : "it does not say why") < 0)
            st_out_of_memory();
        set_trouble(crew, rank, sentence);
        free(sentence);
        free(what);
        break;
    }
    case ST_MESSAGE_BYE:
        member->gone = true;
        break;
    default:
        break;
    }
    st_letter_free(letter);
}

void st_crew_look_for_losses(struct st_crew *crew) {
    char sentence[400];
    for (int rank = 1; rank < crew->size; rank++) {
        struct st_rank *member = &crew->members[rank];
        if (member->lost || !member->greeted || member->space != crew->space ||
            kill(member->process, 0) == 0)
            continue;
        member->lost = true;
        snprintf(sentence, sizeof sentence,
                 "rank %d on %s has ended; what it was doing is done by others", rank,
                 member->host);
        if (crew->say)
            crew->say(sentence);
    }
}

void st_crew_hear_next(struct st_crew *crew, unsigned *idle) {
    int rank;
    struct st_letter *letter = st_crew_receive(crew, &rank);
    if (letter) {
        st_crew_hear(crew, rank, letter);
        return;
    }
    st_crew_nap(idle);
    st_crew_look_for_losses(crew);
}

/* ---- files that all must have ---- */

static bool all_found(struct st_crew *crew) {
    for (int rank = 1; rank < crew->size; rank++)
        if (!crew->members[rank].lost && !crew->members[rank].found)
            return false;
    return true;
}

int st_crew_require(struct st_crew *crew, const char *path, struct st_error *error) {
    unsigned idle = 0;
    for (int rank = 1; rank < crew->size; rank++) {
        struct st_packed message = st_crew_message(ST_MESSAGE_NEED);
        free(crew->members[rank].found);
        crew->members[rank].found = NULL;
        st_pack_file(&message, path);
        st_crew_send(crew, rank, &message);
    }
    while (!all_found(crew) && !crew->trouble)
        st_crew_hear_next(crew, &idle);
    for (int rank = 1; rank < crew->size; rank++)
        if (crew->members[rank].found && *crew->members[rank].found)
            set_trouble(crew, rank, crew->members[rank].found);
    return crew->trouble ? st_fail(error, NULL, ST_AT_FILE, 0, "%s", crew->trouble) : 0;
}

/* ---- the end ---- */

static bool all_gone(struct st_crew *crew) {
    for (int rank = 1; rank < crew->size; rank++)
        if (!crew->members[rank].gone && !crew->members[rank].lost)
            return false;
    return true;
}

static void send_all(struct st_crew *crew, enum st_message_kind kind, bool together) {
    for (int rank = 1; rank < crew->size; rank++) {
        struct st_packed message = st_crew_message(kind);
        st_pack_number(&message, together);
        st_crew_send(crew, rank, &message);
    }
}

/* Who ends together waits for all of them: for ever, if one dies just then. */
static enum st_transport_end how_to_end(const struct st_crew *crew) {
    enum st_transport_end how = crew->recovers ? ST_END_APART : ST_END_TOGETHER;
    for (int rank = 1; rank < crew->size; rank++) {
        if (crew->members[rank].lost && how == ST_END_TOGETHER)
            how = ST_END_APART;
        else if (!crew->members[rank].gone && !crew->members[rank].lost)
            how = ST_END_ALL;
    }
    return how;
}

static bool some_hang(const struct st_crew *crew) {
    bool hang = true;
    for (int rank = 1; rank < crew->size; rank++)
        hang &= crew->members[rank].gone || crew->members[rank].lost || crew->members[rank].silent;
    return hang;
}

/* What was sent needs us to go out. */
static void wait_for_last(struct st_crew *crew) {
    static const double seconds = 0.2;
    double end = st_crew_clock() + seconds;
    unsigned idle = 0;
    while (st_crew_clock() < end) {
        int rank;
        struct st_letter *letter = st_crew_receive(crew, &rank);
        if (letter)
            st_letter_free(letter);
        st_crew_nap(&idle);
    }
}

/* MPI ends well only if all are there. One that hangs must not keep the others. */
static void end_all(struct st_crew *crew, int status) {
    static const double patience = 60, patience_with_silent = 2;
    double since = st_crew_clock();
    unsigned idle = 0;
    send_all(crew, ST_MESSAGE_END, false);
    while (!all_gone(crew) &&
           st_crew_clock() < since + (some_hang(crew) ? patience_with_silent : patience))
        st_crew_hear_next(crew, &idle);
    enum st_transport_end how = how_to_end(crew);
    send_all(crew, ST_MESSAGE_LAST, how == ST_END_TOGETHER);
    if (how != ST_END_TOGETHER)
        wait_for_last(crew);
    fflush(NULL);
    crew->transport->end(how, status);
}

void st_crew_leave(struct st_crew *crew, int status) {
    if (!crew)
        return;
    st_journal_close(crew->journal);
    if (crew->transport)
        end_all(crew, status);
    for (int rank = 0; crew->members && rank < crew->size; rank++) {
        free(crew->members[rank].host);
        free(crew->members[rank].found);
    }
    st_map64_free(&crew->asked);
    free(crew->asked_times);
    free(crew->members);
    free(crew->trouble);
    free(crew);
}
