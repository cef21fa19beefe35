"""The rooms of the Python package stand above each other, and no module imports itself by way of others."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[2] / "python" / "floatgate"

#: From the ground up; rooms of one line do not import each other. As in ARCHITECTURE.md.
FLOORS = [
    ["errors", "exits"],
    ["extras"],
    ["callable_room", "files", "values"],
    ["_generated", "options"],
    ["own"],
    ["inputs"],
    ["results", "workers"],
    ["report"],
    ["ecc", "lab", "plan", "reproduce", "shell"],
    ["ageing", "bus", "runs"],
    ["grid", "placing", "serve", "stepping", "study", "twin"],
    ["compare"],
    ["commands"],
    ["generate"],
]
FLOOR = {room: floor for floor, rooms in enumerate(FLOORS) for room in rooms}
#: Modules that lie in no room, and why.
FLAT = {
    "__init__": "the package: what `import floatgate as fg` offers",
    "__main__": "`python -m floatgate`",
    "callable_room": "below every room that bears the name of a function",
    "errors": "the core raises these, and imports them by this name",
    "exits": "`__main__` needs it before the shell is there, and the shell's room imports all of the shell",
    "extras": "the core imports it by this name, where a policy is lent NumPy's arrays",
}
LINES_MOST = 500  # of a file
SCREEN = 60  # lines of a function
METHODS_MOST = 60  # of a class
#: What the package may grow to, but for what is generated, and rooms that an extra brings to work.
PACKAGE_LINES_MOST = 37_540
APART = ("_generated", "lab", "twin")
#: What is imported from above where it is used, and why.
FROM_ABOVE = {
    ("own.check", "commands"): "a policy is checked in a run as its user would have it",
    ("reproduce.simulate", "commands"): "a paper runs what a reader would",
    ("results.notebook", "report"): "an object that shows itself",
    ("results.run", "report"): "`run.report()`, and an object that shows itself",
}


def parts_of(path: Path) -> tuple[str, ...]:
    """Return where a module is, below `floatgate`."""
    parts = path.relative_to(PACKAGE).with_suffix("").parts
    return parts[:-1] if parts[-1] == "__init__" else parts


MODULES = {
    ".".join(parts_of(path)): path
    for path in sorted(PACKAGE.rglob("*.py"))
    if "data" not in path.relative_to(PACKAGE).parts and path != PACKAGE / "__init__.py"
}


def _runs(body: list[ast.stmt], *, inside: bool) -> Iterator[ast.stmt]:
    """Yield the statements that an import runs, with `inside` those of functions; none for types alone."""
    for node in body:
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test):
            continue
        yield node
        if inside or not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            for field in ("body", "orelse", "handlers", "finalbody", "cases"):
                yield from _runs(getattr(node, field, None) or [], inside=inside)


@cache
def imported(name: str, *, inside: bool = False) -> frozenset[str]:
    """Return which of our modules one imports, while it is imported or, `inside`, while its functions run."""
    found = set()
    for node in _runs(ast.parse(MODULES[name].read_text(encoding="utf-8")).body, inside=inside):
        if isinstance(node, ast.Import):
            found |= {one.name for one in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            assert not node.level, f"{name}: a relative import"
            found |= {f"{node.module}.{one.name}" for one in node.names}
    ours = {one.removeprefix("floatgate.") for one in found if one.startswith("floatgate.")}
    ours = {one for one in ours if one.partition(".")[0] != "_core"}  # the core is no module of ours
    return frozenset(one if one in MODULES else one.rpartition(".")[0] for one in ours) - {name, ""}


def room(name: str) -> str:
    """Return the room that a module is in, or the module where it lies in none."""
    return name.partition(".")[0]


def test_what_lies_in_no_room_has_a_reason() -> None:
    assert {path.stem for path in PACKAGE.glob("*.py")} == set(FLAT)


def test_every_room_has_a_floor_and_says_what_it_is_for() -> None:
    rooms = {room(name) for name in MODULES} - {"__main__"}
    assert rooms == set(FLOOR)
    for one in rooms - set(FLAT):
        text = (PACKAGE / one / "__init__.py").read_text(encoding="utf-8")
        assert ast.get_docstring(ast.parse(text)), one


def test_no_module_imports_itself() -> None:
    """Not by way of any other: an import in the wrong order would then fail."""
    done: set[str] = set()

    def look(name: str, path: tuple[str, ...]) -> None:
        assert name not in path, " -> ".join((*path[path.index(name) :], name))
        if name not in done:
            for one in sorted(imported(name)):
                look(one, (*path, name))
            done.add(name)

    for name in MODULES:
        look(name, ())


@pytest.mark.parametrize("name", [name for name in MODULES if room(name) in FLOOR])
def test_no_room_leans_on_one_above_it(name: str) -> None:
    for one in imported(name) | imported(name, inside=True):
        if room(one) in FLOOR and room(one) != room(name) and (name, room(one)) not in FROM_ABOVE:
            assert FLOOR[room(one)] < FLOOR[room(name)], f"{name} imports {one}, which is above it"


def test_what_is_imported_from_above_still_is() -> None:
    for name, above in FROM_ABOVE:
        assert above in {room(one) for one in imported(name, inside=True)}, f"{name}: no {above}"
        assert above not in {room(one) for one in imported(name)}, f"{name}: {above} at its import"


WRITTEN = [name for name in MODULES if room(name) != "_generated"]


@pytest.mark.parametrize("name", WRITTEN)
def test_a_file_is_read_in_one_sitting(name: str) -> None:
    text = MODULES[name].read_text(encoding="utf-8")
    assert len(text.splitlines()) <= LINES_MOST
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef):
            assert (node.end_lineno or 0) - node.lineno < SCREEN, f"{node.name} does not fit a screen"
        if isinstance(node, ast.ClassDef):
            assert sum(isinstance(one, ast.FunctionDef) for one in node.body) <= METHODS_MOST, node.name


def test_the_package_stays_small() -> None:
    """Files of types alone count; files that are links into the repository do not."""
    files = [path for kind in ("*.py", "*.pyi") for path in PACKAGE.rglob(kind)]
    own = [path for path in files if path.relative_to(PACKAGE).parts[0] not in (*APART, "data")]
    assert sum(len(path.read_text(encoding="utf-8").splitlines()) for path in own) <= PACKAGE_LINES_MOST


def test_no_room_hides_a_public_name() -> None:
    """Once a room is imported that bears a public name, all that was there by this name still is."""
    script = (
        "import floatgate as fg, importlib, pathlib\n"
        "rooms = {one.parent.name for one in pathlib.Path(fg.__file__).parent.glob('*/__init__.py')}\n"
        "both = sorted(rooms & set(dir(fg)))\n"
        "assert len(both) > 3, both\n"
        "def offered(name):\n"
        "    found = getattr(fg, name)\n"
        "    return {one for one in dir(found) if not one.startswith('_')} | {callable(found)}\n"
        "before = {name: offered(name) for name in both}\n"
        "[importlib.import_module(f'floatgate.{name}') for name in both]\n"
        "hidden = {name: before[name] - offered(name) for name in both}\n"
        "assert not any(hidden.values()), hidden\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
