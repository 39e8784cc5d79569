#!/usr/bin/env python3
"""A client of memcached that knows the right answers.

    client.py PORT [THREADS [OPERATIONS]]

Each thread stores values under its own keys and reads them back, deletes some, and adds to shared
counters: with incr, and with gets and cas, which it retries if another thread came first.
"""

import os
import random
import socket
import sys
import threading


class Wrong(Exception):
    """An answer that cannot be right."""


class Connection:
    def __init__(self, port):
        self.socket = socket.create_connection(("127.0.0.1", port))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.file = self.socket.makefile("rb")

    def close(self):
        self.file.close()
        self.socket.close()

    def line(self):
        line = self.file.readline()
        if not line.endswith(b"\r\n"):
            raise Wrong(f"the connection ended in the middle of {line!r}")
        return line[:-2].decode()

    def command(self, text, data=None):
        self.socket.sendall(text.encode() + b"\r\n" + (b"" if data is None else data + b"\r\n"))
        return self.line()

    def expect(self, answer, text, data=None):
        got = self.command(text, data)
        if got != answer:
            raise Wrong(f"{text}: {got} instead of {answer}")

    def store(self, key, value):
        self.expect("STORED", f"set {key} 0 0 {len(value)}", value)

    def get(self, key, command="get"):
        """The value and its version number, or None."""
        head = self.command(f"{command} {key}")
        if head == "END":
            return None
        words = head.split()
        if words[:2] != ["VALUE", key]:
            raise Wrong(f"{command} {key}: {head}")
        value = self.file.read(int(words[3]) + 2)[:-2]
        if self.line() != "END":
            raise Wrong(f"{command} {key}: no END")
        return value, words[4] if len(words) > 4 else None

    def add_by_cas(self, key):
        while True:
            value, version = self.get(key, "gets")
            more = str(int(value) + 1).encode()
            answer = self.command(f"cas {key} 0 0 {len(more)} {version}", more)
            if answer == "STORED":
                return
            if answer != "EXISTS":
                raise Wrong(f"cas {key}: {answer}")


def one_thread(port, number, operations, trouble):
    chance = random.Random(number)
    mine = {}
    try:
        connection = Connection(port)
        for i in range(operations):
            key = f"{os.getpid()}-{number}-{chance.randrange(200)}"
            kind = i % 8
            if kind < 3:
                mine[key] = chance.randbytes(chance.randrange(2000))
                connection.store(key, mine[key])
            elif kind < 6:
                got = connection.get(key)
                if (got and got[0]) != mine.get(key):
                    raise Wrong(f"get {key}: not what was stored")
            elif kind == 6:
                connection.command("incr shared 1")
                connection.add_by_cas("versions")
            else:
                connection.expect("DELETED" if mine.pop(key, None) is not None else "NOT_FOUND",
                                  f"delete {key}")
        connection.close()
    except (Wrong, OSError) as wrong:
        trouble.append(f"client {number}: {wrong}")


def work(port, threads=4, operations=2000):
    """Raises Wrong if any answer was wrong."""
    connection = Connection(port)
    connection.store("shared", b"0")
    connection.store("versions", b"0")
    trouble = []
    clients = [threading.Thread(target=one_thread, args=(port, i, operations, trouble))
               for i in range(threads)]
    for one in clients:
        one.start()
    for one in clients:
        one.join()
    if trouble:
        raise Wrong("; ".join(trouble))
    added = threads * len([i for i in range(operations) if i % 8 == 6])
    for key in ("shared", "versions"):
        if int(connection.get(key)[0]) != added:
            raise Wrong(f"{key} is {connection.get(key)[0]}, not {added}")
    connection.close()


if __name__ == "__main__":
    try:
        work(*map(int, sys.argv[1:]))
    except (Wrong, OSError) as wrong:
        sys.exit(f"client: {wrong}")
