# libseriatim: the engines for programs that feed events from memory. It holds what that needs and
# nothing more, so that it depends on the C library only.
file(GLOB_RECURSE LIBRARY_SOURCES CONFIGURE_DEPENDS
     src/base/*.c src/finding/*.c src/check/*.c src/predict/*.c src/library/*.c)
# What only the command line and its reports use.
list(FILTER LIBRARY_SOURCES EXCLUDE REGEX "src/base/(json|options|output)\\.c$")
list(APPEND LIBRARY_SOURCES src/cluster/packing.c src/session/block_counts.c
     src/trace/channels.c src/trace/event.c src/trace/relation.c src/trace/symbols.c src/trace/validate.c)

# The header is what a program sees; its version must be that of the project.
file(STRINGS include/seriatim/seriatim.h header_version REGEX "define SERIATIM_VERSION_STRING")
if(NOT header_version MATCHES "\"${PROJECT_VERSION}\"")
  message(FATAL_ERROR "include/seriatim/seriatim.h does not have version ${PROJECT_VERSION}")
endif()

# Compiled once, for both kinds.
add_library(seriatim_objects OBJECT ${LIBRARY_SOURCES})
target_include_directories(seriatim_objects PRIVATE src include ${XXHASH_INCLUDE_DIRS})
# xxhash as a header, without its library. Sources that say so themselves say the same.
target_compile_definitions(seriatim_objects PRIVATE XXH_INLINE_ALL=)
set_target_properties(seriatim_objects PROPERTIES
                      POSITION_INDEPENDENT_CODE ON C_VISIBILITY_PRESET hidden)

add_library(seriatim SHARED $<TARGET_OBJECTS:seriatim_objects>)
add_library(seriatim_static STATIC $<TARGET_OBJECTS:seriatim_objects>)
# Until 1.0 a minor version may change the interface, so it is part of the SONAME.
set_target_properties(seriatim PROPERTIES
                      VERSION ${PROJECT_VERSION}
                      SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
# A source that is missing above is found here, not by the first user.
if(NOT SERIATIM_SANITIZE AND NOT APPLE)
  target_link_options(seriatim PRIVATE -Wl,--no-undefined)
endif()
set_target_properties(seriatim_static PROPERTIES OUTPUT_NAME seriatim EXPORT_NAME seriatim-static)

foreach(target seriatim seriatim_static)
  target_include_directories(${target} PUBLIC
                             $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
                             $<INSTALL_INTERFACE:include>)
  set_target_properties(${target} PROPERTIES
                        ARCHIVE_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}
                        LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR})
endforeach()
