#define _GNU_SOURCE
#include "watch/shared_memory.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Programs expect the descriptors that they open to be small numbers. */
enum { HIGH_DESCRIPTOR = 900 };

/* From now on the kernel marks the mutex when this thread is gone. It is the first thread of the
 * process, which lives as long as the process does. */
static void hold_alive_mutex(struct st_stream_head *head) {
    pthread_mutexattr_t kind;
    pthread_mutexattr_init(&kind);
    pthread_mutexattr_setpshared(&kind, PTHREAD_PROCESS_SHARED);
    pthread_mutexattr_setrobust(&kind, PTHREAD_MUTEX_ROBUST);
    if (pthread_mutex_init(&head->alive.mutex, &kind) == 0)
        pthread_mutex_lock(&head->alive.mutex);
    pthread_mutexattr_destroy(&kind);
}

void st_shared_memory_initialize(struct st_stream_head *head, uint32_t chunk_count,
                                 uint32_t given) {
    head->magic = ST_STREAM_MAGIC;
    head->version = ST_STREAM_VERSION;
    head->watcher = (uint32_t)getpid();
    head->chunk_count = chunk_count;
    atomic_store(&head->next_sequence, 1);
    for (uint32_t i = given; i-- > 0;) /* the first chunk is on top: memory is used from there */
        st_stream_give_chunk(head, st_stream_next_free(head), i);
}

static int move_up(int fd) {
    int high = fcntl(fd, F_DUPFD_CLOEXEC, HIGH_DESCRIPTOR);
    if (high < 0)
        return fd;
    close(fd);
    return high;
}

int st_shared_memory_create(struct st_shared_memory *memory, struct st_error *error) {
    uint32_t chunks = ST_SHARED_CHUNKS + ST_SHARED_RESERVE;
    size_t bytes = st_stream_bytes(chunks);
    int fd = memfd_create("seriatim", MFD_CLOEXEC);
    if (fd < 0)
        return st_fail(error, NULL, ST_AT_FILE, 0, "cannot share memory with the program: %s",
                       strerror(errno));
    void *mapped = MAP_FAILED;
    if (ftruncate(fd, (off_t)bytes) == 0)
        mapped = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (mapped == MAP_FAILED) {
        st_fail(error, NULL, ST_AT_FILE, 0, "cannot share memory with the program: %s",
                strerror(errno));
        close(fd);
        return -1;
    }
    memory->head = mapped;
    memory->fd = move_up(fd);
    memory->given = ST_SHARED_CHUNKS;
    st_shared_memory_initialize(memory->head, chunks, memory->given);
    hold_alive_mutex(memory->head);
    memory->before = *memory->head;
    return 0;
}

void st_shared_memory_free(struct st_shared_memory *memory) {
    if (!memory->head)
        return;
    st_shared_memory_close(memory->head); /* the program may go on without us */
    /* The C library follows pointers in the mutex, which the program may have overwritten. It
     * cannot be unmapped while it is held. */
    memcpy(&memory->head->alive.mutex, &memory->before.alive.mutex, sizeof(pthread_mutex_t));
    pthread_mutex_unlock(&memory->head->alive.mutex);
    munmap(memory->head, st_stream_bytes(ST_SHARED_CHUNKS + ST_SHARED_RESERVE));
    close(memory->fd);
    memory->head = NULL;
}

bool st_shared_memory_is_damaged(const struct st_shared_memory *memory) {
    const struct st_stream_head *head = memory->head, *before = &memory->before;
    return head->magic != before->magic || head->version != before->version ||
           head->chunk_count != before->chunk_count || head->watcher != before->watcher ||
           atomic_load(&head->closed) > 1;
}

void st_shared_memory_close(struct st_stream_head *head) {
    atomic_store(&head->closed, 1);
    atomic_fetch_add(&head->free_word, 1);
    syscall(SYS_futex, &head->free_word, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}
