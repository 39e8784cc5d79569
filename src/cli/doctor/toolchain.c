#include "cli/doctor/checkup.h"

#include "base/error.h"
#include "cli/compiler/subprocess.h"
#include "cli/compiler/compiler.h"
#include "session/java/java_program.h"
#include "session/runtime_files.h"
#include "cli/doctor/scratch.h"
#include "symbol/symbol.h"

#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BUILD_SECONDS = 120, RUN_SECONDS = 20, OUTPUT = 4096 };

/* Two threads count under a lock. The program prints how far they came, whether it really uses our
 * library, where it was loaded, and where one of its functions is. */
#define PROGRAM(lock)                                                                              \
    "#ifndef _GNU_SOURCE\n"                                                                        \
    "#define _GNU_SOURCE\n"                                                                        \
    "#endif\n"                                                                                     \
    "#include <link.h>\n"                                                                          \
    "#include <pthread.h>\n"                                                                       \
    "#include <stdio.h>\n"                                                                         \
    "#include <string.h>\n" lock "static int count;\n"                                             \
    "static void *work(void *unused) {\n"                                                          \
    "    for (int i = 0; i < 1000; i++) {\n"                                                       \
    "        acquire();\n"                                                                         \
    "        count++;\n"                                                                           \
    "        release();\n"                                                                         \
    "    }\n"                                                                                      \
    "    return unused;\n"                                                                         \
    "}\n"                                                                                          \
    "static int take_bias(struct dl_phdr_info *info, size_t size, void *bias) {\n"                 \
    "    (void)size;\n"                                                                            \
    "    *(unsigned long *)bias = info->dlpi_addr;\n"                                              \
    "    return 1;\n"                                                                              \
    "}\n"                                                                                          \
    "int main(void) {\n"                                                                           \
    "    pthread_t one, two;\n"                                                                    \
    "    char line[4096];\n"                                                                       \
    "    int ours = 0;\n"                                                                          \
    "    unsigned long bias = 0;\n"                                                                \
    "    pthread_create(&one, 0, work, 0);\n"                                                      \
    "    pthread_create(&two, 0, work, 0);\n"                                                      \
    "    pthread_join(one, 0);\n"                                                                  \
    "    pthread_join(two, 0);\n"                                                                  \
    "    FILE *maps = fopen(\"/proc/self/maps\", \"r\");\n"                                        \
    "    while (maps && fgets(line, sizeof line, maps))\n"                                         \
    "        ours |= strstr(line, \"" ST_RUNTIME_LIBRARY "\") != 0;\n"                             \
    "    dl_iterate_phdr(take_bias, &bias);\n"                                                     \
    "    printf(\"%d %d %lx %lx\\n\", count, ours, bias, (unsigned long)work);\n"                  \
    "    return 0;\n"                                                                              \
    "}\n"

/* What it prints. */
struct program_output {
    int count, ours;
    unsigned long bias, function;
};

static const char c_program[] =
    PROGRAM("static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;\n"
            "static void acquire(void) { pthread_mutex_lock(&lock); }\n"
            "static void release(void) { pthread_mutex_unlock(&lock); }\n");
static const char cxx_program[] = PROGRAM("#include <mutex>\n"
                                          "static std::mutex lock;\n"
                                          "static void acquire() { lock.lock(); }\n"
                                          "static void release() { lock.unlock(); }\n");

/* A compiler that may be installed. */
struct candidate {
    const char *name;    /* its own, or that of the variable by which the user has chosen it */
    const char *package; /* Debian's; NULL if the user has chosen it */
    const char *known;   /* the version with which the tests run */
    const struct language *language;
    enum scratch_file source;
};

static const struct candidate candidates[] = {
    {"gcc", "gcc", "12", &language_c, SCRATCH_C},
    {"g++", "g++", "12", &language_cxx, SCRATCH_CXX},
    {"clang", "clang", "14", &language_c, SCRATCH_C},
    {"clang++", "clang", "14", &language_cxx, SCRATCH_CXX},
    {"SERIATIM_CC", NULL, NULL, &language_c, SCRATCH_C},
    {"SERIATIM_CXX", NULL, NULL, &language_cxx, SCRATCH_CXX},
};
enum { CANDIDATE_COUNT = sizeof candidates / sizeof *candidates };

/* A fault of a candidate is a problem if the user has chosen it; otherwise it is a note, unless it
 * turns out that no other compiler works. */
static enum checkup_state failure_of(const struct candidate *candidate) {
    return candidate->package ? CHECKUP_NOTE : CHECKUP_PROBLEM;
}

static bool is_known(const char *version, const char *known) {
    size_t length = strlen(known);
    return strncmp(version, known, length) == 0 && (version[length] == '.' || !version[length]);
}

