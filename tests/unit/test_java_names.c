/* Names for places and objects of a Java program, from the rows that its agent writes. */
#include "symbol/java_sites.h"
#include "symbol/symbol.h"
#include "watch/memory/java_objects.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#define START (UINT64_C(1) << 46)

struct file {
    char folder[32], module[128];
    FILE *file;
};

static const char *path_of(const struct file *file) {
    return file->module + strlen(ST_JAVA_MODULE);
}

static void make(struct file *file) {
    strcpy(file->folder, "/tmp/java-names-XXXXXX");
    assert_non_null(mkdtemp(file->folder));
    snprintf(file->module, sizeof file->module, "java:%s/seriatim-java-1.sites", file->folder);
    file->file = fopen(path_of(file), "w");
    assert_non_null(file->file);
}

static void drop(struct file *file) {
    fclose(file->file);
    unlink(path_of(file));
    assert_int_equal(rmdir(file->folder), 0);
}

static void add(struct file *file, const char *rows) {
    fputs(rows, file->file);
    fflush(file->file);
}

static uint64_t pc_of(uint64_t row) {
    return START + 16 * row + 8;
}

static struct st_modules *modules_of(const struct file *file, const char *base) {
    struct st_modules *modules = st_modules_new(base);
    st_modules_add(modules, &(struct st_module){.path = file->module,
                                                .start = START,
                                                .end = START + (UINT64_C(1) << 32)});
    return modules;
}

static void numbered_rows_come_in_any_order(void **state) {
    (void)state;
    struct file file;
    make(&file);
    add(&file, "#90000000\tL\tbank.Vault\n#17\tL\tbank.Safe\n");
    struct st_modules *modules = modules_of(&file, NULL);
    assert_string_equal(st_java_row_at(modules, pc_of(17)).name, "bank.Safe");
    assert_string_equal(st_java_row_at(modules, pc_of(90000000)).name, "bank.Vault");
    assert_int_equal(st_java_row_at(modules, pc_of(0)).kind, ST_JAVA_NOTHING);
    add(&file, "L\tbank.Lost\n#3\tL\tbank.Door\n"); /* one has lost its number */
    assert_string_equal(st_java_row_at(modules, pc_of(3)).name, "bank.Door");
    assert_int_equal(st_java_row_at(modules, pc_of(2)).kind, ST_JAVA_NOTHING);
    st_modules_free(modules);
    drop(&file);
}

static void rows_name_methods_and_lines(void **state) {
    (void)state;
    struct file file;
    make(&file);
    add(&file, "M\tbank.Account\tdeposit\t(I)V\tbank/Account.java\t12\tl\n");
    struct st_modules *modules = modules_of(&file, NULL);
    assert_int_equal(access(path_of(&file), F_OK), -1); /* nobody else needs it */
    const struct st_function *function = st_function(modules, pc_of(0));
    assert_string_equal(function->name, "bank.Account.deposit");
    assert_string_equal(function->file, "bank/Account.java");
    assert_int_equal(function->line, 12);
    add(&file, "S\tbank.Account\tdep"); /* a row that is not complete yet */
    assert_int_equal(st_java_row_at(modules, pc_of(1)).kind, ST_JAVA_NOTHING);
    add(&file, "osit\t(I)V\tbank/Account.java\t13\n");
    size_t count;
    const struct st_frame *frame = st_frames(modules, pc_of(1), &count);
    assert_int_equal(count, 1);
    assert_string_equal(frame->function, "bank.Account.deposit");
    assert_int_equal(frame->line, 13);
    st_modules_free(modules);
    drop(&file);
}

static void a_method_may_have_a_loop_unless_the_agent_says_not(void **state) {
    (void)state;
    struct file file;
    make(&file);
    add(&file, "M\tA\ta\t()V\tA.java\t1\nM\tA\tb\t()V\tA.java\t1\t\nM\tA\tc\t()V\tA.java\t1\th\n");
    struct st_modules *modules = modules_of(&file, NULL);
    struct st_java_row a = st_java_row_at(modules, pc_of(0)), b = st_java_row_at(modules, pc_of(1)),
                       c = st_java_row_at(modules, pc_of(2));
    assert_true(st_java_has_flag(&a, 'l'));
    assert_false(st_java_has_flag(&b, 'l'));
    assert_true(st_java_has_flag(&c, 'h') && !st_java_has_flag(&c, 'l'));
    assert_string_equal(a.descriptor, "()V");
    st_modules_free(modules);
    drop(&file);
}

