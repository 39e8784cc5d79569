# The agent for Java programs: runtime/seriatim-java.jar. It is built where a JDK from 11 on and ASM are
# there (Debian: default-jdk-headless libasm-java); without them the rest of seriatim is as it is, and
# `seriatim doctor` says what is missing.
option(SERIATIM_JAVA "Build the agent for Java programs, where a JDK and ASM are there" ON)
if(NOT SERIATIM_JAVA OR NOT TARGET seriatim_rt OR
   NOT EXISTS ${CMAKE_SOURCE_DIR}/src/java/seriatim/agent/Premain.java)
  return()
endif()
find_package(Java 11 QUIET COMPONENTS Development)
find_path(JAVA_ASM asm-commons.jar PATHS /usr/share/java NO_DEFAULT_PATH)
if(NOT Java_FOUND OR NOT JAVA_ASM)
  message(STATUS "Without a JDK from 11 on and ASM there is no agent for Java programs "
                 "(Debian: default-jdk-headless libasm-java)")
  return()
endif()
# FindJNI asks for AWT, which a headless JDK does not have.
get_filename_component(JAVAC_FILE ${Java_JAVAC_EXECUTABLE} REALPATH)
get_filename_component(JAVA_BIN ${JAVAC_FILE} DIRECTORY)
find_path(JNI_HEADERS jni.h PATHS ${JAVA_BIN}/../include NO_DEFAULT_PATH)
if(NOT JNI_HEADERS)
  message(STATUS "The JDK has no jni.h, so there is no agent for Java programs")
  return()
endif()

# The newest Java whose classes this ASM can read: the largest of V1_8, V9, V10, ...
execute_process(COMMAND ${JAVA_BIN}/javap -cp ${JAVA_ASM}/asm.jar -constants org.objectweb.asm.Opcodes
                OUTPUT_VARIABLE JAVA_OPCODES ERROR_QUIET)
string(REGEX MATCHALL " V[0-9]+ =" JAVA_VERSIONS "${JAVA_OPCODES}")
set(JAVA_NEWEST 11)
foreach(version ${JAVA_VERSIONS})
  string(REGEX REPLACE "[^0-9]" "" version "${version}")
  if(version GREATER JAVA_NEWEST)
    set(JAVA_NEWEST ${version})
  endif()
endforeach()
set_source_files_properties(src/session/java/java_program.c PROPERTIES
                            COMPILE_DEFINITIONS SERIATIM_JAVA_NEWEST=${JAVA_NEWEST})

# Where things are in the stream's memory and in the control area, as Java classes.
set(JAVA_MADE ${CMAKE_BINARY_DIR}/java/made)
file(MAKE_DIRECTORY ${JAVA_MADE}/seriatim/run ${JAVA_MADE}/seriatim/control)
add_executable(java_layout src/java/layout.c)
add_executable(java_control_layout src/java/control_layout.c)
foreach(program java_layout java_control_layout)
  target_include_directories(${program} PRIVATE src)
  set_target_properties(${program} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/java)
endforeach()
set(JAVA_LAYOUTS ${JAVA_MADE}/seriatim/run/StreamLayout.java
                 ${JAVA_MADE}/seriatim/control/ControlLayout.java)
add_custom_command(OUTPUT ${JAVA_LAYOUTS}
                   COMMAND java_layout > ${JAVA_MADE}/seriatim/run/StreamLayout.java
                   COMMAND java_control_layout > ${JAVA_MADE}/seriatim/control/ControlLayout.java
                   DEPENDS java_layout java_control_layout VERBATIM)

file(GLOB_RECURSE JAVA_SOURCES CONFIGURE_DEPENDS src/java/seriatim/*.java
     src/java/annotations/*.java src/java/build/*.java src/java/vm/*.java)
set(JAVA_JARS ${RUNTIME_DIR}/seriatim-java.jar ${RUNTIME_DIR}/seriatim-annotations.jar)
add_custom_command(
  OUTPUT ${JAVA_JARS}
  COMMAND sh ${CMAKE_SOURCE_DIR}/cmake/java-agent ${CMAKE_SOURCE_DIR}/src/java ${JAVA_MADE}
          ${JAVA_ASM} ${RUNTIME_DIR} ${Java_JAVAC_EXECUTABLE} ${Java_JAR_EXECUTABLE}
  DEPENDS ${JAVA_SOURCES} ${JAVA_LAYOUTS} cmake/java-agent
  COMMENT "Building the agent for Java programs"
  VERBATIM)
add_custom_target(seriatim_java_jars ALL DEPENDS ${JAVA_JARS})
add_dependencies(seriatim_java_jars seriatim_rt) # which makes the folder

# The extension for JUnit 5, where that is there (Debian: junit5).
find_path(JAVA_JUNIT NAMES junit-platform-launcher.jar PATHS /usr/share/java NO_DEFAULT_PATH)
if(JAVA_JUNIT AND EXISTS ${JAVA_JUNIT}/junit-jupiter-api.jar)
  file(GLOB_RECURSE JUNIT_SOURCES CONFIGURE_DEPENDS src/java/junit/*.java)
  add_custom_command(
    OUTPUT ${RUNTIME_DIR}/seriatim-junit.jar
    COMMAND sh ${CMAKE_SOURCE_DIR}/cmake/java-junit ${CMAKE_SOURCE_DIR}/src/java/junit ${JAVA_JUNIT}
            ${RUNTIME_DIR} ${Java_JAVAC_EXECUTABLE} ${Java_JAR_EXECUTABLE}
    DEPENDS ${JUNIT_SOURCES} cmake/java-junit
    COMMENT "Building the extension for JUnit"
    VERBATIM)
  add_custom_target(seriatim_junit_jar ALL DEPENDS ${RUNTIME_DIR}/seriatim-junit.jar)
  add_dependencies(seriatim_junit_jar seriatim_rt)
  install(FILES ${RUNTIME_DIR}/seriatim-junit.jar DESTINATION ${CMAKE_INSTALL_LIBDIR}/seriatim)
else()
  message(STATUS "Without JUnit 5 there is no extension for it (Debian: junit5)")
endif()

# What Java cannot do: asking the watcher for a stream, and waiting for a turn.
add_library(seriatim_java SHARED src/java/native/ask_watcher.c src/java/native/turns.c)
target_include_directories(seriatim_java PRIVATE src ${JNI_HEADERS} ${JNI_HEADERS}/linux)
set_target_properties(seriatim_java PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${RUNTIME_DIR}
                      C_VISIBILITY_PRESET hidden)

install(TARGETS seriatim_java LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/seriatim)
install(FILES ${JAVA_JARS} DESTINATION ${CMAKE_INSTALL_LIBDIR}/seriatim)
