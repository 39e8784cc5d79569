// The log is opened once by whoever reads and once by whoever writes: there are two flags for one
// log, and it is opened twice.
//
// EXPECT violated: open_log
// EXPECT harm: status 1
// TWIN -DFIXED
// EXPECT-FIXED none
#include <atomic>
#include <iostream>
#include <mutex>
#include <thread>

static std::once_flag opened_to_read;
#ifdef FIXED
#define OPENED_TO_WRITE opened_to_read
#else
static std::once_flag OPENED_TO_WRITE;
#endif
static std::atomic<int> handle{-1}, opened{0};

static void open_log() {
    if (handle.load() < 0) {
        int fresh = ++opened; // @gap
        handle.store(fresh);
    }
}

static void read_log() {
    std::call_once(opened_to_read, open_log);
}

static void write_log() {
    std::call_once(OPENED_TO_WRITE, open_log);
}

int main() {
    std::thread reader(read_log);
    std::thread writer(write_log);
    reader.join();
    writer.join();
    std::cout << "opened " << opened << " times" << std::endl;
    return opened != 1;
}
