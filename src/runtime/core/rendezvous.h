/* Asking the watcher for a stream: stream/stream.h says how. */
#ifndef SERIATIM_RUNTIME_CORE_RENDEZVOUS_H
#define SERIATIM_RUNTIME_CORE_RENDEZVOUS_H

#include <stdbool.h>

/* `text` is the value of ST_STREAM_VARIABLE. Returns the descriptor of a stream that belongs to
 * this process, or -1: there is nobody to ask, or the answer is no. The place is remembered. */
int rt_ask_for_stream(const char *text);

/* The same at the place of the last question, by a process that was forked since. */
int rt_ask_again(void);

#endif
