"""The rows of the papers' tables: what their traces are made of, and what the papers say of them.

Numbers are those of the papers; what a paper does not say is None, and generate.py chooses it.
"""
import dataclasses

K, M, B = 10**3, 10**6, 10**9


@dataclasses.dataclass(frozen=True)
class Shape:
    """What a trace is made of."""

    threads: int
    events: float  # all of them
    transactions: float
    locks: float = None
    variables: float = None
    lock_events: float = None
    channel_events: float = 0
    writes: float = 0.25  # share of accesses
    cut: int = 0  # names of blocks that are cut, late
    missed: int = 0  # of others that are cut, and that Velodrome misses
    blamed: int = 0  # of those that only DoubleChecker reports


def aerodrome(events, threads, locks, variables, transactions, atomic, velodrome, aerodrome_time, speedup):
    return (Shape(threads, events, transactions, locks, variables, cut=int(not atomic)),
            ("yes" if atomic else "no", velodrome, aerodrome_time, speedup))


# ASPLOS 2020: serializable, Velodrome (s), AeroDrome (s), speed-up
AERODROME_1 = {
    "avrora": aerodrome(2.4 * B, 7, 7, 1079 * K, 498 * M, False, "TO", "1.5", "> 24000"),
    "elevator": aerodrome(280 * K, 5, 50, 725, 22.6 * K, True, "162", "1.7", "97"),
    "hedc": aerodrome(9.8 * K, 7, 13, 1694, 84, False, "0.07", "0.06", "1.16"),
    "luindex": aerodrome(570 * M, 3, 65, 2.5 * M, 86 * M, False, "581", "674", "0.86"),
    "lusearch": aerodrome(2.0 * B, 14, 772, 38 * M, 306 * M, False, "TO", "5.5", "> 6545"),
    "moldyn": aerodrome(1.7 * B, 4, 1, 121 * K, 1.4 * M, False, "TO", "54.9", "> 650"),
    "montecarlo": aerodrome(494 * M, 4, 1, 30.5 * M, 812 * K, False, "TO", "0.75", "> 48000"),
    "philo": aerodrome(613, 6, 1, 24, 0, True, "0.02", "0.02", "1"),
    "pmd": aerodrome(367 * M, 13, 223, 12.9 * M, 81 * M, False, "3.1", "3.8", "0.82"),
    "raytracer": aerodrome(2.8 * B, 4, 1, 12.6 * M, 277 * M, True, "TO", "55m40s", "> 10.7"),
    "sor": aerodrome(608 * M, 4, 2, 1 * M, 637 * K, False, "6.9", "9.6", "0.72"),
    "sunflow": aerodrome(16.8 * M, 16, 9, 1.2 * M, 2.5 * M, False, "67.9", "0.65", "104.5"),
    "tsp": aerodrome(312 * M, 9, 2, 181 * M, 9, False, "4.2", "5.7", "0.73"),
    "xalan": aerodrome(1.0 * B, 13, 8624, 31 * M, 214 * M, False, "1.6", "2.0", "0.8"),
}
AERODROME_2 = {
    "batik": aerodrome(186 * M, 7, 1916, 4.9 * M, 15 * M, False, "52.7", "65.5", "0.81"),
    "crypt": aerodrome(126 * M, 7, 1, 9 * M, 50, False, "92.1", "104", "0.88"),
    "fop": aerodrome(96 * M, 1, 115, 5 * M, 25 * M, True, "88.3", "92.5", "0.95"),
    "lufact": aerodrome(135 * M, 4, 1, 252 * K, 642 * M, False, "2.4", "2.9", "0.82"),
    "series": aerodrome(40 * M, 4, 1, 20 * K, 20 * M, False, "61.0", "15.3", "3.98"),
    "sparsematmult": aerodrome(726 * M, 4, 1, 1.6 * M, 25, False, "1210", "1197", "1.01"),
    "tomcat": aerodrome(726 * M, 4, 1, 1.6 * M, 25, False, "3.4", "4.5", "0.75"),
}


def regiontrack(threads, nodes, reads, writes, lock_events, variables, locks, distinct, work):
    """distinct: of Velodrome, RegionTrack and DoubleChecker; work: subregions, joins, edges of Velodrome, logs."""
    shape = Shape(threads, reads + writes + lock_events + 2 * nodes, nodes, locks, variables, lock_events,
                  writes=writes / (reads + writes), cut=distinct[0], missed=distinct[1] - distinct[0],
                  blamed=distinct[2] - distinct[1])
    return shape, tuple(map(str, distinct)) + tuple("-" if number is None else f"{number:,}" for number in work)


