"""Turns a fio command line, `fio --name=x --rw=randread ...`, into the job file that asks for the same.

Each line knows the words it was made from, which errors then name. Job files among the words follow after
them, with the places of their own lines.
"""

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from floatgate.errors import InputError
from floatgate.files import read_text

_COMMAND = re.compile(r"(?:\S*/)?fio(?:\.exe)?\s+\S")

# Of the command, not of a job: with a value or without. They say how fio runs and what it prints.
_WITH_VALUE = frozenset(
    ["output", "output-format", "terse-version", "eta", "eta-interval", "eta-newline", "debug", "alloc-size"]
) | frozenset(
    ["max-jobs", "idle-prof", "status-interval", "bandwidth-log", "latency-log", "aux-path", "daemonize"]
)
_ALONE = frozenset(["minimal", "append-terse", "warnings-fatal"])
_NO_RUN = {
    "version": "a version is no job",
    "help": "help is no job",
    "cmdhelp": "help is no job",
    "enghelp": "help is no job",
    "showcmd": "nothing would run",
    "parse-only": "nothing would run; floatgate run says what is wrong with a job before it starts",
    "server": "a server waits for jobs of others",
    "client": "the job would run on another machine",
    "remote-config": "the job would run on another machine",
    "inflate-log": "nothing would run",
    "crctest": "nothing would run",
    "memcpytest": "nothing would run",
    "cpuclock-test": "nothing would run",
    "merge-blktrace-only": "nothing would run",
}
# Job options that stand alone; others take the next word where they have no `=`.
_SWITCHES = frozenset(
    ["norandommap", "time_based", "verify_only", "exitall", "exitall_on_error", "stonewall", "new_group"]
) | frozenset(
    ["wait_for_previous", "thread", "group_reporting", "zero_buffers", "refill_buffers", "bs_unaligned"]
)


COMMAND = "fio command line"  # the place of its words


@dataclass(frozen=True)
class Line:
    """A line of a job, where it was written, and as what."""

    text: str
    place: str
    words: str | None = None


@dataclass(frozen=True)
class Translated:
    """The lines of a job file, and what is to be said about them."""

    lines: tuple[Line, ...]
    notes: tuple[str, ...]

    @property
    def text(self) -> str:
        """The job file."""
        return "".join(f"{line.text}\n" for line in self.lines)


def is_command(argument: str) -> bool:
    """Whether `argument` is a command line of fio's."""
    return _COMMAND.match(argument) is not None and not _is_file(argument)


def _is_file(argument: str) -> bool:
    """Whether there is such a file; a command line may be longer than any name."""
    try:
        return Path(argument).is_file()
    except OSError:
        return False


def translate(argument: str) -> Translated:
    """Return the job file of a command line. Raises InputError, naming the word."""
    try:
        words = shlex.split(argument)
    except ValueError as error:
        raise InputError(f"{argument}: {error}: expected words as a shell reads them") from None
    return _Reader(words).read()


