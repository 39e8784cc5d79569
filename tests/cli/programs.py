"""The programs in tests/programs and tests/hunted, and what they say about themselves.

A program carries its expectations as comments, which the README.md of its folder describes. This
module reads them, and compares them with what `seriatim run` or `seriatim check` found.
"""

import dataclasses
import fnmatch
import pathlib
import re

from seriatim import ROOT

FOLDER = ROOT / "tests" / "programs"
HUNTED = ROOT / "tests" / "hunted"

DIRECTIVE = re.compile(r"// ([A-Z][A-Z-]{2,})(?: (.*))?$")
KNOWN = {"EXPECT", "EXPECT-FIXED", "EXPECT-LOCKS", "TWIN", "SPEC", "SPEC-FIXED", "FLAGS", "LIBRARY", "RACY", "PART"}
TAG = re.compile(r"@([a-z_0-9]+)")
HARMS = re.compile(r"none|output|status [1-9]\d*|crash|assert|deadlock|hang")


class Mistake(Exception):
    """The comments of a program make no sense."""


@dataclasses.dataclass
class Expectations:
    none: bool = False
    violated: list = dataclasses.field(default_factory=list)
    maybe: list = dataclasses.field(default_factory=list)
    cycle: list = dataclasses.field(default_factory=list)
    cut_by: list = dataclasses.field(default_factory=list)  # of lists: one of each must be there
    on: list = dataclasses.field(default_factory=list)      # of lists, likewise
    lines: list = dataclasses.field(default_factory=list)   # of (block, [tag])
    runs: list = dataclasses.field(default_factory=list)    # of (block, violated, executed)
    harm: list = dataclasses.field(default_factory=list)    # what the bug can do: any of HARMS
    by_design: list = dataclasses.field(default_factory=list)  # blocks; no other is below that line

    def add(self, text):
        key, _, value = text.partition(":")
        words = value.split()
        if text == "none":
            self.none = True
        elif not words:
            raise Mistake(f"'EXPECT {text}' says nothing")
        elif key in ("violated", "maybe", "cycle"):
            getattr(self, key).extend(words)
        elif key == "by-design":
            self.by_design.extend(words)
        elif key == "cut-by":
            self.cut_by.append(words)
        elif key == "on":
            self.on.append(words)
        elif key == "line":
            self.lines.append((words[0], [word.removeprefix("@") for word in words[1:]]))
        elif key == "runs":
            match = re.fullmatch(r"(\S+) (\d+)/(\d+)", value.strip())
            if not match:
                raise Mistake(f"'EXPECT {text}' is not 'runs: BLOCK VIOLATED/EXECUTED'")
            self.runs.append((match[1], int(match[2]), int(match[3])))
        elif key == "harm":
            if not HARMS.fullmatch(value.strip()):
                raise Mistake(f"'EXPECT {text}' is no harm that is known")
            self.harm.append(value.strip())
        else:
            raise Mistake(f"'EXPECT {text}' is not known")

    def finish(self, tags):
        """There is exactly one of the three kinds of outcome, or harm alone, and no tag without a
        line."""
        outcomes = sum(map(bool, (self.none, self.violated, self.cycle)))
        if outcomes != 1 and (outcomes or set(self.harm) <= {"none"}):
            raise Mistake("expected is one of: none, violated, cycle")
        if self.none and (self.cut_by or self.on or self.lines or self.harm):
            raise Mistake("nothing is to be found, and yet something is said about it")
        used = [tag for _, names in self.lines for tag in names]
        used += [word[1:] for words in self.on for word in words if word.startswith("@")]
        for tag in used:
            if tag not in tags:
                raise Mistake(f"@{tag} marks no line")


@dataclasses.dataclass
class Variant:
    """A program as it is, or its fixed twin: how to build it, and what to expect."""

    program: "Program"
    name: str
    flags: list
    spec: list
    racy: bool
    expected: Expectations
    relation: str = "data"

    @property
    def specification(self):
        return "".join(line + "\n" for line in self.spec)


