"""Results as `check`, `run` and `predict` write them, made by hand."""

import collections


def event(number, thread, op, loc="", function=None, stack=(), locks=()):
    made = {"event": number, "thread": thread, "op": op, "loc": loc}
    if function is not None:
        made |= {"function": function, "locks": list(locks),
                 "stack": [{"function": name, "loc": place} for name, place in stack]}
    return made


def edge(origin, target, kind="conflict", on="x"):
    return {"from": origin, "to": target, "kind": kind, "on": on}


def cut(block="f", thread="T1", start=0, loc="a.c:1", kind="conflict", out=None, edges=2):
    """A violated block whose events have the numbers start + 1 and so on. `out` replaces the first
    event outside it."""
    data = kind == "conflict"
    path = []
    for index in range(edges):
        number = start + 2 * index + 2
        here = thread if index == 0 else f"U{index}"
        there = thread if index + 1 == edges else f"U{index + 1}"
        path.append(edge(event(number, here, "w(x)" if data else "rel(x)", loc),
                         event(number + 1, there, "r(x)" if data else "acq(x)", loc), kind))
    if out:
        path[0]["to"] = out
        path[1]["from"] = dict(out, event=out["event"] + 1)
    last = path[-1]["to"]
    return {"block": block, "thread": thread, "begin": start + 1, "end": last["event"] + 1, "depth": 0,
            "event": last["event"], "begin_loc": loc, "proof": last, "closing": path[-1],
            "cut_by": path[-1]["from"]["thread"], "path": path}


def result(*violations, file="t.std"):
    counts = collections.Counter(violation["block"] for violation in violations)
    return {"schema": "seriatim-check/1", "engine": "witness",
            "trace": {"file": file, "events": 100, "threads": 2, "variables": 1, "locks": 0,
                      "channels": 0, "blocks": len(violations), "deepest": 1, "truncated": False,
                      "cut": False},
            "serializable": False if violations else True,
            "first_bad_event": min((v["event"] for v in violations), default=None),
            "outermost_only": False, "blames_closers": False,
            "violation_count": len(violations), "violations": list(violations),
            "blocks": [{"name": name, "executed": count, "violated": count, "depth": 0}
                       for name, count in counts.items()],
            "repairs": [], "stopped": False, "time_seconds": 0.000123, "peak_state_bytes": 4096}


def foreseen(block="f", thread="T1", start=0, verdict="potential", loc="a.c:1", other="T2",
             function=None, **more):
    """A block that reads x twice; another thread can write x in between. Its events have the
    numbers start + 1 and so on, and the write comes after the block."""
    made = {"block": block, "thread": thread, "begin": start + 1, "end": start + 4, "begin_loc": loc,
            "verdict": verdict, "pattern": None, "on": [], "events": [], "witness": []}
    if verdict not in ("potential", "violation"):
        return made | more
    steps = [event(start + 2, thread, "r(x)", loc, function),
             event(start + 5, other, "w(x)", "b.c:7", function and "setter"),
             event(start + 3, thread, "r(x)", loc, function)]
    made |= {"pattern": "R-W-R", "on": ["x"], "events": [step["event"] for step in steps],
             "fingerprint": "0" * 32, "why": None,
             "entry": event(start + 1, thread, f"begin({block})" if block else "begin", loc, function),
             "steps": steps, "path": [edge(steps[0], steps[1]), edge(steps[1], steps[2])],
             "schedule": []}
    if verdict == "violation":
        made["witness"] = [start + 1, start + 2, start + 5, start + 3]
        made["schedule"] = [made["entry"], *steps]
    return made | more


TRACE = {"file": "t.std", "events": 100, "threads": 2, "variables": 1, "locks": 0, "channels": 0,
         "blocks": 3, "deepest": 1, "truncated": False, "cut": False}


def prediction(*blocks, engine="blocks", notion="conflict", deadlocks=(), races=None, **more):
    """What `predict` writes for one engine."""
    verdicts = {verdict: sum(block["verdict"] == verdict for block in blocks)
                for verdict in ("atomic", "timeout", "potential", "violation")}
    reported = [b for b in blocks if b["verdict"] in ("potential", "violation")]
    names = list(dict.fromkeys(block["block"] for block in reported + list(blocks)))
    return {"schema": "seriatim-predict/1", "engine": engine, "notion": notion, "method": "Theorem 4",
            "trace": TRACE, "atomic": False if reported else None if verdicts["timeout"] else True,
            "deadlock_potential": bool(deadlocks), "block_count": len(blocks), "verdicts": verdicts,
            "blocks": sorted(blocks, key=lambda block: block["begin"]),
            "names": [{"name": name, "executed": sum(b["block"] == name for b in blocks),
                       "reported": sum(b["block"] == name for b in reported)} for name in names],
            "races": races, "deadlocks": list(deadlocks), "caveats": ["Only pairs were compared."],
            "may_miss": False, "repairs": [], "seconds": 0.001234, "storage": 12, "storage_unit": "blocks"} | more


def ring():
    """Two threads that could wait for each other."""
    return [{"holds": event(2, "T1", "acq(a)", "a.c:2"), "wants": event(3, "T1", "acq(b)", "a.c:3")},
            {"holds": event(7, "T2", "acq(b)", "b.c:2"), "wants": event(8, "T2", "acq(a)", "b.c:3")}]


def race():
    return {"on": "x", "first": event(2, "T1", "w(x)", "a.c:2"),
            "second": event(7, "T2", "r(x)", "b.c:2")}


def comparison(*predictions):
    """What `predict --engine all` writes."""
    engines = [{key: value for key, value in made.items() if key != "deadlocks"}
               | {"deadlock_potential": predictions[0]["deadlock_potential"]} for made in predictions]
    return {"schema": "seriatim-predict/1", "trace": TRACE,
            "deadlock_potential": predictions[0]["deadlock_potential"],
            "deadlocks": predictions[0]["deadlocks"], "engines": engines}
