"""seriatim predict: the examples of the papers, what the options do, and what can go wrong."""

import json
import os
import pathlib
import random
import re
import signal
import subprocess
import time
import unittest

from random_traces import loose_trace
from seriatim import BINARY, CLEAN, CUT, SANITIZED, TRACES, Case, run


def events(text):
    """A trace from words like T1.r(x), one event each, whose location is its number."""
    words = [word.split(".", 1) for word in text.split()]
    return "".join(f"{thread}|{operation}|{i}\n"
                   for i, (thread, operation) in enumerate(words, 1))


# TSE 2006, Figure 1: a Vector is made of another one, in two critical sections.
VECTOR = events("""
    T1.begin(Vector)  T1.acq(v1) T1.r(count) T1.rel(v1)
                      T1.acq(v1) T1.r(count) T1.r(data) T1.rel(v1)  T1.end(Vector)
    T2.begin(removeAllElements)  T2.acq(v1) T2.w(data) T2.w(count) T2.rel(v1)  T2.end""")

# PPoPP 2006, section 8: modCount++, while another thread looks at modCount.
MOD_COUNT = events("T1.begin(m1) T1.r(m) T1.w(m) T1.end  T2.begin(m2) T2.r(m) T2.end")

# PPoPP 2006, Figures 4 and 6, as three transactions from which to choose.
FIGURE_4 = {"t1": "T1.begin(t1) T1.acq(l) T1.w(x) T1.w(x) T1.rel(l) T1.end ",
            "t2": "T2.begin(t2) T2.w(x) T2.end ",
            "t3": "T3.begin(t3) T3.acq(l) T3.r(x) T3.w(x) T3.rel(l) T3.end "}

# PPoPP 2006, Figure 7.
FIGURE_7 = events("""T1.begin(t1) T1.w(x) T1.r(y) T1.end
                     T2.begin(t2) T2.r(x) T2.end  T3.begin(t3) T3.w(y) T3.end""")

# TSE 2006, Figure 4, likewise.
TSE_4 = {"t1": "T1.begin(t1) T1.acq(a) T1.acq(b) T1.w(x) T1.w(x) T1.rel(b) T1.rel(a) T1.end ",
         "t2": "T2.begin(t2) T2.acq(b) T2.r(x) T2.rel(b) T2.end ",
         "t3": "T3.begin(t3) T3.acq(a) T3.r(x) T3.rel(a) T3.end ",
         "t4": "T4.begin(t4) T4.r(x) T4.acq(a) T4.acq(b) T4.w(x) T4.rel(b) T4.rel(a) T4.end "}

# Two locks in opposite order.
EMBRACE = events("""T1.begin(f) T1.acq(p) T1.acq(q) T1.w(x) T1.rel(q) T1.rel(p) T1.end
                    T2.begin(g) T2.acq(q) T2.acq(p) T2.w(x) T2.rel(p) T2.rel(q) T2.end""")

HELP = run("predict", "--help").text
ENGINES = re.findall(r"^  (\S+) ", HELP.split("engines:\n")[1], re.M)[:-1]
SINGLE = [engine for engine in ENGINES if engine != "tiers"]  # which is made of others


class PredictCase(Case):
    def predict(self, trace, *options):
        return self.run_here("predict", *options, "-", input=trace)

    def json(self, trace, *options):
        answer = self.predict(trace, "--format", "json", *options)
        self.assertIn(answer.status, (0, 1), answer.message)
        return answer.json

    def findings(self, trace, *options):
        """What is reported, by the name of the block: the pattern and the variables."""
        return {block["block"]: (block["pattern"], block["on"])
                for block in self.json(trace, *options)["blocks"] if block["verdict"] != "atomic"}

    def reported(self, trace, engine, *options):
        return "".join(sorted(self.findings(trace, "--engine", engine, *options)))


class Examples(PredictCase):
    """What the papers say about their examples."""

    def test_each_engine_reports_the_constructor_of_vector(self):
        self.assertEqual(run("check", "-", input=VECTOR).status, 0)  # it was not cut in this run
        for engine in ENGINES:
            with self.subTest(engine=engine):
                self.assertEqual(self.reported(VECTOR, engine), "Vector")

    def test_reports_on_vector_are_those_of_figure_7(self):
        # Reduction sees two critical sections in a row, the others see where a write can come in.
        self.assertEqual(self.findings(VECTOR, "--engine", "reduction"), {"Vector": ("RBLRBBL", [])})
        for engine in set(ENGINES) - {"reduction"}:
            self.assertEqual(self.findings(VECTOR, "--engine", engine),
                             {"Vector": ("R-W-R", ["count"])})

    def test_online_reduction_misses_vector(self):
        # As in Table 3: nobody else has used the lock by then.
        self.assertEqual(self.reported(VECTOR, "reduction", "--online"), "")

    def test_only_reduction_reports_mod_count(self):
        self.assertEqual(self.reported(MOD_COUNT, "reduction"), "m1")
        for engine in set(ENGINES) - {"reduction"}:
            with self.subTest(engine=engine):
                self.assertEqual(self.reported(MOD_COUNT, engine), "")

    def test_mod_count_takes_part_in_one_race_with_its_write_only(self):
        self.assertEqual(self.reported(MOD_COUNT, "reduction", "--races", "pairwise"), "")

    def figure_4(self, names, *options):
        return self.reported(events("".join(map(FIGURE_4.get, names))), "commit-node", *options)

    def test_figure_4_has_transactions_with_two_commit_nodes(self):
        self.assertEqual(self.figure_4(["t1", "t2", "t3"]), "t1t3")
        self.assertEqual(self.figure_4(["t1", "t2"]), "t1")
        self.assertEqual(self.figure_4(["t2", "t3"]), "t3")
        self.assertEqual(self.figure_4(["t1", "t3"]), "")

    def test_figure_6_has_fewer_edges(self):
        self.assertEqual(self.figure_4(["t1", "t2"], "--notion", "view"), "")
        self.assertEqual(self.figure_4(["t2", "t3"], "--notion", "view"), "t3")

    def test_a_blind_write_can_hide_what_goes_wrong_in_figure_6(self):
        # Theorem 5.1, part 2, is wrong: t2 and t3 alone are not view-atomic, with t1 they are.
        whole = events("".join(FIGURE_4.values()))
        part = events(FIGURE_4["t2"] + FIGURE_4["t3"])
        self.assertEqual(self.reported(part, "blocks", "--exact"), "t3")
        self.assertEqual(self.reported(whole, "blocks", "--exact"), "")

    def test_figure_7_is_atomic_in_spite_of_two_commit_nodes(self):
        for options in (["--notion", "conflict"], ["--notion", "view"], ["--pairwise"]):
            self.assertEqual(self.reported(FIGURE_7, "commit-node", *options), "")
        self.assertEqual(self.reported(FIGURE_7, "blocks", "--exact"), "")
        self.assertEqual(self.reported(FIGURE_7, "reduction"), "t1")

    def test_example_1_is_cut_by_a_write_but_not_by_a_read(self):
        transaction = """T1.begin(t) T1.acq(l1) T1.r(v) T1.acq(l2) T1.w(v) T1.r(v)
                         T1.rel(l2) T1.rel(l1) T1.end """
        write, read = events(transaction + "T2.w(v)"), events(transaction + "T2.r(v)")
        for options in (["blocks", "--one-variable"], ["blocks"], ["blocks", "--exact"],
                        ["commit-node"], ["commit-node", "--notion", "view"], ["tas"]):
            with self.subTest(options=options):
                self.assertEqual(self.reported(write, *options), "t")
                self.assertEqual(self.reported(read, *options), "")

    def test_what_comes_behind_a_release_is_no_repetition_of_what_came_before(self):
        # Trimming keeps two writes of a section. The lock was acquired before the block: what the block does after it
        # has let go of that lock is not in the same section.
        trace = events("""T1.fork(T2) T1.fork(T3) T2.acq(l) T2.w(x) T2.begin(t) T2.w(y) T2.w(y) T2.rel(l) T2.w(y)
                          T3.acq(l) T3.r(x) T3.w(y) T2.w(y) T2.end T3.r(y) T3.w(z) T3.rel(l)""")
        for options in (["blocks", "--exact"], ["blocks", "--exact", "--data"], ["commit-node", "--data"]):
            with self.subTest(options=options):
                self.assertEqual(self.reported(trace, *options), "t")

    def test_example_5_takes_two_variables(self):
        trace = events("""T1.begin(t) T1.r(x) T1.w(y) T1.w(x) T1.w(y) T1.r(x) T1.end
                          T2.begin(u) T2.w(y) T2.r(x) T2.end""")
        self.assertEqual(self.reported(trace, "blocks", "--one-variable"), "")
        self.assertEqual(self.findings(trace, "--engine", "blocks")["u"], ("W-W-W-R", ["y", "x"]))

    def test_example_6_takes_three_transactions(self):
        trace = events("""T1.begin(t1) T1.w(x) T1.w(y) T1.end  T2.begin(t2) T2.r(x) T2.w(z) T2.end
                          T3.begin(t3) T3.r(z) T3.r(y) T3.end""")
        for options in (["blocks"], ["commit-node", "--pairwise"]):
            self.assertEqual(self.reported(trace, *options), "")
        for options in (["blocks", "--exact"], ["commit-node"], ["reduction"]):
            self.assertEqual(self.reported(trace, *options), "t1t2t3")
        self.assertEqual(self.findings(trace, "--engine", "blocks", "--exact")["t1"],
                         ("W-R-W-R-R-W", ["x", "z", "y"]))

    def test_a_path_may_pass_a_thread_that_meets_none_of_the_others(self):
        # From x by way of a to T3, and from there to y only by the fork of T4.
        start = "T0.fork(T1) T0.fork(T2) T0.fork(T3) T1.begin(t) T1.w(x) T1.w(y) T1.end T2.w(x) T2.w(a) "
        self.assertEqual(self.reported(events(start + "T3.w(a) T3.fork(T4) T4.w(y)"), "commit-node"), "t")
        self.assertEqual(self.reported(events(start + "T3.fork(T4) T3.w(a) T4.w(y)"), "commit-node"), "")

    def races(self, names, *options):
        trace = events("".join(map(TSE_4.get, names)))
        found = self.json(trace, "--engine", "reduction", *options)
        return [race["on"] for race in found["races"]]

    def test_figure_4_of_tse_has_no_race_by_multilocksets(self):
        names = ["t3", "t2", "t1"]
        escaped = ["--without", "escape"]  # the figure is about an x that has escaped before
        self.assertEqual(self.races(names, "--races", "eraser", *escaped), ["x"])
        self.assertEqual(self.races(names, "--races", "multilockset"), [])
        self.assertEqual(self.races(names, "--races", "pairwise"), [])

    def test_figure_4_of_tse_has_a_false_race_with_t4(self):
        names = ["t3", "t2", "t4"]
        self.assertEqual(self.races(names, "--races", "multilockset"), ["x"])
        self.assertEqual(self.races(names, "--races", "pairwise"), [])
        trace = events("".join(map(TSE_4.get, names)))
        self.assertEqual(self.reported(trace, "reduction", "--races", "multilockset"), "t4")
        self.assertEqual(self.reported(trace, "reduction", "--races", "by-variable"), "")
        self.assertEqual(self.reported(trace, "blocks", "--one-variable"), "")


