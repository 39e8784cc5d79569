#define _GNU_SOURCE
#include "cluster/shared_files.h"

#include "base/memory.h"
#include "cluster/crew_state.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <xxhash.h>

enum { SAMPLE = 4096, PART = 4 << 20 };
enum kind { MISSING, IS_FILE, IS_FOLDER };

/* All of a small file, and both ends of a larger one. */
struct traits {
    enum kind kind;
    uint64_t size, sample;
};

static struct traits look_at(const char *path) {
    struct stat status;
    char bytes[2 * SAMPLE] = {0};
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    struct traits traits = {MISSING, 0, 0};
    if (fd >= 0 && fstat(fd, &status) == 0) {
        traits.kind = S_ISDIR(status.st_mode) ? IS_FOLDER : IS_FILE;
        if (S_ISREG(status.st_mode)) {
            off_t last = status.st_size > SAMPLE ? status.st_size - SAMPLE : 0;
            ssize_t first = pread(fd, bytes, SAMPLE, 0),
                    end = pread(fd, bytes + SAMPLE, SAMPLE, last);
            traits.size = (uint64_t)status.st_size;
            traits.sample = first < 0 || end < 0 ? 0 : XXH3_64bits(bytes, sizeof bytes);
        }
    }
    if (fd >= 0)
        close(fd);
    return traits;
}

static bool is_same(struct traits one, struct traits other) {
    return one.kind == other.kind &&
           (one.kind == IS_FOLDER || (one.size == other.size && one.sample == other.sample));
}

void st_pack_file(struct st_packed *packed, const char *path) {
    struct traits traits = look_at(path);
    st_pack_text(packed, path);
    st_pack_number(packed, traits.kind);
    st_pack_number(packed, traits.size);
    st_pack_number(packed, traits.sample);
}

uint64_t st_file_sample(const char *path) {
    struct traits traits = look_at(path);
    return XXH3_64bits_withSeed(&traits.sample, sizeof traits.sample, traits.size);
}

static struct traits unpack_traits(struct st_unpacking *from) {
    struct traits traits;
    traits.kind = (enum kind)st_unpack_below(from, IS_FOLDER + 1);
    traits.size = st_unpack_number(from);
    traits.sample = st_unpack_number(from);
    return traits;
}

char *st_compare_file(struct st_unpacking *from, bool no_folder) {
    char *path = st_unpack_text(from), *why = NULL;
    struct traits wanted = unpack_traits(from), here = look_at(path ? path : "");
    const char *fault = no_folder && *path != '/' ? "does not have the folder of the job"
                        : here.kind == MISSING    ? "cannot read"
                        : !is_same(wanted, here)  ? "has another file as"
                                                  : NULL;
    int length = !fault ? asprintf(&why, "%s", "")
                 : no_folder && *path != '/'
                     ? asprintf(&why, "%s: start it in a folder that all machines share", fault)
                     : asprintf(&why,
                                "%s %s: it must be the same on all machines, for example on "
                                "a shared file system",
                                fault, path);
    if (length < 0)
        st_out_of_memory();
    free(path);
    return why;
}

/* ---- rank 0 ---- */

void st_send_part(struct st_crew *crew, int rank, struct st_unpacking *body) {
    char *path = st_unpack_text(body), *part = st_alloc(PART, 1);
    uint64_t offset = st_unpack_number(body);
    int fd = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    ssize_t got = fd >= 0 ? pread(fd, part, PART, (off_t)offset) : -1;
    struct st_packed message = st_crew_message(ST_MESSAGE_PART);
    st_pack_bytes(&message, part, got > 0 ? (size_t)got : 0);
    st_crew_send(crew, rank, &message);
    if (fd >= 0)
        close(fd);
    free(part);
    free(path);
}

/* ---- the others ---- */

/* The folder for what is sent to this machine. */
static char *cache_folder(const struct st_crew *crew) {
    const char *place = getenv("TMPDIR");
    char *folder = NULL;
    if (asprintf(&folder, "%s/seriatim-crew-%" PRIx64, place && *place ? place : "/tmp",
                 crew->job) < 0)
        st_out_of_memory();
    return folder;
}

