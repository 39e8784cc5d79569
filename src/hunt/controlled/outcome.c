#define _GNU_SOURCE
#include "hunt/controlled/outcome.h"

#include "base/memory.h"

#include <ctype.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- lines ---- */

static struct st_lines split(const struct st_printed *printed) {
    struct st_lines lines = {0};
    size_t capacity = 0, start = 0;
    for (size_t i = 0; i <= printed->length; i++) {
        bool at_end = i == printed->length;
        if ((at_end && start == i) || (!at_end && printed->text[i] != '\n'))
            continue;
        st_reserve(&lines.list, &capacity, lines.count + 1);
        char *line = st_alloc(i - start + 1, 1);
        memcpy(line, printed->text + start, i - start);
        lines.list[lines.count++] = line;
        start = i + 1;
    }
    return lines;
}

static void free_lines(struct st_lines *lines) {
    for (size_t i = 0; i < lines->count; i++)
        free(lines->list[i]);
    free(lines->list);
    *lines = (struct st_lines){0};
}

/* The length of the word at `text`: letters and digits, or one other byte. */
static size_t word_length(const char *text) {
    size_t length = 0;
    while (isalnum((unsigned char)text[length]) || text[length] == '_')
        length++;
    return length || !*text ? length : 1;
}

static bool same_words(const char *one, size_t length, const char *other, size_t other_length) {
    return length == other_length && memcmp(one, other, length) == 0;
}

/* A pattern: line `one` with a byte 1 in place of each word that `other` has differently. NULL when
 * they do not consist of the same number of words, or no word is the same. */
static char *make_mask(const char *one, const char *other) {
    char *mask = st_alloc(strlen(one) + 1, 1), *end = mask;
    size_t kept = 0, masked = 0;
    while (*one && *other) {
        size_t length = word_length(one), other_length = word_length(other);
        if (same_words(one, length, other, other_length)) {
            memcpy(end, one, length);
            end += length;
            kept++;
        } else {
            *end++ = 1;
            masked++;
        }
        one += length;
        other += other_length;
    }
    if (!*one && !*other && (kept || !masked))
        return mask;
    free(mask);
    return NULL;
}

static bool matches(const char *mask, const char *line) {
    while (*mask && *line) {
        size_t length = word_length(line);
        if (*mask == 1) {
            mask++;
        } else {
            size_t masked = word_length(mask);
            if (!same_words(mask, masked, line, length))
                return false;
            mask += masked;
        }
        line += length;
    }
    return !*mask && !*line;
}

/* ---- learning ---- */

static void learn_text(struct st_expected_text *expected, const struct st_printed *one,
                       const struct st_printed *other) {
    expected->lines = split(one);
    struct st_lines second = split(other);
    size_t count = expected->lines.count;
    expected->masked.list = st_alloc(count + 1, sizeof *expected->masked.list);
    expected->masked.count = count;
    expected->comparable = second.count == count;
    for (size_t i = 0; i < count; i++) {
        const char *line = expected->lines.list[i];
        const char *again = i < second.count ? second.list[i] : "";
        char *mask = make_mask(line, again);
        expected->comparable &= mask != NULL;
        expected->varies |= strcmp(line, again) != 0;
        expected->masked.list[i] = mask ? mask : st_strdup("");
    }
    expected->varies |= second.count != count;
    free_lines(&second);
}

static void free_text(struct st_expected_text *expected) {
    free_lines(&expected->lines);
    free_lines(&expected->masked);
}

void st_expected_learn(struct st_expected *expected, const struct st_controlled_run *one,
                       const struct st_controlled_run *other) {
    *expected = (struct st_expected){.status = one->status, .client_status = one->client.status};
    expected->failed = one->stop == ST_STOP_CLIENT ? one->client.status != 0 : one->status != 0;
    learn_text(&expected->output, &one->output, &other->output);
    learn_text(&expected->errors, &one->errors, &other->errors);
    learn_text(&expected->client, &one->client_printed, &other->client_printed);
}

void st_expected_free(struct st_expected *expected) {
    free_text(&expected->output);
    free_text(&expected->errors);
    free_text(&expected->client);
}

/* ---- comparing ---- */

/* Takes the first line that matches out of those that are left. */
static bool take_match(const struct st_lines *masks, bool *taken, const char *line, size_t hint) {
    if (hint < masks->count && !taken[hint] && matches(masks->list[hint], line)) {
        taken[hint] = true;
        return true;
    }
    for (size_t i = 0; i < masks->count; i++)
        if (!taken[i] && matches(masks->list[i], line)) {
            taken[i] = true;
            return true;
        }
    return false;
}

/* Is what was printed the expected lines, in any order? If not, the first line that is not expected
 * and the first expected one that is missing. */
static bool is_expected(const struct st_expected_text *expected, const struct st_printed *printed,
                        char **line, char **wanted) {
    struct st_lines lines = split(printed);
    bool *taken = st_alloc(expected->masked.count + 1, sizeof *taken), good = true;
    for (size_t i = 0; i < lines.count; i++) {
        if (take_match(&expected->masked, taken, lines.list[i], i))
            continue;
        if (!*line)
            *line = st_strdup(lines.list[i]);
        good = false;
    }
    for (size_t i = 0; i < expected->masked.count; i++) {
        if (taken[i])
            continue;
        if (!*wanted)
            *wanted = st_strdup(expected->lines.list[i]);
        good = false;
    }
    free(taken);
    free_lines(&lines);
    return good;
}

