/* The programs of tests/symbol know their own names: they print addresses, and what must be found
 * there. Here they are run, and then looked at from outside. */
#include "symbol/frames.h"
#include "symbol/address_ranges.h"
#include "symbol/symbol.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

/* ---- running the programs ---- */

static const char *fixture(const char *name) {
    static char path[2][1024];
    static int turn;
    turn = !turn;
    snprintf(path[turn], sizeof path[turn], "%s/%s", FIXTURES, name);
    return path[turn];
}

static bool exists(const char *path) {
    return access(path, F_OK) == 0;
}

/* What is to be found at an address. */
struct expectation {
    bool is_call;
    uint64_t address;
    char text[512]; /* as the program printed it */
};

struct run {
    struct st_modules *modules;
    struct expectation *list;
    size_t count;
    char executable[1024];
    uint64_t start, end, bias; /* of the executable */
};

/* How the modules of a run are added: as they are, or the executable under another path. */
struct substitute {
    const char *path;
    bool without_build_id, other_build_id;
};

static void add_module(struct run *run, const char *line, const struct substitute *substitute) {
    struct st_module module = {0};
    char hex[200], path[1024];
    unsigned char build_id[100];
    int parts = sscanf(line, "module %" SCNx64 " %" SCNx64 " %" SCNx64 " %199s %1023[^\n]",
                       &module.start, &module.end, &module.bias, hex, path);
    assert_int_equal(parts, 5);
    for (const char *at = hex; at[0] && at[1]; at += 2)
        sscanf(at, "%2hhx", &build_id[module.build_id_size++]);
    module.build_id = build_id;
    module.path = path;
    if (!run->executable[0]) {
        strcpy(run->executable, path);
        run->start = module.start;
        run->end = module.end;
        run->bias = module.bias;
        if (substitute && substitute->path)
            module.path = substitute->path;
        if (substitute && substitute->without_build_id)
            module.build_id_size = 0;
        if (substitute && substitute->other_build_id)
            build_id[0] ^= 1;
    }
    st_modules_add(run->modules, &module);
}

static void add_expectation(struct run *run, const char *line) {
    struct expectation *new = &run->list[run->count++];
    assert_in_range(run->count, 1, 100);
    new->is_call = line[0] == 'c';
    assert_int_equal(sscanf(line, "%*s %" SCNx64 " %511[^\n]", &new->address, new->text), 2);
}

static struct run run(const char *program, const char *library,
                      const struct substitute *substitute) {
    struct run result = {.modules = st_modules_new(SOURCE_DIR "/tests/symbol")};
    char command[3000], line[3000];
    snprintf(command, sizeof command, "'%s' %s%s%s", program, library ? "'" : "",
             library ? library : "", library ? "'" : "");
    result.list = calloc(100, sizeof *result.list);
    FILE *output = popen(command, "r");
    assert_non_null(output);
    while (fgets(line, sizeof line, output)) {
        if (strncmp(line, "module", 6) == 0)
            add_module(&result, line, substitute);
        else if (strncmp(line, "note", 4) != 0)
            add_expectation(&result, line);
    }
    assert_int_equal(pclose(output), 0);
    assert_in_range(result.count, 10, 100);
    return result;
}

static void run_free(struct run *run) {
    st_modules_free(run->modules);
    free(run->list);
}

/* ---- comparing ---- */

static const char *source_of(const struct run *run) {
    return strstr(run->executable, "/c++-") ? "bank.cc" : "bank.c";
}

/* Writes the frames as the programs do it. Files must be right, and the last frame be the only one
 * that is not inlined. */
static void frames_text(struct run *run, uint64_t pc, char *text, size_t size) {
    size_t count, length = 0;
    const struct st_frame *frames = st_frames(run->modules, pc, &count);
    const struct st_function *function = st_function(run->modules, pc);
    const char *source =
        frames[0].file && strstr(frames[0].file, "ledger") ? "ledger.c" : source_of(run);
    for (size_t i = 0; i < count; i++) {
        assert_string_equal(frames[i].file, source);
        assert_int_equal(frames[i].inlined, i + 1 < count);
        length += (size_t)snprintf(text + length, size - length, "%s%s:%u", i ? " < " : "",
                                   frames[i].function, frames[i].line);
    }
    assert_string_equal(function->name, frames[count - 1].function);
    assert_string_equal(function->file, source);
    snprintf(text + length, size - length, " = %u", function->line);
}

