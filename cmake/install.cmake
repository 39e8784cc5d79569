# What `make install` puts where. Paths inside the installed files are relative to the files
# themselves, so that DESTDIR and `cmake --install --prefix` work without configuring again.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

install(TARGETS seriatim_cli RUNTIME)
install(TARGETS seriatim seriatim_static EXPORT SeriatimTargets)
install(DIRECTORY include/seriatim TYPE INCLUDE FILES_MATCHING PATTERN "*.h")
install(FILES README.md LICENSE CHANGELOG.md TYPE DOC)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/Seriatim)
install(EXPORT SeriatimTargets NAMESPACE Seriatim:: DESTINATION ${package_dir})
write_basic_package_version_file(SeriatimConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES cmake/SeriatimConfig.cmake ${CMAKE_CURRENT_BINARY_DIR}/SeriatimConfigVersion.cmake
        DESTINATION ${package_dir})

set(pkgconfig_dir ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
file(RELATIVE_PATH PREFIX_FROM_PKGCONFIG /prefix/${pkgconfig_dir} /prefix)
string(REGEX REPLACE "/$" "" PREFIX_FROM_PKGCONFIG "${PREFIX_FROM_PKGCONFIG}")
configure_file(cmake/seriatim.pc.in seriatim.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/seriatim.pc DESTINATION ${pkgconfig_dir})
