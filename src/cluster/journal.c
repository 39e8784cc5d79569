#define _GNU_SOURCE
#include "cluster/journal.h"

#include "base/memory.h"
#include "cluster/packing.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <xxhash.h>

/* The file: a head, then records. Both begin with their length and a checksum of the rest. */
static const char magic[] = "seriatim-journal/1\n";

struct head {
    uint64_t length; /* of what follows the head */
    uint64_t sum;    /* of that, and of the length */
};

struct entry {
    XXH128_hash_t key; /* of the question */
    char *answer;
    size_t length;
};

/* Invariant: `table` has `size` places, a power of two, and at most half of them are taken; the
 * answer of one that is not is NULL. */
struct st_journal {
    int fd;
    char *path;
    struct entry *table;
    size_t size, count, found;
    time_t synced;
};

/* ---- the table ---- */

static struct entry *slot_of(const struct st_journal *journal, XXH128_hash_t key) {
    size_t slot = (size_t)key.low64 & (journal->size - 1);
    while (journal->table[slot].answer && !XXH128_isEqual(journal->table[slot].key, key))
        slot = (slot + 1) & (journal->size - 1);
    return &journal->table[slot];
}

static void grow(struct st_journal *journal) {
    struct st_journal larger = {.size = journal->size ? journal->size * 2 : 64};
    larger.table = st_alloc(larger.size, sizeof *larger.table);
    for (size_t i = 0; i < journal->size; i++)
        if (journal->table[i].answer)
            *slot_of(&larger, journal->table[i].key) = journal->table[i];
    free(journal->table);
    journal->table = larger.table;
    journal->size = larger.size;
}

static void keep(struct st_journal *journal, XXH128_hash_t key, const char *answer, size_t length) {
    if (journal->count * 2 >= journal->size)
        grow(journal);
    struct entry *entry = slot_of(journal, key);
    if (entry->answer)
        return; /* the first one counts */
    *entry = (struct entry){.key = key, .answer = st_alloc(length + 1, 1), .length = length};
    memcpy(entry->answer, answer, length);
    journal->count++;
}

/* ---- the file ---- */

static uint64_t sum_of(const void *bytes, size_t length) {
    return XXH3_64bits_withSeed(bytes, length, length);
}

static int write_all(int fd, const char *bytes, size_t length) {
    while (length) {
        ssize_t written = write(fd, bytes, length);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return -1;
        bytes += written;
        length -= (size_t)written;
    }
    return 0;
}

/* One write for all of it; what a failure leaves behind is cut off. */
static int append(struct st_journal *journal, const struct st_packed *body,
                  struct st_error *error) {
    struct st_packed record = {0};
    struct head head = {body->length, sum_of(body->bytes, body->length)};
    off_t before = lseek(journal->fd, 0, SEEK_END);
    st_pack_raw(&record, &head, sizeof head);
    st_pack_raw(&record, body->bytes, body->length);
    int result = write_all(journal->fd, record.bytes, record.length);
    if (result < 0) {
        st_fail(error, journal->path, ST_AT_FILE, 0, "cannot write: %s", strerror(errno));
        if (ftruncate(journal->fd, before) < 0)
            lseek(journal->fd, 0, SEEK_END);
    }
    st_packed_free(&record);
    time_t now = time(NULL);
    if (now != journal->synced) { /* a node that loses power costs a second of work */
        fdatasync(journal->fd);
        journal->synced = now;
    }
    return result;
}

static char *read_file(struct st_journal *journal, size_t *length) {
    struct stat status;
    if (fstat(journal->fd, &status) < 0)
        return NULL;
    char *text = st_alloc((size_t)status.st_size + 1, 1);
    ssize_t got;
    *length = 0;
    while (*length < (size_t)status.st_size &&
           (got = pread(journal->fd, text + *length, (size_t)status.st_size - *length,
                        (off_t)*length)) > 0)
        *length += (size_t)got;
    return text;
}

/* The next record, or NULL where the file ends, or is damaged. */
static const char *next_record(const char *text, size_t length, size_t *at, size_t *body) {
    struct head head;
    if (length - *at < sizeof head)
        return NULL;
    memcpy(&head, text + *at, sizeof head);
    const char *bytes = text + *at + sizeof head;
    if (head.length > length - *at - sizeof head || head.sum != sum_of(bytes, head.length))
        return NULL;
    *at += sizeof head + head.length;
    *body = head.length;
    return bytes;
}

