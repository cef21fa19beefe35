"""What every command has besides its options: examples at the end of its help, and what completes values."""

import json
from collections.abc import Callable, Iterator
from typing import Any

import typer

from floatgate.options import Field

# Two of each command, which a test parses.
EXAMPLES: dict[str, tuple[str, str]] = {
    "run": (
        "floatgate run tlc examples/random-write.fio --precondition instant",
        "floatgate run nvme-qlc trace.csv.gz --loop until=waf:5% --requests",
    ),
    "serve": (
        "floatgate serve tlc --image tlc.img",
        "floatgate serve nvme-qlc --image qlc.img --port 10809 --pace max",
    ),
    "torture": (
        "floatgate torture nvme-tlc mlc",
        "floatgate torture tlc --cuts 1000 --set ftl.recovery.name=summaries",
    ),
    "age": (
        "floatgate age tlc --set chip=derived/tlc-3d-256g",
        "floatgate age tlc --set chip=derived/tlc-3d-256g --compare ftl.wear.name=none,dynamic,static",
    ),
    "drives": ("floatgate drives", "floatgate drives tlc --set ftl.op_ratio=0.28"),
    "chips": ("floatgate chips", "floatgate chips tlc-3d-256g"),
    "policies show": ("floatgate policies show", "floatgate policies show d-choices"),
    "policies check": ("floatgate policies check mine.py", "floatgate policies check mine.py --json"),
    "policies new": (
        "floatgate policies new gc.victim mine.py",
        "floatgate policies new slc_cache cache.py --force",
    ),
    "keys": ("floatgate keys gc.victim", "floatgate keys slc_cache --drive nvme-qlc"),
    "schema": ("floatgate schema", "floatgate schema --out run.schema.json"),
    "examples": ("floatgate examples", "floatgate examples --copy mine"),
    "characterize": (
        "floatgate characterize mt29f8g08maawc",
        "floatgate characterize poster-mlc --experiment endurance --blocks 8",
    ),
    "derive": (
        "floatgate derive poster-mlc",
        "floatgate derive poster-mlc --report poster-mlc.html --seed 2",
    ),
    "fit": (
        "floatgate fit rig.csv --chip poster-mlc",
        "floatgate fit rig-1.csv rig-2.csv --chip poster-mlc --sampled changes --out out/fit",
    ),
    "report": ("floatgate report out/run", "floatgate report out/run --out run.html"),
    "reproduce": ("floatgate reproduce", "floatgate reproduce desnoyers2012-wa --full --workers 4"),
    "grid": (
        "floatgate grid gray2007-flash-disk",
        "floatgate grid tlc --block 4KiB,64KiB --depth 1,8 --pattern random --op read",
    ),
    "plan": (
        "floatgate plan examples/plan/tpc-c-2007.toml examples/plan/gray2007-prices.toml",
        "floatgate plan workload.toml prices.toml --format json",
    ),
    "study": ("floatgate study study.toml", "floatgate study study.toml --workers 4 --out out/study"),
    "compare": (
        "floatgate compare out/greedy out/fifo",
        "floatgate compare out/tlc out/qlc --key drive --metric waf,host.write.latency_ns.p99",
    ),
    "snapshots": ("floatgate snapshots tlc", "floatgate snapshots tlc --every 100ms --keep 1,4 --time 2s"),
    "bus explore": (
        "floatgate bus explore",
        "floatgate bus explore --chip tlc-3d-256g --interface nv-ddr3:12 --interface nv-ddr2:7",
    ),
    "bus waveform": (
        "floatgate bus waveform --interface PROPOSED --operation read",
        "floatgate bus waveform --interface nv-ddr3:12 --operation program --bytes 16",
    ),
    "ecc measure": (
        "floatgate ecc measure nand-4k-889 --rate 0.0085,0.008",
        "floatgate ecc measure nand-4k-928 --channel tlc-3d-256g --pe-cycles 9000 --soft-bits 2",
    ),
    "ecc codes": ("floatgate ecc codes", "floatgate ecc codes --json"),
    "trace info": (
        "floatgate trace info trace.csv.gz",
        "floatgate trace info volume:prn_0 --page-size 8KiB --format json",
    ),
    "trace convert": (
        "floatgate trace convert trace.csv.gz trace.iolog --to fio-iolog",
        "floatgate trace convert volume:prn_0 prn_0.csv.zst --to msr --seed 7",
    ),
    "trace formats": ("floatgate trace formats", "floatgate trace formats | grep fio"),
    "trace volumes": ("floatgate trace volumes", "floatgate trace volumes prn_0 --json"),
    "state info": ("floatgate state info steady.state", "floatgate state info out/tlc.state"),
}

