"""Tables of a run: what their columns say, and who can open them."""

import json
import sys
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import floatgate as fg
from conftest import one_line_error
from floatgate import _core, extras
from floatgate.errors import InputError
from floatgate.extras import EXTRAS
from floatgate.grid.table import COLUMNS
from floatgate.results import tables
from floatgate.results.tables import Column, Table

TINY = Path(__file__).parents[1] / "drives" / "tiny.toml"


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> fg.Run:
    folder = tmp_path_factory.mktemp("run")
    (folder / "job.fio").write_text("[x]\nrw=randrw\nsize=1m\nbs=4k\n")
    return fg.run(TINY, folder / "job.fio", requests=True, precondition="fill", out=folder / "o")


@pytest.mark.parametrize("file", [table["file"] for table in json.loads(_core.table_columns())])
def test_each_column_of_a_file_says_its_unit_and_meaning(run: fg.Run, file: str) -> None:
    """Read by another library, from the file itself."""
    schema = pq.read_schema(run.folder / file)
    described = {column.name: column for column in tables.described(file)}
    assert schema.names
    for field in schema:
        assert field.metadata is not None, field.name
        metadata = {key.decode(): value.decode() for key, value in field.metadata.items()}
        column = described[field.name]
        assert (metadata["unit"], metadata["meaning"]) == (column.unit, column.meaning), field.name
        assert str(field.type) == column.type, field.name
    missing = described.keys() - set(schema.names)
    assert missing <= {"slc_cache_bytes"}, "a column is described and not written"
    assert [column.name for column in Table.read(run.folder / file).columns] == schema.names


def test_the_columns_of_a_grid_are_described() -> None:
    from floatgate.grid.point import Point, Setting

    row = Point(Setting("random", "read", 4096, 1), "steady").row()
    assert list(row) == [column.name for column in COLUMNS]


def test_a_column_without_description_is_not_written(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="without a description: b"):
        Table.of([Column("a", "int64", "1", "A.")], {"a": [1], "b": [2]})
    with pytest.raises(ValueError, match="same length"):
        Table.of([Column(n, "int64", "1", "A.") for n in "ab"], {"a": [1], "b": [1, 2]})
    with pytest.raises(TypeError):
        Table.of([Column("a", "int64", "1", "A.")], {"a": ["x"]})


def test_a_table_opens_in_every_library_that_reads_arrow(run: fg.Run) -> None:
    polars, pandas = pytest.importorskip("polars"), pytest.importorskip("pandas")
    for table in (run.requests(), run.series(), run.latency_histogram()):
        expected = table.to_pydict()
        assert pa.table(table).to_pydict() == expected
        assert table.to_arrow().to_pydict() == expected
        assert polars.DataFrame(table).to_dict(as_series=False) == expected
        assert table.to_polars().to_dict(as_series=False) == expected
        frame = table.to_pandas()
        assert list(frame.columns) == table.column_names
        for name, values in expected.items():
            found = [None if pandas.isna(value) else value for value in frame[name]]
            assert found == values, name
        assert len(table) == table.num_rows == len(frame)


def test_gaps_and_rows(run: fg.Run) -> None:
    columns = [
        Column("a", "int64", "1", "A."),
        Column("b", "double", "1", "B."),
        Column("c", "string", "1", "C."),
    ]
    table = Table.of(columns, {"a": [1, None], "b": [None, 0.5], "c": ["x", None]})
    assert table.to_pylist() == [{"a": 1, "b": None, "c": "x"}, {"a": None, "b": 0.5, "c": None}]
    assert table["a"] == table.column("a") == [1, None]
    with pytest.raises(KeyError):
        table["d"]
    assert repr(table) == "Table(2 rows: a, b, c)"


def test_the_stages_of_a_request_sum_to_its_latency(run: fg.Run) -> None:
    """As the page of the tables says: from `queue_ns` on."""
    names = run.requests().column_names
    stages = names[names.index("queue_ns") :]
    for row in run.requests().to_pylist():
        assert sum(row[name] for name in stages) == row["complete_ns"] - row["arrive_ns"]


def test_many_tables_make_one_file(tmp_path: Path) -> None:
    column = Column("a", "int64", "1", "A.")
    writer = _core.Writer(tmp_path / "a.parquet")
    for start in range(0, 2_500_000, 500_000):
        part = Table.of([column], {"a": list(range(start, start + 500_000))})
        writer.write(part._core)
    writer.close()
    file = pq.ParquetFile(tmp_path / "a.parquet")
    assert file.metadata.num_row_groups == 3
    assert Table.read(tmp_path / "a.parquet").column("a") == list(range(2_500_000))