static void check_everything(struct run *run) {
    for (size_t i = 0; i < run->count; i++) {
        const struct expectation *expected = &run->list[i];
        char found[1000];
        if (expected->is_call)
            frames_text(run, expected->address, found, sizeof found);
        else
            assert_int_equal(st_data_name(run->modules, expected->address, found, sizeof found),
                             ST_DATA_VARIABLE);
        assert_string_equal(found, expected->text);
    }
}

static void names_are_right(void **state) {
    const char *program = fixture(*state);
    if (!exists(program))
        skip();
    struct run result = run(program, NULL, NULL);
    check_everything(&result);
    assert_null(st_module_trouble(result.modules, result.start));
    run_free(&result);
}

static size_t calls_in(const struct run *run, const char *function) {
    size_t count = 0;
    for (size_t i = 0; i < run->count; i++)
        count += strncmp(run->list[i].text, function, strlen(function)) == 0;
    return count;
}

static void a_library_that_was_loaded_twice_has_its_names_at_both_places(void **state) {
    char program[100], library[100];
    snprintf(program, sizeof program, "c-%s-O2", (char *)*state);
    snprintf(library, sizeof library, "libledger-%s.so", (char *)*state);
    if (!exists(fixture(program)))
        skip();
    struct run result = run(fixture(program), fixture(library), NULL);
    assert_int_equal(calls_in(&result, "tell_inlined"), 2);
    assert_int_equal(calls_in(&result, "ledger_entries"), 2);
    check_everything(&result);
    run_free(&result);
}

/* ---- with less than debug information ---- */

/* The name of the function in which a call physically is: the last of an expectation. */
static void physical_function(const char *expected, char *name, size_t size) {
    const char *last = expected;
    for (const char *at = expected; (at = strstr(at, " < ")); at += 3)
        last = at + 3;
    snprintf(name, size, "%s", last);
    *strrchr(name, ':') = '\0'; /* of its line */
}

/* Templates that are too long to be shown are not spelled alike. */
static bool is_comparable(const char *name) {
    return !strstr(name, "...");
}

static void functions_come_from_the_symbol_table(void **state) {
    const char *program = fixture(*state);
    if (!exists(program))
        skip();
    struct run result = run(program, NULL, NULL);
    for (size_t i = 0; i < result.count; i++) {
        const struct expectation *expected = &result.list[i];
        char name[512];
        size_t count;
        if (!expected->is_call)
            continue;
        physical_function(expected->text, name, sizeof name);
        const struct st_frame *frames = st_frames(result.modules, expected->address, &count);
        assert_int_equal(count, 1);
        if (is_comparable(name))
            assert_string_equal(frames[0].function, name);
        assert_null(frames[0].file);
        assert_int_equal(frames[0].line, 0);
        assert_false(frames[0].inlined);
        assert_null(st_function(result.modules, expected->address)->file);
    }
    assert_string_equal(st_module_trouble(result.modules, result.start),
                        "has no debug information; compile it with -g");
    run_free(&result);
}

static const struct expectation *find(const struct run *run, const char *text) {
    for (size_t i = 0; i < run->count; i++)
        if (strcmp(run->list[i].text, text) == 0)
            return &run->list[i];
    fail_msg("%s is not there", text);
    return NULL;
}

static void expect_data(const struct run *run, const char *text, enum st_data_kind kind,
                        const char *name) {
    char found[300];
    assert_int_equal(st_data_name(run->modules, find(run, text)->address, found, sizeof found),
                     kind);
    assert_string_equal(found, name);
}

static void variables_come_from_the_symbol_table(void **state) {
    const char *program = fixture(*state);
    if (!exists(program))
        skip();
    struct run result = run(program, NULL, NULL);
    expect_data(&result, "total", ST_DATA_SYMBOL, "total");
    expect_data(&result, "matrix[2][1]", ST_DATA_SYMBOL, "matrix+0x24");
    expect_data(&result, "config.name[5]", ST_DATA_SYMBOL, "config+0x5");
    run_free(&result);
}

