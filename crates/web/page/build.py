"""Put the page of the browser's lab together: one file that works from a disk, a folder for a static host.

`python crates/web/page/build.py MODULE OUT`: MODULE is what cargo built for `wasm32-wasip1`.
"""

import base64
import gzip
import hashlib
import json
import re
import sys
from pathlib import Path

PAGE = Path(__file__).parent
ROOT = PAGE.parents[2]
WORKER = ("wasi.js", "engine.js", "worker.js")
SCRIPT = ("charts.js", "link.js", "guides.js", "page.js")
# A module may be compiled, and no text be evaluated; nothing is loaded but what is named.
POLICY = "default-src 'none'; base-uri 'none'; form-action 'none'; img-src data:; "
ALONE = "script-src {scripts} 'wasm-unsafe-eval'; style-src {styles}; worker-src blob:"
SPLIT = "script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; worker-src 'self'; connect-src 'self'"


def texts() -> dict[str, str]:
    """Return the drives and chips that come with Floatgate, by path."""
    files = [*ROOT.glob("drives/**/*.toml"), *ROOT.glob("chips/**/*.toml")]
    return {file.relative_to(ROOT).as_posix(): file.read_text() for file in sorted(files)}


def kit(module: bytes) -> bytes:
    """Return drives, chips and the module in one packed piece, the same for the same input."""
    head = json.dumps(texts(), separators=(",", ":")).encode()
    return gzip.compress(len(head).to_bytes(4, "little") + head + module, 9, mtime=0)


def joined(names: tuple[str, ...]) -> str:
    """Return scripts as one, strict as each is."""
    return '"use strict";\n' + "".join(
        (PAGE / name).read_text().replace('"use strict";\n', "") for name in names
    )


def style() -> str:
    """Return the style of reports, and what the page needs beyond it."""
    return (ROOT / "python/floatgate/report/style.css").read_text() + (PAGE / "page.css").read_text()


def source(text: str) -> str:
    """Return the hash by which a policy allows an element with this text."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def filled(**parts: str) -> str:
    """Return the page with its marks replaced."""
    return re.sub(r"@([A-Z]+)@", lambda mark: parts[mark[1].lower()], (PAGE / "page.html").read_text())


def alone(packed: bytes) -> str:
    """Return the page with all it needs inside. What is no script is held by elements that do not run."""
    script = joined(SCRIPT).replace("</", "<\\/")
    script = (
        "const workerPlace = () => URL.createObjectURL(\n"
        "  new Blob([document.getElementById('worker').textContent], { type: 'text/javascript' }));\n"
        "const kitPlace = () => ({ base64: document.getElementById('kit').textContent });\n" + script
    )
    policy = POLICY + ALONE.format(scripts=source(script), styles=source(style()))
    elements = (
        f'<script type="text/plain" id="worker">{joined(WORKER)}</script>\n'
        f'<script type="text/plain" id="kit">{base64.b64encode(packed).decode()}</script>\n'
        f"<script>{script}</script>"
    )
    return filled(policy=policy, style=f"<style>{style()}</style>", script=elements)


def split(packed: bytes) -> dict[str, bytes]:
    """Return the files of the page for a static host."""
    places = "const workerPlace = () => 'worker.js';\nconst kitPlace = () => ({ url: 'kit.bin' });\n"
    page = filled(
        policy=POLICY + SPLIT,
        style='<link rel="stylesheet" href="lab.css">',
        script='<script src="lab.js"></script>',
    )
    return {
        "index.html": page.encode(),
        "lab.css": style().encode(),
        "lab.js": (places + joined(SCRIPT)).encode(),
        "worker.js": joined(WORKER).encode(),
        "kit.bin": packed,
    }


def main(module: Path, out: Path) -> None:
    """Write both forms."""
    packed = kit(module.read_bytes())
    site = out / "site"
    site.mkdir(parents=True, exist_ok=True)
    (out / "floatgate-lab.html").write_text(alone(packed))
    for name, content in split(packed).items():
        (site / name).write_bytes(content)
    for file in sorted(out.rglob("*.*")):
        sys.stdout.write(f"{file.stat().st_size:>9,} bytes  {file}\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
