#include "watch/watch.h"

#include "spec/spec.h"
#include "stream/control.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    SHORTEST_NAP = 20 * 1000, /* nanoseconds */
    LONGEST_NAP = 2 * 1000 * 1000,
    /* While the program runs, records may wait for others: waking up costs more than most of them.
     */
    GATHERING_NAP = 500 * 1000,
    /* So much between two looks at signals. A step delivers all that is there, which can be
     * millions of records, or next to nothing. */
    STEPS_A_LOOK = 64,
    RECORDS_A_LOOK = 1 << 18,
    /* The same when the program has ended, and seconds until somebody should learn why it takes so
     * long. */
    RECORDS_BEHIND_A_LOOK = 1 << 12,
    PATIENCE = 1,
};

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static uint64_t records_delivered(const struct st_watch *watch) {
    return st_merge_facts(watch->merge)->records;
}

/* ---- records, until nobody wants to wait for them any more ---- */

static size_t drop_records(struct st_watch *watch, const struct st_stream_record *records,
                           size_t count) {
    size_t done = 0, length;
    while (done < count && st_is_in_turn(&records[done]) &&
           (length = st_item_length(records + done, count - done)))
        done += length;
    watch->unread += done;
    watch->interrupted |= done;
    return done;
}

static void say_how_far(struct st_watch *watch) {
    struct st_catching_up *work = &watch->catching_up;
    double time = now();
    if (time < work->next)
        return;
    work->next = time + 0.25;
    if (watch->hooks->behind)
        watch->hooks->behind(watch->hooks->context, st_merge_behind(watch->merge),
                             (double)(records_delivered(watch) - work->before) /
                                 (time - work->started));
}

/* A single record can take long. So this looks often, at little cost. */
static void look_up_from_work(struct st_watch *watch) {
    struct st_catching_up *work = &watch->catching_up;
    if (++work->since_look < RECORDS_BEHIND_A_LOOK && now() < work->next)
        return;
    work->since_look = 0;
    if (watch->other)
        watch->program.interrupted = st_other_interrupted(watch->other);
    else
        st_program_wait(&watch->program, 0);
    say_how_far(watch);
}

static size_t take_records(void *context, uint32_t serial, uint64_t position,
                           const struct st_stream_record *records, size_t count) {
    struct st_watch *watch = context;
    if (__builtin_expect(watch->catching_up.begun, 0)) {
        look_up_from_work(watch);
        if (watch->program.interrupted)
            return drop_records(watch, records, count);
    }
    return st_translate(watch->translator, serial, position, records, count);
}

/* ---- start and end ---- */

/* Controlled runs decide at locks, and critical sections that are blocks have to be seen. */
static bool has_quiet_locks(const struct st_translation *translation) {
    bool sections = translation->spec && st_spec_section_line(translation->spec);
    return translation->quiet_locks && translation->dead_before && !sections &&
           !translation->repeatable && !getenv(ST_CONTROL_VARIABLE);
}

/* Where things are in the stream is asked before the program can write over it. */
static void listen(struct st_watch *watch, const struct st_translation *translation) {
    struct st_translation adapted = *translation;
    adapted.repeatable |= getenv(ST_CONTROL_VARIABLE) != NULL;
    adapted.quiet_locks = has_quiet_locks(translation);
    watch->translator = st_translator_new(&adapted);
    st_translator_publish_to(watch->translator, watch->memory.head);
    watch->merge = st_merge_new(watch->memory.head, watch->memory.given, take_records, watch);
    watch->listening = true;
}

static int make_stream(struct st_watch *watch, const struct st_translation *translation,
                       struct st_error *error) {
    if (st_shared_memory_create(&watch->memory, error) < 0)
        return -1;
    watch->memory.head->deferred = translation->dead_before != NULL;
    watch->memory.head->quiet_locks = has_quiet_locks(translation);
    watch->memory.head->rule = translation->rule;
    watch->memory.head->values = translation->values;
    watch->memory.head->recorded = translation->recorded;
    watch->memory.head->names_modules = true;
    return 0;
}

static struct st_granted granted(const struct st_watch *watch) {
    return (struct st_granted){watch->memory.head, watch->memory.fd};
}

int st_watch_start(struct st_watch *watch, const char *const *argv, const char *runtime_dir,
                   const struct st_translation *translation, const struct st_following *following,
                   struct st_error *error) {
    if (make_stream(watch, translation, error) < 0)
        return -1;
    listen(watch, translation);
    if (st_broker_start(&watch->broker, granted(watch), following, error) < 0 ||
        st_program_start(&watch->program, argv, watch->broker.place, runtime_dir, error) < 0)
        return -1;
    return 0;
}