static void read_records(struct st_journal *journal, const char *text, size_t length, size_t at) {
    size_t body;
    const char *record;
    while ((record = next_record(text, length, &at, &body))) {
        XXH128_hash_t key;
        if (body < sizeof key)
            break;
        memcpy(&key, record, sizeof key);
        keep(journal, key, record + sizeof key, body - sizeof key);
    }
    if (at < length && ftruncate(journal->fd, (off_t)at) < 0)
        lseek(journal->fd, 0, SEEK_END); /* what is damaged is skipped the next time, too */
    journal->found = journal->count;
}

static int start_file(struct st_journal *journal, const char *job, struct st_error *error) {
    struct st_packed body = {0};
    st_pack_raw(&body, job, strlen(job));
    int result = ftruncate(journal->fd, 0);
    if (result == 0)
        result = write_all(journal->fd, magic, strlen(magic));
    if (result < 0)
        st_fail(error, journal->path, ST_AT_FILE, 0, "cannot write: %s", strerror(errno));
    else
        result = append(journal, &body, error);
    st_packed_free(&body);
    return result;
}

static int read_journal(struct st_journal *journal, const char *job, struct st_error *error) {
    size_t length = 0, at = strlen(magic), body = 0;
    char *text = read_file(journal, &length);
    int result = 0;
    if (!text)
        return st_fail(error, journal->path, ST_AT_FILE, 0, "cannot read: %s", strerror(errno));
    bool ours = length >= at && memcmp(text, magic, at) == 0;
    const char *of = ours ? next_record(text, length, &at, &body) : NULL;
    if (length >= strlen(magic) && !ours)
        result = st_fail(error, journal->path, ST_AT_FILE, 0, "is not a journal of seriatim");
    else if (!of)
        result = start_file(journal, job, error); /* empty, or cut off in its first line */
    else if (body != strlen(job) || memcmp(of, job, body) != 0)
        result = st_fail(error, journal->path, ST_AT_FILE, 0,
                         "is of another job or another build (%.*s); give --resume another folder, "
                         "or remove it",
                         body > 160 ? 160 : (int)body, of);
    else
        read_records(journal, text, length, at);
    free(text);
    return result;
}

/* A job that was killed may still be ending: a process of a run can live a moment longer than who
 * started it, and has the file open. */
static bool lock_file(int fd) {
    enum { TRIES = 100 };
    const struct timespec nap = {.tv_nsec = 50 * 1000 * 1000};
    for (int i = 0; i < TRIES; i++) {
        if (flock(fd, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK)
            return true; /* some file systems have no locks */
        nanosleep(&nap, NULL);
    }
    return false;
}

static int open_file(struct st_journal *journal, const char *folder, struct st_error *error) {
    if (mkdir(folder, 0777) < 0 && errno != EEXIST)
        return st_fail(error, folder, ST_AT_FILE, 0, "cannot create the folder: %s",
                       strerror(errno));
    if (asprintf(&journal->path, "%s/journal", folder) < 0)
        st_out_of_memory();
    journal->fd = open(journal->path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (journal->fd < 0)
        return st_fail(error, journal->path, ST_AT_FILE, 0, "cannot open: %s", strerror(errno));
    if (!lock_file(journal->fd))
        return st_fail(error, journal->path, ST_AT_FILE, 0,
                       "is in use: another job goes on from this folder");
    return 0;
}

struct st_journal *st_journal_open(const char *folder, const char *job, struct st_error *error) {
    struct st_journal *journal = st_alloc(1, sizeof *journal);
    journal->fd = -1;
    grow(journal);
    if (open_file(journal, folder, error) == 0 && read_journal(journal, job, error) == 0)
        return journal;
    st_journal_close(journal);
    return NULL;
}

void st_journal_close(struct st_journal *journal) {
    if (!journal)
        return;
    if (journal->fd >= 0) {
        fdatasync(journal->fd);
        close(journal->fd);
    }
    for (size_t i = 0; i < journal->size; i++)
        free(journal->table[i].answer);
    free(journal->table);
    free(journal->path);
    free(journal);
}

size_t st_journal_count(const struct st_journal *journal) {
    return journal->found;
}

const char *st_journal_find(const struct st_journal *journal, const void *question, size_t length,
                            size_t *answer_length) {
    const struct entry *entry = slot_of(journal, XXH3_128bits(question, length));
    *answer_length = entry->length;
    return entry->answer;
}

int st_journal_add(struct st_journal *journal, const void *question, size_t length,
                   const void *answer, size_t answer_length, struct st_error *error) {
    XXH128_hash_t key = XXH3_128bits(question, length);
    struct st_packed body = {0};
    st_pack_raw(&body, &key, sizeof key);
    st_pack_raw(&body, answer, answer_length);
    int result = append(journal, &body, error);
    st_packed_free(&body);
    return result;
}
