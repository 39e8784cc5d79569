#!/usr/bin/env python3
"""A model of a crew (src/cluster): when does rank 0, which deals out the pieces, become the limit?

It replays what the dealer does, event by event: each worker has one piece and one in reserve, rank 0
handles one message at a time, answers wait in a queue, and a message takes a while to arrive. The
figures that go in were measured (--measure does it again, on this machine): how long rank 0 works for
a piece, and how long pieces take. What comes out: the speed-up and how busy rank 0 is.

    bench/cluster_model.py                       the table of docs/cluster.md
    bench/cluster_model.py --piece 0.5 --handling 0.0001 --ranks 64 4096
    bench/cluster_model.py --measure             how long rank 0 works for a piece, and pieces take
    bench/cluster_model.py --speedup             1, 2 and 4 ranks on this machine
"""
import argparse
import heapq
import os
import pathlib
import random
import resource
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
BINARY = ROOT / os.environ.get("SERIATIM_BUILD", "build") / "seriatim"

# Measured by --measure; docs/cluster.md says when and where. Seconds.
HANDLING = {"check": 0.00005, "hunt": 0.0006}
PIECE = {"check": 1.0, "hunt": 0.025}
LATENCY = 0.00005  # of a message between two machines; an assumption, that of common networks is less
SPREAD = 0.3  # of the runs of one program; an assumption
RESERVE = 2  # pieces that a worker has


def simulate(ranks, piece, handling, pieces=None, round_size=None, spread=1.0, seed=1):
    """Speed-up against one process, and the share of the time in which rank 0 works.

    Lengths of pieces are drawn from a gamma distribution whose standard deviation is so many times its
    mean: with 1, which is the exponential distribution, most are short, and few are long.
    round_size: so many pieces are dealt before the next ones are known, as in a hunt."""
    workers = ranks - 1
    if workers < 1:
        return 1.0, 0.0
    rng = random.Random(seed)
    pieces = pieces or min(400_000, max(2_000, 40 * workers))
    work = busy = clock = 0.0
    done = 0
    while done < pieces:
        count = min(round_size or pieces, pieces - done)
        lengths = [rng.gammavariate(spread ** -2, piece * spread ** 2) for _ in range(count)]
        work += sum(lengths)
        end, used = deal_round(workers, lengths, handling)
        clock += end
        busy += used
        done += count
    return work / clock, busy / clock


def deal_round(workers, lengths, handling):
    """When all of them are answered, and how long rank 0 worked."""
    dealer = busy = 0.0  # when rank 0 is free again
    free = [0.0] * workers  # when each worker has done what it has
    waiting = list(reversed(lengths))
    answers = []  # (when it arrives at rank 0, worker)

    def give(worker):
        free[worker] = max(free[worker], dealer + LATENCY) + waiting.pop()
        heapq.heappush(answers, (free[worker] + LATENCY, worker))

    for share in range(RESERVE):
        for worker in range(workers):
            plenty = len(waiting) > 3 * workers
            if waiting and (share == 0 or plenty):
                dealer += handling / 2
                busy += handling / 2
                give(worker)
    last = 0.0
    while answers:
        arrival, worker = heapq.heappop(answers)
        dealer = max(dealer, arrival) + handling / 2
        busy += handling / 2
        last = dealer
        if waiting:
            dealer += handling / 2
            busy += handling / 2
            give(worker)
    return last, busy


def saturation(piece, handling):
    """With how many ranks rank 0 has no time left: it handles a piece while each worker does one."""
    return int(piece / handling) + 1


# ---- measuring -------------------------------------------------------------------------------------


def environment():
    return {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
            "OMPI_MCA_rmaps_base_oversubscribe": "1", "OMPI_MCA_btl": "self,vader",
            "OMPI_MCA_hwloc_base_binding_policy": "none"}