static void describe_version(struct checkup_item *item, const struct candidate *candidate,
                             const char *const *words) {
    char version[32];
    compiler_version(words, version, sizeof version);
    const char *shown = *version ? version : "unknown version";
    if (!candidate->known)
        checkup_detail(item, "%s, %s", words[0], shown);
    else if (is_known(version, candidate->known))
        checkup_detail(item, "%s, known to work", shown);
    else
        checkup_detail(item, "%s, not tested (version %s is)", shown, candidate->known);
}

/* Is the compiler installed? */
static bool examine_compiler(struct checkup *checkup, const struct candidate *candidate) {
    const char *name[] = {candidate->name, NULL};
    struct compiler chosen = {.words = name};
    struct st_error error;
    int result;
    if (candidate->package)
        result = compiler_identify(name, candidate->language, &chosen.kind, &error);
    else
        result = compiler_open(&chosen, candidate->language, &error);
    struct checkup_item *item =
        checkup_add(checkup, result < 0 ? failure_of(candidate) : CHECKUP_OK, candidate->name);
    if (result == 0)
        describe_version(item, candidate, chosen.words);
    else if (candidate->package) {
        checkup_detail(item, "not found");
        checkup_advise(item, "to build with it: apt-get install %s", candidate->package);
    } else {
        checkup_detail(item, "%s", error.cause);
    }
    if (!candidate->package)
        compiler_close(&chosen);
    return result == 0;
}

static bool examine_runtime(struct checkup *checkup) {
    struct st_error error;
    char *place = st_runtime_folder(NULL, &error);
    struct checkup_item *item =
        checkup_add(checkup, place ? CHECKUP_OK : CHECKUP_PROBLEM, "runtime library");
    checkup_detail(item, "%s%s", place ? place : error.cause, place ? "/" ST_RUNTIME_LIBRARY : "");
    free(place);
    return place != NULL;
}

/* It is optional, so nothing is wrong without it. */
static void examine_archive(struct checkup *checkup) {
    struct st_error error;
    char *place = st_runtime_folder(NULL, &error);
    if (!place)
        return;
    bool there = st_runtime_has_archive(place);
    struct checkup_item *item =
        checkup_add(checkup, there ? CHECKUP_OK : CHECKUP_NOTE, "static runtime");
    checkup_detail(item, there ? "%s/" ST_RUNTIME_ARCHIVE : "not in %s", place);
    if (!there)
        checkup_advise(item, "for -static-libtsan, build or install seriatim again");
    free(place);
}

/* The agent for Java programs is optional, too. */
static void examine_agent(struct checkup *checkup) {
    struct st_error error;
    char *place = st_runtime_folder(NULL, &error);
    if (!place)
        return;
    char *agent = st_java_agent(place);
    struct checkup_item *item =
        checkup_add(checkup, agent ? CHECKUP_OK : CHECKUP_NOTE, "agent for Java");
    checkup_detail(item, agent ? "%s/" ST_JAVA_AGENT : "not in %s", place);
    if (!agent)
        checkup_advise(item, "to watch Java programs: apt-get install default-jdk-headless "
                             "libasm-java, and build seriatim again");
    free(agent);
    free(place);
}

static void examine_java(struct checkup *checkup) {
    unsigned version = st_java_version("java");
    bool good = version >= ST_JAVA_OLDEST;
    struct checkup_item *item = checkup_add(checkup, good ? CHECKUP_OK : CHECKUP_NOTE, "java");
    if (version)
        checkup_detail(item, "version %u", version);
    else
        checkup_detail(item, "not found");
    if (!good)
        checkup_advise(item, "to watch Java programs: apt-get install default-jdk-headless");
}

/* The first line that a failed command printed, or how it ended. */
static void describe_failure(struct checkup_item *item, const struct candidate *candidate,
                             const char *what, int status, char *output) {
    output[strcspn(output, "\n")] = '\0';
    if (status == CHILD_TIMED_OUT)
        checkup_detail(item, "%s: takes too long", what);
    else if (status >= CHILD_SIGNALLED)
        checkup_detail(item, "%s: ended by signal %d", what, status - CHILD_SIGNALLED);
    else
        checkup_detail(item, "%s: %s", what, *output ? output : "does not work");
    if (candidate->package)
        checkup_advise(item, "to see more: %s=%s seriatim %s FILE", candidate->language->variable,
                       candidate->name, candidate->language->command);
    else
        checkup_advise(item, "to see more: seriatim %s FILE", candidate->language->command);
}

