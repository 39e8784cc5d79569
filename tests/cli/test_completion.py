"""What bash and zsh offer, compared with what --help lists."""

import os
import pathlib
import tempfile
import unittest

import shells
from seriatim import BINARY, Case, once, run
from tables import COMMANDS, TABLED, WRAPPERS, choices, options

SHELL = "the shells run scripts that were written during the build, by the same program"
BASH_COMPLETION = pathlib.Path("/usr/share/bash-completion/bash_completion")


class Completion:
    """What is the same in all shells, in a folder with two traces, a program and a folder."""

    @classmethod
    def setUpClass(cls):
        holder = tempfile.TemporaryDirectory(prefix="seriatim-test-")
        cls.addClassCleanup(holder.cleanup)
        folder = pathlib.Path(holder.name)
        for name in ("a.std", "app.stt", "app"):
            (folder / name).write_text("")
        (folder / "app").chmod(0o755)
        (folder / "apps").mkdir()
        cls.shell = cls.start(folder)
        cls.enterClassContext(cls.shell)

    def offered(self, line, begun=""):
        return self.shell.offered(line, begun)

    def test_commands(self):
        self.assertEqual(self.offered("seriatim "), sorted(COMMANDS))
        self.assertEqual(self.offered("seriatim ", "re"), ["record", "refine", "replay", "report"])

    def test_help_takes_a_command(self):
        self.assertLessEqual(set(TABLED + WRAPPERS), set(self.offered("seriatim help ")))
        self.assertEqual(self.offered("seriatim help ", "re"), ["record", "refine", "replay", "report"])

    def test_options_instead_of_a_command(self):
        self.assertEqual(self.offered("seriatim ", "-"), ["--help", "--version", "-h"])

    def test_options_of_each_command(self):
        for command in TABLED:
            words = [word for option in options(command) for word in option.words]
            self.assertEqual(self.offered(f"seriatim {command} ", "-"), sorted(words), command)

    def test_options_behind_operands(self):
        self.assertEqual(self.offered("seriatim check a.std ", "--q"), ["--quiet"])

    def test_choices_of_each_option_as_the_next_word(self):
        count = 0
        for command in TABLED:
            for option in options(command):
                if words := option.value and choices(command, option):
                    line = f"seriatim {command} --{option.name} "
                    self.assertEqual(self.offered(line), sorted(words), line)
                    count += 1
        self.assertGreater(count, 10)

    def test_choices_behind_an_equals_sign(self):
        for option, word in (("engine", "witness"), ("color", "always"), ("format", "html")):
            self.assertEqual(self.shell.complete(f"seriatim check --{option}={word[:2]}"),
                             f"seriatim check --{option}={word} ")

    def test_a_choice_that_there_is_not(self):
        self.assertEqual(self.offered("seriatim check --format ", "x"), [])
        self.assertEqual(self.offered("seriatim check --format=", "x"), [])

    def test_files_for_each_option_that_takes_one(self):
        count = 0
        for command in TABLED:
            for option in options(command):
                if option.value in ("FILE", "TRACE"):
                    for line in [f"seriatim {command} {word} " for word in option.words]:
                        self.assertEqual(self.offered(line, "a."), ["a.std"], line)
                    self.assertEqual(self.shell.complete(f"seriatim {command} --{option.name}=a."),
                                     f"seriatim {command} --{option.name}=a.std ")
                    count += 1
        self.assertGreater(count, 5)

    def test_files_in_one_word_with_a_letter(self):
        for begin in ("-o", "-qo"):
            self.assertEqual(self.shell.complete(f"seriatim check {begin}a."),
                             f"seriatim check {begin}a.std ")

    def test_it_is_known_of_each_value_whether_it_is_a_file(self):
        # A new word must be here, and in src/cli/completion/cmd_completion.c if it is the name of a file.
        for command in TABLED:
            for option in options(command):
                if option.value and not choices(command, option):
                    self.assertIn(option.value, ("FILE", "TRACE", "DIR", "N", "S", "SIZE", "A-B",
                                                 "LIST", "ENGINE", "IMPROVEMENT", "COMMAND",
                                                 "GLOB", "CLASS", "TEMPLATE"),
                                  (command, option))

    def test_nothing_for_numbers_and_the_like(self):
        for line in ("check --limit ", "run --error-exitcode ", "dump --events "):
            self.assertEqual(self.offered(f"seriatim {line}"), [], line)
            self.assertEqual(self.offered(f"seriatim {line[:-1]}="), [], line)

    def test_the_value_of_an_option_is_no_operand(self):
        self.assertEqual(self.offered("seriatim check --limit 5 ", "a."), ["a.std"])
        self.assertEqual(self.offered("seriatim check --limit=5 -o x ", "a."), ["a.std"])
        self.assertEqual(self.offered("seriatim run --log x -q ", "./ap"), ["./app", "./apps"])

    def test_files_as_operands(self):
        for line in ("check ", "check -- ", "convert a.std ", "infer a b c ", "report ", "dump -n "):
            self.assertEqual(self.offered(f"seriatim {line}", "a."), ["a.std"], line)

    def test_no_more_operands_than_there_may_be(self):
        for line in ("stats x ", "convert x y ", "doctor ", "completion bash ", "stats -- x "):
            self.assertEqual(self.offered(f"seriatim {line}", "a"), [], line)

    def test_words_as_operands(self):
        self.assertEqual(self.offered("seriatim completion "), ["bash", "zsh"])

    def test_two_dashes_end_the_options(self):
        self.assertEqual(self.offered("seriatim check -- ", "--q"), [])

    def test_programs_to_run_and_record(self):
        for line in ("run ", "record -o x ", "run -- "):
            self.assertEqual(self.offered(f"seriatim {line}", "seriatim-c"),
                             ["seriatim-c++", "seriatim-cc"], line)
            self.assertEqual(self.offered(f"seriatim {line}", "./app"), ["./app", "./apps"], line)

    def test_behind_the_program_is_its_own_line(self):
        self.assertEqual(self.offered("seriatim run ./app ", "--f"), [])
        self.assertEqual(self.offered("seriatim run ./app ", "a."), ["a.std"])

    def test_an_unknown_command(self):
        self.assertEqual(self.offered("seriatim nonesuch ", "--"), [])