# TOSEM 2020, Table 1, and what Tables 2 and 6 say; variables and lock objects are those of Table 6.
REGIONTRACK = {
    "eclipse6": regiontrack(18, 2030000, 143000000, 12600000, 654000, 816000, 945, (180, 181, 183),
                            (1310, 306000, 270000, 25100000)),
    "hsqldb6": regiontrack(43, 175000, 11600000, 1640000, 211000, 358000, 495, (5, 5, 5), (596, 12400, 15500, 2500000)),
    "lusearch6": regiontrack(6, 193000, 113000000, 32500000, 119000, 30700, 37, (1, 2, 2), (8, 18, 7, 34400000)),
    "xalan6": regiontrack(10, 7020000, 77900000, 11700000, 529000, 56300, 169, (61, 61, 61),
                          (15000, 292000, 139000, 29100000)),
    "avrora9": regiontrack(5, 42700000, 437000000, 192000000, 1150000, 6450, 17, (21, 21, 23),
                           (441000, 2600000, 875000, 457000000)),
    "jython9": regiontrack(4, 92, 52600000, 14100000, 4130000, 2880000, 212, (0, 0, 0), (0, 0, 0, 16900000)),
    "luindex9": regiontrack(2, 95, 6480000, 2010000, 482, 59500, 41, (0, 0, 0), (0, 0, 0, 2000000)),
    "lusearch9": regiontrack(4, 1510000, 114000000, 28800000, 207000, 1910000, 110, (18, 18, 18), (33, 76, 1910, 35000000)),
    "pmd9": regiontrack(3, 89, 2370000, 397000, 714, 59700, 14, (0, 0, 0), (0, 0, 0, 378000)),
    "sunflow9": regiontrack(6, 70200, 233000000, 29100000, 685, 13200000, 31, (11, 11, 11), (209, 42900, 15600, 32500000)),
    "xalan9": regiontrack(4, 4210000, 72500000, 10200000, 449000, 74700, 154, (47, 47, 48), (7190, 138000, 52000, 26000000)),
    "crypt": regiontrack(3, 65, 23500000, 57, 11, 55, 4, (1, 1, 1), (7, 23, 11, 166)),
    "lufact": regiontrack(3, 372000, 809000, 1060, 9, 47, 3, (0, 0, 0), (4, 16, 6, 1190)),
    "series": regiontrack(3, 1910000, 20100, 26, 9, 20, 2, (1, 1, 1), (4, 11, 8, 83)),
    "sor": regiontrack(3, 36, 7710000, 997000, 9, 36, 2, (1, 1, 1), (4, 14, 8, 997000)),
    "sparsematmult": regiontrack(3, 37, 360000000, 251000, 8, 54, 3, (1, 1, 1), (3, 19, 7, 251000)),
    "moldyn": regiontrack(3, 1070000, 1310000000, 8810000, 12, 61700, 1, (0, 0, 0), (5, 45, 47400, None)),
    "montecarlo": regiontrack(3, 597000, 232000000, 41100000, 14, 424000, 3, (2, 2, 2), (18800, 52200, 42100, 41600000)),
    "raytracer": regiontrack(3, 33300000, 2910000000, 365000000, 24, 73300, 1, (0, 0, 0), (5, 2560, 10900, None)),
}


# TOSEM 2020, Table 3: dynamic violations of Velodrome, RegionTrack and DoubleChecker, then their rounds. The paper has
# "sort" for sor, and 50.9 and 125 percent for sunflow9, which do not go with its own numbers.
REGIONTRACK_3 = {
    "eclipse6": (19677, 251500, 427322, 27, 21, 21),
    "hsqldb6": (762, 8267, 9827, 4, 4, 4),
    "lusearch6": (3, 643325, 658907, 2, 3, 3),
    "xalan6": (13250, 1024043, 1275667, 13, 13, 13),
    "avrora9": (814156, 8377052, 9219170, 8, 8, 8),
    "jython9": (0, 0, 0, 1, 1, 1),
    "luindex9": (0, 0, 0, 1, 1, 1),
    "lusearch9": (18, 109, 139, 11, 11, 11),
    "pmd9": (0, 0, 0, 1, 1, 1),
    "sunflow9": (32, 63, 7823, 7, 7, 7),
    "xalan9": (1964, 288625, 348995, 14, 14, 14),
    "crypt": (1, 1, 1, 2, 2, 2),
    "lufact": (0, 0, 0, 1, 1, 1),
    "series": (1, 1, 1, 2, 2, 2),
    "sor": (1, 1, 1, 2, 2, 2),
    "sparsematmult": (1, 1, 1, 2, 2, 2),
    "moldyn": (0, 0, 0, 1, 1, 1),
    "montecarlo": (1866, 2155, 2155, 2, 2, 2),
    "raytracer": (0, 0, 0, 1, 1, 1),
}


