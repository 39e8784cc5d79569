"""Debian source packages, without changes to the system's apt configuration."""

import glob
import os
import re
import shutil
import subprocess

from measuring import Trouble


class Unavailable(Trouble):
    """This machine cannot provide what a program needs."""


# Where the programs' sources, builds and traces are kept from one run to the next.
FOLDER = "real"

CONFIGURATION = """\
Dir::Etc::sourcelist "/dev/null";
Dir::Etc::sourceparts "{folder}/sources";
Dir::State::lists "{folder}/lists";
Dir::Cache "{folder}/cache";
APT::Sandbox::User "";
"""


def _deb822(text):
    """The stanzas for Debian packages, turned into stanzas for their sources."""
    for stanza in re.split(r"\n\s*\n", text):
        uris = re.search(r"^URIs:(.*)$", stanza, re.M | re.I)
        if uris and re.search(r"debian|ubuntu", uris.group(1)):
            yield re.sub(r"^Types:.*$", "Types: deb-src", stanza, flags=re.M | re.I)


def _one_line(text):
    for line in re.findall(r"^deb\s+(.*(?:debian|ubuntu).*)$", text, re.M):
        yield "deb-src " + line


def _write_sources(folder):
    """Configures apt to get sources from where the system gets its packages."""
    os.makedirs(folder)
    found = 0
    for path in ["/etc/apt/sources.list"] + sorted(glob.glob("/etc/apt/sources.list.d/*")):
        if not os.path.isfile(path):
            continue
        with open(path, encoding="utf-8", errors="replace") as file:
            text = file.read()
        is_deb822 = path.endswith(".sources")
        lines = list(_deb822(text) if is_deb822 else _one_line(text))
        if lines:
            found += 1
            suffix = "sources" if is_deb822 else "list"
            with open(os.path.join(folder, f"{found}.{suffix}"), "w", encoding="utf-8") as file:
                file.write(("\n\n" if is_deb822 else "\n").join(lines) + "\n")
    if not found:
        raise Unavailable("apt has no packages of Debian or Ubuntu configured")


def _apt(folder, *words, cwd=None):
    if not shutil.which("apt-get") or not shutil.which("dpkg-source"):
        raise Unavailable("getting source packages takes apt-get and dpkg-source (package dpkg-dev)")
    environment = dict(os.environ, APT_CONFIG=os.path.join(folder, "apt.conf"), LC_ALL="C")
    done = subprocess.run(["apt-get", "-qq", "-o", "Acquire::Retries=1", *words], cwd=cwd,
                          env=environment, capture_output=True, text=True, check=False)
    # apt-get update succeeds with some lists missing, and only warns.
    complaints = re.findall(r"^[EW]: (.*(?:Failed|Could not|Unable).*)$", done.stderr, re.M)
    if done.returncode != 0 or (words[0] == "update" and complaints):
        reason = (complaints or done.stderr.strip().splitlines() or ["no reason given"])[0]
        raise Unavailable(f"apt-get {' '.join(words)} failed (is there a network?): {reason}")


def _prepare_apt(folder):
    if os.path.exists(os.path.join(folder, "ready")):
        return
    shutil.rmtree(folder, ignore_errors=True)
    _write_sources(os.path.join(folder, "sources"))
    for inner in ("lists/partial", "cache/archives/partial"):
        os.makedirs(os.path.join(folder, inner))
    with open(os.path.join(folder, "apt.conf"), "w", encoding="utf-8") as file:
        file.write(CONFIGURATION.format(folder=folder))
    _apt(folder, "update")
    with open(os.path.join(folder, "ready"), "w", encoding="utf-8"):
        pass


def install(root):
    """The libraries and clients that the programs need."""
    done = subprocess.run([os.path.join(root, "scripts", "setup"), "real"], check=False,
                          capture_output=True, text=True)
    if done.returncode != 0:
        raise Unavailable((done.stdout + done.stderr).strip())


def source(folder, package):
    """The unpacked, unchanged source of a package, fetched on first use."""
    folder = os.path.abspath(folder)
    place = os.path.join(folder, package, "source")
    if not glob.glob(os.path.join(place, "*", "debian")):
        apt = os.path.join(folder, "apt")
        _prepare_apt(apt)
        shutil.rmtree(place, ignore_errors=True)
        os.makedirs(place)
        _apt(apt, "source", package, cwd=place)
    unpacked = glob.glob(os.path.join(place, "*", "debian"))
    if not unpacked:
        raise Unavailable(f"apt-get source {package} unpacked nothing")
    return os.path.dirname(unpacked[0])


def archives(folder, package):
    """The archives of a package's source, fetched on first use and not unpacked."""
    folder = os.path.abspath(folder)
    place = os.path.join(folder, package)
    pattern = os.path.join(glob.escape(place), "*.tar.*")
    if not glob.glob(os.path.join(glob.escape(place), "*.dsc")):
        apt = os.path.join(folder, "apt")
        _prepare_apt(apt)
        os.makedirs(place, exist_ok=True)
        _apt(apt, "source", "--download-only", package, cwd=place)
    return sorted(glob.glob(pattern))


def copy(folder, package, way):
    """A fresh copy of the source, for one kind of build."""
    place = os.path.join(os.path.abspath(folder), package, way)
    shutil.rmtree(place, ignore_errors=True)
    shutil.copytree(source(folder, package), place, symlinks=True)
    return place


def make(place, *commands, **variables):
    """Runs the commands of a build."""
    log = os.path.join(place, "seriatim-build.log")
    with open(log, "w", encoding="utf-8") as file:
        for command in commands:
            done = subprocess.run(command, cwd=place, env=dict(os.environ, **variables),
                                  stdin=subprocess.DEVNULL, stdout=file, stderr=file, check=False)
            if done.returncode != 0:
                raise Trouble(f"{' '.join(command)} failed in {place}: see {log}")
