#!/usr/bin/env bash
# desmod 0.6.1 (PyPI): two kinds of probes of a simulation stop following what they are set on, without a word.
#   a request that is withdrawn    the traced queue of a resource keeps its length when a request leaves it without having been served, and a
#                                  later one does not set it right unless the queue's length changes then;
#   a second probe                 of a desmod Queue, its remaining space beside its size, replaces the first, which records nothing.
# Hosts give up commands that take too long, and a buffer's fill and its free space are traced side by side: the waiting commands of a
# drive's model look as if they waited to the end, and its time-weighted queue is too long.
#
# Seen: a read waits for a die from 1 on and gives up at 4; the die's queue is 0, 1 at 1 and not 0 again up to 20, though simpy's own is empty
# from 4 on. Of a queue of 4 that gets two items and gives one the size has no record; without the second probe it is 1, 2 and 1.
# Needs python3 with venv.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m venv environment
environment/bin/pip install --quiet --disable-pip-version-check desmod==0.6.1 simpy==4.1.1 pyvcd==0.5.0 progressbar2==4.5.0
environment/bin/python - <<'PYTHON'
import sqlite3
import sys

import simpy
from desmod.component import Component
from desmod.queue import Queue
from desmod.simulation import simulate

lengths = {}  # of the die's queue, as simpy has it


class Drive(Component):
    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.die = simpy.Resource(self.env, capacity=1)
        self.commands = Queue(self.env, capacity=4)
        self.auto_probe("die", trace_queue=True, db={})
        self.auto_probe("commands", db={})
        if self.env.config["both"]:
            self.auto_probe("free", self.commands, trace_remaining=True, db={})
        self.add_processes(self.program, self.read, self.host, self.look)

    def program(self):
        with self.die.request() as served:
            yield served
            yield self.env.timeout(10)

    def read(self):
        yield self.env.timeout(1)
        with self.die.request() as served:
            yield served | self.env.timeout(3)

    def host(self):
        yield self.commands.put("read")
        yield self.env.timeout(1)
        yield self.commands.put("write")
        yield self.env.timeout(1)
        yield self.commands.get()

    def look(self):
        yield self.env.timeout(0.5)
        while True:
            lengths[self.env.now] = len(self.die.queue)
            yield self.env.timeout(1)


def traced(both):
    settings = {"both": both, "sim.duration": "20 s", "sim.timescale": "s", "sim.db.enable": True, "sim.db.file": f"{both}.sqlite"}
    simulate(settings, Drive)
    probes = {}
    for time, scope, value in sqlite3.connect(f"{both}.sqlite").execute("SELECT timestamp, scope, value FROM trace"):
        probes.setdefault(scope.rsplit(".", 1)[1], []).append((time, value))
    return probes


one, two = traced(False), traced(True)
waiting = sorted(time for time, length in lengths.items() if length)
print(f"die's queue, traced: {one['die']}; by simpy not empty at {waiting}")
print(f"size of the queue: {one['commands']}; beside its remaining space: {two.get('commands')}, {two['free']}")
as_seen = one["die"] == [(0, 0), (1, 1)] and waiting == [1.5, 2.5, 3.5]
as_seen = as_seen and one["commands"] == [(0, 1), (1, 2), (2, 1)]
as_seen = as_seen and "commands" not in two and two["free"] == [(0, 3), (1, 2), (2, 3)]
sys.exit(None if as_seen else "this has changed")
PYTHON
