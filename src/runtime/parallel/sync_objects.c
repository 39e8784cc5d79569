#include "runtime/parallel/sync_objects.h"
#include "runtime/core/memory_events.h"
#include "runtime/core/spin.h"
#include "runtime/core/thread_state.h"

enum { LISTS = 64, OBJECTS_AT_A_TIME = 256 };

static struct rt_object *free_objects[LISTS]; /* by their threads */
static struct rt_spin objects_lock;

/* With the lock. */
static struct rt_object *take_fresh(void) {
    static char *fresh;
    static size_t left;
    if (!left) {
        fresh = rt_map_memory(OBJECTS_AT_A_TIME * RT_OBJECT_BYTES);
        if (!fresh)
            return NULL;
        left = OBJECTS_AT_A_TIME;
    }
    return (struct rt_object *)(void *)&fresh[--left * RT_OBJECT_BYTES];
}

static struct rt_object **list_of(uint32_t thread) {
    return &free_objects[thread % LISTS];
}

/* The lists of this thread and of nobody come first, then a new object. */
void *rt_object_take(void) {
    uint32_t me = rt_thread_serial() + 1;
    rt_spin_lock(&objects_lock);
    struct rt_object **list = *list_of(me) ? list_of(me) : list_of(0);
    struct rt_object *object = *list;
    if (object)
        *list = object->next;
    else
        object = take_fresh();
    rt_spin_unlock(&objects_lock);
    if (!object)
        return NULL;
    if (object->thread != me)
        rt_free(object, RT_OBJECT_BYTES);
    char *bytes = (char *)(object + 1);
    for (size_t i = 0; i < RT_OBJECT_BYTES - sizeof *object; i++)
        bytes[i] = 0;
    atomic_store_explicit(&object->references, 1, memory_order_relaxed);
    return object;
}

void rt_object_release(struct rt_object *object, uint32_t thread) {
    object->thread = thread;
    rt_spin_lock(&objects_lock);
    object->next = *list_of(thread);
    *list_of(thread) = object;
    rt_spin_unlock(&objects_lock);
}
