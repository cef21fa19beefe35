"""The progress bar of every command, on a terminal only: a log file gets none."""

from collections.abc import Callable
from types import TracebackType
from typing import TYPE_CHECKING, Any, ClassVar, Self

if TYPE_CHECKING:
    from rich.progress import ProgressColumn

# Columns that are no text.
BAR, ELAPSED, LEFT = "<bar>", "<elapsed>", "<left>"


class Bar:
    """A bar between texts. Rich is imported when one is made, so that help comes at once."""

    columns: ClassVar[tuple[str, ...]]  # BAR, ELAPSED, LEFT, or a text as Rich formats it

    def __init__(self, description: str = "", total: float | None = 1.0, **fields: Any) -> None:
        from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

        from floatgate.cli.console import err

        made: dict[str, Callable[[], ProgressColumn]] = {
            BAR: lambda: BarColumn(bar_width=30),
            ELAPSED: TimeElapsedColumn,
            LEFT: TimeRemainingColumn,
        }
        self._progress = Progress(
            *(made[one]() if one in made else TextColumn(one) for one in self.columns),
            console=err,
            transient=True,
            disable=not err.is_terminal,
        )
        self._task = self._progress.add_task(description, total=total, **fields)

    def __enter__(self) -> Self:
        self._progress.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._progress.stop()

    def show(self, **changed: Any) -> None:
        """Show what has changed: `completed`, `total`, `description`, or a field of a text."""
        self._progress.update(self._task, **changed)

    @property
    def speed(self) -> float | None:
        """How much of what is counted is done in a second; None until that is known."""
        return self._progress.tasks[self._task].speed
