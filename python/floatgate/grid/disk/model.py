"""A disk's file, and how long its arm, platters and cache take.

Not modelled: zones (the media rate is that of the middle), spare sectors, head switches, errors, host link.
"""

from difflib import get_close_matches
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BeforeValidator, Field

from floatgate.files import TOML_MOST
from floatgate.inputs.strict_toml import Strict, read_toml
from floatgate.values.units import RATES, SIZES, TIMES_MS, measure

MEAN_ROOT = 8 / 15  # of the square root of the distance between two random places on a stroke of length 1

Size = Annotated[float, BeforeValidator(lambda text: measure(text, SIZES, "36GB")), Field(gt=0)]
Rate = Annotated[float, BeforeValidator(lambda text: measure(text, RATES, "80MB/s")), Field(gt=0)]
Time = Annotated[float, BeforeValidator(lambda text: measure(text, TIMES_MS, "3.5ms")), Field(ge=0)]
Text = Annotated[str, Field(min_length=1)]


class Cache(Strict):
    """Flash that takes the writes; they go on to the disk in the order of the arm."""

    drive: Text = Field(description="a drive of Floatgate, by name or file, whose sequential writes it takes")
    size: Size = Field(description="bytes it may hold that are not on the disk yet, such as 1GB")
    low: Annotated[float, Field(gt=0, lt=1)] = Field(
        description="share of it below which the disk serves reads first, such as 0.5"
    )


class Disk(Strict):
    """A disk. Times are in ms."""

    title: Text = Field(description="a line of text")
    capacity: Size = Field(description="bytes, such as 36GB")
    rpm: Annotated[float, Field(gt=0)] = Field(description="turns per minute, such as 15000")
    seek_track: Time = Field(description="from a track to the next, such as 0.4ms")
    seek_mean: Time = Field(description="between random places, such as 3.6ms")
    settle_write: Time = Field(description="on top of it before a write, such as 0.4ms")
    overhead: Time = Field(description="of the controller for each command, such as 0.1ms")
    media: Rate = Field(description="bytes per second under the head, such as 80MB/s")
    read_ahead: bool = Field(description="true or false: sequential reads come from the track buffer")
    scheduler: Literal["fcfs", "sptf"] = Field(
        description="fcfs (in order) or sptf (shortest positioning time first)"
    )
    cache: Cache | None = Field(default=None, description="a table: flash as a write cache")

    @property
    def turn_ms(self) -> float:
        """One turn of the platters."""
        return 60_000 / self.rpm

    def seek_ms(self, distance: float) -> float:
        """Time of the arm for a `distance` as a share of the whole stroke; grows with its square root."""
        if distance <= 0:
            return 0.0
        return self.seek_track + (self.seek_mean - self.seek_track) / MEAN_ROOT * float(distance**0.5)

    def transfer_ms(self, size: int) -> float:
        """Time of `size` bytes under the head."""
        return size / self.media * 1000


_HERE = Path(__file__).parent


def find(name: str) -> Path | None:
    """Return the file of a disk that comes with Floatgate, or `name` itself if it is a disk's file."""
    own = _HERE / f"{name}.toml"
    if own.is_file():
        return own
    path = Path(name)
    if path.suffix != ".toml" or not path.is_file():
        return None
    if path.stat().st_size > TOML_MOST:
        return None
    lines = path.read_bytes().splitlines()
    return path if any(line.split(b"=")[0].strip() == b"rpm" for line in lines) else None


def nearest(name: str) -> str | None:
    """Return the disk that comes with Floatgate whose name is nearest to `name`, if one is near."""
    near = get_close_matches(name, sorted(path.stem for path in _HERE.glob("*.toml")), n=1)
    return near[0] if near else None


def read_disk(path: Path) -> Disk:
    """Read a disk's file. Raises InputError."""
    return read_toml(path, Disk)
