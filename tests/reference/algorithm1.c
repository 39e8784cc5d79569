#include "reference/algorithm1.h"

#include <string.h>

enum { NIL = -1 };

/* A local time grows with each begin, of which a sample has at most 64. */
typedef uint8_t vector_time[SAMPLE_THREADS];

struct state {
    uint32_t threads, locks, variables, channels; /* how many of each the sample has */
    vector_time C[SAMPLE_THREADS], C_begin[SAMPLE_THREADS];
    vector_time L[SAMPLE_LOCKS], W[SAMPLE_VARIABLES], R[SAMPLE_VARIABLES][SAMPLE_THREADS];
    vector_time S[SAMPLE_CHANNELS][SAMPLE_THREADS]; /* ours: the last send of each thread */
    int last_rel_thr[SAMPLE_LOCKS], last_w_thr[SAMPLE_VARIABLES];
    unsigned depth[SAMPLE_THREADS]; /* only outermost begins and ends count */
    bool has_events[SAMPLE_THREADS];
    bool declared;
    bool as_printed;
};

static void join_into(vector_time result, const vector_time other) {
    for (int t = 0; t < SAMPLE_THREADS; t++)
        if (result[t] < other[t])
            result[t] = other[t];
}

static void assign(vector_time result, const vector_time other) {
    memcpy(result, other, sizeof(vector_time));
}

/* The paper compares whole vectors. The component of t alone gives the same answer, and is also
 * correct if several reads share a clock. */
static bool begin_is_before(const struct state *s, uint32_t t, const vector_time clk) {
    for (uint32_t u = 0; s->as_printed && u < s->threads; u++)
        if (s->C_begin[t][u] > clk[u])
            return false;
    return s->C_begin[t][t] <= clk[t];
}

static void at_least(uint32_t *count, uint32_t number) {
    if (*count <= number)
        *count = number + 1;
}

static void count_names(struct state *s, const struct sample *sample) {
    for (size_t i = 0; i < sample->count; i++) {
        const struct st_event *event = &sample->events[i];
        at_least(&s->threads, event->thread);
        if (event->written == ST_READ || event->written == ST_WRITE)
            at_least(&s->variables, event->target);
        else if (event->written == ST_ACQUIRE || event->written == ST_RELEASE)
            at_least(&s->locks, event->target);
        else if (event->written == ST_FORK || event->written == ST_JOIN)
            at_least(&s->threads, event->target);
        else if (event->written == ST_SEND || event->written == ST_RECEIVE)
            at_least(&s->channels, event->target);
    }
}

static void initialization(struct state *s, const struct sample *sample) {
    memset(s, 0, sizeof *s);
    count_names(s, sample);
    for (uint32_t t = 0; t < s->threads; t++)
        s->C[t][t] = 1;
    for (uint32_t l = 0; l < s->locks; l++)
        s->last_rel_thr[l] = NIL;
    for (uint32_t x = 0; x < s->variables; x++)
        s->last_w_thr[x] = NIL;
}

static void check_and_get(struct state *s, const vector_time clk, uint32_t t) {
    if (begin_is_before(s, t, clk) && s->depth[t] > 0)
        s->declared = true;
    join_into(s->C[t], clk);
}

static void acquire(struct state *s, uint32_t t, uint32_t l) {
    if (s->last_rel_thr[l] != (int)t)
        check_and_get(s, s->L[l], t);
}

static void release(struct state *s, uint32_t t, uint32_t l) {
    assign(s->L[l], s->C[t]);
    s->last_rel_thr[l] = (int)t;
}

static void fork_thread(struct state *s, uint32_t t, uint32_t u) {
    join_into(s->C[u], s->C[t]);
}

static void join_thread(struct state *s, uint32_t t, uint32_t u) {
    if (s->has_events[u] || s->as_printed)
        check_and_get(s, s->C[u], t);
}

