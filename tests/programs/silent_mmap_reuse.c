// Pages are unmapped by one thread and mapped by another at the same address: fresh memory, fresh
// variables.
//
// FLAGS -D_GNU_SOURCE
// EXPECT none
#include "schedule.h"

#include <stdatomic.h>
#include <stdint.h>
#include <sys/mman.h>

enum { SIZE = 1 << 20 };

static atomic_int opened, closed;
static atomic_uintptr_t address[2];

static BLOCK void session(void) {
    atomic_store(&opened, 1);
    step(1);
    step(6);
    check(atomic_load(&closed) == 1);
}

static BLOCK void use_pages(int who) {
    void *hint = (void *)0x7e9000000000; /* so that both get the same, if it is free */
    int *pages = mmap(hint, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    check(pages != MAP_FAILED);
    atomic_store(&address[who], (uintptr_t)pages);
    for (int i = 0; i < SIZE / 4; i += 1024)
        pages[i] = i;
    check(munmap(pages, SIZE) == 0);
}

THREAD(holder) {
    session();
    return NULL;
}

THREAD(user) {
    step(2);
    check(atomic_load(&opened) == 1);
    use_pages(0);
    step(3);
    return NULL;
}

THREAD(other_user) {
    step(4);
    use_pages(1);
    atomic_store(&closed, 1);
    step(5);
    return NULL;
}

int main(void) {
    pthread_t threads[3];
    check(pthread_create(&threads[0], NULL, holder, NULL) == 0);
    check(pthread_create(&threads[1], NULL, user, NULL) == 0);
    check(pthread_create(&threads[2], NULL, other_user, NULL) == 0);
    for (int i = 0; i < 3; i++)
        check(pthread_join(threads[i], NULL) == 0);
    fprintf(stderr, "same address: %s\n", address[0] == address[1] ? "yes" : "no");
    puts("ok");
    return 0;
}
