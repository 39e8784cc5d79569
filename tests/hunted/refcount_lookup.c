// A table of sessions with reference counts. `session_take` finds the session under the lock of the
// table and counts itself only after that. The last user may drop it in between.
//
// EXPECT violated: session_take
// EXPECT harm: assert
// TWIN -DFIXED
// EXPECT-FIXED none
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>

enum { CLOSED = -100 };

struct session {
    atomic_int references;
    int user;
};

static pthread_mutex_t table_lock = PTHREAD_MUTEX_INITIALIZER;
static struct session first = {1, 42};
static struct session *table[4] = {&first};

static struct session *session_take(int id) {
    pthread_mutex_lock(&table_lock);
    struct session *session = table[id];
#ifdef FIXED
    if (session)
        atomic_fetch_add(&session->references, 1);
    pthread_mutex_unlock(&table_lock);
#else
    pthread_mutex_unlock(&table_lock);
    if (session) {
        assert(session->user == 42); // @gap
        int before = atomic_fetch_add(&session->references, 1);
        assert(before > 0);
    }
#endif
    return session;
}

static void session_drop(int id, struct session *session) {
    pthread_mutex_lock(&table_lock);
    if (atomic_fetch_sub(&session->references, 1) == 1) {
        table[id] = NULL;
        atomic_store(&session->references, CLOSED);
    }
    pthread_mutex_unlock(&table_lock);
}

static void *visitor(void *argument) {
    struct session *session = session_take(0);
    if (session)
        session_drop(0, session);
    return argument;
}

static void *owner(void *argument) {
    session_drop(0, &first);
    return argument;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, visitor, NULL);
    pthread_create(&b, NULL, owner, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    puts(table[0] ? "open" : "closed");
    return 0;
}
