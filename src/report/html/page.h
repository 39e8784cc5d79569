/* The page without its data: src/report/page, put together and turned into C by cmake/page.cmake.
 */
#ifndef SERIATIM_REPORT_HTML_PAGE_H
#define SERIATIM_REPORT_HTML_PAGE_H

#include <stddef.h>

/* The data goes between the two. */
extern const unsigned char st_page_before[], st_page_behind[];
extern const size_t st_page_before_size, st_page_behind_size;

#endif
