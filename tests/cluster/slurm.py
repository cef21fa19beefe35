"""Runs a study through Slurm by the recipe of docs/how-to/cluster.md; jobs and a node are taken from it.

`make cluster` runs this, outside CI. It starts a Slurm site of two nodes on this machine, in a temporary
folder, takes the recipe from the page, and compares what the study leaves with what it leaves without a
cluster. It prints a table, and exits with 1 where anything is not as it should be.
"""

import hashlib
import importlib.metadata
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from site_of_two import NODES, PACKAGES, POLLED_EVERY_S, Job, Site, missing

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "how-to" / "cluster.md"
# What is smaller here than on the page; each text stands there once.
SMALLER = {
    "cores=16,": "cores=1,",
    'memory="60GB"': 'memory="1500MB"',
    'job_mem="64GB"': 'job_mem="1800MB"',
    'walltime="02:00:00"': 'walltime="00:10:00"',
    '"--lifetime", "110m", "--lifetime-stagger", "5m"': '"--lifetime", "9m", "--lifetime-stagger", "10s"',
    "maximum_jobs=20": f"maximum_jobs={len(NODES)}",
}
# The study of docs/how-to/studies.md, with fewer seeds.
STUDY = "victims"
PREPARE = (
    "examples --copy floatgate",
    "trace convert volume:hm_0,requests=20000 hm_0.csv.gz --to msr",
    "trace convert volume:prn_0,requests=20000 prn_0.csv.gz --to msr",
)
PATIENCE_S = 900.0
AT_ROWS = 6  # the disturbance


@dataclass
class Row:
    """A line of the table."""

    what: str
    seconds: float
    digest: str
    told: list[str] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)


@dataclass
class Bench:
    """The folder of a user, and the site."""

    site: Site
    user: Path
    environment: dict[str, str]

    @property
    def out(self) -> Path:
        """Where the recipe's study writes."""
        return self.user / "out" / f"study-{STUDY}"

    def rows(self) -> int:
        """How many runs the study has written down."""
        return sum(path.read_bytes().count(b"\n") for path in self.out.glob("rows/*.jsonl"))

    def arrived(self, job: Job) -> bool:
        """Whether the worker of a job is one of the cluster."""
        log = self.user / f"slurm-{job.number}.out"
        return log.exists() and "Registered to" in log.read_text()

    def digest(self) -> str:
        """Return one word for all that the study found."""
        return hashlib.sha256((self.out / "results.parquet").read_bytes()).hexdigest()[:16]

    def floatgate(self, words: str) -> None:
        """Run the command here."""
        subprocess.run(
            ["floatgate", *words.split()],
            cwd=self.user,
            env=self.environment,
            check=True,
            capture_output=True,
        )

    @contextmanager
    def recipe(self) -> Iterator["subprocess.Popen[bytes]"]:
        """Run the page's script; it is in a group of its own, and gone after the block."""
        with (self.user / "recipe.log").open("wb") as log:
            command = [str(Path(self.environment["HOME"], "floatgate", "bin", "python")), "recipe.py"]
            process = subprocess.Popen(
                command, cwd=self.user, env=self.environment, stdout=log, stderr=log, start_new_session=True
            )
        try:
            yield process
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()

    def told(self) -> str:
        """Return the last words of the script."""
        return "\n".join((self.user / "recipe.log").read_text().splitlines()[-12:])


def recipe() -> str:
    """Return the script of the page, with numbers that fit this machine."""
    section = PAGE.read_text(encoding="utf-8").partition("## Slurm\n")[2].partition("\n## ")[0]
    blocks: list[str] = re.findall(r"```python\n(.*?)```", section, re.DOTALL)
    assert len(blocks) == 1, "expected one script below Slurm"
    text = blocks[0]
    for old, new in SMALLER.items():
        assert text.count(old) == 1, f"{old}: expected once in the recipe"
        text = text.replace(old, new)
    return text


def begin(site: Site, folder: Path) -> Bench:
    """Lay out what a user has: the environment in the home folder, the study, its traces."""
    home, user = folder / "home", folder / "home" / "study"
    user.mkdir(parents=True)
    (home / "floatgate").symlink_to(sys.prefix)
    path = os.pathsep.join((str(home / "floatgate" / "bin"), os.environ["PATH"]))
    asked = {"HOME": str(home), "PATH": path, "FLOATGATE_CACHE": str(folder / "cache")}
    bench = Bench(site, user, site.environment | asked)
    for words in PREPARE:
        bench.floatgate(words)
    for found in (user / "floatgate" / "examples" / "study").iterdir():
        shutil.copy(found, user)
    study = user / f"{STUDY}.toml"
    study.write_text(study.read_text().replace("seeds = 3", "seeds = 1"))
    (user / "recipe.py").write_text(recipe())
    return bench


def here(bench: Bench) -> Row:
    """Run the study without a cluster."""
    began = time.monotonic()
    bench.floatgate(f"study {STUDY}.toml")
    return _ended(bench, Row("this machine alone", time.monotonic() - began, bench.digest()))


def _ended(bench: Bench, row: Row) -> Row:
    shutil.rmtree(bench.out)
    line = f"{row.what:44} {row.seconds:6.1f} s  {row.digest:16}  {', '.join(row.told)}"
    print("\n  ".join([line, *(f"WRONG: {one}" for one in row.wrong)]), flush=True)
    return row


