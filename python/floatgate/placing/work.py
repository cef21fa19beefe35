"""Placement rules side by side: the same drive, workload and seeds with each, and what they came to."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean, median, pstdev
from typing import Any, Unpack

from floatgate import _core
from floatgate.errors import InputError
from floatgate.files import copies
from floatgate.inputs import cards
from floatgate.inputs.plan import Plan
from floatgate.results import flags, notebook
from floatgate.results.confidence import Interval, confidence_interval
from floatgate.results.flags import Said
from floatgate.results.headline import at
from floatgate.results.paired import Paired, paired
from floatgate.results.remarks import remarks
from floatgate.runs.execute import in_worker
from floatgate.values import quantities as q
from floatgate.workers import How, spread
from floatgate.workers.inputs import of_plan

NONE, REFERENCE = "none", "hindsight"
RULES = (NONE, "job", "volume", "process", "size", "address", "rate", REFERENCE)
HANDLES = 8  # of a drive that declares none
YEAR_S = 365.25 * 86_400
STREAMS = "ftl.streams"
ZONES = "zones"
#: A drive of zones of the same flash, on which the host keeps blocks.
ON_ZONES = (
    *("ftl.mapping.name=zoned-all", "ftl.slc_cache.name=none"),
    *("ftl.op_ratio=0.001", "ftl.buffer.power_loss_protection=true", "host.translation.name=log"),
)
RATED, CYCLES = "nand.pe_cycles_rated", "nand.tables.endurance.cycles"


@dataclass(frozen=True)
class Number:
    """One number of a run: how it is called and shown."""

    title: str
    show: Callable[[float | None], str]
    path: str = ""  # in run.json; nothing where it is worked out here


def _years(value: float | None) -> str:
    return q.NOTHING if value is None else q.three(value)


NUMBERS: Mapping[str, Number] = {
    "waf": Number("write amplification", q.ratio, "waf"),
    "requests_per_s": Number("requests/s", q.count),
    "read_p99_ns": Number("read p99", q.duration, "host.read.latency_ns.p99"),
    "read_p999_ns": Number("read p99.9", q.duration, "host.read.latency_ns.p999"),
    "write_p99_ns": Number("write p99", q.duration, "host.write.latency_ns.p99"),
    "write_p999_ns": Number("write p99.9", q.duration, "host.write.latency_ns.p999"),
    "write_bytes_per_s": Number("host writes", q.bandwidth, "host.write.bandwidth_bytes_per_s"),
    "tbw_bytes": Number("TBW", q.size),  # what the host may write in a life
    "years": Number("years of life", _years),
    "erases_per_block": Number("erases of a block", q.ratio),
    "wear_spread": Number("spread of wear", q.percent),  # of P/E cycles at the end, over their mean
}


@dataclass(frozen=True)
class Asked:
    """What is compared."""

    plan: Plan
    rules: tuple[tuple[str, tuple[str, ...]], ...]  # names, and how each is set; none: all that apply
    handles: int | None
    seeds: int
    cycles: float | None
    zones: bool = False


@dataclass(frozen=True)
class Ruled:
    """What the seeds gave with one rule."""

    name: str
    values: tuple[Mapping[str, float | None], ...]  # by seed
    flags: str  # of its write amplification, in words

    @property
    def is_reference(self) -> bool:
        """No host can follow it: it knows what becomes of the data."""
        return self.name.removeprefix(f"{ZONES}:") == REFERENCE

    def all_of(self, number: str) -> list[float]:
        """Return a number of every seed; nothing where one lacks it."""
        found = [value for one in self.values if (value := one[number]) is not None]
        return found if len(found) == len(self.values) else []

    def interval(self, number: str) -> Interval | None:
        """Return the mean over seeds with its 95 % interval."""
        found = self.all_of(number)
        return confidence_interval(found) if found else None

    def against(self, other: "Ruled", number: str) -> Paired | None:
        """Return the differences to another rule, pair by pair of seeds; None for a single seed."""
        a, b = other.all_of(number), self.all_of(number)
        return paired(range(len(a)), a, b) if len(a) == len(b) > 1 else None


@dataclass(frozen=True)
class Placed:
    """Placement rules beside each other, `none` first."""

    drive: str
    workload: str
    precondition: str
    handles: int
    seeds: tuple[int, ...]
    rules: tuple[Ruled, ...]
    cycles: tuple[float, str] | None  # of a block's life, and from where
    notes: tuple[str, ...]
    remarks: tuple[Said, ...]
    interrupted: bool = False

    def __getitem__(self, rule: str) -> Ruled:
        """Return what a rule gave. Raises KeyError."""
        for one in self.rules:
            if one.name == rule:
                return one
        raise KeyError(rule)

    @property
    def best(self) -> Ruled | None:
        """The rule of a host with the least write amplification; None where nothing was written."""
        found = [one for one in self.rules if not one.is_reference and one.interval("waf")]
        return min(found, key=lambda one: fmean(one.all_of("waf")), default=None)

    def document(self) -> dict[str, Any]:
        """Return everything, as place.json has it."""
        none = self[NONE]

        def numbers(one: Ruled) -> dict[str, Any]:
            return {
                name: {
                    "mean": (interval := one.interval(name)) and interval.mean,
                    "half_width": interval and interval.half_width,
                    "difference_to_none": (found := one.against(none, name)) and found.difference,
                    "difference_low": found and found.low,
                    "difference_high": found and found.high,
                    "values": [value[name] for value in one.values],
                }
                for name in NUMBERS
            }

        return {
            "version": _core.version(),
            "drive": self.drive,
            "workload": self.workload,
            "precondition": self.precondition,
            "handles": self.handles,
            "seeds": list(self.seeds),
            "confidence_level": 0.95,
            "best": self.best and self.best.name,
            "cycles": self.cycles and {"of_a_block": self.cycles[0], "from": self.cycles[1]},
            "rules": [
                {
                    "rule": one.name,
                    "is_reference": one.is_reference,
                    "flags": one.flags,
                    "numbers": numbers(one),
                }
                for one in self.rules
            ],
            "notes": list(self.notes),
            "remarks": flags.as_document(self.remarks),
            "interrupted": self.interrupted,
        }

    def _repr_html_(self) -> str:
        from floatgate.placing.show import head, rows, sentences

        return notebook.table(f"placement on {self.drive}", head(self), rows(self), sentences(self))


Outcome = tuple[dict[str, float | None], list[dict[str, str]]]


def measure(
    asked: Asked,
    *,
    progress: Callable[[float], None] = lambda _part: None,
    **spreading: Unpack[How],
) -> Placed:
    """Run every rule with every seed. Raises InputError or Fault, as the runs do."""
    values = cards.values(cards.of_drive(asked.plan.drive, asked.plan.overrides))
    handles, declared = _handles(asked, values)
    chosen = asked.rules or tuple((name, (f"host.place.name={name}",)) for name in _usual(asked.plan))
    rules = [(NONE, ()), *(rule for rule in chosen if rule[0] != NONE)]
    seeds = tuple(range(asked.plan.options.seed, asked.plan.options.seed + asked.seeds))
    on = () if declared else (f"{STREAMS}.name=fdp", f"{STREAMS}.handles={handles}")
    given = asked.plan.overrides
    rules = [(name, given if name == NONE else (*on, *how, *given)) for name, how in rules]
    if asked.zones:
        rules += _on_zones(asked.plan, chosen, handles)
    tasks = [
        replace(
            asked.plan,
            overrides=how,
            options=replace(asked.plan.options, seed=seed),
        )
        for name, how in rules
        for seed in seeds
    ]
    found = spread(
        _one,
        tasks,
        inputs=[path for name, _ in rules for path in of_plan(tasks[len(seeds) * rules.index((name, _))])],
        memory_bytes=asked.plan.options.memory_bytes(),
        watch=lambda _done, part: progress(part),
        **spreading,
    )
    outcomes = {name: found[n * len(seeds) : (n + 1) * len(seeds)] for n, (name, _) in enumerate(rules)}
    return _together(asked, outcomes, handles, seeds, _cycles(asked.cycles, values))


def _together(
    asked: Asked,
    outcomes: Mapping[str, Sequence[Outcome | str | None]],
    handles: int,
    seeds: tuple[int, ...],
    cycles: tuple[float, str] | None,
) -> Placed:
    """Put together what each rule came to. Raises InputError where one that was named is refused."""
    refused = {name: text for name, of in outcomes.items() for text in of[:1] if isinstance(text, str)}
    for name, text in refused.items():
        if asked.rules or name in (NONE, ZONES):
            raise InputError(text)
    done = {name: [one for one in of if isinstance(one, tuple)] for name, of in outcomes.items()}
    if len(done[NONE]) < len(seeds):
        raise KeyboardInterrupt  # there is nothing to compare with
    rules = []
    for name, of in done.items():
        if len(of) == len(seeds):
            raised = flags.flagged("waf", flags.kinds_of(said for _, said in of))
            pairs = zip(of, done[NONE], strict=True)
            values = tuple(_with_life(one, load, cycles and cycles[0]) for (one, _), (load, _) in pairs)
            rules.append(Ruled(name, values, flags.words(raised)))
    return Placed(
        asked.plan.drive,
        asked.plan.workload.source,
        asked.plan.options.precondition,
        handles,
        seeds,
        tuple(rules),
        cycles,
        tuple(f"{name} is left out: {text}" for name, text in refused.items()),
        flags.together([said for of in done.values() for _, said in of]),
        interrupted=any(one is None for of in outcomes.values() for one in of),
    )


def _on_zones(
    plan: Plan, rules: Sequence[tuple[str, tuple[str, ...]]], handles: int
) -> list[tuple[str, tuple[str, ...]]]:
    """Return the rules on zones of the same flash: the host's log keeps as many bytes as the drive."""
    of_blocks = ("ftl.user_capacity", "ftl.op_ratio", STREAMS)
    given = tuple(one for one in plan.overrides if not one.strip().startswith(of_blocks))
    bytes_kept = cards.of_drive(plan.drive, plan.overrides)["capacity_bytes"]
    log = (*given, *ON_ZONES, f"host.translation.user_capacity={bytes_kept}B")
    streams = (*log, f"host.translation.streams={handles}", f"ftl.mapping.max_open={2 * (handles + 1)}")
    return [(ZONES, log), *((f"{ZONES}:{name}", (*streams, *how)) for name, how in rules if name != NONE)]


