/* Java programs: starting the agent in them.
 *
 * The agent is a jar in the folder of the runtime library. A command that is java itself gets it as
 * an argument. Where a script or `sh -c` starts java, the JVM learns of it from JAVA_TOOL_OPTIONS,
 * and says so on standard error: "Picked up JAVA_TOOL_OPTIONS". What is to be watched is in
 * SERIATIM_JAVA (docs/java-stream.md). */
#ifndef SERIATIM_SESSION_JAVA_JAVA_PROGRAM_H
#define SERIATIM_SESSION_JAVA_JAVA_PROGRAM_H

#include "base/error.h"
#include "base/options.h"

#include <stdbool.h>

#define ST_JAVA_AGENT "seriatim-java.jar"
#define ST_JAVA_ANNOTATIONS "seriatim-annotations.jar"
enum { ST_JAVA_OLDEST = 11 };

struct st_java_options {
    struct st_texts include, exclude, jdk;
    unsigned blocks, arrays; /* indices of the words below */
};
extern const char *const st_java_blocks[], *const st_java_arrays[];

/* Why nothing of a Java program was seen, and what to do. */
#define ST_JAVA_UNWATCHED                                                                          \
    "name some with --include 'com.acme.*' (classes of the JDK, build tools and test frameworks "  \
    "are left out unless they are named)"

/* Is any of them not what it is if nobody says anything? */
bool st_java_options_given(const struct st_java_options *options);

/* Is the command java itself? */
bool st_is_java(const char *command);

/* Is the program, which is found through PATH, a native image: compiled ahead, without a JVM? */
bool st_is_native_image(const char *program);

/* The path of the agent in the folder of the runtime library; NULL: it was not built. Release with
 * free(). */
char *st_java_agent(const char *runtime_folder);

/* The version of the Java that the command stands for, 17; 0 when that is not known. */
unsigned st_java_version(const char *command);

/* Sets the environment for a program that is about to be started, and its words: those given, or in
 * *changed with the agent among them, to be released with free(). -1 with an error if it is a Java
 * program that cannot be watched. `command` is for the error. `options` may be NULL: those that are
 * in the environment. */
int st_java_prepare(const struct st_java_options *options, const char *command,
                    const char *const *words, const char ***changed, struct st_error *error);

#endif
