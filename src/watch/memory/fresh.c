#include "watch/memory/fresh.h"

static void grow(struct st_fresh *fresh, uint64_t from, uint64_t to) {
    if (!fresh->count || from < fresh->from)
        fresh->from = from;
    if (!fresh->count || to > fresh->to)
        fresh->to = to;
}

void st_fresh_add(struct st_fresh *fresh, uint64_t address, uint64_t length) {
    struct st_fresh_object object = {address, address + length};
    grow(fresh, object.from, object.to);
    if (fresh->count < ST_FRESH_MOST) {
        fresh->objects[fresh->count++] = object;
    } else {
        fresh->objects[fresh->next] = object;
        fresh->next = (fresh->next + 1) % ST_FRESH_MOST;
    }
}

void st_fresh_remove(struct st_fresh *fresh, uint64_t address, uint64_t length) {
    for (uint32_t i = 0; i < fresh->count;)
        if (address < fresh->objects[i].to && fresh->objects[i].from < address + length)
            fresh->objects[i] = fresh->objects[--fresh->count];
        else
            i++;
}

bool st_fresh_find(const struct st_fresh *fresh, uint64_t address, uint64_t length) {
    for (uint32_t i = fresh->count; i-- > 0;)
        if (address >= fresh->objects[i].from && address + length <= fresh->objects[i].to)
            return true;
    return false;
}
