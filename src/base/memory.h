/* Allocation that cannot fail, and arrays that grow.
 *
 * Running out of memory is the one condition that no caller can repair: these functions then say
 * so on standard error and end the process with status 2. Everything else in the project reports
 * trouble through struct st_error. */
#ifndef SERIATIM_BASE_MEMORY_H
#define SERIATIM_BASE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

/* What these functions do then, for those who get their memory elsewhere. */
_Noreturn void st_out_of_memory(void);

/* For work that can be done without: false if memory ran out in the middle of it, in this thread.
 * What the work was changing is of no use then but to be freed. */
bool st_try(void (*work)(void *context), void *context);

/* Zero-filled memory for count elements of the given size. Release with free(). */
void *st_alloc(size_t count, size_t size);

/* The same for a table that may be huge and is looked up at random: at a multiple of 64, the size
 * of a cache line, and on large pages where the system has them (fewer misses in the page tables,
 * and far fewer page faults). Pages that are not used are not touched. Release with st_free_table.
 */
void *st_alloc_table(size_t count, size_t size);
void st_free_table(void *table, size_t count, size_t size);

/* Such a table with room for at least `need` elements instead of *capacity; new ones are zero. */
void *st_grow_table(void *table, size_t *capacity, size_t need, size_t size);

/* st_reserve_table(&table, &capacity, need): the typed form. */
#define st_reserve_table(table, capacity, need)                                                    \
    do {                                                                                           \
        if ((need) > *(capacity))                                                                  \
            *(table) = st_grow_table(*(table), (capacity), (need), sizeof(**(table)));             \
    } while (0)

/* Like realloc for count elements of the given size; the new part is not cleared. */
void *st_realloc(void *memory, size_t count, size_t size);

/* Bytes of memory that the process has in use, apart from what it shares with others (files, code).
 * 0: not known. */
size_t st_memory_in_use(void);

/* Gives what was freed back to the system, where the C library can do that. Otherwise it may keep
 * it for later, and it counts as in use. Takes a while. */
void st_return_memory(void);

/* A copy of the text. Release with free(). */
char *st_strdup(const char *text);

/* Makes room for at least `need` elements in *array; new elements are zero.
 * Grows geometrically, so that appending one by one is linear in all. */
void st_grow_array(void **array, size_t *capacity, size_t need, size_t size);

/* st_reserve(&things, &capacity, need): the typed form. */
#define st_reserve(array, capacity, need)                                                          \
    do {                                                                                           \
        if ((need) > *(capacity)) {                                                                \
            void *st_memory_ = *(array);                                                           \
            st_grow_array(&st_memory_, (capacity), (need), sizeof(**(array)));                     \
            *(array) = st_memory_;                                                                 \
        }                                                                                          \
    } while (0)

#endif
