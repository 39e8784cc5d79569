/* The options of a command: one table from which parser, defaults, help, manual page and shell
 * completion come.
 *
 *     struct values { bool quiet; uint64_t limit; };
 *     static const struct st_option options[] = {
 *         {"quiet", 'q', ST_FLAG, offsetof(struct values, quiet), .help = "only the summary"},
 *         {"limit", 0, ST_NUMBER, offsetof(struct values, limit), .value = "N", .initial = "100",
 *          .help = "list at most N violated blocks; 0 lists all"},
 *         {0},
 *     };
 */
#ifndef SERIATIM_BASE_OPTIONS_H
#define SERIATIM_BASE_OPTIONS_H

#include "base/error.h"

#include <stdbool.h>
#include <stdio.h>

enum st_option_kind {
    ST_FLAG,    /* bool */
    ST_NUMBER,  /* uint64_t */
    ST_SECONDS, /* double: a time, 3 or 0.5 */
    ST_TEXT,    /* const char *, NULL when not given */
    ST_TEXTS,   /* struct st_texts: each time that it is given, one more */
    ST_CHOICE,  /* unsigned: index of the word among the choices */
    ST_CHOICES  /* unsigned: each time that it is given, 1 << index of one more word */
};

enum { ST_MOST_TEXTS = 16 };
struct st_texts {
    const char *items[ST_MOST_TEXTS];
    size_t count;
};

/* A row of the table, which ends with a row without a name. */
struct st_option {
    const char *name; /* the long form, without dashes */
    char letter;      /* the short form, or 0 */
    enum st_option_kind kind;
    size_t offset;                       /* of its value in the command's struct of values */
    unsigned sets;                       /* of a flag: its value is an unsigned, which becomes this;
                                            so the last of several flags counts. 0: a bool */
    const char *value;                   /* what help calls the value: "N", "FILE" */
    const char *initial;                 /* the default as the user would write it, or NULL */
    const char *const *choices;          /* the words of choices, ending with NULL; or ... */
    const char *(*choice)(size_t index); /* ... where they are not constant: word or NULL */
    const char *(*refusal)(
        const char *text); /* of a text: why it is none, behind the name of the
                              option ("needs a colon"), or NULL: it is all right */
    const char *help;      /* a phrase without a full stop */
    const char *note;      /* what is to be said behind choices and default */
    /* Where in the struct of values to note who gave it last, as a const char * that is NULL when
     * nobody did: the command or the variable. 0: nowhere. */
    size_t given;
};

/* What is left of a command line when the options are taken out. */
struct st_operands {
    const char **words; /* NULL stands behind the last; with none, this is NULL itself */
    size_t count, capacity;
    size_t dashes;     /* so many words stand before "--"; SIZE_MAX: it was not there */
    char *environment; /* where texts from the environment live */
};

/* Sets *values to the defaults, then applies the options in `environment` (the text of the
 * variable, separated by blanks; may be NULL), then those in argv[0 .. argc). "--" ends the
 * options, and unless they may be `mixed` with operands, so does the first of those; "-" is an
 * operand. The error of a bad option names `variable` when it came from there, otherwise `command`.
 * Texts in *values and operands point into argv or live as long as *operands, which must be
 * released in any case. */
int st_options_parse(const struct st_option *table, void *values, struct st_operands *operands,
                     const char *command, bool mixed, int argc, char **argv, const char *variable,
                     const char *environment, struct st_error *error);
void st_operands_free(struct st_operands *operands);

/* One entry a row, wrapped at 80 columns. */
void st_options_help(const struct st_option *table, FILE *file);

/* What help says of one of them: a phrase with choices, default and note. */
void st_option_text(const struct st_option *option, char *buffer, size_t size);

/* The index-th word that it accepts, or NULL; of choices only. */
const char *st_option_choice(const struct st_option *option, size_t index);

/* Is the word close enough to what was typed to be what was meant? Returns how far it is (smaller
 * is closer), or a negative number when it is too far. */
int st_likeness(const char *typed, const char *word);

/* Reads text[0 .. length) as a decimal number. False when it is none or too large. */
bool st_parse_number(const char *text, size_t length, uint64_t *number);

#endif
