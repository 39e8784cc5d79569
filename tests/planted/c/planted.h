/* A small server with eleven bugs. Each CAUSE comment is a bug: the function that should be one
 * step and is not, and the lines, marked with @, where it lets go and where it comes back. */
#ifndef PLANTED_H
#define PLANTED_H

#include "gate.h"

#include <pthread.h>

enum bug {
    TRANSFER,
    INTEREST,
    OPEN,
    SAMPLE,
    AVERAGE,
    RESET,
    POP,
    MOVE,
    CONFIG,
    PORTS,
    TOTAL,
    KINDS
};

/* accounts.c */
void transfer(int from, int to, long amount);
void add_interest(int account);
void open_account(int owner);
void pay_all(long amount);
void close_accounts(void);

/* stats.c */
void record_sample(long value);
long average(void);
void reset_stats(void);
void add_sample(long value);
void double_stats(void);
void skip_sample(void);

/* queue.c */
void pop_if_any(void);
void move_item(void);
void put_item(void);
void drain(void);
long count_items(void);

/* config.c */
long get_config(void);
void load_config(void);
void update_ports(void);
void set_ports(int port);
long total_of_items(void);
void change_items(void);

#endif
