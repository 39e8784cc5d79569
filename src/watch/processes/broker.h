/* Streams for all processes below the program, each with a watcher of its own.
 *
 * A process that has our runtime asks for a stream (stream/stream.h). The broker, a small process
 * that we fork before the program starts, hears it. The first one gets the stream of the process
 * that started all, ours. Every other one gets a watcher, which is forked for it: that makes a
 * stream, follows it until its process is gone, sends what came of it to us, and ends. So nothing
 * accumulates, no process waits for another, and what one watcher goes through is no concern of the
 * others. If we die, they do, and the processes that they watch go on.
 *
 * A process that was forked asks for a stream when it makes a second thread: with one, nothing can
 * come in between. Many call exec before. When the program has ended, processes that are such
 * copies and are still there are waited for: they are pending.
 *
 * The number of watchers is not limited: a process that had to wait for one could be waited for by
 * a process that has one. */
#ifndef SERIATIM_WATCH_PROCESSES_BROKER_H
#define SERIATIM_WATCH_PROCESSES_BROKER_H

#include "base/error.h"
#include "stream/stream.h"

#include <stdbool.h>
#include <sys/types.h>

enum { ST_PROGRAM_NAME = 512 };

/* A process below the program. */
struct st_other_process {
    pid_t pid;
    bool forked;                   /* a copy of another one; otherwise a program that was started */
    char program[ST_PROGRAM_NAME]; /* its executable; the end of its path, if that is longer */
    int fd;                        /* becomes readable when the process has ended; -1: ask kill() */
    int connection;                /* on which the process waits for its stream; -1 later */
    struct st_broker_shared *shared;
    int results;
};

enum st_news {
    ST_NEWS_NONE,
    ST_NEWS_FIRST,  /* the first process has its stream */
    ST_NEWS_BEGIN,  /* another one has */
    ST_NEWS_RESULT, /* of its watcher; more may come */
    ST_NEWS_END, /* its watcher has ended, or has died: then `failed`; it is waited for no longer */
    ST_NEWS_PENDING, /* a process that was forked is waited for: it may want to be watched */
    ST_NEWS_REFUSED, /* a process is not watched */
    ST_NEWS_OVER,    /* nothing more will come */
};

/* What a watcher sends, and what the broker does. */
struct st_broker_message {
    enum st_news news;
    pid_t pid;
    bool forked, failed;
    char program[ST_PROGRAM_NAME];
    uint64_t value[4]; /* with a result: as the watcher and its reader agree */
};

struct st_following {
    bool all; /* otherwise the first one only */
    /* Watches a process, in a process of its own. It must call st_other_answer, and ends by
     * returning. */
    void (*watch)(void *context, struct st_other_process *other);
    void *context;
};

struct st_broker {
    char place[64]; /* for ST_STREAM_VARIABLE */
    pid_t process;  /* of the broker; 0: there is none */
    int control;    /* our end */
    struct st_broker_shared *shared;
};

/* The memory of a stream, and its descriptor. */
struct st_granted {
    struct st_stream_head *head;
    int fd;
};

/* Forks it. `first` is the stream that the first process gets. */
int st_broker_start(struct st_broker *broker, struct st_granted first,
                    const struct st_following *following, struct st_error *error);

/* What is new; ST_NEWS_NONE if nothing is. With ST_NEWS_RESULT, *fd is a file with what the watcher
 * wrote, to be closed, or -1. */
struct st_broker_message st_broker_hear(struct st_broker *broker, int *fd);

/* The broker shall end as soon as no process is watched any more, or could still ask for that
 * because it was forked by one that was; ST_NEWS_OVER follows. */
void st_broker_close(struct st_broker *broker);

/* Watchers shall not wait for their processes or their events any longer. */
void st_broker_interrupt(struct st_broker *broker);

/* Watchers shall stop watching: their processes go on, and further ones are not watched. */
void st_broker_stop(struct st_broker *broker);

/* Each watcher shall send a result as of now. */
void st_broker_ask(struct st_broker *broker);

/* After ST_NEWS_OVER: waits until it is gone. */
void st_broker_join(struct st_broker *broker);

/* Ends it and its watchers, if that was not done before. */
void st_broker_free(struct st_broker *broker);

/* ---- for watchers ---- */

/* Answers the process that waits: with the stream, or with no if its head is NULL. */
void st_other_answer(struct st_other_process *other, struct st_granted granted);

/* Sends a result; fd, unless it is -1, goes with it. */
void st_other_send(const struct st_other_process *other, const uint64_t value[4], int fd);

/* Sleeps for so many nanoseconds at most, or until the process has ended: true then. */
bool st_other_wait(const struct st_other_process *other, long nanoseconds);

bool st_other_interrupted(const struct st_other_process *other);
bool st_other_stopped(const struct st_other_process *other);
uint32_t st_other_asked(const struct st_other_process *other); /* so many times */

#endif
