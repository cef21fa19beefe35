"""Workers stop when they are told to, and when no process is left to tell them."""

import subprocess
import sys
from pathlib import Path

import pytest

from floatgate.workers import spread

_KILLED = """
import multiprocessing, os, signal
from floatgate.workers.stop import Stop

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
import multiprocessing, os, signal
from concurrent.futures import ProcessPoolExecutor
from floatgate.workers import here
from floatgate.workers.memory import Memory
from floatgate.workers.stop import Stop

if __name__ == "__main__":
    context = multiprocessing.get_context("spawn")
    begin = (Stop(context), Memory(context), context.RawArray("d", 1), None)
    pool = ProcessPoolExecutor(1, context, initializer=here.begin, initargs=begin)
    pool.submit(print, "done", flush=True).result()
    os.kill(os.getpid(), signal.SIGKILL)
"""


def test_workers_without_work_end_with_a_killed_command(tmp_path: Path) -> None:
    script = tmp_path / "command.py"
    script.write_text(_IDLE)
    ended = subprocess.run(
        [sys.executable, str(script)], capture_output=True, text=True, timeout=120, check=False
    )
    assert (ended.returncode, ended.stdout) == (-9, "done\n")


def test_one_place_starts_processes() -> None:
    """There they end with their command and share its memory."""
    package = Path(__file__).parents[2] / "python" / "floatgate"
    texts = {path: path.read_text(encoding="utf-8") for path in package.rglob("*.py")}
    starting = [
        path.name for path, text in texts.items() if "ProcessPoolExecutor(" in text or ".Process(" in text
    ]
    assert starting == ["local.py"]


def _square(number: int) -> int:
    if number == 13:
        raise ValueError("thirteen")
    return number * number


def test_what_comes_out_stands_in_order_however_much_it_costs() -> None:
    watched: list[tuple[list[int], float]] = []
    found = spread(_square, range(5), workers=2, cost=float, watch=lambda *seen: watched.append(seen))
    assert found == [0, 1, 4, 9, 16]
    done, part = watched[-1]
    assert (sorted(done), part) == ([0, 1, 2, 3, 4], 1.0)


def test_work_that_fails_ends_the_rest_with_its_error() -> None:
    with pytest.raises(ValueError, match="thirteen"):
        spread(_square, [13, *range(50)], workers=1)


def test_work_that_is_not_begun_is_left_out_when_stopped() -> None:
    found = spread(_square, range(200), workers=1, stopped=lambda: True)
    assert None in found
    assert all(one in (None, index * index) for index, one in enumerate(found))
    begun = spread(_square, range(5), workers=1, stopped=lambda: True, waiting="begins")
    assert begun == [0, 1, 4, 9, 16]


_LOST = """
import re
import signal, sys, threading
from floatgate import shell

class Lost:
    def __del__(self):
        raise {error}

seen = threading.Event()
signal.signal(signal.{name}, lambda number, frame: seen.set())
sys.unraisablehook = shell._unraisable
lost = Lost()
del lost
print(seen.wait(60))
"""


@pytest.mark.parametrize(("name", "error"), [("SIGINT", "KeyboardInterrupt"), ("SIGTERM", "SystemExit(143)")])
def test_a_signal_that_came_where_nothing_can_be_raised_comes_again(name: str, error: str) -> None:
    script = _LOST.format(name=name, error=error)
    ended = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=120)
    assert (ended.stdout, ended.stderr) == ("True\n", "")


_INTERRUPTED = """
import sys
from itertools import count
from floatgate import __main__, shell

for moment in count():
    left = moment

    def interrupt(frame, event, _argument):
        global left
        if frame.f_code.co_filename != shell.__file__:
            return None
        left -= event == "line"
        if left < 0:
            raise KeyboardInterrupt
        return interrupt

    sys.settrace(interrupt)
    try:
        __main__.main(["drives", "--no-such-option"])
    except SystemExit as ended:
        code = ended.code
    sys.settrace(None)
    if left >= 0:  # It ended before that moment: every line of it was tried.
        sys.exit(code if moment > 10 else "too early")
    assert code == 130, f"line {moment}: {code}"
"""


def test_ctrl_c_ends_a_command_quietly_in_each_of_its_lines(tmp_path: Path) -> None:
    script = tmp_path / "interrupted.py"
    script.write_text(_INTERRUPTED)
    ended = subprocess.run(
        [sys.executable, str(script)], capture_output=True, text=True, timeout=120, check=False
    )
    assert ended.returncode == 2, ended.stderr
