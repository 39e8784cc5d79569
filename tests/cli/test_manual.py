"""Manual pages: they contain what the tables say, and their sources follow the rules."""

import re
import subprocess
import unittest

from seriatim import BINARY, ROOT, Case, run
from tables import COMMANDS, TABLED, WRAPPERS, options

SOURCES = {path.name.removesuffix(".1.in"): path.read_text()
           for path in ROOT.glob("docs/man/*.1.in")}
PAGES = {path.name.removesuffix(".1"): path.read_text()
         for path in (BINARY.parent / "man/man1").glob("*.1")}
COMMON = ["quiet", "color", "help", "version"]


def section(page, name):
    return re.search(rf"^\.Sh {name}\n(.*?)(?=^\.Sh |\Z)", PAGES[page], re.M | re.S)[1]


def entries(page):
    """What a page says about each option: pairs of the line with its forms, and the text."""
    return re.findall(r"^\.It ((?:Fl \w , )?Fl -[a-z-]+[^\n]*)\n(.*?)(?=^\.It Fl|\Z)",
                      section(page, "OPTIONS"), re.M | re.S)


def heading(option):
    letter = f"Fl {option.letter} , " if option.letter else ""
    value = f" Ar {option.value.lower()}" if option.value else ""
    return f"{letter}Fl -{option.name}{value}"


def plain(text):
    """A text without its markup, in lower case."""
    text = re.sub(r"^\.Fl ", "-", text, flags=re.M)
    text = re.sub(r"^\.(?:Ar|Cm|Xr) ", "", text, flags=re.M).replace("\\%", "")
    return re.sub(r" ([,.;:)])(?!\w)", r"\1", re.sub(r"\s+", " ", text)).lower()


class Tables(unittest.TestCase):
    def test_each_command_has_a_page(self):
        self.assertEqual(set(PAGES), {"seriatim", "seriatim-cc",
                                      *(f"seriatim-{command}" for command in TABLED)})
        self.assertEqual(set(PAGES), set(SOURCES))

    def test_it_lists_the_options_of_the_help_in_their_order(self):
        for command in TABLED:
            self.assertEqual([head for head, _ in entries(f"seriatim-{command}")],
                             [heading(option) for option in options(command)], command)

    def test_it_says_what_the_help_says(self):
        for command in TABLED:
            for option, (_, text) in zip(options(command), entries(f"seriatim-{command}")):
                self.assertTrue(plain(text).startswith(plain(option.help) + "."),
                                (command, option.help, plain(text)))

    def test_the_usage_has_each_option_and_operand(self):
        for command in TABLED:
            usage = section(f"seriatim-{command}", "SYNOPSIS")
            self.assertTrue(usage.startswith(f".Nm seriatim {command}\n"))
            for option in options(command):
                form = rf"\.Op Fl ({option.letter or '-' + option.name})\b"
                self.assertEqual(len(re.findall(form, usage)),
                                 0 if option.name in ("help", "version") else 1, option)
        self.assertTrue(section("seriatim-run", "SYNOPSIS").endswith(
            ".Op Fl -\n.Ar program\n.Op Ar argument ...\n"))
        self.assertTrue(section("seriatim-report", "SYNOPSIS").endswith("\n.Ar result | trace ...\n"))
        self.assertTrue(section("seriatim-infer", "SYNOPSIS").endswith("\n.Ar trace ...\n"))
        self.assertTrue(section("seriatim-completion", "SYNOPSIS").endswith("\n.Cm bash | zsh\n"))

    def test_the_overview_lists_commands_and_common_options(self):
        overview = section("seriatim", "DESCRIPTION")
        self.assertEqual(re.findall(r"^\.It Cm (.*)$", overview, re.M), COMMANDS)
        for command in TABLED + WRAPPERS[:1]:
            self.assertIn(f".Xr seriatim-{command} 1 .\n", overview)
        self.assertEqual([re.search(r"Fl -(\w+)", head)[1] for head, _ in entries("seriatim")],
                         COMMON)

    def test_pages_describe_each_engine(self):
        for command in ("check", "predict"):
            described = run("help", command).text.split("engines:\n")[1]
            self.assertGreater(len(described.splitlines()), 3)
            for line in described.splitlines():
                self.assertIn(f".It Cm {line.split()[0]}\n", PAGES[f"seriatim-{command}"])