class Repairs(PredictCase):
    """Where a theorem does not hold as printed, --as-published shows it."""

    def assert_missed(self, trace, block, *options):
        self.assertEqual(self.reported(trace, *options), block)
        self.assertEqual(self.reported(trace, *options, "--as-published"), "")

    def test_order_of_threads_closes_cycles_of_commit_nodes(self):
        self.assert_missed(events("""T2.begin(b) T2.w(x) T1.begin(a1) T1.r(x) T1.end
                                     T1.begin(a2) T1.r(y) T1.end T2.w(y) T2.end"""),
                           "b", "commit-node")

    def test_two_non_movers_do_not_move_together(self):
        self.assert_missed(events("T1.begin(a) T1.r(x) T1.r(x) T1.end T2.w(x)"), "a", "reduction")

    def test_a_read_of_an_own_write_cannot_be_cut(self):
        trace = events("""T1.begin(a) T1.acq(l) T1.w(x) T1.rel(l) T1.acq(l) T1.w(x) T1.rel(l) T1.end
                          T2.begin(b) T2.acq(l) T2.w(x) T2.r(x) T2.rel(l) T2.end""")
        self.assertEqual(self.reported(trace, "blocks"), "")
        self.assertEqual(self.reported(trace, "blocks", "--as-published"), "a")


class Order(PredictCase):
    """Order that holds in every schedule."""

    # What std::scoped_lock does: the locks are released in the order in which they were taken, and
    # two threads may take them in different orders.
    TRANSFERS = """
        T2.begin(t) T2.acq(a0) T2.acq(a2) T2.w(b0) T2.w(b2) T2.rel(a0) T2.rel(a2) T2.end
        T2.begin(t) T2.acq(a2) T2.acq(a1) T2.w(b2) T2.w(b1) T2.rel(a2) T2.rel(a1) T2.end """

    def test_sections_that_overlap_are_one_if_all_were_entered_before_one_was_left(self):
        audit = """T1.begin(audit) T1.acq(a0) T1.acq(a1) T1.acq(a2) T1.r(b0) T1.r(b1) T1.r(b2)
                   T1.rel(a0) T1.rel(a1) T1.rel(a2) T1.end """
        for engine in ("commit-node", "reduction", "tiers"):
            self.assertEqual(self.reported(events(audit + self.TRANSFERS), engine), "", engine)

    def test_a_section_that_is_left_before_another_is_entered_is_not(self):
        audit = """T1.begin(audit) T1.acq(a0) T1.acq(a2) T1.r(b0) T1.rel(a0) T1.r(b2) T1.rel(a2)
                   T1.acq(a1) T1.r(b1) T1.rel(a1) T1.end """
        for engine in ("commit-node", "reduction", "tiers"):
            self.assertEqual(self.reported(events(audit + self.TRANSFERS), engine), "audit", engine)

    def test_who_leaves_one_of_two_sections_lets_others_begin(self):
        one = "T1.begin(one) T1.acq(l) T1.acq(m) T1.w(x) T1.rel(l) T1.r(y) T1.rel(m) T1.end "
        other = "T2.begin(other) T2.acq(l) T2.w(y) T2.acq(m) T2.r(x) T2.rel(m) T2.rel(l) T2.end "
        self.assertTrue(self.reported(events(one + other), "commit-node"))

    def test_what_is_ordered_by_fork_and_join_cannot_cut(self):
        trace = events("T2.w(x) T2.fork(T1) T1.begin(a) T1.r(x) T1.r(x) T1.end T2.join(T1) T2.w(x)")
        for engine in ENGINES:
            self.assertEqual(self.reported(trace, engine), "")

    def test_a_barrier_orders_in_every_schedule_and_a_semaphore_as_observed_only(self):
        write, read = "T1.w(x) ", "T2.begin(a) T2.r(x) T2.r(x) T2.end "
        barrier = events(write + "T1.snd(b) T2.snd(b) T1.rcv(b) T2.rcv(b) " + read)
        semaphore = events(write + "T1.snd(s) T2.rcv(s) " + read)
        for engine in ("reduction", "blocks", "commit-node"):
            with self.subTest(engine=engine):
                self.assertEqual(self.reported(barrier, engine), "")
                self.assertEqual(self.reported(semaphore, engine), "a")
                self.assertEqual(self.reported(semaphore, engine, "--sync", "all"), "")
        self.assertIn("--sync=all", self.json(semaphore, "--engine", "blocks")["caveats"][-1])
        for engine in ("reduction", "blocks", "commit-node"):  # what it takes for granted may be false
            self.assertTrue(self.json(semaphore, "--engine", engine, "--sync=all")["may_miss"])
        self.assertFalse(self.json(VECTOR, "--engine=commit-node", "--sync=all")["may_miss"])

    def test_a_block_is_split_at_a_barrier(self):
        trace = events("""T1.begin(a) T1.w(x) T1.snd(b) T2.w(x) T2.snd(b) T1.rcv(b) T2.rcv(b)
                          T1.w(x) T1.end""")
        for engine in ("reduction", "blocks", "commit-node"):
            self.assertEqual(self.reported(trace, engine), "")


    def test_a_reader_writer_lock_is_known_by_its_write_locks(self):
        """As docs/trace-format.md says."""
        def is_known(write_lock, then=""):
            trace = f"""T1|begin(f)|1 {write_lock} T1|w(x)|3 T1|w(x)|4 T1|snd(l.w)|5 T1|end(f)|6
                        T2|begin(g)|7 T2|rcv(l.w)|8 {then} T2|r(x)|9 T2|snd(l.r)|10 T2|end(g)|11
                        """
            found = self.json("\n".join(trace.split()) + "\n", "--engine", "commit-node")
            self.assertEqual(found["atomic"], not found["caveats"])
            return found["atomic"]
        self.assertTrue(is_known("T1|rcv(l.w)|2 T1|rcv(l.r)|2"))
        self.assertFalse(is_known("T1|rcv(l.w)|2 T1|rcv(l.r)|3"))
        self.assertFalse(is_known("T1|rcv(l.r)|2 T1|rcv(l.w)|2"))
        self.assertFalse(is_known("T1|rcv(l.w)|2 T1|w(y)|2 T1|rcv(l.r)|2"))
        self.assertFalse(is_known("T1|rcv(l.w)|2 T1|rcv(l.r)|2", "T2|rcv(c)|8"))
        self.assertFalse(is_known("T1|rcv(l.w)|2 T1|rcv(l.r)|2", "T2|r(y)|8 T2|rcv(l.r)|8"))


