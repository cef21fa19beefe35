"""The requests of a run in their order, and the later ones apart: what came before warms the drive up."""

from collections.abc import Iterable
from typing import Any, NamedTuple

READ, WRITE = 0, 1  # of a request's `op`; trims and flushes have other numbers


class Request(NamedTuple):
    """A read or a write of the host."""

    arrive_ns: int
    complete_ns: int
    offset: int
    bytes: int
    op: int


def in_order(done: Any) -> list[Request]:
    """Return the reads and writes of a run that kept its requests, in the order of arrival."""
    table = done.requests().to_pydict()
    rows = map(Request, *(table[name] for name in Request._fields))
    return sorted((row for row in rows if row.op in (READ, WRITE)), key=lambda row: row.arrive_ns)


def parts(requests: list[Request], count: int) -> list[list[Request]]:
    """Return them in so many parts of one length: passes of a looped workload, halves of a long one."""
    return [
        requests[part * len(requests) // count : (part + 1) * len(requests) // count] for part in range(count)
    ]


def mean_us(requests: Iterable[Request]) -> float:
    """Return the mean time from arrival to completion in us; 0 where there are no requests."""
    times = [request.complete_ns - request.arrive_ns for request in requests]
    return sum(times) / len(times) / 1e3 if times else 0.0