static int build(const struct candidate *candidate, char output[OUTPUT]) {
    char self[PATH_MAX], setting[64];
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    self[length > 0 ? length : 0] = '\0';
    const char *words[] = {
        self, candidate->language->command,  "-O1",      scratch_path(candidate->source),
        "-o", scratch_path(SCRATCH_PROGRAM), "-pthread", NULL};
    snprintf(setting, sizeof setting, "%s=%s", candidate->language->variable, candidate->name);
    const char *settings[] = {candidate->package ? setting : NULL, NULL};
    char **environment = child_environment(settings);
    int status = child_run(words, environment, BUILD_SECONDS, output, OUTPUT);
    free(environment);
    return status;
}

/* Can a program be built and run? */
static bool examine_program(struct checkup *checkup, const struct candidate *candidate,
                            struct program_output *printed) {
    char name[64], output[OUTPUT];
    snprintf(name, sizeof name, "program by %s", candidate->name);
    struct checkup_item *item = checkup_add(checkup, failure_of(candidate), name);
    int status = build(candidate, output);
    if (status != 0) {
        describe_failure(item, candidate, "a small program cannot be built", status, output);
        return false;
    }
    const char *words[] = {scratch_path(SCRATCH_PROGRAM), NULL};
    status = child_run(words, NULL, RUN_SECONDS, output, sizeof output);
    int read = sscanf(output, "%d %d %lx %lx", &printed->count, &printed->ours, &printed->bias,
                      &printed->function);
    if (status != 0 || read != 4 || printed->count != 2000 || !printed->ours) {
        describe_failure(item, candidate, "a small program was built, but does not run", status,
                         output);
        return false;
    }
    item->state = CHECKUP_OK;
    checkup_detail(item, "two threads: compiled, linked and run");
    return true;
}

/* Can we read the names and lines that the compiler has written? */
static void examine_names(struct checkup *checkup, const struct candidate *candidate,
                          const struct program_output *printed) {
    char name[64];
    snprintf(name, sizeof name, "names by %s", candidate->name);
    struct checkup_item *item = checkup_add(checkup, CHECKUP_OK, name);
    struct st_modules *modules = st_modules_new(NULL);
    const struct st_module module = {.path = scratch_path(SCRATCH_PROGRAM),
                                     .start = printed->bias,
                                     .end = UINT64_MAX,
                                     .bias = printed->bias};
    st_modules_add(modules, &module);
    const struct st_function *function = st_function(modules, printed->function + 1);
    if (strcmp(function->name, "work") == 0 && function->file && function->line) {
        checkup_detail(item, "functions and lines are found");
    } else {
        const char *trouble = st_module_trouble(modules, printed->function);
        item->state = failure_of(candidate);
        checkup_detail(item, "the program %s", trouble ? trouble : "has no line numbers");
        checkup_advise(item, "reports will lack names and lines");
    }
    st_modules_free(modules);
}

static void add_builder(struct checkup *checkup, const char *name) {
    size_t used = strlen(checkup->builders);
    snprintf(checkup->builders + used, sizeof checkup->builders - used, "%s%s", used ? ", " : "",
             name);
}

static void examine_programs(struct checkup *checkup, const bool present[CANDIDATE_COUNT]) {
    struct st_error error;
    if (scratch_make(&error) < 0 || scratch_write(SCRATCH_C, c_program, &error) < 0 ||
        scratch_write(SCRATCH_CXX, cxx_program, &error) < 0) {
        struct checkup_item *item = checkup_add(checkup, CHECKUP_PROBLEM, "programs");
        checkup_detail(item, "%s: %s", error.file, error.cause);
        checkup_advise(item, "set TMPDIR to a folder that is writable");
    } else {
        for (size_t i = 0; i < CANDIDATE_COUNT; i++) {
            struct program_output printed;
            if (present[i] && examine_program(checkup, &candidates[i], &printed)) {
                add_builder(checkup, candidates[i].name);
                examine_names(checkup, &candidates[i], &printed);
            }
        }
    }
    scratch_remove();
}

void checkup_toolchain(struct checkup *checkup) {
    bool present[CANDIDATE_COUNT] = {false};
    for (size_t i = 0; i < CANDIDATE_COUNT; i++) {
        const char *chosen = getenv(candidates[i].name);
        if (candidates[i].package || (chosen && *chosen))
            present[i] = examine_compiler(checkup, &candidates[i]);
    }
    if (examine_runtime(checkup))
        examine_programs(checkup, present);
    /* One working compiler is enough. */
    for (size_t i = 0; i < checkup->count && !checkup->builders[0]; i++)
        if (checkup->items[i].state == CHECKUP_NOTE)
            checkup->items[i].state = CHECKUP_PROBLEM;
    examine_archive(checkup);
    examine_agent(checkup);
    examine_java(checkup);
}
