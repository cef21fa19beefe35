"""Draw what was counted, and print it as the tables of docs/explanation/decoding.md.

python benches/gpu/curves.py benches/gpu/runs/2026-11-28-*     # writes docs/images/decoding.svg
"""

import csv
import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scipy import stats

from floatgate.report import draw
from floatgate.report.plot import Axis, Errors, Line, Mark, Points, chart

IMAGE = Path(__file__).parents[2] / "docs" / "images" / "decoding.svg"
#: Colour and shape of each code, dash of each channel.
CODES = {"nand-4k-889": ("#0072b2", "0.889"), "nand-4k-928": ("#d55e00", "0.928")}
CHANNELS = {"hard": ("dash", "hard"), "coarse-gauss": ("solid", "fine")}


@dataclass(frozen=True)
class Count:
    """Words decoded at one point, and failures among them."""

    code: str
    channel: str
    point: float
    words: int
    failures: int
    undetected: int
    iterations: float
    where: str

    def interval(self) -> tuple[float, float]:
        """Return the exact interval of 95 %."""
        low = stats.beta.ppf(0.025, self.failures, self.words - self.failures + 1) if self.failures else 0.0
        return float(low), float(stats.beta.ppf(0.975, self.failures + 1, self.words - self.failures))


def longest(paths: Sequence[Path]) -> Iterator[tuple[dict[str, Any], str]]:
    """Yield a GPU's counts with its name: of several of one seed the longest."""
    found: dict[tuple[Any, ...], tuple[dict[str, Any], str]] = {}
    for path in paths:
        read = json.loads(path.read_text())
        for one in read["counts"]:
            key = tuple(one[name] for name in ("code", "channel", "point", "seed"))
            if key not in found or one["words"] > found[key][0]["words"]:
                found[key] = one, read["limits"]["device"].removeprefix("NVIDIA ")
    yield from found.values()


def counts(paths: Sequence[Path]) -> Iterator[Count]:
    """Read the counts of our codes: from GPUs, and from `examples/curves.rs` on a processor."""
    for one, where in longest([path for path in paths if path.suffix == ".json"]):
        if one["code"] in CODES and "equal_to_cpu" not in one:
            numbers = (one["words"], one["failures"], one["undetected"], one["iterations"] / one["words"])
            yield Count(one["code"], one["channel"], one["point"], *numbers, where)
    for path in paths:
        if path.name.endswith("-curves.csv"):
            with path.open() as lines:
                for row in csv.DictReader(lines, delimiter=";"):
                    numbers = (int(row["words"]), int(row["failures"]), int(row["undetected"]))
                    each = float(row["iterations"])
                    yield Count(row["code"], row["channel"], float(row["point"]), *numbers, each, "processor")


def marks(all_counts: Sequence[Count]) -> Iterator[Mark]:
    """Yield a line with its intervals for each code and channel; where none failed, its upper end."""
    for code, (colour, rate) in CODES.items():
        for channel, (dash, word) in CHANNELS.items():
            own = [one for one in all_counts if (one.code, one.channel) == (code, channel)]
            failed = sorted((one for one in own if one.failures), key=lambda one: one.point)
            x, y = [one.point for one in failed], [one.failures / one.words for one in failed]
            yield Line(colour, x, y, dash=dash, name=f"rate {rate}, {word}")
            intervals = [one.interval() for one in failed]
            yield Errors(colour, x, [low for low, _ in intervals], [high for _, high in intervals])
            none = [one for one in own if not one.failures]
            ends = [one.interval()[1] for one in none]
            yield Points(colour, [one.point for one in none], ends, shape="down", hollow=True)


def main(paths: Sequence[Path]) -> None:
    """Write the picture, print the table."""
    found = sorted(counts(paths), key=lambda one: (one.code, one.channel, -one.point))
    x = Axis("raw bit error rate of a hard read", log=True, low=0.0028, high=0.024)
    x = Axis(
        x.title, log=True, low=x.low, high=x.high, ticks={p: f"{p:g}" for p in (0.003, 0.005, 0.01, 0.02)}
    )
    decades = {10.0**power: f"1e{power}" if power else "1" for power in range(-8, 1)}
    y = Axis("share of words that fail", log=True, low=1e-8, high=1.0, ticks=decades)
    IMAGE.write_text(draw.svg(chart(420, x, y, list(marks(found)))))
    print("| code | read | raw rate | words | failures | rate | 95 % | iterations |")  # noqa: T201
    print("|---|---|---|---|---|---|---|---|")  # noqa: T201
    for one in found:
        low, high = one.interval()
        rate = f"{one.failures / one.words:.2e}" if one.failures else "-"
        columns = (
            one.code,
            CHANNELS[one.channel][1],
            f"{one.point:g}",
            f"{one.words:,}",
            f"{one.failures:,}",
            rate,
        )
        print("|", " | ".join((*columns, f"{low:.1e} to {high:.1e}", f"{one.iterations:.2f}")), "|")  # noqa: T201


if __name__ == "__main__":
    main([Path(path) for path in sys.argv[1:]])
