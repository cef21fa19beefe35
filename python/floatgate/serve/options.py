"""The options of `floatgate serve`."""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from floatgate.errors import InputError
from floatgate.options.definition import LIMITS, OUTPUT, CommandOptions, Option, usual
from floatgate.options.shared import Drive, Force, OutFolder, Seed, Settings

PORT_MOST = 65535
LOOPBACK = "127.0.0.1"
STOP_MOST = 1_000_000_000  # seconds: longer than any user waits


@dataclass(frozen=True)
class ServeOptions(CommandOptions):
    """`floatgate serve`: which drive, where its data lie, where clients come in, and how fast time passes."""

    drive: Drive
    image: Annotated[
        Path,
        Option(
            "File that holds what the flash holds; made if it is not there.",
            metavar="FILE",
            takes="a new file, or the image of this drive",
        ),
    ]
    socket: Annotated[
        Path | None,
        Option("Listen at this path.", metavar="PATH", takes="a new path", shown="IMAGE.sock"),
    ] = None
    port: Annotated[
        int | None,
        Option("Listen at this port instead; 0: any free one.", metavar="N", least=0, most=PORT_MOST),
    ] = None
    address: Annotated[
        str,
        Option("Address of --port.", metavar="ADDRESS", takes="an address of this machine"),
    ] = LOOPBACK
    pace: Annotated[
        str,
        Option(
            "Simulated seconds a second: 1 is real time, 0.1 slow motion, max as fast as possible.",
            metavar="max|X",
            takes="max, or a number above 0",
        ),
    ] = "1"
    set: Settings = ()
    seed: Seed = 1
    check: Annotated[bool, Option("Check the run with an independent model.")] = False
    requests: Annotated[bool, Option("Keep every request: requests.parquet.", panel=OUTPUT)] = False
    record: Annotated[
        Path | None,
        Option(
            "Record the requests as a trace that `floatgate run` replays.",
            metavar="FILE",
            panel=OUTPUT,
            takes="a new file, or with --force an earlier one",
            differs="of a served drive: what its clients ask for",
        ),
    ] = None
    metrics: Annotated[
        int | None,
        Option(
            "Answer Prometheus at this port of this machine; 0: any free one.",
            metavar="PORT",
            panel=OUTPUT,
            least=0,
            most=PORT_MOST,
        ),
    ] = None
    watch: Annotated[
        bool,
        Option(
            "On a terminal, show what the drive does while it serves.",
            panel=OUTPUT,
            shell="a function shows nothing",
        ),
    ] = True
    stop_after: Annotated[
        float | None,
        Option("End after so many seconds.", metavar="S", panel=LIMITS, least=0, most=STOP_MOST),
    ] = None
    out: OutFolder = usual("out/DRIVE-serve, then with -2, -3, ...")
    force: Force = False
    report: Annotated[
        bool, Option("Write report.html.", panel=OUTPUT, python="in Python only where it is asked for")
    ] = True

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.socket is not None and self.port is not None:
            raise InputError(f"--port {self.port}: --socket is given, too: expected one of both")
        if self.port is None and self.address != LOOPBACK:
            raise InputError(f"--address {self.address}: expected together with --port")
        self._check_files()
        self._check_record()

    def _check_files(self) -> None:
        """Raise InputError where two of the files that a server writes are one, before anything is made."""
        state = f"{self.image}.state"
        written = [
            ("--image", self.image, "the image"),
            ("", Path(state), "the drive's state, beside the image"),
        ]
        if self.port is None:
            written.append(("--socket", self._socket(), "the socket"))
        if self.record is not None:
            written.append(("--record", self.record, "the trace"))
        for at, (option, path, _) in enumerate(written):
            for _, other, what in written[:at]:
                if _is_same(path, other):
                    raise InputError(f"{option or '--image'} {path}: is {what}: expected another file")
            if option and self.out is not None and _lies_in(path, self.out):
                raise InputError(
                    f"{option} {path}: lies in --out {self.out}: expected it outside the run folder"
                )

    def _check_record(self) -> None:
        """Raise InputError where the requests cannot be recorded, before anything is made."""
        if self.record is None:
            return
        if not self.record.absolute().parent.is_dir():
            raise InputError(f"--record {self.record}: no such folder: expected a file in one that is there")
        if self.record.exists() and not (self.force and self.record.is_file()):
            raise InputError(f"--record {self.record}: exists: expected a new file, or --force")

    def _socket(self) -> Path:
        return self.socket or Path(f"{self.image}.sock")

    def for_core(self) -> dict[str, Any]:
        """Return how the drive is served, in the core's names."""
        return {
            "image": str(self.image),
            "socket": None if self.port is not None else str(self._socket()),
            "port": self.port,
            "address": self.address,
            "pace": self.pace,
            "record": None if self.record is None else str(self.record),
        }


def _is_same(one: Path, other: Path) -> bool:
    """Whether two names are of one file, which need not be there yet."""
    try:
        if one.exists() and other.exists():
            return one.samefile(other)
    except OSError:
        return False
    return os.path.realpath(one) == os.path.realpath(other)


def _lies_in(path: Path, folder: Path) -> bool:
    return Path(os.path.realpath(path)).is_relative_to(os.path.realpath(folder))
