#include "hunt/controlled/listening.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Has the process the socket with this inode open? */
static bool has_socket(pid_t process, uint64_t inode) {
    char folder[64], link[512], target[64], wanted[64];
    snprintf(folder, sizeof folder, "/proc/%ld/fd", (long)process);
    snprintf(wanted, sizeof wanted, "socket:[%" PRIu64 "]", inode);
    DIR *files = opendir(folder);
    bool found = false;
    struct dirent *entry;
    while (files && !found && (entry = readdir(files))) {
        snprintf(link, sizeof link, "%s/%s", folder, entry->d_name);
        ssize_t length = readlink(link, target, sizeof target - 1);
        if (length <= 0)
            continue;
        target[length] = '\0';
        found = strcmp(target, wanted) == 0;
    }
    if (files)
        closedir(files);
    return found;
}

/* Lines of /proc/net/tcp: "sl local remote st ... inode"; 0A is LISTEN. */
static bool tcp_inode(const char *line, uint64_t *inode) {
    unsigned state;
    return sscanf(line, " %*u: %*s %*s %x %*s %*s %*s %*u %*u %" SCNu64, &state, inode) == 2 &&
           state == 0x0a;
}

/* Lines of /proc/net/unix: "Num RefCount Protocol Flags Type St Inode Path". */
static bool unix_inode(const char *line, uint64_t *inode) {
    enum { ACCEPTS = 0x10000 };
    unsigned flags;
    return sscanf(line, "%*s %*s %*s %x %*s %*s %" SCNu64, &flags, inode) == 2 && flags & ACCEPTS;
}

static bool listens(pid_t process, const char *table,
                    bool (*inode_of)(const char *line, uint64_t *inode)) {
    char path[64], line[512];
    uint64_t inode;
    bool found = false;
    snprintf(path, sizeof path, "/proc/%ld/net/%s", (long)process, table);
    FILE *file = fopen(path, "re");
    while (file && !found && fgets(line, sizeof line, file))
        found = inode_of(line, &inode) && has_socket(process, inode);
    if (file)
        fclose(file);
    return found;
}

bool st_is_listening(pid_t process) {
    return listens(process, "tcp", tcp_inode) || listens(process, "tcp6", tcp_inode) ||
           listens(process, "unix", unix_inode);
}
