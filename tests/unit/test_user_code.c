/* Which frames are the user's own. */
#include "symbol/user_code.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void assert_user(const char *function, const char *location) {
    if (!st_is_user_code(function, location))
        fail_msg("%s at %s is the user's", function, location);
}

static void assert_library(const char *function, const char *location) {
    if (st_is_user_code(function, location))
        fail_msg("%s at %s is the library's", function, location);
}

static void test_functions_of_the_program_are_the_users(void **state) {
    (void)state;
    assert_user("transfer", "bank.c:21");
    assert_user("shop::Till::push", "/home/me/shop/till.cc:25");
    assert_user("main::{lambda}::operator()", "src/main.cc:7");
    assert_user("transfer", "bank+0x11f3");
    assert_user("f", "");
    assert_user("f", "/home/me/bits/include/c/x.h:3");
}

static void test_names_of_the_cxx_library_are_its_own_wherever_they_are(void **state) {
    (void)state;
    assert_library("std::mutex::lock", "/usr/include/c++/12/bits/std_mutex.h:100");
    assert_library("std::mutex::lock", "mutex.cc:100");
    assert_library("std::mutex::lock", "libx.so+0x12");
    assert_library("__gnu_cxx::__exchange_and_add", "atomicity.h:66");
}

static void test_system_headers_are_the_library_whatever_the_name(void **state) {
    (void)state;
    assert_library("lock", "/usr/include/x86_64-linux-gnu/c++/12/bits/gthr-default.h:749");
    assert_library("boost::pool::malloc", "/usr/include/boost/pool/pool.hpp:9");
    assert_library("absl::Mutex::Lock", "/usr/local/include/absl/mutex.h:9");
    assert_library("load", "/usr/lib/llvm-14/include/c++/v1/atomic:1");
    assert_library("load", "/opt/gcc-13/include/c++/13/atomic:1");
    assert_library("_mm_pause", "/usr/lib/gcc/x86_64-linux-gnu/12/include/xmmintrin.h:1");
    assert_library("_mm_pause", "/opt/llvm/lib/clang/17/include/xmmintrin.h:1");
    assert_library("load", "include/c++/12/atomic:1");
}

static void test_reserved_names_are_the_users_where_their_source_is(void **state) {
    (void)state;
    assert_user("__list_add", "src/list.h:12");
    assert_library("__list_add", "libx.so+0x12");
    assert_library("__gthread_mutex_lock", "/usr/include/c++/12/bits/gthr-default.h:749");
    assert_user("clone", "tree.c:9");
    assert_library("clone", "libc.so.6+0x12");
}

static void test_what_starts_programs_and_threads_is_the_librarys(void **state) {
    (void)state;
    assert_library("start_thread", "libc.so.6+0x88ea4");
    assert_library("start_thread", "./nptl/pthread_create.c:442");
    assert_library("__libc_start_call_main", "../sysdeps/nptl/libc_start_call_main.h:58");
    assert_library("_start", "bank+0x1100");
    assert_library("execute_native_thread_routine", "libstdc++.so.6+0xd44a3");
}

static void test_code_without_a_name_is_nobodys(void **state) {
    (void)state;
    assert_library("libc.so.6+0x12", "libc.so.6+0x12");
    assert_library("0x12", "0x12");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_functions_of_the_program_are_the_users),
        cmocka_unit_test(test_names_of_the_cxx_library_are_its_own_wherever_they_are),
        cmocka_unit_test(test_system_headers_are_the_library_whatever_the_name),
        cmocka_unit_test(test_reserved_names_are_the_users_where_their_source_is),
        cmocka_unit_test(test_what_starts_programs_and_threads_is_the_librarys),
        cmocka_unit_test(test_code_without_a_name_is_nobodys),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
