"""Pages made from what the program itself lists, each time the site is built: they cannot be out of date."""

import json
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

from floatgate import _core
from floatgate.files import shipped
from floatgate.generate import functions
from floatgate.grid.table import COLUMNS, FILE
from floatgate.inputs.configuration import find


def tables() -> str:
    """Every table that Floatgate writes: its rows, and each column with unit and meaning."""
    text = [
        "# Tables: the files of a run",
        "",
        "## Folder",
        "",
        "A run writes one folder. `run.json` holds every number and the whole configuration, `report.html` the figures; the"
        " Parquet files hold tables. Each column carries its unit and meaning in the file itself, as metadata of the Arrow"
        " field, which pyarrow shows: `pyarrow.parquet.read_schema(path).field(name).metadata`. How to open them: [Get"
        " p99.9 of reads into a DataFrame](../how-to/data-frames.md).",
    ]
    for table in json.loads(_core.table_columns()):
        columns = [(c["name"], c["type"], c["unit"], c["meaning"]) for c in table["columns"]]
        text += ["", f"## {table['file']}", "", f"A row: {table['row']}", "", *_columns(columns)]
    text += [
        "",
        f"## {FILE}",
        "",
        "A row: one point of a [test grid](../how-to/grid.md); `grid.csv` has the same columns.",
    ]
    text += ["", *_columns([(c.name, c.type, c.unit, c.meaning) for c in COLUMNS])]
    return "\n".join(text) + "\n"


def _columns(columns: Iterable[tuple[str, str, str, str]]) -> list[str]:
    return _table(("column", "type", "unit", "meaning"), ((f"`{n}`", t, u, m) for n, t, u, m in columns))


def policies() -> str:
    """Every decision of a drive, with its policies: a row each, and a page each."""
    text = [
        "# Policies",
        "",
        "A policy makes one decision of the drive. `floatgate policies NAME` shows one of them,"
        " `--set KEY.name=NAME` chooses it, and in Python each is a class: `fg.gc.victim.DChoices(d=4)`. [Add one of your"
        " own](../how-to/policies.md).",
        "",
    ]
    rows = []
    for seam, below in _decisions().items():
        default = _usual(below)
        names = ", ".join(f"`{c['name']}`" for c in below if c["name"] != default)
        rows.append(
            (
                f"[`{seam}`](policies/{seam}.md)",
                below[0]["question"],
                f"`{default}`" if default else "-",
                names or "-",
            )
        )
    return "\n".join([*text, *_table(("decision", "what is decided", "default", "others"), rows)]) + "\n"


def _decisions() -> dict[str, list[dict[str, Any]]]:
    cards = json.loads(_core.policies())
    return {
        seam: [card for card in cards if card["seam"] == seam]
        for seam in dict.fromkeys(card["seam"] for card in cards)
    }


def _usual(cards: list[dict[str, Any]]) -> str | None:
    return next((card["name"] for card in cards if card.get("default") is True), None)


def decision_page(seam: str) -> str:
    """Every policy of one decision."""
    below = _decisions()[seam]
    default = _usual(below)
    text = [f"# {seam}", "", f"{below[0]['question']}" + (f" Default: `{default}`." if default else "")]
    for card in below:
        text += ["", f"## {seam}: {card['name']}", "", f"{_sentence(card['rule'])}"]
        if card["paper"]:
            text.append(f"\n*From:* {card['paper']}.")
        if card["not_modelled"]:
            text.append(f"\n*Not modelled:* {card['not_modelled']}.")
        if card["parameters"]:
            rows = [
                (f"`{seam}.{p['key']}`", _default(p), p["expected"], p["help"]) for p in card["parameters"]
            ]
            text += ["", *_table(("key", "default", "takes", "meaning"), rows)]
    return "\n".join(text) + "\n"


def _default(parameter: dict[str, object]) -> str:
    if parameter["required"]:
        return "required"
    return "-" if parameter["default"] is None else f"`{parameter['default']}`"


def drives() -> str:
    """Every drive that comes with Floatgate."""
    text = [
        "# Drives",
        "",
        "`floatgate drives NAME` shows every value of a drive with its source; `--set KEY=VALUE` changes one, and a drive file"
        ' of your own may begin with `base = "NAME"`. A page for each drive lists its keys, switched-off ones included.',
        "",
    ]
    rows = []
    for drive in json.loads(_core.drives(shipped.folders())):
        card = json.loads(_core.explain_drive(drive["name"], [], shipped.folders()))
        values = {entry["key"]: str(entry["value"]).strip('"') for entry in card["entries"]}
        parallel = f"{values.get('geometry.channels', '')} x {values.get('geometry.ways', '')}"
        capacity = f"{card['capacity_bytes'] / 1e9:,.1f} GB"
        link = values.get("host.link.name", "")
        rows.append(
            (
                f"[`{drive['name']}`](drives/{drive['name']}.md)"
                if _has_page(drive["name"])
                else f"`{drive['name']}`",
                drive["title"],
                capacity,
                parallel,
                link,
                values.get("ftl.mapping.name", ""),
            )
        )
    text += _table(("drive", "what it is", "capacity", "channels x ways", "link", "mapping"), rows)
    return "\n".join(text) + "\n"


