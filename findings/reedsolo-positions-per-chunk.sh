#!/usr/bin/env bash
# reedsolo 1.7.0 (PyPI): the positions of corrected errors that `RSCodec.decode` returns begin anew after each 255 symbols, without a sign of
# where. It cuts a longer message into codewords by itself, and takes positions of erasures in the whole message; of what it corrected
# it returns the place within each codeword, all in one list. Its manual calls it the list of positions. A map of where the wrong
# bytes of a page lie, the edge of a page or some bit line, shows all of them within the first 255 bytes.
#
# Seen, a message of 600 bytes with 10 check symbols for each codeword: an error at 300 of 630 is returned as 45, told as an erasure or
# not; errors at 5, 300 and 600 as 5, 45 and 90, which is what errors at 5, 45 and 90 are returned as. The data are right each time.
# Needs python3 with venv.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet --disable-pip-version-check reedsolo==1.7.0
"$work/venv/bin/python" - <<'PYTHON'
import sys

import reedsolo

code = reedsolo.RSCodec(10)
message = bytes(range(200)) * 3


def returned(wrong, erased=()):
    """Return the positions that are returned for wrong symbols, and whether the message is right."""
    word = bytearray(code.encode(message))
    for position in wrong:
        word[position] ^= 0xFF
    decoded, _, positions = code.decode(word, erase_pos=list(erased))
    return sorted(positions), bytes(decoded) == message


seen = [returned([300]), returned([300], [300]), returned([5, 300, 600]), returned([5, 45, 90])]
print(f"an error at 300: {seen[0]}; an erasure at 300: {seen[1]}; errors at 5, 300, 600: {seen[2]}; at 5, 45, 90: {seen[3]}")
as_seen = seen == [([45], True), ([45], True), ([5, 45, 90], True), ([5, 45, 90], True)]
sys.exit(None if as_seen else "this has changed")
PYTHON
