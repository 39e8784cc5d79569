// Tasks and their results: std::async, std::promise, std::packaged_task. What a task wrote is read
// after the future was ready.
//
// FLAGS -std=c++17
// SPEC atomic function square
// SPEC atomic function join_up
// EXPECT none
#include "schedule.h"

#include <future>
#include <string>
#include <thread>

static BLOCK int square(int number) {
    return number * number;
}

static BLOCK std::string join_up(const std::string &left, const std::string &right) {
    return left + right;
}

int main() {
    std::future<int> nine = std::async(std::launch::async, square, 3);
    std::promise<std::string> promise;
    std::thread writer([&promise] { promise.set_value(join_up("some text ", "that is long")); });
    std::packaged_task<int(int)> task(square);
    std::future<int> sixteen = task.get_future();
    std::thread worker(std::move(task), 4);
    check(nine.get() + sixteen.get() == 25);
    check(promise.get_future().get() == "some text that is long");
    writer.join();
    worker.join();
    puts("ok");
    return 0;
}
