#!/usr/bin/env bash
# maturin 1.16.0 (PyPI): the list of parts (SBOM) that it puts into each wheel names the folder in which the wheel was
# built, by its absolute path, user name and all. The same source in another folder gives a wheel of other bytes, although
# SOURCE_DATE_EPOCH is set and the program inside is the same. `rust = false` in `[tool.maturin.sbom]` leaves the list out.
#
# Seen: a program without dependencies, built in two folders: the wheels differ, in that list alone, which holds
# "path+file://" and the folder. With `rust = false` their bytes are the same.
# Needs python3 with venv, and cargo.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check maturin==1.16.0
export SOURCE_DATE_EPOCH=1700000000
build() { # folder, what more pyproject.toml says
	mkdir -p "$1/src"
	printf '[package]\nname = "hello"\nversion = "0.1.0"\nedition = "2021"\n' > "$1/Cargo.toml"
	printf 'fn main() {\n    println!("hello");\n}\n' > "$1/src/main.rs"
	printf '[build-system]\nrequires = ["maturin"]\nbuild-backend = "maturin"\n[tool.maturin]\nbindings = "bin"\n%s' "$2" \
		> "$1/pyproject.toml"
	(cd "$1" && "$work/venv/bin/maturin" build --quiet --release --strip --compatibility linux \
		--out "$work/$1-wheels")
}
without='[tool.maturin.sbom]
rust = false
'
build here '' && build there '' && build third "$without" && build fourth "$without"
venv/bin/python - <<'PYTHON'
import pathlib
import sys
import zipfile


def wheel(name):
    (found,) = pathlib.Path(f"{name}-wheels").glob("*.whl")
    return found


here, there = zipfile.ZipFile(wheel("here")), zipfile.ZipFile(wheel("there"))
differ = [name for name in here.namelist() if here.read(name) != there.read(name)]
# RECORD has the digests of the other files.
differ = [name for name in differ if not name.endswith("/RECORD")]
path = str(pathlib.Path("here").resolve())
named = [name for name in here.namelist() if f"path+file://{path}" in here.read(name).decode(errors="replace")]
same = wheel("third").read_bytes() == wheel("fourth").read_bytes()
print(f"differ: {differ}; {path} stands in {named}; without the list the wheels are {'the same' if same else 'different'}")
as_seen = differ == named == ["hello-0.1.0.dist-info/sboms/hello.cyclonedx.json"] and same
sys.exit(None if as_seen else "this has changed")
PYTHON