class WithHelpForOthers(Completion):
    """With the completions of other programs installed, too."""

    def test_a_program_that_has_completions(self):
        for line in ("run ", "run -- ", "record -q -o x.stt -- ", "run --log=x "):
            self.assertEqual(self.offered(f"seriatim {line}seriatim ", "ch"), ["check"], line)
            self.assertEqual(self.offered(f"seriatim {line}seriatim check ", "--li")[0][:7],
                             "--limit", line)

    def test_the_compiler(self):
        for line in ("seriatim-cc ", "seriatim cc ", "seriatim-c++ ", "seriatim c++ "):
            self.assertEqual(self.offered(line, "-fno-tree-loop-opt"), ["-fno-tree-loop-optimize"])
            self.assertEqual(self.offered(line, "-funswitch-l"), ["-funswitch-loops"])


@once(SHELL)
class Bash(Completion, unittest.TestCase):
    @staticmethod
    def start(folder):
        return shells.bash(folder)

    def test_all_choices_behind_an_equals_sign(self):
        self.assertEqual(self.offered("seriatim check --color="), ["always", "auto", "never"])

    def test_in_the_middle_of_a_word(self):
        os.write(self.shell.terminal, b"\x05\x15seriatim check --forxyz\x02\x02\x02\x1b*\x07")
        self.assertEqual(self.shell.listen(), "seriatim check --format xyz")

    def test_files_for_the_compiler(self):
        self.assertEqual(self.offered("seriatim-cc ", "a."), ["a.std"])


@once(SHELL)
class BashThatSplitsNothing(Completion, unittest.TestCase):
    """If the user has configured that = does not end a word."""

    @staticmethod
    def start(folder):
        return shells.bash(folder, more="COMP_WORDBREAKS=${COMP_WORDBREAKS//=}")


@once(SHELL)
class BashWithBashCompletion(WithHelpForOthers, unittest.TestCase):
    @staticmethod
    def start(folder):
        return shells.bash(folder, more=f"source {BASH_COMPLETION}")

    def test_the_compiler_that_was_chosen(self):
        os.write(self.shell.terminal, b"\x05\x15SERIATIM_CC='ccache seriatim'\r")
        self.assertEqual(self.offered("seriatim-cc ", "ch"), ["check"])
        os.write(self.shell.terminal, b"\x05\x15unset SERIATIM_CC\r")


@once(SHELL)
class Zsh(WithHelpForOthers, unittest.TestCase):
    @staticmethod
    def start(folder):
        return shells.zsh(folder)

    def offered(self, line, begun=""):
        # zsh appends = to the only option that matches if it takes a value, and / to folders.
        return [word.rstrip("=/") for word in super().offered(line, begun)]

    def test_all_choices_behind_an_equals_sign(self):
        self.assertEqual(self.offered("seriatim check ", "--color="),
                         ["--color=always", "--color=auto", "--color=never"])


@once(SHELL)
class ZshThatReadsThePrintedScript(Case):
    def test_it_completes(self):
        with shells.zsh(self.folder, more=shells.SOURCED) as shell:
            self.assertEqual(shell.offered("seriatim ", "ch"), ["check"])
            self.assertEqual(shell.offered("seriatim-cc ", "-funswitch-l"), ["-funswitch-loops"])


class Printed(Case):
    def test_the_built_files_are_what_the_command_prints(self):
        for shell in ("bash", "zsh"):
            result = run("completion", shell)
            self.assert_clean(result)
            self.assertEqual(result.out, (BINARY.parent / "completion" / shell).read_bytes())

    def test_an_unknown_shell(self):
        self.assert_trouble(run("completion", "fish"),
                            "completion: unknown shell 'fish'; it must be bash or zsh")
        self.assert_trouble(run("completion"), "completion: bash or zsh is missing; "
                            "usage: seriatim completion [OPTIONS] bash|zsh")


if __name__ == "__main__":
    unittest.main()