int st_watch_attach(struct st_watch *watch, struct st_other_process *other,
                    const struct st_translation *translation, struct st_error *error) {
    watch->other = other;
    watch->answered = st_other_asked(other);
    watch->program.process = other->pid;
    int result = make_stream(watch, translation, error);
    if (result == 0)
        listen(watch, translation);
    st_other_answer(other, granted(watch));
    return result;
}

void st_watch_free(struct st_watch *watch) {
    st_broker_free(&watch->broker);
    st_merge_free(watch->merge);
    st_translator_free(watch->translator);
    st_shared_memory_free(&watch->memory);
}

void st_watch_stop(struct st_watch *watch) {
    watch->listening = false;
    st_shared_memory_close(watch->memory.head);
}

void st_watch_announce(struct st_watch *watch, uint64_t found) {
    atomic_store_explicit(&watch->memory.head->reports, (uint32_t)found, memory_order_relaxed);
}

pid_t st_watch_attached(const struct st_watch *watch) {
    return watch->attached ? watch->attached : (pid_t)atomic_load(&watch->memory.head->attached);
}

bool st_watch_gave_up(const struct st_watch *watch) {
    return watch->listening && atomic_load(&watch->memory.head->closed);
}

bool st_watch_is_worn_out(const struct st_watch *watch) {
    return atomic_load(&watch->memory.head->worn_out);
}

bool st_watch_saw_meeting(const struct st_watch *watch) {
    return atomic_load(&watch->memory.head->met);
}

bool st_watch_had_no_room(const struct st_watch *watch) {
    return atomic_load(&watch->memory.head->no_room);
}

static bool is_alive(pid_t process) {
    return process > 0 && (kill(process, 0) == 0 || errno == EPERM);
}

/* Is nobody left who could write to our stream? The program may have started the one that does, and
 * have ended before it. */
static bool is_first_over(const struct st_watch *watch) {
    return watch->program.ended && (st_watch_attached(watch) == watch->program.process ||
                                    !is_alive(st_watch_attached(watch)));
}

static bool is_over(const struct st_watch *watch) {
    if (watch->other)
        return watch->program.ended || watch->program.interrupted;
    return watch->broker_over && (is_first_over(watch) || watch->program.hurried);
}

/* How long to sleep when there was nothing to do so many times in a row. */
static long nap(const struct st_watch *watch, unsigned idle) {
    long length = (long)SHORTEST_NAP << (idle < 8 ? idle : 8);
    if (length < GATHERING_NAP && !watch->program.ended)
        length = GATHERING_NAP;
    return length < LONGEST_NAP ? length : LONGEST_NAP;
}

static void tick(struct st_watch *watch, const struct st_watch_hooks *hooks, double *next) {
    double time = now();
    if (time < *next)
        return;
    *next = time + 1;
    st_translator_flush(watch->translator);
    if (watch->listening && hooks->tick)
        hooks->tick(hooks->context);
    if (watch->program.ended && hooks->waiting)
        hooks->waiting(hooks->context);
}

/* Delivers what the program has emitted by now. A sequence number takes two steps. The program may
 * go on faster than we can follow, but what it has emitted by now fits into the shared memory. */
static void catch_up(struct st_watch *watch) {
    uint64_t enough =
        records_delivered(watch) + UINT64_C(1) * watch->memory.given * ST_STREAM_RECORDS;
    unsigned idle = 0;
    while (watch->listening && idle < 2 && records_delivered(watch) < enough)
        idle = st_merge_step(watch->merge) ? 0 : idle + 1;
    st_translator_flush(watch->translator);
}

/* The program has ended: what it has emitted is all there is. */
static void finish(struct st_watch *watch) {
    double time = now();
    watch->catching_up = (struct st_catching_up){.begun = true,
                                                 .started = time,
                                                 .next = time + PATIENCE,
                                                 .before = records_delivered(watch)};
    if (watch->listening)
        st_merge_finish(watch->merge);
    const struct st_stream_head *head = watch->memory.head;
    st_translator_finish(watch->translator,
                         atomic_load(&head->ended) || atomic_load(&head->status));
    if (watch->hooks->behind)
        watch->hooks->behind(watch->hooks->context, 0, 0);
}

/* ---- other processes ---- */

