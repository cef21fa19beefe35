"""Are the drawn waveforms what the core worked out, and are they files that other tools take?"""

import io
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from vcd.reader import TokenKind, tokenize

from floatgate.bus import svg, vcd
from floatgate.bus.waveform import Waveform, waveform
from floatgate.errors import InputError

INTERFACES = (
    "CONV",
    "SYNC_ONLY",
    "PROPOSED",
    "sdr:0",
    "sdr:5",
    "nv-ddr:5",
    "nv-ddr2:7",
    "nv-ddr3:12",
    "nv-lpddr4:19",
)
OPERATIONS = ("read", "write", "erase", "status")


def changes(found: Waveform) -> dict[str, list[tuple[int, str]]]:
    """Read the VCD back with its library's reader: instant and value of each change, by signal."""
    file = io.StringIO()
    vcd.write(found, file)
    names: dict[str, str] = {}
    seen: dict[str, list[tuple[int, str]]] = {}
    now = 0
    for token in tokenize(io.BytesIO(file.getvalue().encode())):
        if token.kind is TokenKind.VAR:
            names[token.var.id_code] = token.var.reference
        elif token.kind is TokenKind.CHANGE_TIME:
            now = token.time_change
        elif token.kind is TokenKind.CHANGE_SCALAR:
            seen.setdefault(names[token.scalar_change.id_code], []).append((now, token.scalar_change.value))
        elif token.kind is TokenKind.CHANGE_VECTOR:
            seen.setdefault(names[token.vector_change.id_code], []).append(
                (now, str(token.vector_change.value))
            )
    return seen


@pytest.mark.parametrize("interface", INTERFACES)
@pytest.mark.parametrize("operation", OPERATIONS)
def test_the_dump_holds_every_edge(interface: str, operation: str) -> None:
    found = waveform(interface, operation, 4)
    seen = changes(found)
    for signal in found.signals:
        name = signal.name.replace("#", "_n")
        levels = {"low": "0", "high": "1", "released": "z", "unknown": "x"}
        for edge in signal.edges:
            assert edge.at_fs in {at for at, _ in seen[name]} or signal.wide, (name, edge)
            if not signal.wide:
                assert (edge.at_fs, levels[edge.level]) in seen[name]


def test_the_strobe_of_proposed_is_twice_as_fast_for_data() -> None:
    found = waveform("PROPOSED", "read", 8)
    dvs = next(signal for signal in found.signals if signal.name == "DVS")
    falls = [edge.at_fs for edge in dvs.edges if edge.level == "low"]
    assert len(falls) == 4  # two bytes each
    assert falls[1] - falls[0] == pytest.approx(1e15 / 83e6, abs=1)
    t_dll = next(mark for mark in found.marks if mark.name == "tDLL")
    assert t_dll.ns == pytest.approx(5.0 - 2.0 + 4.94)  # equation (2)


@pytest.mark.parametrize("interface", INTERFACES)
def test_the_picture_names_what_is_drawn(interface: str) -> None:
    found = waveform(interface, "read", 4)
    texts = {
        element.text or ""
        for element in ET.fromstring(svg.draw(found)).iter()
        if element.tag.endswith("text")
    }
    for signal in found.signals:
        assert signal.name in texts
    for word in ("00h", "30h", "D0", "D3"):
        assert word in texts
    for mark in found.marks:
        if mark.kind != "wait":
            assert any(text.startswith(f"{mark.name} {mark.ns:.2f} ns") for text in texts), mark
    assert svg.draw(found) == svg.draw(found)


@pytest.mark.parametrize(
    ("interface", "operation", "message"),
    [
        ("PROPSED", "read", 'did you mean "proposed"'),
        ("plain", "read", "plain has a rate and no waveform|rate"),
        ("CONV", "reed", 'did you mean "read"'),
        ("nv-ddr2:11", "read", "from 0 to 10 of nv-ddr2; 1 too high"),
        ("PROPOSED", "program", None),
    ],
)
def test_what_cannot_be_drawn_is_refused(interface: str, operation: str, message: str | None) -> None:
    if message is None:
        with pytest.raises(InputError, match="expected an even number"):
            waveform(interface, operation, 3)
        return
    with pytest.raises(InputError, match=message):
        waveform(interface, operation, 4)


def test_the_command_writes_both_files(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "floatgate", "bus", "waveform", "--interface", "PROPOSED", "--operation"]
    subprocess.run([*command, "read", "--out", str(tmp_path)], check=True, capture_output=True)
    assert (tmp_path / "proposed-read.vcd").read_text().startswith("$comment")
    assert "<svg" in (tmp_path / "proposed-read.svg").read_text()
    failed = subprocess.run(
        [*command, "raed", "--out", str(tmp_path)], check=False, capture_output=True, text=True
    )
    assert failed.returncode == 2
    assert failed.stderr.count("\n") == 1