static void expect_module_offsets(const struct run *run, const char *module) {
    for (size_t i = 0; i < run->count; i++) {
        const struct expectation *expected = &run->list[i];
        char found[300], name[300];
        size_t count;
        uint64_t address = expected->address;
        snprintf(name, sizeof name, "%s+0x%" PRIx64, module, address - run->bias);
        assert_int_equal(st_data_name(run->modules, address, found, sizeof found), ST_DATA_MODULE);
        assert_string_equal(found, name);
        const struct st_frame *frames = st_frames(run->modules, address + 1, &count);
        assert_int_equal(count, 1);
        assert_string_equal(frames[0].function, name);
        assert_null(frames[0].file);
        assert_string_equal(st_function(run->modules, address + 1)->name, name);
    }
}

static void a_stripped_program_gives_offsets_in_it(void **state) {
    (void)state;
    if (!exists(fixture("c-gcc-stripped")))
        skip();
    struct run result = run(fixture("c-gcc-stripped"), NULL, NULL);
    expect_module_offsets(&result, "c-gcc-stripped");
    run_free(&result);
}

static void a_stripped_library_has_the_names_that_it_exports(void **state) {
    (void)state;
    if (!exists(fixture("libledger-stripped.so")))
        skip();
    struct run result = run(fixture("c-gcc-O2"), fixture("libledger-stripped.so"), NULL);
    size_t named = 0, nameless = 0, count;
    for (size_t i = 0; i < result.count; i++) {
        const struct expectation *expected = &result.list[i];
        if (strncmp(expected->text, "ledger_tell:", 12) == 0) {
            assert_string_equal(st_frames(result.modules, expected->address, &count)->function,
                                "ledger_tell");
            named++;
        } else if (strncmp(expected->text, "tell_inlined:", 13) == 0) {
            assert_ptr_equal(strstr(st_frames(result.modules, expected->address, &count)->function,
                                    "libledger-stripped.so+0x"),
                             st_frames(result.modules, expected->address, &count)->function);
            nameless++;
        }
    }
    assert_int_equal(named, 2);
    assert_int_equal(nameless, 2);
    expect_data(&result, "ledger_entries[2].to", ST_DATA_SYMBOL, "ledger_entries+0x14");
    run_free(&result);
}

/* ---- with other files than those that ran ---- */

static void a_program_that_was_deleted_gives_offsets_in_it(void **state) {
    (void)state;
    struct substitute deleted = {.path = "/nonexistent/bank (deleted)"};
    struct run result = run(fixture("c-gcc-O0"), NULL, &deleted);
    expect_module_offsets(&result, "bank");
    assert_string_equal(st_module_trouble(result.modules, result.start),
                        "is not there any more; run it again");
    run_free(&result);
}

static void a_program_that_was_built_again_gives_offsets_in_it(void **state) {
    (void)state;
    struct substitute changed = {.other_build_id = true};
    struct run result = run(fixture("c-gcc-O0"), NULL, &changed);
    expect_module_offsets(&result, "c-gcc-O0");
    assert_string_equal(st_module_trouble(result.modules, result.start),
                        "has changed since it ran; run it again");
    run_free(&result);
}

static void a_program_of_unknown_build_id_is_taken_as_it_is(void **state) {
    (void)state;
    struct substitute unknown = {.without_build_id = true};
    struct run result = run(fixture("c-gcc-O0"), NULL, &unknown);
    check_everything(&result);
    run_free(&result);
}

static void what_is_no_program_is_neither_waited_for_nor_trusted(void **state) {
    (void)state;
    char pipe[] = "/tmp/seriatim-test-XXXXXX", text[] = SOURCE_DIR "/README.md";
    int fd = mkstemp(pipe);
    assert_true(fd >= 0);
    close(fd);
    unlink(pipe);
    assert_int_equal(mkfifo(pipe, 0600), 0);
    const char *const paths[] = {pipe, "/tmp", "/dev/null", text};
    for (size_t i = 0; i < 4; i++) {
        struct substitute other = {.path = paths[i], .without_build_id = true};
        struct run result = run(fixture("c-gcc-O0"), NULL, &other);
        expect_module_offsets(&result, strrchr(paths[i], '/') + 1);
        assert_non_null(st_module_trouble(result.modules, result.start));
        run_free(&result);
    }
    unlink(pipe);
}

/* ---- damaged files ---- */

static char *read_file(const char *path, size_t *size) {
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    fseek(file, 0, SEEK_END);
    *size = (size_t)ftell(file);
    rewind(file);
    char *bytes = malloc(*size);
    assert_int_equal(fread(bytes, 1, *size, file), *size);
    fclose(file);
    return bytes;
}

