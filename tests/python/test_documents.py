"""What the documents show is run as it stands, page by page."""

import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from documents import ROOT, RUN, Tally, Wrong, blocks, environment_of, pages, report, run_page

PAGES = [page for page in pages() if any(block.language in RUN for block in blocks(page))]


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """A path on which `floatgate` is that of this checkout."""
    folder = tmp_path_factory.mktemp("bin")
    (folder / "floatgate").write_text(f'#!/bin/sh\nexec {sys.executable} -m floatgate "$@"\n')
    (folder / "floatgate").chmod(0o755)
    caches = {name: os.environ[name] for name in ("FLOATGATE_PILOTS", "FLOATGATE_PAGES")}
    return environment_of(folder, PYTHONPATH=str(ROOT / "python"), FLOATGATE_PYTHON=sys.executable, **caches)


@pytest.fixture(scope="module")
def tallies(request: pytest.FixtureRequest) -> Iterator[dict[str, Tally]]:
    """What was run of each page; said at the end."""
    found: dict[str, Tally] = {}
    yield found
    terminal = request.config.pluginmanager.get_plugin("terminalreporter")
    if found and terminal is not None:
        terminal.write_line("\n" + report(found))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_a_page_runs_as_it_stands(
    page: Path, tmp_path: Path, environment: dict[str, str], tallies: dict[str, Tally]
) -> None:
    tallies[str(page)] = run_page(page, tmp_path, environment)


def test_every_command_of_the_documents_is_in_a_block_that_is_run() -> None:
    """A line that begins with the command is one: in a block of another kind no test would run it."""
    for page in pages():
        for block in blocks(page):
            if block.language not in RUN:
                for line in block.text.splitlines():
                    assert not line.strip().startswith(("floatgate ", "$ floatgate ")), (
                        f"{block.place}: {line}"
                    )
        for number, line in enumerate(page.read_text(encoding="utf-8").splitlines(), 1):
            assert not line.startswith("    floatgate "), (
                f"{page.relative_to(ROOT)}:{number}: a block without fence"
            )


#: Where the command of a block that is not run does run: a test, a page, a paper, a target of make.
_PLACE = re.compile(r"(?:tests|crates|docs|papers)/[\w/.-]*\w|`make [^`]+`|`\.ci/run`|nowhere")
_NOT_RUN_AT_MOST = 20


def test_a_command_that_is_not_run_says_where_it_does_run() -> None:
    whole = []
    for page in pages():
        for block in blocks(page):
            for rule in (rule for rule in block.rules if rule.kind == "not run"):
                place = _PLACE.search(rule.text)
                assert place, f"{block.place}: not run, and no place where it is: {rule.text}"
                if "/" in place[0] and not place[0].startswith("`"):
                    assert (ROOT / place[0]).exists(), f"{block.place}: no {place[0]}"
                if not rule.prefix and "papers" not in page.parts:
                    whole.append(block.place)
    assert len(whole) <= _NOT_RUN_AT_MOST, whole


_ALL_PAGES = [
    *pages(),
    *(ROOT / name for name in ("ARCHITECTURE.md", "CONTRIBUTING.md", "benches/README.md")),
]


def _cells(row: str) -> int:
    """How many cells a row of a table has: code may hold a bar only behind a backslash, as elsewhere."""
    return len(re.split(r"(?<!\\)\|", row.strip().removeprefix("|").removesuffix("|")))


@pytest.mark.parametrize("page", _ALL_PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_each_row_of_a_table_has_the_cells_of_its_head(page: Path) -> None:
    columns, fenced = 0, False
    for number, line in enumerate(page.read_text(encoding="utf-8").splitlines(), 1):
        fenced ^= line.lstrip().startswith("```")
        if fenced or not line.startswith("|"):
            columns = 0
            continue
        columns = columns or _cells(line)
        assert _cells(line) == columns, (
            f"{page.relative_to(ROOT)}:{number}: {_cells(line)} cells of {columns}"
        )


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("```sh\ntrue\n```\n", None),
        ("```sh\nfalse\n```\n", "exit 1"),
        ("<!-- not run: it fails -->\n\n```sh\nfalse\n```\n", None),
        (
            "<!-- not run (truth): no such command here -->\n\n```sh\ntrue\n```\n",
            "no command of the block begins so",
        ),
        (
            '<!-- smaller (echo): 2 -->\n\n```sh\necho 1 > out  # all\ntest -z "$(cat out)" || exit 3\n```\n',
            "exit 3",
        ),
        ("<!-- smaller (test): 900 -> 9 -->\n\n```sh\ntest 900 = 9\n```\n", None),
        ("```console\n$ echo 12 of 13\n12 of ...\n```\n", None),
        ("```console\n$ echo 12\n13\n```\n", "the page shows: 13"),
        ("```console\n$ seq 3\n1\n3\n```\n", "it prints: 2"),
        ("```console\n$ seq 3\n1\n2\n```\n", "the page ends, and this is printed: 3"),
        ("```console\n$ seq 3\n1\n...\n3\n```\n", None),
        ("```console\n$ seq 3\n1\n...\n```\n", None),
        (
            "```console\n$ printf '1.8\\nnote: Nothing was collected.\\n2\\n'\n1.8\n...\n2\n```\n",
            "hides: note",
        ),
        ("```console\n$ printf '1.8\\nnote: Nothing was collected.\\n'\n1.8\nnote: Nothing ...\n```\n", None),
        ("```console\n$ echo '1.83 (too short to say)'\n1.83 ...\n```\n", "hides 'too short to say'"),
        (
            "```console\n$ echo 'simulated 1 s in 0.31 s (3M)'\nsimulated 1 s in 9.9 s (1 x)\n```\n",
            None,
        ),
        (
            "```console\n$ echo 'simulated 1 s in 0.31 s (3M)'\nsimulated 2 s in 0.31 s (3M)\n```\n",
            "it prints",
        ),
        ("```python\nprint(1.85)\n```\n\n```text\n1.85\n```\n", None),
        ("```python\nprint(1.85)\n```\n\n```text\n1.84\n```\n", "the page shows: 1.84"),
        ("```python\nprint(1.85)\n```\n\nBeside it:\n\n```text\n1.84\n```\n", None),
        (
            "<!-- smaller (seq): 2 -->\n\n```console\n$ seq 3\n1\n```\n",
            "made smaller, and its output is shown",
        ),
        ("```python\nx = 1\n```\n\n```python\nassert x == 1\n```\n", None),
        ("```python\nassert False\n```\n", "AssertionError"),
    ],
)
def test_the_runner_sees_what_is_wrong(
    text: str, wrong: str | None, tmp_path: Path, environment: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("documents.ROOT", tmp_path)
    (tmp_path / "page.md").write_text(text)
    if wrong is None:
        run_page(tmp_path / "page.md", tmp_path, environment)
    else:
        with pytest.raises(Wrong, match=wrong):
            run_page(tmp_path / "page.md", tmp_path, environment)
