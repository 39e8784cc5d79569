# find_package(Seriatim) gives two libraries, Seriatim::seriatim (shared) and Seriatim::seriatim-static,
# the program Seriatim::program, and the function seriatim_instrument(TARGET...).
include("${CMAKE_CURRENT_LIST_DIR}/SeriatimTargets.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/SeriatimInstrument.cmake")
