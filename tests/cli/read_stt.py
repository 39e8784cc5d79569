#!/usr/bin/env python3
"""Prints a native trace (.stt) as STD text.

An independent reader, written from docs/trace-format.md and not from the C sources: if it and
seriatim disagree, the document or one of them is wrong. It uses the standard library and the zstd
command; it does not check checksums. It is slow and meant for tests.

usage: read_stt.py [--values] FILE     exit status 0, 2 for a bad file, 3 for a truncated trace

With --values, each line begins with what is known of the value of the access, as `dump --values`
prints it.
"""
import struct
import subprocess
import sys

MAGIC = b"\x89STT\r\n\x1a\n"
OPERATIONS = ["r", "w", "acq", "rel", "fork", "join", "begin", "end", "snd", "rcv"]
TABLES = ["threads", "variables", "locks", "blocks", "locations", "channels", "functions"]
COLUMNS = ["step", "variable", "lock", "child", "block", "loc", "channel", "frame function",
           "frame line", "frame caller", "site line", "site frame", "site call"]
TARGET_COLUMN = ["variable", "variable", "lock", "lock", "child", "child", "block", "block",
                 "channel", "channel"]
TARGET_TABLE = {"variable": "variables", "lock": "locks", "child": "threads", "block": "blocks",
                "channel": "channels"}
CHUNK_HEAD = struct.Struct("<4sIIIQQ")
COLUMN_HEAD = struct.Struct("<BBHIQ")
MOST_EVENTS, MOST_ROWS, MOST_BYTES = 131072, 131072, 64 << 20
MOST_IN_RUNS = 1 << 21


class BadTrace(Exception):
    pass


class Version:
    """How the versions of the format differ."""

    def __init__(self, number):
        self.tables = TABLES[:min(number, 3) + 4]
        self.columns = COLUMNS[:(6, 7, 13, 13)[number - 1]]
        self.step = 8 if number == 1 else 16
        self.sites = [] if number >= 3 else None  # the lines of the sites, by number
        self.lives = number >= 4
        self.ended = set()  # variables that have had no event since
        self.times = {}  # by name: how many variables of this name there were
        self.nth = {}  # by variable: which one of those it is
        self.frames = 0
        self.column_heads = 8 + 8 * len(self.tables)
        self.heads_size = self.column_heads + COLUMN_HEAD.size * len(self.columns)


def require(condition, what):
    if not condition:
        raise BadTrace(what)


def chunks(data):
    """Yields (type, payload) of every complete chunk."""
    at, sequence = 12, 0
    while at + CHUNK_HEAD.size <= len(data):
        kind, number, stored, full, _, _ = CHUNK_HEAD.unpack_from(data, at)
        require(number == sequence & 0xFFFFFFFF, "chunk out of sequence")
        require(stored <= full <= MOST_BYTES, "size of a chunk")
        at += CHUNK_HEAD.size
        if at + stored > len(data):
            return
        payload = data[at:at + stored]
        at, sequence = at + stored, sequence + 1
        if stored < full:
            payload = subprocess.run(["zstd", "-dcq"], input=payload, check=True,
                                     stdout=subprocess.PIPE).stdout
        require(len(payload) == full, "size of a payload")
        if kind == b"ENDT":
            require(at == len(data), "bytes behind the end")
        yield kind, payload


def read_column(head, body, at):
    """Returns the values of the column whose planes start at body[at], and where they end."""
    encoding, width, zero, count, base = head
    require(encoding <= 1 and width <= 8 and zero == 0, "head of a column")
    require(at + width * count <= len(body), "size of a column")
    planes = [body[at + k * count:at + (k + 1) * count] for k in range(width)]
    stored = [sum(plane[i] << 8 * k for k, plane in enumerate(planes)) for i in range(count)]
    if encoding == 0:
        values = [base + s for s in stored]
    else:
        values = []
        for s in stored:
            base += s // 2 if s % 2 == 0 else -(s + 1) // 2
            values.append(base)
    return [value % 2**64 for value in values], at + width * count


def read_names(version, payload, names):
    at = version.heads_size
    for i, table in enumerate(version.tables):
        count, size = struct.unpack_from("<II", payload, 8 + 8 * i)
        text = payload[at:at + size]
        require(len(text) == size and text.count(0) == count, "names")
        require(not size or text[-1] == 0, "the last name")
        names[table] += text.split(b"\0")[:-1]
        at += size
    return at