class Program:
    def __init__(self, path):
        self.path = pathlib.Path(path)
        self.name = self.path.name
        self.flags, self.libraries, self.variants = [], [], []
        self.part = False
        self.racy = ""
        self.tags = {}  # name -> {(file, line)}
        self._read()

    @property
    def is_cxx(self):
        return self.path.suffix == ".cc"

    def _read(self):
        twin, spec, spec_fixed = None, [], None
        expected, fixed, locks = Expectations(), Expectations(), Expectations()
        said_fixed = said_locks = False
        for number, line in enumerate(self.path.read_text().splitlines(), 1):
            match = DIRECTIVE.match(line)
            if not match:
                continue
            key, value = match[1], (match[2] or "").strip()
            if key not in KNOWN:
                raise Mistake(f"{self.path}:{number}: '{key}' is not known")
            try:
                if key == "EXPECT":
                    expected.add(value)
                elif key == "EXPECT-FIXED":
                    said_fixed = True
                    fixed.add(value)
                elif key == "EXPECT-LOCKS":
                    said_locks = True
                    locks.add(value)
                elif key == "TWIN":
                    twin = value.split()
                elif key == "SPEC":
                    spec.append(value)
                elif key == "SPEC-FIXED":
                    spec_fixed = (spec_fixed or []) + ([] if value == "none" else [value])
                elif key == "FLAGS":
                    self.flags += value.split()
                elif key == "LIBRARY":
                    self.libraries.append(self.path.parent / value)
                elif key == "RACY":
                    self.racy = value
                else:
                    self.part = True
            except Mistake as mistake:
                raise Mistake(f"{self.path}:{number}: {mistake}") from None
        if self.part:
            return
        for path in [self.path, *self.libraries]:
            self._find_tags(path)
        try:
            expected.finish(self.tags)
            self.variants.append(Variant(self, "", [], spec, bool(self.racy), expected))
            if said_locks:
                locks.finish(self.tags)
                self.variants.append(Variant(self, "locks", [], spec, bool(self.racy), locks,
                                             "locks"))
            if twin is not None:
                fixed.finish(self.tags)
                self.variants.append(Variant(self, "fixed", twin,
                                             spec if spec_fixed is None else spec_fixed, False,
                                             fixed))
            elif said_fixed or spec_fixed is not None:
                raise Mistake("something is said about a twin, and there is no TWIN")
        except Mistake as mistake:
            raise Mistake(f"{self.path}: {mistake}") from None

    def _find_tags(self, path):
        for number, line in enumerate(path.read_text().splitlines(), 1):
            if DIRECTIVE.match(line):
                continue
            comment = line.rpartition("// ")[2] if "// " in line else ""
            for tag in TAG.findall(comment):
                self.tags.setdefault(tag, set()).add((path.name, number))


def all_programs(folder=FOLDER):
    programs = [Program(path) for pattern in ("*.c", "*.cc") for path in sorted(folder.glob(pattern))
                if path.name not in ("schedule.c", "serial.c")]
    return sorted((program for program in programs if not program.part),
                  key=lambda program: program.name)


# ---- What was found -----------------------------------------------------------------------------


