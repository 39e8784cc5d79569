# The page of `--format html`: its files become one, and that becomes a C file.
set(PAGE_DIR ${PROJECT_SOURCE_DIR}/src/report/html/page)
set(PAGE_SOURCE ${CMAKE_CURRENT_BINARY_DIR}/page.c)
# In the order in which they run.
set(PAGE_SCRIPTS dom.js results.js findings.js filters.js story.js lanes.js syntax.js source.js
    review.js finding.js list.js blocks.js trace.js main.js)
list(TRANSFORM PAGE_SCRIPTS PREPEND ${PAGE_DIR}/)
add_custom_command(
  OUTPUT ${PAGE_SOURCE}
  COMMAND ${CMAKE_COMMAND} -DOUTPUT=${PAGE_SOURCE} -DHTML=${PAGE_DIR}/page.html
          -DSTYLE=${PAGE_DIR}/page.css "-DSCRIPTS=${PAGE_SCRIPTS}"
          -P ${PROJECT_SOURCE_DIR}/cmake/embed-page.cmake
  DEPENDS ${PAGE_DIR}/page.html ${PAGE_DIR}/page.css ${PAGE_SCRIPTS}
          ${PROJECT_SOURCE_DIR}/cmake/embed-page.cmake
  VERBATIM)
