#include "trace/native/native_runs.h"

#include "base/memory.h"

static const char misfit[] = "its runs make no sense";

/* Adds the runs that two columns have: how far each is behind the one before, and its length. */
static const char *add_runs(struct native_runs *runs, struct native_column columns[2]) {
    uint32_t gaps[NATIVE_STRIP], more[NATIVE_STRIP];
    uint64_t row = 0, sum = 0;
    for (uint32_t done = 0; done < runs->count;) {
        size_t left = runs->count - done, n = left < NATIVE_STRIP ? left : NATIVE_STRIP;
        if (!native_column_decode(&columns[0], gaps, n, CHUNK_EVENTS_LIMIT) ||
            !native_column_decode(&columns[1], more, n, RUNS_LIMIT + UINT64_C(1)))
            return misfit;
        for (size_t i = 0; i < n; i++, done++) {
            if ((!gaps[i] && done) || !more[i] || (row += gaps[i]) >= runs->rows ||
                (sum += more[i]) > RUNS_LIMIT)
                return misfit;
            runs->list[done] = (struct native_run){(uint32_t)row, more[i]};
        }
    }
    runs->more = sum;
    return NULL;
}

const char *native_runs_take(struct native_runs *runs, const unsigned char *payload, size_t size) {
    if (runs->wait || size < RUNS_HEAD_SIZE || get_u32(payload + 4))
        return misfit;
    struct native_cursor body = {payload + RUNS_HEAD_SIZE, size - RUNS_HEAD_SIZE};
    struct native_column columns[2];
    for (int i = 0; i < 2; i++) {
        const unsigned char *head = payload + RUNS_HEAD_SIZE - (2 - i) * COLUMN_HEAD_SIZE;
        const char *problem = native_column_take(&columns[i], head, WIDEST_NUMBER, &body);
        if (problem)
            return problem;
    }
    runs->rows = get_u32(payload);
    runs->count = columns[0].count;
    if (body.left || !runs->count || runs->count > runs->rows || runs->rows > CHUNK_EVENTS_LIMIT ||
        columns[1].count != runs->count)
        return misfit;
    st_reserve(&runs->list, &runs->capacity, runs->count);
    runs->wait = true;
    return add_runs(runs, columns);
}

bool native_runs_fit(struct native_runs *runs, uint32_t rows) {
    if (!runs->wait)
        runs->rows = runs->count = 0;
    runs->wait = false;
    runs->next = runs->begun = 0;
    runs->woven_count = runs->woven_next = runs->woven_row = 0;
    return !runs->rows || runs->rows == rows;
}

void native_runs_wove(struct native_runs *runs, uint32_t count) {
    runs->woven_row += runs->woven_count;
    runs->woven_count = count;
    runs->woven_next = 0;
}

/* Rows up to the next run are events as they are. */
static size_t copy_rows(struct native_runs *runs, struct st_event *events, size_t capacity) {
    uint32_t end = runs->woven_count;
    if (runs->next < runs->count && runs->list[runs->next].row - runs->woven_row < end)
        end = runs->list[runs->next].row - runs->woven_row;
    size_t n = end - runs->woven_next;
    n = n < capacity ? n : capacity;
    memcpy(events, runs->woven + runs->woven_next, n * sizeof *events);
    runs->woven_next += (uint32_t)n;
    return n;
}

static size_t expand_run(struct native_runs *runs, uint32_t variables, struct st_event *events,
                         size_t capacity) {
    struct st_event event = runs->woven[runs->woven_next];
    uint64_t count = (uint64_t)runs->list[runs->next].more + 1;
    if (event.op > ST_WRITE || event.target + count > variables)
        return SIZE_MAX;
    size_t n = count - runs->begun < capacity ? (size_t)(count - runs->begun) : capacity;
    event.target += runs->begun;
    for (size_t i = 0; i < n; i++, event.target++)
        events[i] = event;
    runs->begun += (uint32_t)n;
    if (runs->begun == count) {
        runs->begun = 0;
        runs->next++;
        runs->woven_next++;
    }
    return n;
}

size_t native_runs_expand(struct native_runs *runs, uint32_t variables, struct st_event *events,
                          size_t capacity) {
    size_t made = 0;
    while (made < capacity && native_runs_left(runs)) {
        made += copy_rows(runs, events + made, capacity - made);
        if (made == capacity || !native_runs_left(runs))
            break;
        size_t n = expand_run(runs, variables, events + made, capacity - made);
        if (n == SIZE_MAX)
            return SIZE_MAX;
        made += n;
    }
    return made;
}
