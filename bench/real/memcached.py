"""memcached: serves clients on the loopback device.

There are three clients, all of which check the answers: memccapable of libmemcached goes through
the whole protocol, memcslap of libmemcached generates load, and our own reads back everything that
it stored, from several threads at once.
"""

import os
import re
import signal
import socket
import subprocess
import threading
import time

import client
import packages
from measuring import Trouble

PACKAGE = "memcached"
THREADS = 4
LOAD = 2000  # operations of each thread of a client


def build(folder, way, compilers):
    place = packages.copy(folder, PACKAGE, way)
    packages.make(place, ["./configure", "CC=" + compilers.cc], ["make", "-j2", "memcached"])
    return os.path.join(place, "memcached")


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def arguments(port, pid_file):
    user = ["-u", "root"] if os.geteuid() == 0 else []
    return user + ["-l", "127.0.0.1", "-p", str(port), "-U", "0", "-t", str(THREADS), "-P", pid_file]


def wait_until_served(port, is_running):
    while is_running():
        try:
            socket.create_connection(("127.0.0.1", port)).close()
            return
        except OSError:
            time.sleep(0.02)
    raise Trouble("memcached ended before it served anybody")


def ask(*words):
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


def capable(port):
    status, text = ask("memccapable", "-h", "127.0.0.1", "-p", str(port))
    failed = re.findall(r"^.*\[FAIL\].*$", text, re.M)
    if status != 0 or failed or "All tests passed" not in text:
        raise Trouble("memccapable is not content: " + (failed or [text])[0])


def slap(port, load):
    for test in ("set", "get", "mget"):
        status, text = ask("memcslap", "-s", f"127.0.0.1:{port}", "-t", test, "-c", str(THREADS),
                           "-e", str(load))
        if status != 0 or "Time total" not in text:
            raise Trouble(f"memcslap -t {test} failed: {text.strip()}")


def end(server, pid_file):
    """Ends the program that the thread `server` runs."""
    while server.is_alive():
        try:
            with open(pid_file, encoding="ascii") as file:
                os.kill(int(file.read()), signal.SIGTERM)
        except (OSError, ValueError):
            pass  # it writes the file when it starts serving, and removes it at the end
        server.join(0.5)


class Work:
    def __init__(self, folder):
        self.pid_file = os.path.join(os.path.abspath(folder), "memcached.pid")

    def pieces(self):
        return [("memcached: serve", self._serve)]

    def _serve(self, bench, program):
        port = free_port()
        runs = []

        def launch():
            runs.append(bench.launch([program] + arguments(port, self.pid_file)))

        if os.path.exists(self.pid_file):
            os.remove(self.pid_file)
        server = threading.Thread(target=launch)
        server.start()
        try:
            wait_until_served(port, server.is_alive)
            slap(port, LOAD)
            client.work(port, THREADS, LOAD)
            capable(port)
        finally:
            end(server, self.pid_file)
        if not runs:
            raise Trouble("memcached could not be measured")
        return runs[0]