static void write_file(const char *path, const char *bytes, size_t size) {
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

/* Asks for everything. The answers may be anything that is printable. */
static void ask(const struct run *run, const char *path) {
    struct st_modules *modules = st_modules_new("/");
    struct st_module module = {
        .path = path, .start = run->start, .end = run->end, .bias = run->bias};
    st_modules_add(modules, &module);
    for (size_t i = 0; i < run->count; i++) {
        char name[100];
        size_t count;
        const struct st_frame *frames = st_frames(modules, run->list[i].address, &count);
        assert_true(count > 0);
        for (size_t j = 0; j < count; j++)
            assert_true(frames[j].function[0]);
        st_data_name(modules, run->list[i].address, name, sizeof name);
        assert_true(strlen(name) > 0);
    }
    st_modules_free(modules);
}

static uint32_t random_state;

static uint32_t next_random(void) {
    random_state = random_state * 1664525 + 1013904223;
    return random_state >> 8;
}

static void damage_is_survived(void **state) {
    if (!exists(fixture(*state)))
        skip();
    struct run result = run(fixture(*state), NULL, NULL);
    char path[] = "/tmp/seriatim-test-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    size_t size;
    char *whole = read_file(result.executable, &size), *damaged = malloc(size);
    for (size_t cut = 0; cut < size; cut += size / 50 + 1) {
        write_file(path, whole, cut);
        ask(&result, path);
    }
    for (uint32_t i = 0; i < 150; i++) {
        random_state = i;
        memcpy(damaged, whole, size);
        for (uint32_t j = 0; j < 1u << i % 11; j++) /* in the headers, or anywhere */
            damaged[next_random() % (i % 5 ? size : 1000)] = (char)next_random();
        write_file(path, damaged, size);
        ask(&result, path);
    }
    free(whole);
    free(damaged);
    unlink(path);
    run_free(&result);
}

/* ---- modules ---- */

static void addresses_without_a_file_have_clear_names(void **state) {
    (void)state;
    struct st_modules *modules = st_modules_new(NULL);
    const struct st_module list[] = {
        {.path = "[heap]", .start = 0x1000, .end = 0x2000},
        {.path = "", .start = 0x3000, .end = 0x4000},
        {.path = "[vdso]", .start = 0x5000, .end = 0x6000},
        {.path = "linux-vdso.so.1", .start = 0x7000, .end = 0x8000, .bias = 0x7000},
    };
    const struct {
        uint64_t address;
        enum st_data_kind kind;
        const char *name;
    } expected[] = {
        {0x1000, ST_DATA_MODULE, "[heap]+0x0"},
        {0x1fff, ST_DATA_MODULE, "[heap]+0xfff"},
        {0x3010, ST_DATA_MODULE, "[anonymous]+0x10"},
        {0x5020, ST_DATA_MODULE, "[vdso]+0x20"},
        {0x7020, ST_DATA_MODULE, "linux-vdso.so.1+0x20"},
        {0x2000, ST_DATA_UNKNOWN, "0x2000"},
        {0, ST_DATA_UNKNOWN, "0x0"},
        {UINT64_MAX, ST_DATA_UNKNOWN, "0xffffffffffffffff"},
    };
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        st_modules_add(modules, &list[i]);
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        char name[100];
        size_t count;
        uint64_t address = expected[i].address;
        assert_int_equal(st_data_name(modules, address, name, sizeof name), expected[i].kind);
        assert_string_equal(name, expected[i].name);
        const struct st_frame *frames = st_frames(modules, address + 1, &count);
        assert_int_equal(count, 1);
        assert_string_equal(frames->function, expected[i].name);
        assert_null(st_module_trouble(modules, address));
    }
    st_modules_free(modules);
}

static void the_module_that_was_added_last_counts(void **state) {
    (void)state;
    struct st_modules *modules = st_modules_new(NULL);
    char name[100];
    size_t count;
    assert_string_equal(st_frames(modules, 0x1501, &count)->function, "0x1500");
    st_modules_add(modules, &(struct st_module){.path = "[one]", .start = 0x1000, .end = 0x3000});
    assert_string_equal(st_frames(modules, 0x1501, &count)->function, "[one]+0x500");
    st_modules_add(modules, &(struct st_module){.path = "[two]", .start = 0x1400, .end = 0x2000});
    assert_string_equal(st_frames(modules, 0x1501, &count)->function, "[two]+0x100");
    assert_string_equal(st_frames(modules, 0x1101, &count)->function, "[one]+0x100");
    st_data_name(modules, 0x2000, name, sizeof name);
    assert_string_equal(name, "[one]+0x1000");
    st_modules_free(modules);
}

