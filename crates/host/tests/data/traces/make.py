"""Writes one small sample per trace format, and beside it what a reader must find in it.

The requests are made up. Each `NAME.expected` line is `time_ns op offset bytes volume`, computed here from
the requests and never by the reader under test. Run in this folder; the results are kept in the tree.
"""

import struct
from pathlib import Path

# time in ns, operation, first sector, sectors, volume (0 or 1); times are whole seconds plus odd parts.
REQUESTS = [
    (1_000_000_000, "write", 0, 8, 0),
    (1_000_012_300, "read", 2048, 16, 0),
    (1_000_012_300, "read", 2064, 1, 1),
    (1_250_000_000, "write", 81_920, 128, 1),
    (1_999_999_900, "read", 7, 3, 0),
    (2_000_000_000, "write", 8, 8, 0),
    (2_000_001_000, "write", 16, 8, 0),
    (3_141_592_600, "read", 9_000_000, 248, 1),
    (5_000_000_000, "write", 41, 33, 0),
    (5_000_000_100, "read", 41, 33, 0),
    (7_777_777_700, "write", 1_000_000, 2048, 1),
    (9_000_000_000, "read", 9_000_248, 8, 0),
]
MD5 = "0123456789abcdef0123456789abcdef"


def expect(name, rows, volumes, unit_ns=1, base_ns=0):
    """Rows of (time_ns, op, sector, sectors, volume), their times cut down to the format's unit."""
    lines = []
    for t, op, sector, sectors, volume in rows:
        label = volumes[volume if len(volumes) > 1 else 0]
        lines.append(f"{base_ns + t // unit_ns * unit_ns} {op} {sector * 512} {sectors * 512} {label}\n")
    Path(f"{name}.expected").write_text("".join(lines))


def text(name, lines, rows=REQUESTS, volumes=("0",), unit_ns=1, base_ns=0):
    """Write the lines of a text format, and what they mean."""
    Path(f"{name}.trace").write_text("".join(line + "\n" for line in lines))
    expect(name, rows, volumes, unit_ns, base_ns)


def seconds(t):
    """Nanoseconds as seconds with nine decimals."""
    return f"{t // 10**9}.{t % 10**9:09d}"


def millis(t):
    """Nanoseconds as milliseconds with six decimals."""
    return f"{t // 10**6}.{t % 10**6:06d}"


R = REQUESTS
read1 = {"read": 1, "write": 0}
letter = {"read": "R", "write": "W", "trim": "D"}
TICKS = 128_166_372_000_000_000

text(
    "msr",
    [f"{TICKS + t // 100},srv,{v},{op.title()},{s * 512},{n * 512},1234" for t, op, s, n, v in R],
    volumes=("srv_0", "srv_1"),
    unit_ns=100,
    base_ns=TICKS * 100,
)
text(
    "msr-blank",
    [f"{t // 100} srv {v} {op.title()} {s * 512} {n * 512} 1234" for t, op, s, n, v in R],
    volumes=("srv_0", "srv_1"),
    unit_ns=100,
)
text(
    "msr-4",
    [f"{TICKS + t // 100},{op.title()},{s * 512},{n * 512}" for t, op, s, n, _ in R],
    unit_ns=100,
    base_ns=TICKS * 100,
)
text(
    "ms-offset",
    [f"{t / 1e6:.3f} {v} {s * 512} {n * 512} {read1[op]}" for t, op, s, n, v in R],
    rows=[(round(t / 1e3) * 1000, op, s, n, v) for t, op, s, n, v in R],
    volumes=("0", "1"),
)
for name in ("ssdsim", "mqsim"):
    text(name, [f"{t} {v} {s} {n} {read1[op]}" for t, op, s, n, v in R], volumes=("0", "1"))
text("ssdsim-hash", [f"{t} {v} {s} {n} {read1[op]} {MD5}" for t, op, s, n, v in R], volumes=("0", "1"))
text(
    "table",
    ["# made up; times in microseconds", "when;what;where;pages of 512 bytes;who"]
    + [f"{t / 1e3:.1f};{op.upper()};{s * 512};{n};host {v}" for t, op, s, n, v in R],
    rows=[(round(t / 1e2) * 100, op, s, n, v) for t, op, s, n, v in R],
    volumes=("host 0", "host 1"),
)
LCS_MAGIC = 0x123456789ABCDEF0


