"""The progress bar of every command, on a terminal only: a log file gets none."""

from collections.abc import Callable
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress, ProgressColumn

# Columns that are no text.
BAR, ELAPSED, LEFT = "<bar>", "<elapsed>", "<left>"
PERCENT = "{task.percentage:>3.0f} %"


class Bar:
    """A bar between texts: its columns are BAR, ELAPSED, LEFT, or a text as Rich formats it.

    `named` has the first `description`, the `total` and the fields of the texts. Rich is imported when a bar
    is seen.
    """

    def __init__(self, *columns: str, **named: Any) -> None:
        from floatgate.shell.console import err

        self._progress: Progress | None = None
        if err.is_terminal:
            self._begin(err.rich, columns, {"description": "", "total": 1.0} | named)

    def _begin(self, err: "Console", columns: tuple[str, ...], named: dict[str, Any]) -> None:
        from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

        made: dict[str, Callable[[], ProgressColumn]] = {
            BAR: lambda: BarColumn(bar_width=30),
            ELAPSED: TimeElapsedColumn,
            LEFT: TimeRemainingColumn,
        }
        self._progress = Progress(
            *(made[one]() if one in made else TextColumn(one) for one in columns),
            console=err,
            transient=True,
        )
        self._task = self._progress.add_task(**named)

    def __enter__(self) -> Self:
        if self._progress:
            self._progress.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._progress:
            self._progress.stop()

    def show(self, **changed: Any) -> None:
        """Show what has changed: `completed`, `total`, `description`, or a field of a text."""
        if self._progress:
            self._progress.update(self._task, **changed)

    def begin(self, description: str, **changed: Any) -> None:
        """Start again from nothing, for the next thing to be done."""
        if self._progress:
            self._progress.reset(self._task, description=description, total=None, **changed)

    @property
    def speed(self) -> float | None:
        """How much of what is counted is done in a second; None until that is known."""
        return self._progress.tasks[self._task].speed if self._progress else None
