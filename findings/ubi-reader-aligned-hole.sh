#!/usr/bin/env bash
# ubi-reader 0.8.16 (PyPI) on an image of ubinize (mtd-utils 2.1.5, Debian 12): in a volume with an alignment, whose blocks leave
# their last bytes unused (`data_pad`), an unmapped logical block is extracted with those bytes and a mapped one without, so that all
# that follows an unmapped block moves. UBI volumes have unmapped blocks wherever their user gave them up or never wrote them.
#
# Seen: a volume with vol_alignment=8192 on blocks of 126,976 bytes, whose block 1 is unmapped: what should stand at 245,760 stands
# 4,096 bytes later. With all blocks mapped the volume is as it was written.
# Needs Debian 12 (bookworm) with its package lists, and python3 with venv.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
apt-get --quiet=2 -o APT::Sandbox::User=root download mtd-utils=1:2.1.5-1 libiniparser1
for package in *.deb; do dpkg --extract "$package" installed; done
LD_LIBRARY_PATH=$(find "$work/installed" -name '*.so*' -printf '%h\n' | sort --unique | paste --serial --delimiters=:)
export LD_LIBRARY_PATH
python3 -m venv environment
environment/bin/pip install --quiet --disable-pip-version-check ubi-reader==0.8.16
head -c 700000 /dev/urandom > data
printf '[data]\nmode=ubi\nimage=data\nvol_id=0\nvol_type=dynamic\nvol_name=data\nvol_size=10MiB\nvol_alignment=8192\n' > volume.ini
installed/usr/sbin/ubinize --output=full --min-io-size=2048 --peb-size=128KiB volume.ini
# Physical blocks 0 and 1 hold the table of volumes, 2 and on the logical blocks 0 and on.
{ head -c $((3 * 131072)) full && tail -c +$((4 * 131072 + 1)) full; } > hole
for image in full hole; do
	environment/bin/ubireader_extract_images --output-dir "of-$image" $image
	cat of-$image/$image/*.ubifs > $image.volume
done
python3 - <<'PYTHON' || { echo 'this has changed' >&2; exit 1; }
data, full, hole = (open(name, "rb").read() for name in ("data", "full.volume", "hole.volume"))
block = 126976 // 8192 * 8192
moved = hole.find(data[2 * block : 2 * block + 64]) - 2 * block
print(f"all mapped: as written {full[:len(data)] == data}; block 1 unmapped: what follows moved by {moved} bytes")
raise SystemExit(not (full[: len(data)] == data and hole[:block] == data[:block] and moved == 4096))
PYTHON
