# CPack runs this when everything is in place, before it makes the package: what Debian has elsewhere.
set(share ${CPACK_TEMPORARY_INSTALL_DIRECTORY}/usr/share)
file(MAKE_DIRECTORY ${share}/zsh/vendor-completions)
file(RENAME ${share}/zsh/site-functions/_seriatim ${share}/zsh/vendor-completions/_seriatim)
file(REMOVE_RECURSE ${share}/zsh/site-functions)
file(RENAME ${share}/doc/seriatim/LICENSE ${share}/doc/seriatim/copyright)
