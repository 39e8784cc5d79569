"""What a finding says is the same in all formats.

JSON carries it as "story" (src/report/story/story.h). Here a set of findings goes through all
formats: the paragraphs of the text report are the stories and nothing else, SARIF has each sentence
and each step, and the page gets the same stories. tests/web looks at what a browser shows."""

import json
import random
import re
import subprocess

from random_traces import random_trace
from results import comparison, cut, foreseen, prediction, race, result, ring
from seriatim import BINARY, ROOT, RUNTIME, TRACES, Case, environment, some
from test_predict_report import ENGINES, long_schedule

KINDS = {"violation", "blamed", "cycle", "verdict", "predicted", "potential", "race", "deadlock"}

# Paragraphs of the text report that are about no single finding.
ABOUT_ALL = re.compile(r"""block \s executed | engine \s notion | Note | \d+ \s blocks? \s (?:was|were) \s not \s decided
                         | A \s finding \s rests | \S+:\s | This \s engine \s looks
                         | \d+ \s more \s .* \s not \s listed | Compared \s with | suppression""", re.X)

LOCATION = re.compile(r"[^\s].*:[1-9]\d*\Z")
NUMBER = re.compile(r"0\Z|[1-9]\d*\Z")


def words(text):
    """The text as one line: where it is broken, and how columns line up, is a matter of layout."""
    return " ".join(text.split())


# ---- Stories in JSON ----


def findings_of(data, page=False):
    """All (state, story) of a result, whatever it is about. A page has blocks inside others in place of those."""
    for engine in data.get("engines", [data]):
        listed = engine["violations"] if "violations" in engine else engine["blocks"]
        for finding in listed + (engine.get("races") or []):
            if "story" in finding and not (page and finding.get("cut_inside")):
                yield finding.get("state", "new"), finding["story"]
        if "story" in engine:
            yield engine.get("cycle_state", "new"), engine["story"]
    for holder in [data, *data.get("engines", [])]:
        for story in holder.get("deadlock_stories", []):
            yield "new", story


def reported(data, states=("new", "known", "suppressed")):
    """The stories that text and SARIF print."""
    return [story for state, story in findings_of(data) if story["count"] and state in states]


# ---- The text report ----


def headline(story, remark=None):
    remark = remark or story["frequency"]
    return story["headline"] + (f" ({remark})" if remark else "") + "."


def where(step):
    """Behind the action, where the calls are not known."""
    if step["function"] or not step["loc"]:
        return ""
    return f"at location {step['loc']}" if NUMBER.match(step["loc"]) else f"at {step['loc']}"


def column(step, headline):
    """Who has read in the headline which function a thread starts with needs only its number."""
    number = re.match(r"(T\d+) \(", step["thread"])
    return number.group(1) if number and step["thread"] in headline else step["thread"]


def step_line(step, headline):
    if "gap" in step:
        return f"... {step['gap']} --format json lists them"
    number = f"event {step['event']}" if step["event"] else ""
    holding = f", {step['holding']}" if "holding" in step else ""
    follows = "; ".join(step[key] for key in ("follows", "race") if key in step)
    return words(f"{number} {column(step, headline)} {step['action']}{holding} {where(step)} {follows}")


def schedule_lines(schedule, lanes):
    """With a column for each thread, or one for all."""
    if not schedule["steps"]:
        return [schedule["title"] + "."]
    lines = [schedule["title"] + " (> marks the steps that cut it):"]
    if lanes:
        lines += dict.fromkeys(step["thread"] for step in schedule["steps"] if "gap" not in step)
    for step in schedule["steps"]:
        if "gap" in step:
            lines.append(f"... {step['gap']} ...")
            continue
        lines.append(f"{'>' if step.get('marked') else ''} event {step['event']} "
                     f"{'' if lanes else step['thread']} {step['action']} {step.get('follows', '')}")
    return lines


def paragraphs(story, remark=None):
    """How the text report may print the story."""
    lines = [headline(story, remark), story["introduction"], *(step_line(step, story["headline"]) for step in story["steps"]),
             story["explanation"], story["conclusion"], story["hint"] and f"Hint: {story['hint']}", *story["notes"]]
    for lanes in (True, False):
        ending = schedule_lines(story["schedule"], lanes) if story["schedule"] else []
        yield words(" ".join(line for line in lines + ending if line))


