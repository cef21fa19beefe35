"""Writes THIRD-PARTY-LICENSES.txt: what is compiled into the wheel beside our own crates, and on which terms.

`make licences` runs this where a new crate, or a new version of one, comes in. A crate on terms that are not
listed here is an error. Texts that several crates share stand there once.
"""

import html
import json
import re
import subprocess
import sys
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from textwrap import fill

ROOT = Path(__file__).parents[1]
OUT = ROOT / "THIRD-PARTY-LICENSES.txt"
# Terms that let anyone pass on a program with its notices, the shortest text first: where a crate gives a
# choice, the first of these is taken.
ALLOWED = (
    "0BSD",
    "MIT",
    "Zlib",
    "BSL-1.0",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "bzip2-1.0.6",
    "Unicode-3.0",
    "ISC",
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
)
TARGETS = ("x86_64-unknown-linux-gnu", "aarch64-unknown-linux-gnu")
NOTICE = re.compile(r"(licen[cs]e|copying|notice|copyright)", re.IGNORECASE)
OTHER_TERMS = re.compile(r"(GPL|apache|mit|zlib|0bsd|unlicense|bsd|llvm)", re.IGNORECASE)
# C sources that crates bring along, and the files of their terms.
BUNDLED = {
    "zstd-sys": {"zstd": ("BSD-3-Clause", "zstd/LICENSE")},
    "liblzma-sys": {"XZ Utils (liblzma)": ("0BSD", "xz/COPYING.0BSD")},
}
RUST = "Copyright (c) The Rust Project Developers (see https://thanks.rust-lang.org)"
HEAD = """\
Third-party software in Floatgate's wheel

The extension module of the wheel (floatgate/_core) is compiled from Floatgate's own sources, which are under
MIT or Apache-2.0, from Rust's standard library, and from the crates below, in their Linux builds for x86-64
and aarch64. Python packages that the wheel depends on are installed beside it, each with terms of its own.

This file is written by `make licences` and not by hand.
"""


@dataclass
class Part:
    """A piece of software, its terms and the texts that go with it."""

    name: str
    terms: str
    texts: list[str] = field(default_factory=list)


def chosen(terms: str) -> list[str]:
    """Return which terms are taken of an SPDX expression. Raises ValueError where none is allowed.

    Only the forms that crates have are read: `A OR B`, `A AND B`, `A AND (B OR C)`, `A/B`.
    """
    found = []
    for part in re.split(r"\bAND\b(?![^()]*\))", terms.replace("/", " OR ")):
        offered = [one.strip(" ()") for one in part.split(" OR ")]
        allowed = [one for one in ALLOWED if one in offered]
        if not allowed:
            raise ValueError(f"{terms}: expected one of {', '.join(ALLOWED)}")
        found.append(allowed[0])
    return found


def _said(*command: str) -> str:
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout


def linked() -> set[tuple[str, str]]:
    """Return name and version of each crate that is compiled into the extension module."""
    found = set()
    words = "-e normal,no-proc-macro --prefix none --format {p}"
    for target in TARGETS:
        tree = f"cargo tree --locked -p floatgate-python {words} --target {target}"
        for line in _said(*tree.split()).splitlines():
            name, version, *rest = line.split()
            if not rest or rest == ["(*)"]:  # one of ours has its path here
                found.add((name, version.removeprefix("v")))
    return found


def crates() -> list[Part]:
    """Return the crates, each with the texts of the terms that are taken."""
    told = json.loads(_said("cargo", "metadata", "--locked", "--format-version", "1"))
    packages = {(one["name"], one["version"]): one for one in told["packages"]}
    found = []
    for name, version in sorted(linked()):
        package = packages[name, version]
        taken = chosen(package["license"])
        folder = Path(package["manifest_path"]).parent
        texts = [path.read_text(encoding="utf-8") for path in _notices(folder, taken)]
        found.append(Part(f"{name} {version}", " AND ".join(taken), texts))
        for what, (terms, path) in BUNDLED.get(name, {}).items():
            text = (folder / path).read_text(encoding="utf-8")
            found.append(Part(f"{what}, in {name} {version}", terms, [text]))
    return found