static void read_variable(struct state *s, uint32_t t, uint32_t x) {
    if (s->last_w_thr[x] != (int)t)
        check_and_get(s, s->W[x], t);
    assign(s->R[x][t], s->C[t]);
}

static void write_variable(struct state *s, uint32_t t, uint32_t x) {
    if (s->last_w_thr[x] != (int)t)
        check_and_get(s, s->W[x], t);
    for (uint32_t u = 0; u < s->threads; u++)
        if (u != t)
            check_and_get(s, s->R[x][u], t);
    assign(s->W[x], s->C[t]);
    s->last_w_thr[x] = (int)t;
}

/* Channels are not in the paper. A send relates to a receive as a read to a write, with one
 * difference: a receive leaves no clock behind and makes no send obsolete. */
static void send_on(struct state *s, uint32_t t, uint32_t c) {
    assign(s->S[c][t], s->C[t]);
}

static void receive_from(struct state *s, uint32_t t, uint32_t c) {
    for (uint32_t u = 0; u < s->threads; u++)
        if (u != t)
            check_and_get(s, s->S[c][u], t);
}

static void begin(struct state *s, uint32_t t) {
    s->C[t][t]++;
    assign(s->C_begin[t], s->C[t]);
}

static void sweep(struct state *s, uint32_t t, vector_time clk) {
    if (begin_is_before(s, t, clk))
        join_into(clk, s->C[t]);
}

static void end(struct state *s, uint32_t t) {
    for (uint32_t u = 0; u < s->threads; u++)
        if (u != t && begin_is_before(s, t, s->C[u]))
            check_and_get(s, s->C[t], u);
    for (uint32_t l = 0; l < s->locks; l++)
        sweep(s, t, s->L[l]);
    for (uint32_t x = 0; x < s->variables; x++) {
        sweep(s, t, s->W[x]);
        for (uint32_t u = 0; u < s->threads; u++)
            sweep(s, t, s->R[x][u]);
    }
    for (uint32_t c = 0; c < s->channels; c++)
        for (uint32_t u = 0; u < s->threads; u++)
            sweep(s, t, s->S[c][u]);
}

static void process(struct state *s, const struct st_event *event) {
    uint32_t t = event->thread;
    s->has_events[t] |= event->op != ST_DROPPED;
    switch (event->op) {
    case ST_READ:
        read_variable(s, t, event->target);
        break;
    case ST_WRITE:
        write_variable(s, t, event->target);
        break;
    case ST_ACQUIRE:
        acquire(s, t, event->target);
        break;
    case ST_RELEASE:
        release(s, t, event->target);
        break;
    case ST_FORK:
        fork_thread(s, t, event->target);
        break;
    case ST_JOIN:
        join_thread(s, t, event->target);
        break;
    case ST_SEND:
        send_on(s, t, event->target);
        break;
    case ST_RECEIVE:
        receive_from(s, t, event->target);
        break;
    case ST_BEGIN:
        if (s->depth[t]++ == 0)
            begin(s, t);
        break;
    case ST_END:
        if (s->depth[t] == 1)
            end(s, t);
        s->depth[t]--;
        break;
    default:
        break;
    }
}

static unsigned report(const struct sample *sample, bool as_printed) {
    static struct state s;
    initialization(&s, sample);
    s.as_printed = as_printed;
    for (size_t i = 0; i < sample->count; i++) {
        const struct st_event *event = &sample->events[i];
        if (sample->relation == ST_DATA && sample_is_on_lock(sample, event))
            s.has_events[event->thread] = true;
        else
            process(&s, event);
        if (s.declared)
            return (unsigned)i + 1;
    }
    for (uint32_t t = 0; t < s.threads && !as_printed; t++) {
        if (s.depth[t] == 0)
            continue;
        end(&s, t);
        s.depth[t] = 0;
    }
    return s.declared ? (unsigned)sample->count : 0;
}

unsigned algorithm1_report(const struct sample *sample) {
    return report(sample, false);
}

unsigned algorithm1_as_printed(const struct sample *sample) {
    return report(sample, true);
}
