#include "trace/native/native_marks.h"

#include "base/memory.h"
#include "trace/native/native_format.h"

#include <string.h>

const char *native_marks_take(struct native_marks *marks, const unsigned char *payload,
                              size_t size) {
    uint32_t events = size < MARKS_HEAD_SIZE ? 0 : get_u32(payload);
    if (marks->wait || !events || size != MARKS_HEAD_SIZE + ((size_t)events + 7) / 8)
        return "its marks of atomic events make no sense";
    st_reserve(&marks->bits, &marks->capacity, size);
    memcpy(marks->bits, payload + MARKS_HEAD_SIZE, size - MARKS_HEAD_SIZE);
    marks->events = events;
    marks->wait = true;
    return NULL;
}

bool native_marks_fit(struct native_marks *marks, uint32_t events) {
    if (!marks->wait)
        marks->events = 0;
    marks->wait = false;
    return !marks->events || marks->events == events;
}

static bool is_marked(const struct native_marks *marks, size_t event) {
    return event < marks->events && (marks->bits[event / 8] >> event % 8 & 1);
}

void native_marks_put(const struct native_marks *atomic, const struct native_marks *joined,
                      size_t first, struct st_event *events, size_t n) {
    for (size_t i = 0; i < n; i++) {
        events[i].atomic = is_marked(atomic, first + i) && events[i].op <= ST_WRITE;
        events[i].joined = events[i].atomic && is_marked(joined, first + i);
    }
}
