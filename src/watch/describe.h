/* Sites as text: the contexts of a trace (trace/symbols.h).
 *
 * Looking up names is slow, so each call and each address is looked up once. */
#ifndef SERIATIM_WATCH_DESCRIBE_H
#define SERIATIM_WATCH_DESCRIBE_H

#include "trace/symbols.h"
#include "watch/translator.h"

struct st_describer;

/* Describes sites of the translator, as contexts and locations of the symbols: kept from then on.
 * Both must outlive it. */
struct st_describer *st_describer_new(struct st_translator *translator, struct st_symbols *symbols);
void st_describer_free(struct st_describer *describer);

/* Adds the next location: a site, and the locks held there. */
void st_describe_next(struct st_describer *describer, struct st_site_at at);

/* Or, in outline: adds the sites that are new, without locks, and changes the locations of events
 * to those of their descriptions. Sites with the same description are one location. */
void st_describe_events(struct st_describer *describer, struct st_event *events, size_t count);

#endif