def lcs(version, records):
    """A file of libCacheSim's lcs: the header of 8 KiB with the number of requests, then the records."""
    layouts = ("IQIq", "IQIIq", "IQqIIq", "IQqIIqI", "IQqIIq2I", "IQqIIq4I", "IQqIIq8I", "IQqIIq16I")
    header = (
        struct.pack("<4Q", LCS_MAGIC, version, 1, len(records))
        + bytes(8192 - 40)
        + struct.pack("<Q", LCS_MAGIC)
    )
    return header + b"".join(struct.pack("<" + layouts[version - 1], *record) for record in records)


Path("lcs-bytes.trace").write_bytes(lcs(1, [(t // 10**9, s * 512, n * 512, -1) for t, _, s, n, _ in R]))
expect("lcs-bytes", [(t, "read", s, n, v) for t, _, s, n, v in R], ("0",), 10**9)
codes = {"read": (12, 1, 2, 0), "write": (13, 3, 6, 14)}
Path("lcs.trace").write_bytes(
    lcs(
        5,
        [
            (t // 10**9, s, n * 512, codes[op][i % 4] | 7 * v << 8, 60, -1, i, 2**32 - 1)
            for i, (t, op, s, n, v) in enumerate(R)
        ],
    )
)
expect("lcs", R, ("0", "7"), 10**9)
for name, unit in (("oracle-general", 512), ("oracle-general-bytes", 1)):
    records = [
        (t // 10**9, s * 512 // unit, n * 512, -1 if i % 3 else i + 40) for i, (t, _, s, n, _) in enumerate(R)
    ]
    Path(f"{name}.trace").write_bytes(b"".join(struct.pack("<IQIq", *record) for record in records))
    expect(name, [(t, "read", s, n, v) for t, _, s, n, v in R], ("0",), 10**9)
text(
    "diskpages",
    [f"{millis(t)}\t0\t{s}\t{-(-n // 8)}\t{read1[op]}" for t, op, s, n, v in R],
    rows=[(t, op, s, -(-n // 8) * 8, v) for t, op, s, n, v in R],
)
text(
    "dtrs", [f"{t // 1000} {v} {s} {n} {read1[op]}" for t, op, s, n, v in R], volumes=("0", "1"), unit_ns=1000
)
text(
    "disksim",
    [f"{millis(t)} {v} {s} {n} {'2a' if op == 'write' else '2b'}" for t, op, s, n, v in R],
    volumes=("0", "1"),
)
# Microseconds since some boot long ago, so that they cannot be seconds.
LONG = 5_633_898_000_000_000_000
cmd = {"read": "28", "write": "2a", "flush": "35"}
flushed = [*R[:6], (2000000500, "flush", 0, 0, 0), *R[6:]]
header = ["version,time,op,size,lbn"]
text(
    "cloudphysics",
    header + [f"1,{(LONG + t) // 1000},{cmd[op]},{n * 512},{s}" for t, op, s, n, _ in flushed],
    rows=[(LONG + t, op, s, n, v) for t, op, s, n, v in flushed],
    unit_ns=1000,
)
text(
    "cloudphysics-s",
    header + [f"1,{t // 10**9},{cmd[op]},{n * 512},{s}" for t, op, s, n, _ in R],
    unit_ns=10**9,
)
code = {"read": 0x28, "write": 0x8A, "flush": 0x91}
for version in (1, 2):
    parts = []
    for serial, (t, op, s, n, _) in enumerate(flushed):
        us = t // 1000
        if version == 1:
            parts.append(struct.pack("<IIIHHQQ", serial, n * 512, 1, code[op], 0x0100, s, us))
        else:
            parts.append(struct.pack("<HHIIIQQQ", code[op], 0x0200, serial, n * 512, 1, s, us, 99))
    Path(f"vscsi{version}.trace").write_bytes(b"".join(parts))
    expect(f"vscsi{version}", flushed, ("0",), 1000)
ahead = ["RA" if op == "read" and n == 8 else letter[op] for _, op, _, n, _ in R]
text(
    "blkreplay",
    [
        "A notice that must be kept; it says little.",
        "",
        "#####",
        "start ; sector; length ; op ;  replay_delay=0 ; replay_duration=0",
        "More of the notice: this file is offered as it is.",
    ]
    + [
        f"  {seconds(t)} ; {s:>10} ; {n:>4} ; {a} ; 0.0 ; 0.0"
        for (t, op, s, n, _), a in zip(R, ahead, strict=False)
    ],
)
kinds = {"read": 4, "write": 5}
text(
    "biotracer",
    [
        "\t\t".join(
            [str(s), str(n), str(n * 512), str(kinds[op])] + [seconds(t + k * 1500) for k in range(4)]
        )
        for t, op, s, n, _ in R
    ],
)
text(
    "tencent",
    [f"{1538323199 + t // 10**9},{s},{n},{0 if op == 'read' else 1},{1058 + v}" for t, op, s, n, v in R],
    volumes=("1058", "1059"),
    unit_ns=10**9,
    base_ns=1538323199 * 10**9,
)
text(
    "alibaba",
    [f"{v},{letter[op]},{s * 512},{n * 512},{1577808000000000 + t // 1000}" for t, op, s, n, v in R],
    volumes=("0", "1"),
    unit_ns=1000,
    base_ns=1577808000 * 10**9,
)
text(
    "k5cloud",
    [f"{17 + v},{seconds(t)},{letter[op]},{s * 512},{n * 512}" for t, op, s, n, v in R],
    volumes=("17", "18"),
)
text(
    "systor17",
    ["Timestamp,Response,IOType,LUN,Offset,Size"]
    + [
        f"{1456095145 + t // 10**9}.{t % 10**9:09d},0.000806000,{letter[op]},{v},{s * 512},{n * 512}"
        for t, op, s, n, v in R
    ],
    volumes=("0", "1"),
    base_ns=1456095145 * 10**9,
)
text(
    "fiu",
    [f"{t} 4253 {'nfs d' if v else 'nfsd'} {s} {n} {letter[op]} 6 {v} {MD5}" for t, op, s, n, v in R],
    volumes=("6,0", "6,1"),
)
text(
    "spc",
    [f"{v},{s},{n * 512},{letter[op].lower()},{seconds(t)},Alpha/NT" for t, op, s, n, v in R],
    volumes=("0", "1"),
)

trimmed = [*flushed[:9], (4000000000, "trim", 4096, 4096, 1), *flushed[9:]]
lines = []
for serial, (t, op, s, n, v) in enumerate(trimmed):
    rwbs = {"read": "RA", "write": "FWS", "trim": "DS", "flush": "FN"}[op]
    where = "" if op == "flush" else f"{s} + {n} "
    for action in ("Q", "D", "C"):
        tail = "[0]" if action == "C" else "[my job]"
        lines.append(
            f"  8,{16 * v}  {v + 1:>3} {serial + 1:>8} {seconds(t):>15}"
            f" {3645:>5}  {action} {rwbs:>3} {where}{tail}"
        )
    if serial == 3:
        lines.append("  8,0    1        9     1.250000001  3645  P   N [my job]")
        lines.append("  8,0    1       10     1.250000002  3645  U   N [my job] 1")
        lines.append("  8,0    1        0     1.250000003     0  m   N cfq3645S / alloced")
        lines.append("  8,0    1       11     1.250000004  3645  D   N 0 (12 00 00 00 24 00 ..) [my job]")
lines += [
    "CPU0 (8,0):",
    " Reads Queued:           6,       99KiB\t Writes Queued:           6,      999KiB",
    " Read depth:             7        \t Write depth:            33",
    "",
    "Total (8,0):",
    " IO unplugs:             0        \t Timer unplugs:           0",
    "",
    "Throughput (R/W): 0KiB/s / 0KiB/s",
    "Events (8,0): 42 entries",
    "Skips: 0 forward (0 -   0.0%)",
]
text("blkparse", lines, rows=trimmed, volumes=("8,0", "8,16"))

lines = ["# tracer: nop", "cpus=2"]
for serial, (t, op, s, n, v) in enumerate(trimmed):
    rwbs = {"read": "RA", "write": "WS", "trim": "WZ", "flush": "FF"}[op]
    where = "0 + 0" if op == "flush" else f"{s} + {n}"
    head = f"     my job-{3645 + v} [00{v}] d..1. {seconds(t)}:"
    device = f"8,{16 * v} {rwbs}"
    lines.append(f"{head} block_bio_queue: {device} {where} [my job]")
    lines.append(f"{head} block:block_rq_issue: {device} {n * 512} () {where} none,0,0 [my job]")
    if serial == 4:
        lines.append(f"{head} block_rq_requeue: {device} () {where} [0]")
        lines.append(f"{head} sched_switch: prev_comm=swapper/0 prev_pid=0 ==> next_comm=my job")
        lines.append(f"{head} block_rq_issue: {device} {n * 512} () {where} [my job]")
        lines.append(f"{head} block_plug: [my job]")
    lines.append(f"{head} block_rq_complete: {device} () {where} [0]")
text("ftrace", lines, rows=trimmed, volumes=("8,0", "8,16"))

events = []
category = {"read": 1 << 0, "write": 1 << 1 | 1 << 3, "trim": 1 << 1 | 1 << 13, "flush": 1 << 1 | 1 << 2}
for serial, (t, op, s, n, v) in enumerate(trimmed):
    for action, kind in ((1, 1 << 4), (7, 1 << 6), (8, 1 << 7)):
        pdu = b"note" if action == 1 else b""
        events.append(
            struct.pack(
                "<IIQQIIIIIHH",
                0x65617407,
                serial,
                t,
                s,
                n * 512,
                (category[op] | kind) << 16 | action,
                3645,
                8 << 20 | 16 * v,
                0,
                0,
                len(pdu),
            )
            + pdu
        )
    if serial == 3:
        pdu = b"a process"
        events.append(
            struct.pack("<IIQQIIIIIHH", 0x65617407, serial, t, 0, 0, (1 << 10) << 16, 3645, 0, 0, 0, len(pdu))
            + pdu
        )
Path("blktrace.trace").write_bytes(b"".join(events))
expect("blktrace", trimmed, ("8,0", "8,16"))

# The second version of the form: a trim in two ways, a request that was given back, events of zones.
events = []
category["trim"] = 1 << 1 | 1 << 22  # zeroes to be written


def event2(serial, t, s, size, action, kind, v, pdu=b""):
    """One event of 64 bytes."""
    head = struct.pack("<IIQQII", 0x65617408, serial, t, s, size, 3645)
    return head + struct.pack("<QIIHH12x", kind << 16 | action, 8 << 20 | 16 * v, 1, 0, len(pdu)) + pdu


for serial, (t, op, s, n, v) in enumerate(trimmed):
    for action, kind in ((1, 1 << 4), (7, 1 << 6), (8, 1 << 7)):
        events.append(
            event2(serial, t, s, n * 512, action, category[op] | kind, v, b"note" if action == 1 else b"")
        )
        if serial == 5 and action == 7:
            events.append(event2(serial, t + 100, s, n * 512, 6, category[op] | 1 << 5, v))
            events.append(event2(serial, t + 200, s, n * 512, 7, category[op] | 1 << 6, v))
    if op == "trim":
        category["trim"] = 1 << 1 | 1 << 13
    if serial == 3:
        events.append(event2(serial, t, 0, 0, 0, 1 << 10, v, b"a process"))
        events.append(event2(serial, t, 0, 0, 18, 1 << 4, v))
Path("blktrace-v2.trace").write_bytes(b"".join(events))
expect("blktrace-v2", trimmed, ("8,0", "8,16"))

lines = []
for t, op, s, n, _ in trimmed:
    name = {"trim": "discard"}.get(op, op)
    lines.append(f"{39949} D {name} {s * 512} {n * 512} {seconds(t)} 0 False")
    lines.append(f"0 C {name} {s * 512} {n * 512} {seconds(t + 99_000)} 9.9e-05 True")
text("wiscsim", lines, rows=trimmed)

names = ("/dev/sda", "/dev/sdb")
lines = ["fio version 3 iolog", "0 /dev/sda add", "0 /dev/sda open", "0 /dev/sdb add", "0 /dev/sdb open"]
for t, op, s, n, v in trimmed:
    lines.append(f"{t // 1000} {names[v]} " + ("sync 0 0" if op == "flush" else f"{op} {s * 512} {n * 512}"))
lines += ["9000001 /dev/sda close", "9000001 /dev/sdb close"]
text("fio-iolog-v3", lines, rows=trimmed, volumes=names, unit_ns=1000)

lines = ["fio version 2 iolog", "/dev/sda add", "/dev/sdb add", "/dev/sda open", "/dev/sdb open"]
now = 0
for t, op, s, n, v in trimmed:
    if t // 1_000_000 > now:
        now = t // 1_000_000
        lines.append(f"{names[v]} wait {now} 0")
    lines.append(f"{names[v]} " + ("datasync" if op == "flush" else f"{op} {s * 512} {n * 512}"))
lines += ["/dev/sda close", "/dev/sdb close"]
text("fio-iolog-v2", lines, rows=trimmed, volumes=names, unit_ns=1_000_000)
