"""Real programs: `predict` finds their bugs in recordings of runs in which the bugs did not strike.

The programs are those of tests/programs, linked with the schedule in which nobody comes in between
(serial.c). `check` must find nothing in the recording, and `predict` must find the blocks that the
program says can be cut, and nothing in its fixed twin.
"""

import fnmatch
import unittest

import programs
import test_programs
from seriatim import BINARY

GCC, CLANG = ("gcc", "-O1"), ("clang", "-O1")

# What is left to be said of programs in which the bug is a matter of schedules alone: if what a
# thread does depends on what it finds, a serial run does not contain the accesses in question.
FORESEEN = {
    "array.c": GCC,
    "atomic_builtins.c": CLANG,
    "bank.c": GCC,
    "bitfield.c": GCC,
    "c11_atomic.c": GCC,
    "c11_mutex.c": CLANG,
    "condition_any_act.cc": GCC,
    "exception.cc": GCC,
    "handover_condition.c": GCC,
    "handover_counting.cc": GCC,
    "handover_flag.c": GCC,
    "handover_future.cc": GCC,
    "handover_mailbox.cc": GCC,
    "handover_semaphores.c": GCC,
    "heap.c": GCC,
    "heap_new.cc": CLANG,
    "link_then_fill.c": GCC,
    "longjmp.c": GCC,
    "lost_update.c": GCC,
    "many_threads.c": GCC,
    "mutex.c": GCC,
    "mutex_recursive.c": GCC,
    "mutex_robust.c": GCC,
    "nested_outer.c": GCC,
    "once.c": GCC,
    "owner_note.c": GCC,
    "queue_cache.cc": GCC,
    "queue_deque.cc": GCC,
    "queue_double.c": GCC,
    "queue_frames.cc": GCC,
    "queue_future.cc": GCC,
    "queue_latch.cc": GCC,
    "queue_list.c": GCC,
    "queue_pipeline.cc": GCC,
    "queue_pool.c": GCC,
    "queue_ring.c": GCC,
    "queue_slots.c": GCC,
    "queue_tasks.cc": GCC,
    "queue_unique.cc": GCC,
    "recursion.c": GCC,
    "rwlock_upgrade.c": GCC,
    "spec_ignore.c": GCC,
    "spinlock.c": GCC,
    "static_guard.cc": GCC,
    "std_atomic.cc": GCC,
    "std_call_once.cc": GCC,
    "std_mutex.cc": CLANG,
    "std_scoped_lock.cc": GCC,
    "std_timed_mutex.cc": GCC,
    "struct_assignment.c": GCC,
    "sync_builtins.c": GCC,
    "virtual.cc": GCC,
}

# Those of them that tas finds, too. It goes on from no read that sees another value than in the run,
# so it needs accesses that do not depend on the others'.
SCHEDULED = {"array.c", "bitfield.c", "exception.cc", "handover_counting.cc", "handover_flag.c",
             "handover_future.cc", "heap.c", "heap_new.cc", "longjmp.c",
             "nested_outer.c", "spec_ignore.c", "struct_assignment.c", "sync_builtins.c"}

# Programs without a bug, of which nothing may be said: how threads synchronise in them keeps blocks
# whole in every schedule.
SILENT = ("handover_latch.cc", "silent_barrier_phases.c", "silent_bitfields.c", "silent_cond_queue.c",
          "silent_condition_any.cc",
          "silent_heap_reuse.c", "silent_omp_loops.c", "silent_queue_handover.c", "silent_read_only_table.c",
          "silent_refcount.c",
          "silent_rwlock_readers.c", "silent_std_queue.cc", "silent_stdio.c", "silent_thread_local.cc")

# Those without a bug, and repaired twins, whose threads also take turns, as their steps say: one gets
# what the other has just handed over, or the memory that it has just freed.
IN_TURNS = ("queue_cache.cc", "queue_deque.cc", "queue_double.c", "queue_frames.cc", "queue_future.cc",
            "queue_list.c", "queue_pool.c", "queue_ring.c", "queue_slots.c", "queue_tasks.cc",
            "queue_unique.cc", "silent_std_queue.cc")

