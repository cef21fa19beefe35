"""Flags: the words beside a number that does not stand for what it is called, wherever the number goes.

A remark is about a run; the flag that it raises is about numbers of that run. Both go where the numbers go:
into the summary of repeated runs, the rows of a study, its report, and comparisons.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

Remarks = Sequence[Mapping[str, str]]  # of one run, as its result has them


@dataclass(frozen=True)
class Flag:
    """What a kind of remark makes of numbers."""

    says: str  # beside the number
    numbers: tuple[str, ...]  # by their paths; a path stands for all below it, `*` for any one part


_WAF = ("waf", "waf_parts", "waf_long_run")
_LATENCY = ("host.*.latency_ns",)
_SPEED = ("host.*.latency_ns", "host.*.iops", "host.*.bandwidth_bytes_per_s")

FLAGS: Mapping[str, Flag] = {
    "too_short": Flag("too short to say", _WAF),
    "nothing_collected": Flag("nothing collected", _WAF),
    "not_settled": Flag("not settled", _WAF),
    "loop_given_up": Flag("not known to the precision asked", ("waf_long_run",)),
    "another_state": Flag("not its own steady state", _WAF),
    "owed_before": Flag("with debts of before", ("waf", "waf_parts")),
    "cannot_keep_up": Flag("a backlog", _LATENCY),
    "read_only": Flag("of a worn-out drive", (*_WAF, "host.write")),
    "from_the_buffer": Flag("of the buffer", _SPEED),
    "sampled": Flag("of sampled windows", (*_SPEED, *_WAF)),
}
# Remarks that raise no flag: each number is what it is called.
PLAIN = frozenset(("max_latency", "pace_not_kept", "padding"))


@dataclass(frozen=True)
class Raised:
    """A flag of a number over several runs."""

    kind: str  # of the remark that raises it
    says: str
    runs: int  # that have it
    of: int

    def __str__(self) -> str:
        return self.says if self.runs == self.of else f"{self.says} in {self.runs:,} of {self.of:,} runs"


@dataclass(frozen=True)
class Said:
    """A remark over several runs, in the words of the first that has it."""

    kind: str
    text: str
    advice: str
    runs: int  # that have it
    of: int

    def __str__(self) -> str:
        return f"in {self.runs:,} of {self.of:,} runs: {self.text} Advice: {self.advice}."


def flagged(key: str, kinds: Sequence[Iterable[str]]) -> tuple[Raised, ...]:
    """Return the flags of a number over runs; `kinds` has the kinds of each run's remarks."""
    counts: dict[str, int] = {}
    for one in kinds:
        for kind in set(one):
            counts[kind] = counts.get(kind, 0) + 1
    return tuple(
        Raised(kind, flag.says, counts[kind], len(kinds))
        for kind, flag in FLAGS.items()
        if kind in counts and any(_covers(path, key) for path in flag.numbers)
    )


def _covers(path: str, key: str) -> bool:
    parts, own = path.split("."), key.split(".")
    return len(own) >= len(parts) and all(a in ("*", b) for a, b in zip(parts, own, strict=False))


def words(raised: Iterable[Raised]) -> str:
    """Return flags as they stand beside a number; nothing where there is none."""
    return ", ".join(map(str, raised))


def of_sides(a: Sequence[Raised], b: Sequence[Raised]) -> list[str]:
    """Say what flags a number of A and of B, a text for each that has any."""
    return [f"{side}: {words(raised)}" for side, raised in (("A", a), ("B", b)) if raised]


def together(remarks: Sequence[Remarks]) -> tuple[Said, ...]:
    """Return the remarks of several runs, each kind once, in the order in which they first come."""
    first: dict[str, Mapping[str, str]] = {}
    counts: dict[str, int] = {}
    for said in remarks:
        for kind, one in {one["kind"]: one for one in reversed(said)}.items():
            first.setdefault(kind, one)
            counts[kind] = counts.get(kind, 0) + 1
    order = {one["kind"]: None for said in remarks for one in said}
    return tuple(
        Said(kind, first[kind]["text"], first[kind]["advice"], counts[kind], len(remarks)) for kind in order
    )


def kinds_of(remarks: Iterable[Remarks]) -> list[list[str]]:
    """Return the kinds of each run's remarks."""
    return [[one["kind"] for one in said] for said in remarks]


def as_document(raised: Iterable[Any]) -> list[dict[str, Any]]:
    """Return flags or remarks as a result file has them."""
    return [dict(vars(one)) for one in raised]
