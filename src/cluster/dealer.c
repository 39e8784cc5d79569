/* Rank 0: who gets which piece.
 *
 * Each of the others has one piece, and a second one while there is plenty, so that nobody waits
 * for a message. When all are dealt and somebody is idle, a piece that takes far longer than others
 * is given away once more: the first answer counts, and who is late is not relied on until it
 * answers. So one that is slow, hangs or is gone costs its piece, and not the job. */
#define _GNU_SOURCE
#include "base/memory.h"
#include "cluster/crew_state.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <xxhash.h>

enum { ALONE_SECONDS = 1 };

/* A piece that takes longer than this, and so many times longer than others, is overdue. */
static const double overdue_seconds = 1, overdue_times = 4;

enum piece_state { TO_DO, OUT, DONE };

struct piece {
    enum piece_state state;
    int holders[2]; /* ranks; 0: none */
    double since;
};

struct deal {
    struct st_crew *crew;
    struct st_dealing *dealing;
    struct piece *pieces;
    size_t count, first; /* all below `first` are not to do */
    size_t done, answered;
    double seconds;  /* of all that were answered */
    double last_use; /* when somebody could work */
    struct st_error *error;
    int result;
};

/* ---- the journal ---- */

/* The question, and how often it was asked before: a program that is run ten times need not do the
 * same ten times. */
static struct st_packed question_of(struct deal *deal, size_t index) {
    struct st_packed question = {0};
    deal->dealing->ask(deal->dealing->context, index, &question);
    return question;
}

static uint64_t times_asked(struct st_crew *crew, const struct st_packed *question) {
    uint32_t number = st_map64_number(&crew->asked, XXH3_64bits(question->bytes, question->length));
    st_reserve(&crew->asked_times, &crew->asked_capacity, (size_t)number + 1);
    return crew->asked_times[number]++;
}

/* ---- answers ---- */

static void settle(struct deal *deal, size_t index, const char *answer, size_t length) {
    deal->pieces[index].state = DONE;
    deal->done++;
    deal->dealing->take(deal->dealing->context, index, answer, length);
}

static void note_answer(struct deal *deal, size_t index, const char *answer, size_t length) {
    struct st_crew *crew = deal->crew;
    if (crew->journal && deal->result == 0) {
        const struct st_packed *key = &deal->dealing->keys[index];
        deal->result =
            st_journal_add(crew->journal, key->bytes, key->length, answer, length, deal->error);
    }
    settle(deal, index, answer, length);
}

/* What is in the journal need not be dealt. */
static void look_into_journal(struct deal *deal) {
    struct st_crew *crew = deal->crew;
    deal->dealing->keys = st_alloc(deal->count, sizeof *deal->dealing->keys);
    for (size_t i = 0; i < deal->count; i++) {
        struct st_packed *key = &deal->dealing->keys[i];
        *key = question_of(deal, i);
        st_pack_number(key, times_asked(crew, key));
    }
    for (size_t i = 0; i < deal->count && i < deal->dealing->wanted; i++) {
        const struct st_packed *key = &deal->dealing->keys[i];
        size_t length;
        const char *answer = st_journal_find(crew->journal, key->bytes, key->length, &length);
        if (answer)
            settle(deal, i, answer, length);
    }
}

static void cancel(struct st_crew *crew, int rank, uint64_t generation, uint64_t index) {
    struct st_packed message = st_crew_message(ST_MESSAGE_CANCEL);
    st_pack_number(&message, generation);
    st_pack_number(&message, index);
    st_crew_send(crew, rank, &message);
}

/* The others who have it need not go on. */
static void cancel_others(struct deal *deal, size_t index, int rank) {
    for (int i = 0; i < 2; i++) {
        int holder = deal->pieces[index].holders[i];
        if (!holder || holder == rank)
            continue;
        cancel(deal->crew, holder, deal->crew->generation, index);
        deal->crew->members[holder].silent = true;
    }
}

/* A worker that had no answer, although one is wanted: somebody else tries. */
static void put_back(struct deal *deal, size_t index, int rank) {
    struct piece *piece = &deal->pieces[index];
    for (int i = 0; i < 2; i++)
        if (piece->holders[i] == rank)
            piece->holders[i] = 0;
    if (piece->state == OUT && !piece->holders[0] && !piece->holders[1]) {
        piece->state = TO_DO;
        if (index < deal->first)
            deal->first = index;
    }
}

