"""Traces in the formats of other tools: RoadRunner's logs, RAPID's CSV and RapidBin."""

import random
import struct
import subprocess

from random_traces import random_trace
from seriatim import BINARY, SANITIZED, TRACES, Case, run

LOG = """\
[main: RoadRunner Agent Loaded.]
what the program prints
@  main[tid = 0] started .
@  Enter(0,test/Test.main([Ljava/lang/String;)V) from null
@   Start(0,1)
@    ARd(1,@05[3])  Final  Deadlock.java:50:7
@    Wr(1,@01.test/Foo.x_I)[1 -> 2]  Final  Foo.java:5:1
@    Acquire(1,@03)
@    Release(1,@03)
@  VRd(0,null.test/F.v_I)  Vol
@  Join(0,1)
@  Exit(0,test/Test.main([Ljava/lang/String;)V)
"""

LOG_AS_STD = """\
T0|begin(test/Test.main([Ljava/lang/String;)V)|
T0|fork(T1)|
T1|r(@05[3])|Deadlock.java:50:7
T1|w(@01.test/Foo.x_I)|Foo.java:5:1
T1|acq(@03)|
T1|rel(@03)|
T0|r(null.test/F.v_I)|
T0|join(T1)|
T0|end(test/Test.main([Ljava/lang/String;)V)|
"""

CSV = "r(V123),,\n,w(V234.23[0]),\nfork(T2),,\n,,acq(L34)\n,,rel(L34)\njoin(T2),,\n,sync(z),\n"
CSV_AS_STD = ("T0|r(V123)|\nT1|w(V234.23[0])|\nT0|fork(T2)|\nT2|acq(L34)|\nT2|rel(L34)|\n"
              "T0|join(T2)|\nT1|acq(sync:z)|\nT1|r(z)|\nT1|w(z)|\nT1|rel(sync:z)|\n")

OPS = {name: number for number, name in enumerate(
    ("acq", "rel", "r", "w", "fork", "join", "begin", "end", "request", "branch"))}


def rapidbin(*events, count=None):
    """Events are (thread, operation, operand, location)."""
    header = struct.pack(">hiiq", 3, 1, 1, len(events) if count is None else count)
    return header + b"".join(
        struct.pack(">q", loc << 48 | operand << 14 | OPS.get(op, 15) << 10 | thread)
        for thread, op, operand, loc in events)


BIN = rapidbin((0, "fork", 1, 42), (0, "begin", 0, 7), (0, "request", 0, 362), (0, "acq", 0, 362),
               (0, "r", 200, 436), (0, "w", 200, 923), (0, "rel", 0, 362), (1, "branch", 0, 1),
               (0, "end", 0, 8), (1, "w", 2**34 - 1, 2**15 - 1), (0, "join", 1, 7382))
BIN_AS_STD = ("T0|fork(T1)|42\nT0|begin|7\nT0|acq(L0)|362\nT0|r(V200)|436\nT0|w(V200)|923\n"
              "T0|rel(L0)|362\nT0|end|8\nT1|w(V17179869183)|32767\nT0|join(T1)|7382\n")


class Foreign(Case):
    def as_std(self, content):
        result = run("convert", "-", "-", input=content)
        self.assertEqual(result.status, 0, result.message)
        return result.text

    def convert(self, content, ending):
        self.write("in.std", content)
        result = self.run_here("convert", "in.std", f"out{ending}")
        self.assertEqual(result.status, 0, result.message)
        return (self.folder / f"out{ending}").read_bytes()


class Reading(Foreign):
    def test_each_format_is_recognised_by_its_content(self):
        for content, std in ((LOG, LOG_AS_STD), (CSV, CSV_AS_STD), (BIN, BIN_AS_STD)):
            self.assertEqual(self.as_std(content), std)

    def test_a_volatile_access_is_atomic(self):
        races = "@  {0}Wr(0,x)  -  a\n@  {0}Wr(1,x)  -  b\n"
        for letter, racy in (("", 1), ("V", 0)):
            got = run("stats", "--format=json", "-", input=races.format(letter)).json
            self.assertEqual(got["races"]["accesses"], racy)

    def test_windows_line_ends_blank_lines_and_a_missing_last_one(self):
        self.assertEqual(self.as_std(CSV.replace("\n", "\r\n")), CSV_AS_STD)
        self.assertEqual(self.as_std(CSV.rstrip("\n")), CSV_AS_STD)
        self.assertEqual(self.as_std(CSV + "\n\n"), CSV_AS_STD)
        self.assertEqual(self.as_std(LOG.replace("\n", "\r\n").rstrip("\r\n")), LOG_AS_STD)

    def test_a_pipe_that_brings_one_byte_at_a_time(self):
        for content, std in ((LOG, LOG_AS_STD), (CSV, CSV_AS_STD), (BIN, BIN_AS_STD)):
            content = content if isinstance(content, bytes) else content.encode()
            with subprocess.Popen([BINARY, "convert", "-", "-"], stdin=subprocess.PIPE,
                                  stdout=subprocess.PIPE, bufsize=0) as process:
                for byte in content:
                    process.stdin.write(bytes([byte]))
                process.stdin.close()
                self.assertEqual(process.stdout.read().decode(), std)

    def test_std_text_is_still_std_text(self):
        for text in ("r(x)|r(y)|1\n", "acq|w(x)|1\n", "@|r(x)|1\n", "e|begin|1\ne|end|2\n"):
            self.assertEqual(self.as_std(text), text)


