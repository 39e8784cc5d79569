# A toolchain file that builds everything so that seriatim can watch it:
#
#   cmake -S . -B build-watched --toolchain PREFIX/share/seriatim/toolchain.cmake
#
# CMake remembers the compiler of its first run, so use a new build folder. SERIATIM_CC and
# SERIATIM_CXX name the compilers that are called, gcc and g++ by default.
#
# The wrappers are looked for beside this file, as it was installed or in a source tree, and then in PATH.
foreach(pair "C;seriatim-cc" "CXX;seriatim-c++")
  list(GET pair 0 language)
  list(GET pair 1 name)
  find_program(SERIATIM_${language}_WRAPPER ${name}
               HINTS ${CMAKE_CURRENT_LIST_DIR}/../../bin ${CMAKE_CURRENT_LIST_DIR}/../build)
  if(NOT SERIATIM_${language}_WRAPPER)
    message(FATAL_ERROR "${name} was found neither beside ${CMAKE_CURRENT_LIST_FILE} nor in PATH; "
            "install seriatim, or set SERIATIM_${language}_WRAPPER to it")
  endif()
  set(CMAKE_${language}_COMPILER ${SERIATIM_${language}_WRAPPER})
endforeach()