@dataclass
class _Reader:
    """Takes words one by one."""

    words: list[str]
    lines: list[Line] = field(default_factory=lambda: [Line("[global]", COMMAND)])
    files: list[str] = field(default_factory=list)
    ignored: list[str] = field(default_factory=list)
    sections: list[str] = field(default_factory=list)
    readonly: bool = False

    def read(self) -> Translated:
        number = 1
        while number < len(self.words):
            number += self.take(number)
        for number, path in enumerate(self.files):
            self.lines += self.of_file(Path(path), number > 0)
        if not any(line.text.lstrip().startswith("[") and line.text != "[global]" for line in self.lines):
            raise InputError(f"{COMMAND}: no job: expected --name=JOB, or a job file with one")
        if self.readonly:
            self.refuse_writes()
        notes = [f"no effect on a raw drive: {', '.join(self.ignored)}"] if self.ignored else []
        return Translated(tuple(self.lines), tuple(notes))

    def take(self, number: int) -> int:
        """Take the word `number`; return how many words that were."""
        word = self.words[number]
        if not word.startswith("-") or word == "-":
            self.files.append(word)
            return 1
        key, equals, value = word.lstrip("-").partition("=")
        taken = 1
        if not equals and key not in _SWITCHES | _ALONE | _NO_RUN.keys() | {"readonly"}:
            following = self.words[number + 1 : number + 2]
            if following and not following[0].startswith("-"):
                value, equals, taken = following[0], "=", 2
        self.option(" ".join(self.words[number : number + taken]), key, value if equals else None)
        return taken

    def option(self, words: str, key: str, value: str | None) -> None:
        place = f"{COMMAND}: {words}"
        if key in _NO_RUN:
            raise InputError(f"{place}: {_NO_RUN[key]}: expected options of a job")
        if key in _WITH_VALUE | _ALONE:
            self.ignored.append(key)
        elif key == "readonly":
            self.readonly = True
        elif key == "section":
            self.sections.append(value or "")
        elif value is not None and (set(value) & set(";#\n")):
            raise InputError(f"{place}: a comment's sign within a value: expected none of ; # and line ends")
        elif key == "name":
            if not value or "]" in value:
                raise InputError(f"{place}: expected a job's name, without brackets")
            self.lines.append(Line(f"[{value}]", COMMAND, words))
        else:
            self.lines.append(Line(key if value is None else f"{key}={value}", COMMAND, words))

    def of_file(self, path: Path, waits: bool) -> Iterator[Line]:
        """The lines of a job file, or of the sections asked for; a second file `waits` for the first."""
        wanted = True
        for line in _with_includes(path, COMMAND):
            if line.text.lstrip().startswith("["):
                name = line.text.partition("]")[0].strip().strip("[").strip()
                wanted = not self.sections or name in ("global", *self.sections)
                waits_here = waits and wanted and name != "global"
                waits = waits and not waits_here
                if waits_here:
                    yield line
                    yield Line("stonewall", line.place)
                    continue
            if wanted:
                yield line

    def refuse_writes(self) -> None:
        """Fio refuses a job that writes when it is told to read only."""
        for line in self.lines:
            key, _, value = line.text.partition("=")
            if key.strip() in ("rw", "readwrite") and value.split(":")[0].strip() not in ("read", "randread"):
                found = line.words or line.text.strip()
                raise InputError(
                    f"{line.place}: {found}: beside --readonly: expected rw=read or rw=randread, as fio does"
                )


_MOST_INCLUDES_DEEP = 8  # as the core reads them where a job file is the workload
_MOST_LINES = 100_000  # so that includes cannot multiply without end


def _with_includes(path: Path, asked_at: str, deeper: int = _MOST_INCLUDES_DEEP) -> Iterator[Line]:
    """The lines of a job file, those of the files that it includes in their places."""
    try:
        lines = read_text(path, "a fio job file").splitlines()
    except InputError as error:
        raise InputError(f"{asked_at}: {error}") from None
    given = 0
    for number, line in enumerate(lines, 1):
        place = f"{path}:{number}"
        words = re.split("[;#]", line)[0].split(maxsplit=1)
        if words[:1] != ["include"] or len(words) < 2:
            found: Iterator[Line] = iter([Line(line, place)])
        elif deeper == 0:
            expected = f"includes at most {_MOST_INCLUDES_DEEP} deep"
            raise InputError(f"{place}: include {words[1].strip()}: expected {expected}")
        else:
            found = _with_includes(_included(path, words[1].strip()), f"{place}: include", deeper - 1)
        for one in found:
            given += 1
            if given > _MOST_LINES:
                raise InputError(f"{place}: one line more: expected at most {_MOST_LINES} lines")
            yield one


def _included(file: Path, name: str) -> Path:
    """The file that `file` includes: as fio looks for it, the path as it stands, then beside the file."""
    return Path(name) if _is_file(name) else file.parent / name
