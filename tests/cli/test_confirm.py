"""Predictions as candidates of a hunt, and seriatim predict --confirm: each prediction is confirmed,
not confirmed in so many tries, or cannot happen."""

import json
import pathlib
import shutil
import unittest

from hunting import Hunting, build
from schemas import RESULT, SARIF, complaints, strict, validator

# Two counters with a lock each: the block takes both, one after the other, but nobody else does. It
# cannot be reduced, and no order cuts it.
APART = """
#include <pthread.h>
static pthread_mutex_t left_lock = PTHREAD_MUTEX_INITIALIZER, right_lock = PTHREAD_MUTEX_INITIALIZER;
static int left, right;
static void add_left(void) {
    pthread_mutex_lock(&left_lock);
    left++;
    pthread_mutex_unlock(&left_lock);
}
static void add_right(void) {
    pthread_mutex_lock(&right_lock);
    right++;
    pthread_mutex_unlock(&right_lock);
}
static void add_both(void) {
    add_left();
    add_right();
}
static void *both(void *argument) {
    add_both();
    return argument;
}
static void *one(void *argument) {
    add_left();
    return argument;
}
static void *other(void *argument) {
    add_right();
    return argument;
}
int main(void) {
    pthread_t threads[3];
    pthread_create(&threads[0], NULL, both, NULL);
    pthread_create(&threads[1], NULL, one, NULL);
    pthread_create(&threads[2], NULL, other, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    return left + right != 4;
}
"""

# What the reader reads was written before the semaphore let it go. Analyses do not know what a
# semaphore stands for that is posted more than once; the scheduler does.
AFTER = """
#include <pthread.h>
#include <semaphore.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static sem_t ready;
static int first, second;
static void set(int *value) {
    pthread_mutex_lock(&lock);
    *value = 1;
    pthread_mutex_unlock(&lock);
}
static int get(const int *value) {
    pthread_mutex_lock(&lock);
    int result = *value;
    pthread_mutex_unlock(&lock);
    return result;
}
static void prepare(void) {
    set(&first);
    set(&second);
}
static int add_up(void) { return get(&first) + get(&second); }
static void *writer(void *argument) {
    prepare();
    sem_post(&ready);
    sem_post(&ready);
    return argument;
}
static void *reader(void *argument) {
    sem_wait(&ready);
    sem_wait(&ready);
    return add_up() == 2 ? argument : &lock;
}
int main(void) {
    pthread_t a, b;
    void *bad;
    sem_init(&ready, 0, 0);
    pthread_create(&a, NULL, writer, NULL);
    pthread_create(&b, NULL, reader, NULL);
    pthread_join(a, NULL);
    pthread_join(b, &bad);
    return bad != NULL;
}
"""

# A function in a function: the outer one gives the lock away between its parts, and so does the
# inner one, about other data.
NESTED = """
#include <pthread.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int outer_data, inner_data;
static void add(int *value) {
    pthread_mutex_lock(&lock);
    ++*value;
    pthread_mutex_unlock(&lock);
}
static void inner(void) {
    add(&inner_data);
    add(&inner_data);
}
static void outer(void) {
    add(&outer_data);
    inner();
    add(&outer_data);
}
static void *work(void *argument) {
    outer();
    return argument;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, work, NULL);
    pthread_create(&b, NULL, work, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
"""

# A local variable that is written before there are threads, and not in main: a recording has no
# name for it. Meanwhile two other threads take turns.
LOCAL = """
#include <pthread.h>
struct stats {
    pthread_mutex_t lock;
    pthread_cond_t turned;
    long count, sum;
    int turn;
};
static long count(struct stats *stats) {
    pthread_mutex_lock(&stats->lock);
    long result = stats->count;
    pthread_mutex_unlock(&stats->lock);
    return result;
}
static long sum(struct stats *stats) {
    pthread_mutex_lock(&stats->lock);
    long result = stats->sum;
    pthread_mutex_unlock(&stats->lock);
    return result;
}
static int is_mean_one(struct stats *stats) {
    long before = count(stats);
    return sum(stats) == before;
}
static void add(struct stats *stats) {
    pthread_mutex_lock(&stats->lock);
    stats->count++;
    stats->sum++;
    pthread_mutex_unlock(&stats->lock);
}
static void take_turn(struct stats *stats, int turn) {
    pthread_mutex_lock(&stats->lock);
    while (stats->turn % 2 != turn)
        pthread_cond_wait(&stats->turned, &stats->lock);
    stats->turn++;
    pthread_cond_broadcast(&stats->turned);
    pthread_mutex_unlock(&stats->lock);
}
static void *even(void *stats) {
    for (int i = 0; i < 12; i++)
        take_turn(stats, 0);
    add(stats);
    return NULL;
}
static void *odd(void *stats) {
    for (int i = 0; i < 12; i++)
        take_turn(stats, 1);
    return NULL;
}
static void *look(void *stats) {
    is_mean_one(stats);
    return NULL;
}
static __attribute__((noinline)) void work(void) {
    struct stats stats = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0, 0, 0};
    void *(*const all[])(void *) = {look, even, odd};
    pthread_t threads[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, all[i], &stats);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
}
int main(void) {
    work();
    return 0;
}
"""


