"""What the translation layer outside a feature's room says of it, and how many methods its types have.

`python tests/python/feature_counts.py` prints both; `test_features.py` and `test_crate_rooms.py` hold the
ceilings, which may only fall.
"""

import re
import sys
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).parents[2]
SOURCES = ROOT / "crates" / "ftl" / "src"

#: How a feature is spelled, and what is its own beside `features/NAME`: the seam of its policies.
FEATURES = {
    "costs": (r"regulat\w*", ["regulator"]),
    "demand": (r"demand\w*|map_on_flash", ["flash_map", "mapping", "recovery"]),
    "parity": (r"parity\w*|stripes?\b\w*|rebuilds?", ["parity"]),
    "snapshots": (r"snapshot\w*", ["snapshot_expiry"]),
    "sectors": (r"sectors\w*", []),
    "slc_cache": (r"slc_cache\w*", ["slc_cache"]),
    "trims": (r"trims\b|records_trims|trim_records|deterministic\w*", []),
}

#: Where each feature is named once: the list, what the crate hands on, which features go together.
LISTS = ["features/mod", "lib", "compatibility"]


def code(path: Path) -> str:
    """Return a source without its comments and unit tests."""
    text = path.read_text(encoding="utf-8").split("#[cfg(test)]")[0]
    return re.sub(r"//[^\n]*", "", text)


def room_of(path: Path) -> str:
    """Return where a source lies, without its ending."""
    return path.relative_to(SOURCES).as_posix().removesuffix(".rs").removesuffix("/mod")


def mentions() -> dict[str, int]:
    """Return how often each feature is named outside its rooms, in whatever identifier or string."""
    found = dict.fromkeys(FEATURES, 0)
    for path in sorted(SOURCES.rglob("*.rs")):
        room, text = path.relative_to(SOURCES).as_posix().removesuffix(".rs"), code(path)
        if room in LISTS:
            continue
        for name, (spelling, own) in FEATURES.items():
            rooms = [f"features/{name}", *own]
            if not any(room == one or room.startswith(f"{one}/") for one in rooms):
                found[name] += len(re.findall(rf"(?i)(?<![a-z])(?:{spelling})", text))
    return found


def methods() -> Counter[str]:
    """Return the methods of each type; a free function that changes a `Media` is one of its methods."""
    found: Counter[str] = Counter()
    for path in SOURCES.rglob("*.rs"):
        owner = None
        for line in code(path).splitlines():
            begins = re.match(r"(?:pub(?:\([^)]*\))? )?(impl|trait)\b(?:<[^>]*>)? (.*)\{", line)
            if begins:
                kind, rest = begins.groups()
                is_of_trait = kind == "impl" and " for " in rest
                owner = None if is_of_trait else rest.split("<")[0].split()[0].strip(":")
            elif line.startswith("}"):
                owner = None
            elif owner and re.match(r" {4}(?:pub(?:\([^)]*\))? )?(?:const )?fn \w", line):
                found[owner] += 1
            elif re.match(r"(?:pub(?:\([^)]*\))? )?fn \w+.*&mut Media", line):
                found["Media"] += 1
    return found


def main() -> None:
    """Print what there is."""
    lines = ["mentions outside the feature's room"]
    lines += [f"  {name:12} {count:4}" for name, count in mentions().items()]
    lines += ["methods of a type"]
    lines += [f"  {name:12} {count:4}" for name, count in methods().most_common(12)]
    sys.stdout.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