def run_job(ranks, folder, *words):
    """Clock and processor seconds of a job, and those of processor time of rank 0."""
    # A shell of its own says what rank 0 used: `times` counts what it has waited for.
    script = f'"$@"; code=$?; if [ "${{OMPI_COMM_WORLD_RANK-0}}" = 0 ]; then times > {folder}/times; fi; exit 0'
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    command = [BINARY, *words]
    if ranks > 1:
        command = ["mpirun", "-n", str(ranks), "sh", "-c", script, "sh", *command]
    else:
        command = ["sh", "-c", script, "sh", *command]
    subprocess.run([str(word) for word in command], cwd=folder, env=environment(), check=True,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    clock = time.monotonic() - start
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    children = (pathlib.Path(folder) / "times").read_text(encoding="ascii").splitlines()[1].split()
    rank0 = sum(60 * float(part.split("m")[0]) + float(part.split("m")[1][:-1]) for part in children)
    return clock, used, rank0


def make_traces(folder, count, events):
    names = []
    for i in range(count):
        path = pathlib.Path(folder) / f"{i}.std"
        subprocess.run([BINARY.parent / "bench-generate", "--kind", "small-blocks", "--events", str(events),
                        "--seed", str(i + 1), "-o", path], check=True)
        names.append(str(path))
    (pathlib.Path(folder) / "list").write_text("".join(f"{name}\n" for name in names), encoding="utf-8")
    return names


def resumed(folder, *words):
    """Processor time of a job whose answers are all in its journal: what rank 0 does, but for messages.
    (While it waits, a rank 0 looks for messages a thousand times a second, which is no limit.)"""
    keep = ("--resume", f"{folder}/journal-{len(os.listdir(folder))}")
    run_job(2, folder, words[0], *keep, *words[1:])
    return min(run_job(1, folder, words[0], *keep, *words[1:])[1] for _ in range(5))


def difference(folder, few, many, count):
    return (resumed(folder, *many) - resumed(folder, *few)) / count


def measure_messages(folder):
    """Rank 0 with many tiny traces and with few: what it does for each, messages included. It has no
    time to wait then."""
    make_traces(folder, 20, 200)
    names = (pathlib.Path(folder) / "list").read_text(encoding="utf-8")
    figures = {}
    for name, times in (("few", 10), ("many", 200)):
        (pathlib.Path(folder) / name).write_text(names * times, encoding="utf-8")
        figures[name] = min(run_job(4, folder, "check", "-q", f"@{folder}/{name}")[2] for _ in range(3))
    journal = difference(folder, ("check", "-q", f"@{folder}/few"), ("check", "-q", f"@{folder}/many"),
                         20 * 190)
    return (figures["many"] - figures["few"]) / (20 * 190), journal


def measure_hunt(folder, program):
    """The same for runs of a program, and how long a run takes one process."""
    words = ("hunt", "--time", "10000", "--run-time", "1000", "--keep", f"{folder}/kept")
    few, many = (*words, "--runs", "32", program), (*words, "--runs", "232", program)
    alone = [run_job(1, folder, *line[:-1], "--jobs", "1", program)[1] for line in (few, many)]
    return difference(folder, few, many, 200), (alone[1] - alone[0]) / 200


def measure(program):
    with tempfile.TemporaryDirectory() as folder:
        whole, journal = measure_messages(folder)
        print(f"check: rank 0 works {1e6 * whole:.0f} us for a tiny trace, {1e6 * journal:.0f} us without "
              "messages")
        handling, piece = measure_hunt(folder, program)
        print(f"hunt: rank 0 works {1e6 * handling:.0f} us for a run, without messages; a run takes "
              f"{1e3 * piece:.1f} ms of processor time")


def measure_speedup(program, events):
    """The clock is that of a machine with other work: the processor time says what was done."""
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        make_traces(folder, 24, events)
        jobs = {"check, 24 traces": ("check", "-q", f"@{folder}/list"),
                "hunt, 100 runs": ("hunt", "--time", "10000", "--run-time", "1000", "--jobs", "1", "--keep",
                                   f"{folder}/kept", "--runs", "100", program)}
        for name, words in jobs.items():
            for ranks in (1, 2, 4):
                best = min((run_job(ranks, folder, *words) for _ in range(3)), key=lambda row: row[0])
                rows.append((name, ranks, *best))
    for name, ranks, clock, used, rank0 in rows:
        print(f"{name:18} {ranks} ranks: {clock:6.2f} s, {used:6.2f} s of processor time, "
              f"{rank0:5.2f} s of rank 0")


# ---- the tables ------------------------------------------------------------------------------------


def table(counts, kinds):
    print(f"{'ranks':>7}" + "".join(f"{name:>22}" for name, *_ in kinds))
    for ranks in counts:
        cells = []
        for _, piece, handling, round_size, spread in kinds:
            faster, busy = simulate(ranks, piece, handling, round_size=round_size, spread=spread)
            cells.append(f"{faster:12.1f} ({100 * busy:5.1f} %)")
        print(f"{ranks:7}" + "".join(f"{cell:>22}" for cell in cells))
    print("rank 0 has no time left from about " +
          ", ".join(f"{saturation(piece, handling)} ranks on ({name})" for name, piece, handling, *_ in kinds))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--piece", type=float, help="mean length of a piece in seconds")
    parser.add_argument("--handling", type=float, help="what rank 0 does for a piece, in seconds")
    parser.add_argument("--round", type=int, help="so many pieces are dealt at a time, as in a hunt")
    parser.add_argument("--spread", type=float, default=1, help="standard deviation of lengths / mean")
    parser.add_argument("--ranks", type=int, nargs="+", default=[2, 4, 16, 64, 256, 1024, 4096, 10000])
    parser.add_argument("--measure", metavar="PROGRAM", help="built with seriatim-cc, to be hunted")
    parser.add_argument("--speedup", metavar="PROGRAM", help="the same, with 1, 2 and 4 ranks")
    parser.add_argument("--events", type=int, default=200_000, help="of the traces for --speedup")
    options = parser.parse_args()
    if options.measure or options.speedup:
        if not shutil.which("mpirun"):
            sys.exit("mpirun is missing: install openmpi-bin")
        if options.measure:
            measure(os.path.abspath(options.measure))
        if options.speedup:
            measure_speedup(os.path.abspath(options.speedup), options.events)
    elif options.piece:
        table(options.ranks, [("given", options.piece, options.handling or HANDLING["check"], options.round,
                                options.spread)])
    else:
        table(options.ranks, [("check, 1 s", 1.0, HANDLING["check"], None, 1),
                              ("check, 0.1 s", 0.1, HANDLING["check"], None, 1),
                              ("hunt, 25 ms", PIECE["hunt"], HANDLING["hunt"], 64, SPREAD),
                              ("hunt, 5 s", 5.0, HANDLING["hunt"], 64, SPREAD)])


if __name__ == "__main__":
    main()