class Confirming(Hunting):
    """What the tests here share."""

    def confirm(self, *words, tries=6):
        """The result of predict --confirm as JSON, which must keep to the schema."""
        result = self.run_here("predict", "--confirm", "--format", "json", "--tries", tries, *words)
        if result.status != 2:
            self.assertEqual(complaints(validator(strict(RESULT)), result.json), [])
        return result

    def record(self, program):
        self.run_here("record", "-q", "-o", "run.stt", "--", program)
        return "run.stt"

    def one(self, result):
        """Its only prediction."""
        [prediction] = result.json["predictions"]
        return prediction


class Hunts(Confirming):
    """Hunts take predictions as candidates."""

    def test_what_takes_three_threads_is_confirmed_at_once(self):
        for seed in (1, 2, 3):
            result = self.hunt(self.program("three_way.c"), "--until", "first", "--seed", seed)
            prediction = self.one(result)
            self.assertEqual((prediction["block"], prediction["state"]), ("announce", "confirmed"))
            self.assertIs(prediction["confirmed"], True)
            self.assertIn("commit-node", prediction["engines"])
            self.assertEqual(prediction["on"], ["price.value", "published.value", "replica.value"])
            [violation] = result.json["violations"]
            self.assertEqual(violation["strategy"], "predicted")
            self.assertEqual(violation["run"], prediction["run"])
            self.assertLessEqual(prediction["run"], 5)

    def test_what_concerns_a_local_variable_is_confirmed(self):
        result = self.hunt(self.source(LOCAL), "--runs", 12)
        prediction = self.one(result)
        self.assertEqual((prediction["block"], prediction["state"]), ("is_mean_one", "confirmed"))
        self.assertEqual(prediction["on"], ["stats.count in work", "stats.sum in work"])
        # The two that take turns do so while the third one is stopped: that is said once.
        [violation] = result.json["violations"]
        self.assertIn(True, [step.get("alike") for step in violation["course"]])

    def test_the_schedule_of_what_was_confirmed_replays(self):
        result = self.hunt(self.program("three_way.c"), "--until", "first")
        self.assertEqual(self.replay(self.one(result)["schedule"]).status, 1)

    def test_the_twin_is_clean(self):
        result = self.hunt(self.program("three_way.c", "-DFIXED"), "--runs", 20)
        self.assertEqual(result.status, 0)
        self.assertNotIn("confirmed", [each["state"] for each in result.json["predictions"]])

    def test_a_deadlock_is_confirmed(self):
        result = self.hunt(self.program("lock_order.c"), "--until", "first")
        prediction = self.one(result)
        self.assertEqual((prediction["kind"], prediction["block"]), ("deadlock", None))
        self.assertEqual((prediction["state"], prediction["outcome"]), ("confirmed", "deadlock"))
        self.assertEqual(prediction["on"], ["alice.lock", "bob.lock"])

    def test_other_strategies_predict_nothing(self):
        result = self.hunt(self.program("bank_audit.c"), "--strategy", "random", "--runs", 4)
        self.assertEqual(result.json["predictions"], [])

    def test_the_result_does_not_depend_on_jobs(self):
        program = self.program("bank_audit.c")
        one = self.hunt(program, "--runs", 12, "--jobs", 1).json["predictions"]
        two = self.hunt(program, "--runs", 12, "--jobs", 2).json["predictions"]
        self.assertEqual(one, two)

    def test_predictions_are_tried_and_not_confirmed_where_they_are_false(self):
        result = self.hunt(self.source(AFTER), "--runs", 40)
        self.assertEqual((result.status, result.json["violations"]), (0, []))
        self.assertTrue(result.json["predictions"])
        for prediction in result.json["predictions"]:
            self.assertEqual((prediction["state"], prediction["confirmed"]), ("not confirmed", None))
            self.assertGreater(prediction["tries"], 3)