def _has_page(drive: str) -> bool:
    return "/" not in drive  # those of a folder are variants of one


def drive_page(name: str, title: str) -> str:
    """Every key of one drive: those of features that are off, and the others with value and source."""
    keys = find(None, name, [])
    off = [(f"`{key.key}`", key.off, key.help) for key in keys if key.off is not None]
    on = [
        (
            f"`{key.key}`",
            "not set" if key.value is None else f"`{key.value}`",
            ": ".join(filter(None, ((key.place or "").removeprefix("./drives/"), key.source))),
        )
        for key in keys
        if key.off is None
    ]
    text = [
        # A key's own page comes before the drives that have it.
        "---",
        "search: {boost: 0.5}",
        "---",
        f"# {name}",
        "",
        f"{title}. `floatgate keys --drive {name}` prints the same; [Keys](../keys.md) says what each key takes.",
        "",
        f"## Keys that are off on {name}",
        "",
        f"{len(off)} keys belong to features that this drive does not use. Each is refused until what it needs is there:"
        f' `--set KEY=VALUE` or a file with `base = "{name}"` turns a feature on.',
        "",
        *_table(("key", "needs", "meaning"), off),
        "",
        f"## Keys in force on {name}",
        "",
        *_table(("key", "value", "from"), on),
    ]
    return "\n".join(text) + "\n"


def chips() -> str:
    """Every chip that comes with Floatgate."""
    text = [
        "# Chips",
        "",
        "`floatgate chips NAME` shows every value of a chip with its source; a drive names its chip: `--set chip=NAME`."
        " `floatgate characterize NAME` puts one on [the bench](../how-to/laboratory.md).",
        "",
    ]
    rows = [(f"`{chip['name']}`", chip["title"]) for chip in json.loads(_core.chips(shipped.folders()))]
    return "\n".join([*text, *_table(("chip", "what it is"), rows)]) + "\n"


def formats() -> str:
    """Every format of traces."""
    text = [
        "# Formats of traces",
        "",
        "Most traces need no option: the format is recognised. `--trace-format NAME` says it, `--columns` describes any other"
        " table ([traces](traces.md)).",
        "",
    ]
    rows = [
        (f"`{f['name']}`", f["title"], f["units"], _yes(f["recognised"]), _yes(f["writable"]))
        for f in json.loads(_core.trace_formats())
    ]
    head = ("format", "what it is", "columns and units", "recognised", "written by `trace convert`")
    text += _table(head, rows)
    text += ["", "## Synthetic volumes", "", json.loads(_core.volumes())["synthetic"] + ".", ""]
    rows = [
        (f"`volume:{v['name']}`", v.get("title") or v.get("server", ""))
        for v in json.loads(_core.volumes())["volumes"]
    ]
    text += _table(("volume", "what it is"), rows)
    text += ["", "## Generators", ""]
    rows = [(f"`{g['name']}`", g["title"]) for g in json.loads(_core.generators())]
    text += _table(("generator", "what it is"), rows)
    return "\n".join(text) + "\n"


def _yes(value: object) -> str:
    return "yes" if value else "no"


def _sentence(text: str) -> str:
    return f"{text[0].upper()}{text[1:].rstrip('.')}."


def _table(head: Iterable[str], rows: Iterable[Iterable[object]]) -> list[str]:
    head = tuple(head)
    lines = [head, tuple("---" for _ in head), *rows]
    return [
        "| " + " | ".join(str(cell).replace("|", "\\|").replace("\n", " ") for cell in row) + " |"
        for row in lines
    ]


PAGES: dict[str, Callable[[], str]] = {
    "reference/chips.md": chips,
    "reference/drives.md": drives,
    "reference/formats.md": formats,
    "reference/policies.md": policies,
    "reference/python.md": functions.page,
    "reference/tables.md": tables,
}
PAGES |= {
    f"reference/drives/{drive['name']}.md": partial(drive_page, drive["name"], drive["title"])
    for drive in json.loads(_core.drives(shipped.folders()))
    if _has_page(drive["name"])
}
PAGES |= {f"reference/policies/{seam}.md": partial(decision_page, seam) for seam in _decisions()}