# False alarms. The analyses go by locks, fork, join, barriers, once, reader-writer locks and signals
# that are given once; what else keeps threads apart they do not see. (The ring is none by the
# definition: a schedule that the program can take cuts it.)
FALSE_ALARMS = {
    "cas_retry.c": "the program tries again if somebody came in between",
    "double_checked_contended.c": "a flag says that the data is there",
    "handover_ring.c": "one may look at an index while the other is about to move it",
    "queue_pipeline.cc": "an order comes from the thread that has changed it, as its address shows",
    "silent_double_checked.c": "a flag says that the data is there",
}


class Job(test_programs.Job):
    """A variant of a program. `predict` must find the same as `run`, or more where a false alarm
    has a reason."""

    schedule = "serial.c"
    ENGINES, SILENT = ("commit-node", "reduction"), ("commit-node",)

    def __init__(self, variant, way, reason=None):
        super().__init__(variant, *way)
        self.reason = reason

    def _observe(self):
        self._command(BINARY, "record", "-o", "trace.stt", *self._specify(), "--", "./program")
        checked = self._json(self._command(BINARY, "check", "--format", "json", "--limit", 0,
                                           "trace.stt", statuses=(0, 1)))
        problems = [f"{name} was cut: nothing was left to foresee"
                    for name in programs.violated_names(checked)]
        found = {engine: self._predict(engine) for engine in self.ENGINES}
        scheduled = self._predict("tas")
        if self.program.name in SCHEDULED:
            found["tas"] = scheduled
        # In the program with a lock of its own there is a schedule in which somebody looks at it
        # while it is taken, which the definition calls a violation.
        if scheduled and self.variant.expected.none and self.program.name != "user_spinlock.c":
            problems.append(f"tas has a schedule that cuts {', '.join(scheduled)}")
        expected = self.variant.expected
        if self.reason and expected.none:
            if not found["commit-node"]:
                problems.append(f"no false alarm any more, although {self.reason}")
        elif expected.none:
            problems += [f"{engine} reports what cannot be cut: {', '.join(found[engine])}"
                         for engine in self.SILENT if found[engine]]
        for engine, names in found.items():
            problems += [f"{engine} did not report {pattern!r}" for pattern in expected.violated
                         if not fnmatch.filter(names, pattern)]
        return problems

    def _predict(self, engine):
        """The names of the blocks that are reported."""
        result = self._json(self._command(BINARY, "predict", "--engine", engine, "--format", "json",
                                          "--limit", 0, "trace.stt", statuses=(0, 1)))
        return sorted(entry["name"] for entry in result["names"] if entry["reported"])


class JobInTurns(Job):
    """The same for a run in which threads take turns, and of a program without a bug. No engine may
    report anything."""

    schedule = "schedule.c"
    ENGINES = SILENT = ("commit-node", "reduction", "blocks")

    @property
    def name(self):
        return super().name + "_in_turns"


def make_jobs(all_programs):
    jobs = []
    for program in all_programs:
        if program.name in IN_TURNS:
            jobs.append(JobInTurns(program.variants[-1], GCC))
        way = FORESEEN.get(program.name)
        reason = FALSE_ALARMS.get(program.name)
        if way:
            jobs += [Job(variant, way, reason) for variant in program.variants
                     if variant.relation == "data"]
        elif program.name in SILENT or reason:
            jobs.append(Job(program.variants[-1], GCC, reason))
    return jobs


@unittest.skipUnless(test_programs.RUNTIME.exists(), "there is no runtime")
class Foresight(unittest.TestCase):
    """A test for each job; see the top of the file."""

    def test_every_program_in_the_lists_is_there(self):
        names = {program.name for program in programs.all_programs()}
        self.assertLessEqual({*FORESEEN, *SILENT, *FALSE_ALARMS, *SCHEDULED, *IN_TURNS}, names)


JOBS = make_jobs(programs.all_programs())
AHEAD = test_programs.Ahead(JOBS)
for one in JOBS:
    setattr(Foresight, f"test_{one.name}", test_programs.make_test(AHEAD, one))


if __name__ == "__main__":
    unittest.main()
