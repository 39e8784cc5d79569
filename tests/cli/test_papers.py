"""The traces of the papers, and what each engine must say about them.

rho1, rho2, rho3 and rho1p (the paper's rho1') are figures 1 to 4 of the AeroDrome paper; alpha1 and
alpha3 are figure 1 of the RegionTrack paper; vector is the example of Wang and Stoller (2006), with
a twin in which nothing comes in between. Then two that show mistakes in the printed algorithms, and
some that revealed ours.
"""

import unittest

import seriatim


class Expected:
    def __init__(self, bad=None, aerodrome=None, violated=(), blamed=None, closer=None):
        self.bad = bad  # first bad event
        self.aerodrome = aerodrome or bad  # where AeroDrome reports
        self.violated = list(violated)  # (block, thread, event): RegionTrack names exactly these
        self.blamed = self.violated if blamed is None else blamed  # what Velodrome names of them
        self.closer = [closer] if closer else self.violated  # what DoubleChecker names


EXPECTED = {
    "rho1": Expected(),
    "rho2": Expected(6, violated=[("T1", "t1", 6)]),
    "rho3": Expected(6, aerodrome=7, closer=("T2", "t2", 6)),
    "rho1p": Expected(11, closer=("T1", "t1", 11)),
    "alpha1": Expected(14, closer=("tx1", "t1", 14)),
    # The edge that would make the cycle increasing is not the first between its transactions.
    "alpha3": Expected(14, violated=[("tx1", "t1", 14)], blamed=[]),
    # The reduced read clocks of section 4.3, as printed, miss this one.
    "aerodrome-4.3": Expected(6, violated=[("update", "T2", 6)]),
    # Unary events that share a timestamp cause a false alarm here.
    "regiontrack-unary": Expected(),
    "vector": Expected(13, violated=[("Vector(Collection)", "thread_1", 13)]),
    "vector-atomic": Expected(),
    # The second read of y is another transaction than the first, though nothing seems to separate
    # them in DoubleChecker's first phase.
    "unary-after-unary": Expected(8, violated=[("update", "T1", 8)]),
    # The edge that closes the cycle through A is a part of the cycle through L.
    "edge-of-a-cycle": Expected(5, violated=[("A", "T1", 5), ("L", "T2", 9), ("B", "T1", 10)],
                                blamed=[("A", "T1", 5), ("B", "T1", 10)]),
}


class Papers(unittest.TestCase):
    def test_every_engine_on_every_trace(self):
        for name, expected in EXPECTED.items():
            result = seriatim.run("check", "--engine", "all", "--format", "json",
                                  str(seriatim.TRACES / (name + ".std")))
            self.assertEqual(result.status, 1 if expected.bad else 0, name)
            for engine in result.json["engines"]:
                with self.subTest(trace=name, engine=engine["engine"]):
                    self.check(engine, expected)

    def check(self, engine, expected):
        self.assertEqual(engine["serializable"], expected.bad is None)
        late = engine["engine"] == "aerodrome"
        self.assertEqual(engine["first_bad_event"], expected.aerodrome if late else expected.bad)
        names = {
            "witness": expected.violated,
            "velodrome": expected.blamed,
            "aerodrome": [],
            "regiontrack": expected.violated,
            "doublechecker": expected.closer,
        }
        named = [(v["block"], v["thread"], v["event"]) for v in engine["violations"]]
        if engine["engine"] in names:  # of a new engine, only the verdict is known
            self.assertEqual(named, names[engine["engine"]])


if __name__ == "__main__":
    unittest.main()
