"""How Java programs are started, what is watched of them, and what bad input gets."""

import json
import os
import pathlib
import shutil
import stat
import subprocess
import sys
import tempfile
import unittest
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "cli"))
os.environ.setdefault("SERIATIM_BUILD", "build")

from seriatim import BINARY, RUNTIME, environment  # pylint: disable=wrong-import-position
from test_java_programs import AGENT, FOLDER, classes  # pylint: disable=wrong-import-position

FOUND = 66


@unittest.skipUnless(AGENT.exists(), "there is no agent for Java programs")
class Case(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="seriatim-java-"))
        self.addCleanup(shutil.rmtree, self.folder)

    def seriatim(self, *words, **variables):
        return subprocess.run([BINARY, *words], cwd=self.folder, env=environment(**variables),
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)

    def run_program(self, *words, status=FOUND, **variables):
        """The result of a run, as JSON, and what it printed on standard error."""
        log = self.folder / "run.json"
        done = self.seriatim("run", "--exclude", "unwatched.*", "--format", "json", "--log", log,
                             *words, **variables)
        self.assertEqual(done.returncode, status, done.stderr)
        return json.loads(log.read_text()), done.stderr

    def violated(self, result):
        return {violation["block"] for violation in result["violations"]}

    def script(self, name, text):
        path = self.folder / name
        path.write_text(text)
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
        return path


class Starting(Case):
    def test_java_itself_says_nothing_of_the_agent(self):
        result, said = self.run_program("--", "java", "-cp", classes(), "Monitor")
        self.assertEqual(self.violated(result), {"Monitor.increment"})
        self.assertEqual(said, "")

    def test_a_script_that_starts_java(self):
        script = self.script("start", f"#!/bin/sh\nexec java -cp {classes()} Monitor\n")
        result, said = self.run_program("--", script)
        self.assertEqual(self.violated(result), {"Monitor.increment"})
        self.assertIn("Picked up JAVA_TOOL_OPTIONS: -javaagent:", said)

    def test_a_watcher_that_comes_late_still_knows_the_names(self):
        script = self.script("start", "#!/bin/sh\nkill -STOP $PPID\n"
                             f"java -cp {classes()} Monitor\nstatus=$?\nkill -CONT $PPID\nexit $status\n")
        result, _ = self.run_program("--", script)
        self.assertEqual(self.violated(result), {"Monitor.increment"})

    def test_each_of_several_jvms_has_a_stream_of_its_own(self):
        script = self.script("start", f"#!/bin/sh\njava -cp {classes()} Monitor\n"
                             f"java -cp {classes()} Statements\njava -Dfixed=true -cp {classes()} Monitor\n")
        result, _ = self.run_program("--", script)
        self.assertEqual(self.violated(result), {"Monitor.increment", "Statements.increment"})
        self.assertEqual(len(result["processes"]), 3)

    def test_a_program_that_is_a_module_and_asks_for_no_other_one(self):
        module = self.folder / "module"
        (module / "app").mkdir(parents=True)
        (module / "module-info.java").write_text("module app {}\n")
        (module / "app" / "Main.java").write_text("""
            package app;
            class Main {
                int value;
                void set() { value = 1; }
                public static void main(String[] arguments) { new Main().set(); }
            }""")
        subprocess.run(["javac", "-g", "-d", module, *module.rglob("*.java")], check=True)
        result, said = self.run_program("--", "java", "-p", module, "-m", "app/app.Main", status=0)
        self.assertIn("app.Main.set", {block["name"] for block in result["blocks"]})
        self.assertEqual(said, "")

    def test_an_agent_on_the_command_line(self):
        agent = f"-javaagent:{AGENT}=exclude=unwatched.*"
        result, _ = self.run_program("--", "sh", "-c", f"java '{agent}' -cp {classes()} Monitor; true")
        self.assertEqual(self.violated(result), {"Monitor.increment"})

    def test_an_agent_without_a_watcher_keeps_still(self):
        done = subprocess.run(["java", "-XX:-PrintWarnings", f"-javaagent:{AGENT}", "-cp", classes(), "Monitor"],
                              env=environment(), capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, done.stdout), (0, "ok\n"))

    def test_a_method_that_gets_large_is_compiled_all_the_same(self):
        statements = "value += 1; " * 300
        (self.folder / "Large.java").write_text(
            f"class Large {{ int value; void add() {{ {statements} }}\n"
            "  public static void main(String[] all) { Large l = new Large(); for (int i = 0; i < 9000; i++) l.add(); } }")
        subprocess.run(["javac", "-d", self.folder, self.folder / "Large.java"], check=True)
        java = ["java", "-Xbatch", "-XX:CompileOnly=Large.add", "-XX:+PrintCompilation", "-cp", self.folder, "Large"]
        alone = subprocess.run(java, env=environment(), capture_output=True, text=True, check=True)
        for words in (java, ["sh", "-c", " ".join(map(str, java))]):
            done = self.seriatim("run", *words)
            for said in (alone.stdout, done.stdout):
                self.assertRegex(said, r" 4 +Large::add")

    def test_the_status_of_the_program_is_kept(self):
        done = self.seriatim("run", "java", "-cp", classes(), "NoSuchClass")
        self.assertEqual(done.returncode, 1)
        self.assertIn("NoSuchClass", done.stderr)


