"""What the tests of hunt and replay share: programs of tests/hunted, built once."""

import atexit
import functools
import json
import pathlib
import shutil
import subprocess
import tempfile

import programs
from seriatim import BINARY, RUNTIME, Case, environment


# Two threads add to a total, with a gap between reading and writing it. What is read is added in the end.
ADDS_UP = """static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int total;
static int get(void) {
    pthread_mutex_lock(&lock);
    int value = total;
    pthread_mutex_unlock(&lock);
    return value;
}
static void set(int value) {
    pthread_mutex_lock(&lock);
    total = value;
    pthread_mutex_unlock(&lock);
}
static void add(int amount) { set(get() + amount); }
static void *work(void *argument) {
    add(1);
    return argument;
}
int main(void) {
    int more = 0;
    pthread_t a, b;
    if (scanf("%d", &more) != 1)
        more = 0;
    pthread_create(&a, NULL, work, NULL);
    pthread_create(&b, NULL, work, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
"""

# A server: writes its port to a file, and has a thread for each connection.
LISTENS = """int main(int argc, char **argv) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    socklen_t size = sizeof address;
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    bind(fd, (struct sockaddr *)&address, size);
    getsockname(fd, (struct sockaddr *)&address, &size);
    FILE *file = fopen(argv[1], "w");
    fprintf(file, "%d", ntohs(address.sin_port));
    fclose(file);
    listen(fd, 8);
    for (;;) {
        pthread_t thread;
        int client = accept(fd, NULL, NULL);
        pthread_create(&thread, NULL, serve, (void *)(long)client);
        pthread_detach(thread);
    }
}
"""


# Hunts start no more runs after a minute, and end runs that take 30 times as long as usual. On a busy
# machine either would change what they find.
UNHURRIED = ("--time", "1000000", "--run-time", "1000")


@functools.lru_cache(maxsize=None)
def _folder():
    folder = pathlib.Path(tempfile.mkdtemp(prefix="seriatim-hunting-"))
    atexit.register(shutil.rmtree, folder)
    return folder


def build(source, target, *flags, compiler="gcc"):
    subprocess.run([str(BINARY), "c++" if str(source).endswith(".cc") else "cc", "-g", "-O1",
                    "-pthread", *flags, str(source), "-o", str(target)], check=True,
                   env=environment(SERIATIM_RUNTIME_DIR=str(RUNTIME), SERIATIM_CC=compiler))
    return target


@functools.lru_cache(maxsize=None)
def built(name, *flags):
    """The path of a program of tests/hunted."""
    source = programs.HUNTED / name
    return build(source, _folder() / ("-".join([source.stem, *flags])), *flags)


class Hunting(Case):
    """A test that hunts, in a folder of its own."""

    def run_here(self, *arguments, env=None, **more):
        """With the runtime of a build without sanitizers, if this one has none."""
        return super().run_here(*arguments, env={"SERIATIM_RUNTIME_DIR": str(RUNTIME), **(env or {})},
                                **more)

    def program(self, name, *flags):
        """A copy, so that schedules are for a program that may be built anew."""
        path = built(name, *flags)
        return shutil.copy(path, self.folder / path.name)

    def source(self, text, *flags, name="program.c", **more):
        return build(self.write(name, text), self.folder / "program", *flags, **more)

    def hunt(self, program, *options, arguments=(), limits=UNHURRIED, **more):
        return self.run_here("hunt", "--format", "json", *limits, *options, "--", program, *arguments, **more)

    def found(self, program, *options, **more):
        """The result, which must have a finding."""
        result = self.hunt(program, *options, **more)
        self.assertEqual((result.message, result.status), ("", 1))
        return result.json

    def replay(self, schedule, *more):
        return self.run_here("replay", "--format", "json", "-o", "replayed.json", schedule, *more)

    def replayed(self):
        return json.loads((self.folder / "replayed.json").read_text())
