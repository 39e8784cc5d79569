// A reader-writer lock cannot be upgraded, so the reader releases it and takes it again to write,
// and does not look again: a name is entered twice.
//
// EXPECT violated: symbol_number
// EXPECT harm: status 1
// TWIN -DFIXED
// EXPECT-FIXED none
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static const char *symbols[8];
static int symbol_count;

/* The number of a symbol, or -1. */
static int position(const char *name) {
    for (int i = 0; i < symbol_count; i++)
        if (strcmp(symbols[i], name) == 0)
            return i;
    return -1;
}

static int symbol_number(const char *name) {
    int number;
#ifdef FIXED
    pthread_rwlock_wrlock(&lock);
    number = position(name);
#else
    pthread_rwlock_rdlock(&lock);
    number = position(name);
    pthread_rwlock_unlock(&lock);
    if (number >= 0) // @gap-before
        return number;
    pthread_rwlock_wrlock(&lock);
#endif
    if (number < 0) {
        number = symbol_count;
        symbols[symbol_count++] = name;
    }
    pthread_rwlock_unlock(&lock);
    return number;
}

static void *parse_first(void *number) {
    *(int *)number = symbol_number("main");
    return NULL;
}

static void *parse_second(void *number) {
    symbol_number("printf");
    *(int *)number = symbol_number("main");
    return NULL;
}

int main(void) {
    pthread_t a, b;
    int first, second;
    pthread_create(&a, NULL, parse_first, &first);
    pthread_create(&b, NULL, parse_second, &second);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    printf("%d symbols\n", symbol_count);
    return first != second || symbol_count != 2;
}
