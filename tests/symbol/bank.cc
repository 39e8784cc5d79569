// A program in C++ that knows its own names.
#include "probe.h"

#include <array>
#include <atomic>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

namespace bank {

std::mutex lock;
std::atomic<int> transfers;
std::vector<int> history;
std::array<std::array<int, 3>, 5> rates;

class Account {
  public:
    struct Limits {
        int min, max;
    };
    static int count;
    static Limits limits[2];

    Account();
    ~Account();
    void deposit(int amount) const;
    int operator()(int amount);
    bool operator<(const Account &other) const;
    operator int() const;

  private:
    long balance = 0;
};

int Account::count;
Account::Limits Account::limits[2];

struct Person {
    int age;
};

struct Teller : Person {
    virtual ~Teller() {
    }
    int desk;
};

struct Head : Teller {
    int team[3];
};

Head head;

NOT_INLINED Account::Account() {
    enum { DEFINITION = __LINE__ - 1 };
    PROBE("bank::Account::Account", DEFINITION, nullptr);
}

NOT_INLINED Account::~Account() {
    enum { DEFINITION = __LINE__ - 1 };
    PROBE("bank::Account::~Account", DEFINITION, nullptr);
}

NOT_INLINED int Account::operator()(int amount) {
    enum { DEFINITION = __LINE__ - 1 };
    PROBE("bank::Account::operator()", DEFINITION, nullptr);
    return amount;
}

NOT_INLINED bool Account::operator<(const Account &other) const {
    enum { DEFINITION = __LINE__ - 1 };
    PROBE("bank::Account::operator<", DEFINITION, nullptr);
    return balance < other.balance;
}

NOT_INLINED Account::operator int() const {
    enum { DEFINITION = __LINE__ - 1 };
    PROBE("bank::Account::operator int", DEFINITION, nullptr);
    return 1;
}

namespace {
int hidden;

INLINED void helper(const struct site *caller) {
    enum { DEFINITION = __LINE__ - 1 };
    PROBE("bank::(anonymous namespace)::helper", DEFINITION, caller);
}

template <class T> struct Box {
    T value;
    NOT_INLINED void put(T);
};

template <class T> NOT_INLINED void Box<T>::put(T) {
    enum { DEFINITION = __LINE__ - 1 };
    const char *name = sizeof(T) == sizeof(int)
                           ? "bank::(anonymous namespace)::Box<int>::put"
                           : "bank::(anonymous namespace)::Box<std::vector<std::vector<...>>>::put";
    PROBE(name, DEFINITION, nullptr);
}
} // namespace

NOT_INLINED void Account::deposit(int amount) const {
    enum { DEFINITION = __LINE__ - 1 };
    static int calls;
    DATA_AS(calls, "bank::Account::deposit::calls");
    calls += amount;
    const struct site here = {"bank::Account::deposit", __LINE__ + 1, DEFINITION, nullptr};
    helper(&here);
    auto lambda = [&](int) NOT_INLINED {
        enum { DEFINITION = __LINE__ - 1 };
        PROBE("bank::Account::deposit::{lambda}::operator()", DEFINITION, nullptr);
    };
    lambda(amount);
    struct Local {
        NOT_INLINED void method() {
            enum { DEFINITION = __LINE__ - 1 };
            PROBE("bank::Account::deposit::Local::method", DEFINITION, nullptr);
        }
    };
    Local().method();
}

inline namespace v1 {
template <class T> NOT_INLINED T biggest(T a, T b) {
    enum { DEFINITION = __LINE__ - 1 };
    PROBE("bank::v1::biggest<int>", DEFINITION, nullptr);
    return a < b ? b : a;
}
} // namespace v1

} // namespace bank

extern "C" NOT_INLINED void plain(void) {
    enum { DEFINITION = __LINE__ - 1 };
    PROBE("plain", DEFINITION, nullptr);
}

int main() {
    probe_modules();
    bank::Account one, two;
    one.deposit(one(3));
    bank::hidden += one < two;
    bank::hidden += one;
    bank::Box<int>().put(1);
    bank::Box<std::vector<std::vector<std::string>>>().put({});
    bank::hidden += bank::biggest(1, 2);
    plain();
    DATA_AS(bank::lock, "bank::lock");
    DATA_AS(bank::transfers, "bank::transfers");
    DATA_AS(bank::history, "bank::history");
    DATA_AS(bank::rates[4][1], "bank::rates[4][1]");
    DATA_AS(bank::hidden, "bank::(anonymous namespace)::hidden");
    DATA_AS(bank::Account::count, "bank::Account::count");
    DATA_AS(bank::Account::limits[1].max, "bank::Account::limits[1].max");
    DATA_AS(bank::head.age, "bank::head.age");
    DATA_AS(bank::head.desk, "bank::head.desk");
    DATA_AS(bank::head.team[2], "bank::head.team[2]");
    return 0;
}
