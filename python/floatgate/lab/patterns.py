"""What is written: the data patterns of the rig, and the bytes that bring cells to a chosen state."""

from collections.abc import Mapping
from fractions import Fraction

import numpy as np

from floatgate.errors import InputError, nearest
from floatgate.lab.chip import Identity

NAMED = ("zeros", "ones", "random", "checkered")


def check_pattern(pattern: str, identity: Identity) -> str:
    """Return `pattern` as the chip takes it, when this part can be written with it.

    Raises InputError for an unknown pattern, a state that the part does not have, and shares of
    states that do not add up.
    """
    if pattern.startswith("mix:"):
        shares = state_mix(pattern.removeprefix("mix:"), identity)
        return "mix:" + ",".join(f"{state}={float(share)!r}" for state, share in shares.items() if share)
    if pattern.startswith("state:"):
        check_state(pattern.removeprefix("state:"), identity)
        return pattern
    if pattern not in NAMED:
        known = (*NAMED, "state:" + identity.states[-1])
        asked = nearest(pattern, known, cutoff=0.5)
        hint = f" ({asked})" if asked else ""
        raise InputError(
            f"{pattern}: no such data pattern: expected {', '.join(NAMED)}, state:BITS or "
            f"mix:BITS=SHARE,...{hint}"
        )
    return pattern


def check_state(state: str, identity: Identity) -> str:
    """Return `state` when the part has it. Raises InputError when not."""
    if state not in identity.states:
        known = ", ".join(identity.states)
        raise InputError(f"{state}: no state of {identity.name} ({identity.cell}): expected one of {known}")
    return state


def state_mix(text: str, identity: Identity) -> dict[str, Fraction]:
    """Read a mix of states such as `11=40%,10=20%,00=20%,01=20%` or `11=2/5,...`; shares must add up to 1.

    Raises InputError for an unknown or repeated state, a share that is none, and a sum other than 1.
    """
    shares: dict[str, Fraction] = {}
    for part in text.split(","):
        state, equals, share = part.strip().partition("=")
        if not equals:
            raise InputError(
                f"{text}: {part.strip()}: expected STATE=SHARE, such as {identity.states[0]}=25%"
            )
        check_state(state, identity)
        if state in shares:
            raise InputError(f"{text}: {state}: given twice: expected each state once")
        shares[state] = _share(text, share)
    total = sum(shares.values())
    if total != 1:
        raise InputError(f"{text}: the shares add up to {100 * float(total):g} %: expected 100 %")
    return {state: shares.get(state, Fraction(0)) for state in identity.states}


def _share(text: str, share: str) -> Fraction:
    try:
        value = Fraction(share.removesuffix("%").strip()) / (100 if share.endswith("%") else 1)
    except (ValueError, ZeroDivisionError):
        value = Fraction(-1)
    if not 0 <= value <= 1:
        raise InputError(f"{text}: {share}: expected a share from 0 to 1, or from 0 % to 100 %")
    return value


def page_of_state(identity: Identity, page: int, state: str) -> bytes:
    """Return the data of `page` that brings all its cells to `state`."""
    bit = check_state(state, identity)[identity.page_bits[page]]
    return (b"\xff" if bit == "1" else b"\x00") * identity.whole_page_bytes


def wordline_of_states(identity: Identity, states: "np.ndarray") -> list[bytes]:
    """Return the data of each page of a wordline whose cells shall have `states` (indices)."""
    digits = np.array([[int(digit) for digit in state] for state in identity.states], dtype=np.uint8)
    return [np.packbits(digits[states, bit]).tobytes() for bit in range(identity.bits)]


def mixed_states(identity: Identity, mix: Mapping[str, Fraction], seed: int) -> "np.ndarray":
    """Return a state for each cell of a wordline: shares as in `mix`, places pseudo-random."""
    cells = identity.whole_page_bytes * 8
    bounds = np.cumsum([float(mix[state]) for state in identity.states]) * cells
    states = np.searchsorted(np.round(bounds), np.arange(cells), side="right")
    return np.random.Generator(np.random.PCG64(seed)).permutation(
        np.minimum(states, len(identity.states) - 1)
    )


def random_page(identity: Identity, *key: int) -> bytes:
    """Return pseudo-random data that is the same for the same `key`."""
    return np.random.Generator(np.random.PCG64(list(key))).bytes(identity.whole_page_bytes)


def states_of(identity: Identity, pages: list[bytes]) -> "np.ndarray":
    """Return the state of each cell (index by rising voltage) that the pages of a wordline spell."""
    bits = [np.unpackbits(np.frombuffer(data, dtype=np.uint8)) for data in pages]
    spelled = np.zeros(len(bits[0]), dtype=np.uint8)
    for digit in bits:
        spelled = spelled + spelled + digit
    index = np.zeros(256, dtype=np.uint8)
    for place, state in enumerate(identity.states):
        index[int(state, 2)] = place
    return np.frombuffer(bytearray(spelled.tobytes().translate(index.tobytes())), dtype=np.uint8)
