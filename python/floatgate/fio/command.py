"""Turns a fio command line, `fio --name=x --rw=randread ...`, into the job file that asks for the same.

Each word becomes a line of its own, `fio` the first: the line that an error names is the word's number. Job
files among the words follow after them.
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


@dataclass(frozen=True)
class Translated:
    """A job file, and what is to be said about it."""

    text: str
    notes: tuple[str, ...]


def is_command(argument: str) -> bool:
    """Whether `argument` is a command line of fio's."""
    return _COMMAND.match(argument) is not None and not Path(argument).is_file()


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
    lines: list[str] = field(default_factory=lambda: ["[global]"])
    files: list[tuple[int, Path]] = field(default_factory=list)
    ignored: list[str] = field(default_factory=list)
    sections: list[str] = field(default_factory=list)
    readonly: bool = False

    def read(self) -> Translated:
        number = 1
        while number < len(self.words):
            taken = self.take(number)
            self.lines += [""] * (number + taken - len(self.lines))
            number += taken
        text = "\n".join([*self.lines, *self.of_files()]) + "\n"
        if self.readonly:
            self.refuse_writes(text)
        notes = [f"no effect on a raw drive: {', '.join(self.ignored)}"] if self.ignored else []
        return Translated(text, tuple(notes))

    def take(self, number: int) -> int:
        """Take the word `number`; return how many words that were."""
        word = self.words[number]
        if not word.startswith("-") or word == "-":
            self.files.append((number, Path(word)))
            return 1
        key, equals, value = word.lstrip("-").partition("=")
        taken = 1
        if not equals and key not in _SWITCHES | _ALONE | _NO_RUN.keys() | {"readonly"}:
            following = self.words[number + 1 : number + 2]
            if following and not following[0].startswith("-"):
                value, equals, taken = following[0], "=", 2
        self.option(number, key, value if equals else None)
        return taken

    def option(self, number: int, key: str, value: str | None) -> None:
        place = f"fio: word {number + 1} ({self.words[number]})"
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
            self.lines.append(f"[{value}]")
        else:
            self.lines.append(key if value is None else f"{key}={value}")

    def of_files(self) -> Iterator[str]:
        """The lines of the job files, or of the sections asked for."""
        for number, path in self.files:
            yield from self.of_file(number, path)

    def of_file(self, number: int, path: Path) -> Iterator[str]:
        place = f"fio: word {number + 1} ({path})"
        try:
            lines = read_text(path, "a fio job file").splitlines()
        except InputError as error:
            raise InputError(f"fio: word {number + 1}: {error}") from None
        wanted = True
        for line in lines:
            if line.split()[:1] == ["include"]:
                expected = "the job file itself as the workload, or one without includes"
                raise InputError(f"{place}: {line.strip()}: expected {expected}")
            if line.lstrip().startswith("["):
                name = line.strip().strip("[]").strip()
                wanted = not self.sections or name in ("global", *self.sections)
            yield line if wanted else ""

    def refuse_writes(self, text: str) -> None:
        """Fio refuses a job that writes when it is told to read only."""
        for line in text.splitlines():
            key, _, value = line.partition("=")
            if key.strip() in ("rw", "readwrite") and value.split(":")[0].strip() not in ("read", "randread"):
                raise InputError(
                    f"fio: --readonly: {line.strip()}: expected rw=read or rw=randread, as fio does"
                )
