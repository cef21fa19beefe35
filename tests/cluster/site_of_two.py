"""A Slurm site on this machine: munge, a controller and two node daemons, all below one folder."""

import getpass
import os
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

NODES = ("node1", "node2")
PACKAGES = "apt-get install munge slurmctld slurmd slurm-client"
PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "scancel", "scontrol", "sinfo", "squeue")
PATIENCE_S = 30.0
POLLED_EVERY_S = 0.2

# Each node has one processor, so that two jobs of one processor are on two nodes. Control groups are left to
# sites that have them: processes are found by their parents.
CONFIGURATION = """\
ClusterName=floatgate
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={controller}
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
AuthInfo=socket={folder}/munge/socket
StateSaveLocation={folder}/controller
SlurmdSpoolDir={folder}/%n
SlurmctldPidFile={folder}/controller.pid
SlurmdPidFile={folder}/%n.pid
SlurmctldLogFile={folder}/controller.log
SlurmdLogFile={folder}/%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU_Memory
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SwitchType=switch/none
MpiDefault=none
ReturnToService=2
KillWait=5
"""
NODE = "NodeName={name} NodeHostname={host} NodeAddr=127.0.0.1 Port={port} CPUs=1 RealMemory=2048\n"
PARTITION = "PartitionName=normal Nodes={nodes} Default=YES MaxTime=1:00:00 State=UP\n"


@dataclass(frozen=True)
class Job:
    """A job in the queue; one that waits has no node."""

    number: str
    restarts: int
    node: str

    def __str__(self) -> str:
        return f"{self.number}{' again' if self.restarts else ''} on {self.node}"


class Site:
    """Slurm, from the first daemon to the last process of a job."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.environment = os.environ | {"SLURM_CONF": str(folder / "slurm.conf")}
        self._daemons: list[subprocess.Popen[bytes]] = []

    def __enter__(self) -> "Site":
        try:
            self._begin()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        """End jobs, daemons and what they left."""
        with suppress(subprocess.SubprocessError):
            self.say("scancel", "--user", getpass.getuser())
            self.until(lambda: not self.jobs(), "an empty queue")
        for daemon in reversed(self._daemons):
            daemon.terminate()
            try:
                daemon.wait(PATIENCE_S)
            except subprocess.TimeoutExpired:
                daemon.kill()
                daemon.wait()
        for process in self.left():
            with suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)

    def say(self, *command: str) -> str:
        """Run one of Slurm's commands; return what it printed."""
        done = subprocess.run(
            command, env=self.environment, capture_output=True, text=True, check=True, timeout=PATIENCE_S
        )
        return done.stdout

    def jobs(self) -> list[Job]:
        """Return what is in the queue."""
        lines = self.say("squeue", "--noheader", "--Format=JobID:12,RestartCnt:6,NodeList:40").splitlines()
        return [Job(line[:12].strip(), int(line[12:18]), line[18:].strip()) for line in lines]

    def left(self) -> list[int]:
        """Return processes that were started by this site, or in it, and still run."""
        mark = f"SLURM_CONF={self.folder}/slurm.conf".encode()
        found = []
        for path in Path("/proc").glob("[0-9]*/environ"):
            number = int(path.parent.name)
            with suppress(OSError):
                if number != os.getpid() and mark in path.read_bytes().split(b"\0"):
                    found.append(number)
        return found

    def until(self, there: Callable[[], bool], what: str, patience_s: float = PATIENCE_S) -> float:
        """Wait; return how long it took. Raises TimeoutError."""
        began = time.monotonic()
        while not there():
            if time.monotonic() - began > patience_s:
                raise TimeoutError(f"no {what} within {patience_s:.0f} s\n{self._told()}")
            with suppress(subprocess.TimeoutExpired):  # as long as it lives
                self._daemons[-1].wait(POLLED_EVERY_S)
                raise RuntimeError(f"no {what}: a daemon ended\n{self._told()}")
        return time.monotonic() - began

    def _begin(self) -> None:
        host = socket.gethostname().partition(".")[0]
        keys = self.folder / "munge"
        keys.mkdir()
        key = keys / "key"
        key.touch(0o600)
        key.write_bytes(os.urandom(64))
        (self.folder / "controller").mkdir()
        ports = _free_ports(1 + len(NODES))
        text = CONFIGURATION.format(
            host=host, controller=ports[0], user=getpass.getuser(), folder=self.folder
        )
        for name, port in zip(NODES, ports[1:], strict=True):
            (self.folder / name).mkdir()
            text += NODE.format(name=name, host=host, port=port)
        text += PARTITION.format(nodes=",".join(NODES))
        (self.folder / "slurm.conf").write_text(text)
        files = {
            "key-file": "key",
            "socket": "socket",
            "pid-file": "pid",
            "log-file": "log",
            "seed-file": "seed",
        }
        words = [f"--{option}={keys / name}" for option, name in files.items()]
        self._start("munged", "--foreground", *words)
        self.until((keys / "socket").exists, "socket of munge")
        self._start("slurmctld", "-D", "-c")
        for name in NODES:
            self._start("slurmd", "-D", "-N", name)
        self.until(lambda: self._idle() == len(NODES), "idle nodes")

    def _start(self, program: str, *words: str) -> None:
        path = shutil.which(program)
        assert path is not None
        with (self.folder / f"{program}-{len(self._daemons)}.said").open("wb") as said:
            self._daemons.append(
                subprocess.Popen(
                    [path, *words], env=self.environment, stdout=said, stderr=said, cwd=self.folder
                )
            )

    def _idle(self) -> int:
        with suppress(subprocess.CalledProcessError):  # the controller does not listen yet
            return self.say("sinfo", "--noheader", "--Node", "--format=%t").split().count("idle")
        return 0

    def _told(self) -> str:
        """Return the end of each daemon's log."""
        logs = sorted(
            [*self.folder.glob("*.log"), *self.folder.glob("*.said"), *self.folder.glob("munge/log")]
        )
        return "\n".join(
            f"{path.name}: {line}" for path in logs for line in path.read_text().splitlines()[-5:]
        )


def missing() -> list[str]:
    """Return the programs that are not installed here."""
    os.environ["PATH"] += os.pathsep + "/usr/sbin"  # which not every user has
    return [program for program in PROGRAMS if shutil.which(program) is None]


def _free_ports(count: int) -> list[int]:
    sockets = [socket.socket() for _ in range(count)]
    for one in sockets:
        one.bind(("127.0.0.1", 0))
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports
