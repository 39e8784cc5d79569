// Moving a file: whoever moves it reads where it is, and takes it out there. Two users move the
// same file, and both take it out of the same folder.
//
// EXPECT violated: move_file
// EXPECT harm: assert
// TWIN -DFIXED
// EXPECT-FIXED none
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

struct folder {
    int files;
};

static pthread_mutex_t tree = PTHREAD_MUTEX_INITIALIZER;
static struct folder inbox = {1}, archive = {0}, trash = {0};
static struct folder *parent = &inbox;

#ifndef FIXED
static struct folder *where(void) {
    pthread_mutex_lock(&tree);
    struct folder *folder = parent;
    pthread_mutex_unlock(&tree);
    return folder;
}
#endif

static void move_file(struct folder *to) {
#ifdef FIXED
    pthread_mutex_lock(&tree);
    struct folder *from = parent;
#else
    struct folder *from = where(); // @gap
    pthread_mutex_lock(&tree);
#endif
    parent = to;
    to->files++;
    from->files--;
    assert(from->files >= 0);
    pthread_mutex_unlock(&tree);
}

static void *keep(void *argument) {
    move_file(&archive);
    return argument;
}

static void *discard(void *argument) {
    move_file(&trash);
    return argument;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, keep, NULL);
    pthread_create(&b, NULL, discard, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    printf("%d\n", inbox.files + archive.files + trash.files);
    return 0;
}
