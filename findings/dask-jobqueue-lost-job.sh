#!/usr/bin/env bash
# dask-jobqueue 0.9.0 with distributed 2026.8.0 (PyPI): a job of one process that is lost (cancelled, its node gone) is
# asked for again by `adapt`; one of two processes never is, and the cluster stays without workers for good. Distributed
# looks for the lost worker's name among the jobs, and that of a process within a job has "-0" or "-1" behind the job's.
# Nor is one asked for where a job fails before its worker arrived, of any number of processes: one bad node, and the
# cluster is smaller to its end.
#
# Seen: with one process the next job comes a few seconds after the loss; with two no job comes in 30 s, and none comes
# in 30 s after one that failed as it began.
# Slurm's commands are replaced by two scripts that start a process and kill it.
# Needs python3 with venv.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check dask-jobqueue==0.9.0 distributed==2026.8.0 dask==2026.8.0
mkdir bin
cat > bin/sbatch <<'SCRIPT'
#!/usr/bin/env bash
cp "$1" "job-$$.sh"
setsid bash "job-$$.sh" > "job-$$.log" 2>&1 &
echo "Submitted batch job $!"
SCRIPT
cat > bin/scancel <<'SCRIPT'
#!/usr/bin/env bash
kill -KILL -- "-$1"
SCRIPT
chmod +x bin/sbatch bin/scancel
cat > lose.py <<'PYTHON'
import subprocess
import sys
import time

import dask
from dask_jobqueue import SLURMCluster


def waited(there, patience_s):
    began = time.monotonic()
    while not there() and time.monotonic() - began < patience_s:
        time.sleep(0.1)
    return time.monotonic() - began


def workers_after_a_loss(processes):
    quiet = {"dashboard_address": None}
    with SLURMCluster(cores=2, processes=processes, memory="1GB", scheduler_options=quiet) as cluster:
        cluster.adapt(minimum_jobs=1, maximum_jobs=1)
        client = cluster.get_client()
        client.wait_for_workers(processes, timeout=60)
        job = next(iter(cluster.workers.values())).job_id
        subprocess.run(["scancel", job], check=True)
        gone = waited(lambda: not client.nthreads(), 30)
        assert gone < 30, "the workers of the cancelled job should be gone"
        took = waited(lambda: len(client.nthreads()) == processes, 30)
        found = len(client.nthreads())
        print(f"{processes} process(es) a job: {found} worker(s) {took:.0f} s after the job was lost")
        return found


def workers_after_a_failure():
    quiet = {"dashboard_address": None}
    once = ["[ -e begun ] || { touch begun; exit 1; }"]
    with SLURMCluster(
        cores=1, processes=1, memory="1GB", scheduler_options=quiet, job_script_prologue=once
    ) as cluster:
        cluster.adapt(minimum_jobs=1, maximum_jobs=1)
        client = cluster.get_client()
        waited(lambda: client.nthreads(), 30)
        found = len(client.nthreads())
        print(f"{found} worker(s) 30 s after a job that failed as it began")
        return found


if __name__ == "__main__":
    dask.config.set({"distributed.deploy.lost-worker-timeout": "1s"})
    seen = [workers_after_a_loss(processes) for processes in (1, 2)]
    seen.append(workers_after_a_failure())
    sys.exit(None if seen == [1, 0, 0] else "this has changed")
PYTHON
PATH=$work/bin:$PATH venv/bin/python lose.py
