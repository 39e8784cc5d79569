#include "cli/other_processes.h"

#include "base/memory.h"
#include "cli/messages.h"
#include "report/report.h"

#include <stdlib.h>
#include <string.h>

void other_processes_free(struct other_processes *others) {
    free(others->active);
}

static void note_begin(struct other_processes *others, const struct st_broker_message *message) {
    st_reserve(&others->active, &others->active_capacity, others->active_count + 1);
    others->active[others->active_count++] = *message;
    others->begun += message->news == ST_NEWS_BEGIN;
}

static void note_end(struct other_processes *others, const struct st_broker_message *message) {
    for (size_t i = 0; i < others->active_count; i++)
        if (others->active[i].pid == message->pid) {
            others->active[i] = others->active[--others->active_count];
            break;
        }
    if (message->failed && !others->failed++)
        memcpy(others->failed_first, message->program, sizeof others->failed_first);
}

/* The broker has ended, and should have said so of each before. */
static void note_over(struct other_processes *others) {
    for (size_t i = 0; i < others->active_count; i++)
        if (others->active[i].news == ST_NEWS_BEGIN && !others->failed++)
            memcpy(others->failed_first, others->active[i].program, sizeof others->failed_first);
    others->active_count = 0;
}

void note_news(struct other_processes *others, const struct st_broker_message *message) {
    if (message->news == ST_NEWS_OVER)
        note_over(others);
    else if (message->news == ST_NEWS_BEGIN || message->news == ST_NEWS_PENDING)
        note_begin(others, message);
    else if (message->news == ST_NEWS_END)
        note_end(others, message);
    else if (message->news == ST_NEWS_REFUSED && !others->refused++)
        memcpy(others->refused_first, message->program, sizeof others->refused_first);
}

/* A watcher that has answered is marked in its first value. */
void expect_answers(struct other_processes *others) {
    for (size_t i = 0; i < others->active_count; i++)
        others->active[i].value[0] = 0;
}

size_t missing_answers(const struct other_processes *others) {
    size_t count = 0;
    for (size_t i = 0; i < others->active_count; i++)
        count += others->active[i].news == ST_NEWS_BEGIN && !others->active[i].value[0];
    return count;
}

bool note_answer(struct other_processes *others, pid_t pid) {
    bool before = false;
    for (size_t i = 0; i < others->active_count; i++)
        if (others->active[i].pid == pid && others->active[i].news == ST_NEWS_BEGIN) {
            before = others->active[i].value[0];
            others->active[i].value[0] = 1;
        }
    return !before;
}

void show_waiting(const struct other_processes *others, bool quiet) {
    char line[160];
    if (quiet || !others->active_count)
        return;
    const struct st_broker_message *one = &others->active[0];
    int length = snprintf(line, sizeof line, "waiting for %.60s (process %ld)",
                          st_program_name(one->program), (long)one->pid);
    if (others->active_count > 1)
        length += snprintf(line + length, sizeof line - (size_t)length, " and %zu more",
                           others->active_count - 1);
    snprintf(line + length, sizeof line - (size_t)length, " (Ctrl-C: report now)");
    show_status_line(line);
}

void warn_of_others(const struct other_processes *others, const char *command) {
    if (others->refused)
        warn("%zu more process%s that %s started could be watched, but only the first one was "
             "(--no-follow); the first of the others: %s",
             others->refused, others->refused == 1 ? "" : "es", command, others->refused_first);
    if (others->failed)
        warn("%zu process%s could not be watched to the end, because of an error in seriatim or "
             "because its watcher was killed; the first of them: %s",
             others->failed, others->failed == 1 ? "" : "es", others->failed_first);
}

const char *watched_name(const struct st_watch *watch, const char *const *words) {
    bool same =
        !*watch->path || strcmp(st_program_name(watch->path), st_program_name(words[0])) == 0;
    return same ? words[0] : watch->path;
}

int watched_status(const struct st_watch *watch) {
    if (!watch->other && watch->program.ended && st_watch_attached(watch) == watch->program.process)
        return watch->program.status;
    return (int)atomic_load(&watch->memory.head->status) - 1;
}