static void hear_answer(struct deal *deal, int rank, struct st_letter *letter) {
    struct st_crew *crew = deal->crew;
    uint64_t generation = st_unpack_number(&letter->body);
    size_t index = st_unpack_number(&letter->body), length;
    double seconds = st_unpack_real(&letter->body);
    const char *answer = st_unpack_bytes(&letter->body, &length);
    crew->members[rank].out -= crew->members[rank].out > 0;
    crew->members[rank].silent = false;
    if (generation != crew->generation || index >= deal->count ||
        deal->pieces[index].state == DONE || letter->body.bad)
        return;
    if (!length) {
        put_back(deal, index, rank);
        return;
    }
    cancel_others(deal, index, rank);
    deal->seconds += seconds;
    deal->answered++;
    note_answer(deal, index, answer, length);
}

static bool hear_all(struct deal *deal) {
    struct st_letter *letter;
    int rank;
    bool any = false;
    while ((letter = st_crew_receive(deal->crew, &rank))) {
        any = true;
        if (letter->kind == ST_MESSAGE_ANSWER) {
            hear_answer(deal, rank, letter);
            st_letter_free(letter);
        } else {
            st_crew_hear(deal->crew, rank, letter);
        }
    }
    return any;
}

/* ---- dealing ---- */

static bool serves(const struct deal *deal, const struct st_rank *member) {
    return member->greeted && !member->lost && !member->silent &&
           member->phase == deal->dealing->phase && member->digest == deal->dealing->digest;
}

static void give(struct deal *deal, int rank, size_t index) {
    struct piece *piece = &deal->pieces[index];
    struct st_rank *member = &deal->crew->members[rank];
    struct st_packed message = st_crew_message(ST_MESSAGE_PIECE), question = {0};
    question = question_of(deal, index);
    if (deal->dealing->attach)
        deal->dealing->attach(deal->dealing->context, index, &question);
    st_pack_number(&message, deal->crew->generation);
    st_pack_number(&message, index);
    st_pack_bytes(&message, question.bytes, question.length);
    st_crew_send(deal->crew, rank, &message);
    st_packed_free(&question);
    if (piece->state != OUT)
        piece->since = st_crew_clock();
    piece->state = OUT;
    piece->holders[piece->holders[0] != 0] = rank;
    member->out++;
}

static size_t end_of(const struct deal *deal) {
    return deal->dealing->wanted < deal->count ? deal->dealing->wanted : deal->count;
}

/* The first that nobody has; SIZE_MAX: none. */
static size_t next_piece(struct deal *deal) {
    while (deal->first < end_of(deal) && deal->pieces[deal->first].state != TO_DO)
        deal->first++;
    return deal->first < end_of(deal) ? deal->first : SIZE_MAX;
}

static double overdue_after(const struct deal *deal) {
    double mean = deal->answered ? deal->seconds / (double)deal->answered : 0;
    return overdue_times * mean > overdue_seconds ? overdue_times * mean : overdue_seconds;
}

/* The one that is out for longest, if that is too long and only one has it. */
static size_t overdue_piece(const struct deal *deal, double now) {
    size_t oldest = SIZE_MAX;
    for (size_t i = 0; i < end_of(deal); i++) {
        const struct piece *piece = &deal->pieces[i];
        if (piece->state == OUT && (!piece->holders[0] || !piece->holders[1]) &&
            (oldest == SIZE_MAX || piece->since < deal->pieces[oldest].since))
            oldest = i;
    }
    bool late = oldest != SIZE_MAX && now > deal->pieces[oldest].since + overdue_after(deal);
    return late ? oldest : SIZE_MAX;
}

/* One for each, then a second one. */
static bool deal_out(struct deal *deal) {
    struct st_crew *crew = deal->crew;
    bool any = false;
    for (size_t most = 1; most <= 2; most++)
        for (int rank = 1; rank < crew->size; rank++) {
            const struct st_rank *member = &crew->members[rank];
            if (!serves(deal, member) || member->out >= most)
                continue;
            size_t index = next_piece(deal);
            bool plenty = end_of(deal) - deal->first > 3 * (size_t)crew->size;
            if (index == SIZE_MAX || (most == 2 && !plenty))
                return any;
            give(deal, rank, index);
            any = true;
        }
    return any;
}

static void deal_again(struct deal *deal, double now) {
    struct st_crew *crew = deal->crew;
    for (int rank = 1; rank < crew->size; rank++) {
        if (!serves(deal, &crew->members[rank]) || crew->members[rank].out)
            continue;
        size_t index = overdue_piece(deal, now);
        if (index == SIZE_MAX)
            return;
        give(deal, rank, index);
    }
}

/* ---- here ---- */

static void do_here(struct deal *deal, const size_t *indices, size_t count) {
    struct st_packed *answers = st_alloc(count, sizeof *answers);
    if (deal->dealing->do_here(deal->dealing->context, indices, count, answers, deal->error) < 0)
        deal->result = -1;
    for (size_t i = 0; i < count; i++) {
        if (answers[i].length && indices[i] < end_of(deal))
            note_answer(deal, indices[i], answers[i].bytes, answers[i].length);
        st_packed_free(&answers[i]);
    }
    free(answers);
}