def segments(threads, events, lock_events, locks, accesses, variables, channel_events, blocks, size, proofs, violations,
             timeouts, interleavings):
    """The paper's columns for its last scenario: segment in percent, static proofs in percent, V, TO, interleavings. It
    does not count begins and ends."""
    del accesses
    shape = Shape(threads, events, blocks, locks, variables, lock_events, channel_events, cut=violations)
    return shape, (str(size), str(proofs), str(violations), str(timeouts), interleavings)


# Sinha et al., Table I
SEGMENTS = {
    "conpool": segments(4, 97, 16, 1, 53, 5, 3, 4, 35.56, 50, 0, 0, "33"),
    "Barrier1": segments(10, 653, 108, 2, 262, 12, 7, 11, 40.2, 0, 2, 6, "1.9M"),
    "account1": segments(11, 902, 146, 21, 430, 42, 10, 61, 34.1, 83.6, 0, 10, "839K"),
    "philo": segments(6, 1141, 126, 6, 857, 23, 22, 28, 23.9, 21.43, 1, 0, "123K"),
    "SynchBench": segments(16, 1510, 306, 2, 533, 15, 0, 124, 4.2, 100, 0, 0, "0"),
    "DaisyTest1": segments(3, 2998, 422, 10, 2003, 45, 15, 142, 2.9, 98.6, 1, 0, "5"),
    "Elevator2": segments(4, 5001, 610, 11, 3668, 117, 0, 231, 37.5, 97.4, 0, 0, "125"),
    "ThriftTrace6": segments(4, 11357, 1384, 48, 3184, 171, 324, 363, 10.5, 96.7, 1, 0, "13"),
    "ThriftTrace11": segments(6, 25237, 2522, 158, 9218, 519, 549, 703, 12.9, 99.9, 0, 0, "1"),
    "Tsp": segments(4, 45653, 20, 5, 25366, 42, 3, 5, 0.2, 100, 0, 0, "0"),
}


def stoller(events, unescaped, reports, times, storage):
    """reports: bug-benign-false of commit-node, reduction and blocks; times likewise; storage: of reduction, blocks,
    multilockset and Eraser (TSE 2006, Table 4). All programs ran with three threads."""
    real = sum(int(part) for part in reports[0].split("-")[:2])
    shape = Shape(3, events, max(4, events // 200), 4, max(20, events // 2000), cut=real)
    return shape, (*reports, *times, str(unescaped), *map(str, storage))


# PPoPP 2006, Table 1, with TSE 2006, Tables 1 and 4
STOLLER = {
    "elevator": stoller(26 * K, 0.43, ("0-2-0", "0-2-0", "0-2-0"), ("0.4s", "0.5s", "0.6s"), (184, 108, 86, 20)),
    "tsp": stoller(14 * M, 0.68, ("0-2-0", "0-2-0", "0-2-0"), ("40.0s", "32.5s", "8m59s"), (543, 13474, 532, 40)),
    "sor": stoller(16 * M, 0.97, ("0-0-0", "0-0-0", "0-0-0"), ("52.4s", "53.3s", "1m4.1s"), (64, 3056, 49, 0)),
    "hedc": stoller(2.9 * K, 0.21, ("0-0-0", "0-0-1", "0-0-0"), ("1.0s", "1.0s", "2.1s"), (350, 1085, 386, 31)),
    "moldyn": stoller(1.6 * B, 0.86, ("0-0-0", "0-0-0", "0-0-0"), ("34m26s", "38m22.1s", "28m54.6s"), (978, 132, 2429, 0)),
    "montecarlo": stoller(477 * M, 0.99, ("0-0-0", "0-0-0", "0-0-0"), ("7m43s", "8m10.1s", "8m11.4s"), (79, 159, 92, 0)),
    "raytracer": stoller(3.5 * B, 0.99, ("2-0-0", "2-0-0", "2-0-0"), ("10m50s", "11m58.9s", "36m17.6s"), (31, 39, 29, 1)),
    "jigsaw": stoller(8.4 * K, 0.51, ("1-3-0", "1-3-1", "1-3-0"), ("3.4s", "2.74s", "8m25.4s"), (2011, 12508, 2169, 110)),
}
