# seriatim_instrument(TARGET...) builds these targets so that seriatim can watch the program, and leaves
# all others as they are:
#
#   find_package(Seriatim REQUIRED)
#   add_executable(server server.c)
#   seriatim_instrument(server)
#
# Libraries of the project are watched if they are named, too. A program that links a watched static
# library has to be named itself. To build everything so, use the toolchain file instead.
#
# CMake calls `seriatim cc --launch COMPILER ARGUMENTS...` in place of the compiler, as it would call
# ccache. A launcher that is set already (CMAKE_C_COMPILER_LAUNCHER=ccache) goes on working.
function(seriatim_instrument)
  if(CMAKE_VERSION VERSION_LESS 3.21)
    message(FATAL_ERROR "seriatim_instrument needs CMake 3.21, for launchers of linkers; with CMake "
            "${CMAKE_VERSION} build everything with -DCMAKE_C_COMPILER=seriatim-cc "
            "-DCMAKE_CXX_COMPILER=seriatim-c++")
  endif()
  if(NOT CMAKE_GENERATOR MATCHES "Makefiles|Ninja")
    message(FATAL_ERROR "seriatim_instrument works with the generators Ninja and Makefiles, not with "
            "${CMAKE_GENERATOR}")
  endif()
  get_target_property(program Seriatim::program LOCATION)
  set(languages C CXX)
  set(commands cc c++)
  foreach(target IN LISTS ARGN)
    if(NOT TARGET ${target})
      message(FATAL_ERROR "seriatim_instrument: there is no target ${target}")
    endif()
    get_target_property(done ${target} SERIATIM_INSTRUMENTED)
    get_target_property(kind ${target} TYPE)
    if(done OR kind STREQUAL "INTERFACE_LIBRARY")
      continue()
    endif()
    foreach(language command IN ZIP_LISTS languages commands)
      foreach(step COMPILER LINKER)
        set(property ${language}_${step}_LAUNCHER)
        get_target_property(before ${target} ${property})
        if(NOT before)
          set(before "")
        endif()
        set_property(TARGET ${target} PROPERTY ${property} ${program} ${command} --launch ${before})
      endforeach()
    endforeach()
    set_property(TARGET ${target} PROPERTY SERIATIM_INSTRUMENTED ON)
  endforeach()
endfunction()