def _handles(asked: Asked, values: Mapping[str, Any]) -> tuple[int, bool]:
    """Return how many handles there are, and whether the drive has them without being asked to."""
    declared = values.get(f"{STREAMS}.name") == "fdp"
    if asked.handles is None and declared:
        return int(values[f"{STREAMS}.handles"]), True
    return asked.handles or HANDLES, False


def _usual(plan: Plan) -> tuple[str, ...]:
    """Return the rules that can be another thing than `none` for this kind of workload."""
    kind = plan.workload.kind
    jobs = (
        len(json.loads(_core.fio_jobs(plan.workload.to_json())) or ()) if kind in ("fio", "generator") else 0
    )
    left_out = {"volume", "process"} if kind != "trace" else {"job"}
    left_out |= {"job"} if kind == "volume" or jobs == 1 else set()
    return tuple(rule for rule in RULES if rule not in left_out)


def _cycles(asked: float | None, values: Mapping[str, Any]) -> tuple[float, str] | None:
    if asked is not None:
        return asked, "--cycles"
    if rated := values.get(RATED):
        return float(rated), f"{RATED}, the chip's rating"
    known = values.get(CYCLES)
    if known is None:
        return None
    return float(median(known if isinstance(known, list) else [known])), f"the median of {CYCLES}"


