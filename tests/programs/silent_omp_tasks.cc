// Tasks in C++: their data are copied by constructors when they are created, and destroyed when
// they end, in whatever thread that is. The runtime allocates them, and they may need more alignment
// than it gives by itself.
//
// FLAGS -fopenmp
// EXPECT none
#include "schedule.h"
#include <cstdint>
#include <omp.h>
#include <string>
#include <vector>

struct alignas(64) wide {
    int values[20];
};

static std::vector<std::string> names;

static BLOCK void rename(size_t i, const std::string &name) {
    names[i] = name + name;
}

static BLOCK void rename_all(void) {
    std::string prefix = "a long name that does not fit into the string itself ";
    wide numbers = {};
    for (size_t i = 0; i < names.size(); i++) {
        numbers.values[i % 20] = (int)i;
#pragma omp task firstprivate(prefix, numbers, i)
        {
            check(reinterpret_cast<uintptr_t>(&numbers) % 64 == 0);
            check(numbers.values[i % 20] == (int)i);
            rename(i, prefix + std::to_string(numbers.values[i % 20]));
        }
    }
#pragma omp taskloop firstprivate(prefix) nogroup
    for (size_t i = 0; i < 8; i++)
        check(prefix.size() > 20);
#pragma omp taskwait
    for (auto &name : names)
        check(name.size() > 100);
}

int main() {
    names.resize(30);
#pragma omp parallel num_threads(3)
#pragma omp single
    rename_all();
    rename_all();
    puts("ok");
    return 0;
}
