// Lines of a log are counted. Who prints several lines at once locks the stream meanwhile, and so
// protects the counter, too; who prints one line thinks that printing it is enough.
//
// EXPECT violated: announce|note
// EXPECT harm: status 1
// TWIN -DFIXED
// EXPECT-FIXED none
#include <pthread.h>
#include <stdio.h>

static long lines;

static void announce(const char *name) {
    flockfile(stdout);
    long count = lines;
    printf("%s:\n", name);
    puts("ready");
    lines = count + 2;
    funlockfile(stdout);
}

static void note(const char *text) {
#ifdef FIXED
    flockfile(stdout);
#endif
    printf("%s\n", text);
    long count = lines; // @gap
    lines = count + 1;
#ifdef FIXED
    funlockfile(stdout);
#endif
}

static void *server(void *argument) {
    announce("server");
    return argument;
}

static void *client(void *argument) {
    note("connected");
    fputs("", stdout);
    return argument;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, client, NULL);
    pthread_create(&b, NULL, server, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return lines != 3;
}
