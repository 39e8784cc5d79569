# find_package(Seriatim) gives two targets: Seriatim::seriatim (shared) and
# Seriatim::seriatim-static.
include("${CMAKE_CURRENT_LIST_DIR}/SeriatimTargets.cmake")
