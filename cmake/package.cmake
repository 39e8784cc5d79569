# `make package`: a .deb of what `make install` installs, in /usr.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME seriatim)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_VENDOR "the seriatim contributors")
set(CPACK_PACKAGE_CONTACT "the seriatim contributors <maintainers@seriatim.invalid>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "finds atomicity violations in multithreaded programs")
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION
"seriatim watches C, C++ and Java programs, or reads traces of them, and reports
code that was meant to run as one step but that another thread interrupted. It has
a compiler wrapper, a runtime library, a scheduler that hunts for such bugs
and replays them, and a library for programs that feed events themselves.")
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
# The libraries that the program needs, as the system that builds the package calls them.
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# Traces can be read without a compiler; programs cannot be built to be watched without one.
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "gcc | clang, libc6-dev")
# The library for MPI is in the package, if MPI was there when it was built, and is not linked with
# MPI (cmake/cluster.cmake).
set(CPACK_DEBIAN_PACKAGE_SUGGESTS
    "g++ | clang, gdb, pkg-config, cmake, openmpi-bin, default-jre-headless")
# CPack itself adds scripts that refresh the cache of the dynamic linker.
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/cmake/debian/arrange.cmake)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_PACKAGE_DIRECTORY ${CMAKE_BINARY_DIR}/packages)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ
    GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
include(CPack)