@pytest.mark.parametrize("slices", [(100_000,), (1, 99_999), (7_000, 20_000, 73_000), (1_000,) * 100])
def test_the_bytes_of_a_file_do_not_depend_on_how_its_rows_came(
    slices: tuple[int, ...], tmp_path: Path
) -> None:
    """They come in slices of so many milliseconds: as many as the machine did in that time."""
    column = Column("a", "int64", "1", "A.")
    files = tmp_path / "whole.parquet", tmp_path / "sliced.parquet"
    for path, parts in zip(files, ((100_000,), slices), strict=True):
        writer, start = _core.Writer(path), 0
        for rows in parts:
            writer.write(Table.of([column], {"a": [n * n % 977 for n in range(start, start + rows)]})._core)
            start += rows
        writer.close()
    assert files[0].read_bytes() == files[1].read_bytes()


def test_what_is_no_parquet_file_is_refused(tmp_path: Path, run: fg.Run) -> None:
    path = tmp_path / "a.parquet"
    with pytest.raises(FileNotFoundError):
        Table.read(path)
    whole = (run.folder / "series.parquet").read_bytes()
    for content in (
        b"",
        b"PAR1",
        whole[:-20],
        whole[:40] + bytes(60) + whole[100:],
        whole[len(whole) // 2 :],
    ):
        path.write_bytes(content)
        with pytest.raises((InputError, _core.BrokenInvariant)):
            Table.read(path)
    path.write_bytes(whole)
    with pytest.raises(InputError, match="rows: expected at most 1"):
        Table.read(path, rows_most=1)


def test_a_missing_package_is_told_with_the_extra_that_brings_it(
    run: fg.Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, ask in (("pandas", "to_pandas"), ("polars", "to_polars"), ("pyarrow", "to_arrow")):
        monkeypatch.setitem(sys.modules, name, None)
        said = f"{name} is not installed, which this needs: pip install 'floatgate\\[frames\\]'"
        with pytest.raises(InputError, match=said):
            getattr(run.series(), ask)()


# None instead of a package is what Python finds where it is not installed.
HIDDEN = "import sys; sys.modules[{package!r}] = None; from floatgate.shell import main; main({words!r})"


@pytest.mark.parametrize(
    ("package", "words"),
    [
        ("numpy", ["characterize", "mt29f8g08maawc", "--experiment", "latency"]),
        ("numpy", ["grid", "slc", "--block", "4k", "--depth", "1", "--op", "read"]),
        ("numpy", ["derive", "poster-mlc"]),
        ("pyarrow", ["fit", "rig.csv", "--chip", "poster-mlc"]),
    ],
)
def test_a_command_without_its_extra_says_so_in_one_line(
    package: str, words: list[str], tmp_path: Path
) -> None:
    import subprocess

    (tmp_path / "rig.csv").write_text("block,page,operation,cycle,latency_us,status\n0,0,program,1,300,ok\n")
    code = HIDDEN.format(package=package, words=words)
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert one_line_error(done).endswith(f"pip install 'floatgate[{EXTRAS[package]}]'")
    assert [path.name for path in tmp_path.iterdir()] == ["rig.csv"]


@pytest.mark.parametrize(
    "call", ["fg.grid('slc')", "fg.characterize('slc-16g')", "fg.fit('rig.csv')", "fg.experiments()"]
)
def test_a_function_without_its_extra_says_so(call: str) -> None:
    import subprocess

    code = f"import sys; sys.modules['numpy'] = None; import floatgate as fg; {call}"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    said = "numpy is not installed, which this needs: pip install 'floatgate[lab]'"
    assert done.stderr.rstrip().endswith(f"InputError: {said}")


def test_a_run_needs_no_extra(tmp_path: Path) -> None:
    """Nothing of an extra is imported by the commands that have none."""
    import subprocess

    (tmp_path / "job.fio").write_text("[x]\nrw=randrw\nsize=1m\nbs=4k\n")
    hide = "".join(f"sys.modules[{package!r}] = None; " for package in EXTRAS)
    words = ["run", str(TINY), "job.fio", "--requests", "--timeline"]
    code = f"import sys; {hide}from floatgate.shell import main; main({words!r})"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


def test_what_is_missing_by_a_fault_of_ours_is_no_extra() -> None:
    assert extras.told(ModuleNotFoundError(name="floatgate.nothing")) is None


def test_every_extra_is_one_of_the_project() -> None:
    import tomllib

    project: dict[str, Any] = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())[
        "project"
    ]
    for package, extra in EXTRAS.items():
        packages = [line.split(">")[0] for line in project["optional-dependencies"][extra]]
        assert package in packages
        assert all(not line.startswith(package) for line in project["dependencies"])
