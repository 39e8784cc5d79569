/* The ranks that do the work. */
#define _GNU_SOURCE
#include "base/memory.h"
#include "cluster/crew_state.h"
#include "cluster/shared_files.h"

#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

static void append(struct st_letter **list, struct st_letter *letter) {
    while (*list)
        list = &(*list)->next;
    *list = letter;
}

static struct st_letter *pop(struct st_letter **list) {
    struct st_letter *letter = *list;
    if (letter)
        *list = letter->next;
    return letter;
}

static void compare_file(struct st_crew *crew, struct st_unpacking *body) {
    char *why = st_compare_file(body, crew->no_folder);
    struct st_packed message = st_crew_message(ST_MESSAGE_FOUND);
    st_pack_text(&message, why);
    st_crew_send(crew, 0, &message);
    free(why);
}

/* All pieces up to a generation, or one of them. */
static void cancel(struct st_crew *crew, struct st_unpacking *body) {
    uint64_t generation = st_unpack_number(body), index = st_unpack_number(body);
    if (index == UINT64_MAX)
        crew->cancelled = generation;
    bool current = generation == crew->current && index == crew->current_index;
    crew->unwanted |= current || (index == UINT64_MAX && crew->current <= generation);
}

static void handle(struct st_crew *crew, struct st_letter *letter) {
    switch (letter->kind) {
    case ST_MESSAGE_PIECE:
        append(&crew->pieces, letter);
        return;
    case ST_MESSAGE_PHASE:
        append(&crew->phases, letter);
        return;
    case ST_MESSAGE_PART:
        crew->part = letter;
        return;
    case ST_MESSAGE_NEED:
        compare_file(crew, &letter->body);
        break;
    case ST_MESSAGE_CANCEL:
        cancel(crew, &letter->body);
        break;
    case ST_MESSAGE_END:
        crew->ended = true;
        break;
    case ST_MESSAGE_LAST:
        crew->last = true;
        crew->together = st_unpack_number(&letter->body);
        break;
    default:
        break;
    }
    st_letter_free(letter);
}

/* Nobody would ask us to end. */
static void end_with_dealer(const struct st_crew *crew) {
    if ((crew->dealer && kill(crew->dealer, 0) < 0) || getppid() == 1)
        _exit(2);
}

void st_crew_pump(struct st_crew *crew) {
    struct st_letter *letter;
    int rank;
    bool any = false;
    while ((letter = st_crew_receive(crew, &rank))) {
        handle(crew, letter);
        any = true;
    }
    if (!any)
        end_with_dealer(crew);
}

bool st_crew_is_unwanted(void *context) {
    struct st_crew *crew = context;
    st_crew_pump(crew);
    return crew->unwanted || crew->ended;
}

_Noreturn void st_crew_depart(struct st_crew *crew) {
    unsigned idle = 0;
    struct st_packed bye = st_crew_message(ST_MESSAGE_BYE);
    st_crew_send(crew, 0, &bye);
    while (!crew->last) {
        st_crew_pump(crew);
        st_crew_nap(&idle);
    }
    st_remove_sent_files(crew);
    crew->transport->end(crew->together ? ST_END_TOGETHER : ST_END_APART, 0);
    _exit(0);
}

_Noreturn void st_crew_give_up(struct st_crew *crew, const char *why) {
    unsigned idle = 0;
    if (why) {
        struct st_packed message = st_crew_message(ST_MESSAGE_TROUBLE);
        st_pack_text(&message, why);
        st_crew_send(crew, 0, &message);
    }
    while (!crew->ended) {
        st_crew_pump(crew);
        st_crew_nap(&idle);
    }
    st_crew_depart(crew);
}

static void do_piece(struct st_crew *crew, const struct st_serving *serving,
                     struct st_letter *letter) {
    struct st_packed message = st_crew_message(ST_MESSAGE_ANSWER), answer = {0};
    size_t length;
    crew->current = st_unpack_number(&letter->body);
    crew->current_index = st_unpack_number(&letter->body);
    const char *question = st_unpack_bytes(&letter->body, &length);
    crew->unwanted = crew->current <= crew->cancelled;
    double since = st_crew_clock();
    if (!crew->unwanted)
        serving->work(serving->context, question, length, &answer);
    st_pack_number(&message, crew->current);
    st_pack_number(&message, crew->current_index);
    st_pack_real(&message, st_crew_clock() - since);
    st_pack_bytes(&message, answer.bytes, answer.length);
    st_crew_send(crew, 0, &message);
    crew->current = 0;
    st_packed_free(&answer);
    st_letter_free(letter);
}

/* Is the phase over? Those before it are, too. */
static bool has_ended(struct st_crew *crew, uint64_t phase, struct st_packed *result) {
    while (crew->phases) {
        struct st_letter *letter = pop(&crew->phases);
        bool ours = st_unpack_number(&letter->body) == phase;
        size_t length;
        const char *bytes = st_unpack_bytes(&letter->body, &length);
        if (ours && result)
            st_pack_raw(result, bytes, length);
        st_letter_free(letter);
        if (ours)
            return true;
    }
    return false;
}

void st_crew_serve(struct st_crew *crew, const struct st_serving *serving,
                   struct st_packed *result) {
    struct st_packed ready = st_crew_message(ST_MESSAGE_READY);
    unsigned idle = 0;
    st_pack_number(&ready, serving->phase);
    st_pack_number(&ready, serving->digest);
    st_crew_send(crew, 0, &ready);
    for (;;) {
        st_crew_pump(crew);
        struct st_letter *piece = crew->ended ? NULL : pop(&crew->pieces);
        if (crew->ended)
            st_crew_depart(crew);
        if (piece) {
            do_piece(crew, serving, piece);
            idle = 0;
        } else if (has_ended(crew, serving->phase, result)) {
            return;
        } else {
            st_crew_nap(&idle);
        }
    }
}
