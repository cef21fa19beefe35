"""Workers stop when they are told to, and when nobody is left to tell them."""

import subprocess
import sys
from pathlib import Path

import pytest

_KILLED = """
import multiprocessing, os, signal
from floatgate.stop import Stop

def work(stop):
    print("at work", flush=True)
    os.kill(os.getppid(), signal.SIGKILL)
    while not stop.is_set():
        pass
    print("stopped", flush=True)

if __name__ == "__main__":
    context = multiprocessing.get_context("spawn")
    worker = context.Process(target=work, args=(Stop(context),))
    worker.start()
    worker.join()
"""


def test_workers_of_a_killed_command_stop(tmp_path: Path) -> None:
    script = tmp_path / "command.py"
    script.write_text(_KILLED)
    # Their output ends only when the last of them has: this would wait for ever.
    ended = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, timeout=120)
    assert ended.stdout == "at work\nstopped\n"
    assert ended.returncode == -9


_IDLE = """
import importlib, multiprocessing, os, signal, sys
from concurrent.futures import ProcessPoolExecutor
from floatgate.memory import Memory
from floatgate.stop import Stop

if __name__ == "__main__":
    context = multiprocessing.get_context("spawn")
    given = (Stop(context), Memory(context))
    if sys.argv[1] == "floatgate.repeat":
        given += (context.RawArray("d", 1),)
    begin = importlib.import_module(sys.argv[1])._begin
    pool = ProcessPoolExecutor(1, context, initializer=begin, initargs=given)
    pool.submit(print, "done", flush=True).result()
    os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.parametrize("module", ["floatgate.repeat", "floatgate.grid.run", "floatgate.reproduce.work"])
def test_workers_without_work_end_with_a_killed_command(module: str, tmp_path: Path) -> None:
    script = tmp_path / "command.py"
    script.write_text(_IDLE)
    ended = subprocess.run(
        [sys.executable, str(script), module], capture_output=True, text=True, timeout=120, check=False
    )
    assert (ended.returncode, ended.stdout) == (-9, "done\n")


def test_every_pool_of_workers_ends_with_its_command_and_shares_its_memory() -> None:
    package = Path(__file__).parents[2] / "python" / "floatgate"
    texts = {path: path.read_text(encoding="utf-8") for path in package.rglob("*.py")}
    pools = [path for path, text in texts.items() if "ProcessPoolExecutor(" in text]
    assert len(pools) >= 3
    for line in ("    end_with_command()\n", "    share(memory)\n"):
        assert [path for path in pools if line not in texts[path]] == []


_LOST = """
import signal, sys, threading
from floatgate import cli

class Lost:
    def __del__(self):
        raise {error}

seen = threading.Event()
signal.signal(signal.{name}, lambda number, frame: seen.set())
sys.unraisablehook = cli._unraisable
lost = Lost()
del lost
print(seen.wait(60))
"""


@pytest.mark.parametrize(("name", "error"), [("SIGINT", "KeyboardInterrupt"), ("SIGTERM", "SystemExit(143)")])
def test_a_signal_that_came_where_nothing_can_be_raised_comes_again(name: str, error: str) -> None:
    script = _LOST.format(name=name, error=error)
    ended = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=120)
    assert (ended.stdout, ended.stderr) == ("True\n", "")
