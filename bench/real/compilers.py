"""The three ways in which a program is built."""

import collections
import os

Compilers = collections.namedtuple("Compilers", "cc cxx")


def compilers(build):
    """The compilers, by kind of build. `build` is the folder of seriatim."""
    build = os.path.abspath(build)
    return {"native": Compilers("gcc", "g++"),
            "tsan": Compilers("gcc -fsanitize=thread", "g++ -fsanitize=thread"),
            "seriatim": Compilers(os.path.join(build, "seriatim-cc"),
                                  os.path.join(build, "seriatim-c++"))}