static void damaged_rows_name_nothing(void **state) {
    (void)state;
    struct file file;
    make(&file);
    add(&file, "\nX\ta\tb\nM\nM\tclass\n\t\t\n");
    struct st_modules *modules = modules_of(&file, NULL);
    for (uint64_t row = 0; row < 10; row++) {
        assert_int_equal(st_java_row_at(modules, pc_of(row)).kind, ST_JAVA_NOTHING);
        assert_non_null(st_function(modules, pc_of(row))->name);
    }
    st_modules_free(modules);
    drop(&file);
}

static void sources_are_looked_for_where_builds_have_them(void **state) {
    (void)state;
    struct file file;
    char path[128];
    static const char *const folders[] = {"/src", "/src/main", "/src/main/java",
                                          "/src/main/java/bank"};
    make(&file);
    for (size_t i = 0; i < 4; i++) {
        snprintf(path, sizeof path, "%s%s", file.folder, folders[i]);
        assert_int_equal(mkdir(path, 0700), 0);
    }
    snprintf(path, sizeof path, "%s/src/main/java/bank/A.java", file.folder);
    fclose(fopen(path, "w"));
    add(&file, "S\tbank.A\ta\t()V\tbank/A.java\t1\nS\tbank.B\tb\t()V\tbank/B.java\t2\n");
    struct st_modules *modules = modules_of(&file, file.folder);
    assert_string_equal(st_function(modules, pc_of(0))->file, "src/main/java/bank/A.java");
    assert_string_equal(st_function(modules, pc_of(1))->file, "bank/B.java");
    st_modules_free(modules);
    unlink(path);
    for (size_t i = 4; i-- > 0;) {
        snprintf(path, sizeof path, "%s%s", file.folder, folders[i]);
        assert_int_equal(rmdir(path), 0);
    }
    drop(&file);
}

/* ---- objects ---- */

static void assert_named(struct st_java_objects *objects, enum st_java_kind kind, const char *class,
                         const char *rest, uint64_t start, uint64_t offset, const char *expected) {
    struct st_java_row row = {.kind = kind, .name = class, .rest = rest};
    char name[256];
    st_java_object_name(objects, &row, start, offset, name, sizeof name);
    assert_string_equal(name, expected);
}

static void objects_are_named_by_class_number_and_field(void **state) {
    (void)state;
    struct st_java_objects objects;
    st_java_objects_init(&objects);
    static const char fields[] = "balance\towner";
    assert_named(&objects, ST_JAVA_OBJECTS, "bank.Account", fields, 800, 8, "Account@1.balance");
    assert_named(&objects, ST_JAVA_OBJECTS, "bank.Account", fields, 800, 16, "Account@1.owner");
    assert_named(&objects, ST_JAVA_OBJECTS, "bank.Account", fields, 700, 0, "Account@2");
    assert_named(&objects, ST_JAVA_OBJECTS, "bank.Account", fields, 800, 0, "Account@1");
    assert_named(&objects, ST_JAVA_OBJECTS, "shop.Account", fields, 600, 8,
                 "shop.Account@1.balance");
    assert_named(&objects, ST_JAVA_STATICS, "bank.Account", "total", 500, 8, "Account.total");
    assert_named(&objects, ST_JAVA_ARRAYS, "int[]", "", 400, 8 + 8 * 7, "int[]@1[7]");
    assert_named(&objects, ST_JAVA_ARRAYS, "int[]", "coarse", 400, 8, "int[]@1[*]");
    assert_named(&objects, ST_JAVA_ARRAYS, "bank.Bank$Teller[]", "", 300, 0, "Bank$Teller[]@1");
    assert_named(&objects, ST_JAVA_OTHERS, "java.util.concurrent.locks.ReentrantLock", "", 200, 0,
                 "ReentrantLock@1");
    assert_named(&objects, ST_JAVA_OTHERS, "class bank.Account", "", 100, 0, "class Account");
    assert_named(&objects, ST_JAVA_OTHERS, "java.util.concurrent.atomic.AtomicInteger", "", 90, 8,
                 "AtomicInteger@1");
    st_java_objects_free(&objects);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_name_methods_and_lines),
        cmocka_unit_test(a_method_may_have_a_loop_unless_the_agent_says_not),
        cmocka_unit_test(numbered_rows_come_in_any_order),
        cmocka_unit_test(damaged_rows_name_nothing),
        cmocka_unit_test(sources_are_looked_for_where_builds_have_them),
        cmocka_unit_test(objects_are_named_by_class_number_and_field),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
