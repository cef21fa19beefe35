"""What a served drive tells Prometheus: counters since the server began, and how the drive is now.

Each answer is made of the copy of its counters that the server left last, so that being asked does not hold
it up.
"""

from collections.abc import Callable, Iterator
from typing import Any

from floatgate.errors import InputError
from floatgate.extras import needed

LOOPBACK = "127.0.0.1"
AGES = ("1", "5", "25", "100", "more")  # percent of the drive
PE_CYCLES = ("least", "mean", "most")
OCTAVE = 4  # classes of times to an octave: Prometheus gets one bucket of each
NS = 1e-9
Progress = dict[str, Any]


class Endpoint:
    """A port at which Prometheus may ask."""

    def __init__(self, port: int) -> None:
        """Listen there. Raises InputError when that cannot be."""
        prometheus = needed("prometheus_client")
        registry = prometheus.CollectorRegistry()
        self._progress: Callable[[], Progress] | None = None
        self._core = needed("prometheus_client.core")
        prometheus.ProcessCollector(registry=registry)
        registry.register(self)
        try:
            self._server, self._thread = prometheus.start_http_server(port, LOOPBACK, registry)
        except OSError as error:
            raise InputError(f"--metrics {port}: {error.strerror}: expected a free port") from error
        self.url = f"http://{LOOPBACK}:{self._server.server_port}/metrics"

    def watch(self, progress: Callable[[], Progress]) -> None:
        """From now on say what `progress` gives."""
        self._progress = progress

    def close(self) -> None:
        """Listen no longer."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def describe(self) -> list[Any]:
        """Return nothing: what there is, `collect` says."""
        return []

    def collect(self) -> Iterator[Any]:
        """Yield every metric."""
        if self._progress is None:
            return
        now = self._progress()
        yield from self._of_host(now)
        yield from self._of_server(now)
        yield from self._of_flash(now["drive"])
        yield from self._of_state(now["drive"])

    def _counter(self, *said: Any) -> Any:
        return self._family(self._core.CounterMetricFamily, *said)

    def _gauge(self, *said: Any) -> Any:
        return self._family(self._core.GaugeMetricFamily, *said)

    def _family(self, kind: Any, name: str, help: str, values: dict[str, float], label: str) -> Any:  # noqa: A002
        family = kind(f"floatgate_{name}", help, labels=[label])
        for of, value in values.items():
            family.add_metric([of], value)
        return family

    def _of_host(self, now: Progress) -> Iterator[Any]:
        done = now["done"]
        yield self._counter(
            "requests", "Requests done.", {kind: one["requests"] for kind, one in done.items()}, "op"
        )
        yield self._counter(
            "request_bytes",
            "Bytes of requests done.",
            {kind: one["bytes"] for kind, one in done.items()},
            "op",
        )
        yield self._counter("refusals", "Requests refused.", now["refusals"], "error")
        latency = self._core.HistogramMetricFamily(
            "floatgate_request_latency_seconds", "From arrival to answer, in simulated time.", labels=["op"]
        )
        for kind, one in done.items():
            latency.add_metric(
                [kind], _buckets(one["latency"], now["bounds_ns"]), one["latency"]["total_ns"] * NS
            )
        yield latency

    def _of_server(self, now: Progress) -> Iterator[Any]:
        core = self._core
        lateness = core.HistogramMetricFamily(
            "floatgate_lateness_seconds", "How late answers left, after the time the drive gave them."
        )
        lateness.add_metric([], _buckets(now["late"], now["bounds_ns"]), now["late"]["total_ns"] * NS)
        yield lateness
        yield core.CounterMetricFamily(
            "floatgate_simulated_seconds", "Simulated time.", now["simulated_ns"] * NS
        )
        yield core.GaugeMetricFamily("floatgate_clients", "Clients connected.", now["clients"])
        yield core.GaugeMetricFamily(
            "floatgate_requests_under_way", "Requests not answered yet.", now["in_flight"]
        )
        yield core.GaugeMetricFamily(
            "floatgate_image_refused",
            "1 while the disk below the image takes no writes.",
            float(now["refused"] is not None),
        )
        yield core.CounterMetricFamily(
            "floatgate_damaged_reads", "Reads of the image that found damage.", now["damaged_reads"]
        )

    def _of_flash(self, drive: Progress) -> Iterator[Any]:
        written, programmed = drive["bytes_written"], drive["units_programmed"]
        yield self._core.CounterMetricFamily(
            "floatgate_units_written",
            "Mapping units that the host wrote, in whole or in part.",
            drive["units_written"],
        )
        yield self._core.CounterMetricFamily(
            "floatgate_bytes_written", "Bytes that the host's writes brought.", written
        )
        of_flash = {origin: units * drive["unit_bytes"] for origin, units in programmed.items()}
        yield self._counter(
            "bytes_programmed", "Bytes programmed to the flash, by origin.", of_flash, "origin"
        )
        for name, words in (
            ("units_programmed", "Mapping units programmed, by origin."),
            ("pages_programmed", "Flash pages programmed, by origin."),
            ("pages_read", "Flash pages read, by origin."),
            ("blocks_erased", "Blocks erased, by origin."),
        ):
            yield self._counter(name, words, drive[name], "origin")
        amplification = sum(of_flash.values()) / written if written else float("nan")
        yield self._core.GaugeMetricFamily(
            "floatgate_write_amplification",
            "Bytes programmed for each that the host wrote, since the server began.",
            amplification,
        )

    def _of_state(self, drive: Progress) -> Iterator[Any]:
        buffer = {
            "used": drive["buffer_units_used"],
            "at_risk": drive["buffer_units_at_risk"],
            "size": drive["buffer_units"],
        }
        yield self._gauge("buffer_units", "Mapping units in the buffer.", buffer, "state")
        cycles = dict(zip(PE_CYCLES, drive["pe_cycles"], strict=True))
        yield self._gauge("pe_cycles", "Program/erase cycles of the blocks.", cycles, "block")
        yield self._gauge("superblocks", "Superblocks, by state.", drive["superblocks"], "state")
        ages = dict(zip(AGES, drive["ages"]["superblocks"], strict=True))
        ages["unknown"] = drive["ages"]["unknown"]
        yield self._gauge(
            "superblocks_by_age",
            "Superblocks that hold something, by what the host has written since they were last "
            "programmed: up to so many percent of the drive. Unknown: not since the server began.",
            ages,
            "percent",
        )


def _buckets(times: Progress, bounds_ns: list[int]) -> list[tuple[str, float]]:
    """Return the upper ends of buckets, and how many times lie below each."""
    found: list[tuple[str, float]] = []
    below = 0
    for place, (bound, count) in enumerate(zip([*bounds_ns, None], times["counts"], strict=True)):
        below += count
        if bound is None:
            found.append(("+Inf", below))
        elif place % OCTAVE == 0:
            found.append((f"{bound * NS:.9g}", below))
    return found