class Watching(Case):
    def test_classes_that_are_excluded_are_not_watched(self):
        result, _ = self.run_program("--include", "Statements", "--", "java", "-cp", classes(), "Statements")
        self.assertEqual(self.violated(result), {"Statements.increment"})

    def test_a_published_list_is_a_specification(self):
        (self.folder / "list").write_text("Monitor.increment(Z)V\nMonitor.second()V\n")
        self.run_program("--spec", "list", "--", "java", "-cp", classes(), "Monitor", status=0)

    def test_arrays_that_are_one_variable_each(self):
        result, _ = self.run_program("--arrays", "coarse", "--", "java", "-cp", classes(), "Elements")
        self.assertEqual(self.violated(result), {"Elements.increment"})

    def test_no_arrays(self):
        self.run_program("--arrays", "off", "--", "java", "-cp", classes(), "Elements", status=0)

    def test_paths_in_sarif_lead_to_the_source(self):
        log = self.folder / "run.sarif"
        done = self.seriatim("run", "--exclude", "unwatched.*", "--source-root", FOLDER, "--format", "sarif",
                             "--log", log, "--", "java", "-cp", classes(), "Monitor")
        self.assertEqual(done.returncode, FOUND, done.stderr)
        [result] = json.loads(log.read_text())["runs"][0]["results"]
        place = result["locations"][0]["physicalLocation"]
        self.assertEqual(place["artifactLocation"]["uri"], "Monitor.java")
        self.assertGreater(place["region"]["startLine"], 1)

    def test_a_recording_has_the_names_without_the_program(self):
        done = self.seriatim("record", "-o", "t.stt", "--exclude", "unwatched.*", "--", "java", "-cp", classes(),
                             "Monitor")
        self.assertEqual(done.returncode, 0, done.stderr)
        text = self.seriatim("check", "t.stt").stdout
        self.assertIn("Monitor.increment was not atomic in thread first: second came in between", text)
        self.assertRegex(text, r"wrote Monitor@\d\.value, holding Monitor@\d")

    def predict_appended(self, *flags):
        done = self.seriatim("record", "-o", "t.stt", "--exclude", "unwatched.*", "--jdk", "java.lang.StringBuffer",
                             "--jdk", "java.lang.AbstractStringBuilder", "--", "java", *flags, "-cp", classes(),
                             "Appended")
        self.assertEqual(done.returncode, 0, done.stderr)
        return self.seriatim("predict", "t.stt").stdout

    def test_the_append_of_the_jdk_that_may_be_cut(self):
        self.assertRegex(self.predict_appended(), r"(StringBuffer|AbstractStringBuilder)\.append")

    def test_an_append_that_may_not_be_cut(self):
        self.assertNotRegex(self.predict_appended("-Dfixed=true"), r"(StringBuffer|AbstractStringBuilder)\.append")

    def blocks(self, which):
        result, _ = self.run_program("--blocks", which, "--", "java", "-cp", classes(), "Monitor")
        self.assertEqual(self.violated(result), {"Monitor.increment"})
        return {block["name"] for block in result["blocks"]}

    def test_which_methods_are_blocks(self):
        self.assertLessEqual({"Monitor.increment", "Monitor.get", "Monitor.set"}, self.blocks("all"))
        self.assertFalse({"Monitor.get", "Monitor.set"} & self.blocks("nonleaf"))
        outermost = self.blocks("outermost")
        self.assertIn("Monitor.increment", outermost)
        self.assertNotIn("Monitor.get", outermost)


class Waiting(Case):
    """Who looks at a variable until it changes emits that it does, and what it has found: not each look."""

    WAITS = """
        class Waits {
            static volatile boolean go;
            void until() { while (!go) Unseen.onSpinWait(); }
            public static void main(String[] arguments) throws Exception {
                Thread thread = new Thread(() -> new Waits().until());
                thread.start();
                Unseen.untilMany();
                go = true;
                thread.join();
            }
        }
        class Unseen {
            private static volatile int count;
            static void onSpinWait() { count = count + 1; }
            static void untilMany() { while (count < 1000) Thread.yield(); }
        }"""

    def test_looks_that_find_nothing_new(self):
        (self.folder / "Waits.java").write_text(self.WAITS)
        subprocess.run(["javac", "-g", "Waits.java"], cwd=self.folder, check=True)
        done = self.seriatim("record", "-o", "t.stt", "--exclude", "Unseen", "--", "java", "-cp", ".", "Waits")
        self.assertEqual(done.returncode, 0, done.stderr)
        events = self.seriatim("dump", "t.stt").stdout
        self.assertEqual(events.count("|begin(Waits.until)|"), 3, events) # its start, its first look, its last
        self.assertIn(events.count("|r(Waits.go)|"), (2, 3), events)


