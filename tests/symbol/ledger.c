/* A shared library that knows its own names. */
#include "probe.h"

#include <stddef.h>

struct entry {
    int from, to;
};

struct entry ledger_entries[4];
static struct entry last;

typedef void tell_call(const struct site *);
typedef void tell_data(const volatile void *, const char *);

INLINED void tell_inlined(tell_call *call, const struct site *caller) {
    enum { DEFINITION = __LINE__ - 1 };
    PROBE_THROUGH(call, "tell_inlined", DEFINITION, caller);
}

static NOT_INLINED void tell_static(tell_call *call) {
    enum { DEFINITION = __LINE__ - 1 };
    const struct site here = {"tell_static", __LINE__ + 1, DEFINITION, NULL};
    tell_inlined(call, &here);
}

void ledger_tell(tell_call *call, tell_data *data);
/* A second name for the same, as the C library has them; nobody should see it. */
void __ledger_tell(tell_call *call, tell_data *data) __attribute__((alias("ledger_tell")));

void ledger_tell(tell_call *call, tell_data *data) {
    enum { DEFINITION = __LINE__ - 1 };
    PROBE_THROUGH(call, "ledger_tell", DEFINITION, NULL);
    tell_static(call);
    data(&ledger_entries[2].to, "ledger_entries[2].to");
    data(&last.to, "last.to");
    last.to++;
}
