"""Opens each page that Floatgate makes in Chromium, at two widths, light and dark: can everyone read it?

`make pages` runs this. It finds what axe-core calls serious or critical, boxes that leave the page's width,
words of the console, and pages above their weight. Reports come from the commands below, the site from
`make docs-site`.
"""

import argparse
import shlex
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, ConsoleMessage, Page, sync_playwright

ROOT = Path(__file__).parents[1]
TINY = ROOT / "tests" / "drives" / "tiny.toml"
EXAMPLES = ROOT / "examples"
WIDTHS = (390, 1280)
SCHEMES = ("light", "dark")
SERIOUS = ("serious", "critical")
MOST_MB = 1.5
LAB = ROOT / "out" / "lab" / "floatgate-lab.html"

# Blocks that wear out in a second.
MORTAL = (
    '--set nand.tables.pe_cycles=[0] --set \'nand.tables.t_prog=["200us", "400us"]\' '
    "--set 'nand.tables.t_bers=[\"1ms\"]' --set 'nand.tables.endurance.cycles=[150, 160, 170]' "
    "--set ftl.op_ratio=0.4"
)
JOB = "[job]\nrw=randrw\nbs=4k\nsize=2m\nnumber_ios=4000\niodepth=4\n"
STUDY = f"""
[study]
drive = "{TINY}"
workload = "job.fio"
seeds = 5
[parameters]
ftl.op_ratio = [0.2, 0.3, 0.4]
ftl.gc.victim.name = ["greedy", "fifo"]
[objectives]
waf = "min"
"host.read.latency_ns.p99" = "min"
"""
# A name, and a command that leaves pages in the folder of this name. One after the other.
SMALL = "run small-tlc job.fio --repeat 6 --precondition instant"
COMMANDS: tuple[tuple[str, str], ...] = (
    ("run", f"run small-tlc {EXAMPLES}/traces/server.csv.gz --precondition instant"),
    ("seeds", SMALL),
    ("others", f"{SMALL} --set ftl.gc.victim.name=fifo"),
    ("compare", "compare seeds others"),
    ("age", f"age {TINY} {MORTAL} --out age/age.html"),
    ("characterize", "characterize derived/mt29f4g08aac --model tables --experiment page-order"),
    ("rber", "rber nvme-tlc"),
    ("grid", "grid slc --block 4k --depth 1,4 --op read --pattern random --time 50ms"),
    ("study", "study study.toml"),
    ("place", f"place {TINY} job.fio --rules size,job --handles 2 --seeds 2 --precondition fill"),
    ("plan", f"plan {EXAMPLES}/plan/tpc-c-2007.toml {EXAMPLES}/plan/gray2007-prices.toml"),
    ("reproduce", "reproduce chung2010-ddr"),
)


@dataclass(frozen=True)
class Found:
    """What is wrong with a page, at one width in one scheme."""

    page: str
    width: int
    scheme: str
    what: str

    def __str__(self) -> str:
        return f"{self.page} at {self.width} px, {self.scheme}: {self.what}"


def reports(folder: Path) -> Iterator[Path]:
    """Run each command; yield the pages that it leaves."""
    (folder / "job.fio").write_text(JOB)
    (folder / "study.toml").write_text(STUDY)
    (folder / "age").mkdir()
    for name, words in COMMANDS:
        out = () if "--out" in words else ("--out", name)
        command = (sys.executable, "-m", "floatgate", *shlex.split(words), *out)
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
        pages = sorted((folder / name).rglob("*.html"))
        if done.returncode not in (0, 1) or not pages:
            raise SystemExit(f"{words}: exit {done.returncode}, {len(pages)} pages\n{done.stderr}")
        print(f"{name}: {len(pages)} pages", flush=True)
        yield from pages


def looked_at(browser: Browser, file: Path, name: str) -> list[Found]:
    """Return what is wrong with a page at each width in each scheme."""
    found = []
    for width in WIDTHS:
        for scheme in SCHEMES:
            context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)
            page = context.new_page()
            said: list[str] = []
            page.on("console", lambda message, said=said: said.append(_console(message)))
            page.on("pageerror", lambda error, said=said: said.append(f"error: {error}"))
            page.goto(file.as_uri(), wait_until="load", timeout=120_000)
            page.wait_for_timeout(300)
            wrong = [*_unreadable(page), *_too_wide(page), *(text for text in said if text)]
            found += [Found(name, width, scheme, text) for text in wrong]
            context.close()
    if file.stat().st_size > MOST_MB * 1e6:
        found.append(Found(name, 0, "any", f"{file.stat().st_size / 1e6:.1f} MB, at most {MOST_MB}"))
    return found


