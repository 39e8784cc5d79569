/* What threads that take turns need of the kernel: waiting that no interruption and no permit of
 * the program ends, and their ids. */
#define _GNU_SOURCE
#include <jni.h>
#include <limits.h>
#include <linux/futex.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define FUTEX(name) Java_seriatim_control_Futex_##name

JNIEXPORT void JNICALL FUTEX(await)(JNIEnv *env, jclass class, jlong word);
/* Waits while the word at this address is 0; or returns earlier. */
JNIEXPORT void JNICALL FUTEX(await)(JNIEnv *env, jclass class, jlong word) {
    (void)env, (void)class;
    syscall(SYS_futex, (uint32_t *)(uintptr_t)word, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0);
}

JNIEXPORT void JNICALL FUTEX(wake)(JNIEnv *env, jclass class, jlong word);
JNIEXPORT void JNICALL FUTEX(wake)(JNIEnv *env, jclass class, jlong word) {
    (void)env, (void)class;
    syscall(SYS_futex, (uint32_t *)(uintptr_t)word, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
}

JNIEXPORT void JNICALL FUTEX(nap)(JNIEnv *env, jclass class, jlong nanoseconds);
/* For less than a second. */
JNIEXPORT void JNICALL FUTEX(nap)(JNIEnv *env, jclass class, jlong nanoseconds) {
    (void)env, (void)class;
    struct timespec time = {.tv_nsec = (long)nanoseconds};
    nanosleep(&time, NULL);
}

JNIEXPORT jint JNICALL FUTEX(threadId)(JNIEnv *env, jclass class);
JNIEXPORT jint JNICALL FUTEX(threadId)(JNIEnv *env, jclass class) {
    (void)env, (void)class;
    return (jint)syscall(SYS_gettid);
}
