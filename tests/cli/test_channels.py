"""Channels: the order they create, and synchronisation expressed with them, in all engines."""

import unittest

from seriatim import Case, run

ENGINES = ("witness", "regiontrack", "aerodrome", "velodrome", "doublechecker")


def trace(*steps):
    """STD text of "T1 begin(a)", "T2 snd(c)", ... with the number of the line as location."""
    return "".join(f"{step.replace(' ', '|', 1)}|{i}\n" for i, step in enumerate(steps, 1))


class Order(Case):
    """A block of T1 in which T2 comes after its first step; the last step is the one in question."""

    def first_bad(self, *steps):
        """The first bad event, on which all engines must agree; None if there is none."""
        found = set()
        for engine in ENGINES:
            got = run("check", "--engine", engine, "--format=json", "-", input=trace(*steps)).json
            self.assertIs(got["serializable"], got["first_bad_event"] is None, engine)
            found.add(got["first_bad_event"])
        self.assertEqual(len(found), 1, found)
        return found.pop()

    def test_a_receive_comes_after_a_send(self):
        self.assertEqual(self.first_bad("T1 begin(a)", "T1 snd(c)", "T2 rcv(c)", "T2 w(x)",
                                        "T1 r(x)", "T1 end"), 5)
        self.assertEqual(self.first_bad("T1 begin(a)", "T1 w(x)", "T2 r(x)", "T2 snd(c)",
                                        "T1 rcv(c)", "T1 end"), 5)

    def test_a_receive_comes_after_sends_of_all_threads(self):
        steps = ("T1 begin(a)", "T1 w(x)", "T2 r(x)", "T2 snd(c)", "T3 snd(c)", "T4 snd(c)")
        self.assertEqual(self.first_bad(*steps, "T1 rcv(c)"), 7)

    def test_a_receive_takes_nothing_away_from_the_next(self):
        steps = ("T1 begin(a)", "T1 w(x)", "T2 r(x)", "T2 snd(c)", "T3 rcv(c)", "T4 rcv(c)")
        self.assertEqual(self.first_bad(*steps, "T1 rcv(c)"), 7)

    def test_a_receive_does_not_come_after_a_later_send(self):
        self.assertIsNone(self.first_bad("T1 begin(a)", "T1 rcv(c)", "T2 snd(c)", "T2 rcv(d)",
                                         "T1 snd(d)", "T1 end"))

    def test_sends_do_not_order_each_other(self):
        self.assertIsNone(self.first_bad("T1 begin(a)", "T1 snd(c)", "T2 snd(c)", "T1 snd(c)",
                                         "T1 end"))
        self.assertIsNone(self.first_bad("T1 begin(a)", "T1 snd(c)", "T2 snd(c)", "T2 w(x)",
                                         "T1 r(x)", "T1 end"))

    def test_receives_do_not_order_each_other(self):
        self.assertIsNone(self.first_bad("T3 snd(c)", "T1 begin(a)", "T1 rcv(c)", "T2 rcv(c)",
                                         "T2 w(x)", "T1 r(x)", "T1 rcv(c)", "T1 end"))

    def test_a_receive_does_not_order_a_send(self):
        self.assertIsNone(self.first_bad("T1 begin(a)", "T1 rcv(c)", "T2 snd(c)", "T2 w(x)",
                                         "T1 r(x)", "T1 end"))

    def test_channels_and_locks_and_variables_of_one_name_are_different(self):
        self.assertIsNone(self.first_bad("T1 begin(a)", "T1 snd(c)", "T2 rcv(d)", "T2 acq(c)",
                                         "T2 w(c)", "T2 rel(c)", "T1 r(c)", "T1 rcv(c)", "T1 end"))

    def test_a_cycle_through_channels_without_a_violated_block(self):
        self.assertEqual(self.first_bad("T1 begin(a)", "T2 begin(b)", "T1 snd(c)", "T2 snd(d)",
                                        "T2 rcv(c)", "T1 rcv(d)"), 6)

    def test_a_semaphore(self):
        work = ("T1 begin(produce)", "T1 w(x)", "T1 snd(items)", "T2 rcv(items)", "T2 r(x)")
        self.assertIsNone(self.first_bad(*work, "T2 snd(room)", "T1 end", "T1 rcv(room)"))
        self.assertEqual(self.first_bad(*work, "T2 snd(room)", "T1 rcv(room)", "T1 end"), 7)

    def test_a_barrier_inside_a_block_cuts_it(self):
        self.assertEqual(self.first_bad("T1 begin(a)", "T1 snd(b.0)", "T2 snd(b.0)", "T1 rcv(b.0)",
                                        "T2 rcv(b.0)", "T2 snd(b.1)", "T1 snd(b.1)", "T2 rcv(b.1)",
                                        "T1 rcv(b.1)", "T1 end"), 9)
        self.assertIsNone(self.first_bad("T1 begin(a)", "T1 w(x)", "T1 end", "T1 snd(b.0)",
                                         "T2 snd(b.0)", "T1 rcv(b.0)", "T2 rcv(b.0)",
                                         "T2 begin(a)", "T2 w(x)", "T2 end", "T2 snd(b.1)",
                                         "T1 snd(b.1)", "T2 rcv(b.1)", "T1 rcv(b.1)", "T1 r(x)"))

    def test_once(self):
        self.assertIsNone(self.first_bad("T1 w(x)", "T1 snd(once)", "T1 rcv(once)", "T2 begin(a)",
                                         "T2 rcv(once)", "T3 begin(b)", "T3 rcv(once)", "T2 r(x)",
                                         "T3 r(x)", "T2 rcv(once)", "T2 end", "T3 end"))

    def test_readers_of_a_reader_writer_lock_do_not_order_each_other(self):
        read = ("rcv(l.w)", "r(x)", "snd(l.r)")
        write = ("rcv(l.w)", "rcv(l.r)", "w(x)", "snd(l.w)")
        twice = [*(f"T1 {step}" for step in read), *(f"T2 {step}" for step in read),
                 *(f"T1 {step}" for step in read)]
        self.assertIsNone(self.first_bad("T1 begin(sum)", *twice, "T1 end"))
        cut = [*(f"T1 {step}" for step in read), *(f"T2 {step}" for step in write),
               *(f"T1 {step}" for step in read)]
        self.assertEqual(self.first_bad("T1 begin(sum)", *cut, "T1 end"), 9)


