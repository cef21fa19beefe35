"""Runs whose digits must be the same in the command and in the module of `make lab`, asked of each."""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
MODULE = ROOT / "target/wasm32-wasip1/web/web.wasm"
# What differs between two runs on one machine, too: time on the wall, memory, how the run was asked for.
ELSEWHERE = ("engine", "invocation", "config_places", "remarks", "series", "histogram", "timing", "workload")
JOB = (
    "[mixed]\nfilename=/dev/nvme0n1\nioengine=libaio\niodepth=16\nrw=randrw\nnorandommap\nbs=4k\n"
    "random_distribution=zipf:0.9\nnumber_ios=20000\n"
)
SHRUNK = ("geometry.ways=2", "geometry.channels=2", "nand.blocks_per_plane=20", "ftl.user_capacity=4GB")
#: Drive, keys set on top, state before.
Run = tuple[str, tuple[str, ...], str]
RUNS: tuple[Run, ...] = (
    ("small-tlc", ("nand.pages_per_block=192", "ftl.op_ratio=0.2"), "instant"),
    ("slc", ("ftl.user_capacity=1GB", "nand.blocks_per_plane=64"), "none"),
    ("nvme-tlc", (*SHRUNK, "ftl.slc_cache.name=none", "ftl.reading.age=365d"), "fill"),
)


def by_command(drive: str, settings: tuple[str, ...], state: str) -> str:
    """Return `run.json` of the command."""
    with tempfile.TemporaryDirectory() as folder:
        job, out = Path(folder) / "job.fio", Path(folder) / "out"
        job.write_text(JOB)
        changes = [word for change in settings for word in ("--set", change)]
        words = ["run", drive, str(job), "--seed", "7", "--precondition", state, "--no-report", *changes]
        command = [sys.executable, "-m", "floatgate", *words, "--out", str(out)]
        subprocess.run(command, check=True, capture_output=True)
        return (out / "run.json").read_text()


def in_node(
    drive: str, settings: tuple[str, ...], state: str, **environment: str
) -> subprocess.CompletedProcess[str]:
    """Run the module under Node; 0: the result is printed, 2: the module's message is."""
    workload = {"kind": "fio_text", "name": "job", "text": JOB}
    options = {"seed": 7, "precondition": state}
    question: dict[str, Any] = {"ask": "begin", "drive": drive, "set": list(settings)}
    question |= {"workload": workload, "options": options}
    words = ["node", str(ROOT / "crates/web/page/node.mjs"), str(MODULE), str(ROOT)]
    text, around = json.dumps(question), os.environ | environment
    return subprocess.run(words, input=text, capture_output=True, text=True, env=around, check=False)
