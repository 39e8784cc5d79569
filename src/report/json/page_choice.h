/* What of a result a page has room for.
 *
 * A page is read by people and by browsers, which both give up on hundreds of megabytes. So it has
 * of each finding a few blocks, and of all only as many as there is room for: first the one that
 * stands for each finding, in the order of their ranks, then the second of each, and so on. What is
 * left out is counted, and the page says so. Other formats have all. */
#ifndef SERIATIM_REPORT_JSON_PAGE_CHOICE_H
#define SERIATIM_REPORT_JSON_PAGE_CHOICE_H

#include "base/json.h"
#include "base/names.h"

enum {
    ST_PAGE_ROOM = 32 << 20, /* bytes of findings */
    ST_PAGE_BLOCKS = 8,      /* of a finding */
    ST_PAGE_EDGES = 1000,    /* of a path */
    ST_PAGE_RACES = 2000,
    ST_PAGE_ROWS = 5000, /* of the table of blocks */
};

/* Invariant: all are chosen as long as nobody has asked. In JSON that is no part of a page they
 * stay so. */
struct st_page_choice {
    size_t count;          /* of items; those are of findings: */
    struct st_names keys;  /* of the findings, the most important first */
    uint32_t *finding;     /* of each item */
    size_t *turn;          /* the how-manieth of its finding it is */
    bool *skipped;         /* is the item one that no page shows? Set by the caller */
    bool *chosen;          /* of each item */
    size_t left_out;       /* so many items are not, */
    size_t lost;           /* and of so many findings none is */
    uint64_t edges;        /* dependences that are left out of paths */
    size_t *counts, space; /* of each finding so far */
};

void st_page_choice_init(struct st_page_choice *choice, size_t count);
void st_page_choice_free(struct st_page_choice *choice);

/* The finding comes next in the order of importance; no more than once. */
void st_page_choice_rank(struct st_page_choice *choice, const char *key);

/* The item belongs to the finding with this key; `first`: it stands for it. Each item once. */
void st_page_choice_add(struct st_page_choice *choice, size_t item, const char *key, bool first);

/* Chooses by the size of what `write` writes of an item. Nothing happens where `json` is no page.
 */
void st_page_choose(struct st_page_choice *choice, const struct st_json *json,
                    void (*write)(void *context, size_t item, struct st_json *json), void *context);

/* "left_out_of_page": {...}, where something is. */
void st_write_left_out_of_page(const struct st_page_choice *choice, struct st_json *json);

#endif