class Prose(unittest.TestCase):
    def test_it_mentions_no_option_that_there_is_not(self):
        known = {option.name for command in TABLED for option in options(command)}
        count = 0
        for page, text in SOURCES.items():
            if page == "seriatim-cc":  # the options there are the compiler's
                continue
            mentioned = re.findall(r"\bFl -([a-z][a-z-]*)", text)
            mentioned += re.findall(r"seriatim(?: \w+)?.*? --([a-z][a-z-]*)", text)
            mentioned = set(mentioned) - {"port"}  # of a server in an example
            self.assertLessEqual(mentioned, known, page)
            count += len(mentioned)
        self.assertGreater(count, 10)

    def test_options_are_not_listed_by_hand(self):
        for page, text in SOURCES.items():
            if page != "seriatim-cc":
                self.assertNotRegex(text, r"(?m)^\.It .*Fl -", page)

    def test_other_pages_are_there(self):
        for page, text in PAGES.items():
            for other in re.findall(r"^\.Xr (seriatim\S*) 1", text, re.M):
                self.assertIn(other, PAGES, page)


class Generator(Case):
    def write_page(self, text, name="seriatim-check.1.in"):
        source = self.write(name, text)
        page = self.folder / "page.1"
        result = subprocess.run([BINARY.parent / "manual", source, page], capture_output=True,
                                text=True, check=False)
        if result.returncode == 0:
            self.assertEqual(result.stderr, "")
            return page.read_text()
        self.assertEqual(result.returncode, 1)
        return result.stderr.removeprefix(str(self.folder) + "/")

    def test_what_the_page_adds_follows_what_help_says(self):
        page = self.write_page("before\n@OPTIONS@\n@--limit@\nMore.\n.Pp\nMuch more.\n@END@\nbehind\n")
        self.assertRegex(page, r"(?s)\Abefore\n\.Bl .*100\)\.\nMore\.\n\.Pp\nMuch more\.\n\.It .*"
                         r"\.El\nbehind\n\Z")

    def test_an_option_that_there_is_not(self):
        self.assertEqual(self.write_page("@OPTIONS@\n@--nope@\nText.\n@END@\n"),
                         "seriatim-check.1.in:2: the command has no such option: @--nope@\n")

    def test_an_option_that_comes_twice(self):
        self.assertEqual(self.write_page("@OPTIONS@\n@--limit@\na\n@--limit@\nb\n@END@\n"),
                         "seriatim-check.1.in:4: --limit comes twice\n")

    def test_a_page_without_options(self):
        self.assertEqual(self.write_page(".Sh NAME\n"),
                         "seriatim-check.1.in:2: @OPTIONS@ is missing\n")

    def test_options_without_an_end(self):
        self.assertEqual(self.write_page("@OPTIONS@\n@--limit@\n"),
                         "seriatim-check.1.in:3: @END@ is missing\n")

    def test_text_that_belongs_to_no_option(self):
        self.assertEqual(self.write_page("@OPTIONS@\nText.\n@END@\n"), "seriatim-check.1.in:2: "
                         "a line like @--limit@ must say which option this is about\n")

    def test_a_mark_that_means_nothing(self):
        self.assertEqual(self.write_page("@OPTION@\n"),
                         "seriatim-check.1.in:1: this line means nothing: @OPTION@\n")

    def test_a_page_of_no_command(self):
        self.assertEqual(self.write_page("", name="seriatim-nope.1.in"),
                         "seriatim-nope.1.in:0: there is no command for this page\n")


if __name__ == "__main__":
    unittest.main()
