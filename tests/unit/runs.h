/* Runs as text for tests of the analyses of other schedules: "T1 begin b, T1 w x, T1 end b" is a
 * thread, an operation as in STD text ("ar" and "aw" are atomic, "jr" and "jw" also
 * of the same operation as the event before, "fr" and "fw" are of fresh memory), and its target.
 * Each event is in a line of its own, unless "x@7" says in which. */
#ifndef SERIATIM_UNIT_RUNS_H
#define SERIATIM_UNIT_RUNS_H

#include "predict/deadlock.h"
#include "predict/model/model.h"
#include "trace/symbols.h"
#include "trace/validate.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MOST_EVENTS = 400 };

struct run {
    struct st_symbols symbols;
    struct st_event events[MOST_EVENTS];
    size_t count;
    struct st_model *model;
};

static inline enum st_op op_of(const char *word) {
    for (int op = 0; op < ST_OP_COUNT; op++)
        if (strcmp(word, st_op_std((enum st_op)op)) == 0)
            return (enum st_op)op;
    fail_msg("no operation: %s", word);
    return ST_OP_COUNT;
}

static inline uint32_t number(struct st_names *names, const char *text) {
    return st_names_add(names, text, strlen(text));
}

static inline void parse_run(struct run *run, const char *text) {
    char thread[16], word[16], target[16];
    int length;
    st_symbols_init(&run->symbols);
    run->count = 0;
    while (sscanf(text, " %15s %15s %15[^ ,]%n", thread, word, target, &length) == 3) {
        char *line = strchr(target, '@');
        unsigned long loc = line ? strtoul(line + 1, NULL, 10) : MOST_EVENTS + run->count;
        if (line)
            *line = 0;
        bool joined = strcmp(word, "jr") == 0 || strcmp(word, "jw") == 0;
        bool atomic = joined || strcmp(word, "ar") == 0 || strcmp(word, "aw") == 0;
        bool fresh = strcmp(word, "fr") == 0 || strcmp(word, "fw") == 0;
        enum st_op op = op_of(atomic || fresh ? word + 1 : word);
        assert_true(run->count < MOST_EVENTS);
        run->events[run->count] =
            (struct st_event){.thread = number(&run->symbols.threads, thread),
                              .target = number(st_symbols_of(&run->symbols, op), target),
                              .loc = loc,
                              .written = op,
                              .fresh = fresh,
                              .atomic = atomic,
                              .joined = joined,
                              .op = op};
        run->count++;
        text += length + (text[length] == ',');
    }
    assert_int_equal(strlen(text), 0);
    struct st_validator *validator = st_validator_new(false);
    assert_int_equal(st_validate(validator, run->events, run->count, run->symbols.threads.count,
                                 run->symbols.locks.count),
                     0);
    st_validator_free(validator);
}

static inline void make_run(struct run *run, const char *text,
                            const struct st_model_options *options) {
    struct st_model_options observed = *options;
    parse_run(run, text);
    st_observers_add(&observed.observers, &st_deadlock_observer, 0);
    run->model = st_model_new(&observed);
    while (st_model_wants_pass(run->model)) {
        for (size_t i = 0; i < run->count; i++) { /* no pointer into a batch may be kept */
            struct st_event event = run->events[i];
            st_model_feed(run->model, &event, 1, i + 1);
        }
        st_model_end_pass(run->model);
    }
}

static inline void free_run(struct run *run) {
    st_model_free(run->model);
    st_symbols_free(&run->symbols);
}

#endif
