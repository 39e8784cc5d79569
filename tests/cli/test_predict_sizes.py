"""seriatim predict on runs that are large for the memory that it gets."""

import random
import unittest

from random_traces import random_trace
from seriatim import Case
from test_predict import VECTOR

# With so little memory, a run of LONG events is kept as an excerpt, and one of up to 1500 events
# that count is still whole: between a quarter and three quarters of the size are for events, and
# each takes 160 bytes.
FOR_EXCERPT = ("--memory", "960000")
LONG = 5000
LOCAL_EVENTS = 700


def with_local_events(trace, rng):
    """The trace with accesses that cannot matter between its events."""
    lines = trace.splitlines()
    threads = sorted({line.split("|")[0] for line in lines if "fork" not in line})
    places = sorted(rng.randrange(len(lines)) for _ in range(LOCAL_EVENTS))
    padded = []
    for i, line in enumerate(lines):
        while places and places[0] == i:
            places.pop(0)
            thread = line.split("|")[0] if rng.random() < 0.7 else rng.choice(threads)
            if thread == "main" or not any(other.startswith(thread + "|") for other in lines[:i]):
                continue
            padded.append(f"{thread}|{rng.choice(('r(own%s)' % thread, 'w(own%s)' % thread, 'r(k)'))}|9")
        padded.append(line)
    padded += [f"{threads[0]}|r(k)|9"] * (LONG - len(padded))
    return "\n".join(padded) + "\n"


class Excerpts(Case):
    """What is left out of an excerpt does not change an answer."""

    def verdicts(self, name, *options):
        answer = self.run_here("predict", "--format", "json", "--limit", "0", "--all-depths", *options,
                               name)
        self.assertIn(answer.status, (0, 1), answer.message)
        self.assertNotIn("memory", " ".join(answer.json["caveats"]))
        return answer.json

    def test_excerpts_and_whole_runs_get_the_same_verdicts(self):
        rng, replayed, cut = random.Random(20), 0, 0
        for i in range(40):
            trace = with_local_events(random_trace(rng), rng)
            self.write("t.std", trace)
            for engine in ("tas", "tiers"):
                whole = self.verdicts("t.std", "--engine", engine)
                excerpt = self.verdicts("t.std", "--engine", engine, *FOR_EXCERPT)
                # Blocks that did nothing that counts are not listed of an excerpt, but counted.
                self.assertEqual(whole["verdicts"], excerpt["verdicts"], (i, engine))
                self.assertEqual(*([(block["begin"], block["end"], block["verdict"])
                                    for block in result["blocks"] if block["verdict"] != "atomic"]
                                   for result in (whole, excerpt)), (i, engine))
                cut += excerpt["verdicts"]["violation"]
                replayed += sum("replayed" in block for block in excerpt["blocks"])
        self.assertGreater(cut, 20)
        self.assertGreater(replayed, 20)

    def test_the_schedule_of_an_excerpt_is_a_trace_in_which_the_block_is_cut(self):
        rng, checked = random.Random(5), 0
        while checked < 10:
            trace = with_local_events(random_trace(rng), rng)
            self.write("t.std", trace)
            answer = self.run_here("predict", "--proven", "--dump-witness", "w.std", "-q",
                                   *FOR_EXCERPT, "t.std")
            if answer.status == 1:
                checked += 1
                self.assertEqual(self.run_here("check", "-q", "w.std").status, 1)

    def test_a_schedule_says_what_it_replays(self):
        self.write("t.std", "T1|w(own)|9\n" * LONG + VECTOR)
        answer = self.run_here("predict", *FOR_EXCERPT, "t.std")
        self.assertEqual(answer.status, 1)
        self.assertNotIn("as in this run", answer.text)  # nothing that counts comes before
        self.write("t.std", "T1|acq(m)|9\nT1|rel(m)|9\n" + "T1|w(own)|9\n" * LONG + VECTOR)
        answer = self.run_here("predict", *FOR_EXCERPT, "t.std")
        self.assertEqual(answer.status, 1)
        self.assertIn("... the events to 3, as in this run ...", answer.text)


class Memory(Case):
    """What does not fit into memory is named."""

    # A block that can be cut, 100,000 events, and two more such blocks.
    RUN = VECTOR + "T3|w(z)|9\n" * 100000 + VECTOR + VECTOR

    def test_what_did_not_fit_is_counted_and_named(self):
        self.write("long.std", self.RUN)
        answer = self.run_here("predict", "--format", "json", "--memory", "1M", "long.std")
        self.assertEqual(answer.status, 1)
        self.assertEqual(answer.json["verdicts"],
                         {"atomic": 1, "timeout": 4, "potential": 0, "violation": 1})
        self.assertTrue(answer.json["may_miss"])
        notes = [caveat for caveat in answer.json["caveats"] if caveat.startswith("Only the first ")]
        self.assertEqual(len(notes), 1)  # for all depths
        self.assertRegex(notes[0], "blocks that begin later were not judged.*--memory")

    def test_nothing_found_in_a_part_is_no_all_clear(self):
        self.write("long.std", "T1|w(x)|1\n" + "T3|w(z)|9\n" * 100000 + VECTOR)
        answer = self.run_here("predict", "--memory", "1M", "long.std")
        self.assertEqual(answer.status, 2)
        self.assertIn("undecided: all 2 blocks", answer.text)
        self.assertIn("blocks that begin later were not judged", " ".join(answer.text.split()))

    def test_enough_memory_changes_nothing(self):
        self.write("long.std", self.RUN)
        plain, much, any_amount = (
            self.run_here("predict", "--format", "json", *options, "long.std").json
            for options in ((), ("--memory", "64G"), ("--memory", "0")))
        for result in plain, much, any_amount:
            del result["seconds"]
        self.assertEqual(plain, much)
        self.assertEqual(plain, any_amount)
        self.assertEqual(plain["verdicts"]["timeout"], 0)

    def test_sizes_that_are_none(self):
        self.write("t.std", VECTOR)
        for size in ("-1", "many", "4X", "4GB", "1.5G", "99999999999999999999", "18446744073709551615G"):
            answer = self.run_here("predict", "--memory", size, "t.std")
            self.assertEqual(answer.status, 2, size)
            self.assertIn("--memory wants a size such as 800M or 4G", answer.message)


class Stopped(Case):
    def test_a_result_says_whether_it_was_stopped(self):
        self.write("t.std", VECTOR)
        whole = self.run_here("predict", "--format", "json", "t.std").json
        stopped = self.run_here("predict", "--format", "json", "--total-timeout", "0.000000001",
                                "t.std").json
        self.assertNotIn("stopped", whole)
        self.assertIs(stopped["stopped"], True)


if __name__ == "__main__":
    unittest.main()
