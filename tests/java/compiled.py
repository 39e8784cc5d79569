"""Java sources of these tests, compiled once, with all warnings as errors."""

import atexit
import functools
import pathlib
import shutil
import subprocess
import tempfile

# Two threads that use something at the same time, or one after the other.
BETWEEN = pathlib.Path(__file__).resolve().parent / "unwatched" / "Between.java"


@functools.cache
def compiled(*sources):
    """The folder with their classes, which is there until the tests end."""
    folder = pathlib.Path(tempfile.mkdtemp(prefix="seriatim-java-"))
    atexit.register(shutil.rmtree, folder)
    subprocess.run(["javac", "-Xlint:all", "-Werror", "-g", "-d", folder, *sources], check=True)
    return folder


def all_in(folder):
    """The sources in a folder and below it."""
    return sorted(folder.rglob("*.java"))
