"""Where we depart from the papers, or keep what they get wrong: a trace for each, and what is said of it.

docs/papers.md lists them."""

import itertools

from seriatim import TRACES, Case

FOLDER = TRACES / "departures"


def events(name):
    return [line.split("|")[:2] for line in (FOLDER / name).read_text().splitlines()]


def view_of(order):
    """What each read sees, and which write comes last, for accesses (thread, operation, variable, number)."""
    last, seen = {}, set()
    for _, operation, variable, number in order:
        if operation == "w":
            last[variable] = number
        else:
            seen.add((number, last.get(variable)))
    return seen, tuple(sorted(last.items()))


def interleavings(rows):
    """All orders in which each row keeps its own order."""
    rows = [row for row in rows if row]
    if not rows:
        yield []
    for i, row in enumerate(rows):
        for rest in interleavings(rows[:i] + [row[1:]] + rows[i + 1:]):
            yield [row[0], *rest]


def runs(order):
    """Does everybody who takes a lock find it free?"""
    held = {}
    for thread, operation, _ in order:
        lock = operation[4:-1]
        if operation.startswith("acq") and held.get(lock):
            return False
        if operation.startswith(("acq", "rel")):
            held[lock] = thread if operation.startswith("acq") else None
    return True


class Departures(Case):
    def reported(self, name, *options):
        result = self.run_here("predict", "--format=json", *options, FOLDER / name)
        self.assertIn(result.status, (0, 1), result.message)
        return {block["block"] for block in result.json["blocks"] if block["verdict"] in ("potential", "violation")}

    def test_each_trace_has_its_test(self):
        named = {"avp-prefix.std", "theorem3-hidden-write.std", "view-forest-three.std"}
        self.assertEqual({path.name for path in FOLDER.iterdir()}, named)

    def test_velodrome_drops_the_edge_that_closes_a_cycle(self):
        """All three blocks are violated; without that edge there is no cycle through L."""
        trace = TRACES / "edge-of-a-cycle.std"
        for engine, names in (("regiontrack", {"A", "B", "L"}), ("doublechecker", {"A", "B", "L"}),
                              ("velodrome", {"A", "B"})):
            result = self.run_here("check", "--engine", engine, "--format=json", trace).json
            self.assertEqual({block["name"] for block in result["blocks"] if block["violated"]}, names)

    def test_a_third_write_hides_pattern_4(self):
        """T2 can write between T1's read and its write. But main writes last in every schedule, so the order a b main
        explains what was seen: Theorem 3 is wrong, and so is Theorem 5 with that pattern."""
        name = "theorem3-hidden-write.std"
        for options, found in ((["--one-variable"], {"a"}), ([], {"a"}), (["--exact", "--as-published"], {"a"}),
                               (["--exact"], set())):
            self.assertEqual(self.reported(name, "--engine=blocks", *options), found, options)
        a, b, last = [("T1", "r", "x", 1), ("T1", "w", "x", 2)], [("T2", "w", "x", 3)], ("main", "w", "x", 4)
        serial = [view_of([*a, *b, last]), view_of([*b, *a, last])]
        for order in interleavings([a, b]):
            self.assertIn(view_of([*order, last]), serial)

    def test_a_feasible_schedule_may_end_early(self):
        """T1 reads x, T2 writes it, and T1 reads another value, which may change all that it does from then on, its
        release of the lock included. A complete interleaving is not executable then: T2 would take a lock that is
        held. So we let threads stop anywhere, which the paper does not say: a repair."""
        witness = self.folder / "w.std"
        self.assertEqual(self.reported("avp-prefix.std", "--engine=tas", "--dump-witness", witness), {"a"})
        lines = witness.read_text().splitlines()
        self.assertEqual([line.rsplit("|", 1)[1] for line in lines], ["1", "2", "3", "7", "4"])
        self.assertEqual(self.run_here("check", "--format=json", witness).json["violation_count"], 1)
        # Of a complete interleaving that cuts the block, what is left without T1's events behind its second read never
        # runs: T1 keeps the lock that T2 takes.
        threads = {}
        for number, (thread, operation) in enumerate(events("avp-prefix.std"), 1):
            threads.setdefault(thread, []).append((thread, operation, number))
        cutting = 0
        for order in interleavings(list(threads.values())):
            numbers = [number for _, _, number in order]
            if numbers.index(3) < numbers.index(7) < numbers.index(4):
                cutting += 1
                self.assertFalse(runs([event for event in order if event[0] == "T2" or event[2] <= 4]))
        self.assertGreater(cutting, 0)

    def test_the_view_forest_is_not_exact_for_three(self):
        """b is on a path of the view forest, but in every schedule of the three units the views are those of a serial
        one; for two transactions at a time the forest is exact, and says nothing."""
        name = "view-forest-three.std"
        self.assertEqual(self.reported(name, "--engine=commit-node", "--notion=view"), {"b"})
        self.assertEqual(self.reported(name, "--engine=commit-node", "--notion=view", "--pairwise"), set())
        self.assertEqual(self.reported(name, "--engine=blocks", "--exact"), set())
        b = [("T1", "w", "x", 2), ("T1", "r", "y", 5)]
        alone = [("T1", "w", "x", 7), ("T1", "r", "x", 8)]
        others = [("T2", "w", "x", 3), ("T2", "w", "y", 4)]
        units = [[tuple(b)] + [(access,) for access in alone], [(access,) for access in others]]
        serial = [view_of(list(itertools.chain(*order))) for order in interleavings(units)]
        for order in interleavings([b + alone, others]):
            self.assertIn(view_of(order), serial)