class Paths(Case):
    def test_edges_of_the_kind_sync(self):
        steps = ("T1 begin(a)", "T1 snd(c)", "T2 rcv(c)", "T3 snd(d)", "T2 snd(d)", "T1 rcv(d)")
        got = run("check", "--format=json", "-", input=trace(*steps)).json
        [violation] = got["violations"]
        self.assertEqual([(edge["from"]["event"], edge["to"]["event"], edge["kind"], edge["on"])
                          for edge in violation["path"]], [(2, 3, "sync", "c"), (5, 6, "sync", "d")])
        self.assertEqual(violation["path"][1]["to"],
                         {"event": 6, "thread": "T1", "op": "rcv(d)", "loc": "6"})
        self.assertEqual(got["trace"]["channels"], 2)

    def test_a_path_is_shortened_over_a_channel(self):
        steps = ("T1 begin(a)", "T1 snd(c)", "T2 rcv(c)", "T2 w(x)", "T3 r(x)", "T3 rcv(c)",
                 "T3 w(y)", "T1 r(y)")
        [violation] = run("check", "--format=json", "-", input=trace(*steps)).json["violations"]
        self.assertEqual([(edge["from"]["event"], edge["to"]["event"])
                          for edge in violation["path"]], [(2, 6), (7, 8)])

    def test_in_words(self):
        steps = ("T1 begin(a)", "T1 snd(c)", "T2 rcv(c)", "T2 snd(d)", "T1 rcv(d)", "T1 end")
        text = run("check", "-", input=trace(*steps)).text
        self.assertIn("  event 3  T2  received from channel c  at location 3", text)
        self.assertIn("  event 4  T2  sent on channel d        at location 4", text)
        self.assertIn("6 events, 2 threads, 0 locks, 2 channels, 0 variables, 1 block", text)

    def test_infer_names_the_channel(self):
        steps = ("T1 begin(a)", "T1 snd(c)", "T2 rcv(c)", "T2 snd(d)", "T1 rcv(d)", "T1 end")
        self.assertIn("T2 came in between at location 4, channel d",
                      run("infer", "-", input=trace(*steps)).text)


class Conditions(Case):
    # T1 waits for x in its block, with its lock free meanwhile. Both orders of the words mean the same.
    TRACE = """\
T1|begin(a)|1
T1|acq(l)|2
T1|r(x)|3
T1|rel(l)|4
T2|acq(l)|5
T2|w(x)|6
T2|{notify}(c)|7
T2|rel(l)|8
T1|{wait}(c)|9
T1|acq(l)|10
T1|r(x)|11
T1|rel(l)|12
T1|end(a)|13
"""

    def test_words_of_java(self):
        usual = self.write("usual.std", self.TRACE.format(notify="snd", wait="rcv"))
        for notify in ("notify", "notifyAll"):
            trace = self.write("t.std", self.TRACE.format(notify=notify, wait="wait"))
            self.assertEqual(self.run_here("convert", trace, "-").text, usual.read_text())
            self.assertEqual(self.run_here("check", "--format=json", trace).json["violations"],
                             self.run_here("check", "--format=json", usual).json["violations"])

    def test_long_lines_and_other_words(self):
        name = "c" * 200
        trace = self.write("t.std", f"T1|notifyAll({name})|1\nT2|wait({name})|2\nT1|notify(c)|3\n")
        self.assertEqual(self.run_here("convert", trace, "-").text,
                         f"T1|snd({name})|1\nT2|rcv({name})|2\nT1|snd(c)|3\n")
        for line in ("T1|notifyall(c)|1", "T1|waits(c)|1", "T1|wait|1", "T1|notifyAl", "T1|notify", "T1|wai(c)|1"):
            result = self.run_here("check", self.write("bad.std", line + "\n"))
            self.assertEqual(result.status, 2, line)


class Text(Case):
    def test_malformed_sends_and_receives(self):
        for operation in ("snd", "rcv", "snd()", "rcv()"):
            self.assert_trouble_like(run("stats", "-", input=f"T1|{operation}|1\n"),
                                     "standard input:1: operation without an operand in .*")
        for operation in ("send(c)", "rec(c)", "sn(c)", "rc(c)", "rcvd(c)", "s(c)", "SND(c)"):
            self.assert_trouble_like(run("stats", "-", input=f"T1|{operation}|1\n"),
                                     "standard input:1: unknown operation in .*")

    def test_there_and_back(self):
        text = trace("T1 snd(c)", "T2 rcv(c)", "T2 snd(a|b (x))", "T1 rcv(a|b (x))", "T1 r(c)",
                     "T1 acq(c)", "T1 rel(c)")
        native = run("convert", "--to=native", "-", "-", input=text).out
        self.assertEqual(run("convert", "-", "-", input=native).text, text)
        self.assertEqual(run("dump", "-", input=native).text, text)


if __name__ == "__main__":
    unittest.main()
