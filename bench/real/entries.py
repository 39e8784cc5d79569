#!/usr/bin/env python3
"""Sets, reads and adds to entries of a redis server over several connections at once, and checks.

    entries.py PORT [CONNECTIONS [ROUNDS]]

Exit status: 0 if every answer was right. With 0 connections, the server is ended.
"""

import socket
import sys


class Connection:
    def __init__(self, port):
        self.socket = socket.create_connection(("127.0.0.1", port))
        self.file = self.socket.makefile("rb")

    def send(self, *words):
        text = f"*{len(words)}\r\n" + "".join(f"${len(word)}\r\n{word}\r\n" for word in words)
        self.socket.sendall(text.encode())

    def answer(self):
        head = self.file.readline().decode().strip()
        if head.startswith("$") and head != "$-1":
            return self.file.read(int(head[1:]) + 2)[:-2].decode()
        return head


def end(port):
    try:
        Connection(port).send("SHUTDOWN", "NOSAVE")
    except OSError:
        pass  # it has ended
    return 0


def main(port, connections=4, rounds=10):
    if connections == 0:
        return end(port)
    opened = [Connection(port) for _ in range(connections)]
    wrong = 0
    for i in range(rounds):
        for number, one in enumerate(opened):
            one.send("SET", f"key{number}", f"value{i}")
            one.send("INCR", "shared")
            one.send("GET", f"key{number}")
        for one in opened:
            wrong += one.answer() != "+OK"
            one.answer()
            wrong += one.answer() != f"value{i}"
    opened[0].send("GET", "shared")
    total = opened[0].answer()
    print(f"{wrong} wrong answers, total {total}")
    return 0 if not wrong and total == str(connections * rounds) else 1


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
