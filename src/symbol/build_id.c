#define _GNU_SOURCE
#include "symbol/build_id.h"

#include <elfutils/libdwelf.h>
#include <fcntl.h>
#include <inttypes.h>
#include <libelf.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

static bool from_note(int fd, char id[ST_BUILD_ID_SIZE]) {
    enum { LONGEST = (ST_BUILD_ID_SIZE - 1) / 2 };
    elf_version(EV_CURRENT);
    Elf *elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
    const void *bytes = NULL;
    ssize_t size = elf ? dwelf_elf_gnu_build_id(elf, &bytes) : 0;
    for (ssize_t i = 0; i < size && i < LONGEST; i++)
        snprintf(id + 2 * i, 3, "%02x", ((const unsigned char *)bytes)[i]);
    elf_end(elf);
    return size > 0;
}

static bool from_content(int fd, char id[ST_BUILD_ID_SIZE]) {
    struct stat status;
    if (fstat(fd, &status) < 0 || status.st_size <= 0)
        return false;
    void *bytes = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (bytes == MAP_FAILED)
        return false;
    snprintf(id, ST_BUILD_ID_SIZE, "xxh64:%016" PRIx64,
             (uint64_t)XXH64(bytes, (size_t)status.st_size, 0));
    munmap(bytes, (size_t)status.st_size);
    return true;
}

bool st_build_id(const char *path, char id[ST_BUILD_ID_SIZE]) {
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    bool found = from_note(fd, id) || from_content(fd, id);
    close(fd);
    return found;
}
