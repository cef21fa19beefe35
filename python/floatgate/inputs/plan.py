"""One run, before it starts: everything its result depends on."""

from dataclasses import dataclass, field
from typing import Any

from floatgate import _core
from floatgate.files import copies, regular, shipped
from floatgate.inputs.workload import Workload
from floatgate.options import Options


@dataclass(frozen=True)
class Plan:
    """One run, before it starts: everything its result depends on."""

    drive: str
    workload: Workload
    overrides: tuple[str, ...] = ()
    options: Options = field(default_factory=Options)
    resolved: tuple[str, ...] | None = None  # the whole configuration, when an earlier run is repeated
    places: "dict[str, dict[str, Any]] | None" = None  # where that run had its values from
    asked: tuple[str, ...] = ()  # the words for drive, workload and overrides, where they were other ones

    def __post_init__(self) -> None:
        self.options.verify()
        if self.options.load_state is not None:
            regular(self.options.load_state, "a state that --save-state wrote")

    def memory_bytes(self) -> int:
        """Reckon the bytes of memory that the drive takes. Raises InputError where it is not right."""
        if self.resolved is not None:
            return _core.memory_bytes(self.drive, list(self.resolved), None, self.options.check)
        drive, overrides = copies.place(self.drive), copies.placed(self.overrides)
        return _core.memory_bytes(drive, overrides, shipped.folders(), self.options.check)

    def open(self, *, requests: bool = False) -> "_core.Session":
        """Build the drive and open the workload; with `requests`, keep every request until it is drained.

        Raises InputError when either is not right.
        """
        _core.policy_timeout(self.options.policy_timeout_ns())
        if self.resolved is not None:
            return _core.Session.resolved(
                self.drive,
                list(self.resolved),
                self.workload.to_json(),
                self.options.to_json(requests=requests),
            )
        return _core.Session(
            copies.place(self.drive),
            copies.placed(self.overrides),
            shipped.folders(),
            self.workload.to_json(),
            self.options.to_json(requests=requests),
        )
