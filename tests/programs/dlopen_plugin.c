// PART of dlopen.c, which loads it.
#include <pthread.h>

int plugin_look(void);
void plugin_update(void (*pause)(void));

static struct {
    pthread_mutex_t lock;
    int left, right;
} plugin_state = {.lock = PTHREAD_MUTEX_INITIALIZER};

void plugin_update(void (*pause)(void)) {
    pthread_mutex_lock(&plugin_state.lock);
    plugin_state.left++; // @out
#ifndef FIXED
    pthread_mutex_unlock(&plugin_state.lock); // @out
#endif
    pause();
#ifndef FIXED
    pthread_mutex_lock(&plugin_state.lock); // @in
#endif
    plugin_state.right++; // @in
    pthread_mutex_unlock(&plugin_state.lock);
}

int plugin_look(void) {
    pthread_mutex_lock(&plugin_state.lock);                  // @cut
    int difference = plugin_state.left - plugin_state.right; // @cut
    pthread_mutex_unlock(&plugin_state.lock);                // @cut
    return difference;
}