class Answers(PredictCase):
    def test_exit_status(self):
        self.assertEqual(self.predict(VECTOR).status, 1)
        self.assertEqual(self.predict(MOD_COUNT).status, 0)
        self.assertEqual(self.run_here("predict", "nowhere.std").status, 2)

    def test_a_file_is_named_in_the_report(self):
        self.write("vector.std", VECTOR)
        answer = self.run_here("predict", "-q", "--engine", "commit-node", "vector.std")
        self.assertEqual(answer.text,
                         "vector.std: 1 of 2 blocks may be cut in other schedules (commit-node: "
                         "Theorems 4.1 and 4.3, directed, conflict; 15 events, 2 threads, 1 lock, "
                         "2 variables, 2 blocks)\n")

    def test_steps_are_told_in_the_order_in_which_they_can_come(self):
        text = self.predict(VECTOR, "--engine", "commit-node").text
        self.assertIn("Vector may be cut, in thread T1: T2 may come in between, R-W-R on count", text)
        steps = re.findall(r"^  event (\d+) ", text, re.M)
        self.assertEqual(steps, ["1", "3", "13", "6"])

    def test_a_witness_is_a_trace_that_check_finds_cut(self):
        answer = self.predict(VECTOR, "--engine", "tas", "--dump-witness", "w.std")
        self.assertEqual(answer.status, 1)
        checked = self.run_here("check", "--format", "json", "w.std").json
        self.assertEqual([found["block"] for found in checked["violations"]], ["Vector"])

    def test_a_native_trace_gives_the_same(self):
        self.write("t.std", VECTOR)
        self.assert_clean(self.run_here("convert", "t.std", "t.stt"))
        for engine in ENGINES:
            pair = [self.run_here("predict", "--engine", engine, "--format", "json", name).json
                    for name in ("t.std", "t.stt")]
            self.assertEqual(pair[0]["blocks"], pair[1]["blocks"])

    def test_all_engines_side_by_side(self):
        answer = self.predict(VECTOR, "--engine", "all")
        self.assertEqual(answer.status, 1)
        self.assertIn(f"(reported by {len(SINGLE)} of {len(SINGLE)} engines; ", answer.text)
        compared = self.json(MOD_COUNT, "--engine", "all")["engines"]
        self.assertEqual({engine["engine"]: engine["atomic"] for engine in compared},
                         {name: name != "reduction" for name in SINGLE})

    def test_a_limit_shares_its_places_and_counts_all(self):
        trace = "".join(events(f"T1.begin(a{i}) T1.w(x) T1.w(x) T1.end T2.r(x)") for i in range(6))
        found = self.json(trace, "--engine", "commit-node", "--limit", "2")
        self.assertEqual(len(found["blocks"]), 2)
        self.assertEqual(found["verdicts"]["potential"], 6)
        self.assertEqual(len(self.json(trace, "--engine", "commit-node", "--limit", "0")["blocks"]), 6)

    def test_a_specification_says_which_blocks_count(self):
        self.write("spec", "ignore function Vector\n")
        for engine in ENGINES:
            self.assertEqual(self.reported(VECTOR, engine, "--spec", "spec"), "")
        self.write("spec", "atomic function Vec*\n")
        for engine in ENGINES:
            self.assertEqual(self.reported(VECTOR, engine, "--spec", "spec"), "Vector")

    def test_the_number_of_threads_makes_no_difference(self):
        def answer(trace, jobs):
            text = self.run_here("predict", "--engine", "all", "--jobs", jobs, "--format", "json",
                                 "--limit", "0", trace).text
            return re.sub(r'"seconds": [0-9.]+', "", text)
        for trace in sorted(TRACES.glob("*.std")):
            with self.subTest(trace=trace.name):
                self.assertEqual(answer(trace, "1"), answer(trace, "4"))

    def test_locks_that_are_held_at_the_end_are_told(self):
        trace = "T0.begin(a) T0.r(v) T0.acq(l) T0.w(v) T0.rel(l) T1.acq(l) T1.w(v)"
        for more, may_miss in (("", True), (" T1.rel(l)", False)):
            result = self.json(events(trace + more), "--engine", "blocks", "--exact")
            self.assertEqual((result["may_miss"], result["atomic"]), (may_miss, may_miss))

    def test_a_trace_may_end_inside_of_a_block(self):
        trace = events("T1.begin(a) T1.acq(l) T1.w(x) T1.w(x) T2.r(x)")
        for engine in ENGINES:
            self.assertEqual(self.reported(trace, engine), "a")

    def test_who_joined_a_thread_did_not_wait_for_what_it_does_later(self):
        damaged = events("T1.fork(T2) T1.join(T2) T1.w(x) T2.begin(f) T2.w(x) T2.w(x) T2.end")
        for engine in ("tas", "commit-node", "tiers"):
            self.assertEqual(self.reported(damaged, engine, "--repair", "-q"), "f", engine)

    def test_a_trace_without_blocks_has_nothing_to_cut(self):
        answer = self.predict(events("T1.w(x) T2.w(x)"), "--engine", "all")
        self.assertEqual(answer.status, 0)

    def test_tables_of_the_papers(self):
        rows = self.json(VECTOR, "--ablation")["rows"]
        self.assertEqual([row["name"] for row in rows], ["none", "escape", "happen-before",
                                                         "multilockset", "AcqA*Rel", "seriatim",
                                                         "pairwise"])
        self.assertEqual([row["reported_blocks"] for row in rows], [1] * 7)
        self.assertEqual([row["theorem"] for row in rows], [1] * 4 + [2] * 3)
        self.assertEqual([row["may_miss"] for row in rows], [True] * 5 + [False] * 2)
        rows = self.json(MOD_COUNT, "--ablation")["rows"]
        self.assertEqual(rows[-1]["racy_variables"], 1)
        self.assertEqual(rows[-1]["reported_blocks"], 0)
        self.assertIn("static proofs", self.predict(VECTOR, "--table").text)

    def test_the_last_rows_of_the_ablation_are_what_reduction_says(self):
        # The last trace: T2 reads what T0 writes before it forks T2, so that nobody races on x. If
        # x counted all the same, T2's section would not be movable, and b would be reported.
        traces = [path.read_text() for path in sorted(TRACES.glob("*.std"))]
        traces.append(events("""T0.w(x) T0.w(y) T0.fork(T3) T3.acq(l) T3.begin(b) T0.fork(T2)
                                T3.rel(l) T3.acq(l) T3.rel(l) T2.acq(l) T2.acq(m) T3.end T2.rel(m)
                                T2.r(x) T2.r(y) T2.rel(l)"""))
        missed = events("""T2.begin(b) T2.w(x) T1.begin(a) T1.r(x) T1.end T1.begin(a) T1.r(y) T1.end
                           T2.w(y) T2.end""")
        for trace in (*traces, missed):
            table = self.predict(trace, "--ablation", "--format", "json")
            rows = {row["name"]: row["reported_blocks"] for row in table.json["rows"]}
            for name, options in (("seriatim", []), ("pairwise", ["--races", "pairwise"])):
                found = self.predict(trace, "--engine", "reduction", "--format", "json", *options)
                self.assertEqual(rows[name], found.json["verdicts"]["potential"])
                if name == "seriatim":
                    self.assertEqual(table.status, found.status)
        self.assertEqual(rows, {"none": 0, "escape": 0, "happen-before": 0, "multilockset": 0,
                                "AcqA*Rel": 0, "seriatim": 1, "pairwise": 1})
        self.assertIn("can miss violations", self.predict(missed, "--ablation").text)

    def test_static_proofs_are_counted(self):
        trace = VECTOR + events("T1.begin(a) T1.w(x) T1.end")
        found = self.json(trace, "--engine", "tas")
        self.assertEqual((found["static_proofs"], found["verdicts"]["atomic"]), (2, 2))
        searched = events("""T1.begin(a) T1.w(x) T1.acq(l) T1.w(x) T1.rel(l) T1.end
                             T2.acq(l) T2.r(x) T2.rel(l)""")
        found = self.json(searched, "--engine", "tas")
        self.assertEqual((found["static_proofs"], found["verdicts"]["atomic"]), (0, 1))
        whole = self.json(trace, "--engine", "tas", "--whole-trace")  # there is no check
        self.assertNotIn("static_proofs", whole)
        for engine in self.json(trace, "--engine", "all")["engines"]:
            self.assertEqual("static_proofs" in engine, engine["engine"] == "tas")

    def test_a_bounded_search_proves_nothing(self):
        # It takes a search to know that T2 would stop inside of its critical section.
        trace = events("""T1.begin(a) T1.w(x) T1.acq(l) T1.w(x) T1.rel(l) T1.end
                          T2.acq(l) T2.r(x) T2.rel(l) T2.begin(b) T2.r(y) T2.end""")
        rows = {row["scenario"]: row for row in self.json(trace, "--table")["rows"]}
        for name, row in rows.items():
            self.assertEqual(row["static_proofs"], 0 if name in ("no TAS", "TAS, no SP") else 1)
            self.assertEqual((row["violations"], row["timeouts"]), (0, 0))
            self.assertEqual(row["no_violation"], 1 if "CSmax=5" in name else 2, name)
        self.assertIn("only static proofs count", self.predict(trace, "--table").text)

    def test_the_status_of_tables_is_that_of_reports(self):
        for options in (["--table"], ["--table", "--format=json"]):
            self.assertEqual(self.predict(VECTOR, *options).status, 1)
            self.assertEqual(self.predict(MOD_COUNT, *options).status, 0)

    def test_the_table_counts_events(self):
        for trace, words in (("T1|begin|1\n", "1 event\n"), (VECTOR, "15 events\n")):
            self.assertIn(f": {words}", self.predict(trace, "--table").text)


