"""Decode words by the package ldpc, for `ecc_peers.py`, in a Python that has it.

Arguments: MATRIX RATE ITERATIONS WORDS SCHEDULE.

Prints failures, mean iterations and seconds. The word of zeros is sent; what counts is the pattern of errors.
"""

import sys
import time
from pathlib import Path

import numpy as np
from ldpc import BpDecoder
from scipy.sparse import csr_matrix


def main() -> None:
    """Decode words whose bits flip."""
    matrix, rate, most, words, schedule = sys.argv[1:]
    with Path(matrix).open(encoding="utf-8") as file:
        lines = [[int(word) for word in line.split()] for line in file]
    bits, checks = lines[0]
    rows = lines[4 + bits :]
    places = [(check, bit - 1) for check, row in enumerate(rows) for bit in row]
    down, across = zip(*places, strict=True)
    ones = np.ones(len(places), dtype=np.uint8)
    decoder = BpDecoder(
        csr_matrix((ones, (down, across)), shape=(checks, bits)),
        error_rate=float(rate),
        max_iter=int(most),
        bp_method="minimum_sum",
        ms_scaling_factor=0.75,
        schedule=schedule,
        input_vector_type="received_vector",
    )
    random = np.random.default_rng(1)
    failed, iterations, seconds = 0, 0, 0.0
    for _ in range(int(words)):
        word = (random.random(bits) < float(rate)).astype(np.uint8)
        begun = time.process_time()
        decoded = decoder.decode(word)
        seconds += time.process_time() - begun
        failed += bool(decoded.any())
        iterations += decoder.iter
    sys.stdout.write(f"{failed} {iterations / int(words)} {seconds}\n")


if __name__ == "__main__":
    main()
