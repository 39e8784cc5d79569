"""The three ways in which a program is built."""

import collections
import os

Compilers = collections.namedtuple("Compilers", "cc cxx")


def compilers(build):
    """By way. `build` is where seriatim is."""
    build = os.path.abspath(build)
    return {"native": Compilers("gcc", "g++"),
            "tsan": Compilers("gcc -fsanitize=thread", "g++ -fsanitize=thread"),
            "seriatim": Compilers(os.path.join(build, "seriatim-cc"),
                                  os.path.join(build, "seriatim-c++"))}
