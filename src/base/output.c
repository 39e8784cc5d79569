#define _GNU_SOURCE /* fopencookie */
#include "base/output.h"

#include "base/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BUFFER_SIZE = 1 << 16 };

/* The temporary file that exists now, for signal handlers, which have no other way to find it. */
static const char *volatile unfinished;

void st_output_remove_unfinished(void) {
    const char *path = unfinished;
    if (path)
        unlink(path);
}

static ssize_t write_all(void *cookie, const char *bytes, size_t count) {
    struct st_output *output = cookie;
    for (size_t done = 0; done < count && !output->discarding && !output->failure;) {
        ssize_t written = write(output->fd, bytes + done, count - done);
        if (written >= 0)
            done += (size_t)written;
        else if (errno != EINTR)
            output->failure = errno;
    }
    /* Hides the error from stdio, which would lose its cause and keep the bytes for another try. */
    return (ssize_t)count;
}

static int fail(const struct st_output *output, struct st_error *error, const char *what,
                int cause) {
    return st_fail(error, output->name, ST_AT_FILE, 0, "cannot %s: %s", what, strerror(cause));
}

static int open_stream(struct st_output *output, struct st_error *error) {
    cookie_io_functions_t functions = {.write = write_all};
    output->file = fopencookie(output, "w", functions);
    if (!output->file || setvbuf(output->file, NULL, _IOFBF, BUFFER_SIZE) != 0)
        return fail(output, error, "write", errno);
    return 0;
}

/* The number in "/dev/stdout", "/dev/fd/3" and the like, which stand for open descriptors; -1 for
 * other paths. */
static int descriptor_of(const char *path) {
    static const char *const folders[] = {"/dev/fd/", "/proc/self/fd/"};
    if (strcmp(path, "/dev/stdout") == 0)
        return STDOUT_FILENO;
    if (strcmp(path, "/dev/stderr") == 0)
        return STDERR_FILENO;
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        size_t length = strlen(folders[i]);
        const char *digits = path + length;
        if (strncmp(path, folders[i], length) == 0 && *digits && strlen(digits) < 6 &&
            strspn(digits, "0123456789") == strlen(digits))
            return atoi(digits);
    }
    return -1;
}

static int open_descriptor(struct st_output *output, int fd, struct st_error *error) {
    output->fd = dup(fd);
    return output->fd < 0 ? fail(output, error, "write", errno) : open_stream(output, error);
}

static bool same_file(const struct stat *a, const struct stat *b) {
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/* The file that is read, when it is a regular one. */
static bool input_status(const char *input, struct stat *status) {
    int result = strcmp(input, "-") == 0 ? fstat(STDIN_FILENO, status) : stat(input, status);
    return result == 0 && S_ISREG(status->st_mode);
}

static int check_not_input(const struct st_output *output, const struct stat *status,
                           const char *const *inputs, struct st_error *error) {
    struct stat read_from;
    for (; inputs && *inputs; inputs++)
        if (input_status(*inputs, &read_from) && same_file(status, &read_from))
            return st_fail(error, output->name, ST_AT_FILE, 0,
                           "is the input itself; write to another file");
    return 0;
}

/* A new file beside the target, known to signal handlers from the moment it exists. */
static int create_temporary(struct st_output *output) {
    sigset_t all, before;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, &before);
    output->fd = mkstemp(output->temporary);
    int cause = errno;
    if (output->fd >= 0)
        unfinished = output->temporary;
    sigprocmask(SIG_SETMASK, &before, NULL);
    errno = cause;
    return output->fd;
}

static char *temporary_name(const char *target) {
    static const char pattern[] = ".seriatim-XXXXXX";
    const char *slash = strrchr(target, '/');
    size_t folder = slash ? (size_t)(slash - target) + 1 : 0;
    char *name = st_alloc(folder + sizeof pattern, 1);
    memcpy(name, target, folder);
    memcpy(name + folder, pattern, sizeof pattern);
    return name;
}

