#!/usr/bin/env bash
# ciw 3.2.7 (PyPI): the utilisation that it says of a server leaves out all service that was interrupted. A customer whose service was
# preempted by one of a higher priority has two records, the time of both is right, and a server counts only the last. A die that
# suspends its programs for reads is such a server: it seems the less busy the more it suspends, and beside a simulated drive's busy
# time what was run before each suspension is missing.
#
# Seen: a write of 3 from 2 on, suspended for a read of 1 at 4, keeps the server busy from 2 to 6, 0.4 of the time up to 10; its
# utilisation is 0.2. With random arrivals and resumed services it is 0.657 where the records add up to 0.702; without preemption 0.702.
# Needs python3 with venv.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet --disable-pip-version-check ciw==3.2.7
"$work/venv/bin/python" - <<'PYTHON'
import sys

import ciw

CLASSES = {"read": 0, "write": 1}


def run(arrivals, services, priorities, until):
    """Return the server's utilisation, and the time of all records as a share of the time simulated."""
    network = ciw.create_network(
        arrival_distributions=arrivals,
        service_distributions=services,
        number_of_servers=[1],
        priority_classes=priorities,
    )
    ciw.seed(1)
    simulation = ciw.Simulation(network)
    simulation.simulate_until_max_time(until)
    busy = sum(record.exit_date - record.service_start_date for record in simulation.get_all_records())
    return round(simulation.transitive_nodes[0].server_utilisation, 3), round(busy / until, 3)


one = run(
    {"read": [ciw.dists.Sequential([4.0, 100.0])], "write": [ciw.dists.Sequential([2.0, 100.0])]},
    {"read": [ciw.dists.Deterministic(1.0)], "write": [ciw.dists.Deterministic(3.0)]},
    (CLASSES, ["resume"]),
    10,
)
arrivals = {"read": [ciw.dists.Exponential(0.2)], "write": [ciw.dists.Exponential(0.5)]}
services = {name: [ciw.dists.Deterministic(1.0)] for name in CLASSES}
resumed = run(arrivals, services, (CLASSES, ["resume"]), 20000)
queued = run(arrivals, services, CLASSES, 20000)
print("utilisation, and the share of time that the records add up to:")
print(f"one suspended write: {one}; random arrivals, resumed: {resumed}; without preemption: {queued}")
as_seen = one == (0.2, 0.4) and resumed[1] - resumed[0] > 0.04 and abs(queued[1] - queued[0]) < 0.001
sys.exit(None if as_seen else "this has changed")
PYTHON