def printed(text):
    """The paragraphs of a text report that are about one finding, without the calls of steps."""
    text = re.sub(r"^ {6,}(in|from)  .*\n", "", text, flags=re.M)
    return [words(part) for part in text.split("\n\n") if part.strip() and not ABOUT_ALL.match(words(part))]


# ---- SARIF ----


def unbraced(text):
    """Braces are doubled in messages of SARIF."""
    return text.replace("{{", "{").replace("}}", "}")


def sentences(story):
    """What the story says beside its steps and its schedule, and how to accept it."""
    line = story.get("suppression")
    return [headline(story)] + [text for text in (
        story["explanation"], story["conclusion"], story["hint"] and f"Hint: {story['hint']}",
        *story["notes"], line and f"To accept it: {line}") if text]


def step_words(step):
    """A step as a message; a location that is no line of a file is part of it."""
    place = where({**step, "function": ""}) if not LOCATION.match(step["loc"]) else ""
    parts = [", ".join(filter(None, (words(f"{step['action']} {place}"), step.get("holding"))))]
    return "; ".join(parts + [step[key] for key in ("follows", "race") if key in step])


def flow(found):
    """The messages of the steps in the order in which they happened, each with its thread."""
    steps = [(step["executionOrder"], thread["id"], unbraced(step["location"]["message"]["text"]))
             for code in found.get("codeFlows", []) for thread in code["threadFlows"]
             for step in thread["locations"]]
    return [(thread, words(text)) for _, thread, text in sorted(steps)]


def marked_down(found):
    return words(re.sub(r"\\(.)", r"\1", unbraced(found["message"].get("markdown", ""))))


# ---- The page ----


def page_data(html):
    return json.loads(re.search(r'id="report-data">(.*?)</script>', html, re.S)[1])


# ---- Traces ----


def chain(threads):
    """A block of T0 that is cut by threads in a row, each of which depends on the one before."""
    lines = ["T0|begin(f)|f.c:1", "T0|w(x0)|f.c:2"]
    for i in range(1, threads):
        lines += [f"T{i}|r(x{i - 1})|f.c:{10 * i}", f"T{i}|w(x{i})|f.c:{10 * i + 1}"]
    return "\n".join(lines + [f"T0|r(x{threads - 1})|f.c:3", "T0|end(f)|f.c:4"]) + "\n"


def long_cycle(threads):
    """Blocks that depend on each other in a circle, each begun before any of them is done."""
    lines = [f"T{i}|begin(f{i})|f.c:{i}" for i in range(threads)]
    lines += [f"T{i}|w(x{i})|f.c:{i}" for i in range(threads)]
    lines += [f"T{(i + 1) % threads}|r(x{i})|f.c:{i}" for i in range(threads)]
    return "\n".join(lines + [f"T{i}|end|f.c:{i}" for i in range(threads)]) + "\n"


EMBRACE = """\
T1|begin(f)|1
T1|acq(p)|2
T1|acq(q)|3
T1|w(x)|4
T1|rel(q)|5
T1|rel(p)|6
T1|end(f)|7
T2|begin(g)|8
T2|acq(q)|9
T2|acq(p)|10
T2|w(x)|11
T2|rel(p)|12
T2|rel(q)|13
T2|end(g)|14
"""

AGAIN = "".join(f"T1|begin(f)|1\nT1|w(x)|2\nT2|w(x)|3\nT1|r(x)|4\nT1|end(f)|5\n" for _ in range(3))

