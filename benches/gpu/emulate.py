"""Run the GPU's kernel on a processor, on first words with a known outcome: `emulate.py WORDS [BATCHES]`."""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

from words import Matrix, macros, noise_of


def main(folder: Path, batches: int) -> int:
    """Compare the words of every job that says what they come to; return how many jobs differ."""
    differ = 0
    for job in json.loads((folder / "jobs.json").read_text())["jobs"]:
        if "expected" not in job:
            continue
        matrix = Matrix(folder / job["graph"])
        with tempfile.TemporaryDirectory() as scratch:
            program = Path(scratch, "emulate")
            definitions = [f"-D{name}={value}" for name, value in macros(matrix, job).items()]
            source = Path(__file__).with_name("emulate.cpp")
            subprocess.run(
                ["g++", "-O2", "-w", "-ffp-contract=off", *definitions, source, "-o", program], check=True
            )
            lists = [",".join(map(str, job[name])) for name in ("below", "levels")]
            files = [folder / job[name] for name in ("graph", "sent", "expected")]
            print(job["name"], end=": ", flush=True)  # noqa: T201
            ended = subprocess.run(
                [program, *files, str(batches), str(noise_of(job["seed"])), *lists], check=False
            )
            differ += ended.returncode != 0
    return differ


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 1))
