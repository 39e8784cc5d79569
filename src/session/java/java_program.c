#define _GNU_SOURCE /* asprintf */
#include "session/java/java_program.h"

#include "base/memory.h"
#include "base/output.h"
#include "session/runtime_files.h"

#include <fcntl.h>
#include <gelf.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The build knows it where it builds the agent. */
#ifndef SERIATIM_JAVA_NEWEST
#define SERIATIM_JAVA_NEWEST 20
#endif

const char *const st_java_blocks[] = {"all", "nonleaf", "outermost", NULL};
const char *const st_java_arrays[] = {"fine", "coarse", "off", NULL};

static const char options_variable[] = "SERIATIM_JAVA", tool_options[] = "JAVA_TOOL_OPTIONS";

bool st_is_java(const char *command) {
    const char *slash = strrchr(command, '/');
    return strcmp(slash ? slash + 1 : command, "java") == 0;
}

/* ---- which file it is ---- */

static bool is_program(const char *path) {
    return access(path, X_OK) == 0;
}

/* The file behind a command; NULL: there is none. Release with free(). */
static char *find_program(const char *command) {
    const char *rest = getenv("PATH");
    if (strchr(command, '/') || !rest)
        return is_program(command) ? realpath(command, NULL) : NULL;
    while (*rest) {
        size_t length = strcspn(rest, ":");
        char path[PATH_MAX];
        int size = snprintf(path, sizeof path, "%.*s/%s", (int)length, rest, command);
        if (size < (int)sizeof path && is_program(path))
            return realpath(path, NULL);
        rest += length + (rest[length] == ':');
    }
    return NULL;
}

static bool is_script(const char *command) {
    char start[2] = "", *path = find_program(command);
    int fd = path ? open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) : -1;
    bool result = fd >= 0 && read(fd, start, 2) == 2 && start[0] == '#' && start[1] == '!';
    if (fd >= 0)
        close(fd);
    free(path);
    return result;
}

/* `sh -c COMMAND`: whoever it starts may be java. */
static bool is_shell(const char *const *words) {
    const char *slash = strrchr(words[0], '/');
    return strcmp(slash ? slash + 1 : words[0], "sh") == 0 && words[1] &&
           strcmp(words[1], "-c") == 0;
}

/* The heap that was made when it was compiled is a section of its own. */
static bool has_image_heap(Elf *elf) {
    size_t names;
    Elf_Scn *section = NULL;
    if (!elf || elf_kind(elf) != ELF_K_ELF || elf_getshdrstrndx(elf, &names) < 0)
        return false;
    while ((section = elf_nextscn(elf, section))) {
        GElf_Shdr header;
        const char *name =
            gelf_getshdr(section, &header) ? elf_strptr(elf, names, header.sh_name) : NULL;
        if (name && strcmp(name, ".svm_heap") == 0)
            return true;
    }
    return false;
}

bool st_is_native_image(const char *program) {
    char *path = find_program(program);
    int fd = path ? open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) : -1;
    elf_version(EV_CURRENT);
    Elf *elf = fd >= 0 ? elf_begin(fd, ELF_C_READ, NULL) : NULL;
    bool result = has_image_heap(elf);
    elf_end(elf);
    if (fd >= 0)
        close(fd);
    free(path);
    return result;
}

/* ---- which Java it is ---- */

/* JAVA_VERSION="17.0.15"; before Java 9 it was "1.8.0_392". */
static unsigned version_in(const char *path) {
    static const char key[] = "JAVA_VERSION=\"";
    char line[256];
    unsigned major = 0, minor = 0;
    FILE *file = fopen(path, "re");
    while (file && !major && fgets(line, sizeof line, file))
        if (strncmp(line, key, strlen(key)) == 0 &&
            sscanf(line + strlen(key), "%u.%u", &major, &minor) < 1)
            major = 0;
    if (file)
        fclose(file);
    return major == 1 ? minor : major;
}

/* A file in the folder of the JDK says so: bin/java, or jre/bin/java in old ones. */
unsigned st_java_version(const char *command) {
    char *program = find_program(command);
    unsigned version = 0;
    for (int i = 0; program && !version && i < 3; i++) {
        char path[PATH_MAX + 16], *slash = strrchr(program, '/');
        if (!slash)
            break;
        *slash = '\0';
        snprintf(path, sizeof path, "%s/release", program);
        version = version_in(path);
    }
    free(program);
    return version;
}

char *st_java_agent(const char *runtime_folder) {
    char *path;
    if (asprintf(&path, "%s/" ST_JAVA_AGENT, runtime_folder) < 0)
        return NULL;
    if (access(path, R_OK) == 0)
        return path;
    free(path);
    return NULL;
}

/* ---- the environment ---- */

static void put_list(FILE *file, const char *key, const struct st_texts *texts) {
    for (size_t i = 0; i < texts->count; i++)
        fprintf(file, "%s%s%s", i ? "," : key, i ? "" : "=", texts->items[i]);
    if (texts->count)
        fputc(';', file);
}

bool st_java_options_given(const struct st_java_options *options) {
    return options->include.count || options->exclude.count || options->jdk.count ||
           options->blocks || options->arrays;
}

