#!/usr/bin/env bash
# jefferson 0.4.8 (PyPI) on an image of mkfs.jffs2 (mtd-utils 2.1.5, Debian 12): of a file with several names (hard links) one name is
# extracted, and the others are missing without a word: it keeps directory entries by inode number. Root file systems of devices have
# many such names, as BusyBox has one for each command.
#
# Seen: a file with the names `one`, `two` and `three`, and a file `other`: extracted are `two` and `other`, of three and one.
# Needs Debian 12 (bookworm) with its package lists, and python3 with venv.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
apt-get --quiet=2 -o APT::Sandbox::User=root download mtd-utils=1:2.1.5-1 liblzo2-2
for package in *.deb; do dpkg --extract "$package" installed; done
LD_LIBRARY_PATH=$(find "$work/installed" -name '*.so*' -printf '%h\n' | sort --unique | paste --serial --delimiters=:)
export LD_LIBRARY_PATH
python3 -m venv environment
environment/bin/pip install --quiet --disable-pip-version-check jefferson==0.4.8
mkdir files
echo data > files/one
ln files/one files/two
ln files/one files/three
echo other > files/other
installed/usr/sbin/mkfs.jffs2 --root=files --output=image --eraseblock=64KiB --no-cleanmarkers
names=$(installed/usr/sbin/jffs2dump --content image | awk '/Dirent/ { print $NF }' | sort | paste --serial --delimiters=' ')
environment/bin/jefferson --dest extracted image > said
extracted=$(ls extracted | paste --serial --delimiters=' ')
echo "names in the image: $names; extracted: $extracted"
[ "$names" = "one other three two" ] || { echo 'this has changed' >&2; exit 1; }
case $extracted in "one other" | "other two" | "other three") ;; *) echo 'this has changed' >&2; exit 1 ;; esac
