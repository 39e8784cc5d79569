# Manual pages: docs/man/NAME.1.in with the options from the tables of the commands. `man -M build/man
# seriatim-check` shows them before they are installed.
file(GLOB MANUAL_SOURCES CONFIGURE_DEPENDS src/manual/*.c)
add_executable(seriatim_manual ${MANUAL_SOURCES})
set_target_properties(seriatim_manual PROPERTIES OUTPUT_NAME manual)
target_link_libraries(seriatim_manual PRIVATE seriatim_commands)

set(MANUAL_DIR ${CMAKE_BINARY_DIR}/man/man1)
file(MAKE_DIRECTORY ${MANUAL_DIR})
file(GLOB PAGES CONFIGURE_DEPENDS docs/man/*.1.in)
set(MANUAL_PAGES "")
foreach(source ${PAGES})
  get_filename_component(name ${source} NAME)
  string(REGEX REPLACE "\\.in$" "" name ${name})
  add_custom_command(OUTPUT ${MANUAL_DIR}/${name}
                     COMMAND seriatim_manual ${source} ${MANUAL_DIR}/${name}
                     DEPENDS ${source} seriatim_manual VERBATIM)
  list(APPEND MANUAL_PAGES ${MANUAL_DIR}/${name})
endforeach()
add_custom_target(manual_pages ALL DEPENDS ${MANUAL_PAGES})
install(FILES ${MANUAL_PAGES} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
