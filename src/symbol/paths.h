/* Names of source files. */
#ifndef SERIATIM_SYMBOL_PATHS_H
#define SERIATIM_SYMBOL_PATHS_H

/* The file as a user should see it: relative to `base` if it is below that directory, otherwise
 * absolute, without "." and ".." if possible. A relative `file` is relative to `directory`, where
 * the compiler ran. `base` and `directory` may be NULL. Release with free(). */
char *st_source_path(const char *base, const char *directory, const char *file);

#endif
