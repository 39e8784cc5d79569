"""The same surroundings for every test, whoever starts it and from where.

A test must not fail, nor pass, because of a variable in somebody's environment, a signal that
`nohup` or a shell in the background left ignored, a closed descriptor, an odd umask or a file
called "core". scripts/test calls settle() before it starts anything, and tests/cli/seriatim.py for
those who start a test by hand."""

import os
import resource
import signal

# What stays of the environment: where things are. All else, such as MAKEFLAGS, CFLAGS, NO_COLOR, LANG
# or SERIATIM_OPTIONS, a test sets itself when it is about that.
KEPT = {"PATH", "HOME", "USER", "LOGNAME", "SHELL", "TMPDIR", "CI", "CLANG",
        "CPATH", "LIBRARY_PATH", "LD_LIBRARY_PATH", "PKG_CONFIG_PATH", "CMAKE_PREFIX_PATH",
        "PYTHONPATH", "PYTHONDONTWRITEBYTECODE",
        # What the tests themselves ask for; docs/testing.md describes them.
        "SERIATIM_BUILD", "SERIATIM_PROGRAMS", "SERIATIM_SCRIPTS", "SERIATIM_FIRST_SCRIPT",
        "SERIATIM_KILLS", "SERIATIM_KILL_SEED", "SERIATIM_LATE_SEEDS", "SERIATIM_UPDATE_GOLDEN",
        "SERIATIM_PLANTED_RUNS", "SERIATIM_CLUSTER_SEEDS", "SERIATIM_JITTER"}
# AddressSanitizer forgets to unmark the stack of a thread that is cancelled, and then complains about
# what it does itself at the thread's end, if threads have signal stacks.
SET = {"LC_ALL": "C.UTF-8", "TERM": "dumb", "ASAN_OPTIONS": "use_sigaltstack=0"}

# Python ignores these itself, and gives them back to the programs that it starts.
PYTHONS_OWN = {signal.SIGPIPE, signal.SIGXFSZ}


def pass_over(*_):
    """Handles a signal by doing nothing."""


def settle_environment():
    for name in set(os.environ) - KEPT:
        del os.environ[name]
    os.environ.update(SET)


def settle_signals():
    """What we ignore, every program that we start would ignore too. What we handle starts there as
    the default; so we handle it, by doing nothing, and are as deaf to it as before."""
    for number in signal.valid_signals() - PYTHONS_OWN:
        if signal.getsignal(number) == signal.SIG_IGN:
            signal.signal(number, pass_over)
    signal.pthread_sigmask(signal.SIG_SETMASK, [])


def settle_descriptors():
    """A closed standard stream would become the first file that a program opens."""
    for number in (0, 1, 2):
        try:
            os.fstat(number)
        except OSError:
            os.open("/dev/null", os.O_RDWR)  # the lowest free number is this one
            os.set_inheritable(number, True)


def settle():
    settle_environment()
    settle_signals()
    settle_descriptors()
    os.umask(0o022)
    resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))
