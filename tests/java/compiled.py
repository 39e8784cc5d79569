"""Java sources of these tests, compiled once, with all warnings as errors."""

import atexit
import functools
import pathlib
import shutil
import subprocess
import tempfile


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
