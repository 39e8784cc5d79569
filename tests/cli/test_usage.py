"""Commands, options, help and SERIATIM_OPTIONS."""

import re
import unittest

from seriatim import CLEAN, CUT, Case, run

COMMANDS = ("run", "record", "check", "infer", "report", "stats", "convert", "dump", "doctor",
            "completion")
WRAPPERS = ("cc", "c++")  # their arguments go to the compiler: see test_cc.py


class Help(Case):
    def test_without_arguments_the_help_goes_to_standard_error(self):
        result = run()
        self.assertEqual(result.status, 2)
        self.assertEqual(result.out, b"")
        self.assertIn("usage: seriatim COMMAND", result.message)

    def test_help_lists_every_command(self):
        for arguments in (["--help"], ["-h"], ["help"]):
            result = run(*arguments)
            self.assert_clean(result)
            for command in COMMANDS + WRAPPERS:
                self.assertRegex(result.text, rf"(?m)^  {re.escape(command)} +\w")

    def test_help_of_a_command_in_three_ways(self):
        for command in COMMANDS:
            texts = {run(command, "--help").out, run(command, "-h").out, run("help", command).out}
            self.assertEqual(len(texts), 1)
            text = texts.pop().decode()
            self.assertTrue(text.startswith(f"usage: seriatim {command} [OPTIONS]"), text)
            for option in ("--quiet", "--color MODE", "--help", "--version"):
                self.assertIn(option, text)

    def test_help_fits_80_columns(self):
        for command in ("",) + COMMANDS + WRAPPERS:
            options = run("help", *command.split()).text.split("engines:")[0]
            for line in options.splitlines():
                self.assertLessEqual(len(line), 80, line)

    def test_help_shows_defaults_and_choices(self):
        text = re.sub(r"\s+", " ", run("help", "check").text)
        self.assertIn("--limit N list at most N findings; 0 lists all (default 100)", text)
        self.assertIn("text, json, sarif or html (default text)", text)
        self.assertIn("(default witness)", text)

    def test_help_of_check_describes_each_engine(self):
        result = run("check", "--engine", "nonesuch", "x")
        names = re.search(r"must be (.*)\n", result.message).group(1)
        names = re.split(r", | or ", names)
        self.assertIn("witness", names)
        self.assertEqual(names[-1], "all")
        described = run("help", "check").text.split("engines:\n")[1]
        self.assertEqual([line.split()[0] for line in described.splitlines()], names)

    def test_version(self):
        for arguments in (["--version"], ["check", "--version"]):
            result = run(*arguments)
            self.assert_clean(result)
            self.assertRegex(result.text, r"\Aseriatim \d+\.\d+\.\d+\n\Z")

    def test_unknown_command_with_a_suggestion(self):
        self.assert_trouble(run("chekc"), "unknown command 'chekc'; did you mean 'check'?")
        self.assert_trouble(run("conv"), "unknown command 'conv'; did you mean 'convert'?")
        self.assert_trouble(run("frobnicate"),
                            "unknown command 'frobnicate'; see 'seriatim --help'")
        self.assert_trouble(run("help", "dmup"), "unknown command 'dmup'; did you mean 'dump'?")
        self.assert_trouble(run("--nope"), "unknown option '--nope'; see 'seriatim --help'")