static void a_look_up_is_done_once(void **state) {
    (void)state;
    struct run result = run(fixture("c-gcc-O2"), NULL, NULL);
    for (size_t i = 0; i < result.count; i++) {
        size_t one, other;
        uint64_t pc = result.list[i].address;
        const struct st_frame *frames = st_frames(result.modules, pc, &one);
        assert_ptr_equal(frames, st_frames(result.modules, pc, &other));
        assert_int_equal(one, other);
        assert_ptr_equal(st_function(result.modules, pc), st_function(result.modules, pc));
    }
    run_free(&result);
}

static void names_are_cut_to_the_buffer(void **state) {
    (void)state;
    struct st_modules *modules = st_modules_new(NULL);
    char name[8] = "???????";
    st_data_name(modules, 0x123456789, name, 5);
    assert_string_equal(name, "0x12");
    assert_memory_equal(name + 5, "??", 2);
    st_modules_free(modules);
}

/* ---- paths and ranges ---- */

static void source_files_are_named_relative_to_the_base(void **state) {
    (void)state;
    static const struct {
        const char *base, *directory, *file, *path;
    } cases[] = {
        {"/home/u/bank", "/home/u/bank", "src/a.c", "src/a.c"},
        {"/home/u/bank/", "/home/u/bank/build", "../src/./a.c", "src/a.c"},
        {"/home/u/bank", "/elsewhere", "/home/u/bank/a.c", "a.c"},
        {"/home/u/bank", "/home/u/banks", "a.c", "/home/u/banks/a.c"},
        {"/home/u/bank", "/usr", "include//stdio.h", "/usr/include/stdio.h"},
        {"/", "/usr", "a.c", "usr/a.c"},
        {NULL, "/usr", "../../../a.c", "/a.c"},
        {NULL, NULL, "src/a.c", "src/a.c"},
        {NULL, ".", "./src/a.c", "src/a.c"},
        {NULL, NULL, "../../a.c", "../../a.c"},
        {NULL, "src", "../../a.c", "../a.c"},
        {NULL, "/b", "a\n.c", "/b/a?.c"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *path = st_source_path(cases[i].base, cases[i].directory, cases[i].file);
        assert_string_equal(path, cases[i].path);
        free(path);
    }
}

static void the_innermost_span_is_found(void **state) {
    (void)state;
    struct st_address_ranges spans = {0};
    assert_null(st_address_ranges_find(&spans, 0));
    st_address_ranges_add(&spans, 10, 100, 0);
    st_address_ranges_add(&spans, 20, 30, 1);
    st_address_ranges_add(&spans, 20, 25, 2);
    st_address_ranges_add(&spans, 20, 25, 3);
    st_address_ranges_add(&spans, 40, 40, 4);
    st_address_ranges_add(&spans, 200, UINT64_MAX, 5);
    st_address_ranges_sort(&spans);
    assert_null(st_address_ranges_find(&spans, 9));
    assert_int_equal(st_address_ranges_find(&spans, 10)->what, 0);
    assert_int_equal(st_address_ranges_find(&spans, 24)->what, 2);
    assert_int_equal(st_address_ranges_find(&spans, 25)->what, 1);
    assert_int_equal(st_address_ranges_find(&spans, 30)->what, 0);
    assert_int_equal(st_address_ranges_find(&spans, 40)->what, 0);
    assert_null(st_address_ranges_find(&spans, 100));
    assert_int_equal(st_address_ranges_find(&spans, UINT64_MAX - 1)->what, 5);
    assert_null(st_address_ranges_find(&spans, UINT64_MAX));
    st_address_ranges_free(&spans);
}

/* The tests before this one have asked for files without debug information. */
static void nothing_was_loaded_that_asks_servers(void **state) {
    (void)state;
    char line[4096];
    FILE *maps = fopen("/proc/self/maps", "r");
    assert_non_null(maps);
    while (fgets(line, sizeof line, maps))
        assert_null(strstr(line, "libdebuginfod"));
    fclose(maps);
}

#define FOR(test, sentence, what)                                                                  \
    { sentence, test, NULL, NULL, (void *)(uintptr_t)what }
#define NAMES(how, program)                                                                        \
    FOR(names_are_right, "names are right in a program compiled " how, program)
#define SYMBOLS(how, program)                                                                      \
    FOR(functions_come_from_the_symbol_table, "functions come from the symbol table " how, program)

int main(void) {
    /* No test may go to the network for debug information. */
    unsetenv("DEBUGINFOD_URLS");
    const struct CMUnitTest tests[] = {
        NAMES("by gcc -O0", "c-gcc-O0"),
        NAMES("by gcc -O1", "c-gcc-O1"),
        NAMES("by gcc -O2", "c-gcc-O2"),
        NAMES("by gcc -O2 with DWARF 4", "c-gcc-dwarf4"),
        NAMES("by gcc -O2 for a fixed address", "c-gcc-fixed"),
        NAMES("by gcc -O2 with split DWARF", "c-gcc-split"),
        NAMES("by gcc -O2 -flto", "c-gcc-lto"),
        NAMES("by gcc -O2, its debug information compressed", "c-gcc-compressed"),
        NAMES("by gcc -O2, its debug information in a file beside it", "c-gcc-separate"),
        NAMES("by clang -O0", "c-clang-O0"),
        NAMES("by clang -O1", "c-clang-O1"),
        NAMES("by clang -O2", "c-clang-O2"),
        NAMES("by clang -O2 with DWARF 4", "c-clang-dwarf4"),
        NAMES("by clang -O2 for a fixed address", "c-clang-fixed"),
        NAMES("by gcc and linked with a library that defines one of its variables", "c-gcc-linked"),
        NAMES("by clang and linked with a library that defines one of its variables",
              "c-clang-linked"),
        NAMES("by g++ -O0", "c++-g++-O0"),
        NAMES("by g++ -O2", "c++-g++-O2"),
        NAMES("by g++ -O2 with DWARF 4", "c++-g++-dwarf4"),
        NAMES("by clang++ -O0", "c++-clang++-O0"),
        NAMES("by clang++ -O2", "c++-clang++-O2"),
        NAMES("by clang++ -O2 with DWARF 4", "c++-clang++-dwarf4"),
        FOR(a_library_that_was_loaded_twice_has_its_names_at_both_places,
            "a library of gcc that was loaded twice has its names at both places", "gcc"),
        FOR(a_library_that_was_loaded_twice_has_its_names_at_both_places,
            "a library of clang that was loaded twice has its names at both places", "clang"),
        SYMBOLS("of gcc without -g", "c-gcc-symbols"),
        SYMBOLS("of clang without -g", "c-clang-symbols"),
        SYMBOLS("of g++ without -g", "c++-g++-symbols"),
        SYMBOLS("of clang++ without -g", "c++-clang++-symbols"),
        FOR(variables_come_from_the_symbol_table,
            "variables come from the symbol table of gcc without -g", "c-gcc-symbols"),
        FOR(variables_come_from_the_symbol_table,
            "variables come from the symbol table of clang without -g", "c-clang-symbols"),
        cmocka_unit_test(a_stripped_program_gives_offsets_in_it),
        cmocka_unit_test(a_stripped_library_has_the_names_that_it_exports),
        cmocka_unit_test(a_program_that_was_deleted_gives_offsets_in_it),
        cmocka_unit_test(a_program_that_was_built_again_gives_offsets_in_it),
        cmocka_unit_test(a_program_of_unknown_build_id_is_taken_as_it_is),
        cmocka_unit_test(what_is_no_program_is_neither_waited_for_nor_trusted),
        FOR(damage_is_survived, "damage to a program of gcc is survived", "c-gcc-O2"),
        FOR(damage_is_survived, "damage to a program of clang is survived", "c-clang-dwarf4"),
        FOR(damage_is_survived, "damage to a program of g++ is survived", "c++-g++-O2"),
        cmocka_unit_test(addresses_without_a_file_have_clear_names),
        cmocka_unit_test(the_module_that_was_added_last_counts),
        cmocka_unit_test(a_look_up_is_done_once),
        cmocka_unit_test(names_are_cut_to_the_buffer),
        cmocka_unit_test(source_files_are_named_relative_to_the_base),
        cmocka_unit_test(the_innermost_span_is_found),
        cmocka_unit_test(nothing_was_loaded_that_asks_servers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
