"""Commands, options and their values, as the help lists them."""

import re

from seriatim import run

COMMANDS = re.findall(r"^  (\S+) +\w", run("--help").text.split("\noptions:")[0], re.M)
WRAPPERS = ["cc", "c++"]  # their arguments are the compiler's
TABLED = [command for command in COMMANDS if command not in WRAPPERS + ["help"]]

ENTRY = re.compile(r"^  (?:-(?P<letter>\w), |    )--(?P<name>[\w-]+)(?: (?P<value>[A-Z][\w-]*))?"
                   r"(?: {2,}|\n {20,})(?P<help>.*(?:\n {20,}.*)*)", re.M)


class Option:
    def __init__(self, match):
        self.name, self.letter, self.value = match["name"], match["letter"], match["value"]
        self.help = re.sub(r"\s+", " ", match["help"])

    def __repr__(self):
        return self.name

    @property
    def words(self):
        return [f"--{self.name}"] + ([f"-{self.letter}"] if self.letter else [])


def options(command=None):
    """The options of a command, or of seriatim itself."""
    text = run(*([command] if command else []), "--help").text.split("\noptions:\n")[1]
    found = [Option(match) for match in ENTRY.finditer(text)]
    assert len(found) == len(re.findall(r"^  .{4}--", text, re.M)), text
    return found


def choices(command, option):
    """The words that an option accepts, taken from the error message; none if it accepts any
    text."""
    message = run(command, f"--{option.name}=no/such/choice").message
    listed = re.search(r"; it must be (.*)\n", message)
    return re.split(r", | or ", listed[1]) if listed else []
