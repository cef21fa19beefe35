"""mypy of files that use this checkout, as `make lint` runs it: with its settings, and so with its cache."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def errors(folder: Path, *files: str) -> list[str]:
    """What `mypy --strict` says of files in a folder: its lines of errors."""
    words = [sys.executable, "-m", "mypy", "--no-error-summary", "--hide-error-context"]
    words += [str(folder / file) for file in files]
    environment = os.environ | {"MYPYPATH": str(ROOT / "python")}
    done = subprocess.run(words, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert done.stderr == ""
    return [line for line in done.stdout.splitlines() if ": error: " in line]