class TotalTime(PredictCase):
    """What is not settled when the time is over, or after an interrupt, is never called atomic."""

    # Too many schedules for any search: 36 critical sections that may come in any order.
    ENDLESS = events(" ".join(
        f"T{t}.begin(f) T{t}.acq(l) T{t}.w(x) T{t}.r(x) T{t}.rel(l) T{t}.end"
        for _ in range(6) for t in range(6)))
    SEARCH = ("--engine", "tas", "--search", "states", "--whole-trace", "--timeout", "0", "--jobs", "1")
    TIME_IS_OVER = "The time for all blocks together was over (--total-timeout): "

    def test_with_no_time_nothing_is_settled(self):
        for engine in ENGINES:
            if engine == "reduction":  # which takes no longer than reading does
                continue
            answer = self.predict(VECTOR, "--engine", engine, "--total-timeout", "0.000000001",
                                  "--format", "json")
            self.assertEqual(answer.status, 2, engine)
            self.assertIsNone(answer.json["atomic"])
            self.assertEqual(answer.json["verdicts"], {"atomic": 0, "timeout": 2, "potential": 0,
                                                       "violation": 0})
            self.assertTrue(any(caveat.startswith(self.TIME_IS_OVER)
                                for caveat in answer.json["caveats"]))

    def test_with_much_time_nothing_changes(self):
        for engine in ENGINES:
            plain, timed = (self.json(VECTOR, "--engine", engine, *options)
                            for options in ((), ("--total-timeout", "100000")))
            self.assertEqual(plain["blocks"], timed["blocks"])
            self.assertEqual(plain["caveats"], timed["caveats"])

    def test_blocks_in_blocks_are_not_begun_when_the_time_is_over(self):
        nested = events("T1.begin(a) T1.begin(b) T1.r(x) T1.w(x) T1.end T1.end T2.begin(c) T2.w(x) T2.end")
        for trace, inside in ((nested, True), (VECTOR, False)):
            answer = self.predict(trace, "--engine", "commit-node", "--all-depths", "--total-timeout",
                                  "0.000000001", "--format", "json")
            self.assertIs(answer.json["stopped"], True)
            self.assertIs(answer.json["may_miss"], inside)
            self.assertEqual(any("those were not judged" in caveat for caveat in answer.json["caveats"]), inside)

    def test_an_endless_search_ends(self):
        answer = self.predict(self.ENDLESS, *self.SEARCH, "--total-timeout", "0.5")
        self.assertEqual(answer.status, 2)
        self.assertIn("-: undecided: ", answer.text)
        self.assertIn(f"Note: {self.TIME_IS_OVER}", answer.text)

    def interrupted(self, trace, *options):
        """Starts a search in the trace that would not end, and interrupts it. Two things are waited for:
        the command minds interrupts, as it does when it has read the trace, and then each of its threads
        has searched for half a second of processor time, whatever the clock says, or has nothing left to
        search. A block that takes less is done then, whoever has it."""
        self.write("endless.std", trace)
        process = subprocess.Popen([str(BINARY), "predict", *self.SEARCH, *options, "endless.std"],
                                   cwd=self.folder, stdout=subprocess.PIPE, text=True)
        folder = pathlib.Path(f"/proc/{process.pid}")

        def is_minded():
            caught = re.search(r"^SigCgt:\s*(\w+)$", (folder / "status").read_text(), re.M)[1]
            return int(caught, 16) >> (signal.SIGINT - 1) & 1

        def threads():
            """The state and the processor time of each, in ticks."""
            found = {}
            for task in (folder / "task").iterdir():
                try:
                    words = (task / "stat").read_text().rpartition(")")[2].split()
                except OSError:
                    continue  # it has ended
                found[task.name] = words[0], int(words[11])
            return found

        def has_searched(begun):
            enough = os.sysconf("SC_CLK_TCK") // 2
            done = {name: ticks >= begun.get(name, (None, 0))[1] + enough
                    for name, (state, ticks) in threads().items() if state != "S"}
            return done and all(done.values())

        while not is_minded():
            time.sleep(0.01)
        begun = threads()
        while not has_searched(begun):
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        text, _ = process.communicate()
        return process.returncode, text

    CUT = "".join(f"{line}\n" for line in (
        "A|begin(cut)|1", "A|r(z)|2", "A|r(z)|3", "A|end|4", "B|w(z)|5"))

    def test_an_interrupt_ends_the_search_and_not_the_report(self):
        status, text = self.interrupted(self.ENDLESS)
        self.assertEqual(status, 2)
        self.assertIn("Note: The analysis was interrupted: ", text)

    def test_what_was_found_before_an_interrupt_is_reported(self):
        for jobs in ("1", "2"):
            status, text = self.interrupted(self.CUT + self.ENDLESS, "--jobs", jobs)
            self.assertEqual(status, 1)
            self.assertIn("cut is cut in a schedule that the program could have taken", text)
            self.assertIn("Note: The analysis was interrupted: ", text)

    def test_a_result_says_that_it_was_interrupted(self):
        status, text = self.interrupted(self.CUT + self.ENDLESS, "--format", "json")
        answer = json.loads(text)
        self.assertEqual(status, 1)
        self.assertIs(answer["stopped"], True)
        self.assertEqual(answer["verdicts"]["violation"], 1)
        self.assertGreater(answer["verdicts"]["timeout"], 0)


class Handovers(PredictCase):
    """Semaphores that are locks, and signals that are given once (by data)."""

    ENGINES = ("commit-node", "reduction", "tiers")

    def reported(self, trace, engine="commit-node"):
        """The names of the blocks that may be cut."""
        engines = () if engine == "tiers" else ("--engine", engine)
        answer = self.json(trace, "--data", *engines)
        return {entry["name"] for entry in answer["names"] if entry["reported"]}

    @staticmethod
    def guarded(lock, before=()):
        """Two blocks that read and write x between a wait for the semaphore and its post."""
        lines = list(before)
        for thread in ("T1", "T2"):
            lines += [f"{thread}|begin({thread})", f"{thread}|rcv({lock})", f"{thread}|r(x)",
                      f"{thread}|w(x)", f"{thread}|snd({lock})", f"{thread}|end"]
        return "".join(f"{line}|{i}\n" for i, line in enumerate(lines, 1))

    @staticmethod
    def handed(*changes, late=False):
        """A block that writes x and y and signals, at its end or in between, to one that reads them."""
        give = ["T1|begin(give)", "T1|w(x)", "T1|w(y)", "T1|snd(c)", "T1|end"]
        if late:
            give[2], give[3] = give[3], give[2]
        lines = give + ["T2|rcv(c)", "T2|begin(take)", "T2|r(x)", "T2|r(y)", "T2|end"]
        for place, line in changes:
            lines.insert(place, line)
        return "".join(f"{line}|{i}\n" for i, line in enumerate(lines, 1))

    def test_a_semaphore_that_one_thread_holds_is_a_lock(self):
        for engine in self.ENGINES:
            self.assertEqual(self.reported(self.guarded("s [lock]"), engine), set())
            self.assertEqual(self.reported(self.guarded("s"), engine), {"T1", "T2"})

    def test_one_that_several_can_hold_is_none(self):
        self.assertEqual(self.reported(self.guarded("s (semaphore) [lock]")), {"T1", "T2"})

    def test_one_that_others_post_is_none(self):
        self.assertEqual(self.reported(self.guarded("s [lock]", ["T3|snd(s [signal])"])), {"T1", "T2"})

    def test_one_that_two_held_at_once_is_none(self):
        both = ["T3|rcv(s [lock])", "T4|rcv(s [lock])", "T3|snd(s [lock])", "T4|snd(s [lock])"]
        self.assertEqual(self.reported(self.guarded("s [lock]", both)), {"T1", "T2"})

    def test_what_is_handed_over_when_it_is_done_cannot_be_cut(self):
        for engine in self.ENGINES:
            self.assertEqual(self.reported(self.handed(), engine), set())

    def test_what_is_handed_over_too_early_can_be_cut(self):
        for engine in self.ENGINES:
            self.assertEqual(self.reported(self.handed(late=True), engine), {"give"})

    def test_the_signal_is_shown(self):
        answer = self.json(self.handed(late=True), "--data", "--engine", "commit-node")
        block = next(block for block in answer["blocks"] if block["verdict"] == "potential")
        self.assertEqual(block["pattern"], "snd-rcv-R-W")
        self.assertEqual(block["on"], ["y"])
        text = self.predict(self.handed(late=True), "--data", "--engine", "commit-node").text
        self.assertIn("snd-rcv-R-W on y", text)

    def test_who_takes_may_signal_as_well(self):
        self.assertEqual(self.reported(self.handed((6, "T2|snd(c)"))), set())

    def test_who_waits_is_not_there_before_the_signal(self):
        """The taker comes after the section of the giver, and waits: it has not come in between."""
        lines = ["T1|begin(give)", "T1|acq(l)", "T1|w(x)", "T1|rel(l)", "T1|snd(c)", "T1|end",
                 "T2|acq(l)", "T2|w(x)", "T2|rel(l)", "T2|rcv(c)"]
        for engine in self.ENGINES:
            self.assertEqual(self.reported("".join(f"{line}|{i}\n" for i, line in enumerate(lines, 1)),
                                           engine), set())

    def test_what_others_could_have_given_orders_nothing(self):
        both = {"give", "take"}
        self.assertEqual(self.reported(self.handed((5, "T2|w(z)"), (5, "T2|snd(c)"))), both)
        self.assertEqual(self.reported(self.handed((0, "T1|snd(c)"))), both)
        self.assertEqual(self.reported(self.handed((5, "T3|snd(c)"))), both)
        self.assertEqual(self.reported(self.handed((0, "T3|rcv(c)"))), both)

    def test_a_wait_for_a_condition_may_end_for_other_reasons(self):
        for waits in (["T2|acq(l)", "T2|rcv(c)"], ["T2|rcv(c)", "T2|acq(l)"]):
            lines = ["T1|begin(give)|1", "T1|w(x)|2", "T1|w(y)|3", "T1|snd(c)|4", "T1|end|5",
                     *(f"{wait}|6" for wait in waits), "T2|rel(l)|7", "T2|begin(take)|8",
                     "T2|r(x)|9", "T2|r(y)|10", "T2|end|11"]
            self.assertEqual(self.reported("".join(f"{line}\n" for line in lines)), {"give", "take"})

    def test_by_locks_signals_order_nothing(self):
        answer = self.json(self.handed(), "--locks", "--engine", "commit-node")
        self.assertEqual(answer["verdicts"]["potential"], 2)


