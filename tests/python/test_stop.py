"""Workers stop when they are told to, and when nobody is left to tell them."""

import subprocess
import sys
from pathlib import Path

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
