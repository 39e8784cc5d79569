"""Shells on their own terminal, asked for completions as a user would: by typing and a key."""

import os
import pty
import shutil
import subprocess
import threading
import tty

from seriatim import BINARY, environment

SCRIPTS = BINARY.parent / "completion"

# Each shell gets two keys: Escape * puts all completions into the line, Control-G prints it.
BASHRC = """
PS1= PS2= HISTFILE=
PROMPT_COMMAND='printf "ready\\0" >"$TOLD"; PROMPT_COMMAND='
{more}
source "$SCRIPT"
bind 'set bell-style none'
bind '"\\e*": insert-completions'
bind -x '"\\C-g": printf "%s\\0" "$READLINE_LINE" >"$TOLD"'
"""

ZSHRC = """
PS1= PS2= RPS1=
unsetopt prompt_cr prompt_sp beep
unset zle_bracketed_paste
{more}
all() {{ _main_complete; compstate[insert]=all compstate[list]= }}
zle -C all complete-word all
tell() {{ printf '%s\\0' "$BUFFER" >"$TOLD" }}
zle -N tell
bindkey -e
bindkey '\\e*' all
bindkey '^G' tell
bindkey '^U' kill-whole-line
precmd() {{ printf 'ready\\0' >"$TOLD"; unfunction precmd }}
"""


class Shell:
    """An interactive shell in a folder, with our script and no other settings."""

    def __init__(self, folder, command, settings, **variables):
        self.folder = folder
        self.command, self.settings, self.variables = command, settings, variables

    def __enter__(self):
        told = self.folder / ".told"
        os.mkfifo(told)
        for name, text in self.settings.items():
            (self.folder / name).write_text(text)
        self.told = open(told, "rb+", buffering=0)  # for writing, too: it does not wait for a writer
        self.terminal, theirs = pty.openpty()
        tty.setraw(theirs)
        path = f"{BINARY.parent}:{os.environ['PATH']}"
        self.process = subprocess.Popen(
            self.command, cwd=self.folder, stdin=theirs, stdout=theirs, stderr=theirs,
            start_new_session=True,
            env=environment(PATH=path, TERM="dumb", HOME=str(self.folder), TOLD=str(told),
                            INPUTRC="/dev/null", **self.variables))
        os.close(theirs)
        # What it shows does not matter, but must be read, or the shell would block.
        self.reader = threading.Thread(target=self.read_all)
        self.reader.start()
        assert self.listen() == "ready", self.shown
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        self.reader.join()
        self.told.close()
        os.close(self.terminal)

    def read_all(self):
        self.shown = b""
        try:
            while piece := os.read(self.terminal, 4096):
                self.shown += piece
        except OSError:  # it has ended
            self.told.write(b"gone\0")

    def listen(self):
        text = b""
        while not text.endswith(b"\0"):
            text += self.told.read(4096)
        return text[:-1].decode()

    def complete(self, line):
        """The line with all completions in it."""
        os.write(self.terminal, b"\x05\x15" + line.encode() + b"\x1b*\x07")
        return self.listen()

    def offered(self, line, begun=""):
        """The words that are offered at the end of the line; `begun` is what the shell replaces
        there. The list is empty if none are offered."""
        result = self.complete(line + begun)
        if result == line + begun:
            return []
        assert result.startswith(line), result
        return sorted(result[len(line):].split())


def bash(folder, script=None, more="", **variables):
    return Shell(folder, ["bash", "--noprofile", "--rcfile", ".bashrc", "-i"],
                 {".bashrc": BASHRC.format(more=more)}, SCRIPT=str(script or SCRIPTS / "bash"),
                 **variables)


AUTOLOADED = "fpath=($PWD/functions $fpath); autoload -Uz compinit; compinit -u -D"
SOURCED = "autoload -Uz compinit; compinit -u -D; source <(seriatim completion zsh)"


def zsh(folder, more=AUTOLOADED, **variables):
    (folder / "functions").mkdir(exist_ok=True)
    shutil.copy(SCRIPTS / "zsh", folder / "functions" / "_seriatim")
    return Shell(folder, ["zsh", "-d", "-i"], {".zshrc": ZSHRC.format(more=more)},
                 ZDOTDIR=str(folder), **variables)
