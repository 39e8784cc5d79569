#include "watch/sync_objects.h"

#include "base/memory.h"

#include <stdlib.h>

enum { PAGE_BITS = 12 };

void st_objects_init(struct st_objects *objects) {
    *objects = (struct st_objects){0};
    st_map64_init(&objects->map);
    st_map64_init(&objects->pages);
}

void st_objects_free(struct st_objects *objects) {
    st_map64_free(&objects->map);
    st_map64_free(&objects->pages);
    free(objects->list);
    free(objects->first);
}

static __attribute__((noinline)) void enter(struct st_objects *objects, uint32_t index,
                                            uint64_t address) {
    uint32_t page = st_map64_number(&objects->pages, address >> PAGE_BITS);
    st_reserve(&objects->first, &objects->first_capacity, (size_t)page + 1);
    st_reserve(&objects->list, &objects->capacity, (size_t)index + 1);
    objects->list[index] = (struct st_sync_object){
        .address = address, .number = ST_NO_OBJECT, .next = objects->first[page]};
    objects->first[page] = index + 1;
}

struct st_sync_object *st_objects_at(struct st_objects *objects, uint64_t address,
                                     unsigned channel) {
    uint32_t before = objects->map.count;
    uint32_t index = st_map64_number(&objects->map, address << 8 | channel);
    if (__builtin_expect(index == before, 0))
        enter(objects, index, address);
    return &objects->list[index];
}

static void forget(struct st_sync_object *object) {
    object->number = ST_NO_OBJECT;
    object->holder = object->count = 0;
}

static void forget_in_page(struct st_objects *objects, uint64_t page, uint64_t start,
                           uint64_t end) {
    uint32_t number = st_map64_find(&objects->pages, page);
    if (number == ST_MAP64_NONE)
        return;
    for (uint32_t i = objects->first[number]; i; i = objects->list[i - 1].next) {
        struct st_sync_object *object = &objects->list[i - 1];
        if (object->address >= start && object->address < end)
            forget(object);
    }
}

void st_objects_forget(struct st_objects *objects, uint64_t address, uint64_t length) {
    uint64_t end = address + length;
    if (!objects->map.count || length == 0 || end < address)
        return;
    uint64_t first = address >> PAGE_BITS, last = (end - 1) >> PAGE_BITS;
    if (last - first <= objects->map.count) {
        for (uint64_t page = first; page <= last; page++)
            forget_in_page(objects, page, address, end);
        return;
    }
    for (uint32_t i = 0; i < objects->map.count; i++)
        if (objects->list[i].address >= address && objects->list[i].address < end)
            forget(&objects->list[i]);
}
