// Thread-local variables of all kinds, used in long blocks by threads that run side by side.
//
// EXPECT none
#include "schedule.h"

#include <errno.h>
#include <stdlib.h>

static _Thread_local int counter;
static _Thread_local char buffer[64];
static pthread_key_t key;

static BLOCK int count(int pass, int resume) {
    counter++;
    buffer[counter] = 'x';
    *(int *)pthread_getspecific(key) += 1;
    errno = counter;
    step(pass);
    step(resume);
    counter++;
    buffer[1]++;
    check(errno == 1);
    *(int *)pthread_getspecific(key) += 1;
    return counter;
}

static void use_key(void) {
    pthread_setspecific(key, calloc(1, sizeof(int)));
}

THREAD(one) {
    use_key();
    check(count(1, 4) == 2);
    return NULL;
}

THREAD(two) {
    use_key();
    step(2);
    check(count(3, 5) == 2);
    return NULL;
}

int main(void) {
    check(pthread_key_create(&key, free) == 0);
    together(one, two);
    puts("ok");
    return 0;
}