class Traces(Confirming):
    """predict --confirm."""

    def test_a_prediction_from_a_trace_is_confirmed(self):
        program = self.program("bank_audit.c")
        result = self.confirm(self.record(program), "--", program)
        prediction = self.one(result)
        self.assertEqual(result.status, 1)
        self.assertEqual((prediction["block"], prediction["state"]), ("transfer", "confirmed"))
        self.assertEqual(prediction["pattern"], "W-R-R-W")
        self.assertEqual(prediction["outcome"], "status")
        self.assertTrue((self.folder / prediction["schedule"]).exists())

    def test_without_a_trace_it_records_one(self):
        result = self.confirm("--", self.program("bank_audit.c"))
        self.assertEqual((result.status, self.one(result)["state"]), (1, "confirmed"))

    def test_the_program_may_have_been_built_anew(self):
        program = self.program("bank_audit.c")
        trace = self.record(program)
        source = pathlib.Path(__file__).parents[1] / "hunted" / "bank_audit.c"
        result = self.confirm(trace, "--", build(source, self.folder / "anew", "-O0"))
        self.assertEqual((result.status, self.one(result)["state"]), (1, "confirmed"))

    def test_every_depth_counts(self):
        result = self.confirm("--", self.source(NESTED))
        seen = {(each["block"], each["depth"]): each["state"] for each in result.json["predictions"]}
        self.assertEqual(seen, {("outer", 0): "confirmed", ("inner", 1): "confirmed"})

    def test_what_no_order_of_the_events_cuts_cannot_happen(self):
        program = self.source(APART)
        result = self.confirm(self.record(program), "--", program, tries=8)
        prediction = self.one(result)
        self.assertEqual(result.status, 0)
        self.assertEqual((prediction["block"], prediction["engines"]), ("add_both", ["reduction"]))
        self.assertEqual((prediction["state"], prediction["confirmed"]), ("cannot happen", False))
        self.assertEqual(prediction["tries"], 2)

    def test_another_run_may_do_what_the_recorded_one_could_not(self):
        program = self.program("lazy_config.c")
        result = self.confirm(self.record(program), "--", program, tries=20)
        self.assertEqual((result.status, self.one(result)["state"]), (1, "confirmed"))

    def test_what_is_merely_potential_and_never_seen_is_not_found(self):
        program = self.source(AFTER)
        result = self.confirm(self.record(program), "--", program, tries=5)
        self.assertEqual(result.status, 0)
        self.assertTrue(result.json["predictions"])
        for prediction in result.json["predictions"]:
            self.assertEqual((prediction["state"], prediction["tries"]), ("not confirmed", 5))
            self.assertEqual(prediction["verdict"], "potential")
            self.assertIn("Prediction not confirmed in 5 tries", prediction["sentence"])

    def test_predictions_that_say_the_same_of_a_block_are_shown_once(self):
        program = self.source(APART)
        found = self.confirm(self.record(program), "--", program, tries=1).json
        [prediction] = found["predictions"]
        found["predictions"] += [dict(prediction, on=["another"]), dict(prediction, block="other"),
                                 dict(prediction, pattern="LRL")]
        (self.folder / "found.json").write_text(json.dumps(found))
        again = self.run_here("report", "--format", "json", "found.json").json
        self.assertEqual([each.get("folded", False) for each in again["predictions"]],
                         [False, True, False, True])
        self.assertEqual(complaints(validator(strict(RESULT)), again), [])
        for form in ("text", "sarif"):
            text = self.run_here("report", "--format", form, "found.json").text
            self.assertEqual(text.count("Prediction that cannot happen"), 2)
            self.assertEqual(text.count("There are 2 more like it."), 1)

    def test_an_engine_can_be_chosen(self):
        program = self.program("bank_audit.c")
        trace = self.record(program)
        result = self.confirm("--engine", "blocks", trace, "--", program)
        self.assertEqual(self.one(result)["engines"], ["blocks"])
        self.assertEqual(self.confirm("--engine", "tas", trace, "--", program).json["predictions"], [])

    def test_the_arguments_of_the_program_are_its_own(self):
        program = self.source(APART.replace("int main(void) {", """
            #include <string.h>
            int main(int argc, char **argv) {
                if (argc != 3 || strcmp(argv[1], "--tries"))
                    return 9;"""))
        result = self.confirm("--", program, "--tries", "x")
        self.assertEqual(result.status, 0)


