"""What is true of a small trace, by brute force and straight from the definitions: which blocks are violated, and
whether the trace is serializable.

A trace is a list of events (thread, operation, target): "begin" and "end" of a block, whose name is the target; "r" and
"w" of a variable; "acq" and "rel" of a lock, also one that is held already; "fork" and "join" of a thread. It shares
nothing with the engines, nor with tests/reference, which is limited to 64 events.
"""

import collections


class Trace:
    def __init__(self, events, relation):
        self.events = events
        self.locks_order = relation == "--locks"
        self.effects = self._leave_out_reentrant()
        self.before = self._order()

    def _leave_out_reentrant(self):
        """The events with those operations of locks blank that neither acquire nor release."""
        depth = collections.Counter()
        effects = []
        for thread, operation, target in self.events:
            if operation == "rel":
                depth[thread, target] -= 1
            blank = operation in ("acq", "rel") and depth[thread, target] > 0
            if operation == "acq":
                depth[thread, target] += 1
            effects.append((thread, "" if blank else operation, target))
        return effects

    def depends(self, earlier, later):
        (thread, first, target), (other, second, aim) = earlier, later
        if thread == other:
            return True
        if target == aim and first + second in ("rw", "wr", "ww"):
            return True
        if target == aim and first + second == "relacq":
            return self.locks_order
        return (first, target) == ("fork", other) or (second, aim) == ("join", thread)

    def _order(self):
        """For each event the set of those that happen before it: bit i for event i."""
        before = []
        for later in self.effects:
            known = 0
            for i, earlier in enumerate(self.effects[:len(before)]):
                if self.depends(earlier, later):
                    known |= before[i] | 1 << i
            before.append(known)
        return before

    def blocks(self):
        """Each block: its thread, name, depth, and its events."""
        found, opened = [], collections.defaultdict(list)
        for i, (thread, operation, target) in enumerate(self.events):
            if operation == "begin":
                block = (thread, target, len(opened[thread]), [])
                found.append(block)
                opened[thread].append(block)
            for block in opened[thread]:
                block[3].append(i)
            if operation == "end":
                opened[thread].pop()
        return found

    def is_violated(self, block):
        """Something that another thread does comes after its begin and before something in it."""
        thread, _, _, events = block
        others = [i for i, event in enumerate(self.events)
                  if event[0] != thread and self.before[i] >> events[0] & 1]
        return any(self.before[events[-1]] >> i & 1 for i in others)

    def violated(self):
        return collections.Counter(block[:3] for block in self.blocks() if self.is_violated(block))

    def is_serializable(self):
        """The graph of transactions has no cycle: one can keep taking away those that no other one comes before."""
        left = [1 << i for i in range(len(self.events))]
        for _, _, depth, events in self.blocks():
            if depth == 0:
                for i in events:
                    left[i] = 0
                left[events[0]] = sum(1 << i for i in events)
        earlier = {}
        for own in filter(None, left):
            earlier[own] = 0
            for i, known in enumerate(self.before):
                if own >> i & 1:
                    earlier[own] |= known
        while earlier:
            remaining = sum(earlier)
            first = [own for own in earlier if not earlier[own] & remaining & ~own]
            if not first:
                return False
            for own in first:
                del earlier[own]
        return True


def judge(events, relation):
    """Whether the trace is serializable, and how often which block was violated: by thread, name and depth."""
    trace = Trace(events, relation)
    return trace.is_serializable(), trace.violated()
