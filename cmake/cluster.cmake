# libseriatim_mpi: how ranks that mpirun has started talk to each other. It is loaded under mpirun
# only, and it is not linked with MPI, which is loaded before it: so neither the program nor the
# package depends on MPI.
option(SERIATIM_MPI "Build what it takes to work on several machines, if MPI is there" ON)
if(SERIATIM_SANITIZE OR SERIATIM_SANITIZE_THREADS) # like the runtime library, whose folder it shares
  return()
endif()
if(SERIATIM_MPI)
  find_package(MPI QUIET COMPONENTS C)
endif()
if(NOT SERIATIM_MPI OR NOT MPI_C_FOUND)
  return()
endif()
get_filename_component(mpi_library "${MPI_mpi_LIBRARY}" REALPATH)
string(REGEX MATCH "libmpi\\.so\\.[0-9]+" mpi_soname "${mpi_library}")
if(mpi_soname)
  set_source_files_properties(src/cluster/crew.c PROPERTIES
                              COMPILE_DEFINITIONS SERIATIM_MPI_LIBRARY="${mpi_soname}")
endif()
add_library(seriatim_mpi MODULE src/cluster/mpi/mpi_transport.c)
target_include_directories(seriatim_mpi PRIVATE src)
target_include_directories(seriatim_mpi SYSTEM PRIVATE ${MPI_C_INCLUDE_DIRS})
target_compile_options(seriatim_mpi PRIVATE -fvisibility=default)
set_target_properties(seriatim_mpi PROPERTIES
                      LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/runtime)
install(TARGETS seriatim_mpi LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/seriatim)
