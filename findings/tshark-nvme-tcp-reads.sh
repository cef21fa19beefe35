#!/usr/bin/env bash
# tshark 4.0.17 (Debian 12): NVMe/TCP reads that succeed have no latency where the drive's side ends them as short as the transport allows: its
# last data says by a flag that the command succeeded, and no completion is sent, as both may agree when they connect. tshark shows the
# flag, and gives `nvme.cmd_latency` to completions alone: statistics of it are then of writes and of failed reads. Of the hints in a
# read or write, "incompressible" is shown as the bit beside it, the one for sequential requests.
#
# Seen: of five reads three end with a completion, one of these with an unrecovered error, and two with the flag; latencies are of three, and
# of the write. A hint that the data are incompressible is shown as none; one that requests are sequential as both.
# Needs Debian 12 (bookworm) with its package lists, and python3.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
version=4.0.17-0+deb12u3
missing=$(apt-get --simulate --no-install-recommends install tshark=$version | awk '/^Inst / && $2 != "tshark" { print $2 }')
# shellcheck disable=SC2086 # one word for each package
apt-get --quiet=2 -o APT::Sandbox::User=root download tshark=$version $missing
for package in *.deb; do dpkg --extract "$package" installed; done
LD_LIBRARY_PATH=$(find "$work/installed" -name '*.so*' -printf '%h\n' | sort --unique | paste --serial --delimiters=:)
export LD_LIBRARY_PATH HOME=$work
python3 - <<'PYTHON'
import struct

HOST, DRIVE, PORTS = bytes([10, 0, 0, 1]), bytes([10, 0, 0, 2]), {}
PORTS[HOST], PORTS[DRIVE] = 50000, 4420
SYN, PUSH, ACK = 2, 8, 16
LAST, SUCCESS = 4, 8
READ, WRITE, CONNECT, NO_FLOW_CONTROL = 2, 1, 0x7F, 4
sequence, packets = {HOST: 1000, DRIVE: 2000}, []


def send(microseconds, sender, data=b"", flags=PUSH | ACK):
    """Add a packet of one side at a time."""
    receiver = DRIVE if sender == HOST else HOST
    tcp = struct.pack(">HHIIBBHHH", PORTS[sender], PORTS[receiver], sequence[sender], sequence[receiver], 80, flags, 65535, 0, 0)
    ip = struct.pack(">BBHHHBBH4s4s", 0x45, 0, 40 + len(data), len(packets), 0x4000, 64, 6, 0, sender, receiver)
    frame = b"\x02" * 6 + b"\x04" * 6 + b"\x08\0" + ip + tcp + data
    packets.append(struct.pack("<IIII", 1000, microseconds, len(frame), len(frame)) + frame)
    sequence[sender] += len(data) + (flags & SYN > 0)


def unit(kind, flags, specific, data=b""):
    """Return a protocol data unit."""
    length = 8 + len(specific)
    return struct.pack("<BBBBI", kind, flags, length, length if data else 0, length + len(data)) + specific + data


def command(opcode, number, hints=0, data=b""):
    """Return a command for 8 blocks at 100."""
    descriptor = struct.pack("<QIBBBB", 0, 4096, 0, 0, 0, 0x01 if data else 0x5A)
    return unit(4, 0, struct.pack("<BBHIQQ16sQIIQ", opcode, 0x40, number, 1, 0, 0, descriptor, 100, 7, hints, 0), data)


def connect():
    """Return the command that makes the connection one of queue 1."""
    descriptor = struct.pack("<QIBBBB", 0, 1024, 0, 0, 0, 1)
    queue = struct.pack("<HHHBxI12x", 0, 1, 127, NO_FLOW_CONTROL, 0)
    return unit(4, 0, struct.pack("<BBHB19s16s", CONNECT, 0x40, 0, 1, bytes(19), descriptor) + queue, bytes(1024))


def data_of(number, flags):
    """Return the data of a read."""
    return unit(7, flags, struct.pack("<HHIII", number, 0, 0, 4096, 0), bytes(4096))


def completion(number, status=0):
    """Return a completion."""
    return unit(5, 0, struct.pack("<QHHHH", 0, 1, 1, number, status << 1))


send(0, HOST, flags=SYN)
send(10, DRIVE, flags=SYN | ACK)
send(20, HOST, flags=ACK)
send(100, HOST, unit(0, 0, bytes(120)))
send(200, DRIVE, unit(1, 0, struct.pack("<HBBI112x", 0, 0, 0, 131072)))
send(300, HOST, connect())
send(400, DRIVE, completion(0))
send(1000, HOST, command(READ, 1))
send(1100, DRIVE, data_of(1, LAST) + completion(1))
send(2000, HOST, command(READ, 2, hints=0x80))  # the data are incompressible
send(2100, DRIVE, data_of(2, LAST) + completion(2))
send(3000, HOST, command(READ, 3, hints=0x40))  # one of sequential requests
send(3100, DRIVE, data_of(3, LAST | SUCCESS))
send(4000, HOST, command(READ, 4))
send(4100, DRIVE, data_of(4, LAST | SUCCESS))
send(5000, HOST, command(READ, 5))
send(5100, DRIVE, completion(5, 0x281))  # an unrecovered read error
send(6000, HOST, command(WRITE, 6, data=bytes(4096)))
send(6900, DRIVE, completion(6))
with open("packets", "wb") as capture:
    capture.write(struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 262144, 1) + b"".join(packets))
PYTHON
told() {
	installed/usr/bin/tshark -r packets -Y "$1" -T fields "${@:2}" -E separator=, 2> told.errors | paste --serial --delimiters=' '
}
latencies=$(told 'nvme.cmd_latency && nvme.cqe.cid' -e nvme.cqe.cid -e nvme.cmd_latency)
flagged=$(told 'nvme-tcp.flags.pdu.data_success == 1' -e nvme-tcp.cmd.cid)
hints=$(told 'nvme.cmd.dsm' -e nvme.cmd.cid -e nvme.cmd.dsm.incompressible -e nvme.cmd.dsm.seq_req)
echo "number and latency in ms: $latencies; ended by the flag: $flagged; number, incompressible, sequential: $hints"
[ "$latencies" = "0x0001,0.1 0x0002,0.1 0x0005,0.1 0x0006,0.9" ] && [ "$flagged" = "0x0003 0x0004" ] &&
	[[ " $hints " == *" 0x0002,0x00,0x00 0x0003,0x01,0x01 "* ]] || { echo 'this has changed' >&2; exit 1; }
