"""Errors of cells, counted as the poster's rig does: pseudo-random data in, compared with what comes out."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from operator import or_, xor

from floatgate.lab import patterns
from floatgate.lab.chip import Chip, Identity

WORDLINES = 8  # of a block that are written and compared


@dataclass(frozen=True)
class CellErrors:
    """Cells of one or several blocks that did not hold what was written."""

    cells: tuple[int, ...]  # written, of each state by rising voltage
    wrong: tuple[int, ...]  # of these, read as another state
    bits: tuple[int, ...]  # wrong bits of each page type

    @property
    def total(self) -> int:
        """All wrong cells."""
        return sum(self.wrong)

    @property
    def per_million(self) -> float:
        """Wrong cells of a million."""
        return 1e6 * self.total / sum(self.cells)

    def rate(self, state: int) -> float:
        """Share of the cells of a state that are wrong."""
        return self.wrong[state] / self.cells[state] if self.cells[state] else 0.0

    def bit_rate(self, digit: int) -> float:
        """Share of the bits of a page type that are wrong."""
        return self.bits[digit] / sum(self.cells)

    def __add__(self, other: "CellErrors") -> "CellErrors":
        return CellErrors(
            tuple(a + b for a, b in zip(self.cells, other.cells, strict=True)),
            tuple(a + b for a, b in zip(self.wrong, other.wrong, strict=True)),
            tuple(a + b for a, b in zip(self.bits, other.bits, strict=True)),
        )


def none(identity: Identity) -> CellErrors:
    """Return no errors of no cells."""
    empty = (0,) * len(identity.states)
    return CellErrors(empty, empty, (0,) * identity.bits)


def written_pages(identity: Identity, wordlines: int) -> range:
    """Return the pages that must be written, in order, so that the first wordlines are whole."""
    return range(1 + max(page for page, line in enumerate(identity.wordlines) if line < wordlines))


Written = dict[int, bytes]  # data by page


def collect(chip: Chip, identity: Identity, block: int, seed: int, wait_s: float = 0.0) -> CellErrors | None:
    """Write pseudo-random data, wait, count the cells that read as another state, and erase: one cycle.

    None when the block fails on the way.
    """
    written = write(chip, identity, block, seed)
    if written is None:
        return None
    if wait_s:
        chip.let_time_pass(wait_s)
    found = compare(chip, identity, block, written)
    return found if chip.erase(block).status == "ok" else None


def write(chip: Chip, identity: Identity, block: int, seed: int) -> Written | None:
    """Write pseudo-random data to the first wordlines of an erased block; None when it fails."""
    written: Written = {}
    for page in written_pages(identity, _wordlines(identity)):
        written[page] = patterns.random_page(identity, seed, block, page)
        if chip.program(block, page, written[page]).status != "ok":
            return None
    return written


def compare(chip: Chip, identity: Identity, block: int, written: Written) -> CellErrors:
    """Read what was written and count the cells that are in another state."""
    total = none(identity)
    for line in range(_wordlines(identity)):
        pages = identity.pages_of(line)
        # In the order of the processor, which takes a quarter of the time: bits are only counted.
        meant = [int.from_bytes(written[page], "little") for page in pages]
        found = [int.from_bytes(chip.read(block, page).data, "little") for page in pages]
        wrong = list(map(xor, meant, found))
        of_state = _cells_of_states(identity, meant)
        anywhere = reduce(or_, wrong)
        total += CellErrors(
            tuple(cells.bit_count() for cells in of_state),
            tuple((cells & anywhere).bit_count() for cells in of_state),
            tuple(bits.bit_count() for bits in wrong),
        )
    return total


def _wordlines(identity: Identity) -> int:
    return min(WORDLINES, 1 + max(identity.wordlines))


def _cells_of_states(identity: Identity, pages: Sequence[int]) -> list[int]:
    """Return for each state a one at each cell that the pages of a wordline bring to it.

    Whole pages as large numbers: looking at cell after cell takes as long as making and reading them.
    """
    every = (1 << 8 * identity.whole_page_bytes) - 1
    spelled = {"": every}
    for bits in pages:
        spelled = {
            digits + digit: cells & own
            for digits, cells in spelled.items()
            for digit, own in (("0", bits ^ every), ("1", bits))
        }
    return [spelled[state] for state in identity.states]


def mean_per_million(collected: Sequence[CellErrors]) -> float | None:
    """Return wrong cells of a million over several blocks; None when there is none."""
    if not collected:
        return None
    return sum(one.per_million for one in collected) / len(collected)
