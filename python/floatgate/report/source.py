"""What a report is made of: the files of one run folder, and nothing else."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from floatgate import tables
from floatgate.errors import InputError
from floatgate.fio_json import Histogram, read_histograms
from floatgate.folder import read_json


@dataclass(frozen=True)
class Source:
    """The contents of a run folder."""

    document: dict[str, Any]
    histograms: dict[str, Histogram]
    series: dict[str, list[Any]]

    @classmethod
    def read(cls, folder: Path) -> "Source":
        """Read a run folder.

        Raises InputError when a file is missing or damaged.
        """
        document = read_json(folder / "run.json")
        return cls(
            document,
            read_histograms(_table(folder / tables.LATENCY)),
            _table(folder / tables.SERIES).to_pydict(),
        )


def _table(path: Path) -> Any:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        return pq.read_table(path)
    except FileNotFoundError as error:
        raise InputError(f"{path}: no such file: expected a whole run folder") from error
    except (pa.ArrowException, OSError) as error:
        raise InputError(
            f"{path}: not readable as Parquet ({error}): expected a file that floatgate wrote"
        ) from error