class Tiers(PredictCase):
    """What the default answer says of a block: proven, possible, or nothing."""

    # Each reads, lets go, and writes: all reads see what they saw in one order only, so nothing can
    # be proven, and yet an update can be lost.
    LOST_UPDATE = events("""T1.begin(add) T1.acq(l) T1.r(x) T1.rel(l) T1.acq(l) T1.w(x) T1.rel(l) T1.end
                            T2.begin(add) T2.acq(l) T2.r(x) T2.rel(l) T2.acq(l) T2.w(x) T2.rel(l) T2.end""")
    # The same in a block that is in another, beside one that nothing can cut.
    NESTED = events("""T1.begin(serve) T1.begin(add) T1.acq(l) T1.r(x) T1.rel(l) T1.acq(l) T1.w(x)
                       T1.rel(l) T1.end(add) T1.begin(set) T1.acq(l) T1.w(x) T1.rel(l) T1.end(set)
                       T1.end(serve) T2.acq(l) T2.r(x) T2.w(x) T2.rel(l)""")

    def test_what_is_possible_is_found_where_nothing_can_be_proven(self):
        self.assertEqual(self.predict(self.LOST_UPDATE, "--proven").status, 0)
        answer = self.predict(self.LOST_UPDATE)
        self.assertEqual(answer.status, 1)
        self.assertIn("2 of 2 blocks may be cut in other schedules", answer.text)
        self.assertEqual(len(re.findall("^Possible: ", answer.text, re.M)), 1)
        self.assertNotIn("Proven: ", answer.text)

    # A team of two works twice between what the first thread does alone, as OpenMP's regions do. All
    # of them begin after the fork and end before the join, in every schedule.
    REGION = """T1.begin(before) T1.w(x) T1.w(y) T1.end T1.snd({begins}) T2.rcv({begins}) T1.rcv({begins})
                T2.begin(work) T2.r(x) T2.r(y) T2.w(z) T2.end T1.snd({meets}) T2.snd({meets}) T1.rcv({meets})
                T1.begin(after) T1.r(z) T1.w(z) T1.w(x) T1.end"""

    def region(self, begins="omp parallel", meets="omp barrier"):
        return events(self.REGION.format(begins="B", meets="M")).replace("(B)", f"({begins})").replace("(M)", f"({meets})")

    def test_a_team_begins_after_its_fork_and_ends_before_its_join(self):
        self.assertEqual(self.predict(self.region() * 2).status, 0)
        self.assertEqual(self.predict(self.region("omp parallel #2", "omp barrier #3") * 2).status, 0)
        for names in (("parallel", "barrier"), ("omp parallels", "omp barriers"), ("omp parallel #", "omp barrier #")):
            self.assertEqual(self.predict(self.region(*names) * 2).status, 1)

    def test_members_of_a_team_can_cut_each_other(self):
        bug = self.LOST_UPDATE.replace("T1", "T3")
        together = self.region().split("T1|snd(omp barrier)", 1)
        self.assertEqual(self.predict(together[0] + bug + "T1|snd(omp barrier)" + together[1]).status, 1)

    def test_proven_means_the_same_as_tas(self):
        proven, searched = (self.json(VECTOR, *options) for options in (["--proven"],
                                                                        ["--engine", "tas"]))
        self.assertEqual(proven["blocks"], searched["blocks"])
        self.assert_trouble(self.predict(VECTOR, "--proven", "--engine", "tas"),
                            "predict: --proven and --engine cannot go together; leave one out")

    def test_the_better_proof_comes_first_and_each_tier_says_what_it_promises(self):
        renamed = self.LOST_UPDATE.replace("T1", "T3").replace("T2", "T4").replace("(x)", "(y)")
        trace = renamed.replace("(l)", "(m)") + VECTOR
        text = self.predict(trace).text
        self.assertIn("3 of 4 blocks may be cut in other schedules, 1 of them proven", text)
        order = [text.index(words) for words in ("\n1 proven finding:", "\n1 possible finding:",
                                                 "Proven: ", "Vector is cut", "Possible: ",
                                                 "add may be cut")]
        self.assertEqual(order, sorted(order))
        result = self.json(trace)
        self.assertEqual(result["engine"], "default")
        self.assertEqual([(tier["tier"], tier["blocks"]) for tier in result["tiers"]],
                         [("proven", 1), ("possible", 2)])
        self.write("saved.json", self.predict(trace, "--format", "json").text)
        self.assertEqual(self.run_here("report", "--format", "text", "saved.json").text, text)

    def test_a_block_that_goes_on_behind_what_it_initialised_once(self):
        """What is initialised comes before its use in every schedule. The rest of the block does not."""
        once = ("T1|begin(f)|1\nT1|w(data)|2\nT1|snd(o)|3\nT1|rcv(o)|3\nT1|{}|4\nT1|end(f)|5\n"
                "T2|begin(g)|8\nT2|rcv(o)|9\nT2|r(data)|10\nT2|r(y)|11\nT2|end(g)|12\n")
        found = self.json(once.format("w(y)"))
        self.assertEqual([(block["block"], block["verdict"]) for block in found["blocks"]
                          if block["verdict"] != "atomic"], [("f", "violation")])
        clean = self.json(once.format("r(data)"))
        self.assertEqual(clean["verdicts"]["violation"] + clean["verdicts"]["potential"], 0)
        self.assertTrue(clean["may_miss"])

    def test_the_same_gap_is_shown_once_with_the_best_proof(self):
        text = run("predict", TRACES / "bank.std").text
        self.assertEqual(len(re.findall("^transfer is cut", text, re.M)), 1)
        self.assertNotIn("transfer may be cut", text)

    def test_a_witness_is_that_of_what_is_proven(self):
        self.assertEqual(self.predict(VECTOR, "--dump-witness", "w.std").status, 1)
        checked = self.run_here("check", "--format", "json", "w.std").json
        self.assertEqual([found["block"] for found in checked["violations"]], ["Vector"])

    def test_the_innermost_block_is_shown_with_those_around_it(self):
        text = self.predict(self.NESTED).text
        self.assertIn("2 of 3 blocks may be cut", text)
        self.assertIn("\nadd may be cut", text)
        self.assertIn("  The same may cut the block around it: serve.\n", text)
        self.assertNotIn("\nserve may be cut", text)
        found = {block["block"]: block for block in self.json(self.NESTED)["blocks"]}
        self.assertEqual({name: (block["depth"], block["verdict"]) for name, block in found.items()},
                         {"serve": (0, "potential"), "add": (1, "potential"), "set": (1, "atomic")})
        self.assertEqual((found["add"]["around"], found["serve"]["cut_inside"]), (["serve"], True))
        self.write("saved.json", self.predict(self.NESTED, "--format", "json").text)
        self.assertEqual(self.run_here("report", "--format", "text", "saved.json").text, text)

    def test_other_engines_judge_outermost_blocks_unless_asked(self):
        for engine in SINGLE:
            with self.subTest(engine=engine):
                plain = self.json(self.NESTED, "--engine", engine)
                self.assertEqual((plain["block_count"], "deepest_judged" in plain), (1, False))
                deep = self.json(self.NESTED, "--engine", engine, "--all-depths")
                self.assertEqual((deep["block_count"], deep["deepest_judged"]), (3, 1))

    def test_where_nothing_is_cut_nothing_is_read_again(self):
        clean = events("T1.begin(f) T1.begin(g) T1.acq(l) T1.w(x) T1.rel(l) T1.end T1.end "
                       "T2.acq(l) T2.r(x) T2.rel(l)")
        self.assertNotIn("deepest_judged", self.json(clean))
        self.assertEqual(self.json(clean, "--all-depths")["deepest_judged"], 1)

    def test_a_limit_of_the_list_keeps_the_proof_of_what_it_lists(self):
        trace = "".join(VECTOR.replace("T1", f"A{i}").replace("T2", f"B{i}").replace("v1", f"v{i}")
                        .replace("count", f"count{i}").replace("data", f"data{i}") for i in range(4))
        found = self.json(trace, "--limit", "2")
        self.assertEqual(found["verdicts"]["violation"], 4)
        listed = [block for block in found["blocks"] if block["verdict"] == "violation"]
        self.assertEqual(len(listed), 2)
        self.assertTrue(all(block["witness"] for block in listed))


