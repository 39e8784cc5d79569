# libseriatim_rt: what programs under test are linked with instead of libtsan. Existing binaries
# that were built with gcc's -fsanitize=thread find it as libtsan.so.2, gcc links it as libtsan.so.
include(GNUInstallDirs)
file(GLOB RUNTIME_SOURCES CONFIGURE_DEPENDS src/runtime/*.c)
if(NOT CMAKE_SYSTEM_PROCESSOR STREQUAL "x86_64" OR SERIATIM_SANITIZE OR SERIATIM_SANITIZE_THREADS)
  return()
endif()
set(RUNTIME_DIR ${CMAKE_BINARY_DIR}/runtime)
add_library(seriatim_rt SHARED ${RUNTIME_SOURCES})
target_include_directories(seriatim_rt PRIVATE src)
target_compile_options(seriatim_rt PRIVATE -O2 -fvisibility=hidden -ftls-model=initial-exec
                       -fno-builtin -fexceptions -fno-omit-frame-pointer -mcx16)
# Nor may a loop become a call of memcpy, which is ours and would be told.
if(CMAKE_C_COMPILER_ID STREQUAL "GNU")
  target_compile_options(seriatim_rt PRIVATE -fno-tree-loop-distribute-patterns)
endif()
target_link_libraries(seriatim_rt PRIVATE ${CMAKE_DL_LIBS})
target_link_options(seriatim_rt PRIVATE -Wl,--no-undefined)
set_target_properties(seriatim_rt PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${RUNTIME_DIR})
foreach(name libtsan.so libtsan.so.2)
  add_custom_command(TARGET seriatim_rt POST_BUILD
                     COMMAND ${CMAKE_COMMAND} -E create_symlink libseriatim_rt.so ${name}
                     WORKING_DIRECTORY ${RUNTIME_DIR})
  install(FILES ${RUNTIME_DIR}/${name} DESTINATION ${CMAKE_INSTALL_LIBDIR}/seriatim)
endforeach()
install(TARGETS seriatim_rt LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/seriatim)