def lab_looked_at(browser: Browser, file: Path) -> Iterator[Found]:
    """Run each guided experiment of the browser's lab; yield what is wrong with the page that is left."""
    page = browser.new_page()
    said: list[str] = []
    page.on("console", lambda message: said.append(_console(message)))
    page.on("pageerror", lambda error: said.append(f"error: {error}"))
    page.goto(file.as_uri(), wait_until="load", timeout=120_000)
    run = page.locator("#run:enabled")
    run.wait_for(timeout=120_000)
    guides = page.locator("#guides button").all()
    if not guides:
        yield Found("lab", 0, "any", "has no guided experiments")
    for guide in guides:
        name = f"lab, {guide.inner_text()}"
        guide.click()
        page.wait_for_timeout(1000)
        run.click()
        page.locator("#run:disabled").wait_for()
        run.wait_for(timeout=600_000)
        for width in WIDTHS:
            for scheme in SCHEMES:
                page.set_viewport_size({"width": width, "height": 900})
                page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
                page.wait_for_timeout(300)
                for text in (*_unreadable(page), *_too_wide(page), *filter(None, said)):
                    yield Found(name, width, scheme, text)
                said.clear()
        if not page.locator("#both").is_visible():
            wrong = page.locator("#wrong").inner_text()
            yield Found(name, 0, "any", f"left no figures of both runs: {wrong}")
    page.close()


def _console(message: ConsoleMessage) -> str:
    return f"console: {message.text}" if message.type in ("error", "warning") else ""


def _unreadable(page: Page) -> list[str]:
    """Return the serious findings of axe-core, each with the first place."""
    # Style sheets are not asked for again: a page from a disk may not.
    violations = Axe().run(page, options={"preload": False}).response["violations"]
    return [
        f"{one['id']} ({len(one['nodes'])}): {' '.join(one['nodes'][0]['target'])}: "
        f"{one['nodes'][0]['failureSummary'].splitlines()[-1].strip()}"
        for one in violations
        if one["impact"] in SERIOUS
    ]


def _too_wide(page: Page) -> list[str]:
    wide = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    return [f"wider than the window by {wide} px"] if wide > 0 else []


def main() -> int:
    """Look at all pages; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("pages", nargs="*", type=Path, help="pages to look at instead of all")
    parser.add_argument("--chromium", default="/usr/bin/chromium", help="the browser")
    parser.add_argument("--lab", type=Path, default=LAB, help="the browser's lab, if it was built")
    parser.add_argument("--site", type=Path, default=ROOT / "out" / "site", help="the site, if it was built")
    asked = parser.parse_args()
    asked.pages = [file.absolute() for file in asked.pages]
    found: list[Found] = []
    count = 0
    with tempfile.TemporaryDirectory(prefix="floatgate-pages-") as name, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=asked.chromium, args=["--no-sandbox"])
        folder = Path(name)
        # The page for a wrong address names its parts from the root of a server.
        site = sorted(set(asked.site.rglob("*.html")) - {asked.site / "404.html"})
        for file in asked.pages or [*reports(folder), *site]:
            if file == asked.lab:
                continue
            roots = [root for root in (folder, asked.site.absolute()) if file.absolute().is_relative_to(root)]
            label = str(file.absolute().relative_to(roots[0])) if roots else str(file)
            wrong = looked_at(browser, file.absolute(), label)
            print("\n".join(map(str, wrong)) or f"{label}: nothing", flush=True)
            found += wrong
            count += 1
        if asked.lab.exists() and (not asked.pages or asked.lab in asked.pages):
            wrong = list(lab_looked_at(browser, asked.lab.absolute()))
            print("\n".join(map(str, wrong)) or "lab: nothing", flush=True)
            found += wrong
            count += 1
        browser.close()
    kinds = Counter(one.what.split(" ")[0] for one in found)
    print(
        f"{count} pages, {len(found)} findings",
        *(f"{kind}: {n}" for kind, n in kinds.most_common()),
        sep="\n  ",
    )
    return 1 if found or not count else 0


if __name__ == "__main__":
    sys.exit(main())
