// Objects on the heap are named after the place that allocated them.
//
// RACY the order is kept by the schedule alone, so that the finding is about the object
// EXPECT violated: rename_node
// EXPECT cut-by: touch
// EXPECT on: @alloc
// EXPECT line: rename_node @out @cut @in
// TWIN -DFIXED
// EXPECT-FIXED none
#define SCHEDULE_HOLDS
#include "schedule.h"

#include <stdlib.h>

struct node {
    int key, version;
    struct node *next;
};

struct node *list;

static BLOCK struct node *push(int key, struct node *next) {
    struct node *node = malloc(sizeof *node); // @alloc
    node->key = key;
    node->version = 0;
    node->next = next;
    return node;
}

static BLOCK void rename_node(struct node *node) {
    node->version++; // @out
    step(1);
    step(4);
    node->version++; // @in
}

static BLOCK void touch(struct node *node) {
    node->version = 0; // @cut
}

THREAD(renamer) {
    rename_node(list);
    return NULL;
}

THREAD(toucher) {
    step(2);
#ifdef FIXED
    touch(list->next);
#else
    touch(list);
#endif
    step(3);
    return NULL;
}

int main(void) {
    list = push(1, push(2, NULL));
    together(renamer, toucher);
    free(list->next);
    free(list);
    puts("ok");
    return 0;
}
