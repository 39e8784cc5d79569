"""stats, convert and dump: traces in and out, in both formats."""

import os
import random
import subprocess
import unittest

from seriatim import BINARY, CLEAN, CUT, TRACES, Case, run


def long_trace(rounds):
    """Canonical STD text of some length: every operation, several threads, names of all kinds."""
    rng = random.Random(rounds)
    lines = ["main|fork(w\u00f6rker)|start.c:1", "main|fork(T2)|start.c:2"]
    for i in range(rounds):
        thread = rng.choice(["main", "w\u00f6rker", "T2"])
        name = rng.choice(["(transfer)", "(audit)", "", "(ns::f<a|b>)"])
        variable = f"0x{rng.randrange(1000):x}"
        place = rng.choice([f"file.c:{rng.randrange(99)}", str(rng.randrange(10**9)), "", "-1",
                            "007", "a|b"])
        lines += [f"{thread}|begin{name}|{place}", f"{thread}|acq(lock {i % 7})|{i}",
                  f"{thread}|r({variable})|{place}", f"{thread}|w({variable})|{place}",
                  f"{thread}|rel(lock {i % 7})|{i}", f"{thread}|end{name}|{place}"]
        if rng.random() < 0.1:
            lines.append(f"{thread}|{rng.choice(['snd', 'rcv'])}(lock {i % 3})|{place}")
    lines += ["main|join(T2)|9", "main|join(w\u00f6rker)|9"]
    return "".join(line + "\n" for line in lines).encode()


class Convert(Case):
    def convert(self, *arguments, **more):
        return self.run_here("convert", *arguments, **more)

    def test_there_and_back_gives_the_same_bytes(self):
        for content in (CUT.encode(), (TRACES / "bank.std").read_bytes(), long_trace(5000)):
            self.write("a.std", content)
            self.assert_clean(self.convert("a.std", "b.stt"))
            self.assert_clean(self.convert("b.stt", "c.std"))
            self.assertEqual((self.folder / "c.std").read_bytes(), content)
            self.assertNotEqual((self.folder / "b.stt").read_bytes(), content)

    def test_lines_that_start_alike_are_told_apart(self):
        numbers = ["", "0", "00", "7", "07", "70", "99999999", "123456789", "1y", "1y2", "|1", ")|1"]
        names = [start + number for start in ("x", "xx", "", "T", "a" * 30) for number in numbers]
        rng = random.Random(1)
        lines = [f"{rng.choice(['T', 'T1', '1'])}|{rng.choice('rw')}({rng.choice(names)})|"
                 f"{rng.choice(['7', '07', '0', '', '12345678', '123456789', 'f.c:1', 'T|r(x1)'])}"
                 for _ in range(5000)]
        lines = [line for line in lines if "()" not in line]
        content = "".join(line + "\n" for line in lines).encode()
        self.write("a.std", content)
        self.assert_clean(self.convert("a.std", "b.stt"))
        self.assertEqual(self.convert("b.stt", "-").out, content)

    def test_there_and_back_through_pipes(self):
        content = long_trace(5000)
        native = self.convert("--to", "native", "-", "-", input=content)
        self.assert_clean(native)
        back = self.convert("-", "-", input=native.out)
        self.assert_clean(back)
        self.assertEqual(back.out, content)
        self.assertLess(len(native.out), len(content) / 3)

    def test_the_format_is_in_the_content_not_in_the_name(self):
        self.write("a.std", CUT)
        self.convert("--to=native", "a.std", "b.std")
        self.assertEqual(self.run_here("stats", "--format=json", "b.std").json["format"], "native")

    def test_text_is_written_in_canonical_form(self):
        result = self.convert("-", "-", input=CUT.replace("\n", "\r\n") + "\n\n")
        self.assertEqual(result.text, CUT)

    def test_suffixes(self):
        self.write("t", CUT)
        for name, form in (("a.stt", "native"), ("a.std", "std"), ("a.txt", "std"),
                           ("a.rr", "roadrunner"), ("a.csv", "csv"), ("a.bin", "rapidbin")):
            self.assert_clean(self.convert("t", name))
            got = self.run_here("stats", "--format=json", name).json
            self.assertEqual((got["format"], got["events"]), (form, 5))

    def test_other_suffixes_need_to(self):
        self.write("t", CUT)
        self.assert_trouble(self.convert("t", "a.out"), "a.out: does not end in .stt, .std, "
                            ".txt, .rr, .csv or .bin; choose the format with --to, as in --to std "
                            "or --to native")
        self.assertEqual(os.listdir(self.folder), ["t"])
        self.assert_clean(self.convert("--to=std", "t", "a.out"))
        self.assertEqual((self.folder / "a.out").read_text(), CUT)

    def test_to_wins_over_the_suffix(self):
        self.write("t", CUT)
        self.assert_clean(self.convert("t", "--to=std", "a.stt"))
        self.assertEqual((self.folder / "a.stt").read_text(), CUT)

    def test_repair_leaves_the_malformed_out(self):
        result = self.convert("--repair", "-", "-", input=CUT + "T1|end|1\nT1|r(x)|1\n")
        self.assertEqual(result.text, CUT + "T1|r(x)|1\n")
        self.assertEqual(result.message, "seriatim: warning: standard input:6: an end without a "
                                         "begin; event dropped\n")

    def test_every_command_reads_native_from_a_file_and_from_standard_input(self):
        native = self.convert("--to=native", "-", "-", input=long_trace(3000)).out
        self.write("t.std", long_trace(3000))
        self.write("t.stt", native)
        for command in (["check", "-q"], ["dump"], ["stats"]):
            text = self.run_here(*command, "t.std").out.replace(b"t.std", b"T")
            for result in (self.run_here(*command, "t.stt"),
                           self.run_here(*command, "-", input=native)):
                self.assertEqual(result.message, "")
                got = result.out.replace(b"t.stt", b"T")
                if command == ["stats"]:
                    self.assertEqual(got.splitlines()[3:], text.splitlines()[3:])
                else:
                    self.assertEqual(got.split(b": ", command != ["dump"])[-1],
                                     text.split(b": ", command != ["dump"])[-1])


