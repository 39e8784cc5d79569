#include "planted.h"

#include <stddef.h>

enum { FREE_THREADS = 3, REQUESTS = 60 };

/* What somebody who uses the server asks for. */
static BLOCK void serve(enum bug kind, int number) {
    switch (kind) {
    case TRANSFER:
        transfer(number % 4, (number + 1) % 4, 5);
        break;
    case INTEREST:
        add_interest(number % 4);
        break;
    case OPEN:
        open_account(number + 1);
        break;
    case SAMPLE:
        record_sample(number);
        break;
    case AVERAGE:
        average();
        break;
    case RESET:
        reset_stats();
        break;
    case POP:
        pop_if_any();
        break;
    case MOVE:
        move_item();
        break;
    case CONFIG:
        get_config();
        break;
    case PORTS:
        update_ports();
        break;
    case TOTAL:
        total_of_items();
        break;
    case KINDS:
        break;
    }
}

static BLOCK void handle(enum bug kind, int number) {
    serve(kind, number);
}

/* What comes in between. */
static BLOCK void disturb(enum bug kind, int number) {
    switch (kind) {
    case TRANSFER:
    case INTEREST:
        pay_all(2);
        break;
    case OPEN:
        close_accounts();
        break;
    case SAMPLE:
        skip_sample();
        break;
    case AVERAGE:
        add_sample(number);
        break;
    case RESET:
        double_stats();
        break;
    case POP:
        drain();
        break;
    case MOVE:
        drain();
        break;
    case CONFIG:
        load_config();
        break;
    case PORTS:
        set_ports(number);
        break;
    case TOTAL:
        change_items();
        break;
    case KINDS:
        break;
    }
}

static void *victim(void *argument) {
    enum bug kind = (enum bug)(size_t)argument;
    handle(kind, 0);
    return NULL;
}

static void *cutter(void *argument) {
    enum bug kind = (enum bug)(size_t)argument;
    wait_for_gap(kind);
    disturb(kind, 1);
    close_gap(kind);
    return NULL;
}

static void *worker(void *argument) {
    size_t number = (size_t)argument;
    for (size_t i = 0; i < REQUESTS; i++) {
        enum bug kind = (enum bug)((i * 7 + number * 3) % KINDS);
        if (i % 2)
            handle(kind, (int)i);
        else
            serve(kind, (int)i);
    }
    return NULL;
}

int main(void) {
    pthread_t threads[2 * KINDS + FREE_THREADS];
    size_t count = 0;
    for (size_t i = 0; i < KINDS; i++) {
        pthread_create(&threads[count++], NULL, victim, (void *)i);
        pthread_create(&threads[count++], NULL, cutter, (void *)i);
    }
    for (size_t i = 0; i < FREE_THREADS; i++)
        pthread_create(&threads[count++], NULL, worker, (void *)i);
    for (size_t i = 0; i < count; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