/* The broker is asked to end when the last process that we know of is gone. */
void st_watch_hear(struct st_watch *watch) {
    struct st_broker_message message;
    int fd;
    while (!watch->broker_over &&
           (message = st_broker_hear(&watch->broker, &fd)).news != ST_NEWS_NONE) {
        if (message.news == ST_NEWS_FIRST)
            memcpy(watch->path, message.program, sizeof watch->path);
        watch->broker_over = message.news == ST_NEWS_OVER;
        if (watch->hooks->news)
            watch->hooks->news(watch->hooks->context, &message, fd);
    }
    if (watch->broker_over)
        st_broker_join(&watch->broker);
    if (watch->program.hurried)
        st_broker_interrupt(&watch->broker);
    if (watch->program.hurried || is_first_over(watch))
        st_broker_close(&watch->broker);
}

/* Sleeps, unless that is 0, and looks around. True: somebody wants a report. */
static bool look_around(struct st_watch *watch, long nanoseconds) {
    struct st_other_process *other = watch->other;
    if (!other) {
        bool asked = st_program_wait(&watch->program, nanoseconds);
        st_watch_hear(watch);
        return asked;
    }
    watch->program.ended = st_other_wait(other, nanoseconds);
    watch->program.interrupted = st_other_interrupted(other);
    if (watch->listening && st_other_stopped(other))
        st_watch_stop(watch);
    uint32_t asked = st_other_asked(other), before = watch->answered;
    watch->answered = asked;
    return asked != before;
}

/* ---- following ---- */

void st_watch_follow(struct st_watch *watch, const struct st_watch_hooks *hooks) {
    watch->hooks = hooks;
    double next_tick = now() + 1;
    unsigned idle = 0, steps = 0;
    uint64_t looked = 0; /* at signals, when so many records were delivered */
    while (!is_over(watch)) {
        bool wanted = watch->listening && !(watch->program.ended && watch->program.interrupted);
        bool any = wanted && st_merge_step(watch->merge);
        watch->attached = st_watch_attached(watch);
        if (watch->listening && st_merge_facts(watch->merge)->broken)
            st_watch_stop(watch); /* the program must not wait for us */
        idle = any ? 0 : idle + 1;
        if (any && ++steps % STEPS_A_LOOK && records_delivered(watch) - looked < RECORDS_A_LOOK)
            continue;
        looked = records_delivered(watch);
        if (idle > 8) /* what has come so far is all for the moment */
            st_translator_flush(watch->translator);
        if (look_around(watch, any ? 0 : nap(watch, idle)) && hooks->asked) {
            catch_up(watch);
            hooks->asked(hooks->context);
        }
        tick(watch, hooks, &next_tick);
    }
    if (!watch->other)
        watch->program.left_others = st_program_left_others(&watch->program);
    bool goes_on = watch->other ? !watch->program.ended : !is_first_over(watch);
    bool hurried = watch->program.interrupted || watch->program.hurried;
    if (hurried && (goes_on || watch->other) && watch->listening) {
        watch->interrupted = goes_on;
        catch_up(watch); /* what one process has emitted by now is not much */
    }
    finish(watch);
}

bool st_watch_is_damaged(const struct st_watch *watch) {
    const struct st_merge_facts *merge = st_merge_facts(watch->merge);
    return merge->broken || merge->garbage || st_translator_facts(watch->translator)->garbage ||
           st_shared_memory_is_damaged(&watch->memory);
}

uint64_t st_watch_missing(const struct st_watch *watch, char *reason, size_t size) {
    const struct st_translator_facts *facts = st_translator_facts(watch->translator);
    const struct st_merge_facts *merge = st_merge_facts(watch->merge);
    uint64_t dropped = atomic_load(&watch->memory.head->dropped);
    uint64_t unreadable = merge->garbage + facts->garbage;
    const struct {
        uint64_t count;
        const char *why;
    } list[] = {
        {dropped, "in signal handlers"},
        {merge->lost_sequences + merge->torn, "the program was killed while it wrote them"},
        {unreadable, "the program overwrote them"},
        {facts->odd_releases, "releases of locks by threads that do not hold them"},
    };
    uint64_t sum = 0;
    size_t used = 0;
    *reason = '\0';
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        if (!list[i].count)
            continue;
        sum += list[i].count;
        if (used < size)
            used += (size_t)snprintf(reason + used, size - used, "%s%" PRIu64 ": %s",
                                     used ? "; " : "", list[i].count, list[i].why);
    }
    return sum;
}