class Schedules(PredictCase):
    """How much of a schedule that cuts a block is shown."""

    # Before T1's block and in it, T2 and T3 do other things.
    LONG = events("T3.w(z) " * 30 + "T1.begin(f) T1.r(x) " + "T1.w(a) " * 20 + "T1.r(x) T1.end "
                  + "T2.begin(g) " + "T2.w(b) " * 20 + "T2.end T2.w(x)")

    def listing(self, trace, *options):
        text = self.predict(trace, *options).text
        return text.split("A schedule that leads there")[1].split("\n\n")[0].rstrip().split("\n")[1:]

    def test_the_steps_and_the_begin_are_shown_however_long_it_is(self):
        lines = self.listing(self.LONG)
        self.assertEqual([line for line in lines if line.startswith("  >")],
                         ["  > event 32  reads x", "  > event 77" + " " * 12 + "writes x",
                          "  > event 53  reads x"])
        self.assertIn("    event 31  begins f", lines)
        self.assertLess(len(lines), 40)

    def test_what_is_left_out_is_counted(self):
        found = [block for block in self.json(self.LONG)["blocks"] if block["verdict"] == "violation"]
        threads = dict(enumerate((line.split("|")[0] for line in self.LONG.split("\n")), 1))
        for block in found:
            shown = [place["event"] for place in block["schedule"]]
            counts, row = [], {}
            for number in block["witness"]:
                if number not in shown:
                    row[threads[number]] = row.get(threads[number], 0) + 1
                    continue
                counts += sorted((-count, number, thread) for thread, count in row.items())
                row = {}
            self.assertEqual(counts, [(-part["events"], part["before"], part["thread"])
                                      for part in block["left_out"]])
            for count, _, thread in counts:
                self.assertIn(f"{-count} events of {thread}", "\n".join(self.listing(self.LONG)))

    def test_an_end_without_a_name_ends_what_began(self):
        lines = self.listing(events("T1.begin(f) T1.r(x) T2.begin(g) T2.begin(h) T2.r(x) T2.end T2.end "
                                    "T1.w(x) T1.end T2.w(x)"))
        deeds = [line.split(None, 2)[2] for line in lines if " ends " in line]
        self.assertEqual(deeds, ["ends h", "ends g"])

    def test_columns_line_up_whatever_threads_are_called(self):
        for name in ("T2", "worker number two of those that came before all the others", "\u00e4" * 60):
            lines = self.listing(f"T1|begin(f)|1\nT1|r(x)|2\nT1|r(x)|3\nT1|end|4\n{name}|w(x)|5\n")
            self.assertEqual(lines[0].index("T1"), lines[1].index("begins f"))
            self.assertEqual(lines[0].index(name[:10]), lines[3].index("writes x"))

    def test_a_read_that_sees_something_else_says_so(self):
        lines = self.listing(events("T2.w(x) T1.begin(f) T1.r(x) T1.r(x) T1.end T2.w(x)"))
        self.assertEqual(lines[-1].strip(), "sees the write of event 6 instead of that of event 1")
        lines = self.listing(events("T1.begin(f) T1.r(x) T1.r(x) T1.end T2.w(x)"))
        self.assertEqual(lines[-1].strip(), "sees the write of event 5 instead of the initial value")

    def test_a_witness_is_text_whatever_its_file_is_called(self):
        for name in ("w.std", "w.stt", "w"):
            self.predict(VECTOR, "--dump-witness", name)
            text = (self.folder / name).read_text()
            self.assertEqual(text.split("\n")[0], VECTOR.split("\n")[0])

    def test_broken_reads_are_those_that_see_another_write(self):
        def couples(trace, order):
            written, seen = {}, {}
            for number in order:
                _, operation, _ = trace[number - 1].split("|")
                if operation[0] == "w":
                    written[operation[1:]] = number
                elif operation[:2] == "r(":
                    seen[number] = written.get(operation[1:])
            return seen
        broken = 0
        source = random.Random(7)
        for _ in range(15 if SANITIZED else 60):
            words = " ".join(f"T{source.randint(1, 3)}.{source.choice('rw')}({source.choice('xy')})"
                             for _ in range(9))
            trace = events("T1.begin " + words + " T1.end")
            observed = couples(trace.split("\n"), range(1, 12))
            for search in ("chains", "states", "dpor"):
                for block in self.json(trace, "--engine", "tas", "--search", search)["blocks"]:
                    seen = couples(trace.split("\n"), block["witness"])
                    expected = [{"event": read, "sees": write, "saw": observed[read]}
                                for read, write in seen.items() if write != observed[read]]
                    self.assertEqual(block.get("broken_reads", []), expected)
                    broken += len(expected)
        self.assertGreater(broken, 0)


# A critical section outside of blocks, with two writes, which a block cannot come between.
LOOSE = events("""T2.acq(l) T2.w(z) T2.w(x) T2.rel(l)
                  T1.begin T1.acq(l) T1.w(z) T1.rel(l) T1.w(x) T1.end""")