static bool is_stopped(const struct deal *deal) {
    return deal->dealing->stopped && deal->dealing->stopped(deal->dealing->context);
}

static void do_all_here(struct deal *deal) {
    size_t batch = deal->dealing->batch ? deal->dealing->batch : deal->count;
    size_t *indices = st_alloc(deal->count + 1, sizeof *indices);
    while (next_piece(deal) != SIZE_MAX && deal->result == 0 && !is_stopped(deal)) {
        size_t count = 0;
        for (size_t i = deal->first; i < end_of(deal) && count < batch; i++)
            if (deal->pieces[i].state == TO_DO)
                indices[count++] = i;
        size_t before = deal->done;
        do_here(deal, indices, count);
        if (deal->done == before)
            break; /* it was stopped */
    }
    free(indices);
}

/* Can anybody work? If not, for a while, we do. */
static void help(struct deal *deal, double now) {
    struct st_crew *crew = deal->crew;
    bool can = false, comes = false;
    for (int rank = 1; rank < crew->size; rank++) {
        can |= serves(deal, &crew->members[rank]);
        comes |= !crew->members[rank].lost && !crew->members[rank].silent;
    }
    if (can)
        deal->last_use = now;
    size_t index = next_piece(deal);
    bool late = now > deal->last_use + ALONE_SECONDS + overdue_after(deal);
    if (index == SIZE_MAX && !can && late)
        index = overdue_piece(deal, now);
    if (index == SIZE_MAX || can || (comes && !late))
        return;
    do_here(deal, &index, 1);
}

/* ---- all of it ---- */

static void take_back_lost(struct deal *deal) {
    struct st_crew *crew = deal->crew;
    st_crew_look_for_losses(crew);
    for (size_t i = 0; i < deal->count; i++)
        for (int j = 0; j < 2; j++) {
            int holder = deal->pieces[i].holders[j];
            if (holder && crew->members[holder].lost)
                put_back(deal, i, holder);
        }
}

static bool is_complete(const struct deal *deal) {
    if (deal->done == deal->count)
        return true;
    for (size_t i = 0; deal->dealing->wanted < deal->count && i < end_of(deal); i++)
        if (deal->pieces[i].state != DONE)
            return false;
    return deal->dealing->wanted < deal->count;
}

static void work_with_crew(struct deal *deal) {
    static const double between_looks = 0.05;
    struct st_crew *crew = deal->crew;
    double looked = st_crew_clock();
    unsigned idle = 0;
    while (!is_complete(deal) && deal->result == 0 && !crew->trouble && !is_stopped(deal)) {
        bool any = hear_all(deal);
        any |= deal_out(deal);
        double now = st_crew_clock();
        if (any) {
            idle = 0;
            continue;
        }
        if (now > looked + between_looks) {
            take_back_lost(deal);
            deal_again(deal, now);
            help(deal, now);
            looked = now;
        }
        st_crew_nap(&idle);
    }
    if (!is_complete(deal) || deal->dealing->wanted < deal->count)
        for (int rank = 1; rank < crew->size; rank++)
            cancel(crew, rank, crew->generation, UINT64_MAX);
    if (crew->trouble)
        deal->result = st_fail(deal->error, NULL, ST_AT_FILE, 0, "%s", crew->trouble);
}

static void free_keys(struct deal *deal) {
    for (size_t i = 0; deal->dealing->keys && i < deal->count; i++)
        st_packed_free(&deal->dealing->keys[i]);
    free(deal->dealing->keys);
    deal->dealing->keys = NULL;
}

int st_crew_deal(struct st_crew *crew, struct st_dealing *dealing, struct st_error *error) {
    struct deal deal = {.crew = crew,
                        .dealing = dealing,
                        .count = dealing->wanted,
                        .last_use = st_crew_clock(),
                        .error = error};
    deal.pieces = st_alloc(deal.count + 1, sizeof *deal.pieces);
    crew->generation++;
    dealing->keys = NULL;
    if (crew->journal)
        look_into_journal(&deal);
    if (crew->size > 1)
        work_with_crew(&deal);
    else
        do_all_here(&deal);
    dealing->left = 0;
    for (size_t i = 0; i < end_of(&deal); i++)
        dealing->left += deal.pieces[i].state != DONE;
    free_keys(&deal);
    free(deal.pieces);
    return deal.result;
}

void st_crew_end_phase(struct st_crew *crew, uint64_t phase, const void *bytes, size_t length) {
    for (int rank = 1; rank < crew->size; rank++) {
        struct st_packed message = st_crew_message(ST_MESSAGE_PHASE);
        st_pack_number(&message, phase);
        st_pack_bytes(&message, bytes, length);
        st_crew_send(crew, rank, &message);
    }
}
