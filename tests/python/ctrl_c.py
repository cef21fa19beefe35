"""Ctrl-C at a known moment: a command tells over a pipe how far it is, however slow the machine."""

import os
import signal
import subprocess
import sys
from pathlib import Path

from conftest import ON_FAKE

# Runs the command line with one method made to write a byte to a pipe, once a condition on its
# arguments holds.
_WATCHED = """
import os, sys
{prepare}
from floatgate.shell import main
from {module} import {owner}

told, seen = {owner}.{method}, []

def tell(self, *seen_now, **named):
    told(self, *seen_now, **named)
    if not seen and (lambda {parameters}: {condition})(*seen_now, **named):
        seen.append(True)
        os.write({pipe}, b".")

{owner}.{method} = tell
if __name__ == "__main__":
    main({arguments!r})
"""


def ctrl_c(
    cwd: Path,
    *arguments: str,
    method: str,
    when: str,
    fake: bool = False,
    sent: signal.Signals = signal.SIGINT,
) -> subprocess.CompletedProcess[str]:
    """Run `floatgate arguments...`; press Ctrl-C when `method` is called with what `when` holds of.

    `method` is `module:Class.method`, `when` is `parameters: condition`; `sent` is another signal to send.
    """
    module, name = method.split(":")
    owner, called = name.split(".")
    parameters, condition = when.split(":", 1)
    read, write = os.pipe()
    script = cwd / ".ctrl-c.py"
    script.write_text(
        _WATCHED.format(
            prepare=ON_FAKE if fake else "",
            module=module,
            owner=owner,
            method=called,
            parameters=parameters,
            condition=condition,
            pipe=write,
            arguments=list(arguments),
        )
    )
    with subprocess.Popen(
        [sys.executable, str(script)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=cwd,
        pass_fds=(write,),
        # A shell that runs the tests in the background may ignore Ctrl-C, and children inherit that.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    ) as process:
        os.close(write)
        came = os.read(read, 1)
        os.close(read)
        if came:
            process.send_signal(sent)
        out, err = process.communicate(timeout=120)
    script.unlink()
    assert came, f"ended before it came so far: {err}"
    return subprocess.CompletedProcess(arguments, process.returncode, out, err)