class Reports(Confirming):
    """Every format says what became of predictions, in the same words."""

    def setUp(self):
        super().setUp()
        program = self.program("bank_audit.c")
        result = self.confirm("--", program)
        (self.folder / "result.json").write_text(result.text)
        self.sentence = self.one(result)["sentence"]

    def test_the_sentence_says_how_to_see_it(self):
        self.assertRegex(self.sentence, r"^Prediction confirmed: transfer is cut, W-R-R-W on "
                         r"checking\.balance and savings\.balance, at .*bank_audit\.c:\d+ \(foreseen "
                         r"by .*commit-node.*\)\. Run \d+ shows it; replay it with: seriatim replay ")

    def test_text_and_page_and_sarif_have_it(self):
        text = self.run_here("report", "result.json").text
        self.assertIn(self.sentence, " ".join(text.split()))
        self.assertIn("1 of 1 prediction confirmed", text)
        page = self.run_here("report", "--format", "html", "result.json").text
        self.assertIn(self.sentence, page)
        sarif = self.run_here("report", "--format", "sarif", "result.json").json
        self.assertEqual(complaints(validator(SARIF), sarif), [])
        [run] = sarif["runs"]
        notes = run["invocations"][0]["toolExecutionNotifications"]
        self.assertIn(self.sentence, [note["message"]["text"] for note in notes])


class BadInput(Confirming):
    """What is not of this program, and what is left out."""

    def refused(self, *words):
        result = self.run_here("predict", *words)
        self.assertEqual((result.status, result.text), (2, ""))
        return result.message

    def test_a_trace_of_another_program(self):
        trace = self.record(self.program("bank_audit.c"))
        other = self.program("lost_incr.c")
        message = self.refused("--confirm", trace, "--", other)
        self.assertIn("is not of", message)
        self.assertIn("record this program", message)

    def test_lines_that_have_moved(self):
        program = self.program("bank_audit.c")
        trace = self.record(program)
        source = pathlib.Path(__file__).parents[1] / "hunted" / "bank_audit.c"
        moved = self.write("bank_audit.c", "\n" * 100 + source.read_text())
        message = self.refused("--confirm", trace, "--", build(moved, self.folder / "moved"))
        self.assertIn("record it again", message)

    def test_a_trace_without_places(self):
        self.write("t.std", "T1|begin(f)|1\nT1|r(x)|2\nT2|w(x)|3\nT1|r(x)|4\nT1|end|5\n")
        message = self.refused("--confirm", "t.std", "--", self.program("bank_audit.c"))
        self.assertIn("does not say where in a program", message)

    def test_no_program(self):
        for words in (["--confirm"], ["--confirm", "t.stt"], ["--confirm", "t.stt", "--"]):
            self.assertIn("PROGRAM is missing behind '--'", self.refused(*words))
        self.assertIn("too much stands before '--'", self.refused("--confirm", "a", "b", "--", "c"))

    def test_no_such_file(self):
        program = self.program("bank_audit.c")
        self.assertIn("nowhere.stt", self.refused("--confirm", "nowhere.stt", "--", program))
        self.assertIn("nowhere", self.refused("--confirm", "--", "./nowhere"))

    def test_a_program_that_is_not_instrumented(self):
        shutil.copy("/bin/true", self.folder / "plain")
        self.assertIn("could not be watched", self.refused("--confirm", "--", "./plain"))

    def test_options_that_do_not_go_together(self):
        for words, problem in ((["--tries", "3", "t.stt"], "--tries needs --confirm"),
                               (["--keep", "d", "t.stt"], "--keep needs --confirm"),
                               (["--confirm", "--tries", "0", "--", "p"], "a number above 0"),
                               (["--confirm", "--table", "--", "p"], "cannot go together"),
                               (["--confirm", "--dump-witness", "w", "--", "p"], "cannot go together")):
            self.assertIn(problem, self.refused(*words))


if __name__ == "__main__":
    unittest.main()