class Places(PredictCase):
    """A finding rests on events that the trace has."""

    def test_a_step_over_a_lock_is_a_release_and_an_acquire(self):
        [block] = self.json(LOOSE, "--engine", "commit-node")["blocks"]
        self.assertEqual(block["events"], [8, 1, 3, 9])
        self.assertEqual(block["pattern"], "rel-acq-W-W")
        out, back = block["path"]
        self.assertEqual((out["kind"], out["on"]), ("lock", "l"))
        self.assertEqual((out["from"]["op"], out["to"]["op"]), ("rel(l)", "acq(l)"))
        self.assertEqual((back["kind"], back["on"]), ("conflict", "x"))

    def test_a_commit_node_may_be_a_section_around_the_block(self):
        trace = events("""T1.acq(l) T1.w(a) T1.begin(f) T1.w(z) T1.rel(l) T1.w(x) T1.end
                          T2.acq(l) T2.w(z) T2.w(x) T2.rel(l)""")
        [block] = self.json(trace, "--engine", "commit-node")["blocks"]
        self.assertEqual([(node["event"], node["op"]) for node in block["commit_nodes"]],
                         [(1, "acq(l)"), (6, "w(x)")])

    def test_a_lock_that_is_never_given_back(self):
        trace = events("""T1.begin(f) T1.acq(l) T1.w(z) T1.rel(l) T1.w(x) T1.end
                          T2.acq(l) T2.w(z) T2.w(x)""")
        for engine in ENGINES:
            self.assert_there(trace, self.json(trace, "--engine", engine)["blocks"])

    def test_a_reader_writer_lock_is_told_as_the_channels_that_it_is(self):
        trace = "".join(line + "\n" for line in """
            T1|begin(f)|1 T1|rcv(l.w)|2 T1|rcv(l.r)|2 T1|snd(l.w)|3 T1|w(x)|4 T1|end(f)|5
            T2|rcv(l.w)|6 T2|rcv(l.r)|6 T2|r(x)|7 T2|r(x)|8 T2|snd(l.w)|9
            T3|rcv(l.w)|10 T3|r(z)|11 T3|snd(l.r)|12""".split())
        for engine, pattern in ("blocks", "acq-R-W"), ("commit-node", "rel-acq-R-W"):
            [block] = self.json(trace, "--engine", engine)["blocks"]
            self.assertEqual(block["pattern"], pattern)
            self.assert_there(trace, [block])
        text = self.predict(trace, "--engine", "commit-node").text
        self.assertIn("Its commit nodes are the critical section on l.w at location 2 and", text)

    def test_equal_blocks_say_whose_events_they_are_told_with(self):
        twice = "T0.begin(f) T0.r(v) T0.w(v) T0.end " * 2
        trace = events(twice + "T1.begin(g) T1.w(v) T1.end")
        for options, source, other in ((["blocks"], 1, 5), (["commit-node"], 1, 5),
                                       (["reduction"], 1, 5), (["blocks", "--exact"], 5, 1)):
            blocks = self.json(trace, "--engine", *options)["blocks"]
            by_begin = {block["begin"]: block for block in blocks}
            self.assertEqual(by_begin[other]["events"], by_begin[source]["events"])
            self.assertEqual(by_begin[other]["events_of"], source)
            self.assertNotIn("events_of", by_begin[source])
            self.assertNotIn("events_of", by_begin[9])
            for begin in (1, 5):
                self.assertEqual(by_begin[begin]["entry"]["loc"], str(begin))
            text = self.predict(trace, "--engine", *options).text
            told = f"  But for its begin, the steps of T0 are those of the equal block that begins " \
                   f"with event {source}.\n"
            self.assertEqual(text.count(told), 1)
            self.assertNotIn("in the same place", text)
        self.assertNotIn("events_of", self.predict(trace, "--format", "json").text)
        in_a_loop = re.sub(r"T0\|(.*)\|.*", r"T0|\1|7", trace)
        text = self.predict(in_a_loop, "--engine", "blocks").text
        self.assertIn("  The same holds for 2 blocks that begin in the same place.\n", text)

    def test_a_section_around_a_block_has_events_of_its_own(self):
        trace = events("""T0.acq(l) T0.begin(f) T0.w(x) T0.rel(l) T0.w(y) T0.end
                          T1.begin(g) T1.acq(l) T1.w(x) T1.rel(l) T1.w(y) T1.end""")
        for options in ["commit-node"], ["reduction"], ["blocks"], ["blocks", "--exact"]:
            self.assertNotIn("events_of", self.predict(trace, "--format=json", "--engine", *options).text)

    def test_random_traces(self):
        found = 0
        for seed in range(30 if SANITIZED else 150):
            trace = loose_trace(random.Random(seed))
            for options in (["--engine", "commit-node"], ["--engine", "commit-node", "--notion=view"],
                            ["--engine", "blocks"], ["--engine", "blocks", "--exact"]):
                with self.subTest(seed=seed, options=options):
                    blocks = self.json(trace, *options)["blocks"]
                    found += "acq" in "".join(block["pattern"] or "" for block in blocks)
                    self.assert_there(trace, blocks)
                    self.assert_in_order_of_threads(blocks)
                    self.assert_from_blocks(blocks)
        self.assertGreater(found, 10 if SANITIZED else 20)

    def test_steps_of_a_thread_are_in_its_order(self):
        trace = events("T2.begin(g) T2.w(a) T2.w(b) T2.end T1.begin(f) T1.r(b) T1.w(a) T1.end")
        for engine in ("blocks", "commit-node"):
            block, _ = self.json(trace, "--engine", engine)["blocks"]
            self.assertEqual(block["events"], [2, 6, 7, 3])
            self.assertEqual(block["pattern"], "W-R-W-W")
        self.assertEqual([(edge["from"]["event"], edge["to"]["event"]) for edge in block["path"]],
                         [(2, 7), (6, 3)])
        self.assertIn("event 6  T1  reads b   at location 6\n"
                      "  event 7  T1  writes a  at location 7  so T1 comes after g\n",
                      self.predict(trace, "--engine", "commit-node").text)

    def assert_in_order_of_threads(self, blocks):
        for block in blocks:
            for thread in {step["thread"] for step in block.get("steps", [])}:
                own = [step["event"] for step in block["steps"] if step["thread"] == thread]
                self.assertEqual(own, sorted(own))

    def assert_from_blocks(self, blocks):
        """A block that was merged with another has the same finding."""
        told = {block["begin"]: block for block in blocks}
        for block in blocks:
            if "events_of" in block:
                source = told[block["events_of"]]
                self.assertNotIn("events_of", source)
                self.assertEqual((block["steps"], block["thread"]), (source["steps"], source["thread"]))

    def assert_there(self, trace, blocks):
        lines = trace.splitlines()
        for block in blocks:
            places = [*block.get("steps", []), *block.get("commit_nodes", [])]
            for edge in block.get("path", []):
                places += [edge["from"], edge["to"]]
            for place in places:
                thread, op, loc = lines[place["event"] - 1].split("|")
                self.assertEqual((place["thread"], place["op"], place["loc"]), (thread, op, loc))


class Claims(PredictCase):
    """An engine that ignores what reads see does not claim that the program could run that way."""

    READERS = "A.begin(f) A.w(x) A.w(x) A.end {} B.begin(g) B.r(x) B.r(x) B.end"

    def test_an_interleaving_is_no_schedule_of_the_program(self):
        text = self.predict(events(self.READERS.format("")), "--engine", "blocks", "--exact").text
        self.assertIn("-: 2 of 2 blocks may be cut in other schedules, 1 of them in an interleaving "
                      "that was found (blocks: ", text)
        self.assertIn("\ng is cut in an interleaving of this run's events, in thread B: A comes in "
                      "between, R-W-R on x (reported in its only run).\n"
                      "  In this run the steps came in another order; they may come in this:\n", text)
        self.assertIn("  Not all events of the interleaving are listed: as a rule only "
                      "synchronisation, initial reads and final writes.\n", text)
        self.assertIn("Note: What reads see in an interleaving is not looked at: ", text)
        text = self.predict(LOOSE, "--engine", "blocks", "--exact").text
        self.assertIn("-: 1 of 1 block is cut in an interleaving of this run's events (blocks: ", text)
        text = self.predict(VECTOR).text
        self.assertIn("-: 1 of 2 blocks is cut in a schedule that the program could have taken (", text)
        self.assertIn("\nVector is cut in a schedule that the program could have taken, in ", text)
        self.assertNotIn("interleaving", text)

    def test_what_is_not_understood_makes_nothing_certain(self):
        semaphore = events(self.READERS.format("A.snd(s) B.rcv(s)"))
        inside = events("""A.begin(f) A.w(x) A.snd(s) A.w(x) A.end
                           B.begin(g) B.r(x) B.rcv(s) B.r(x) B.end""")
        for trace, options in (semaphore, []), (inside, ["--sync=all"]):
            found = self.json(trace, "--engine", "blocks", "--exact", *options)
            self.assertEqual(found["verdicts"] | {"timeout": 0},
                             {"atomic": 0, "timeout": 0, "potential": 2, "violation": 0})
            self.assertEqual([block["pattern"] for block in found["blocks"]], ["W-R-W", "R-W-R"])


class Deadlocks(PredictCase):
    def test_a_potential_for_deadlock_is_told_but_is_no_finding(self):
        answer = self.predict(EMBRACE, "--engine", "commit-node")
        self.assertEqual(answer.status, 0)
        self.assertIn("T1 and T2 may wait for each other for ever (deadlock potential).\n"
                      "  event 2   T1  acquires lock p  at location 2   and holds it\n", answer.text)
        self.assertIn("assumes that no schedule ends in deadlock", answer.text)

    def test_who_assumes_that_there_is_none_may_miss_violations(self):
        """Blocks that can be cut only in schedules which could also have ended in deadlock."""
        trace = events("""T0.begin(f) T0.acq(l1) T0.w(b) T0.acq(l0) T0.w(a) T0.rel(l0) T0.rel(l1)
                                      T0.acq(l0) T0.rel(l0) T0.end
                          T1.begin(g) T1.acq(l0) T1.acq(l1) T1.r(a) T1.rel(l1) T1.w(b) T1.rel(l0)
                                      T1.end""")
        for options in (["commit-node"], ["commit-node", "--notion=view"], ["reduction"],
                        ["blocks"], ["blocks", "--one-variable"], ["blocks", "--exact"]):
            for run in (EMBRACE, trace):
                found = self.json(run, "--engine", *options)
                self.assertIs(found["may_miss"], True)
                text = self.predict(run, "--engine", *options).text
                self.assertNotIn("in any schedule of this run", text)
                if found["atomic"]:
                    self.assertIn("no block was found that another schedule could cut", text)
        self.assertIs(self.json(trace, "--engine", "blocks")["atomic"], True)
        self.assertIs(self.json(EMBRACE, "--engine", "tas")["may_miss"], False)

    def test_more_than_can_be_listed(self):
        def pairs(count):
            return events(" ".join(
                f"{thread}.acq({first}{i}) {thread}.acq({second}{i}) "
                f"{thread}.rel({second}{i}) {thread}.rel({first}{i})"
                for thread, first, second in (("T1", "p", "q"), ("T2", "q", "p"))
                for i in range(count))) + CLEAN
        for count, words, more in (100, "; 100 deadlock", None), (101, "; at least 100 deadlock", True):
            for options in [], ["--limit", "0"], ["--engine", "commit-node"], ["--engine", "all"]:
                found = self.json(pairs(count), *options)
                self.assertEqual((len(found["deadlocks"]), found.get("more_deadlocks")), (100, more))
                self.assertIn(words, self.predict(pairs(count), *options).text)
                self.write("saved.json", json.dumps(found))
                self.assertIn(words, self.run_here("report", "--format", "text",
                                                    "saved.json").text)

    def test_it_is_in_json(self):
        for engine in ENGINES:
            found = self.json(EMBRACE, "--engine", engine)
            self.assertIs(found["deadlock_potential"], True)
            [ring] = found["deadlocks"]
            self.assertEqual([(wait["holds"]["event"], wait["wants"]["event"]) for wait in ring],
                             [(2, 3), (9, 10)])

    def test_a_gate_lock_keeps_them_apart(self):
        gated = EMBRACE
        for thread in ("T1", "T2"):
            gated = re.sub(rf"{thread}\|begin.*\n", rf"\g<0>{thread}|acq(gate)|0\n", gated)
            gated = re.sub(rf"{thread}\|end.*\n", rf"{thread}|rel(gate)|0\n\g<0>", gated)
        self.assertIs(self.json(gated)["deadlock_potential"], False)

    def test_a_ring_of_three(self):
        trace = events("""T1.acq(a) T1.acq(b) T1.rel(b) T1.rel(a) T2.acq(b) T2.acq(c) T2.rel(c)
                          T2.rel(b) T3.acq(c) T3.acq(a) T3.rel(a) T3.rel(c)""")
        [ring] = self.json(trace)["deadlocks"]
        self.assertEqual(len(ring), 3)


