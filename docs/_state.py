"""Writes the page that says what is modelled, what is not, and what the validation rests on."""

import csv
import json
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from floatgate import _core
from floatgate.files import shipped
from floatgate.reproduce.paper import discover, load
from floatgate.reproduce.write import OURS

ROOT = Path(__file__).parents[1]
BASES = ("predicted", "fitted", "assumed", "by-construction")
HELD = ("pass", "qualitative-pass")
DRIVES = ("slc", "mlc", "tlc", "qlc", "sata-tlc", "nvme-tlc", "nvme-qlc")
LEFT_OUT = re.compile(r"\*{0,2}Not modelled(?: yet)?:?\*{0,2}:?\s*(.*?)(?:\n\n|\Z)", re.DOTALL)
SECTION = re.compile(r"^## Not (?:modelled|covered|in a twin)\n+(.*?)(?=\n## |\Z)", re.DOTALL | re.MULTILINE)


def page() -> str:
    """Return the text of the page."""
    return "\n".join([*_head(), *_validation(), *_misses(), *_values(), *_left_out(), *_policies()]) + "\n"


def _head() -> list[str]:
    return [
        "# The state of things",
        "",
        "What is modelled, what is not, and what each part of the validation rests on. Written by `python -m"
        " floatgate.generate` from the records of the papers, the drive files, the policies' own cards and the pages of"
        " these documents; a test tells when it is out of date.",
        "",
        "Known differences from other tools: [fio](fio.md), option by option and job by job;"
        " [MQSim](mqsim.md), field by field; [DiskSpd](../how-to/grid.md#diskspds-own-tests);"
        " [what each calls things](../how-to/from-other-tools.md).",
    ]


def _rows(paper: str) -> list[dict[str, str]]:
    path = shipped.papers() / paper / OURS
    with path.open(encoding="utf-8", newline="") as file:
        return [row for row in csv.DictReader(file) if row["verdict"] != "shown"]


def _validation() -> Iterator[str]:
    yield from (
        "",
        "## What the validation rests on",
        "",
        "Lines of each paper that hold, of all, by [basis](../../papers/README.md#what-a-pass-means), as recorded by"
        " `floatgate reproduce --full --record`. Only *predicted* lines say that the model is right: nothing in"
        " the drive, chip or paper folder was chosen in view of them.",
        "",
        "| paper | predicted | fitted | assumed | by construction | recorded |",
        "|---|--:|--:|--:|--:|---|",
    )
    held: Counter[str] = Counter()
    asked: Counter[str] = Counter()
    for name in discover(shipped.papers()):
        rows = _rows(name)
        passed = Counter(row["basis"] for row in rows if row["verdict"] in HELD)
        tried = Counter(row["basis"] for row in rows)
        held, asked = held + passed, asked + tried
        dates = max(row["date"] for row in rows)
        yield f"| [{name}](../../papers/{name}/README.md) | {_shares(passed, tried)} | {dates} |"
    yield f"| **all** | {_shares(held, asked)} | |"


def _shares(held: Counter[str], asked: Counter[str]) -> str:
    return " | ".join(f"{held[basis]} of {asked[basis]}" if asked[basis] else "-" for basis in BASES)


def _misses() -> Iterator[str]:
    yield from (
        "",
        "## Predictions that miss",
        "",
        "Each with the heading of the paper's page that says why; `floatgate reproduce PAPER --causes` runs the experiment"
        " that takes the reason away.",
        "",
        "| paper | exhibit | case | published | simulated | why |",
        "|---|---|---|--:|--:|---|",
    )
    for name in discover(shipped.papers()):
        exhibits = load(shipped.papers() / name).exhibits
        for row in _rows(name):
            if row["basis"] == "predicted" and row["verdict"] not in HELD:
                title = exhibits[row["exhibit"]].title
                numbers = f"{_number(row['published'])} | {_number(row['simulated'])}"
                yield f"| {name} | {title} | {row['case']} | {numbers} | {row['explained'] or '-'} |"


def _number(text: str) -> str:
    try:
        return f"{float(text):.4g}"
    except ValueError:
        return text or "-"


def _values() -> Iterator[str]:
    yield from (
        "",
        "## What the numbers of drives rest on",
        "",
        "Values of the generic drives and their chips by what stands beside each: a source, a derivation from others, an"
        " assumption with its reason; the rest are defaults of the program.",
        "",
        "| drive | with a source | derived | assumed | default |",
        "|---|--:|--:|--:|--:|",
    )
    for name in DRIVES:
        card = json.loads(_core.explain_drive(name, [], shipped.folders()))
        kinds = Counter(_kind(entry["source"] or "", str(entry["place"])) for entry in card["entries"])
        cells = " | ".join(str(kinds[kind]) for kind in ("source", "derived", "assumed", "default"))
        yield f"| [{name}](../../drives/{name}.toml) | {cells} |"
    measured = sorted(path.stem for path in (shipped.drives() / "measured").glob("*.toml"))
    fitted = f"Drives fitted to measurements of a real one: {', '.join(measured)}." if measured else ""
    yield ""
    yield (
        f"{fitted or 'No shipped drive is a measured one.'} The generic drives' times under load are those of our"
        " firmware. [A twin](../how-to/twin.md) is a drive file made of measurements."
    )


def _kind(source: str, place: str) -> str:
    if place == "default":
        return "default"
    return source.partition(":")[0] if source.startswith(("assumed", "derived")) else "source"


def _left_out() -> Iterator[str]:
    yield from ("", "## Not modelled, by subject", "", "| page | what it leaves out |", "|---|---|")
    for path in sorted([*ROOT.glob("docs/explanation/*.md"), *ROOT.glob("docs/how-to/*.md")]):
        text = path.read_text(encoding="utf-8")
        title = re.sub(r"[`*]", "", text.partition("\n")[0].removeprefix("# ")).partition(":")[0]
        for found in [*SECTION.findall(text), *LEFT_OUT.findall(SECTION.sub("", text))]:
            words = re.sub(r"\s*\n[-*] ", "; ", found.strip().removeprefix("- "))
            words = _cell(" ".join(words.split()), path)
            yield f"| [{title}](../{path.parent.name}/{path.name}) | {words[:1].upper()}{words[1:]} |"


def _cell(words: str, path: Path) -> str:
    """Words of another page as a cell of a table here: links lead from here."""

    def link(found: re.Match[str]) -> str:
        target = found[2]
        if "://" in target:
            return found[0]
        start = path.name if target.startswith("#") else ""
        folder = f"../{path.parent.name}/"
        return f"[{found[1]}]({folder}{start}{target})".replace(f"{folder}../", "../")

    return re.sub(r"\[([^\]]*)\]\(([^)]+)\)", link, words).replace("|", "\\|")


def _policies() -> Iterator[str]:
    yield from (
        "",
        "## Not modelled, by policy",
        "",
        "What each policy and interface says of itself (`floatgate policies NAME`).",
        "",
        "| decision | policy | what it leaves out |",
        "|---|---|---|",
    )
    for card in json.loads(_core.policies()):
        if card["not_modelled"]:
            words = card["not_modelled"].replace("|", "\\|")
            yield f"| [`{card['seam']}`](policies.md) | `{card['name']}` | {words} |"
