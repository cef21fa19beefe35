"""What a reader of the sources may rely on: functions fit a screen, names say something, all is called."""

import re
from collections import Counter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
CRATES = ROOT / "crates"
FILES = sorted(CRATES.glob("*/src/**/*.rs"))
NAMES = [str(path.relative_to(CRATES)) for path in FILES]

#: Names that say nothing of what a file holds.
EMPTY_NAMES = {"at_work", "common", "helpers", "misc", "rest", "stuff", "things", "util", "utils", "ways"}
LINES_MOST = 60
#: A longer function says in a comment that begins so, right above it, why it is one.
REASON = "// Long: "
FIELDS_MOST = 15
#: Structs with more: what a user writes, columns, what is hot together. These numbers may only fall.
FIELDS = {
    "Ageing": 18,
    "Bus": 18,
    "CellPhysics": 21,
    "Checker": 21,
    "Controller": 16,
    "Die": 24,
    "FioWorkload": 20,
    "FlashArray": 16,
    "JobSpec": 72,
    "Ledger": 16,
    "Model": 17,
    "Parameters": 16,
    "Precondition": 21,
    "Request": 27,
    "Run": 36,
    "RunOptions": 16,
    "Server": 17,
    "Session": 19,
    "SharedContents": 16,
    "Survey": 17,
    "TraceInfo": 39,
    "TraceOptions": 16,
    "Transaction": 28,
    "Wear": 17,
    "WholeDrive": 16,
    "Worker": 30,
    "WorkloadCopies": 16,
}
STRUCT = re.compile(r"( *)(?:pub(?:\([a-z]+\))? )?struct (\w+).*\{$")
#: Public functions that keep a boolean parameter, and why.
PLAIN_BOOLEANS = {
    "check_policy": "an option of a Python function, named at its call",
    "memory_bytes": "an option of a Python function, named at its call",
    "page_error_rates": "an option of a Python function, named at its call",
}
#: A function that others can call: public, or a method of a trait.
OPEN_FUNCTION = re.compile(
    r"^ *(pub(?:\([a-z]+\))? )?(?:const )?fn (\w+)"
    r"(?:<(?:[^<>]|<[^<>]*>|->)*>)?"  # its type parameters
    r"\(((?:[^()]|\((?:[^()]|\([^()]*\))*\))*)\)",  # its parameters
    re.MULTILINE,
)
TRAIT = re.compile(r"^( *)(?:pub(?:\([a-z]+\))? )?trait .*?^\1\}$", re.MULTILINE | re.DOTALL)
FUNCTION = re.compile(r"( *)(?:pub(?:\([a-z]+\))? )?(?:const )?fn (\w+)")


def functions(lines: list[str]) -> list[tuple[str, int, int]]:
    """Return the name, first line and length of each function, by the brace that stands below its `fn`."""
    found = []
    for at, line in enumerate(lines):
        match = FUNCTION.match(line)
        if not match or line.endswith((";", "}")):
            continue
        end = next((i for i in range(at, len(lines)) if lines[i] == match[1] + "}"), at)
        found.append((match[2], at, end - at + 1))
    return found


@pytest.mark.parametrize("file", NAMES)
def test_a_function_fits_a_screen(file: str) -> None:
    lines = (CRATES / file).read_text().splitlines()
    for name, at, length in functions(lines):
        if length > LINES_MOST:
            above = next(i for i in range(at - 1, -1, -1) if not lines[i].strip().startswith(("#[", "///")))
            assert lines[above].strip().startswith(REASON), (
                f"{name} has {length} lines, and no {REASON!r} above it"
            )


def fields(lines: list[str], at: int, indent: str) -> int:
    """Return how many fields the struct has whose first line is `lines[at]`."""
    end = lines.index(indent + "}", at)
    field = re.compile(indent + r" {4}(?:pub(?:\([a-z]+\))? )?\w+: ")
    return sum(1 for line in lines[at:end] if field.match(line))


@pytest.mark.parametrize("file", NAMES)
def test_a_struct_has_few_fields(file: str) -> None:
    lines = (CRATES / file).read_text().splitlines()
    structs = [(at, match) for at, line in enumerate(lines) if (match := STRUCT.match(line))]
    counts = {match[2]: fields(lines, at, match[1]) for at, match in structs}
    assert {name: count for name, count in counts.items() if count > FIELDS.get(name, FIELDS_MOST)} == {}


def test_a_call_says_what_it_asks_for() -> None:
    """No boolean parameter in a public signature: `true` says nothing where it is written."""
    found = set()
    for path in FILES:
        text = path.read_text()
        traits = [(match.start(), match.end()) for match in TRAIT.finditer(text)]
        for match in OPEN_FUNCTION.finditer(text):
            is_open = match[1] or any(start < match.start() < end for start, end in traits)
            if is_open and re.search(r"\w: bool\b", match[3]):
                found.add(match[2])
    assert found == set(PLAIN_BOOLEANS)
    hooks = (CRATES / "ftl/src/features/hooks.rs").read_text()
    assert not re.findall(r"^    (?:tell|ask) .*\w: bool\b.*", hooks, re.MULTILINE)


def test_a_module_is_named_for_what_it_holds() -> None:
    assert not [file for file in NAMES if Path(file).stem in EMPTY_NAMES]


def test_a_public_function_is_called() -> None:
    texts = [
        path.read_text() for path in sorted(CRATES.rglob("*.rs")) + sorted((ROOT / "benches").rglob("*.rs"))
    ]
    words = Counter(word for text in texts for word in re.findall(r"\w+", text))
    public = {
        name for text in texts for name in re.findall(r"^ *pub (?:const )?fn (\w+)", text, re.MULTILINE)
    }
    assert not sorted(name for name in public if words[name] < 2)


def test_the_glossary_says_each_word_once() -> None:
    words = Counter(re.findall(r"^\| \*\*(.+?)\*\*", (ROOT / "GLOSSARY.md").read_text(), re.MULTILINE))
    assert len(words) > 50
    assert not [word for word, count in words.items() if count > 1]
