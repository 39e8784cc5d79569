// The user on whose behalf things are done is a global variable. It is set, and another thread sets
// it anew before it is looked at.
//
// EXPECT violated: create_file
// EXPECT harm: status 1
// TWIN -DFIXED
// EXPECT-FIXED none
#include <pthread.h>
#include <stdio.h>

struct file {
    int wanted_owner, owner;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int current_user;

#ifndef FIXED
static void set_user(int user) {
    pthread_mutex_lock(&lock);
    current_user = user;
    pthread_mutex_unlock(&lock);
}

static int get_user(void) {
    pthread_mutex_lock(&lock);
    int user = current_user;
    pthread_mutex_unlock(&lock);
    return user;
}
#endif

static void create_file(struct file *file) {
#ifdef FIXED
    pthread_mutex_lock(&lock);
    current_user = file->wanted_owner;
    file->owner = current_user;
    pthread_mutex_unlock(&lock);
#else
    set_user(file->wanted_owner); // @gap
    file->owner = get_user();
#endif
}

static void *session(void *file) {
    create_file(file);
    return NULL;
}

int main(void) {
    pthread_t a, b;
    struct file first = {1, 0}, second = {2, 0};
    pthread_create(&a, NULL, session, &first);
    pthread_create(&b, NULL, session, &second);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    printf("%d %d\n", first.owner, second.owner);
    return first.owner != 1 || second.owner != 2;
}