class Options(Case):
    def setUp(self):
        super().setUp()
        self.write("t.std", CUT)

    def check(self, *arguments, **more):
        return self.run_here("check", *arguments, **more)

    def test_missing_and_extra_operands(self):
        self.assert_trouble(self.check(), "check: TRACE is missing; "
                            "usage: seriatim check [OPTIONS] TRACE...")
        self.assert_trouble(self.run_here("stats", "t.std", "u.std"), "stats: unexpected 'u.std'; "
                            "usage: seriatim stats [OPTIONS] TRACE")
        self.assert_trouble(self.run_here("convert", "t.std"), "convert: OUT is missing; "
                            "usage: seriatim convert [OPTIONS] IN OUT")

    def test_unknown_option_with_the_nearest_suggestion(self):
        for typed, meant in (("--enigne", "engine"), ("--lim", "limit"), ("--colour", "color"),
                             ("-limit", "limit"), ("--enigne=all", "engine")):
            self.assert_trouble(self.check(typed, "t.std"),
                                f"check: unknown option '{typed}'; did you mean '--{meant}'?")

    def test_unknown_option_without_anything_near(self):
        self.assert_trouble(self.check("--xyzzy", "t.std"), "check: unknown option '--xyzzy'")
        self.assert_trouble(self.check("-Z", "t.std"), "check: unknown option '-Z'")

    def test_a_very_long_option_is_shortened_in_the_message(self):
        result = self.check("--" + "x" * 100000, "t.std")
        self.assertEqual(result.status, 2)
        self.assertLess(len(result.message), 200)

    def test_the_two_ways_to_give_a_value(self):
        for arguments in (["--format", "json"], ["--format=json"]):
            self.assertEqual(self.check(*arguments, "t.std").json["engine"], "witness")

    def test_short_options(self):
        quiet = self.check("--quiet", "t.std").out
        self.assertEqual(self.check("-q", "t.std").out, quiet)
        for arguments in (["-o", "r.txt"], ["-or.txt"], ["-qor.txt"], ["--output=r.txt"]):
            result = self.check("-q", "t.std", *arguments)
            self.assertEqual((result.status, result.out), (1, b""))
            self.assertEqual((self.folder / "r.txt").read_bytes(), quiet)
            (self.folder / "r.txt").unlink()

    def test_options_may_follow_the_operand(self):
        self.assertEqual(self.check("t.std", "--quiet").out, self.check("--quiet", "t.std").out)

    def test_two_dashes_end_the_options(self):
        self.write("--quiet", CLEAN)
        result = self.check("--", "--quiet")
        self.assertEqual(result.status, 0)
        self.assertIn("--quiet: serializable", result.text)

    def test_the_last_of_two_counts(self):
        self.assertIn("schema", self.check("--format", "text", "--format", "json", "t.std").text)

    def test_missing_value(self):
        self.assert_trouble(self.check("t.std", "--limit"),
                            "check: option '--limit' needs a value: N")
        self.assert_trouble(self.check("t.std", "-o"),
                            "check: option '--output' needs a value: FILE")

    def test_empty_value(self):
        self.assert_trouble(self.check("t.std", "--output="),
                            "check: option '--output' needs a FILE that is not empty")

    def test_a_flag_takes_no_value(self):
        self.assert_trouble(self.check("--quiet=yes", "t.std"),
                            "check: option '--quiet' takes no value")

    def test_numbers_are_checked(self):
        for bad in ("", "-1", "+1", "1x", "x", "1.5", " 1", "18446744073709551616"):
            self.assert_trouble(self.check(f"--limit={bad}", "t.std"),
                                f"check: option '--limit' needs a whole number, not '{bad}'")
        self.assertEqual(self.check("--limit=18446744073709551615", "t.std").status, 1)

    def test_times_are_checked(self):
        self.write("t.std", CLEAN)
        for bad in ("", "-1", "1x", ".", "1.5.2", "1e3", "inf", "nan", " 1", "1000000001"):
            self.assert_trouble(self.run_here("predict", f"--timeout={bad}", "t.std"),
                                "predict: option '--timeout' needs a number of seconds, such as 10 "
                                f"or 0.5, not '{bad}'")
        for good in ("0", "0.5", ".5", "5.", "007", "1000000000"):
            self.assertEqual(self.run_here("predict", f"--timeout={good}", "t.std").status, 1)

    def test_enumerations_are_listed(self):
        self.assert_trouble(self.check("--format", "xml", "t.std"),
                            "check: unknown format 'xml' for '--format'; it must be text, json, "
                            "sarif or html")
        self.assert_trouble(self.check("--color=blue", "t.std"), "check: unknown mode 'blue' for "
                            "'--color'; it must be auto, always or never")

    def test_engines_are_listed(self):
        self.assert_trouble_like(self.check("--engine", "nonesuch", "t.std"),
                                 "check: unknown engine 'nonesuch' for '--engine'; it must be "
                                 "witness, .* or all")


class OptionsFromTheEnvironment(Case):
    def setUp(self):
        super().setUp()
        self.write("t.std", CUT)

    def check(self, variable, *arguments):
        return self.run_here("check", *arguments, "t.std", env={"SERIATIM_OPTIONS": variable})

    def test_they_come_before_the_command_line(self):
        self.assertEqual(self.check(" --format   json\t--limit=0 \n").json["violation_count"], 1)
        self.assertIn("a was not atomic", self.check("--format json", "--format", "text").text)

    def test_empty_is_nothing(self):
        self.assertEqual(self.check("").status, 1)
        self.assertEqual(self.check("  ").status, 1)

    def test_errors_name_the_variable(self):
        self.assert_trouble(self.check("--enigne all"), "SERIATIM_OPTIONS: unknown option "
                            "'--enigne'; did you mean '--engine'?")
        self.assert_trouble(self.check("--limit ten"), "SERIATIM_OPTIONS: option '--limit' needs "
                            "a whole number, not 'ten'")
        self.assert_trouble(self.check("--limit"),
                            "SERIATIM_OPTIONS: option '--limit' needs a value: N")
        self.assert_trouble(self.check("quiet"), "SERIATIM_OPTIONS: 'quiet' is not an option")

    def test_an_option_of_another_command_is_unknown(self):
        result = self.run_here("stats", "t.std", env={"SERIATIM_OPTIONS": "--limit 3"})
        self.assert_trouble(result, "SERIATIM_OPTIONS: unknown option '--limit'")

    def test_common_options_are_fine_for_every_command(self):
        for arguments in (["infer", "t.std"], ["stats", "t.std"], ["dump", "t.std"],
                          ["convert", "t.std", "-"]):
            result = self.run_here(*arguments,
                                   env={"SERIATIM_OPTIONS": "--quiet --color always"})
            self.assert_clean(result)


if __name__ == "__main__":
    unittest.main()
