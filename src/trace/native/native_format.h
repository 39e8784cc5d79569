/* The native format (.stt), as far as its reader and its writer must agree.
 *
 * docs/trace-format.md specifies it byte by byte. In short: a file head, then chunks. A chunk has
 * a head with its sizes and checksums, and a payload that is one zstd frame (or plain bytes, when
 * compression would not pay). EVNT chunks hold the names that are new and then the events as
 * columns; an ENDT chunk closes the file.
 *
 * Version 2 added channels, version 3 what is known of locations (trace/symbols.h), version 4 ends
 * of the lives of variables. All are read; what is written is version 4 where numbers of variables
 * are reused, version 3 where only contexts are kept, and version 2 otherwise. */
#ifndef SERIATIM_TRACE_NATIVE_NATIVE_FORMAT_H
#define SERIATIM_TRACE_NATIVE_NATIVE_FORMAT_H

#include "trace/symbols.h"

#include <endian.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define NATIVE_MAGIC "\x89STT\r\n\x1a\n"
#define CHUNK_EVENTS "EVNT"
#define CHUNK_END "ENDT"
#define CHUNK_ATOMIC "aTOM"
#define CHUNK_JOINED "jOIN"
#define CHUNK_GONE "GONE"
#define CHUNK_RULE "rULE"
#define CHUNK_CALLED "nAME"
#define CHUNK_VALUES "vALU"
#define CHUNK_STARTED "sTRT"
#define CHUNK_RUNS "RUNS"
#define CHUNK_LATE "LATE"
#define CHUNK_LEFT_OUT "cALL"

enum {
    NATIVE_VERSION = 4,        /* the newest */
    NATIVE_CONTEXTS = 3,       /* the one that is written where no numbers are reused */
    NATIVE_PLAIN = 2,          /* the one that is written where no contexts are kept */
    NATIVE_HEAD_SIZE = 12,     /* magic, version */
    CHUNK_HEAD_SIZE = 32,      /* see struct chunk_head */
    CHUNK_CHECKED_SIZE = 24,   /* the part of it that the last field is the checksum of */
    CHUNK_OPTIONAL_BIT = 0x20, /* of the first letter of a type: small letters can be skipped */
    END_SIZE = 16,
    MARKS_HEAD_SIZE = 4,
    VALUES_HEAD_SIZE = 4,
    GONE_HEAD_SIZE = 4,
    GONE_RUN_SIZE = 8,
    RULE_SIZE = 4,
    CALLS_SIZE = 12,
    END_SOURCE_TRUNCATED = 1, /* flag of the ENDT chunk */
    EVENTS_HEAD_SIZE = 8,
    NAMES_HEAD_SIZE = 8,
    COLUMN_HEAD_SIZE = 16,
    RUNS_HEAD_SIZE = 8 + 2 * COLUMN_HEAD_SIZE,
};

/* What a reader must be ready to hold. It refuses more before it allocates anything. */
#define CHUNK_SIZE_LIMIT (UINT32_C(64) << 20)
#define CHUNK_EVENTS_LIMIT UINT32_C(131072)
#define CHUNK_ROWS_LIMIT UINT32_C(131072) /* of each kind of context */
#define RUNS_LIMIT (UINT32_C(1) << 21)    /* events beside those of the columns of a chunk */
#define CALLED_LIMIT 255                  /* bytes in the name that a program gives to a thread */

/* On disk: the fields in this order, little-endian, without gaps. */
struct chunk_head {
    char type[4];
    uint32_t sequence;         /* 0 for the first chunk of the file, then one more each */
    uint32_t stored, full;     /* bytes of the payload in the file, and after decompression */
    uint64_t payload_checksum; /* XXH3 of the payload as stored */
    uint64_t head_checksum;    /* XXH3 of the 24 bytes before: sizes are trusted only after it */
};

enum names_table {
    TABLE_THREADS,
    TABLE_VARIABLES,
    TABLE_LOCKS,
    TABLE_BLOCKS,
    TABLE_LOCATIONS, /* with contexts, of their lines */
    TABLE_CHANNELS,
    TABLE_FUNCTIONS,
    TABLE_COUNT
};

