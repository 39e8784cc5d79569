"""Random traces of nested blocks, as text; the caller provides the random number generator."""


class Thread:
    """A program of nested blocks, and how far it has run."""

    def __init__(self, rng, number, names):
        self.name = f"T{number}"
        self.steps = []
        for _ in range(rng.randint(1, 2)):
            self.block(rng, names, rng.randint(2, 4))
        self.next = 0

    def block(self, rng, names, depth):
        """Functions call functions further down the list, so that names nest in one another."""
        i = rng.randrange(len(names) - depth + 1)
        self.steps.append(f"begin({names[i]})")
        for _ in range(rng.randint(2, 4)):
            if depth > 1 and rng.random() < 0.7:
                self.block(rng, names[i + 1:], depth - 1)
            else:
                self.access(rng)
        self.steps.append("end")

    def access(self, rng):
        if rng.random() < 0.15:
            self.steps.append(f"{rng.choice(('snd', 'rcv'))}({rng.choice('cd')})")
            return
        steps = [f"{rng.choice('rrw')}({rng.choice('xyzuvw')})" for _ in range(rng.randint(1, 2))]
        if rng.random() < 0.4:
            lock = rng.choice("lm")
            steps = [f"acq({lock})", *steps, f"rel({lock})"]
        self.steps += steps


def can_run(thread, held):
    if thread.next == len(thread.steps):
        return False
    step = thread.steps[thread.next]
    return not step.startswith("acq") or held.get(step[4:-1]) is None


def random_trace(rng):
    """Threads take random turns of a few steps each; some traces end before all are done."""
    names = [f"f{i}" for i in range(8)]
    threads = [Thread(rng, i, names) for i in range(rng.randint(2, 4))]
    held, lines = {}, []
    if rng.random() < 0.3:
        lines += [f"main|fork({thread.name})|0" for thread in threads]
    limit = rng.choice((40, 1000))
    while len(lines) < limit:
        ready = [thread for thread in threads if can_run(thread, held)]
        if not ready:
            break
        thread = rng.choice(ready)
        for _ in range(rng.randint(1, 8)):
            if not can_run(thread, held):
                break
            step = thread.steps[thread.next]
            thread.next += 1
            if step.startswith("acq"):
                held[step[4:-1]] = thread
            elif step.startswith("rel"):
                held[step[4:-1]] = None
            lines.append(f"{thread.name}|{step}|{thread.next}")
    return "\n".join(lines) + "\n"


def loose_trace(rng):
    """A few threads, one after another, hold locks around blocks and from one block to the next."""
    lines = []
    for thread in range(rng.randint(2, 3)):
        held, inside = None, False
        for _ in range(rng.randint(6, 12)):
            choice = rng.random()
            if choice < 0.2:
                step, inside = "end" if inside else f"begin({rng.choice('fg')})", not inside
            elif choice < 0.45 and held:
                step, held = f"rel({held})", None
            elif choice < 0.45:
                held = rng.choice("llm")
                step = f"acq({held})"
            else:
                step = f"{rng.choice('rww')}({rng.choice('xyz')})"
            lines.append((thread, step))
        lines += [(thread, f"rel({held})")] * (held is not None) + [(thread, "end")] * inside
    return "".join(f"T{thread}|{step}|{i}\n" for i, (thread, step) in enumerate(lines, 1))
