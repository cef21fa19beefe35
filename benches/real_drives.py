"""Each twin of a real drive beside its measurements, as the tables of docs/explanation/real-drives.md.

    python benches/real_drives.py

simulates every row of drives/measured and writes the tables anew. It takes some minutes.
"""

from collections.abc import Iterator
from pathlib import Path

from floatgate.twin import check
from floatgate.twin.compared import Checked
from floatgate.twin.measurements import CHECK
from floatgate.twin.page import HEAD, row, summary

ROOT = Path(__file__).resolve().parents[1]
DRIVES = ROOT / "drives" / "measured"
PAGE = ROOT / "docs" / "explanation" / "real-drives.md"
BEGIN, END = "<!-- table: {} -->", "<!-- end of table -->"


def lines(of: Checked) -> Iterator[str]:
    """Yield a table: rows that are held out first, the worst of them at the top."""
    yield f"{summary(of)[0].upper()}{summary(of)[1:]}."
    yield ""
    cells = [name for name in HEAD if name != "role"]
    for role, title in ((CHECK, "Held out"), ("calibrate", "Calibrated with")):
        yield f"| {title}: {' | '.join(cells)} |"
        yield "|---|---:|---:|---:|---|"
        for one in of.worst_first():
            if one.row.role == role:
                name, measured, simulated, deviation, _, verdict = row(one)
                yield f"| {name} | {measured} | {simulated} | {deviation} | {verdict} |"
        yield ""


def main() -> None:
    """Write the tables of all drives."""
    text = PAGE.read_text(encoding="utf-8")
    for table in sorted(DRIVES.glob("*.csv")):
        drive = table.with_suffix(".toml")
        begin = BEGIN.format(table.stem)
        if not drive.exists() or begin not in text:
            continue
        found = check(drive, table)
        before, _, rest = text.partition(begin)
        text = "\n".join([before + begin, "", *lines(found)]) + END + rest.partition(END)[2]
        PAGE.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