SAVED = {
    "equal blocks": prediction(foreseen(), foreseen(start=10, events_of=1)),
    "an explanation": prediction(foreseen(why="two reads see different values")),
    "a whole schedule": prediction(foreseen(verdict="violation"), engine="tas", notion="avp"),
    "a long schedule": prediction(long_schedule(), engine="tas", notion="avp"),
    "an interleaving": prediction(foreseen(verdict="violation", witness=[1, 2, 5, 3], schedule=[]),
                                  notion="view"),
    "races and deadlocks": prediction(foreseen(), races=[race(), {**race(), "suspected": True}],
                                      deadlocks=[ring()]),
    "no name": prediction(foreseen("")),
    "a path without its calls": result(cut()),
    "names with braces": result(cut("f{0}", thread="T{1}")),
    "engines side by side": comparison(prediction(foreseen(), deadlocks=[ring()]),
                                       prediction(foreseen(verdict="violation"), engine="tas")),
}


class Story(Case):
    kinds = set()  # that the tests of this class have seen

    def formats(self, *command):
        """What the command says in each format."""
        made = {}
        for form in ("json", "text", "sarif", "html"):
            all_of_them = ["--stories", "0"] if form == "text" else []
            answer = self.run_here(*command, *all_of_them, "--format", form)
            self.assertLess(answer.status, 2, answer.message)
            made[form] = answer.text
        return made

    def take_overview(self, left, data):
        """Takes the lines about all findings out of the paragraphs: JSON has them, too."""
        head = r"\d+ (proven |possible )?findings?(, the most important first)?:|By design\?"
        lines = [line for line in left if re.match(head, line)]
        often = "reported" if data["schema"] == "seriatim-predict/1" else "how_often"
        wanted = [words(" ".join(str(finding[key]) for key in ("rank", "function", "what", often, "look_at")))
                  for finding in data.get("findings", []) if finding["state"] == "new"]
        for finding in wanted if len(wanted) > 1 else []:
            self.assertIn(finding, " ".join(lines))
        self.assertEqual(bool(lines), len(wanted) > 1)
        return [line for line in left if line not in lines]

    def assert_text(self, made, data):
        left = self.take_overview(printed(made["text"]), data)
        for story in reported(data, ["new"]):
            fitting = [text for text in paragraphs(story) if text in left]
            if not fitting:
                self.fail(f"{next(paragraphs(story))}\n\nis not in\n\n" + "\n\n".join(left))
            left.remove(fitting[0])
        self.assertEqual(left, [], "the text report says more than the stories")

    def assert_compared_text(self, made, data):
        """Side by side, one story of each block is printed, and who else reports it."""
        stories = reported(data, ["new"])
        blocks = {block["block"] for engine in data["engines"] for block in engine["blocks"]
                  if "story" in block}
        engines = "|".join(re.escape(engine["engine"]) for engine in data["engines"])
        compared = 0
        for text in printed(made["text"]):
            remark = re.search(rf"\((reported by \d+ of \d+ engines?; shown as ({engines}) found it)\)\.", text)
            starts = [start for story in stories for start in paragraphs(story, remark and remark[1])
                      if text.startswith(start)]
            self.assertTrue(starts, text)
            self.assertRegex(text[len(max(starts, key=len)):], rf"\A ({engines}) " if remark else r"\A\Z")
            compared += remark is not None
        self.assertEqual(compared, len(blocks))

    def assert_sarif(self, made, data):
        left = [found for log in json.loads(made["sarif"])["runs"] for found in log["results"]]
        for story in reported(data):
            expected = words(" ".join(sentences(story)))
            steps = [(step["thread"], step_words(step)) for step in story["steps"]
                     if "gap" not in step and step["event"]]
            fitting = [found for found in left if flow(found) == steps
                       and words(unbraced(found["message"]["text"])) == expected]
            if not fitting:
                self.fail(f"{expected}\n{steps}\n\nis not in\n\n" + "\n".join(
                    f"{found['message']['text']}\n{flow(found)}\n" for found in left))
            self.assert_markdown(fitting[0], story)
            left.remove(fitting[0])
        self.assertEqual(left, [], "SARIF says more than the stories")

    def assert_markdown(self, found, story):
        """It has all: also what stands before the steps, gaps, and the schedule."""
        text = marked_down(found)
        schedule = story["schedule"] or {"title": None, "steps": []}
        steps = [step.get("gap") or step_words(step) for step in story["steps"] + schedule["steps"]]
        for part in [*sentences(story), story["introduction"], schedule["title"], *steps]:
            if part and "markdown" in found["message"]:
                self.assertIn(words(part), text)

    def assert_same(self, *command):
        made = self.formats(*command)
        data = json.loads(made["json"])
        stories = list(findings_of(data))
        type(self).kinds |= {story["kind"] for _, story in stories}
        if data["schema"] == "seriatim-predict/1" and "engines" in data:
            self.assert_compared_text(made, data)
        elif "engines" not in data:
            self.assert_text(made, data)
        self.assert_sarif(made, data)
        self.assertEqual(list(findings_of(page_data(made["html"]))), list(findings_of(data, page=True)))
        return data

    def assert_saved(self, *command):
        """A saved result is printed as the result was, but for what depends on time."""
        still = re.compile(r" +time *| *[0-9.]+ (us|ms|s)\b|\"(time_)?seconds\": [0-9.]+"
                           r"|\"exitCode\": \d+,?\s*")
        made = self.formats(*command)
        self.write("saved.json", made["json"])
        again = self.formats("report", "saved.json")
        for form, text in made.items():
            self.assertEqual(still.sub("", again[form]), still.sub("", text), form)

    def assert_all(self, *command):
        data = self.assert_same(*command)
        self.assert_saved(*command)
        return data


