"""What each room of a crate, a file or a folder of its `src`, names of the others; tests are left out."""

import re
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
#: Source folders by the name of their crate.
SOURCES = {path.parent.name: path for path in sorted(ROOT.glob("crates/*/src"))} | {
    "benches": ROOT / "benches" / "src"
}


@cache
def source(path: Path) -> str:
    """Return a source without comments and unit tests."""
    text = re.sub(r"//[^\n]*", "", path.read_text(encoding="utf-8"))
    text = re.sub(r"#\[cfg\(test\)\]\s*(?:pub(?:\([^)]*\))? )?(?:use|mod) [^;{]*(?:\{[^}]*\})?;", "", text)
    return text.partition("#[cfg(test)]\nmod ")[0]


@cache
def files(crate: str) -> tuple[Path, ...]:
    """Return the sources of a crate, but those that are compiled for tests alone."""
    found = sorted(SOURCES[crate].rglob("*.rs"))
    tests = set()
    for path in found:
        for name in re.findall(r"#\[cfg\(test\)\]\s*mod (\w+);", path.read_text(encoding="utf-8")):
            folder = path.parent if path.stem in ("mod", "lib", "main") else path.with_suffix("")
            tests |= {folder / f"{name}.rs", folder / name / "mod.rs"}
    return tuple(path for path in found if path not in tests)


def module_of(crate: str, path: Path) -> tuple[str, ...]:
    """Return where a source stands in its crate; the root is empty."""
    parts = path.relative_to(SOURCES[crate]).with_suffix("").parts
    return parts[:-1] if parts[-1] in ("mod", "lib", "main") else parts


def room_of(crate: str, path: Path) -> str:
    """Return the room that a source is in; `lib` is the root."""
    return next(iter(module_of(crate, path)), "lib")


def split(text: str) -> list[str]:
    """Return the parts of what stands between braces, those of inner braces left together."""
    parts, depth, begin = [], 0, 0
    for at, sign in enumerate(text):
        depth += (sign == "{") - (sign == "}")
        if sign == "," and not depth:
            parts.append(text[begin:at])
            begin = at + 1
    return [part.strip() for part in (*parts, text[begin:]) if part.strip()]


def leaves(path: str) -> list[str]:
    """Return the paths that a `use` of groups comes to."""
    head, brace, rest = path.partition("{")
    if not brace:
        return [path.partition(" as ")[0].strip()]
    return [leaf for part in split(rest.rsplit("}", 1)[0]) for leaf in leaves(head + part)]


def paths(text: str) -> list[str]:
    """Return all paths of a source that begin at its crate or above its module."""
    uses = re.findall(r"\buse ((?:crate|super|self)\b[^;]*);", text)
    rest = re.sub(r"\buse (?:crate|super|self)\b[^;]*;", "", text)
    found = [leaf for use in uses for leaf in leaves(use)]
    return [*found, *re.findall(r"(?<![\w:])(?:crate|super)(?:::\w+)+", rest)]


@cache
def handed_on(crate: str) -> dict[str, str]:
    """Return the room of each name that the root of a crate hands on, itself for what it defines."""
    root = next((path for path in files(crate) if not module_of(crate, path)), None)
    found: dict[str, str] = {}
    for path in files(crate):
        if not module_of(crate, path):
            text = source(path)
            found |= dict.fromkeys(
                re.findall(r"\b(?:fn|struct|enum|trait|type|const|static) (\w+)", text), "lib"
            )
            for use in re.findall(r"\bpub(?:\([^)]*\))? use ([^;]*);", text):
                for leaf in leaves(use):
                    first, *_, last = leaf.removeprefix("crate::").split("::")
                    found[last] = first
    assert root, crate
    return found


@cache
def named(crate: str) -> dict[str, dict[str, list[str]]]:
    """Return by room which others it names, and where."""
    rooms = {room_of(crate, path) for path in files(crate)}
    found: dict[str, dict[str, list[str]]] = {room: {} for room in rooms}
    for path in files(crate):
        module, room = module_of(crate, path), room_of(crate, path)
        if room == "lib":
            continue
        for one in paths(source(path)):
            first, *rest = one.split("::")
            above = list(module) if first != "crate" else []
            parts = [first, *rest]
            while parts and parts[0] in ("crate", "self", "super"):
                if parts.pop(0) == "super":
                    above = above[:-1]
            whole = [*above, *parts]
            if not whole:
                continue
            target = whole[0] if whole[0] in rooms else handed_on(crate).get(whole[0], whole[0])
            if target in rooms and target != room:
                found[room].setdefault(target, []).append(f"{path.relative_to(ROOT)}: {one}")
    return found


def circles(crate: str) -> list[frozenset[str]]:
    """Return the sets of rooms that reach each other."""
    graph = {room: set(others) for room, others in named(crate).items()}

    def reach(room: str) -> set[str]:
        seen: set[str] = set()
        ahead = [room]
        while ahead:
            new = graph[ahead.pop()] - seen
            seen |= new
            ahead.extend(new)
        return seen

    reached = {room: reach(room) for room in graph}
    around = [room for room in graph if room in reached[room]]
    found = {frozenset(b for b in around if b in reached[a] and a in reached[b]) for a in around}
    return sorted(found, key=sorted)