Completer = Callable[[str], list[str]]


def _names(list_all: str) -> Completer:
    """Complete the names that a function of the core lists."""

    def complete(incomplete: str) -> list[str]:
        from floatgate import _core
        from floatgate.files import shipped

        listed = getattr(_core, list_all)(shipped.folders())
        return [one["name"] for one in json.loads(listed) if one["name"].startswith(incomplete)]

    return complete


def _policies(incomplete: str) -> list[str]:
    from floatgate.inputs.policies import catalogue

    names = {card[part] for card in catalogue() for part in ("name", "seam")}
    return sorted(name for name in names if name.startswith(incomplete))


def _keys(incomplete: str) -> list[str]:
    from floatgate.inputs.configuration import keys

    return sorted({key.key for key in keys() if key.key.startswith(incomplete)})


def _assignments(incomplete: str) -> list[str]:
    """Complete `KEY=`, and behind it the names that the key takes."""
    from floatgate.inputs.configuration import keys

    name, sign, value = incomplete.partition("=")
    if not sign:
        return [f"{key}=" for key in _keys(name)]
    values = {"true", "false"} if any(key.type == "switch" for key in keys() if key.key == name) else set()
    values |= {one for key in keys() if key.key == name for one in key.names}
    return sorted(f"{name}={one}" for one in values if one.startswith(value))


def _papers(incomplete: str) -> list[str]:
    from floatgate.files import shipped

    found = {folder.parent.name for root in shipped.folders() for folder in _papers_in(root)}
    return sorted(name for name in found if name.startswith(incomplete))


def _papers_in(root: str) -> Iterator[Any]:
    from pathlib import Path

    return Path(root).glob("papers/*/paper.toml")


def _workloads(incomplete: str) -> list[str]:
    """Complete the names of generators; with none of those a shell goes on with files."""
    from floatgate import _core

    return [one["name"] for one in json.loads(_core.generators()) if one["name"].startswith(incomplete)]


def _one_of(names: tuple[str, ...]) -> Completer:
    def complete(incomplete: str) -> list[str]:
        return [name for name in names if name.startswith(incomplete)]

    return complete


SOURCES: dict[str, Completer] = {
    "assignments": _assignments,
    "chips": _names("chips"),
    "drives": _names("drives"),
    "keys": _keys,
    "papers": _papers,
    "workloads": _workloads,
}


def completer(field: Field) -> Any:
    """Return what completes the values of an option in a shell; None where a shell's own way is best."""
    if field.names:
        return _one_of(field.names)
    if field.option.completes == "listed":
        return _listed
    return SOURCES[field.option.completes] if field.option.completes else None


LISTED: dict[str | None, Completer] = {
    "chips": _names("chips"),
    "drives": _names("drives"),
    "show": _policies,
}


def _listed(context: typer.Context, incomplete: str) -> list[str]:
    """Complete what the command lists."""
    complete = LISTED.get(context.info_name)
    return complete(incomplete) if complete else []


def equip(app: typer.Typer, above: str = "") -> None:
    """Give every command below `app` its examples."""
    for command in app.registered_commands:
        assert command.callback is not None
        name = f"{above}{command.name or command.callback.__name__}"
        if name in EXAMPLES:
            command.epilog = "Examples:\n\n" + "\n\n".join(EXAMPLES[name])
    for group in app.registered_groups:
        assert group.typer_instance is not None
        equip(group.typer_instance, f"{above}{group.name} ")