class Troubles(PredictCase):
    def test_options_that_contradict_each_other(self):
        for options, message in (
            (["--ablation", "--format=html"], "--ablation can be written as text or json only"),
            (["--table", "--format=sarif"], "--table can be written as text or json only"),
            (["--dump-witness", "one", "--output", "one"],
             "--dump-witness and --output cannot be the same file"),
        ):
            self.assert_trouble(self.predict(VECTOR, *options), f"predict: {message}")

    def test_two_options_of_which_one_would_be_ignored(self):
        for options, pair in (
            ("--exact --one-variable --engine=blocks", "--exact and --one-variable"),
            ("--online --races=eraser --engine=reduction", "--online and --races"),
            ("--without=multilockset --races=multilockset --engine=reduction",
             "--without multilockset and --races"),
            ("--without=multilockset --races=pairwise --engine=all", "--without multilockset and --races"),
            ("--without=escape --online --engine=reduction", "--without escape and --online"),
            ("--ablation --table", "--ablation and --table"),
            ("--ablation --online", "--ablation and --online"),
            ("--ablation --races=eraser --engine=reduction", "--ablation and --races"),
            ("--ablation --without=sections", "--ablation and --without"),
            ("--ablation --as-published", "--ablation and --as-published"),
            ("--ablation --print-suppressions", "--ablation and --print-suppressions"),
            ("--table --search=chains", "--table and --search"),
            ("--table --max-switches=3", "--table and --max-switches"),
            ("--table --whole-trace --engine=tas", "--table and --whole-trace"),
            ("--table --dump-witness=w.std", "--table and --dump-witness"),
            ("--table --print-suppressions", "--table and --print-suppressions"),
        ):
            for words in (options.split(), options.split()[::-1]):
                self.assert_trouble(self.predict(VECTOR, *words),
                                    f"predict: {pair} cannot go together; leave one out")
        for improvement in ("re-entrant", "thread-local", "protected"):
            self.reported(VECTOR, "reduction", "--online", "--without", improvement)
        self.reported(VECTOR, "reduction", "--without=escape", "--races=eraser")

    TAKEN_BY = {
        "--search=chains": ["tas"], "--max-switches=0": ["tas"], "--whole-trace": ["tas"],
        "--dump-witness=w.std": ["tas"], "--exact": ["blocks"], "--one-variable": ["blocks"],
        "--pairwise": ["commit-node"], "--online": ["reduction"], "--races=multilockset": ["reduction"],
        "--without=escape": ["reduction", "blocks"],
        "--as-published": ["reduction", "blocks", "commit-node"]}

    def test_an_option_needs_an_engine_that_takes_it(self):
        # Also where it says the default: who types it thinks that it matters.
        for option, engines in self.TAKEN_BY.items():
            words = option.split("=")[0]
            takers = ["tiers", *engines] if words == "--dump-witness" else engines
            refusal = (f"predict: {words} needs --engine {', '.join(takers)} or all; it means "
                       "nothing to ")
            self.assertEqual(self.predict(VECTOR, "--engine=all", option).status, 1)
            for engine in ENGINES:
                with self.subTest(option=option, engine=engine):
                    answer = self.predict(VECTOR, "--engine", engine, option)
                    if engine in takers:
                        self.assertIn(answer.status, (0, 1), answer.message)
                    else:
                        self.assert_trouble(answer, refusal + engine)
            if "tiers" not in takers:
                self.assert_trouble(self.predict(VECTOR, option), refusal + "tiers, the default")
            else:
                self.assertEqual(self.predict(VECTOR, option).status, 1)

    def test_a_notion_that_an_engine_does_not_have_is_no_error(self):
        without = {"conflict": {"blocks": "which is about views"},
                   "view": {"reduction": "which is about conflicts",
                            "tiers": "which is about conflicts"}}
        for notion, engines in without.items():
            engines["tas"] = "which has a notion of its own"
            for engine in ENGINES:
                answer = self.predict(VECTOR, "--engine", engine, "--notion", notion)
                self.assertEqual(answer.status, 1)
                self.assertEqual(answer.message, "seriatim: warning: --notion "
                                 f"{notion} makes no difference to {engine}, {engines[engine]}\n"
                                 if engine in engines else "")
            self.assertEqual(self.predict(VECTOR, "--engine=all", "--notion", notion).message, "")

    def test_a_table_selects_its_engine(self):
        for option, own in (("--ablation", "reduction"), ("--table", "tas")):
            self.assertEqual(self.predict(VECTOR, option).message, "")
            self.assertEqual(self.predict(VECTOR, option, "--engine", own).message, "")
            for engine in [*ENGINES, "all"]:
                if engine != own:
                    self.assert_trouble(self.predict(VECTOR, option, "--engine", engine),
                                        f"predict: {option} goes with --engine {own}, which may be "
                                        f"left out, and not with {engine}")
        self.assert_trouble(self.predict(VECTOR, "--ablation", "--search=dpor"),
                            "predict: --search needs --engine tas or all; it means nothing to "
                            "reduction")

    def test_the_same_holds_for_options_from_the_environment(self):
        self.write("t.std", VECTOR)
        for variable, options, message in (
            ("--exact", [], "--exact needs --engine blocks or all; it means nothing to tiers, the default"),
            ("--engine reduction --search dpor", [],
             "--search needs --engine tas or all; it means nothing to reduction"),
            ("--engine all", ["--table"],
             "--table goes with --engine tas, which may be left out, and not with all"),
            ("--table", ["--search=dpor"], "--table and --search cannot go together; leave one out"),
            ("--search=dpor", ["--table"], "--table and --search cannot go together; leave one out"),
        ):
            answer = self.run_here("predict", *options, "t.std", env={"SERIATIM_OPTIONS": variable})
            self.assert_trouble(answer, f"SERIATIM_OPTIONS: {message}")
        for variable, options in (("--exact", ["--engine=blocks"]), ("--engine=blocks", ["--exact"])):
            answer = self.run_here("predict", *options, "t.std", env={"SERIATIM_OPTIONS": variable})
            self.assertEqual(answer.status, 1, answer.message)

    def test_words_that_mean_nothing(self):
        self.assert_trouble(self.predict(VECTOR, "--engine", "reduction", "--without", "sense"),
                            "predict: unknown improvement 'sense' for '--without'; it must be escape, "
                            "happen-before, multilockset, sections, re-entrant, thread-local or "
                            "protected")
        self.assert_trouble_like(self.predict(VECTOR, "--engine", "crystal-ball"),
                                 r"predict: unknown engine 'crystal-ball' .* must be .* or all")
        self.assert_trouble_like(self.predict(VECTOR, "--notion", "none"), "predict: .*'none'.*")
        self.assert_trouble(self.predict(VECTOR, "--sync", "foo"),
                            "predict: unknown value 'foo' for '--sync'; it must be barriers or all")
        self.assert_trouble_like(self.predict(VECTOR, "--jobs", "many"), "predict: .*'many'")

    def test_no_trace(self):
        self.assert_trouble(self.run_here("predict"),
                            "predict: TRACE is missing; usage: seriatim predict [OPTIONS] TRACE")
        self.assert_trouble_like(self.run_here("predict", "nowhere.std"), ".*nowhere.std.*")

    def test_a_malformed_trace_is_an_error_with_its_place(self):
        broken = CUT + "T1|rel(l)|9\n"
        for engine in ENGINES:
            self.assert_trouble_like(self.predict(broken, "--engine", engine), ".*6: .*")
        self.assertEqual(self.predict(broken, "--engine", "all", "--repair").status, 1)

    def test_an_empty_trace_is_no_answer(self):
        self.assertEqual(self.predict("").status, 2)

    def test_what_was_not_written_leaves_the_old_file_alone(self):
        self.write("old.json", "old")
        self.predict(CLEAN + "nonsense\n", "--format", "json", "-o", "old.json")
        self.assertEqual((self.folder / "old.json").read_text(), "old")

    def test_results_can_go_to_a_file(self):
        answer = self.predict(VECTOR, "--format", "json", "-o", "new.json")
        self.assertEqual((answer.status, answer.out), (1, b""))
        saved = json.loads(pathlib.Path(self.folder / "new.json").read_text())
        self.assertEqual(saved["schema"], "seriatim-predict/1")


if __name__ == "__main__":
    unittest.main()