static bool ask_for_part(struct st_crew *crew, const char *path, uint64_t offset, int fd,
                         size_t *got) {
    struct st_packed message = st_crew_message(ST_MESSAGE_WANT);
    unsigned idle = 0;
    st_pack_text(&message, path);
    st_pack_number(&message, offset);
    st_crew_send(crew, 0, &message);
    while (!crew->part && !crew->ended) {
        st_crew_pump(crew);
        if (!crew->part)
            st_crew_nap(&idle);
    }
    if (!crew->part)
        return false;
    const char *bytes = st_unpack_bytes(&crew->part->body, got);
    bool good = *got && pwrite(fd, bytes, *got, (off_t)offset) == (ssize_t)*got;
    st_letter_free(crew->part);
    crew->part = NULL;
    return good;
}

static bool fetch(struct st_crew *crew, const char *path, uint64_t size, int fd) {
    size_t got = 0;
    for (uint64_t offset = 0; offset < size; offset += got)
        if (!ask_for_part(crew, path, offset, fd, &got))
            return false;
    return true;
}

/* The first rank of the machine that locks the unfinished file fetches it; the others wait. */
static bool fetch_once(struct st_crew *crew, const char *path, struct traits traits,
                       const char *target) {
    char *unfinished = NULL;
    if (asprintf(&unfinished, "%s.part", target) < 0)
        st_out_of_memory();
    int fd = open(unfinished, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    unsigned idle = 0;
    while (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) < 0 && !crew->ended) {
        st_crew_pump(crew);
        st_crew_nap(&idle);
    }
    bool done = is_same(look_at(target), traits);
    if (!done && fd >= 0)
        done = fetch(crew, path, traits.size, fd) && rename(unfinished, target) == 0;
    if (fd >= 0)
        close(fd);
    free(unfinished);
    return done;
}

static char *fetched(struct st_crew *crew, const char *path, struct traits traits) {
    char *folder = cache_folder(crew), *target = NULL;
    uint64_t key = XXH3_64bits_withSeed(path, strlen(path), traits.sample);
    mkdir(folder, 0700);
    if (asprintf(&target, "%s/%016" PRIx64, folder, key) < 0)
        st_out_of_memory();
    free(folder);
    if (is_same(look_at(target), traits) || fetch_once(crew, path, traits, target))
        return target;
    free(target);
    return st_strdup(path);
}

char *st_unpack_file(struct st_crew *crew, struct st_unpacking *from, char **name) {
    char *path = st_unpack_text(from);
    struct traits traits = unpack_traits(from);
    if (!path)
        path = st_strdup("");
    char *place = crew->rank && traits.kind == IS_FILE && !is_same(look_at(path), traits)
                      ? fetched(crew, path, traits)
                      : st_strdup(path);
    if (name)
        *name = path;
    else
        free(path);
    return place;
}

static bool all_serve(const struct st_crew *crew, uint64_t phase) {
    for (int rank = 1; rank < crew->size; rank++)
        if (!crew->members[rank].lost && crew->members[rank].phase < phase)
            return false;
    return true;
}

static void share_from_here(struct st_crew *crew, const char *const *paths, size_t count,
                            uint64_t phase) {
    struct st_packed all = {0};
    unsigned idle = 0;
    for (size_t i = 0; i < count; i++)
        st_pack_file(&all, paths[i]);
    st_crew_end_phase(crew, phase, all.bytes, all.length);
    st_packed_free(&all);
    while (!all_serve(crew, phase + 1) && !crew->trouble)
        st_crew_hear_next(crew, &idle);
    st_crew_end_phase(crew, phase + 1, NULL, 0);
}

static void get_shared(struct st_crew *crew, size_t count, char **places, uint64_t phase) {
    struct st_serving serving = {.phase = phase};
    struct st_packed all = {0};
    st_crew_serve(crew, &serving, &all);
    struct st_unpacking from = st_unpack(all.bytes, all.length);
    for (size_t i = 0; i < count; i++)
        places[i] = st_unpack_file(crew, &from, NULL);
    st_packed_free(&all);
    serving.phase++;
    st_crew_serve(crew, &serving, NULL);
}

void st_share_files(struct st_crew *crew, const char *const *paths, size_t count, char **places) {
    uint64_t phase = st_crew_next_phase(crew);
    st_crew_next_phase(crew);
    if (crew->rank) {
        get_shared(crew, count, places, phase);
        return;
    }
    share_from_here(crew, paths, count, phase);
    for (size_t i = 0; i < count; i++)
        places[i] = st_strdup(paths[i]);
}

void st_remove_sent_files(struct st_crew *crew) {
    char *folder = cache_folder(crew);
    DIR *list = opendir(folder);
    struct dirent *entry;
    while (list && (entry = readdir(list)))
        unlinkat(dirfd(list), entry->d_name, 0);
    if (list)
        closedir(list);
    rmdir(folder);
    free(folder);
}
