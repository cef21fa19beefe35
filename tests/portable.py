"""Are the digits of a run the same on every target that can be had here? A table, and what did not run.

`make portable` runs it, outside CI: it takes targets that rustc does not come with.
"""

import hashlib
import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
MODULE = ROOT / "target/wasm32-wasip1/web/web.wasm"
# What differs between two runs on one machine, too: time on the wall, memory, how the run was asked for.
ELSEWHERE = {"engine", "invocation", "config_places", "remarks", "series", "histogram", "timing", "workload"}
JOB = (
    "[mixed]\nfilename=/dev/nvme0n1\nioengine=libaio\niodepth=16\nrw=randrw\nnorandommap\nbs=4k\n"
    "random_distribution=zipf:0.9\nnumber_ios=20000\n"
)
SHRUNK = ("geometry.ways=2", "geometry.channels=2", "nand.blocks_per_plane=20", "ftl.user_capacity=4GB")
RUNS = (
    ("small-tlc", ("nand.pages_per_block=192", "ftl.op_ratio=0.2"), "instant"),
    ("slc", ("ftl.user_capacity=1GB", "nand.blocks_per_plane=64"), "none"),
    ("nvme-tlc", (*SHRUNK, "ftl.slc_cache.name=none", "ftl.reading.age=365d"), "fill"),
)
NOT_RUN = {
    "aarch64": "not run: no recipe for qemu-user",
    "riscv64": "not run: no recipe for qemu-user",
    "s390x (big-endian)": "not run: no recipe for qemu-user",
    "x86_64-pc-windows-gnu": "not run: no recipe for Wine",
}


def digest(result: dict[str, Any]) -> str:
    """Return one word for all digits of a result that another machine should have, too."""
    kept = {key: value for key, value in result.items() if key not in ELSEWHERE}
    return hashlib.sha256(json.dumps(kept, sort_keys=True).encode()).hexdigest()[:16]


def read(text: str) -> dict[str, Any]:
    """Return a result whose numbers are written alike: JavaScript writes 1.0 as 1."""
    document: dict[str, Any] = json.loads(text, parse_int=float)
    return document


def native(drive: str, settings: tuple[str, ...], state: str) -> str:
    """Run the command."""
    with tempfile.TemporaryDirectory() as folder:
        job = Path(folder) / "job.fio"
        job.write_text(JOB)
        changes = [word for change in settings for word in ("--set", change)]
        words = ["run", drive, str(job), "--seed", "7", "--precondition", state, "--no-report", *changes]
        out = Path(folder) / "out"
        command = [sys.executable, "-m", "floatgate", *words, "--out", str(out)]
        subprocess.run(command, check=True, capture_output=True)
        return digest(read((out / "run.json").read_text()))


def in_node(drive: str, settings: tuple[str, ...], state: str) -> str:
    """Run the module of the browser's lab under Node."""
    workload = {"kind": "fio_text", "name": "job", "text": JOB}
    options = {"seed": 7, "precondition": state}
    question = {"ask": "begin", "drive": drive, "set": settings, "workload": workload, "options": options}
    words = ["node", str(ROOT / "crates/web/page/node.mjs"), str(MODULE), str(ROOT)]
    done = subprocess.run(words, input=json.dumps(question), check=True, capture_output=True, text=True)
    return digest(read(done.stdout))


def main() -> int:
    """Print the table; 1 when digests differ."""
    missing = "not run: no node" if shutil.which("node") is None else "not run: no module (`make lab`)"
    has_module = shutil.which("node") is not None and MODULE.exists()
    targets: dict[str, Callable[..., str] | str] = {
        "this machine": native,
        "wasm32 under node": in_node if has_module else missing,
        **NOT_RUN,
    }
    differ = False
    for run in RUNS:
        sys.stdout.write(f"{run[0]}, {run[2]}\n")
        expected = ""
        for target, how in targets.items():
            found = how if isinstance(how, str) else how(*run)
            expected = expected or found
            same = isinstance(how, str) or found == expected
            differ = differ or not same
            sys.stdout.write(f"  {target:24} {found}{'' if same else '  DIFFERS'}\n")
    return int(differ)


if __name__ == "__main__":
    sys.exit(main())
