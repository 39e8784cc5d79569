#include "reference/sample.h"

#include "trace/validate.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

void sample_add(struct sample *sample, uint32_t thread, enum st_op op, uint32_t target) {
    assert(sample->count < SAMPLE_EVENTS);
    sample->values[sample->count] = (struct st_value_numbers){0, 0};
    struct st_event *event = &sample->events[sample->count++];
    *event = (struct st_event){
        .thread = thread, .target = target, .loc = sample->count, .written = op, .op = op};
}

/* Old number to new number + 1; 0 where the old number was not met yet. */
struct numbering {
    uint32_t next;
    uint32_t of[SAMPLE_EVENTS];
};

static uint32_t renumbered(struct numbering *numbering, uint32_t old) {
    assert(old < SAMPLE_EVENTS);
    if (!numbering->of[old])
        numbering->of[old] = ++numbering->next;
    return numbering->of[old] - 1;
}

static uint32_t renumbered_channel(const struct sample *sample, struct numbering *numbering,
                                   uint32_t old, uint32_t *lock_channels, uint32_t *team_channels) {
    uint32_t number = renumbered(numbering, old);
    *lock_channels |= (sample->lock_channels >> old & 1) << number;
    *team_channels |= (sample->team_channels >> old & 1) << number;
    return number;
}

void sample_renumber(struct sample *sample) {
    uint32_t lock_channels = 0, team_channels = 0;
    struct numbering threads = {0}, variables = {0}, locks = {0}, channels = {0}, blocks = {0};
    for (size_t i = 0; i < sample->count; i++) {
        struct st_event *event = &sample->events[i];
        event->op = event->written;
        event->loc = i + 1;
        event->thread = renumbered(&threads, event->thread);
        if (event->op == ST_READ || event->op == ST_WRITE)
            event->target = renumbered(&variables, event->target);
        else if (event->op == ST_ACQUIRE || event->op == ST_RELEASE)
            event->target = renumbered(&locks, event->target);
        else if (event->op == ST_FORK || event->op == ST_JOIN)
            event->target = renumbered(&threads, event->target);
        else if (event->op == ST_SEND || event->op == ST_RECEIVE)
            event->target = renumbered_channel(sample, &channels, event->target, &lock_channels,
                                               &team_channels);
        else if (event->target != ST_NO_NAME)
            event->target = renumbered(&blocks, event->target);
    }
    sample->lock_channels = lock_channels;
    sample->team_channels = team_channels;
}

bool sample_is_on_lock(const struct sample *sample, const struct st_event *event) {
    bool on_channel = event->op == ST_SEND || event->op == ST_RECEIVE;
    return event->op == ST_ACQUIRE || event->op == ST_RELEASE ||
           (on_channel && sample->lock_channels >> event->target & 1);
}

void sample_feed(const struct sample *sample, struct st_event events[SAMPLE_EVENTS]) {
    struct st_channels channels = {{0}};
    for (uint32_t c = 0; c < SAMPLE_CHANNELS; c++)
        if (sample->lock_channels >> c & 1)
            st_channels_set(&channels, c, (struct st_channel){.kind = ST_WHOLE_LOCK});
    memcpy(events, sample->events, sample->count * sizeof *events);
    st_relation_apply(sample->relation, &channels, events, sample->count);
    st_channels_free(&channels);
}

static void assert_limits(const struct sample *sample) {
    static const uint32_t limits[ST_OP_COUNT] = {
        [ST_READ] = SAMPLE_VARIABLES,   [ST_WRITE] = SAMPLE_VARIABLES, [ST_ACQUIRE] = SAMPLE_LOCKS,
        [ST_RELEASE] = SAMPLE_LOCKS,    [ST_FORK] = SAMPLE_THREADS,    [ST_JOIN] = SAMPLE_THREADS,
        [ST_BEGIN] = SAMPLE_BLOCKS,     [ST_END] = SAMPLE_BLOCKS,      [ST_SEND] = SAMPLE_CHANNELS,
        [ST_RECEIVE] = SAMPLE_CHANNELS,
    };
    for (size_t i = 0; i < sample->count; i++) {
        const struct st_event *event = &sample->events[i];
        assert(event->thread < SAMPLE_THREADS);
        assert(event->target < limits[event->written] || event->target == ST_NO_NAME);
        (void)event, (void)limits;
    }
}

int sample_check(struct sample *sample, struct st_error *error) {
    assert_limits(sample);
    struct st_validator *validator = st_validator_new(sample->repair);
    int status =
        st_validate(validator, sample->events, sample->count, SAMPLE_THREADS, SAMPLE_LOCKS);
    if (status < 0)
        st_validate_explain(validator, sample_symbols(), error);
    st_validator_free(validator);
    return status;
}

void sample_without(const struct sample *sample, uint64_t gone, struct sample *result) {
    size_t kept = 0;
    for (size_t i = 0; i < sample->count; i++)
        if (!(gone >> i & 1)) {
            result->values[kept] = sample->values[i];
            result->events[kept++] = sample->events[i];
        }
    result->count = kept;
    result->repair = sample->repair;
    result->relation = sample->relation;
    result->lock_channels = sample->lock_channels;
    result->team_channels = sample->team_channels;
    sample_renumber(result);
}

static void add_names(struct st_names *names, const char *prefix, unsigned count) {
    for (unsigned i = 1; i <= count; i++) {
        char text[16];
        int length = snprintf(text, sizeof text, "%s%u", prefix, i);
        st_names_add(names, text, (size_t)length);
    }
}

const struct st_symbols *sample_symbols(void) {
    static struct st_symbols symbols;
    static bool ready;
    if (!ready) {
        st_symbols_init(&symbols);
        add_names(&symbols.threads, "T", SAMPLE_THREADS);
        add_names(&symbols.variables, "x", SAMPLE_VARIABLES);
        add_names(&symbols.locks, "l", SAMPLE_LOCKS);
        add_names(&symbols.blocks, "b", SAMPLE_BLOCKS);
        add_names(&symbols.channels, "c", SAMPLE_CHANNELS);
        ready = true;
    }
    return &symbols;
}

void sample_print_event(FILE *file, const struct st_event *event) {
    const struct st_symbols *symbols = sample_symbols();
    fprintf(file, "%s|%s", st_name(&symbols->threads, event->thread), st_op_std(event->written));
    if (event->target != ST_NO_NAME)
        fprintf(file, "(%s)", st_target_name(symbols, event->written, event->target));
    fprintf(file, "|%" PRIu64, (uint64_t)event->loc);
}

void sample_print(FILE *file, const struct sample *sample) {
    for (size_t i = 0; i < sample->count; i++) {
        const struct st_event *event = &sample->events[i];
        bool on_channel = event->written == ST_SEND || event->written == ST_RECEIVE;
        if (on_channel && sample->lock_channels >> event->target & 1)
            fprintf(file, "T%u|%s(c%u [lock])|%" PRIu64, event->thread + 1,
                    st_op_std(event->written), event->target + 1, (uint64_t)event->loc);
        else
            sample_print_event(file, event);
        fputc('\n', file);
    }
}