/* Targets have a column for each table that they refer to: mixed in one column, numbers of
 * different tables would hide from the compressor what is regular in each. */
enum column_kind {
    COLUMN_STEP,     /* thread * 16 + operation: one byte for both where threads are few */
    COLUMN_VARIABLE, /* targets of reads and writes */
    COLUMN_LOCK,     /* of acquires and releases */
    COLUMN_CHILD,    /* of forks and joins */
    COLUMN_BLOCK,    /* of begins and ends: block number + 1, 0 for none */
    COLUMN_LOC,      /* number * 2, or location name * 2 + 1 */
    COLUMN_CHANNEL,  /* targets of sends and receives */
    COLUMN_FRAME_FUNCTION,
    COLUMN_FRAME_LINE,
    COLUMN_FRAME_CALLER,
    COLUMN_SITE_LINE,
    COLUMN_SITE_FRAME,
    COLUMN_SITE_CALL,
    COLUMN_COUNT,
    COLUMN_CONTEXTS = COLUMN_FRAME_FUNCTION, /* the first that is not about events */
};

enum column_encoding {
    ENCODING_PLAIN, /* value[i] = base + stored[i] */
    ENCODING_DELTA, /* value[i] = value[i-1] + unzigzag(stored[i]), with value[-1] = base */
    ENCODING_COUNT
};

/* Bytes a value of a column. */
enum { WIDEST_NUMBER = 4, WIDEST_LOC = 6, WIDEST_VALUE = 8 };

enum { STEP_OP_BITS = 4 };
_Static_assert(ST_OP_COUNT <= 1 << STEP_OP_BITS, "every operation fits");

/* How the versions differ. A later one has the tables and columns of those before it in the same
 * order, and its own behind them. */
struct native_layout {
    unsigned tables, columns;
    unsigned step_op_bits;
};

static inline struct native_layout native_layout(uint32_t version) {
    static const struct native_layout layouts[NATIVE_VERSION] = {
        {TABLE_CHANNELS, COLUMN_CHANNEL, 3}, /* the step is thread * 8 + operation */
        {TABLE_FUNCTIONS, COLUMN_CONTEXTS, STEP_OP_BITS},
        {TABLE_COUNT, COLUMN_COUNT, STEP_OP_BITS},
        {TABLE_COUNT, COLUMN_COUNT, STEP_OP_BITS},
    };
    return layouts[version - 1];
}

/* As many as fit into a step. */
#define THREADS_LIMIT (UINT32_C(1) << (32 - STEP_OP_BITS))

/* The size of what stands in front of the names in an EVNT chunk. */
static inline size_t native_heads_size(struct native_layout layout) {
    return EVENTS_HEAD_SIZE + layout.tables * NAMES_HEAD_SIZE + layout.columns * COLUMN_HEAD_SIZE;
}

static inline struct st_names *names_table(struct st_symbols *symbols, enum names_table table) {
    struct st_contexts *contexts = &symbols->contexts;
    struct st_names *tables[TABLE_COUNT] = {
        &symbols->threads,   &symbols->variables, &symbols->locks,     &symbols->blocks,
        &symbols->locations, &symbols->channels,  &contexts->functions};
    return table == TABLE_LOCATIONS && contexts->kept ? &contexts->lines : tables[table];
}

static inline uint32_t get_u32(const unsigned char *bytes) {
    uint32_t value;
    memcpy(&value, bytes, sizeof value);
    return le32toh(value);
}

static inline uint64_t get_u64(const unsigned char *bytes) {
    uint64_t value;
    memcpy(&value, bytes, sizeof value);
    return le64toh(value);
}

/* These return the byte behind what they wrote. */
static inline unsigned char *put_u32(unsigned char *bytes, uint32_t value) {
    value = htole32(value);
    memcpy(bytes, &value, sizeof value);
    return bytes + sizeof value;
}

static inline unsigned char *put_u64(unsigned char *bytes, uint64_t value) {
    value = htole64(value);
    memcpy(bytes, &value, sizeof value);
    return bytes + sizeof value;
}

/* For tests: how many events the writer puts in a chunk (1 to CHUNK_EVENTS_LIMIT). To be called
 * before the first event is written. */
void st_native_writer_chunk_events(void *writer, uint32_t events);

#endif
