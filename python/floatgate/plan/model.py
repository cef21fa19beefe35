"""The two files of a plan: a workload and a price list. Unknown keys and bare numbers are refused."""

from typing import Annotated, Any, Literal, Self

from pydantic import BeforeValidator, Field, model_validator

from floatgate.inputs.strict_toml import Strict
from floatgate.values.units import POWERS, RATES, SIZES, TIMES_MS, YEARS, measure

KINDS = ("random_read", "random_write", "sequential_read", "sequential_write")
UNLIMITED = "unlimited"


# The first year of a plan may be 2200 at the latest; drives are not planned for longer than that.
YEARS_MOST = 200


def _years(text: object) -> int:
    years = measure(text, YEARS, "6y")
    if not 1 <= years <= YEARS_MOST or years != int(years):
        raise ValueError(f"expected whole years, such as 6y, and at most {YEARS_MOST}y: each is worked out")
    return int(years)


def _endurance(text: object) -> float | None:
    return None if text == UNLIMITED else measure(text, SIZES, f"150TB, or {UNLIMITED}")


Size = Annotated[float, BeforeValidator(lambda text: measure(text, SIZES, "32GB")), Field(gt=0)]
Block = Annotated[float, BeforeValidator(lambda text: measure(text, SIZES, "8KiB")), Field(gt=0)]
Rate = Annotated[float, BeforeValidator(lambda text: measure(text, RATES, "53MB/s")), Field(gt=0)]
Milliseconds = Annotated[float, BeforeValidator(lambda text: measure(text, TIMES_MS, "5ms")), Field(gt=0)]
Power = Annotated[float, BeforeValidator(lambda text: measure(text, POWERS, "0.9W")), Field(ge=0)]
Years = Annotated[int, BeforeValidator(_years)]
Endurance = Annotated[float | None, BeforeValidator(_endurance)]
Positive = Annotated[float, Field(gt=0, allow_inf_nan=False)]
NotNegative = Annotated[float, Field(ge=0, allow_inf_nan=False)]
Share = Annotated[float, Field(gt=0, le=1)]
Growth = Annotated[float, Field(gt=-1, allow_inf_nan=False)]
Year = Annotated[int, Field(ge=1950, le=2200)]
Text = Annotated[str, Field(min_length=1)]


class Demand(Strict):
    """Requests per second by kind."""

    random_read: NotNegative = Field(default=0.0, description="requests per second, 9000")
    random_write: NotNegative = Field(default=0.0, description="requests per second, 9000")
    sequential_read: NotNegative = Field(default=0.0, description="requests per second, 9000")
    sequential_write: NotNegative = Field(default=0.0, description="requests per second, 9000")

    @model_validator(mode="after")
    def _something(self) -> Self:
        if not any(getattr(self, kind) for kind in KINDS):
            raise ValueError("expected at least one kind of request with a rate above 0")
        return self


class Latency(Strict):
    """What 99 % of the requests must not exceed, ms."""

    read: Milliseconds | None = Field(default=None, description="latency of 99 % of the reads, such as 2ms")
    write: Milliseconds | None = Field(default=None, description="latency of 99 % of the writes, such as 5ms")


class Yearly(Strict):
    """Growth each year, as a ratio: 0.5 is half as much again."""

    capacity: Growth = Field(default=0.0, description="a ratio each year, 0.5 for half as much again")
    iops: Growth = Field(default=0.0, description="a ratio each year, 0.5 for half as much again")


class Budget(Strict):
    """What the drives may draw."""

    power: Power | None = Field(default=None, description="what all drives may draw, such as 2kW")
    drives: Annotated[int, Field(ge=1)] | None = Field(
        default=None, description="places for drives, such as 24"
    )


class Workload(Strict):
    """What the drives must do."""

    title: Text = Field(description="a line of text")
    year: Year = Field(description="the first year, such as 2007")
    life: Years = Field(description="how long the drives are to serve, such as 6y")
    block: Block = Field(description="bytes of a request, such as 8KiB")
    capacity: Size = Field(description="bytes to keep, such as 3240GB")
    depth: Annotated[int, Field(ge=1)] = Field(
        default=4, description="requests outstanding at each drive, where a drive's rates are measured ones"
    )
    duty: Share = Field(default=1.0, description="share of the time in which the rates are asked, 0.25")
    worn: Literal["avoid", "replace"] = Field(
        default="replace",
        description="avoid (drives must last the life) or replace (worn drives are bought anew)",
    )
    iops: Demand = Field(description="a table of requests per second by kind")
    p99: Latency = Field(
        default=Latency(), description="a table of latencies that 99 % of reads and writes must keep"
    )
    growth: Yearly = Field(default=Yearly(), description="a table of yearly growth")
    budget: Budget = Field(default=Budget(), description="a table of limits")

    def rate(self, op: str = "") -> float:
        """Return the requests per second that are asked for, or those of them that read or write."""
        return float(sum(getattr(self.iops, kind) for kind in KINDS if kind.endswith(op)))


Measured = Annotated[
    float | str | None, Field(description="requests per second, or a grid's or run's folder")
]