class Trouble(Foreign):
    def test_malformed_input_is_named_with_its_place(self):
        for content, message in (
                ("@  Rd(0,x)  -  a\n@  Rd(0 x)  -  a\n",
                 r"standard input:2: the event is not like NAME\(THREAD,OPERAND\) in '@  Rd\(0 x\)"),
                ("@  Rd(0,)  -  a\n", "standard input:1: the event is not like"),
                ("r(x),\n,x(y)\n", "standard input:2: unknown operation in ',x\\(y\\)'"),
                ("r(x),w(x)\n", "standard input:1: several columns are filled"),
                ("r(x)\n,,\n", "standard input:2: no column is filled"),
                ("r(x)\nr()\n", "standard input:2: the operand is missing"),
                ("r(x)\nrel(l)\n", "standard input: event 2: thread 'T0' releases lock 'l', which "
                                    "nobody holds"),
                ("r(x)\nr(\0)\n", "standard input:2: zero byte"),
                (rapidbin((0, "nonesuch", 0, 0)), "standard input: at byte 18: the event has an "
                                                  "unknown operation, 15"),
                (BIN + b"x", "standard input: at byte 106: goes on behind the last event"),
                (b"\0\3\0\0", "neither STD text nor a native trace"),
                (b"\0" * 100, "neither STD text nor a native trace"),
                (b"\0\3" + b"\xff" * 100, "neither STD text nor a native trace")):
            result = run("check", "-", input=content)
            self.assertEqual(result.status, 2, message)
            self.assertRegex(result.message, message)

    def test_a_binary_trace_that_ends_early_is_truncated(self):
        for length in range(18 + 8, len(BIN), 7 if SANITIZED else 1):
            result = run("stats", "--format=json", "-", input=BIN[:length])
            self.assertEqual(result.status, 0, result.message)
            self.assertIs(result.json["cut"], True)

    def test_what_a_format_cannot_hold_is_refused(self):
        for ending, trace, what in (
                (".rr", "T1|snd(c)|1\n", "operation 'send'"), (".rr", "T1|r(a b)|1\n", "name 'a b'"),
                (".rr", "T1|r(x)|a b\n", "location 'a b'"), (".rr", "7|r(x)|1\n", "thread name '7'"),
                (".csv", "T1|r(a,b)|1\n", "name 'a,b'"), (".csv", "T1|rcv(c)|1\n", "operation"),
                (".bin", "T1|rcv(c)|1\n", "operation 'receive'"),
                (".bin", "T1|r(x)|40000\n", "locations, and there are more"),
                (".bin", "".join(f"T{i}|r(x)|1\n" for i in range(1025)),
                 "1024 threads, and there are more")):
            self.write("in.std", trace)
            result = self.run_here("convert", "in.std", f"out{ending}")
            self.assertEqual(result.status, 2, trace[:40])
            self.assertIn(what, result.message)
            self.assertFalse((self.folder / f"out{ending}").exists())


class Writing(Foreign):
    def test_a_log_comes_back_as_it_was(self):
        for path in sorted(TRACES.glob("*.std")):
            text = path.read_text()
            if " " not in text and "snd(" not in text:
                self.assertEqual(self.as_std(self.convert(text, ".rr")), text, path)
        self.assertEqual(self.as_std(self.convert("T1|begin|a\nT1|end|\n", ".rr")),
                         "T1|begin|a\nT1|end|\n")

    def test_csv_and_binary_keep_what_counts(self):
        """Names and locations may be lost, but not what engines say."""
        rng = random.Random(20)
        for i in range(4 if SANITIZED else 20):
            trace = random_trace(rng).replace("snd(", "w(c").replace("rcv(", "r(c")
            kept = self.answers(trace)
            for ending in (".csv", ".bin", ".rr"):
                self.assertEqual(self.answers(self.convert(trace, ending)), kept, (i, ending))

    @staticmethod
    def answers(content):
        got = run("check", "--engine=all", "--format=json", "--limit=0", "-", input=content).json
        return [(engine["engine"], engine["serializable"], engine["first_bad_event"],
                 [(each["begin"], each["event"]) for each in engine["violations"]])
                for engine in got["engines"]]

    def test_the_header_of_a_binary_trace_counts(self):
        data = self.convert("T1|acq(l)|1\nT1|w(x)|2\nT1|w(y)|3\nT1|rel(l)|4\nT1|fork(T2)|5\n",
                            ".bin")
        self.assertEqual(struct.unpack(">hiiq", data[:18]), (2, 1, 2, 5))
        self.assertEqual(len(data), 18 + 5 * 8)

    def test_the_format_can_be_chosen(self):
        for name, start in (("roadrunner", b"@  Wr(1,x)"), ("csv", b"w(x)"), ("rapidbin", b"\0\1")):
            result = run("convert", "--to", name, "-", "-", input="T1|w(x)|1\n")
            self.assertEqual(result.status, 0, result.message)
            self.assertTrue(result.out.startswith(start), name)