def _notices(folder: Path, taken: list[str]) -> list[Path]:
    """Return files with a crate's terms: the chosen ones where it gives a choice, and files for all of it."""
    files = sorted(path for path in folder.iterdir() if path.is_file() and NOTICE.match(path.name))
    wanted = [one.split("-")[0].lower() for one in taken]
    named = [path for path in files if any(word in path.name.lower() for word in wanted)]
    plain = [path for path in files if not OTHER_TERMS.search(path.suffix + path.stem.partition("-")[2])]
    return named + [path for path in plain if path not in named]


def standard_library() -> list[Part]:
    """Return Rust's standard library and what is compiled into it, by a page that comes with the compiler."""
    root = _said("rustc", "--print", "sysroot").strip()
    version = _said("rustc", "--version").split()[1]
    folder = Path(root) / "share" / "doc" / "rust"
    text = (folder / "licenses" / "MIT.txt").read_text(encoding="utf-8").partition("holders>\n\n")[2]
    found = [Part(f"Rust's standard library {version}", "MIT", [f"{RUST}\n\n{text}"])]
    libraries = Path(root, "lib", "rustlib", TARGETS[0], "lib").glob("lib*.rlib")
    here = {path.name.removeprefix("lib").rpartition("-")[0] for path in libraries}
    page = (folder / "COPYRIGHT-library.html").read_text(encoding="utf-8")
    for one in page.split("<h3>\N{PACKAGE} ")[1:]:
        name = one.partition("</h3>")[0]
        if name.rpartition("-")[0].replace("-", "_") not in here:
            continue
        terms = re.search(r"<b>License:</b> (.+?)</p>", one)
        assert terms is not None, name
        taken = chosen(terms[1])
        texts = dict(re.findall(r"<code>([^<]*)</code></summary>\s*<pre>(.*?)</pre>", one, re.DOTALL))
        kept = [html.unescape(text) for file, text in texts.items() if taken[0].lower() in file.lower()]
        found.append(Part(f"{name}, in Rust's standard library", " AND ".join(taken), kept))
    # The page leaves out what the library's backtraces bring along; two of it are no crates of ours, and of
    # the same project as one that is there.
    gimli = next(part for part in found if part.name.startswith("gimli"))
    others = [name for name in ("addr2line", "object") if name in here]
    found.extend(Part(f"{name}, in Rust's standard library", gimli.terms, gimli.texts) for name in others)
    return found


def written(parts: list[Part], alike: dict[str, str]) -> str:
    """Return the file: the parts by their terms, then each text once, with the parts that it goes with."""
    texts: dict[str, list[str]] = defaultdict(list)
    shown: dict[str, str] = {}
    for part in parts:
        # A crate without a file of its own is under the text that others of its terms have.
        for text in part.texts or [alike[one] for one in part.terms.split(" AND ") if one in alike]:
            key = re.sub(r"\s+", " ", text).strip()
            shown.setdefault(key, text)
            texts[key].append(part.name)
    lines = [HEAD]
    lines += [f"  {part.name}: {part.terms}" for part in parts]
    for key, names in sorted(texts.items(), key=lambda one: (-len(one[1]), one[1])):
        joined = fill(", ".join(dict.fromkeys(names)), 110, break_long_words=False, break_on_hyphens=False)
        text = "\n".join(line.rstrip() for line in shown[key].strip("\n").splitlines())
        lines += ["", "-" * 110, joined, "-" * 110, "", text]
    return "\n".join(lines) + "\n"


def main() -> int:
    """Write the file; 1 where terms are not allowed."""
    try:
        parts = crates()
        standard = standard_library()
    except ValueError as error:
        print(f"make licences: {error}", file=sys.stderr)
        return 1
    alike: dict[str, str] = {}
    for part in parts:
        if len(part.texts) == 1:
            alike.setdefault(part.terms, part.texts[0])
    bare = [part for part in parts if not part.texts]
    OUT.write_text(written([*parts, *standard], alike), encoding="utf-8")
    print(f"wrote {OUT}: {len(parts)} crates and sources, {len(standard)} in Rust's standard library")
    for part in bare:
        print(f"  {part.name}: no file of its terms in the crate: {part.terms}, the text of others")
    return 0


if __name__ == "__main__":
    sys.exit(main())
