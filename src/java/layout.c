/* Prints a Java class with what stream.h says, for the agent: where things are in the shared
 * memory, and the numbers that stand for records. Built and run when the agent is built. */
#include "stream/stream.h"

#include <linux/futex.h>
#include <stddef.h>
#include <stdio.h>

static void number(const char *name, long long value) {
    printf("    static final int %s = %lld;\n", name, value);
}

static void wide(const char *name, unsigned long long value) {
    printf("    static final long %s = 0x%llxL;\n", name, value);
}

#define SHOW(name) number(#name, ST_STREAM_##name)
#define HEAD(name, member) number("HEAD_" name, (long long)offsetof(struct st_stream_head, member))

static void show_sizes(void) {
    wide("MAGIC", ST_STREAM_MAGIC);
    SHOW(VERSION);
    SHOW(CHUNK_BYTES);
    SHOW(RECORDS);
    SHOW(SLOTS);
    SHOW(COUNTED_SLOTS);
    SHOW(COUNTERS);
    SHOW(SEQUENCED);
    SHOW(SEQUENCE_AT);
    SHOW(PASSED_AT);
    SHOW(MOST_PASSED);
    SHOW(COUNTED);
    SHOW(LOCK_FREE);
    SHOW(HOLDS_KIND);
    SHOW(HOLDS_SINCE);
    SHOW(HOLDS_TOO);
    SHOW(HOLDS_NOTHING);
    SHOW(LOOK);
    SHOW(WITH_VALUES);
    number("RULE_REDUCED", ST_STREAM_REDUCED);
    number("RULE_SUFFICIENT", ST_STREAM_SUFFICIENT);
    number("RULE_EVERY", ST_STREAM_EVERY);
    wide("OWNER_DIED", FUTEX_OWNER_DIED);
    wide("OWNER_MASK", FUTEX_TID_MASK);
}

static void show_operations(void) {
    SHOW(NONE);
    SHOW(SEQUENCE);
    SHOW(OBSERVE);
    SHOW(READ);
    SHOW(WRITE);
    SHOW(ATOMIC_READ);
    SHOW(ATOMIC_WRITE);
    SHOW(ATOMIC_UPDATE);
    SHOW(VALUES);
    SHOW(LENGTH);
    SHOW(DEFERRED_READ);
    SHOW(DEFERRED_WRITE);
    SHOW(PC);
    SHOW(ENTER);
    SHOW(LEAVE);
    SHOW(BEGIN);
    SHOW(END);
    SHOW(SPLIT);
    SHOW(ACQUIRE);
    SHOW(RELEASE);
    SHOW(SEND);
    SHOW(RECEIVE);
    SHOW(SEMAPHORE_MADE);
    SHOW(FORK);
    SHOW(JOIN);
    SHOW(THREAD_END);
    SHOW(SLOT);
    SHOW(ALLOCATE);
    SHOW(FREE);
    SHOW(TEXT);
    SHOW(MODULE);
    SHOW(THREAD_NAME);
    SHOW(AT);
    SHOW(BOARDED);
    SHOW(BOARDED_AT);
    SHOW(KEPT_READ);
    SHOW(KEPT_WRITE);
    SHOW(WITHIN);
    SHOW(HOLDS);
    SHOW(HELD);
    SHOW(SINCE);
    SHOW(CALLER);
}

static void show_kinds(void) {
    number("LOCK_MUTEX", ST_STREAM_MUTEX);
    number("LOCK_WRITING", ST_STREAM_WRITING);
    number("LOCK_READING", ST_STREAM_READING);
    number("LOCK_SEMAPHORE", ST_STREAM_SEMAPHORE);
    number("ATOMIC_LOAD", ST_ATOMIC_LOAD);
    number("ATOMIC_FAIL", ST_ATOMIC_FAIL);
    number("ATOMIC_STORE", ST_ATOMIC_STORE);
    number("ATOMIC_EXCHANGE", ST_ATOMIC_EXCHANGE);
    number("ATOMIC_COMPARE", ST_ATOMIC_COMPARE);
    number("ATOMIC_ADD", ST_ATOMIC_ADD);
    number("ATOMIC_BITS", ST_ATOMIC_BITS);
}

static void show_head(void) {
    HEAD("MAGIC", magic);
    HEAD("VERSION", version);
    HEAD("CHUNK_COUNT", chunk_count);
    HEAD("ALIVE", alive);
    HEAD("ATTACHED", attached);
    HEAD("CLOSED", closed);
    HEAD("ENDED", ended);
    HEAD("WAITING", waiting);
    HEAD("DEFERRED", deferred);
    HEAD("QUIET_LOCKS", quiet_locks);
    HEAD("RECORDED", recorded);
    HEAD("RULE", rule);
    HEAD("MET", met);
    HEAD("DROPPED", dropped);
    HEAD("NEXT_SEQUENCE", next_sequence);
    HEAD("FREE_TOP", free_top);
    HEAD("ANNOUNCED", announced);
    number("HEAD_BYTES", sizeof(struct st_stream_head));
    number("CHUNK_COUNT", offsetof(struct st_stream_chunk, count));
    number("CHUNK_FULL", offsetof(struct st_stream_chunk, full));
    number("CHUNK_THREAD", offsetof(struct st_stream_chunk, thread));
    number("CHUNK_INDEX", offsetof(struct st_stream_chunk, index));
    number("CHUNK_FIRST", offsetof(struct st_stream_chunk, records));
    number("COUNTER_BYTES", sizeof(struct st_stream_counter));
}

int main(void) {
    puts("package seriatim.run;\n\n/** Made from stream.h. */\nfinal class StreamLayout {");
    show_sizes();
    show_operations();
    show_kinds();
    show_head();
    puts("    private StreamLayout() {}\n}");
    return 0;
}
