"""What a victim policy in Python costs beside the same rule in Rust: medians of runs in turn, in one process.

`python benches/own_policies.py [ROUNDS]`, on a quiet machine: steady random writes on the benchmark's drive
with 32 GiB. Both choose the same victims, but for ties, so that what differs is the choosing.
"""

import sys
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

import floatgate as fg
from floatgate.own.policy import Own
from floatgate.policies import Policy

DRIVE = {"nand.blocks_per_plane": 1096, "ftl.user_capacity": "29GiB"}
JOB = "[writes]\nrw=randwrite\nbs=4k\niodepth=32\nnumber_ios=1000000000\n"
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


PAIRS: tuple[tuple[Policy | Own, Policy | Own], ...] = (
    (fg.gc.victim.Random(), Random()),
    (fg.gc.victim.DChoices(d=4), DChoices(d=4)),
    (fg.gc.victim.Greedy(), Greedy()),
)


def main() -> None:
    """Print a line for each rule."""
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 7
    with TemporaryDirectory() as folder:
        job = Path(folder) / "writes.fio"
        job.write_text(JOB, encoding="utf-8")
        for pair in PAIRS:
            walls: tuple[list[float], list[float]] = ([], [])
            for _ in range(rounds):
                for policy, of in zip(pair, walls, strict=True):
                    run = fg.run(
                        "bench-256g",
                        job,
                        set=DRIVE,
                        policies=[policy],
                        precondition="instant",
                        limit_requests=REQUESTS,
                    )
                    of.append(run.document.engine.wall_s)
            built_in, own = map(median, walls)
            victims = run.ftl.gc.victims
            print(  # noqa: T201 - a script
                f"{type(pair[1]).__name__:<9} {own / built_in:.3f} of the time in Rust "
                f"({1e6 * (own - built_in) / victims:.1f} us for each of {victims} victims)"
            )


if __name__ == "__main__":
    main()