def read_columns(version, payload, at):
    columns = {column: [] for column in COLUMNS}
    for i, column in enumerate(version.columns):
        head = COLUMN_HEAD.unpack_from(payload, version.column_heads + COLUMN_HEAD.size * i)
        columns[column], at = read_column(head, payload, at)
    require(at == len(payload), "size of the columns")
    return columns


def name_of(names, table, number):
    require(number < len(names[table]), "a number without a name")
    return names[table][number]


def event_texts(version, names, columns, targets, i, more):
    """The event of a row, and those that it stands for."""
    op = columns["step"][i] % version.step
    require(op < len(OPERATIONS), "an operation that does not exist")
    column = TARGET_COLUMN[op]
    require(not more or column == "variable", "a run of other events")
    target = next(targets[column]) - (column == "block")
    for k in range(more + 1):
        yield event_text(version, names, columns, target + k, i)


def event_text(version, names, columns, target, i):
    thread, op = divmod(columns["step"][i], version.step)
    column = TARGET_COLUMN[op]
    loc = columns["loc"][i]
    text = name_of(names, "threads", thread) + b"|" + OPERATIONS[op].encode()
    if target >= 0:
        name = name_of(names, TARGET_TABLE[column], target)
        text += b"(" + (life_of(version, name, target) if column == "variable" else name) + b")"
    text += b"|"
    text += location(version, names, loc // 2) if loc % 2 else b"%d" % (loc // 2)
    return text + b"\n"


def life_of(version, name, variable):
    """The name of the variable; each life is a variable of its own in STD text. (So is each of
    several variables with one name from the start, but the files of the tests have none.)"""
    if variable not in version.nth or variable in version.ended:
        version.ended.discard(variable)
        version.nth[variable] = version.times[name] = version.times.get(name, 0) + 1
    nth = version.nth[variable]
    return name if nth == 1 else b"%s #%d" % (name, nth)


def read_ends(version, payload, names):
    count = struct.unpack_from("<I", payload)[0]
    require(count and len(payload) == 4 + 8 * count, "size of the ends")
    for first, length in struct.iter_unpack("<II", payload[4:]):
        require(length and first + length <= len(names["variables"]), "end of no life")
        version.ended.update(range(first, first + length))


def location(version, names, number):
    if version.sites is None:
        return name_of(names, "locations", number)
    require(number < len(version.sites), "a number without a site")
    return version.sites[number]


def rows(columns, *names):
    lengths = {len(columns[name]) for name in names}
    require(len(lengths) == 1 and lengths.pop() <= MOST_ROWS, "number of rows")
    return zip(*(columns[name] for name in names))


def read_contexts(version, columns, names):
    for function, line, caller in rows(columns, "frame function", "frame line", "frame caller"):
        name_of(names, "functions", function)
        name_of(names, "locations", line)
        require(caller <= version.frames, "a frame before its caller")
        version.frames += 1
    for line, frame, call in rows(columns, "site line", "site frame", "site call"):
        require(max(frame, call) <= version.frames, "a site without its frame")
        version.sites.append(name_of(names, "locations", line))


def bits(payload, at, count):
    return [payload[at + i // 8] >> i % 8 & 1 for i in range(count)]


def read_values(payload):
    """For each event of the next chunk what its variable held before and after, None: unknown."""
    count = struct.unpack_from("<I", payload)[0]
    require(0 < count <= MOST_EVENTS, "number of values")
    size = (count + 7) // 8
    heads, at = 4 + 2 * size, 4 + 2 * size + 2 * COLUMN_HEAD.size
    known = []
    for i in range(2):
        marks = bits(payload, 4 + i * size, count)
        numbers, at = read_column(COLUMN_HEAD.unpack_from(payload, heads + i * COLUMN_HEAD.size), payload, at)
        require(len(numbers) == sum(marks), "number of marks")
        numbers = iter(numbers)
        known.append([next(numbers) if mark else None for mark in marks])
    require(at == len(payload), "size of the values")
    return list(zip(*known))


def value_text(text, value):
    """The column of `dump --values` for an event with this text."""
    operation = text.split(b"|")[1][:2]
    shown = [b"?" if v is None else b"%d" % v for v in value]
    return {b"r(": shown[0], b"w(": b" -> ".join(shown)}.get(operation, b"") + b"\t"


def read_events(version, payload, names, values, runs, out):
    count, zero = struct.unpack_from("<II", payload)
    require(count <= MOST_EVENTS and zero == 0, "number of events")
    columns = read_columns(version, payload, read_names(version, payload, names))
    require(all(len(columns[c]) == count for c in ("step", "loc")), "length of a column")
    if version.sites is not None:
        read_contexts(version, columns, names)
    targets = {column: iter(columns[column]) for column in TARGET_TABLE}
    for i in range(count):
        for text in event_texts(version, names, columns, targets, i, runs.get(i, 0)):
            if values is not None:
                out.write(value_text(text, values[i] if values else (None, None)))
            out.write(text)
    return count


def read_runs(payload):
    """For how many more each row of the next chunk stands; and how many rows that has."""
    count, zero = struct.unpack_from("<II", payload)
    require(0 < count <= MOST_EVENTS and zero == 0, "number of rows with runs")
    at, columns = 8 + 2 * COLUMN_HEAD.size, []
    for i in range(2):
        numbers, at = read_column(COLUMN_HEAD.unpack_from(payload, 8 + i * COLUMN_HEAD.size), payload, at)
        columns.append(numbers)
    require(at == len(payload) and columns[0] and len(columns[0]) == len(columns[1]), "size of the runs")
    require(all(columns[1]) and sum(columns[1]) <= MOST_IN_RUNS, "lengths of runs")
    runs, row = {}, 0
    for gap, more in zip(*columns):
        require(gap or not runs, "two runs of one row")
        row += gap
        runs[row] = more
    require(row < count, "a run without its row")
    return runs, count


def read_marks(payload):
    """Which events are atomic, or joined to others. STD text cannot express this, so only their
    number is returned."""
    count = struct.unpack_from("<I", payload)[0]
    require(count and len(payload) == 4 + (count + 7) // 8, "size of the marks")
    return count


def read_trace(data, out, with_values=False):
    """Returns whether the trace is complete."""
    require(data[:8] == MAGIC, "not a native trace")
    require(len(data) >= 12, "cut before its first event")
    number = struct.unpack_from("<I", data, 8)[0]
    require(number in (1, 2, 3, 4), "unknown version")
    version = Version(number)
    names = {table: [] for table in TABLES}
    events, marked, values, runs = 0, {}, [], {}
    for kind, payload in chunks(data):
        if kind == b"EVNT":
            count = read_events(version, payload, names, values if with_values else None, runs, out)
            require(set(marked.values()) <= {count}, "number of marks")
            require(len(values) in (0, count), "number of values")
            require(not runs or not values, "runs and values")
            events += count + sum(runs.values())
            marked, values, runs = {}, [], {}
        elif kind == b"vALU":
            require(not values, "values without events")
            values = read_values(payload)
        elif kind in (b"aTOM", b"jOIN"):
            require(kind not in marked, "marks without events")
            marked[kind] = read_marks(payload)
        elif kind == b"RUNS":
            require(not runs, "runs without events")
            runs, marked[kind] = read_runs(payload)
        elif kind == b"GONE" and version.lives:
            read_ends(version, payload, names)
        elif kind == b"ENDT":
            total, flags = struct.unpack_from("<QI", payload)
            require(total == events, "number of events in the end chunk")
            return not flags & 1
        else:
            require(kind[0] & 0x20, "unknown chunk")
    return False


def main():
    with_values = sys.argv[1:2] == ["--values"]
    if len(sys.argv) != 2 + with_values:
        sys.exit(__doc__.split("\n\n")[-2])
    with open(sys.argv[-1], "rb") as file:
        data = file.read()
    try:
        complete = read_trace(data, sys.stdout.buffer, with_values)
    except (BadTrace, struct.error, IndexError, StopIteration,
            subprocess.CalledProcessError) as error:
        print(f"{sys.argv[-1]}: {error}", file=sys.stderr)
        sys.exit(2)
    sys.exit(0 if complete else 3)


if __name__ == "__main__":
    main()
