"""Engines as published: check --as-published, and the small traces on which they are wrong."""

from seriatim import CLEAN, CUT, TRACES, Case, run

PUBLISHED = {"aerodrome-basic": "aerodrome", "aerodrome-reads": "aerodrome",
             "regiontrack-printed": "regiontrack", "velodrome-rapid": "velodrome"}

# Each file: is it serializable, and which engines as published say the opposite?
SMALLEST = {
    "published/aerodrome-silent-child.std": (True, {"aerodrome-basic", "aerodrome-reads"}),
    "published/aerodrome-open-blocks.std": (False, {"aerodrome-basic", "aerodrome-reads"}),
    "published/aerodrome-read-clock.std": (False, {"aerodrome-reads"}),
    "published/regiontrack-zero.std": (True, {"regiontrack-printed"}),
    "published/regiontrack-lost-sink.std": (False, {"regiontrack-printed"}),
    "published/velodrome-fork-chain.std": (False, {"velodrome-rapid"}),
    "aerodrome-4.3.std": (False, {"aerodrome-reads"}),
    "regiontrack-unary.std": (True, {"regiontrack-printed"}),
}


def engines_of(result):
    return {engine["engine"]: engine for engine in result["engines"]}


class Smallest(Case):
    def test_every_trace_in_the_folder_is_in_the_table(self):
        files = {f"published/{path.name}" for path in (TRACES / "published").iterdir()}
        self.assertEqual(files, {name for name in SMALLEST if name.startswith("published/")})

    def test_each_is_wrong_where_the_table_says_and_the_others_are_right(self):
        for name, (serializable, wrong) in SMALLEST.items():
            result = run("check", "--engine=all", "--as-published", "--format=json", TRACES / name)
            verdicts = {engine: got["serializable"]
                        for engine, got in engines_of(result.json).items()}
            self.assertLessEqual(set(PUBLISHED) | set(PUBLISHED.values()), set(verdicts))
            self.assertEqual({engine for engine, verdict in verdicts.items()
                              if verdict != serializable}, wrong, name)
            self.assertTrue(result.json["agree"], name)
            self.assertEqual(result.status, 0 if serializable else 1, name)

    def test_none_can_be_shortened(self):
        """Each event is needed, the ends of blocks aside."""
        for name, (serializable, wrong) in SMALLEST.items():
            lines = (TRACES / name).read_text().splitlines()
            if not name.startswith("published/"):
                continue
            for i, line in enumerate(lines):
                if "|end" in line:
                    continue
                shorter = "".join(f"{other}\n" for j, other in enumerate(lines) if j != i)
                result = run("check", "--as-published", "--format=json", "-", input=shorter)
                if result.status == 2:
                    continue  # it is not well formed without this event
                got = engines_of(result.json)
                if got["witness"]["serializable"] is not serializable:
                    continue
                still = {engine for engine in wrong
                         if got[engine]["serializable"] is not serializable}
                self.assertNotEqual(still, wrong, f"{name} without event {i + 1}")


class Option(Case):
    def test_it_adds_the_published_forms_of_the_engine(self):
        for engine, forms in (("aerodrome", ["aerodrome-basic", "aerodrome-reads"]),
                              ("regiontrack", ["regiontrack-printed"]),
                              ("velodrome", ["velodrome-rapid"]),
                              ("witness", list(PUBLISHED))):
            got = run("check", "--engine", engine, "--as-published", "--format=json", "-",
                      input=CUT).json
            self.assertEqual([each["engine"] for each in got["engines"]], [engine, *forms])
            for each in got["engines"]:
                self.assertEqual(each.get("published_form_of"), PUBLISHED.get(each["engine"]))

    def test_an_engine_without_other_form_is_refused(self):
        for engine in ("doublechecker", "rt-trace", "aerodrome-basic"):
            result = run("check", "--engine", engine, "--as-published", "-", input=CUT)
            self.assertEqual(result.status, 2)
            self.assertIn(f"{engine} has no other form", result.message)

    def test_the_text_says_who_is_wrong_and_how(self):
        text = run("check", "--as-published", TRACES / "published/regiontrack-zero.std").text
        self.assertIn("regiontrack-printed is wrong about this trace, as published: it reports a "
                      "cycle where there is none.", text)
        text = run("check", "--as-published", TRACES / "published/aerodrome-read-clock.std").text
        self.assertIn("aerodrome-reads is wrong about this trace, as published: it misses a cycle.",
                      text)
        self.assertNotIn("DISAGREE", text)

    def test_a_published_form_alone_is_an_engine_like_others(self):
        for engine in PUBLISHED:
            got = run("check", "--engine", engine, "--format=json", "-", input=CLEAN).json
            self.assertEqual((got["engine"], got["serializable"]), (engine, True))

    def test_alone_its_verdict_counts_and_beside_a_better_one_it_does_not(self):
        path = TRACES / "published/regiontrack-zero.std"
        self.assertEqual(run("check", "--engine=regiontrack-printed", path).status, 1)
        self.assertEqual(run("check", "--engine=regiontrack", "--as-published", path).status, 0)

    def test_a_saved_comparison_comes_back_as_it_was(self):
        path = self.folder / "saved.json"
        path.write_text(run("check", "--as-published", "--engine=all", "--format=json",
                            TRACES / "bank.std").text)
        first = run("report", "--format=json", path).json
        self.assertEqual(engines_of(first)["velodrome-rapid"]["published_form_of"], "velodrome")
        self.assertEqual(
            [engine.get("counters") for engine in first["engines"]],
            [engine.get("counters") for engine in run(
                "check", "--as-published", "--engine=all", "--format=json",
                TRACES / "bank.std").json["engines"]])


class VerdictOnly(Case):
    def test_rt_trace_has_the_verdict_and_first_bad_event_of_regiontrack_and_names_nothing(self):
        for path in sorted(TRACES.glob("*.std")):
            full, verdict = (run("check", "--engine", engine, "--format=json", path).json
                             for engine in ("regiontrack", "rt-trace"))
            for key in ("serializable", "first_bad_event"):
                self.assertEqual(full[key], verdict[key], path)
            self.assertIsNone(verdict["violation_count"])


class Counters(Case):
    def test_engines_count_their_work(self):
        got = engines_of(run("check", "--engine=all", "--format=json", TRACES / "alpha1.std").json)
        # alpha1 of the RegionTrack paper: seven begins, and three edges between threads.
        self.assertEqual(got["velodrome"]["counters"]["edges"], 3)
        self.assertEqual(got["regiontrack"]["counters"]["joins"], 3)
        self.assertGreaterEqual(got["doublechecker"]["counters"]["logs"], 1)
        self.assertNotIn("counters", got["witness"])