/* The access rights that open() would have given to a new file. */
static mode_t usual_mode(void) {
    mode_t mask = umask(0);
    umask(mask);
    return 0666 & ~mask;
}

static int open_beside(struct st_output *output, const char *path, const struct stat *old,
                       struct st_error *error) {
    if (old && access(path, W_OK) != 0)
        return fail(output, error, "write", errno);
    output->target = old ? realpath(path, NULL) : st_strdup(path);
    if (!output->target)
        return fail(output, error, "write", errno);
    output->temporary = temporary_name(output->target);
    if (create_temporary(output) < 0)
        return fail(output, error, "create", errno);
    if (fchmod(output->fd, old ? old->st_mode & 07777 : usual_mode()) != 0)
        return fail(output, error, "create", errno);
    return open_stream(output, error);
}

static int open_device(struct st_output *output, const char *path, struct st_error *error) {
    output->fd = open(path, O_WRONLY | O_CLOEXEC);
    return output->fd < 0 ? fail(output, error, "write", errno) : open_stream(output, error);
}

static int open_path(struct st_output *output, const char *path, const char *const *inputs,
                     struct st_error *error) {
    struct stat status, standard;
    int fd = descriptor_of(path);
    bool exists = fd >= 0 ? fstat(fd, &status) == 0 : stat(path, &status) == 0;
    if (exists && check_not_input(output, &status, inputs, error) < 0)
        return -1;
    if (fd >= 0)
        return open_descriptor(output, fd, error);
    if (!exists && errno != ENOENT)
        return fail(output, error, "write", errno);
    if (exists && S_ISDIR(status.st_mode))
        return fail(output, error, "write", EISDIR);
    if (!exists || S_ISREG(status.st_mode)) {
        if (exists && fstat(STDOUT_FILENO, &standard) == 0 && same_file(&status, &standard))
            return open_descriptor(output, STDOUT_FILENO, error);
        return open_beside(output, path, exists ? &status : NULL, error);
    }
    return open_device(output, path, error);
}

int st_output_open(struct st_output *output, const char *path, const char *const *inputs,
                   struct st_error *error) {
    if (!path || strcmp(path, "-") == 0)
        path = "/dev/stdout";
    bool standard = strcmp(path, "/dev/stdout") == 0;
    *output = (struct st_output){.name = standard ? "standard output" : path, .fd = -1};
    int result = open_path(output, path, inputs, error);
    if (result < 0)
        st_output_abandon(output);
    return result;
}

bool st_output_is_terminal(const struct st_output *output) {
    return isatty(output->fd);
}

int st_output_check(const struct st_output *output, struct st_error *error) {
    return output->failure ? fail(output, error, "write", output->failure) : 0;
}

static void close_all(struct st_output *output) {
    if (output->file)
        fclose(output->file);
    output->file = NULL;
    if (output->fd >= 0 && close(output->fd) != 0 && errno != EINTR && !output->failure)
        output->failure = errno;
    output->fd = -1;
}

static void forget_names(struct st_output *output) {
    unfinished = NULL;
    free(output->target);
    free(output->temporary);
    output->target = output->temporary = NULL;
}

int st_output_finish(struct st_output *output, struct st_error *error) {
    close_all(output);
    if (!output->failure && output->temporary && rename(output->temporary, output->target) != 0)
        output->failure = errno;
    int result = st_output_check(output, error);
    if (result < 0)
        st_output_abandon(output);
    forget_names(output);
    return result;
}

void st_output_abandon(struct st_output *output) {
    output->discarding = true;
    close_all(output);
    if (output->temporary)
        st_output_remove_unfinished();
    forget_names(output);
}

/* ---- text in memory ---- */

FILE *st_text_buffer_open(struct st_text_buffer *buffer) {
    buffer->file = open_memstream(&buffer->text, &buffer->size);
    if (!buffer->file)
        st_out_of_memory();
    return buffer->file;
}

char *st_text_buffer_close(struct st_text_buffer *buffer) {
    if (fclose(buffer->file) != 0)
        st_out_of_memory();
    return buffer->text;
}
