#include "symbol/spelling.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

static void expect_spelling(void spell(struct st_label *, const char *), const char *from,
                            const char *to) {
    struct st_label text;
    st_label_clear(&text);
    spell(&text, from);
    assert_string_equal(text.bytes, to);
}

static void names_of_c_plus_plus_lose_what_nobody_wrote(void **state) {
    (void)state;
    static const char *const pairs[][2] = {
        {"main", "main"},
        {"std::vector<int, std::allocator<int> >", "std::vector<int>"},
        {"std::map<int, std::vector<int, std::allocator<int> >, std::less<int> >",
         "std::map<int, std::vector<int>, std::less<int>>"},
        {"Box<std::map<int, std::vector<std::vector<double>>, std::less<int>>>::put",
         "Box<std::map<...>>::put"},
        {"operator<", "operator<"},
        {"operator<< <int>", "operator<< <int>"},
        {"Set::operator()", "Set::operator()"},
        {"Set::operator->", "Set::operator->"},
        {"Set::operator[]", "Set::operator[]"},
        {"operator std::vector<int, std::allocator<int> >", "operator std::vector<int>"},
        {"cooperator<int>", "cooperator<int>"},
        {"(anonymous namespace)::f", "(anonymous namespace)::f"},
        {"bank::deposit(int) const::{lambda(int)#1}::operator()",
         "bank::deposit::{lambda}::operator()"},
        {"bank::deposit()::calls", "bank::deposit::calls"},
        {"f<int (char)>", "f<int (char)>"},
        {"call<bank::deposit(int) const::{lambda(int)#2}>", "call<bank::deposit::{lambda}>"},
        {"call<(lambda at bank.cc:14:2) &>", "call<{lambda} &>"},
        {"<lambda(int)>", "{lambda}"},
        {"bank::deposit::$_0::operator()", "bank::deposit::{lambda}::operator()"},
        {"table[abi:cxx11]", "table"},
        {"", ""},
        {"<", "{unnamed}"},
        {"f<", "f<>"},
        {"f<a, b", "f<a, b>"},
        {"f(", "f"},
        {"{", "{"},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        expect_spelling(st_spell, pairs[i][0], pairs[i][1]);
}

static void symbols_lose_what_compilers_and_linkers_append(void **state) {
    (void)state;
    static const char *const pairs[][2] = {
        {"transfer", "transfer"},
        {"transfer.cold", "transfer"},
        {"transfer.cold.1", "transfer"},
        {"transfer.constprop.0", "transfer"},
        {"transfer.isra.0.part.1.constprop.12.cold", "transfer"},
        {"transfer.lto_priv.3", "transfer"},
        {"transfer.llvm.1234567890", "transfer"},
        {"transfer.localalias", "transfer"},
        {"transfer.other", "transfer.other"},
        {"calls.0", "calls"},
        {"transfer.calls", "transfer.calls"},
        {".hidden", ".hidden"},
        {"memcpy@@GLIBC_2.14", "memcpy"},
        {"_ZN4bank7Account7depositEi.cold", "bank::Account::deposit"},
        {"_ZZNK4bank7Account7depositEiE5calls", "bank::Account::deposit::calls"},
        {"_ZN4bank7biggestIiEET_S1_S1_", "bank::biggest<int>"},
        {"_Znot_mangled", "_Znot_mangled"},
        {"", ""},
        {".", "."},
        {"a.", "a."},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        expect_spelling(st_spell_symbol, pairs[i][0], pairs[i][1]);
}

static void long_names_end_in_dots_and_control_characters_do_not_get_through(void **state) {
    (void)state;
    struct st_label text;
    char name[5000];
    memset(name, 'x', sizeof name);
    name[sizeof name - 1] = '\0';
    st_label_clear(&text);
    st_spell(&text, name);
    st_spell(&text, "more");
    assert_int_equal(strlen(text.bytes), sizeof text.bytes - 1);
    assert_string_equal(text.bytes + sizeof text.bytes - 6, "xx...");
    expect_spelling(st_spell, "a\033[31mb\n", "a?[31mb?");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_of_c_plus_plus_lose_what_nobody_wrote),
        cmocka_unit_test(symbols_lose_what_compilers_and_linkers_append),
        cmocka_unit_test(long_names_end_in_dots_and_control_characters_do_not_get_through),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
