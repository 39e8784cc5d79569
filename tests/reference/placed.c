#include "reference/placed.h"

#include "base/memory.h"
#include "reference/emitter.h"
#include "trace/late/late_events.h"
#include "trace/late/placing.h"
#include "base/nameless_file.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void must(bool good, const struct st_error *error) {
    char text[1024];
    if (good)
        return;
    st_error_text(error, text, sizeof text);
    fprintf(stderr, "placed: %s\n", text);
    abort();
}

/* Nothing is dead: nobody knows by which relation the trace will be read. */
static void emit_all(struct emitter *emitter, const struct sample *sample, uint64_t seed) {
    static const unsigned shares[] = {0, 50, 100, 100}, few[] = {0, 0, 3, 10};
    emitter_start(emitter, sample->events, sample->count, seed);
    emitter->skip = 0;
    emitter->board = shares[chance_below(&emitter->chance, 4)];
    emitter->linger = shares[chance_below(&emitter->chance, 4)];
    emitter->early = few[chance_below(&emitter->chance, 4)];
    for (size_t i = 0; i < sample->count; i++)
        emitter_take(emitter, &sample->events[i]);
    emitter_end(emitter);
}

/* In pieces, as the recorder writes them. */
static FILE *write_late(const struct emitter *emitter) {
    struct st_error error;
    struct st_symbols symbols = *sample_symbols();
    struct st_late_events late = {.count = 0};
    FILE *file = st_nameless_file(&error);
    must(file, &error);
    symbols.late = true;
    void *writer = st_native_writer.open(file, "late", &symbols);
    for (size_t i = 0, count; i < emitter->emitted; i += count) {
        count = emitter->emitted - i < 5 ? emitter->emitted - i : 5;
        st_late_events_take(&late, emitter->events + i, emitter->at + i, count);
        st_native_writer_values(writer, late.words);
        must(st_native_writer.write(writer, late.events, late.count, &error) == 0, &error);
    }
    must(st_native_writer.finish(writer, false, &error) == 0, &error);
    st_native_writer.close(writer);
    st_late_events_free(&late);
    return file;
}

static void read_placed(FILE *file, struct sample *result) {
    char path[32];
    struct st_error error;
    struct st_input input;
    struct st_symbols symbols;
    struct st_event events[SAMPLE_EVENTS + 1];
    snprintf(path, sizeof path, "/proc/self/fd/%d", fileno(file));
    st_symbols_init(&symbols);
    must(st_input_open(&input, path, &error) == 0, &error);
    void *reader = st_native_format.open(&input, &symbols, &error);
    must(reader, &error);
    long count;
    while ((count = st_native_format.next(reader, events, SAMPLE_EVENTS, &error)) > 0)
        for (long i = 0; i < count; i++) {
            uint32_t target = events[i].target;
            if (events[i].written <= ST_WRITE) /* x3 */
                target = (uint32_t)atoi(st_name(&symbols.variables, target) + 1) - 1;
            sample_add(result, events[i].thread, (enum st_op)events[i].op, target);
            result->events[result->count - 1].loc = events[i].loc;
        }
    must(count == 0, &error);
    st_native_format.close(reader);
    st_symbols_free(&symbols);
    st_input_close(&input);
}

void placed_sample(const struct sample *sample, uint64_t seed, struct sample *result,
                   uint64_t origins[SAMPLE_EVENTS]) {
    struct emitter emitter;
    struct st_error error;
    uint64_t count;
    emit_all(&emitter, sample, seed);
    FILE *late = write_late(&emitter), *placed = st_nameless_file(&error);
    must(placed && st_late_place(fileno(late), "late", placed, "placed", &count, &error) == 0,
         &error);
    *result = (struct sample){.relation = sample->relation,
                              .lock_channels = sample->lock_channels,
                              .team_channels = sample->team_channels};
    read_placed(placed, result);
    for (size_t i = 0; i < result->count; i++)
        origins[i] = result->events[i].loc;
    fclose(late);
    fclose(placed);
    emitter_free(&emitter);
}