def by_recipe(
    bench: Bench,
    what: str,
    expected: str,
    disturb: Callable[[Bench, Job], None] | None = None,
    more: int = 0,
) -> Row:
    """Run the study by the recipe; a job is disturbed when both nodes are at work and rows are there."""
    began, jobs, at = time.monotonic(), dict[Job, tuple[float, float]](), 0.0
    disturbed = ""
    with bench.recipe() as process:
        while process.poll() is None and at < PATIENCE_S:
            at = time.monotonic() - began
            now = [job for job in bench.site.jobs() if job.node]
            jobs.update({job: (jobs.get(job, (at, at))[0], at) for job in now})
            if not disturbed and sum(map(bench.arrived, now)) == len(NODES) and bench.rows() >= AT_ROWS:
                disturbed = f"disturbed: {now[-1].number} after {at:.0f} s"
                if disturb is not None:
                    disturb(bench, now[-1])
            with suppress(subprocess.TimeoutExpired):
                process.wait(POLLED_EVERY_S)
        code = process.poll()
    shown = [f"{job} {first:.0f}-{last:.0f} s" for job, (first, last) in jobs.items()]
    row = Row(what, time.monotonic() - began, "none", [*shown, *([disturbed] if disturb else [])])
    if code != 0:
        row.wrong.append(f"the script ended with {code}\n{bench.told()}")
    else:
        row.digest = bench.digest()
        bench.site.until(lambda: not bench.site.jobs(), "empty queue after the script")
    if row.digest != expected:
        row.wrong.append(f"expected {expected}")
    if not disturbed:
        row.wrong.append("both nodes were never at work together")
    if len(jobs) < len(NODES) + more:
        row.wrong.append(f"expected at least {len(NODES) + more} jobs")
    return _ended(bench, row)


def cancel(bench: Bench, job: Job) -> None:
    """Take a job out of the queue while it works."""
    bench.site.say("scancel", job.number)


def requeue(bench: Bench, job: Job) -> None:
    """Have Slurm stop a job and put it into the queue again, as where another has a higher priority."""
    bench.site.say("scontrol", "requeue", job.number)


def lose_node(bench: Bench, job: Job) -> None:
    """Have a node fail and come back: Slurm puts its job into the queue again."""
    bench.site.say("scontrol", "update", f"NodeName={job.node}", "State=DOWN", "Reason=tried")
    bench.site.say("scontrol", "update", f"NodeName={job.node}", "State=RESUME")


def short_lived(bench: Bench, expected: str) -> Row:
    """Have workers end by themselves several times during the study."""
    script = bench.user / "recipe.py"
    script.write_text(
        recipe().replace('"9m", "--lifetime-stagger", "10s"', '"25s", "--lifetime-stagger", "5s"')
    )
    return by_recipe(bench, "workers end by themselves after 25 s", expected, more=2)


def script_killed(bench: Bench, expected: str) -> Row:
    """Kill the script and its command in the middle; its jobs must end, and the script must go on later."""
    began = time.monotonic()
    with bench.recipe():
        bench.site.until(lambda: bench.rows() >= AT_ROWS, "rows", PATIENCE_S)
    # The block killed it.
    took = bench.site.until(lambda: not bench.site.jobs(), "end of jobs without a scheduler", PATIENCE_S)
    before = bench.rows()
    with bench.recipe() as process:
        code = process.wait(PATIENCE_S)
    row = Row("script killed, then started again", time.monotonic() - began, "none")
    row.told.append(f"its jobs ended {took:.0f} s after it, {before} runs were there")
    said = (bench.user / "recipe.log").read_text()
    if code != 0:
        row.wrong.append(f"the script ended with {code}\n{bench.told()}")
    else:
        row.digest = bench.digest()
    if row.digest != expected:
        row.wrong.append(f"expected {expected}")
    if f"{before} runs are there" not in said:
        row.wrong.append(f"expected {before} runs not to be run again: {said[:300]}")
    return _ended(bench, row)


def versions(site: Site) -> str:
    """Return what was run."""
    packages = ("dask", "distributed", "dask-jobqueue")
    found = [f"{name} {importlib.metadata.version(name)}" for name in packages]
    munge = site.say("munge", "--version").split()[0]
    return ", ".join([site.say("sinfo", "--version").strip(), munge, *found])


def main() -> int:
    """Print the table; 1 where a line of it is wrong, 2 where there is no Slurm."""
    lacking = missing()
    if lacking:
        print(f"make cluster: no {', '.join(lacking)}: expected {PACKAGES}", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory(prefix="floatgate-slurm-") as name:
        folder = Path(name).resolve()
        folder.chmod(0o711)  # munge's socket is for everyone
        with Site(folder) as site:
            print(versions(site), flush=True)
            bench = begin(site, folder)
            first = here(bench)
            expected = first.digest
            rows = [
                first,
                by_recipe(bench, "the recipe", expected),
                by_recipe(bench, "a job is cancelled (scancel)", expected, cancel, 1),
                by_recipe(bench, "a job is requeued (scontrol requeue)", expected, requeue, 1),
                by_recipe(bench, "a node goes down and comes back", expected, lose_node, 1),
                script_killed(bench, expected),
                short_lived(bench, expected),
            ]
        left = site.left()
    wrong = sum(bool(row.wrong) for row in rows) + len(left)
    print(f"processes left: {len(left)}")
    print(f"{'WRONG' if wrong else 'right'}: {len(rows)} ways, one digest expected")
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