class BadInput(Case):
    def refused(self, *words, **variables):
        done = self.seriatim(*words, **variables)
        self.assertEqual(done.returncode, 2)
        return done.stderr

    def test_no_java(self):
        self.assertEqual(self.refused("run", "java", "-version", PATH=self.folder),
                         "seriatim: java: cannot run: there is no such program; install a JDK or JRE (Debian: "
                         "default-jdk-headless)\n")

    def test_a_java_that_is_too_old(self):
        home = self.folder / "jdk8"
        (home / "bin").mkdir(parents=True)
        (home / "release").write_text('IMPLEMENTOR="N/A"\nJAVA_VERSION="1.8.0_392"\n')
        java = self.script("jdk8/bin/java", "#!/bin/sh\n")
        self.assertIn("this is Java 8, and programs can be watched from Java 11 on: run it with a newer one",
                      self.refused("run", java, "-version"))

    def test_a_java_that_is_too_old_behind_a_script(self):
        """It reads the first class of the agent, which says so. (There is none here to try it with.)"""
        with zipfile.ZipFile(AGENT) as jar:
            self.assertLessEqual(jar.read("seriatim/agent/Premain.class")[7], 52)
        (self.folder / "Ask.java").write_text("""
            class Ask {
                public static void main(String[] versions) throws Exception {
                    java.lang.reflect.Method asked = Class.forName("seriatim.agent.Premain")
                            .getDeclaredMethod("trouble", String.class);
                    asked.setAccessible(true);
                    for (String version : versions)
                        System.out.println(asked.invoke(null, version));
                }
            }""")
        done = subprocess.run(["java", "-cp", AGENT, "Ask.java", "1.8", "10", "11", "17"], cwd=self.folder,
                              capture_output=True, text=True, check=True)
        told = "this is Java {}, and programs can be watched from Java 11 on: run it with a newer one"
        self.assertEqual(done.stdout.splitlines(), [told.format(8), told.format(10), "null", "null"])

    def test_a_java_that_is_too_new(self):
        home = self.folder / "jdk99"
        (home / "bin").mkdir(parents=True)
        (home / "release").write_text('JAVA_VERSION="99"\n')
        java = self.script("jdk99/bin/java", "#!/bin/sh\n")
        self.assertIn("this is Java 99, and the agent was built with an ASM that reads classes up to Java ",
                      self.refused("run", java, "-version"))

    def test_no_agent(self):
        folder = self.folder / "runtime"
        shutil.copytree(RUNTIME, folder, symlinks=True)
        (folder / "seriatim-java.jar").unlink()
        said = self.refused("run", "java", "-version", SERIATIM_RUNTIME_DIR=folder)
        self.assertIn("Java programs cannot be watched: seriatim-java.jar is not in", said)
        self.assertIn("default-jdk-headless libasm-java", said)

    def test_an_archive_of_classes_is_not_written(self):
        said = self.refused("run", "java", "-Xshare:dump")
        self.assertIn("option '-Xshare:dump' of java writes an archive of classes", said)

    def test_a_program_of_which_nothing_is_watched(self):
        said = self.refused("run", "--include", "nowhere.*", "--", "java", "-cp", classes(), "Monitor")
        self.assertIn("java loaded no class that is to be watched, so there is nothing to check: name some with "
                      "--include", said)

    def test_a_program_that_does_not_start(self):
        missing = ("java", "-cp", classes(), "Missing")
        self.assertIn("java ended with status 1 and had loaded no class", self.seriatim("run", *missing).stderr)
        self.assertIn("java: ended with status 1 and had loaded no class", self.refused("hunt", *missing))

    @unittest.skipUnless(shutil.which("jlink"), "there is no jlink")
    def test_a_runtime_without_what_the_agent_needs(self):
        subprocess.run(["jlink", "--add-modules", "java.base,java.instrument", "--output", self.folder / "jre"], check=True)
        said = self.refused("run", self.folder / "jre" / "bin" / "java", "-cp", classes(), "Monitor")
        self.assertIn("this Java runtime was made without the module jdk.unsupported: run the program with a JDK", said)

    def test_a_native_image(self):
        image = self.folder / "image"
        section = self.folder / "section"
        section.write_bytes(b"heap")
        subprocess.run(["objcopy", "--add-section", f".svm_heap={section}", "/bin/true", image], check=True)
        self.assertIn("is a native image, and Java programs are watched in a JVM", self.refused("run", image))

    def test_a_hunt(self):
        self.assertIn("java: loaded no class that is to be watched: name some with --include",
                      self.refused("hunt", "java", "-version"))


if __name__ == "__main__":
    unittest.main()