def strings(value):
    """All strings inside a JSON value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for item in value.values():
            yield from strings(item)
    elif isinstance(value, list):
        for item in value:
            yield from strings(item)


def matches(name, patterns):
    """Is the name one of these? A pattern is a glob, or several with bars between them."""
    return any(fnmatch.fnmatchcase(name, glob) for pattern in patterns for glob in pattern.split("|"))


def harm_done(status, output):
    """What happened to a program, as in `EXPECT harm`. The status is negative for a signal, and None
    for a program that did not end."""
    if status is None:
        return "hang"
    if status < 0:
        return "assert" if "Assertion" in output else "crash"
    return f"status {status}" if status else "none"


def is_expected_harm(expected, status, output):
    """Natively, nobody can distinguish a deadlock from other programs that hang, nor say what the
    right output is."""
    harms = {"hang" if harm == "deadlock" else "none" if harm == "output" else harm
             for harm in expected.harm}
    return harm_done(status, output) in (harms or {"none"})


def violated_names(result):
    """The names of violated blocks, from both of the lists that have them."""
    names = {block["name"] for block in result.get("blocks", []) if block["violated"]}
    return names | {violation["block"] for violation in result.get("violations", [])}


def functions(event):
    """The function of an event, and its callers."""
    for key in ("function", "stack"):
        for text in strings(event.get(key)):
            yield text
            yield from re.split(r"[\s(]+", text)


def is_at(event, places):
    """Is the event, or a call that led to it, at one of these (file, line)?"""
    texts = list(strings([event.get("loc"), event.get("stack")]))
    return any(re.search(rf"(?:^|[/\s(@]){re.escape(file)}:{line}\b", text)
               for file, line in places for text in texts)


def events(edges):
    return [edge[end] for edge in edges for end in ("from", "to")]


def is_named(tags, text, word):
    """Does the name of a variable or lock contain the word, or the line with that tag?"""
    if word.startswith("@"):
        return any(f"{file}:{line}" in text for file, line in tags[word[1:]])
    return re.search(rf"(?<!\w){re.escape(word)}(?!\w)", text)


def racing_problems(variant, races):
    """If a program is racy on purpose, its races are where it is expected to be cut."""
    if not races["accesses"]:
        return ["the recording of a racy program has no race"]
    seen = [pair["variable"] for pair in races["pairs"]]
    return [f"no race on {' or '.join(words)}; there are: {', '.join(sorted(set(seen)))}"
            for words in variant.expected.on
            if not any(is_named(variant.program.tags, text, word)
                       for text in seen for word in words)]


class Comparison:
    """Compares a result with expectations; `problems` are sentences, and empty if all is well."""

    def __init__(self, variant, result):
        self.expected, self.tags = variant.expected, variant.program.tags
        self.result = result
        self.problems = []
        self._violated()
        self._verdict()
        self._cut_by()
        self._on()
        self._lines()
        self._runs()
        self._by_design()

    def _say(self, sentence):
        self.problems.append(sentence)

    def _violated(self):
        found = violated_names(self.result)
        for pattern in self.expected.violated:
            if not any(matches(name, [pattern]) for name in found):
                self._say(f"'{pattern}' was not found to be violated")
        for name in sorted(found):
            if not matches(name, self.expected.violated + self.expected.maybe):
                self._say(f"'{name}' was found to be violated, and is not")

    def _verdict(self):
        serializable = self.result.get("serializable")
        if self.expected.none and serializable is False:
            self._say("the run was found not to be serializable, and is")
        if self.expected.cycle:
            if serializable is not False:
                self._say("the run was not found to be non-serializable")
            seen = {name for event in events(self.result.get("cycle") or [])
                    for name in functions(event)}
            for pattern in self.expected.cycle:
                if not any(matches(name, [pattern]) for name in seen):
                    self._say(f"the cycle does not go through '{pattern}'")

    def _cut_by(self):
        seen = {name for violation in self.result.get("violations", [])
                for event in events(violation["path"]) if event["thread"] != violation["thread"]
                for name in functions(event)}
        for patterns in self.expected.cut_by:
            if not any(matches(name, patterns) for name in seen):
                self._say(f"no path leads through {' or '.join(patterns)} in another thread")

    def _on(self):
        seen = [edge["on"] or "" for violation in self.result.get("violations", [])
                for edge in violation["path"]]
        for words in self.expected.on:
            if not any(is_named(self.tags, text, word) for text in seen for word in words):
                self._say(f"no path leads over {' or '.join(words)}; there are: "
                          f"{', '.join(sorted(set(seen))) or 'none'}")

    def _lines(self):
        for block, tags in self.expected.lines:
            paths = [events(violation["path"]) for violation in self.result.get("violations", [])
                     if matches(violation["block"], [block])]
            if not any(all(any(is_at(event, self.tags[tag]) for event in path) for tag in tags)
                       for path in paths):
                wanted = "; ".join(f"@{tag} = " + " or ".join(
                    f"{file}:{line}" for file, line in sorted(self.tags[tag])) for tag in tags)
                self._say(f"no path of '{block}' has all of these places: {wanted}")

    def _by_design(self):
        for finding in self.result.get("findings", []):
            block = self.result["violations"][finding["violation"]]["block"]
            expected = matches(block, self.expected.by_design)
            if finding["by_design"] != expected:
                self._say(f"'{block}' is {'not ' * expected}below \"By design?\": "
                          f"{finding['why_here']}")

    def _runs(self):
        for pattern, violated, executed in self.expected.runs:
            blocks = [block for block in self.result.get("blocks", [])
                      if matches(block["name"], [pattern])]
            found = (sum(block["violated"] for block in blocks),
                     sum(block["executed"] for block in blocks))
            if found != (violated, executed):
                self._say(f"'{pattern}' was violated in {found[0]} of {found[1]} runs, "
                          f"expected {violated} of {executed}")
