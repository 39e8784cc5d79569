"""What a static initialiser wrote comes before what others do behind a use of its class: in every schedule, so predictions
know it, too."""

import functools
import json
import subprocess
import tempfile
import unittest

from test_java_options import Case

# The classes are used in all ways that initialise one. With -Dunused=true nothing is used.
PROGRAM = """
public class Orders {
    static int most = 1;
    static final Object LOCK = new Object();
    static final boolean USED = !Boolean.getBoolean("unused");

    static class Field { static Object lock = LOCK; static { most = 2; } }
    static class Constant { static final Object VALUE = LOCK; static { most = 3; } }
    static class Method { static { most = 4; } static void call() { } }
    static class Made { static { most = 5; } }
    static class Above { static { most = 6; } }
    static class Below extends Above { static int value; }

    static void use(String way) {
        switch (way) {
            case "field": Field.lock.hashCode(); break;
            case "constant": Constant.VALUE.hashCode(); break;
            case "method": Method.call(); break;
            case "made": new Made(); break;
            default: new Below(); break;
        }
    }

    static int measure(String way) {
        if (USED) {
            use(way);
        }
        int first = most;
        return first - most;
    }

    public static void main(String[] arguments) throws Exception {
        String way = arguments[0];
        most = 2;
        Thread first = new Thread(() -> use(way));
        Thread second = new Thread(() -> {
            while (System.getProperty("over") == null) {
                Thread.onSpinWait();
            }
            measure(way);
        });
        second.start();
        first.start();
        while (first.isAlive()) {
            Thread.onSpinWait();
        }
        System.setProperty("over", "yes");
        second.join();
    }
}
"""
WAYS = ("field", "constant", "method", "made", "below")


@functools.cache
def folder():
    return tempfile.TemporaryDirectory(prefix="seriatim-java-initialiser-")


@functools.cache
def classes():
    source = f"{folder().name}/Orders.java"
    with open(source, "w", encoding="utf-8") as file:
        file.write(PROGRAM)
    subprocess.run(["javac", "-g", "-d", folder().name, source], check=True)
    return folder().name


class Initialisers(Case):
    def predicted(self, way, *flags):
        trace = self.folder / "trace"
        done = self.seriatim("record", "-o", trace, "--", "java", *flags, "-cp", classes(), "Orders", way)
        self.assertEqual(done.returncode, 0, done.stderr)
        done = self.seriatim("predict", "--format", "json", trace)
        return {block["block"] for block in json.loads(done.stdout)["blocks"] if block["verdict"] != "atomic"}

    def test_their_writes_come_before_every_use(self):
        for way in WAYS:
            self.assertEqual(self.predicted(way), set(), way)

    def test_without_a_use_they_come_at_any_time(self):
        for way in WAYS:
            self.assertEqual(self.predicted(way, "-Dunused=true"), {"Orders.measure"}, way)


if __name__ == "__main__":
    unittest.main()
