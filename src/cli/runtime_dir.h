/* Where the libraries for programs under test are. */
#ifndef SERIATIM_CLI_RUNTIME_DIR_H
#define SERIATIM_CLI_RUNTIME_DIR_H

#include "base/error.h"

/* The folder, to be freed: SERIATIM_RUNTIME_DIR if that is set, beside this program in the tree it
 * was built in, or where they are installed. NULL with an error when it is in none of them. */
char *runtime_dir(struct st_error *error);

#endif
