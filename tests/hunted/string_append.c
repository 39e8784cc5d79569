// Strings with locks, each operation of which is atomic. `text_append` asks for the length of the
// other one and then copies so many bytes; the other one was cleared in between.
//
// EXPECT violated: text_append
// EXPECT harm: assert
// TWIN -DFIXED
// EXPECT-FIXED none
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

struct text {
    pthread_mutex_t lock;
    size_t length;
    char bytes[64];
};

static struct text source = {PTHREAD_MUTEX_INITIALIZER, 5, "hello"};
static struct text target = {PTHREAD_MUTEX_INITIALIZER, 2, "- "};

#ifndef FIXED
static size_t text_length(struct text *text) {
    pthread_mutex_lock(&text->lock);
    size_t length = text->length;
    pthread_mutex_unlock(&text->lock);
    return length;
}

static void text_copy(struct text *text, char *to, size_t length) {
    pthread_mutex_lock(&text->lock);
    assert(length <= text->length);
    memcpy(to, text->bytes, length);
    pthread_mutex_unlock(&text->lock);
}
#endif

static void text_clear(struct text *text) {
    pthread_mutex_lock(&text->lock);
    text->length = 0;
    pthread_mutex_unlock(&text->lock);
}

static void text_append(struct text *to, struct text *from) {
    pthread_mutex_lock(&to->lock);
#ifdef FIXED
    pthread_mutex_lock(&from->lock);
    memcpy(to->bytes + to->length, from->bytes, from->length);
    to->length += from->length;
    pthread_mutex_unlock(&from->lock);
#else
    size_t length = text_length(from); // @gap
    text_copy(from, to->bytes + to->length, length);
    to->length += length;
#endif
    pthread_mutex_unlock(&to->lock);
}

static void *appender(void *argument) {
    text_append(&target, &source);
    return argument;
}

static void *cleaner(void *argument) {
    text_clear(&source);
    return argument;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, appender, NULL);
    pthread_create(&b, NULL, cleaner, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    puts(target.length == 7 || target.length == 2 ? "ok" : "torn");
    return 0;
}