static bool has_other_output(const struct st_expected *expected,
                             const struct st_controlled_run *run, struct st_harm *harm) {
    const struct {
        const struct st_expected_text *expected;
        const struct st_printed *printed;
    } streams[] = {{&expected->output, &run->output},
                   {&expected->errors, &run->errors},
                   {&expected->client, &run->client_printed}};
    enum { STREAMS = sizeof streams / sizeof *streams };
    for (size_t i = 0; i < STREAMS; i++)
        if (streams[i].expected->comparable &&
            !is_expected(streams[i].expected, streams[i].printed, &harm->printed, &harm->wanted)) {
            harm->by_client |= i == STREAMS - 1;
            return true;
        }
    return false;
}

/* ---- harm ---- */

const char *st_status_signal(int status) {
    static const struct {
        int number;
        const char *name;
    } signals[] = {{SIGSEGV, "SIGSEGV"}, {SIGABRT, "SIGABRT"}, {SIGBUS, "SIGBUS"},
                   {SIGFPE, "SIGFPE"},   {SIGILL, "SIGILL"},   {SIGTRAP, "SIGTRAP"},
                   {SIGSYS, "SIGSYS"},   {SIGKILL, "SIGKILL"}, {SIGTERM, "SIGTERM"},
                   {SIGPIPE, "SIGPIPE"}, {SIGINT, "SIGINT"},   {SIGALRM, "SIGALRM"},
                   {SIGHUP, "SIGHUP"}};
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        if (status == 128 + signals[i].number)
            return signals[i].name;
    return NULL;
}

/* Does the program say that it failed an assertion? In the words of glibc, of libstdc++'s
 * assertions, and of musl. */
static char *find_assertion(const struct st_printed *errors) {
    struct st_lines lines = split(errors);
    char *found = NULL;
    for (size_t i = 0; i < lines.count && !found; i++) {
        const char *line = lines.list[i];
        bool says = strcasestr(line, "assertion");
        if (says && (strstr(line, "fail") || strstr(line, "Fail")))
            found = st_strdup(line);
    }
    free_lines(&lines);
    return found;
}

static char *last_line(const struct st_printed *printed) {
    struct st_lines lines = split(printed);
    char *line = lines.count ? st_strdup(lines.list[lines.count - 1]) : NULL;
    free_lines(&lines);
    return line;
}

static enum st_outcome outcome_of_status(const struct st_expected *expected,
                                         const struct st_controlled_run *run,
                                         struct st_harm *harm) {
    bool ours = run->stop != ST_STOP_NONE;
    harm->signal = ours ? NULL : st_status_signal(run->status);
    if (!harm->signal) { /* a signal is a crash, even if each run ends like that */
        bool same =
            ours ? run->client.status == expected->client_status : run->status == expected->status;
        harm->by_client = ours && !same;
        return same ? ST_OUTCOME_SAME : ST_OUTCOME_STATUS;
    }
    harm->message = find_assertion(&run->errors);
    if (strcmp(harm->signal, "SIGABRT") == 0 && harm->message)
        return ST_OUTCOME_ASSERT;
    if (!harm->message)
        harm->message = last_line(&run->errors);
    return ST_OUTCOME_CRASH;
}

/* Did it run alone when it had run far too long? Then nobody can end that. If others could have
 * gone on, it was only our schedule that kept them from it. */
static bool hangs(const struct st_expected *expected, const struct st_control_log *log) {
    uint32_t ready = 0;
    for (uint32_t i = 0; i < log->thread_count; i++)
        ready += log->threads[i].state == ST_THREAD_READY ||
                 log->threads[i].state == ST_THREAD_SLEEPING ||
                 log->threads[i].state == ST_THREAD_OUTSIDE;
    return log->end == ST_END_TOO_LONG && expected->bound && ready <= 1 &&
           log->points - log->contested > expected->bound / 2;
}

struct st_harm st_find_harm(const struct st_expected *expected,
                            const struct st_controlled_run *run) {
    struct st_harm harm = {.outcome = ST_OUTCOME_SAME};
    if (run->log->end == ST_END_DEADLOCK)
        harm.outcome = ST_OUTCOME_DEADLOCK;
    else if (run->log->end == ST_END_LIVELOCK || hangs(expected, run->log))
        harm.outcome = ST_OUTCOME_HANG;
    else if (run->log->end == ST_END_BY_ITSELF)
        harm.outcome = outcome_of_status(expected, run, &harm);
    bool complete = run->log->end == ST_END_BY_ITSELF &&
                    (run->stop == ST_STOP_NONE || run->stop == ST_STOP_CLIENT);
    if (harm.outcome <= ST_OUTCOME_STATUS && complete) {
        bool by_client = harm.by_client;
        bool other = has_other_output(expected, run, &harm);
        if (harm.outcome == ST_OUTCOME_STATUS)
            harm.by_client = by_client;
        else if (other)
            harm.outcome = ST_OUTCOME_OUTPUT;
    }
    return harm;
}

void st_harm_free(struct st_harm *harm) {
    free(harm->message);
    free(harm->printed);
    free(harm->wanted);
}
