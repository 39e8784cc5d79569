# libseriatim_rt: what programs under test are linked with instead of libtsan. Existing binaries
# that were built with gcc's -fsanitize=thread find it as libtsan.so.2, gcc links it as libtsan.so.
include(GNUInstallDirs)
file(GLOB_RECURSE RUNTIME_SOURCES CONFIGURE_DEPENDS src/runtime/*.c)
if(NOT CMAKE_SYSTEM_PROCESSOR STREQUAL "x86_64" OR SERIATIM_SANITIZE OR SERIATIM_SANITIZE_THREADS)
  return()
endif()
set(RUNTIME_DIR ${CMAKE_BINARY_DIR}/runtime)
list(FILTER RUNTIME_SOURCES EXCLUDE REGEX preinit\\.c$) # of the static one alone
add_library(seriatim_rt_objects OBJECT ${RUNTIME_SOURCES})
add_library(seriatim_rt_preinit OBJECT src/runtime/core/preinit.c)
foreach(objects seriatim_rt_objects seriatim_rt_preinit)
  target_include_directories(${objects} PRIVATE src)
  target_compile_options(${objects} PRIVATE -O2 -fvisibility=hidden -ftls-model=initial-exec
                         -fno-builtin -fexceptions -fno-omit-frame-pointer -mcx16)
  # Nor may a loop become a call of memcpy, which is interposed and would emit events.
  if(CMAKE_C_COMPILER_ID STREQUAL "GNU")
    target_compile_options(${objects} PRIVATE -fno-tree-loop-distribute-patterns)
  endif()
  set_target_properties(${objects} PROPERTIES POSITION_INDEPENDENT_CODE ON)
endforeach()
# Where every access and call of the program comes by, a frame pointer would be a quarter of it.
set_source_files_properties(src/runtime/tsan/callbacks.c src/runtime/core/access.c
                            src/runtime/core/call_stack.c src/runtime/core/access_eager.c
                            src/runtime/deferred/access_deferred.c
                            src/runtime/deferred/known_memory.c
                            src/runtime/deferred/learned.c
                            src/runtime/deferred/own_memory.c
                            src/runtime/deferred/own_words.c
                            PROPERTIES COMPILE_OPTIONS -fomit-frame-pointer)

# The shared one.
add_library(seriatim_rt SHARED $<TARGET_OBJECTS:seriatim_rt_objects>)
set_target_properties(seriatim_rt PROPERTIES LINKER_LANGUAGE C
                      LIBRARY_OUTPUT_DIRECTORY ${RUNTIME_DIR})
target_link_libraries(seriatim_rt PRIVATE ${CMAKE_DL_LIBS})
target_link_options(seriatim_rt PRIVATE -Wl,--no-undefined)
foreach(name libtsan.so libtsan.so.2)
  add_custom_command(TARGET seriatim_rt POST_BUILD
                     COMMAND ${CMAKE_COMMAND} -E create_symlink libseriatim_rt.so ${name}
                     WORKING_DIRECTORY ${RUNTIME_DIR})
  install(FILES ${RUNTIME_DIR}/${name} DESTINATION ${CMAKE_INSTALL_LIBDIR}/seriatim)
endforeach()
install(TARGETS seriatim_rt LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/seriatim)

# Headers that gcc finds before those of the system.
add_custom_command(
  OUTPUT ${RUNTIME_DIR}/include/string.h
  COMMAND ${CMAKE_COMMAND} -E copy ${CMAKE_SOURCE_DIR}/src/runtime/headers/string.h
          ${RUNTIME_DIR}/include/string.h
  DEPENDS src/runtime/headers/string.h)
add_custom_target(seriatim_rt_headers ALL DEPENDS ${RUNTIME_DIR}/include/string.h)
add_dependencies(seriatim_rt seriatim_rt_headers)
install(FILES ${RUNTIME_DIR}/include/string.h DESTINATION
        ${CMAKE_INSTALL_LIBDIR}/seriatim/include)

# The static one, as cmake/static-runtime describes it.
add_custom_command(
  OUTPUT ${RUNTIME_DIR}/libseriatim_rt.a
  COMMAND sh ${CMAKE_SOURCE_DIR}/cmake/static-runtime ${CMAKE_LINKER} ${CMAKE_OBJCOPY} ${CMAKE_NM}
          ${CMAKE_AR} $<TARGET_OBJECTS:seriatim_rt_objects> $<TARGET_OBJECTS:seriatim_rt_preinit>
  DEPENDS $<TARGET_OBJECTS:seriatim_rt_objects> $<TARGET_OBJECTS:seriatim_rt_preinit> seriatim_rt
          cmake/static-runtime
  BYPRODUCTS ${RUNTIME_DIR}/libseriatim_rt.a.syms ${RUNTIME_DIR}/libtsan.a
  WORKING_DIRECTORY ${RUNTIME_DIR}
  COMMAND_EXPAND_LISTS VERBATIM)
add_custom_target(seriatim_rt_static ALL DEPENDS ${RUNTIME_DIR}/libseriatim_rt.a)
add_dependencies(seriatim_rt_static seriatim_rt_objects seriatim_rt_preinit)
install(FILES ${RUNTIME_DIR}/libseriatim_rt.a ${RUNTIME_DIR}/libseriatim_rt.a.syms
              ${RUNTIME_DIR}/libtsan.a DESTINATION ${CMAKE_INSTALL_LIBDIR}/seriatim)
