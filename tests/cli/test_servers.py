"""seriatim hunt --client: a server and its client take turns, so that what a client sees can be
replayed."""

import pathlib
import time
import unittest

from hunting import LISTENS, Hunting
from schemas import RESULT, complaints, strict, validator

# Counts the bytes 'x' of all connections, and answers 'q' with the count.
SERVER = """
#include <netinet/in.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
#ifdef FIXED
static pthread_mutex_t hits_lock = PTHREAD_MUTEX_INITIALIZER;
#define LOCK pthread_mutex_lock(&hits_lock)
#define UNLOCK pthread_mutex_unlock(&hits_lock)
#else
#define LOCK
#define UNLOCK
#endif
static int hits;
static int get(void) {
    pthread_mutex_lock(&lock);
    int value = hits;
    pthread_mutex_unlock(&lock);
    return value;
}
static void set(int value) {
    pthread_mutex_lock(&lock);
    hits = value;
    pthread_mutex_unlock(&lock);
}
static void hit(void) {
    LOCK;
    set(get() + 1);
    UNLOCK;
}
static void *serve(void *argument) {
    int fd = (int)(long)argument;
    char byte;
    while (read(fd, &byte, 1) == 1) {
        if (byte == 'x')
            hit();
        else
            byte = '0' + get();
        if (write(fd, &byte, 1) != 1)
            break;
    }
    close(fd);
    return NULL;
}
""" + LISTENS

CLIENT = """
import socket, sys
port = int(open(sys.argv[1]).read())
clients = [socket.create_connection(("127.0.0.1", port)) for _ in range(2)]
for client in clients:
    client.send(b"x")
for client in clients:
    client.recv(1)
clients[0].send(b"q")
hits = clients[0].recv(1).decode()
print(hits, "hits")
sys.exit(hits != "2")
"""

# Never waits for the server, nor for anything else.
IMPATIENT = """
import socket, sys
port = int(open(sys.argv[1]).read())
client = socket.create_connection(("127.0.0.1", port))
client.setblocking(False)
client.send(b"q")
while True:
    try:
        print(client.recv(1).decode(), "hits")
        break
    except BlockingIOError:
        pass
"""


class Servers(Hunting):
    def serve(self, *options, flags=(), client=CLIENT, runs=40):
        program = self.source(SERVER, *flags)
        self.write("client.py", client)
        return self.hunt(program, "--client", "python3 client.py port", "--runs", str(runs),
                         "--time", "1000", *options, arguments=["port"])

    def test_what_the_client_sees_is_a_finding_and_is_replayed(self):
        result = self.serve()
        self.assertEqual((result.message, result.status), ("", 1))
        self.assertEqual(complaints(validator(strict(RESULT)), result.json), [])
        failure, = result.json["failures"]
        self.assertEqual((failure["kind"], failure["client"], failure["status"], failure["expected_status"]),
                         ("status", True, 1, 0))
        self.assertEqual((failure["printed"], failure["expected"]), ("1 hits", "2 hits"))
        self.assertEqual((failure["minimised"], failure["replayed"]), (True, "10/10"))
        self.assertIn(("hit", "status"), [(cut["block"], cut["outcome"]) for cut in result.json["violations"]])
        for _ in range(3):
            again = self.replay(self.folder / failure["schedule"])
            self.assertEqual((again.text, again.status), ("1 hits\n", 1))
            failed, = self.replayed()["failures"]
            self.assertEqual((failed["status"], failed["client"]), (1, True))
        text = self.run_here("replay", self.folder / failure["schedule"]).message
        self.assertIn("The program failed: its client ended with status 1 instead of 0.", text)
        self.assertIn("The client then ended with status 1 instead of 0.", text)

    def test_a_repaired_server_has_no_findings(self):
        result = self.serve(flags=["-DFIXED"], runs=20)
        self.assertEqual((result.message, result.status), ("", 0))
        self.assertEqual((result.json["violations"], result.json["failures"]), ([], []))

    def test_a_client_that_fails_in_each_run_is_no_finding(self):
        result = self.serve(flags=["-DFIXED"], client=CLIENT.replace('hits != "2"', "7"), runs=10)
        self.assertEqual((result.json["violations"], result.json["failures"]), ([], []))

    def test_a_client_that_never_waits(self):
        result = self.serve(flags=["-DFIXED"], client=IMPATIENT, runs=3)
        self.assertEqual((result.message, result.status), ("", 0))

    def test_no_client_is_left(self):
        """One that does not end by itself, nor when it is asked to."""
        waits = ("import os, signal, time\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
                 "open('clients', 'a').write(f'{os.getpid()}\\n')\ntime.sleep(1000)\n")
        result = self.serve("--run-time", "4", flags=["-DFIXED"], client=waits, runs=3)
        self.assertEqual(result.status, 0)
        clients = (self.folder / "clients").read_text().split()
        self.assertTrue(clients)
        for client in clients:
            state = pathlib.Path("/proc", client, "stat")
            while state.exists() and state.read_text().rsplit(")", 1)[1].split()[0] not in "ZX":
                time.sleep(0.01)  # it was killed, and ends soon


if __name__ == "__main__":
    unittest.main()
