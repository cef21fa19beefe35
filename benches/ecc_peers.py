"""Compare how fast one core decodes: ours, AFF3CT's decoder and the package ldpc of PyPI, on one matrix.

    python benches/ecc_peers.py [aff3ct=/path/to/aff3ct] [ldpc=/path/to/python] [rounds=5]

AFF3CT's program is one of version 3, compiled as C++17 for this machine's vectors; ldpc is imported by the
Python that is named. Each takes its turn in every round, and its fastest round counts. Noise is drawn,
but not timed. Layered min-sum, factor 0.75.
"""

import re
import subprocess
import sys
import tempfile
import tomllib
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
SPEED = ("cargo", "run", "--quiet", "--release", "--package", "ecc", "--example", "speed", "--")


@dataclass(frozen=True)
class Case:
    """Noise at which a code is decoded."""

    code: str
    iterations: int
    noise: str  # gauss: Eb/N0 in decibels; flips: a raw bit error rate
    point: float
    words: int
    what: str


CASES = (
    Case("dvb-s2-16200-14400", 10, "gauss", 2.5, 4096, "no word comes right: all iterations"),
    Case("dvb-s2-16200-14400", 10, "gauss", 4.0, 20_480, "early stop"),
    Case("nand-4k-889", 20, "gauss", 2.5, 1024, "no word comes right: all iterations"),
    Case("nand-4k-889", 20, "gauss", 3.93, 5120, "early stop; a raw rate of 0.018"),
    Case("nand-4k-889", 20, "flips", 0.0065, 4096, "early stop"),
)


@dataclass(frozen=True)
class Speed:
    """What one decoder came to."""

    mbit_s: float  # of data
    failures: str
    iterations: str


def edges(code: str) -> tuple[dict[str, int], list[list[int]]]:
    """Read a code of circulants or of an accumulator: its size, and the bits of each check."""
    with (ROOT / "codes" / f"{code}.toml").open("rb") as file:
        text = tomllib.load(file)
    bits, data = text["bits"], text["data_bits"]
    if "group" not in text:
        size = text["circulant"]
        shifts = [[None if word == "-" else int(word) for word in row.split()] for row in text["rows"]]
        rows = [
            [at * size + (within + shift) % size for at, shift in enumerate(row) if shift is not None]
            for row in shifts
            for within in range(size)
        ]
        return {"bits": bits, "data": data}, rows
    rows = [[data + check - 1] * (check > 0) + [data + check] for check in range(bits - data)]
    step = (bits - data) // text["group"]
    for number, line in enumerate(text["addresses"]):
        for address in map(int, line.split()):
            for within in range(text["group"]):
                rows[(address + within * step) % (bits - data)].append(number * text["group"] + within)
    return {"bits": bits, "data": data}, [sorted(row) for row in rows]


def alist(code: str, folder: Path) -> Path:
    """Write a code's matrix as others read it: sizes, widths, checks of each bit, bits of each check."""
    size, rows = edges(code)
    columns: list[list[int]] = [[] for _ in range(size["bits"])]
    for check, row in enumerate(rows):
        for bit in row:
            columns[bit].append(check)
    lists = (columns, rows)
    text = [
        f"{len(columns)} {len(rows)}",
        " ".join(str(max(map(len, each))) for each in lists),
        *(" ".join(str(len(line)) for line in each) for each in lists),
        *(" ".join(str(entry + 1) for entry in line) for each in lists for line in each),
    ]
    path = folder / f"{code}.alist"
    path.write_text("\n".join(text) + "\n", encoding="utf-8")
    return path


def output(*words: str) -> str:
    """Run a program, and return what it printed."""
    done = subprocess.run(words, capture_output=True, text=True, cwd=ROOT, check=False)
    if done.returncode:
        raise SystemExit(f"ecc_peers: {words[0]}: {done.stderr.strip() or done.stdout.strip()}")
    return done.stdout.replace("\r", "\n")


def ours(case: Case, decoder: str) -> Speed:
    """Measure a decoder of ours."""
    text = output(
        *SPEED, case.code, decoder, str(case.iterations), case.noise, str(case.point), str(case.words)
    )
    found = re.search(
        r"(\d+) words, (\d+) failed, ([\d.]+) iterations, ([\d.]+) of (\d+) words together, ([\d.]+)", text
    )
    if found is None:
        raise SystemExit(f"ecc_peers: speed printed {text!r}")
    words, failed, each, together, at_once, mbit_s = found.groups()
    return Speed(
        float(mbit_s), f"{failed} of {words}", f"{float(each):.2f}, {float(together):.2f} of {at_once} words"
    )


