/* A test driver for an API, by <seriatim/drive.h>: lists of numbers, each with a lock of its own.
 * Appending one list to another asks it for its size and then for its numbers, like the constructor
 * of java.util.Vector in TSE 2006: a number that is taken away in between is read all the same.
 * With -DFIXED it holds the lock of the other list in between.
 *
 *     seriatim-cc -g examples/drive.c -o drive -pthread
 *     seriatim hunt ./drive --crossed append take
 *     ./drive --list | while read pair; do seriatim hunt ./drive $pair; done
 */
#include <pthread.h>
#include <seriatim/drive.h>
#include <stdlib.h>

enum { ROOM = 64, NOTHING = 0 };

struct list {
    pthread_mutex_t lock;
    unsigned count, numbers[ROOM];
};

static void *make(void) {
    struct list *list = calloc(1, sizeof *list);
    pthread_mutex_init(&list->lock, NULL);
    for (list->count = 0; list->count < 3; list->count++)
        list->numbers[list->count] = list->count + 1;
    return list;
}

static void drop(void *object) {
    free(object);
}

/* What is taken away leaves NOTHING behind. */
static int is_good(void *object) {
    const struct list *list = object;
    for (unsigned i = 0; i < list->count; i++)
        if (list->numbers[i] == NOTHING)
            return 0;
    return 1;
}

/* ---- the API ---- */

static void list_add(struct list *list, unsigned number) {
    pthread_mutex_lock(&list->lock);
    if (list->count < ROOM)
        list->numbers[list->count++] = number;
    pthread_mutex_unlock(&list->lock);
}

static void list_take(struct list *list) {
    pthread_mutex_lock(&list->lock);
    if (list->count)
        list->numbers[--list->count] = NOTHING;
    pthread_mutex_unlock(&list->lock);
}

#ifndef FIXED
static unsigned list_size(struct list *list) {
    pthread_mutex_lock(&list->lock);
    unsigned count = list->count;
    pthread_mutex_unlock(&list->lock);
    return count;
}

static unsigned list_at(struct list *list, unsigned i) {
    pthread_mutex_lock(&list->lock);
    unsigned number = list->numbers[i];
    pthread_mutex_unlock(&list->lock);
    return number;
}

static void list_append(struct list *list, struct list *other) {
    unsigned count = list_size(other);
    for (unsigned i = 0; i < count; i++)
        list_add(list, list_at(other, i));
}
#else
static void list_append(struct list *list, struct list *other) {
    pthread_mutex_lock(&list->lock);
    pthread_mutex_lock(&other->lock);
    for (unsigned i = 0; i < other->count && list->count < ROOM; i++)
        list->numbers[list->count++] = other->numbers[i];
    pthread_mutex_unlock(&other->lock);
    pthread_mutex_unlock(&list->lock);
}
#endif

/* ---- its methods ---- */

static void add(void *object, void *other, unsigned number) {
    (void)other;
    list_add(object, number % 100 + 1);
}

static void take(void *object, void *other, unsigned number) {
    (void)other, (void)number;
    list_take(object);
}

static void append(void *object, void *other, unsigned number) {
    (void)number;
    list_append(object, other);
}

static const struct seriatim_method methods[] = {
    {"add", add, 0}, {"take", take, 0}, {"append", append, 1}};
static const struct seriatim_api api = {make, drop, is_good, methods, 3};

int main(int argc, char **argv) {
    return seriatim_drive(&api, argc, argv);
}