def _one(plan: Plan) -> Outcome | str | None:
    """Run one; a text where it is refused, None where it was stopped."""
    try:
        outcome = in_worker(plan)
    except InputError as error:
        return copies.as_named(str(error))
    document = outcome.document
    if outcome.interrupted:
        return None
    found = {name: at(document, number.path) if number.path else None for name, number in NUMBERS.items()}
    span_s = (document["simulated_ns"] - document["started_ns"]) / 1e9
    found["requests_per_s"] = document["host"]["completed"]["total"] / span_s if span_s else None
    shape = document["wear_map"]
    wear = [cycles for die in shape["values"] for cycles in die]
    found["wear_spread"] = pstdev(wear) / fmean(wear) if any(wear) else None
    blocks = shape["dies"] * shape["columns"] * shape["blocks_per_column"]
    found["erases_per_block"] = document["wear"]["blocks_erased"] / blocks
    flash = blocks * document["config"]["nand.pages_per_block"] * document["flash"]["page_bytes"]
    found["tbw_bytes"] = flash / found["waf"] if found["waf"] else None  # for each cycle of a block
    return found, remarks(document)


def _with_life(
    values: Mapping[str, float | None], load: Mapping[str, float | None], cycles: float | None
) -> dict[str, float | None]:
    """Return the numbers with those of a life of so many cycles, at the writes per second of another run."""
    tbw, rate = values["tbw_bytes"], load["write_bytes_per_s"]
    life = tbw * cycles if tbw and cycles else None
    return {**values, "tbw_bytes": life, "years": life / rate / YEAR_S if life and rate else None}


def names(rules: Sequence[str]) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Return rules as they are set. Raises InputError for one that is there twice, or empty."""
    for place, rule in enumerate(rules):
        if not rule or rule in rules[:place]:
            expected = "names of rules with commas between, each once"
            raise InputError(f"--rules {','.join(rules)}: {rule or 'an empty name'}: expected {expected}")
    return tuple((rule, (f"host.place.name={rule}",)) for rule in rules)
