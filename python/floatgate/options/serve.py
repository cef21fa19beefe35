"""The options of `floatgate serve`."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from floatgate.errors import InputError
from floatgate.options.definition import LIMITS, OUTPUT, CommandOptions, Option, usual
from floatgate.options.shared import Drive, Force, OutFolder, Seed, Settings

PORT_MOST = 65535
LOOPBACK = "127.0.0.1"
STOP_MOST = 1_000_000_000  # seconds: longer than anybody waits


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
        self._check_record()

    def _check_record(self) -> None:
        """Raise InputError where the requests cannot be recorded, before anything is made."""
        if self.record is None:
            return
        if self.record.absolute() == self.image.absolute():
            raise InputError(f"--record {self.record}: is the image: expected another file")
        if not self.record.absolute().parent.is_dir():
            raise InputError(f"--record {self.record}: no such folder: expected a file in one that is there")
        if self.record.exists() and not (self.force and self.record.is_file()):
            raise InputError(f"--record {self.record}: exists: expected a new file, or --force")

    def for_core(self) -> dict[str, Any]:
        """Return how the drive is served, in the core's names."""
        socket = self.socket if self.port is not None or self.socket else f"{self.image}.sock"
        return {
            "image": str(self.image),
            "socket": None if self.port is not None else str(socket),
            "port": self.port,
            "address": self.address,
            "pace": self.pace,
            "record": None if self.record is None else str(self.record),
        }
