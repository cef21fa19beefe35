"""Are the digits of a run the same on every target that can be had here? A table, and what did not run.

`make portable` runs it, outside CI: it takes targets that rustc does not come with.
"""

import hashlib
import json
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tests" / "python"))

from portable_runs import ELSEWHERE, MODULE, RUNS, by_command, in_node  # noqa: E402

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
    return digest(read(by_command(drive, settings, state)))


def module(drive: str, settings: tuple[str, ...], state: str) -> str:
    """Run the module of the browser's lab under Node."""
    done = in_node(drive, settings, state)
    done.check_returncode()
    return digest(read(done.stdout))


def main() -> int:
    """Print the table; 1 when digests differ."""
    missing = "not run: no node" if shutil.which("node") is None else "not run: no module (`make lab`)"
    has_module = shutil.which("node") is not None and MODULE.exists()
    targets: dict[str, Callable[..., str] | str] = {
        "this machine": native,
        "wasm32 under node": module if has_module else missing,
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
