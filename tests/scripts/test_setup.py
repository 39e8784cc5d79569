"""scripts/setup on machines that lack something, played by stand-ins for dpkg-query and the like."""
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "scripts" / "setup"
TOOLS = ["sh", "sed", "grep", "cat", "env"]


class Setup(unittest.TestCase):
    def setUp(self):
        self.bin = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.bin)
        for tool in TOOLS:
            (self.bin / tool).symlink_to(shutil.which(tool))
        self.stand_in("apt-get", 'echo "apt-get $*" >>"$0.log"')
        self.user(0)

    def stand_in(self, name, body):
        path = self.bin / name
        path.write_text("#!/bin/sh\n" + body + "\n")
        path.chmod(0o755)

    def user(self, number):
        self.stand_in("id", f"echo {number}")

    def installed(self, *packages):
        lines = "\n".join(f"installed {package}" for package in packages)
        self.stand_in("dpkg-query", f"cat <<'END'\n{lines}\nremoved libzstd-dev:amd64 \nEND")

    def setup(self, *arguments):
        result = subprocess.run([SCRIPT, *arguments], capture_output=True, text=True,
                                stdin=subprocess.DEVNULL, env={"PATH": str(self.bin)})
        log = self.bin / "apt-get.log"
        return result, log.read_text().splitlines() if log.exists() else []

    EVERYTHING = ["gcc:amd64 c-compiler", "libc6-dev:amd64 libc-dev", "make ", "cmake ",
                  "pkgconf:amd64 pkg-config (= 1.8.1-1)", "libzstd-dev:amd64 ", "libxxhash-dev:amd64 ",
                  "libdw-dev:amd64 ", "libiberty-dev:amd64 ", "libjansson-dev:amd64 "]

    def test_nothing_is_said_or_done_when_all_is_there(self):
        self.installed(*self.EVERYTHING)
        result, log = self.setup("build")
        self.assertEqual((result.returncode, result.stdout, result.stderr, log), (0, "", "", []))

    def test_root_installs_what_is_missing_and_only_that(self):
        self.installed(*(line for line in self.EVERYTHING if not line.startswith(("cmake", "libz"))))
        result, log = self.setup("build")
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        self.assertIn("need Debian packages that are not installed", result.stdout)
        self.assertEqual(log, ["apt-get update -qq",
                               "apt-get install --yes --no-install-recommends cmake libzstd-dev -qq"])

    def test_others_go_through_sudo(self):
        self.installed("gcc:amd64 ")
        self.user(1000)
        self.stand_in("sudo", '[ "$1" = -n ] && shift; [ "$1" = true ] || exec "$@"')
        result, log = self.setup("build")
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        self.assertIn("through sudo", result.stdout)
        self.assertEqual(len(log), 2)

    def test_without_a_way_to_become_root_it_says_what_to_run(self):
        self.installed(*self.EVERYTHING[1:])
        self.user(1000)
        result, log = self.setup("build")
        self.assertEqual((result.returncode, log), (1, []))
        self.assertIn("apt-get update && apt-get install --yes --no-install-recommends gcc\n",
                      result.stdout)

    def test_a_failing_apt_get_is_told(self):
        self.installed()
        self.stand_in("apt-get", "exit 100")
        result, _ = self.setup("build")
        self.assertEqual(result.returncode, 1)
        self.assertIn("apt-get failed", result.stderr)

    def test_other_systems_are_told_what_is_missing(self):
        result, _ = self.setup("build")
        self.assertEqual(result.returncode, 1)
        self.assertIn("'cc' is missing", result.stderr)
        for program in ("cc", "cmake", "pkg-config"):
            self.stand_in(program, "")
        self.assertEqual(self.setup("build")[0].returncode, 0)

    def test_testing_takes_more_than_building(self):
        build = set(self.setup("--list", "build")[0].stdout.split())
        test = set(self.setup("--list", "test")[0].stdout.split())
        self.assertLess(build, test)
        self.assertIn("libcmocka-dev", test - build)

    def test_a_wrong_word_is_an_error(self):
        self.assertEqual(self.setup("everything")[0].returncode, 2)


if __name__ == "__main__":
    unittest.main()
