// Writes to a leveldb from two threads while its own compaction runs, and prints what is in it.
//
//     store FOLDER [ENTRIES [read]]
//
// With `read`, each thread reads back at once what it has written.
#include <leveldb/db.h>
#include <leveldb/write_batch.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>

static int entries = 60; // of each thread
static bool reads = false;

static void check(const leveldb::Status &status) {
    if (!status.ok()) {
        std::fprintf(stderr, "store: %s\n", status.ToString().c_str());
        std::exit(2);
    }
}

static void fill(leveldb::DB *db, int writer) {
    for (int i = 0; i < entries; i++) {
        std::string key = std::to_string(writer) + "." + std::to_string(i);
        check(db->Put(leveldb::WriteOptions(), key, std::string(2000, 'a' + i % 26)));
        std::string value;
        if (reads)
            check(db->Get(leveldb::ReadOptions(), key, &value));
    }
}

int main(int argc, char **argv) {
    leveldb::DB *db = nullptr;
    leveldb::Options options;
    options.create_if_missing = true;
    options.write_buffer_size = 64 << 10;
    if (argc < 2 || argc > 4)
        return 2;
    if (argc > 2)
        entries = std::atoi(argv[2]);
    reads = argc > 3;
    leveldb::DestroyDB(argv[1], options);
    check(leveldb::DB::Open(options, argv[1], &db));
    std::thread one(fill, db, 1), other(fill, db, 2);
    one.join();
    other.join();
    db->CompactRange(nullptr, nullptr);
    leveldb::Iterator *all = db->NewIterator(leveldb::ReadOptions());
    for (all->SeekToFirst(); all->Valid(); all->Next())
        std::printf("%s %zu %c\n", all->key().ToString().c_str(), all->value().size(),
                    all->value()[0]);
    check(all->status());
    delete all;
    delete db;
    leveldb::DestroyDB(argv[1], options);
    return 0;
}