class Observed(Story):
    def test_each_engine_on_each_trace(self):
        engines = ("witness", "velodrome", "doublechecker", "regiontrack", "aerodrome", "all")
        for turn, trace in enumerate(sorted(TRACES.glob("*.std"))):
            for engine in some(engines, turn):
                with self.subTest(trace=trace.name, engine=engine):
                    self.assert_all("check", "--engine", engine, trace)
        self.assertEqual(self.kinds & KINDS, {"violation", "blamed", "cycle", "verdict"})

    def test_a_recording_with_calls_locks_and_a_race(self):
        data = self.assert_all("check", "--locks", TRACES / "golden-v3.stt")
        story, = reported(data)
        self.assertIn("let go of lock", story["hint"])
        self.assertIn("race", story["steps"][-1])
        self.assertIn("holding no lock", [step.get("holding") for step in story["steps"]])

    def test_a_program(self):
        program, sources = self.folder / "bank", ROOT / "tests" / "programs"
        subprocess.run(["gcc", "-O1", "-c", sources / "schedule.c", "-o", "schedule.o"],
                       cwd=self.folder, check=True)
        runtime = {"SERIATIM_RUNTIME_DIR": str(RUNTIME)}
        subprocess.run([BINARY.parent / "seriatim-cc", "-g", "-O1", sources / "bank.c", "schedule.o",
                        "-o", program, "-pthread"], cwd=self.folder, check=True,
                       env=environment(**runtime))
        self.assertLess(self.run_here("record", "-o", "t.stt", program, env=runtime).status, 2)
        self.assertTrue(reported(self.assert_all("check", "t.stt")))

    def test_long_paths_and_cycles_have_gaps(self):
        self.write("chain.std", chain(20))
        self.write("cycle.std", long_cycle(20))
        for trace in ("chain.std", "cycle.std"):
            story, = reported(self.assert_all("check", trace))
            self.assertEqual([step["gap"] for step in story["steps"] if "gap" in step],
                             ["12 more dependences"])
            self.assertLess(len(story["steps"]), 20)

    def test_nested_blocks_and_what_happened_again(self):
        nested = self.assert_all("check", TRACES / "nested.std")
        self.assertIn(0, [story["count"] for _, story in findings_of(nested)])
        self.assertTrue(any("around it" in note for story in reported(nested)
                            for note in story["notes"]))
        self.write("again.std", AGAIN)
        story, = reported(self.assert_all("check", "again.std"))
        self.assertEqual(story["count"], 3)
        self.assertIn("The same happened 3 times in the same place.", story["notes"])

    def test_known_and_suppressed_findings(self):
        self.write("old.json", self.run_here("check", "--format", "json", TRACES / "bank.std").out)
        self.write("s", "suppress function * because we know\n")
        for options in (["--baseline", "old.json"], ["--suppressions", "s"]):
            data = self.assert_same("check", *options, TRACES / "bank.std")
            self.assertTrue(reported(data))
            self.assertEqual(reported(data, ["new"]), [])

    def test_random_traces(self):
        for seed in range(30):
            self.write("t.std", random_trace(random.Random(seed)))
            with self.subTest(seed=seed):
                self.assert_all("check", "t.std")


