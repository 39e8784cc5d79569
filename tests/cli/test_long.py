"""Traces that are long enough that a separate thread reads ahead."""

import random
import resource
import subprocess
import unittest

import seriatim

# Two threads in turn, each with a block under a lock: 8 events a round.
ROUND = b"".join(
    b"%s|begin(f)|1\n%s|acq(l)|2\n%s|w(x)|3\n%s|rel(l)|4\n%s|end(f)|5\n" % ((t,) * 5)
    for t in (b"T1", b"T2"))
ROUNDS = 20000
EVENTS = 10 * ROUNDS
LONG = ROUND * ROUNDS


def without_races(value):
    """The value as it is if the trace cannot be read a second time."""
    if isinstance(value, list):
        return [without_races(item) for item in value]
    if isinstance(value, dict):
        return {key: without_races(item) for key, item in value.items() if key != "race"}
    return value


class Long(seriatim.Case):
    def result_of(self, *arguments, **more):
        result = self.run_here("check", "--engine", "all", "--format", "json", *arguments, **more)
        answer = result.json
        for engine in answer["engines"]:
            del engine["time_seconds"], engine["peak_state_bytes"]
            del engine["trace"]
        return result.status, answer["engines"], answer["trace"]["events"]

    def test_a_file_a_pipe_and_the_native_format_give_the_same(self):
        cut = b"T1|begin(g)|6\nT1|r(x)|7\nT2|w(x)|8\nT1|w(x)|9\nT1|end(g)|10\n"
        for content, status in ((LONG, 0), (LONG + cut, 1), (cut + LONG, 1)):
            self.write("long.std", content)
            self.assert_clean(self.run_here("convert", "long.std", "long.stt"))
            from_file = self.result_of("long.std")
            self.assertEqual(from_file[0], status)
            self.assertEqual(from_file[2], content.count(b"\n"))
            self.assertEqual(self.result_of("long.stt"), from_file)
            self.assertEqual(self.result_of("-", input=content),
                             (status, without_races(from_file[1]), from_file[2]))

    def test_an_error_late_in_the_trace_has_its_line(self):
        bad = LONG + b"T2|rel(l)|1\n" + LONG
        self.write("bad.std", bad)
        for command in ("check", "stats"):
            self.assert_trouble(self.run_here(command, "bad.std"),
                                f"bad.std:{EVENTS + 1}: thread 'T2' releases lock 'l', "
                                "which nobody holds")
        self.write("worse.std", LONG + b"nonsense\n" + LONG)
        self.assert_trouble(self.run_here("check", "worse.std"),
                            f"worse.std:{EVENTS + 1}: expected THREAD|OP|LOC in 'nonsense'")

    def check_threads(self, lives, megabytes):
        """Checks a trace with many threads in an address space of that size."""
        cut = "T0|begin(f)|5\nT0|r(x)|6\nT1|w(x)|7\nT0|w(x)|8\nT0|end|9\n"
        self.write("threads.std", "".join(lives) + cut)
        return self.run_here("check", "--format", "json", "threads.std", preexec_fn=lambda:
                             resource.setrlimit(resource.RLIMIT_AS,
                                                (megabytes << 20, megabytes << 20)))

    @seriatim.once("sanitizers need more address space than that")
    def test_short_threads_cost_little_whether_they_are_joined_or_not(self):
        for end in ("T0|join(C{})|3\n", ""):
            result = self.check_threads((f"T0|fork(C{t})|1\nC{t}|w(own{t % 9})|2\n" + end.format(t)
                                         for t in range(20000)), 400)
            self.assertEqual(result.message, "")
            self.assertEqual(result.status, 1)
            violation, = result.json["violations"]
            self.assertTrue(violation["path"][0]["race"])

    @seriatim.once("sanitizers need more address space than that")
    def test_a_finding_outlives_the_search_for_races(self):
        """Each thread learns of all others in an order of its own, so clocks have little in common:
        they take 300 MB."""
        threads = 12000
        other = random.Random(1)
        result = self.check_threads(
            (f"C{t}|snd(c{t})|1\nC{t}|rcv(c{other.randrange(threads)})|2\n"
             for turn in range(12) for t in range(threads)), 250)
        self.assertEqual(result.message, "seriatim: warning: threads.std: not all data races are "
                         "marked: there is not enough memory for it\n")
        self.assertEqual(result.status, 1)
        self.assertEqual([v["block"] for v in result.json["violations"]], ["f"])

    def test_a_block_without_end_does_not_make_the_engine_grow(self):
        """It reaches two threads, whose blocks overlap and pass a variable back and forth."""
        start = ["T0|begin(serve)|1", "T0|w(a)|1", "T1|r(a)|2", "T2|r(a)|2"]
        turns = [[f"{a}|begin(f)|3", f"{a}|w(v)|3", f"{b}|begin(f)|3", f"{b}|w(v)|3",
                  f"{a}|end(f)|3", f"{b}|end(f)|3"] for a, b in (("T1", "T2"), ("T2", "T1"))]
        peaks = []
        for rounds in (20000, 160000):
            self.write("t.std", "\n".join(start + (turns[0] + turns[1]) * rounds) + "\n")
            peaks.append(self.run_here("check", "--format", "json", "t.std").json["peak_state_bytes"])
        self.assertLess(peaks[1], 3.5 * peaks[0])  # with all edges kept it was 5 times as much

    def test_open_blocks_that_know_each_other_cost_no_pairs(self):
        """Each thread opens a block, and takes a lock that all those before it released."""
        peaks = []
        for threads in (2000, 8000):
            self.write("t.std", "".join(f"T{t}|begin(f)|1\nT{t}|acq(l)|2\nT{t}|rel(l)|3\n"
                                        for t in range(threads)))
            result = self.run_here("check", "--format", "json", "t.std")
            self.assertTrue(result.json["serializable"])
            peaks.append(result.json["peak_state_bytes"])
        self.assertLess(peaks[1], 6 * peaks[0])  # with a word for each pair it was 15 times as much

    def test_an_error_ends_it_although_the_input_goes_on(self):
        process = subprocess.Popen([seriatim.BINARY, "check", "-"], stdin=subprocess.PIPE,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        process.stdin.write(LONG + b"T2|rel(l)|1\n")
        process.stdin.flush()
        self.assertEqual(process.wait(), 2)  # the pipe is still open, and nothing more comes
        self.assertIn(b"releases lock 'l'", process.stderr.read())
        for stream in (process.stdin, process.stdout, process.stderr):
            stream.close()


if __name__ == "__main__":
    unittest.main()
