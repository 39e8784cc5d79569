# What `make install` puts where. Paths inside the installed files are relative to the files
# themselves, so that DESTDIR and `cmake --install --prefix` work without configuring again.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

install(TARGETS seriatim_cli EXPORT SeriatimTargets RUNTIME)
set_target_properties(seriatim_cli PROPERTIES EXPORT_NAME program)
install(TARGETS seriatim seriatim_static EXPORT SeriatimTargets)
install(DIRECTORY include/seriatim TYPE INCLUDE FILES_MATCHING PATTERN "*.h")
install(FILES README.md LICENSE CHANGELOG.md TYPE DOC)
# The pages that the README links to, and what they refer to.
file(GLOB DOCUMENTS CONFIGURE_DEPENDS docs/*.md docs/*.svg docs/*.png)
install(FILES ${DOCUMENTS} DESTINATION ${CMAKE_INSTALL_DOCDIR}/docs)
install(DIRECTORY docs/ci docs/cluster docs/schema DESTINATION ${CMAKE_INSTALL_DOCDIR}/docs)
# Files that other build systems are pointed at.
install(FILES integrations/toolchain.cmake integrations/presets.json integrations/meson.ini
        DESTINATION ${CMAKE_INSTALL_DATADIR}/seriatim)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/Seriatim)
install(EXPORT SeriatimTargets NAMESPACE Seriatim:: DESTINATION ${package_dir})
write_basic_package_version_file(SeriatimConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES cmake/SeriatimConfig.cmake integrations/SeriatimInstrument.cmake
        ${CMAKE_CURRENT_BINARY_DIR}/SeriatimConfigVersion.cmake
        DESTINATION ${package_dir})

set(pkgconfig_dir ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
file(RELATIVE_PATH PREFIX_FROM_PKGCONFIG /prefix/${pkgconfig_dir} /prefix)
string(REGEX REPLACE "/$" "" PREFIX_FROM_PKGCONFIG "${PREFIX_FROM_PKGCONFIG}")
configure_file(cmake/seriatim.pc.in seriatim.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/seriatim.pc DESTINATION ${pkgconfig_dir})