static void set_options(const struct st_java_options *options) {
    struct st_text_buffer buffer;
    FILE *file = st_text_buffer_open(&buffer);
    put_list(file, "include", &options->include);
    put_list(file, "exclude", &options->exclude);
    put_list(file, "jdk", &options->jdk);
    fprintf(file, "blocks=%s;arrays=%s", st_java_blocks[options->blocks],
            st_java_arrays[options->arrays]);
    char *text = st_text_buffer_close(&buffer);
    setenv(options_variable, text, 1);
    free(text);
}

/* The JVM would warn that it shares fewer classes with others, since the agent brings some along.
 * And it would never compile methods that get larger than 8,000 bytes by what the agent adds to
 * them. */
#define JVM_OPTIONS 2
static const char *const jvm_options[JVM_OPTIONS] = {"-XX:-PrintWarnings",
                                                     "-XX:-DontCompileHugeMethods"};

/* The JVM takes words in quotes, without a way to have such a quote in them. */
static void set_tool_options(const char *agent) {
    const char *before = getenv(tool_options);
    const char *quote = strpbrk(agent, " \t\n") ? "\"" : "";
    char *text;
    if (asprintf(&text, "%s-javaagent:%s%s %s %s%s%s", quote, agent, quote, jvm_options[0],
                 jvm_options[1], before && *before ? " " : "", before ? before : "") < 0)
        return;
    setenv(tool_options, text, 1);
    free(text);
}

/* ---- preparing ---- */

static const char **with_agent(const char *const *words, const char *agent) {
    size_t count = 0;
    while (words[count])
        count++;
    size_t added = 1 + JVM_OPTIONS;
    size_t size = (count + added + 1) * sizeof *words,
           length = strlen("-javaagent:") + strlen(agent) + 1;
    char *memory = st_alloc(size + length, 1); /* the words, and behind them the one that is new */
    const char **changed = (const char **)(void *)memory;
    snprintf(memory + size, length, "-javaagent:%s", agent);
    changed[0] = words[0];
    changed[1] = memory + size;
    memcpy(changed + 2, jvm_options, sizeof jvm_options);
    for (size_t i = 1; i < count; i++)
        changed[i + added] = words[i];
    return changed;
}

/* An option by which the JVM writes an archive of classes, which have to be as they are. */
static const char *find_archiving(const char *const *words) {
    for (size_t i = 1; words[i] && words[i][0] == '-'; i++)
        if (strcmp(words[i], "-Xshare:dump") == 0 ||
            strncmp(words[i], "-XX:ArchiveClassesAtExit", 24) == 0)
            return words[i];
    return NULL;
}

static int check_java(const char *command, const char *const *words, struct st_error *error) {
    char *program = find_program(words[0]), quoted[160];
    bool found = program != NULL;
    free(program);
    if (!found)
        return st_fail(error, words[0], ST_AT_FILE, 0,
                       "cannot run: there is no such program; install a JDK or JRE (Debian: "
                       "default-jdk-headless)");
    unsigned version = st_java_version(words[0]);
    if (version && version < ST_JAVA_OLDEST)
        return st_fail(
            error, words[0], ST_AT_FILE, 0,
            "this is Java %u, and programs can be watched from Java %u on: run it with a "
            "newer one",
            version, ST_JAVA_OLDEST);
    if (version > SERIATIM_JAVA_NEWEST)
        return st_fail(
            error, words[0], ST_AT_FILE, 0,
            "this is Java %u, and the agent was built with an ASM that reads classes up to "
            "Java %u: run it with an older one, or build seriatim with a newer ASM",
            version, SERIATIM_JAVA_NEWEST);
    const char *archiving = find_archiving(words);
    if (archiving)
        return st_fail(
            error, command, ST_AT_FILE, 0,
            "option %s of java writes an archive of classes, in which watched ones cannot "
            "be: leave it out",
            st_quote(quoted, sizeof quoted, archiving, strlen(archiving)));
    return 0;
}

static int fail_without_agent(const char *command, const char *folder, struct st_error *error) {
    char quoted[160];
    return st_fail(error, command, ST_AT_FILE, 0,
                   "Java programs cannot be watched: " ST_JAVA_AGENT
                   " is not in %s; install a JDK and ASM (Debian: default-jdk-headless "
                   "libasm-java), and build seriatim again",
                   st_quote(quoted, sizeof quoted, folder, strlen(folder)));
}

int st_java_prepare(const struct st_java_options *options, const char *command,
                    const char *const *words, const char ***changed, struct st_error *error) {
    bool java = st_is_java(words[0]);
    bool given = options ? st_java_options_given(options) : getenv(options_variable) != NULL;
    *changed = NULL;
    if (java && check_java(command, words, error) < 0)
        return -1;
    if (!java && !given && !is_script(words[0]) && !is_shell(words))
        return 0;
    char *folder = st_runtime_folder(command, error);
    if (!folder)
        return -1;
    char *agent = st_java_agent(folder);
    int result = agent || (!java && !given) ? 0 : fail_without_agent(command, folder, error);
    if (agent) {
        if (options)
            set_options(options);
        if (java)
            *changed = with_agent(words, agent);
        else
            set_tool_options(agent);
    }
    free(agent);
    free(folder);
    return result;
}
