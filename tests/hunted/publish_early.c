// A device is entered into the list first and gets its name afterwards, each under the lock.
// Whoever lists the devices in between finds one without a name.
//
// EXPECT harm: crash
// TWIN -DFIXED
// EXPECT-FIXED none
#include <pthread.h>
#include <stdio.h>
#include <string.h>

struct device {
    const char *name;
    struct device *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct device disk = {"disk", NULL};
static struct device mouse = {NULL, NULL};
static struct device *devices = &disk;
static size_t letters;

static void device_register(struct device *device, const char *name) {
    pthread_mutex_lock(&lock);
#ifdef FIXED
    device->name = name;
#endif
    device->next = devices;
    devices = device;
    pthread_mutex_unlock(&lock); // @gap
#ifndef FIXED
    pthread_mutex_lock(&lock);
    device->name = name;
    pthread_mutex_unlock(&lock);
#endif
}

static size_t name_lengths(void) {
    size_t sum = 0;
    pthread_mutex_lock(&lock);
    for (struct device *device = devices; device; device = device->next)
        sum += strlen(device->name);
    pthread_mutex_unlock(&lock);
    return sum;
}

static void *plug_in(void *argument) {
    device_register(&mouse, "mouse");
    return argument;
}

static void *list(void *argument) {
    letters = name_lengths();
    return argument;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, plug_in, NULL);
    pthread_create(&b, NULL, list, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    puts(letters == 4 || letters == 9 ? "ok" : "wrong");
    return 0;
}