class CutNative(Case):
    def setUp(self):
        super().setUp()
        self.text = long_trace(40000)
        self.lines = self.text.splitlines(True)
        self.native = run("convert", "--to=native", "-", "-", input=self.text).out

    def test_a_cut_file_is_readable_up_to_its_last_whole_chunk(self):
        counts = []
        for part in (0.4, 0.7, 0.9, 1 - 1 / len(self.native)):
            self.write("cut.stt", self.native[:int(len(self.native) * part)])
            result = self.run_here("dump", "cut.stt")
            kept = result.out.splitlines(True)
            self.assertEqual(kept, self.lines[:len(kept)])
            self.assertEqual(result.message, "seriatim: warning: cut.stt: is truncated; only its "
                                             f"first {len(kept)} events could be read\n")
            self.assertEqual(result.status, 0)
            counts.append(len(kept))
        self.assertEqual(counts, sorted(counts))
        self.assertGreater(counts[0], 0)

    def test_nothing_is_said_of_a_file_without_a_whole_chunk(self):
        for size in (12, 60, 1000):
            self.write("cut.stt", self.native[:size])
            self.assert_trouble(self.run_here("check", "cut.stt"),
                                "cut.stt: is truncated before the end of its first chunk, "
                                "so no event can be read")

    def test_who_reads_it_for_each_engine_and_round_says_so_once(self):
        self.write("cut.stt", self.native[:len(self.native) // 2])
        self.write("whole.stt", self.native)
        for command in (["compare"], ["refine"]):
            result = self.run_here(*command, "whole.stt", "cut.stt")
            self.assertRegex(result.message, r"\Aseriatim: warning: cut.stt: is truncated; .*\n\Z", command)
            self.assertEqual(result.status, 0)

    def test_check_gives_a_verdict_for_what_was_read(self):
        self.write("cut.stt", self.native[:len(self.native) // 2])
        result = self.run_here("check", "--format=json", "cut.stt")
        self.assertRegex(result.message, r"\Aseriatim: warning: cut.stt: is truncated; .*\n\Z")
        self.assertIn(result.status, (0, 1))
        got = result.json
        self.assertIs(got["trace"]["cut"], True)
        self.assertIs(got["trace"]["truncated"], True)
        self.assertIn(got["serializable"], (True, False))
        self.assertIn("; the file is truncated)", self.run_here("check", "cut.stt").text)
        self.assertIs(self.run_here("stats", "--format=json", "cut.stt").json["cut"], True)

    def test_a_cut_trace_stays_cut_when_converted(self):
        cut = self.native[:len(self.native) // 2]
        again = run("convert", "--to=native", "-", "-", input=cut)
        self.assertIn("is truncated", again.message)
        self.assertIn("is truncated", run("stats", "-", input=again.out).message)

    def test_cut_inside_the_head(self):
        for length in range(1, 8):
            result = run("stats", "-", input=self.native[:length])
            self.assertEqual(result.status, 2)
            self.assertEqual(result.out, b"")
            self.assertRegex(result.message, r"\Aseriatim: standard input.*\n\Z")

    def test_damage_is_an_error_with_its_place(self):
        for at in (len(self.native) // 3, len(self.native) // 2):
            damaged = bytearray(self.native)
            damaged[at] ^= 0x10
            result = run("check", "-", input=bytes(damaged))
            self.assert_trouble_like(result, r"standard input: at byte \d+: .*")

    def test_malformed_order_is_placed_by_event(self):
        bad = run("convert", "--to=native", "-", "-", input=CLEAN).out
        self.assertTrue(bad)
        # Two whole traces in one text, where the second forks what the first has joined.
        text = "T1|fork(T2)|1\nT1|join(T2)|2\nT2|r(x)|3\n"
        kept = run("convert", "--to=native", "--repair", "-", "-", input=text)
        self.assertIn("event kept", kept.message)
        self.assert_trouble(run("check", "-", input=kept.out),
                            "standard input: event 3: thread 'T2' has an event after it was joined")


class Dump(Case):
    def dump(self, *arguments, input=CUT):
        return run("dump", *arguments, "-", input=input)

    def test_the_trace_as_it_is(self):
        self.assertEqual(self.dump().text, CUT)
        content = long_trace(3000)
        self.assertEqual(self.dump(input=content).out, content)

    def test_numbers(self):
        expected = "".join(f"{i}\t{line}" for i, line in enumerate(CUT.splitlines(True), 1))
        self.assertEqual(self.dump("--numbers").text, expected)
        self.assertEqual(self.dump("-n").text, expected)

    def test_ranges(self):
        lines = CUT.splitlines(True)
        for given, part in (("2-4", lines[1:4]), ("2-", lines[1:]), ("-2", lines[:2]),
                            ("3", lines[2:3]), ("1-5", lines), ("5-9", lines[4:]),
                            ("1-1", lines[:1])):
            self.assertEqual(self.dump("--events", given).text, "".join(part), given)

    def test_ranges_across_batches(self):
        content = long_trace(5000)
        lines = content.splitlines(True)
        for start, end in ((4090, 4100), (1, 4096), (4097, 8192), (4096, 4097), (20000, 25000)):
            self.assertEqual(self.dump("--events", f"{start}-{end}", input=content).out,
                             b"".join(lines[start - 1:end]))

    def test_numbers_of_a_range(self):
        self.assertEqual(self.dump("--events=4-4", "--numbers").text, "4\tT1|r(x)|4\n")

    def test_bad_ranges(self):
        for bad in ("0-3", "4-2", "x", "-", "1-2-3", "1-x", "0", "1..2",
                    "99999999999999999999-"):
            self.assert_trouble(self.dump("--events", bad), "dump: option '--events' needs event "
                                f"numbers such as 10-20, 10- or 10, not '{bad}'")

    def test_a_range_behind_the_end(self):
        self.assert_trouble(self.dump("--events=6-9"), "standard input: has only 5 events")

    def test_what_comes_behind_the_range_is_not_read(self):
        trace = "T1|r(x)|1\n" * 100000 + "nonsense\n"
        self.assertEqual(self.dump("--events=-2", input=trace).text, "T1|r(x)|1\n" * 2)

    def test_dropped_events_keep_their_numbers(self):
        result = self.dump("--repair", "--numbers", input="T1|end|1\nT1|r(x)|2\n")
        self.assertEqual(result.text, "2\tT1|r(x)|2\n")


class Stats(Case):
    TRACE = ("T0|fork(T1)|1\nT0|fork(T2)|2\nT1|begin(a)|3\nT1|begin|4\nT1|acq(l)|5\nT1|acq(l)|6\n"
             "T1|r(x)|7\nT1|w(y)|8\nT1|rel(l)|9\nT1|end|10\nT1|end(a)|11\nT2|begin(a)|12\n"
             "T2|begin(b)|13\nT2|r(x)|14\nT0|join(T1)|15\nT0|snd(c)|16\nT0|snd(l)|17\n"
             "T2|rcv(c)|18\n")

    def test_json(self):
        got = run("stats", "--format", "json", "-", input=self.TRACE).json
        size = got.pop("bytes_per_event")
        self.assertAlmostEqual(size, len(self.TRACE) / 18, places=5)
        self.assertEqual(got, {
            "schema": "seriatim-stats/1", "file": "-", "format": "std", "cut": False,
            "events": 18, "threads": 3, "variables": 2, "locks": 1, "channels": 2, "blocks": 4,
            "outermost_blocks": 2, "unnamed_blocks": 1, "block_names": 2, "deepest_nesting": 2,
            "open_blocks": 2, "unary_events": 5, "nested_lock_events": 2, "held_locks": 1,
            "dropped_events": 0, "accesses_with_values": 0,
            "operations": {"read": 2, "write": 1, "acquire": 2, "release": 1, "fork": 2,
                           "join": 1, "begin": 4, "end": 2, "send": 2, "receive": 1},
            "races": {"accesses": 0, "variables": 0, "pairs": []}})

    def test_text_says_the_same(self):
        text = run("stats", "-", input=self.TRACE).text
        got = {line[:24].strip(): line[24:].strip() for line in text.splitlines()}
        self.assertEqual(got["trace"], "-")
        self.assertEqual(got["format"], "std")
        for label, count in (("events", 18), ("read", 2), ("begin", 4), ("send", 2),
                             ("receive", 1), ("threads", 3), ("variables", 2), ("locks", 1),
                             ("channels", 2), ("blocks", 4), ("outermost", 2),
                             ("different names", 2), ("deepest nesting", 2),
                             ("open at the end", 2), ("events outside blocks", 5),
                             ("re-entrant lock events", 2), ("locks held at the end", 1),
                             ("data races", "none")):
            self.assertEqual(got[label], str(count), label)

    RACY = ("T1|w(x)|a.c:1\nT2|acq(l)|2\nT2|r(x)|b.c:3\nT2|rel(l)|4\nT1|acq(l)|5\n"
            "T1|w(x)|a.c:6\nT2|r(x)|b.c:3\nT2|r(y)|7\n")

    def test_races_are_told_with_both_places(self):
        self.assertIn(
            "\ndata races               2 accesses to 1 variable\n"
            "  T1 wrote x at a.c:1 (event 1), T2 read it at b.c:3 (event 3)\n"
            "  T1 wrote x at a.c:6 (event 6), T2 read it at b.c:3 (event 7)\n",
            run("stats", "-", input=self.RACY).text)
        self.assertEqual(run("stats", "--format=json", "-", input=self.RACY).json["races"], {
            "accesses": 2, "variables": 1, "pairs": [
                {"variable": "x", "count": 1,
                 "from": {"event": 1, "thread": "T1", "op": "w(x)", "loc": "a.c:1"},
                 "to": {"event": 3, "thread": "T2", "op": "r(x)", "loc": "b.c:3"}},
                {"variable": "x", "count": 1,
                 "from": {"event": 6, "thread": "T1", "op": "w(x)", "loc": "a.c:6"},
                 "to": {"event": 7, "thread": "T2", "op": "r(x)", "loc": "b.c:3"}}]})

    def test_races_in_the_same_places_are_told_once(self):
        text = run("stats", "-", input="T1|w(x)|1\nT2|w(x)|2\n" * 3).text
        self.assertIn("data races               5 accesses to 1 variable\n"
                      "  T1 wrote x at location 1 (event 1), T2 wrote it at location 2 (event 2) "
                      "and 2 more like it\n"
                      "  T2 wrote x at location 2 (event 2), T1 wrote it at location 1 (event 3) "
                      "and 1 more like it\n", text)

    def test_of_many_races_the_first_are_told(self):
        trace = "".join(f"T1|w(x{i})|1\nT2|w(x{i})|2\n" for i in range(100))
        got = run("stats", "--format=json", "-", input=trace).json["races"]
        self.assertEqual((got["accesses"], got["variables"]), (100, 100))
        self.assertEqual([pair["variable"] for pair in got["pairs"]], [f"x{i}" for i in range(10)])
        self.assertIn("  and 90 more\n", run("stats", "-", input=trace).text)

    def test_a_terminal_does_not_obey_names_in_races(self):
        text = run("stats", "-", input="T1|w(\x1b[1m)|\x1b[2m\nT2|w(\x1b[1m)|3\n").text
        self.assertIn("1 access to 1 variable", text)
        self.assertNotIn("\x1b", text)

    def test_dropped_events(self):
        got = run("stats", "--repair", "--format=json", "-", input=CUT + "T1|end|1\n").json
        self.assertEqual((got["events"], got["dropped_events"]), (6, 1))
        self.assertEqual(got["operations"]["end"], 1)


if __name__ == "__main__":
    unittest.main()
