#include "trace/native/native_values.h"

#include "base/memory.h"

static uint32_t count_bits(const unsigned char *bits, uint32_t events) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < events; i++)
        count += bits[i / 8] >> i % 8 & 1;
    return count;
}

/* Gives the events that are marked the numbers of the column, in order. */
static void spread(struct native_values *values, const unsigned char *bits,
                   struct native_column *column, uint8_t known) {
    uint64_t strip[NATIVE_STRIP];
    size_t have = 0, next = 0;
    for (uint32_t i = 0; i < values->events; i++) {
        if (!(bits[i / 8] >> i % 8 & 1))
            continue;
        if (next == have) {
            size_t left = column->count - column->taken;
            have = left < NATIVE_STRIP ? left : NATIVE_STRIP;
            native_column_decode_wide(column, strip, have);
            next = 0;
        }
        *(known == ST_HELD_KNOWN ? &values->list[i].held : &values->list[i].left) = strip[next++];
        values->list[i].known |= known;
    }
}

const char *native_values_take(struct native_values *values, const unsigned char *payload,
                               size_t size) {
    uint32_t events = size < VALUES_HEAD_SIZE ? 0 : get_u32(payload);
    if (values->wait || !events || events > CHUNK_EVENTS_LIMIT || size < native_values_head(events))
        return "its values do not fit its size";
    size_t bytes = (events + (size_t)7) / 8;
    const unsigned char *bits = payload + VALUES_HEAD_SIZE, *heads = bits + 2 * bytes;
    struct native_cursor body = {payload + native_values_head(events),
                                 size - native_values_head(events)};
    struct native_column columns[2];
    for (int i = 0; i < 2; i++) {
        const char *problem =
            native_column_take(&columns[i], heads + i * COLUMN_HEAD_SIZE, WIDEST_VALUE, &body);
        if (problem)
            return problem;
        if (columns[i].count != count_bits(bits + (size_t)i * bytes, events))
            return "it has another number of values than of marks";
    }
    if (body.left)
        return "its values do not fit its size";
    st_reserve(&values->list, &values->capacity, events);
    for (uint32_t i = 0; i < events; i++)
        values->list[i] = (struct st_access_value){0};
    values->events = events;
    values->wait = true;
    spread(values, bits, &columns[0], ST_HELD_KNOWN);
    spread(values, bits + bytes, &columns[1], ST_LEFT_KNOWN);
    return NULL;
}

bool native_values_fit(struct native_values *values, uint32_t events) {
    if (!values->wait)
        values->events = 0;
    values->wait = false;
    return !values->events || values->events == events;
}