class Rates(Strict):
    """Requests per second that one drive answers, by kind: a number, or a folder where it was measured."""

    random_read: Measured = None
    random_write: Measured = None
    sequential_read: Measured = None
    sequential_write: Measured = None

    @model_validator(mode="after")
    def _positive(self) -> Self:
        for kind in KINDS:
            rate = getattr(self, kind)
            if isinstance(rate, float) and not rate > 0:
                raise ValueError(f"{kind} = {rate:g}: expected a rate above 0, or no entry")
        return self


class LatencyPoint(Strict):
    """Latency of one drive at one load: numbers, or the folder of a run of the workload's mix at it."""

    run: Text | None = Field(default=None, description="the folder of a run, instead of the other keys")
    iops: Positive | None = Field(default=None, description="requests per second of the drive, such as 5000")
    read: Milliseconds | None = Field(default=None, description="latency of 99 % of its reads, such as 2ms")
    write: Milliseconds | None = Field(default=None, description="latency of 99 % of its writes, such as 5ms")

    @model_validator(mode="after")
    def _whole(self) -> Self:
        given = self.iops is not None and (self.read is not None or self.write is not None)
        if given == (self.run is not None):
            raise ValueError("expected run, or iops with read or write")
        return self


class Generation(Strict):
    """What the same drive is sold as from some year on."""

    year: Year = Field(description="the year from which it is sold, such as 2012")
    price: NotNegative = Field(description="a number in the currency of the list")
    capacity: Size = Field(description="bytes, such as 2TB")


class Drive(Strict):
    """A drive that can be bought."""

    name: Text = Field(description="a line of text")
    price: NotNegative = Field(description="a number in the currency of the list")
    capacity: Size = Field(description="bytes, such as 32GB")
    endurance: Endurance = Field(
        default=None, description="bytes the host may write, such as 150TB, or unlimited"
    )
    aged: Text | None = Field(
        default=None, description="what floatgate age --format json printed, instead of endurance"
    )
    write_amplification: Annotated[
        float | str | None,
        Field(description="bytes programmed per byte the workload writes: a number, or a run's folder"),
    ] = None
    power_active: Power = Field(description="at work, such as 0.9W")
    power_idle: Power = Field(description="at rest, such as 0.5W")
    read_bandwidth: Rate | None = Field(default=None, description="bytes per second, such as 53MB/s")
    write_bandwidth: Rate | None = Field(default=None, description="bytes per second, such as 35MB/s")
    failures_per_year: NotNegative = Field(
        default=0.0, description="share of the drives that fail each year, 0.02"
    )
    upkeep_per_year: NotNegative = Field(default=0.0, description="cost of each drive each year")
    iops: Rates = Field(description="a table of requests per second by kind")
    p99: tuple[LatencyPoint, ...] = Field(default=(), description="tables [[drives.p99]]")
    later: tuple[Generation, ...] = Field(default=(), description="tables [[drives.later]]")

    @model_validator(mode="before")
    @classmethod
    def _lists(cls, values: Any) -> Any:
        lists = {"later", "p99"}
        if isinstance(values, dict):
            return {key: tuple(v) if key in lists and isinstance(v, list) else v for key, v in values.items()}
        return values

    @model_validator(mode="after")
    def _wears(self) -> Self:
        if ("endurance" in self.model_fields_set) == (self.aged is not None):
            raise ValueError("expected endurance (bytes, or unlimited) or aged (a file), and not both")
        if self.write_amplification is not None and self.aged is None:
            raise ValueError(
                "write_amplification without aged: expected it where endurance comes from a life"
            )
        if isinstance(self.write_amplification, float) and not self.write_amplification > 0:
            raise ValueError("expected a write_amplification above 0")
        return self

    def sold_in(self, year: int) -> tuple[float, float]:
        """Return price and capacity in bytes of what is sold in `year`."""
        sold = [(self.price, self.capacity)]
        sold += [(entry.price, entry.capacity) for entry in self.later if entry.year <= year]
        return sold[-1]


class ReadDrive(Drive):
    """A drive with what the files say that it names; no list has one."""

    unsettled: str | None = None  # why its write amplification is not


class Energy(Strict):
    """What electricity costs, and what cooling takes on top."""

    per_kwh: NotNegative = Field(description="price of a kWh in the currency of the list")
    cooling: NotNegative = Field(description="watts of cooling for each watt that a drive draws, such as 1.0")


class Prices(Strict):
    """A price list."""

    title: Text = Field(description="a line of text")
    currency: Text = Field(description="the currency of every price, such as USD")
    energy: Energy = Field(description="a table with per_kwh and cooling")
    drives: tuple[Drive, ...] = Field(min_length=1, description="tables [[drives]]")

    @model_validator(mode="before")
    @classmethod
    def _lists(cls, values: Any) -> Any:
        if isinstance(values, dict) and isinstance(values.get("drives"), list):
            return values | {"drives": tuple(values["drives"])}
        return values

    @model_validator(mode="after")
    def _names(self) -> Self:
        names = [drive.name for drive in self.drives]
        for name in names:
            if names.count(name) > 1:
                raise ValueError(f"{name}: two drives of one name: expected each once")
        return self
