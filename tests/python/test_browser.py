"""The lab in the browser: the engine's figures are the command's, and the page does what it says.

Its module needs a target that rustc does not come with (`make lab`). Without it, what did not run is said.
"""

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

import floatgate as fg
from portable_runs import ELSEWHERE, MODULE, RUNS, by_command, in_node

ROOT = Path(__file__).parents[2]
WEB = ROOT / "crates/web"
PAGE = ROOT / "out/lab/floatgate-lab.html"
NODE = shutil.which("node")
CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)


def _needs(*parts: Path | str | None) -> None:
    for part, what in zip(parts, ("the module (`make lab`)", "node", "chromium"), strict=False):
        if part is None or not Path(part).exists():
            pytest.skip(f"not run: no {what}")


def _asked(drive: str, settings: tuple[str, ...], state: str, **environment: str) -> Any:
    done = in_node(drive, settings, state, **environment)
    assert done.returncode in (0, 2), done.stderr
    return json.loads(done.stdout) if done.returncode == 0 else done.stderr.strip()


@pytest.mark.parametrize(("drive", "settings", "state"), RUNS)
def test_the_modules_figures_are_the_commands(drive: str, settings: tuple[str, ...], state: str) -> None:
    _needs(MODULE, NODE)
    own = json.loads(by_command(drive, settings, state))
    # Looking on the way changes nothing.
    there = _asked(drive, settings, state, LOOK="1")
    for key, value in own.items():
        if key not in ELSEWHERE:
            assert there[key] == value, key
    assert there["workload"]["requests"] == own["workload"]["requests"]


def test_the_modules_messages_are_the_commands() -> None:
    _needs(MODULE, NODE)
    wrong = {"ftl.op_ratioo": 0.2}
    with pytest.raises(fg.InputError) as found:
        fg.run("small-tlc", "random-write", set=wrong, limit_requests=1)
    assert _asked("small-tlc", ("ftl.op_ratioo=0.2",), "none") == str(found.value)
    large = _asked("small-tlc", ("nand.blocks_per_plane=6000", "ftl.op_ratio=0.2"), "none")
    assert all(part in large for part in ("6000", "1.00 GiB", " fits")), large


def test_a_page_in_chromium(tmp_path: Path) -> None:
    _needs(PAGE, NODE, CHROMIUM)
    alone = tmp_path / "lab.html"
    shutil.copy(PAGE, alone)
    words = [str(NODE), str(WEB / "tests/page.mjs"), str(CHROMIUM), alone.as_uri()]
    done = subprocess.run(words, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert told["complaints"] == []
    assert all(url.startswith(("file:", "blob:", "data:")) for url in told["requests"]), told["requests"]
    assert told["drives"] == len(fg.drives())
    assert (told["columns"], told["interrupted"]) == (4, True)
    assert told["before"] == told["after"]
    assert "damaged" in told["damaged"]
    for text in (told["broken"], told["refused"]):
        assert all(part in text for part in ("drives/small-tlc.toml:", "gcc", "gc")), text
    assert told["kept"] > 5
    assert told["large"].endswith("fits")
    assert told["trace"] == "|2"
    assert told["phone"] == [390, 390]
    assert told["unlabelled"] == []


def test_the_page_is_small_and_its_policy_allows_nothing_else() -> None:
    _needs(PAGE)
    assert PAGE.stat().st_size < 3_000_000
    text = PAGE.read_text()
    policy = text.split('Content-Security-Policy" content="')[1].split('"')[0]
    assert policy.startswith("default-src 'none'; ")
    assert not any(word in policy for word in ("unsafe-inline", "'unsafe-eval'", "http", "*"))
    assert "worker-src blob:" in policy
