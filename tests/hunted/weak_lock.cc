// `expired` and `lock` of a weak pointer are two steps: the object goes away in between, and what
// `lock` returns is null.
//
// EXPECT violated: describe
// EXPECT harm: crash
// TWIN -DFIXED
// EXPECT-FIXED none
#include <iostream>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

struct Document {
    std::string title = "notes";
};

static std::shared_ptr<Document> opened = std::make_shared<Document>();

static std::mutex closing;

static std::string describe(const std::weak_ptr<Document> &weak) {
#ifdef FIXED
    std::lock_guard<std::mutex> guard(closing);
    if (auto document = weak.lock())
        return document->title;
#else
    if (!weak.expired()) {
        std::string prefix = "the "; // @gap
        return prefix + weak.lock()->title;
    }
#endif
    return "nothing";
}

static void close_document() {
    std::lock_guard<std::mutex> guard(closing);
    opened.reset();
}

int main() {
    std::weak_ptr<Document> weak = opened;
    std::string title;
    std::thread viewer([&] { title = describe(weak); });
    std::thread closer(close_document);
    viewer.join();
    closer.join();
    std::cout << (title.empty() ? "empty" : "described") << std::endl;
    return title.empty();
}
