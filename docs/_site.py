"""What MkDocs needs to know beyond `mkdocs.yml`: the pages outside `docs/`, the order of all, and their links.

The papers' READMEs and the pages in the repository's root are pages of the site, too. A link to a file that is no
page, as one to the code, is shown as text: the site stands alone.
"""

import logging
import posixpath
import re
import sys
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

sys.path.insert(0, str(Path(__file__).parent))
import _reference

ROOT = Path(__file__).parents[1]
LAB = ROOT / "out/lab/site"
LOG = logging.getLogger("mkdocs.hooks.site")

# Sections in the order of the tabs, each a folder; their pages in the order given, then by title.
HOW_TO = (
    "install",
    "printed-table",
    "from-other-tools",
    "data-sheet",
    "aged-tail",
    "python",
    "data-frames",
    "browser",
    "embed",
    "own-policies",
    "published-policies",
    "studies",
    "compare",
    "cluster",
)
SECTIONS = {
    "Tutorials": ("tutorials", ("systems-engineer", "researcher", "architect", "flash-engineer")),
    "How to": ("how-to", (*HOW_TO, "policies", "adding")),
    "Explanation": ("explanation", ()),
    "Reference": (
        "reference",
        ("state", "options", "python", "keys", "results", "tables", "policies", "drives", "chips", "formats"),
    ),
    "Papers": ("papers", ("index",)),
    "Contributing": (
        "contributing",
        (
            "index",
            "architecture",
            "source-tree",
            "seams",
            "invariants",
            "portable",
            "dependencies",
            "releasing",
        ),
    ),
}
# Lists of pages at the end of a section, each from a folder of its own.
NESTED = (
    ("Reference", "Each decision", "reference/policies"),
    ("Reference", "Each drive", "reference/drives"),
    ("Contributing", "Records of decisions", "decisions"),
)
# A page that is not in the folder of its section.
PLACED = {"scale.md": "explanation"}
OUTSIDE = {
    "ARCHITECTURE.md": "contributing/architecture.md",
    "CHANGELOG.md": "reference/changelog.md",
    "CONTRIBUTING.md": "contributing/index.md",
    "GLOSSARY.md": "reference/glossary.md",
    "README.md": "contributing/readme.md",
    "benches/README.md": "contributing/benches.md",
    "benches/gpu/README.md": "contributing/gpu.md",
    "benches/peers/README.md": "contributing/peers.md",
    "papers/README.md": "papers/index.md",
}

_FENCE = re.compile(r"(^ *```.*?^ *```$|`[^`\n]+`)", re.DOTALL | re.MULTILINE)
_CELL_CODE = re.compile(r"<td><code>[^<>]*</code>")
_LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^)\s]+)\)")


def outside() -> dict[str, str]:
    """Return where files outside `docs/` stand in the site."""
    found = dict(OUTSIDE)
    for readme in sorted(ROOT.glob("papers/*/README.md")):
        folder = readme.parent
        found[f"papers/{folder.name}/README.md"] = f"papers/{folder.name}.md"
        found |= {
            f"papers/{folder.name}/{f.name}": f"papers/{folder.name}/{f.name}" for f in folder.glob("*.svg")
        }
    return found


def on_files(files: Files, config: Any) -> Files:
    """Add the files outside `docs/` and the pages that are made now."""
    for uri, page in _reference.PAGES.items():
        files.append(File.generated(config, uri, content=page()))
    for source, uri in outside().items():
        files.append(File.generated(config, uri, abs_src_path=str(ROOT / source)))
    for file in sorted(LAB.glob("*")):  # where it is built: `make lab`
        files.append(File.generated(config, f"lab/{file.name}", abs_src_path=str(file)))
    pages = {file.src_uri: file for file in files.documentation_pages()}
    config.nav = [{"Home": "index.md"}]
    for title, (folder, first) in SECTIONS.items():
        inside = [uri for uri in pages if posixpath.dirname(uri) == folder or PLACED.get(uri) == folder]
        place = {f"{folder}/{name}.md": rank for rank, name in enumerate(first)}
        inside.sort(key=lambda uri: (place.get(uri, len(place)), _title(pages[uri])))
        config.nav.append(
            {title: [uri if uri.endswith("index.md") else {_title(pages[uri]): uri} for uri in inside]}
        )
    for section, title, folder in NESTED:
        entries = next(entry[section] for entry in config.nav if section in entry)
        entries.append({title: [uri for uri in pages if posixpath.dirname(uri) == folder]})
    return files


def _title(page: File) -> str:
    """The first heading, without marks."""
    heading = re.search(r"^# (.+)$", page.content_string, re.MULTILINE)
    return re.sub(r"[`*]", "", heading[1]).split(":")[0] if heading else page.src_uri


def on_page_markdown(markdown: str, page: Any, files: Files, **_: Any) -> str:
    """Turn links within the repository into links within the site."""
    places = {f"docs/{file.src_uri}": file.src_uri for file in files} | outside()
    here = next((source for source, uri in outside().items() if uri == page.file.src_uri), None)
    source = here or f"docs/{page.file.src_uri}"

    def link(found: re.Match[str]) -> str:
        mark, text, target = found[1], found[2], found[3]
        if mark and "](" in text:
            return found[0]
        text = _LINK.sub(link, text)
        path, _hash, anchor = target.partition("#")
        if not path or "://" in path:
            return f"{mark}[{text}]({target})"
        inside = posixpath.normpath(posixpath.join(posixpath.dirname(source), path))
        uri = places.get(inside) or places.get(f"{inside}/README.md")
        if uri is None:
            if not (ROOT / inside).exists():
                LOG.warning("%s: %s leads nowhere", source, target)
            return text
        relative = posixpath.relpath(uri, posixpath.dirname(page.file.src_uri) or ".")
        return f"{mark}[{text}]({relative}{'#' + anchor if anchor else ''})"

    parts = _FENCE.split(markdown)
    return "".join(part if n % 2 else _LINK.sub(link, part) for n, part in enumerate(parts))


# What the theme leaves without a name for readers that cannot see it.
_NAMED = (
    ('data-md-component="search" role="dialog"', 'aria-label="Search"'),
    ('type="checkbox" id="__search"', 'aria-label="Search"'),
    ('type="checkbox" id="__drawer"', 'aria-label="Navigation"'),
)


def on_post_page(output: str, **_: Any) -> str:
    """Let names in tables break behind dots and underscores where a narrow screen needs it; search has them whole."""
    for part, name in _NAMED:
        output = output.replace(part, f"{part} {name}")
    return _CELL_CODE.sub(lambda found: re.sub(r"([._])(?=\w)", r"\1<wbr>", found[0]), output)
