#!/usr/bin/env python3
"""Adds to a counter of memcached over several connections at once, and counts.

    increments.py PORT [CONNECTIONS]

The counter begins with 9, so that the first increment makes it longer. Exit status: 0 if all
increments were counted, 1 if one was lost.
"""

import sys

from client import Connection


def main(port, connections=2):
    opened = [Connection(port) for _ in range(connections)]
    opened[0].store("n", b"9")
    for one in opened:
        one.socket.sendall(b"incr n 1\r\n")
    for one in opened:
        one.line()
    counted = int(opened[0].get("n")[0]) - 9
    print(f"{counted} of {connections} increments were counted")
    return 0 if counted == connections else 1


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
