"""What a policy in Python costs beside the same rule in Rust: medians of runs in turn, in one process.

`python benches/own_policies.py [ROUNDS]`, on a quiet machine: steady random writes on the benchmark's drive
with 32 GiB; with reads among them where caches and write costs are decided, whose policies are compiled. Both
choose the same, but for ties between victims, so that what differs is the choosing.
"""

import sys
from collections.abc import Mapping
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

import floatgate as fg
from floatgate.inputs.policies import Policy
from floatgate.own.policy import Own

DRIVE = {"nand.blocks_per_plane": 1096, "ftl.user_capacity": "29GiB"}
JOB = "[writes]\nrw=randwrite\nbs=4k\niodepth=32\nnumber_ios=1000000000\n"
MIXED = JOB.replace("rw=randwrite", "rw=randrw\nrandom_distribution=zipf:1.1")
REQUESTS = 300_000


class Greedy(fg.gc.victim.Policy):
    """The superblock with the fewest valid units."""

    def pick(self, view: fg.gc.victim.View) -> int:
        """Look at all candidates."""
        return int(view.candidates[view.valid_units[view.candidates].argmin()])


class DChoices(fg.gc.victim.Policy):
    """The best of a few that are drawn."""

    d: int = 10

    def pick(self, view: fg.gc.victim.View) -> int:
        """Draw `d` of them."""
        candidates, valid, below = view.candidates, view.valid_units, view.random.below
        draws = [candidates[below(len(candidates))] for _ in range(self.d)]
        return int(min(draws, key=valid.__getitem__))


class Random(fg.gc.victim.Policy):
    """Any of them: what asking costs."""

    def pick(self, view: fg.gc.victim.View) -> int:
        """Draw one."""
        return int(view.candidates[view.random.below(len(view.candidates))])


@fg.compiled
class Lru(fg.buffer.eviction.Policy):
    """The unit that was used longest ago."""

    def attach(self, slots: int, block_units: int) -> None:
        """Make the list of slots."""
        del block_units
        self.before = np.full(slots, -1)
        self.after = np.full(slots, -1)
        self.first = self.last = -1

    def push(self, slot: int) -> None:
        """Add a slot as the newest."""
        self.before[slot], self.after[slot] = self.last, -1
        if self.last < 0:
            self.first = slot
        else:
            self.after[self.last] = slot
        self.last = slot

    def on_leave(self, slot: int, _lpn: int) -> None:
        """Take a slot out."""
        before, after = self.before[slot], self.after[slot]
        if before < 0:
            self.first = after
        else:
            self.after[before] = after
        if after < 0:
            self.last = before
        else:
            self.before[after] = before

    def on_keep(self, slot: int, _lpn: int, _is_dirty: bool) -> None:
        """Add it."""
        self.push(slot)

    def on_use(self, slot: int, lpn: int, _is_write: bool) -> None:
        """Make it the newest."""
        self.on_leave(slot, lpn)
        self.push(slot)

    def choose(self, _view: fg.buffer.eviction.View) -> int:
        """Take the oldest."""
        return self.first


@fg.compiled
class Agcr(fg.regulator.Policy):
    """AGCR with its usual parameters: the accesses of a unit decide."""

    def bits_per_unit(self) -> int:
        """Keep the last access, and whether reads are dear."""
        return 2

    def costs(self, steps: fg.regulator.Steps) -> list[fg.regulator.WriteCost]:
        """Offer three."""
        return [steps.high(), steps.medium(), steps.low()]

    def choose(self, view: fg.regulator.View, bits: int) -> tuple[int, int]:
        """Write units cheaply that are only written."""
        history = bits & 1
        if view.origin == self.HOST:
            chosen = 0 if view.first else 2 if history else 1
            history = 1
        elif view.origin == self.REWRITE or view.first or history == 0:
            chosen = 0
        else:
            chosen = view.previous if view.previous >= 0 else 1
        return chosen, history | (2 if chosen == 2 else 0)

    def on_read(self, view: fg.regulator.ReadView, bits: int) -> tuple[bool, int]:
        """Ask for what is only read to be written anew."""
        return (view.first or bits & 1 == 0) and bits & 2 != 0, bits & 2


class Case(NamedTuple):
    """Two policies on one drive and workload."""

    name: str
    built_in: Policy | Own
    own: Policy | Own
    job: str = JOB
    settings: Mapping[str, Any] = MappingProxyType({})


CACHE = {"ftl.buffer.read_cache": True}
CASES = (
    Case("nothing of it", fg.gc.victim.Greedy(), fg.gc.victim.Greedy()),
    Case("random", fg.gc.victim.Random(), Random()),
    Case("d-choices", fg.gc.victim.DChoices(d=4), DChoices(d=4)),
    Case("greedy", fg.gc.victim.Greedy(), Greedy()),
    Case("compiled lru", fg.buffer.eviction.Lru(), Lru(), MIXED, CACHE),
    Case("compiled agcr", fg.regulator.Agcr(), Agcr(), MIXED, {"ecc.code.name": "ldpc"}),
)


def main() -> None:
    """Print a line for each rule."""
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 7
    with TemporaryDirectory() as folder:
        job = Path(folder) / "job.fio"
        for case in CASES:
            job.write_text(case.job, encoding="utf-8")
            walls: tuple[list[float], list[float]] = ([], [])
            for _ in range(rounds):
                for policy, of in zip((case.built_in, case.own), walls, strict=True):
                    of.append(_wall(policy, job, case.settings))
            built_in, own = map(median, walls)
            print(  # noqa: T201 - a script
                f"{case.name:<13} {own / built_in:.3f} of the time in Rust "
                f"({1e9 * (own - built_in) / REQUESTS:+.0f} ns for each request)"
            )


def _wall(policy: Policy | Own, job: Path, settings: Mapping[str, Any]) -> float:
    """Seconds that the engine took."""
    done = fg.run(
        "bench-256g",
        job,
        set=DRIVE | dict(settings),
        policies=[policy],
        precondition="instant",
        limit_requests=REQUESTS,
    )
    return float(done.document.engine.wall_s)


if __name__ == "__main__":
    main()
