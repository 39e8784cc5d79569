"""Results as `check` and `run` write them, made by hand."""


def event(number, thread, op, loc="", function=None, stack=(), locks=()):
    made = {"event": number, "thread": thread, "op": op, "loc": loc}
    if function is not None:
        made |= {"function": function, "locks": list(locks),
                 "stack": [{"function": name, "loc": place} for name, place in stack]}
    return made


def edge(origin, target, kind="conflict", on="x"):
    return {"from": origin, "to": target, "kind": kind, "on": on}


def cut(block="f", thread="T1", start=0, loc="a.c:1", kind="conflict", out=None, edges=2):
    """A violated block whose events have the numbers start + 1 and so on. `out` takes the place of
    the first event that is outside of it."""
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
    names = list(dict.fromkeys(violation["block"] for violation in violations))
    counts = {name: sum(violation["block"] == name for violation in violations) for name in names}
    return {"schema": "seriatim-check/1", "engine": "witness",
            "trace": {"file": file, "events": 100, "threads": 2, "variables": 1, "locks": 0,
                      "channels": 0, "blocks": len(violations), "deepest": 1, "truncated": False,
                      "cut": False},
            "serializable": False if violations else True,
            "first_bad_event": min((v["event"] for v in violations), default=None),
            "outermost_only": False, "blames_closers": False,
            "violation_count": len(violations), "violations": list(violations),
            "blocks": [{"name": name, "executed": counts[name], "violated": counts[name], "depth": 0}
                       for name in names],
            "repairs": [], "stopped": False, "time_seconds": 0.000123, "peak_state_bytes": 4096}