def aff3ct(program: str, case: Case, matrix: Path, kind: str) -> Speed:
    """Measure AFF3CT's decoder between frames in 16-bit integers or 32-bit floating point."""
    size, _ = edges(case.code)
    quantizer = ("--qnt-bits", "8", "--qnt-dec", "3") if kind == "16" else ()
    end = f"{case.point + 0.001}"
    text = output(
        *(program, "-C", "LDPC", "-K", str(size["data"]), "-N", str(size["bits"]), "--src-type", "AZCW"),
        *("--enc-type", "AZCW", "--dec-h-path", str(matrix), "--dec-type", "BP_HORIZONTAL_LAYERED"),
        *("--dec-implem", "NMS", "--dec-norm", "0.75", "--dec-simd", "INTER", "-i", str(case.iterations)),
        *("-m", str(case.point), "-M", end, "-s", "1", "-e", "1000000000", "-t", "1", "-p", kind),
        *("--sim-max-fra", str(case.words), "--sim-stats", *quantizer),
    )
    task = re.search(r"decode_siho \| +\* \|\| +\d+ \| +([\d.]+)", text)
    counts = re.findall(r"\|\| +(\d+) \| +\d+ \| +(\d+) \| +[\d.e+-]+ \| +[\d.e+-]+ \|\|", text)
    if task is None or not counts:
        raise SystemExit(f"ecc_peers: {program} printed no task decode_siho:\n{text[-2000:]}")
    words, failed = counts[-1]
    return Speed(int(words) * size["data"] / float(task[1]) / 1e6, f"{failed} of {words}", "")


def ldpc(python: str, case: Case, matrix: Path, schedule: str) -> Speed:
    """Measure the package ldpc, on fewer words."""
    size, _ = edges(case.code)
    words = str(32)
    script = str(ROOT / "benches" / "ecc_ldpc.py")
    text = output(python, script, str(matrix), str(case.point), str(case.iterations), words, schedule)
    failed, iterations, seconds = text.split()
    return Speed(
        int(words) * size["data"] / float(seconds) / 1e6, f"{failed} of {words}", f"{float(iterations):.2f}"
    )


def measured(case: Case, peers: dict[str, str], matrix: Path) -> dict[str, Speed]:
    """Return what each decoder comes to in one round."""
    found = {"min-sum-8 (ours)": ours(case, "min-sum-8"), "min-sum (ours)": ours(case, "min-sum")}
    if case.noise == "gauss" and "aff3ct" in peers:
        found["AFF3CT, 16-bit"] = aff3ct(peers["aff3ct"], case, matrix, "16")
        found["AFF3CT, 32-bit"] = aff3ct(peers["aff3ct"], case, matrix, "32")
    if case.noise == "flips" and "ldpc" in peers:
        found["ldpc, serial"] = ldpc(peers["ldpc"], case, matrix, "serial")
        found["ldpc, parallel"] = ldpc(peers["ldpc"], case, matrix, "parallel")
    return found


def main() -> None:
    """Print one line for each case and decoder: the fastest round, and how many times as fast ours is."""
    peers = dict(word.split("=", 1) for word in sys.argv[1:] if "=" in word)
    unknown = [word for word in sys.argv[1:] if word.split("=", 1)[0] not in ("aff3ct", "ldpc", "rounds")]
    if unknown:
        raise SystemExit(f"ecc_peers: {unknown[0]}: expected aff3ct=PROGRAM, ldpc=PYTHON or rounds=N")
    _tell("| code, noise | decoder | Mbit/s of data | min-sum-8 is faster by | failures | iterations |")
    _tell("|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for case in CASES:
            matrix = alist(case.code, Path(folder))
            rounds = [measured(case, peers, matrix) for _ in range(int(peers.get("rounds", "5")))]
            own = max(each["min-sum-8 (ours)"].mbit_s for each in rounds)
            for decoder in rounds[0]:
                best = max((each[decoder] for each in rounds), key=lambda speed: speed.mbit_s)
                _tell(
                    f"| {case.code}, {case.noise} {case.point}: {case.what} | {decoder} | {best.mbit_s:.3g}"
                    f" | {own / best.mbit_s:.2f} | {best.failures} | {best.iterations} |"
                )


def _tell(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