class Predicted(Story):
    def test_each_engine_on_each_trace(self):
        engines = [[engine] for engine in ENGINES]
        engines += [["blocks", "--exact"], ["commit-node", "--notion", "view"]]
        for turn, trace in enumerate(sorted(TRACES.glob("*.std"))):
            for engine in some(engines, turn):
                with self.subTest(trace=trace.name, engine=engine):
                    self.assert_same("predict", "--engine", *engine, trace)
        self.assertLessEqual({"predicted", "potential", "race"}, self.kinds)

    def test_a_recording(self):
        for engine in ENGINES:
            self.assert_all("predict", "--engine", engine, TRACES / "golden-v3.stt")

    def test_deadlocks(self):
        self.write("t.std", EMBRACE)
        data = self.assert_all("predict", "--engine", "blocks", "t.std")
        self.assertEqual([story["kind"] for story in data["deadlock_stories"]], ["deadlock"])
        self.assertEqual(len(data["deadlocks"]), 1)

    def test_long_paths_have_gaps(self):
        self.write("t.std", chain(40))
        data = self.assert_all("predict", "--engine", "tas", "t.std")
        self.assertTrue(any("gap" in step for story in reported(data) for step in story["steps"]))

    def test_saved_results(self):
        for name, sample in SAVED.items():
            with self.subTest(sample=name):
                self.write("r.json", json.dumps(sample))
                self.assertTrue(reported(self.assert_all("report", "r.json")))

    def test_in_which_order_the_steps_came_is_said_once(self):
        """The page once said "another order" where the text said "this very order"."""
        data = self.assert_same("predict", "--engine", "blocks", TRACES / "golden-v3.stt")
        story, = reported(data)
        self.assertEqual(story["introduction"], "In this run the steps came in this very order:")

    def test_random_traces(self):
        for seed in range(20):
            self.write("t.std", random_trace(random.Random(seed)))
            for engine in ("tas", "blocks", "all"):
                with self.subTest(seed=seed, engine=engine):
                    self.assert_same("predict", "--engine", engine, "t.std")


class NoPrinterMayDropOrAdd(Story):
    """The assertions above are of use only if they fail."""

    def setUp(self):
        super().setUp()
        self.made = self.formats("check", "--locks", TRACES / "golden-v3.stt")
        self.data = json.loads(self.made["json"])
        self.story, = reported(self.data)

    def texts(self):
        """Each thing that the story says."""
        for key in ("headline", "frequency", "conclusion", "hint"):
            yield self.story[key]
        for step in self.story["steps"]:
            yield from (step[key] for key in ("action", "holding", "follows", "race") if key in step)

    def test_a_sentence_that_is_missing(self):
        one_line = words(self.made["text"])
        for text in self.texts():
            self.assertIn(text, one_line)
            changed = {"text": re.sub(r"\s+".join(map(re.escape, text.split())), "?", self.made["text"]),
                       "sarif": self.made["sarif"].replace(text, "?")}
            with self.subTest(text=text):
                self.assertRaises(AssertionError, self.assert_text, changed, self.data)
                self.assertRaises(AssertionError, self.assert_sarif, changed, self.data)

    def test_a_sentence_that_is_invented(self):
        end = self.story["conclusion"]
        for form, check in (("text", self.assert_text), ("sarif", self.assert_sarif)):
            for more in (f"{end} Lock it.", f"Lock it. {end}"):
                changed = {form: self.made[form].replace(end, more)}
                self.assertRaises(AssertionError, check, changed, self.data)

    def test_a_finding_that_is_invented(self):
        changed = {"text": "main waits for nothing.\n\n" + self.made["text"]}
        self.assertRaises(AssertionError, self.assert_text, changed, self.data)


del Story  # it has no tests of its own
