"""DiskSpd's command lines and profiles: what they become, what is said, what is refused."""

import json
from pathlib import Path

import pytest

from conftest import Command, one_line_error
from floatgate.errors import InputError
from floatgate.inputs.diskspd import read
from floatgate.inputs.diskspd.fio import translate
from floatgate.inputs.diskspd.xml import read_profile
from floatgate.inputs.workload import resolve

EXAMPLES = Path(__file__).parents[2] / "examples" / "diskspd"


def jobs(argument: str) -> list[dict[str, str]]:
    """Each job of a translation, by option."""
    sections = translate(read(argument)).text.split("\n\n")
    lines = [[line for line in section.splitlines() if "=" in line] for section in sections]
    return [dict(line.split("=", 1) for line in section) for section in lines]


def test_defaults_are_those_of_diskspd() -> None:
    (job,) = jobs("diskspd test.dat")
    assert job == {
        "filename": "/dev/nvme0n1",
        "rw": "read",
        "bs": "65536",
        "ioengine": "libaio",
        "iodepth": "2",
        "offset": "0",
        "runtime": "10s",
        "ramp_time": "5s",
        "time_based": "1",
    }


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ("-b8K -r -w100 -o4", {"bs": "8192", "rw": "randwrite", "iodepth": "4", "norandommap": "1"}),
        ("-w30", {"rw": "rw", "rwmixwrite": "30"}),
        ("-r4K -b8K", {"rw": "randread", "blockalign": "4096"}),
        ("-r2b -b8K", {"blockalign": "16384"}),  # blocks need -b wherever it stands
        ("-rs30", {"rw": "randread", "percentage_random": "30"}),
        ("-c1G -B1M", {"offset": "1048576", "size": str((1 << 30) - (1 << 20))}),
        ("-c1G -f512M", {"size": str(1 << 29)}),
        ("-B1M:2M", {"offset": "1048576", "size": str(2 << 20)}),
        ("-t3 -T16M", {"numjobs": "3", "offset_increment": str(16 << 20), "size": str(16 << 20)}),
        ("-F5", {"numjobs": "5"}),
        ("-F5 -O3", {"numjobs": "5", "iodepth": "3"}),
        ("-t4 -o8 -si", {"iodepth": "32", "rw": "read"}),
        ("-g80", {"rate": "80000"}),
        ("-g500i -b8K", {"rate": "4096000", "rate_iops": None}),
        ("-g100i -b4K", {"rate": "409000"}),  # 409.6 bytes a millisecond: whole ones
        ("-g1i -b512", {"rate": None}),  # not one byte a millisecond
        ("-g100000i -b64K", {"rate": f"{(100_000 * 65_536 - (1 << 32)) // 1000}000"}),  # 32 bits
        ("-g80 -g500i -b8K", {"rate": "4096000"}),  # the last counts
        ("-g500i -g80", {"rate": "80000"}),
        ("-g80 -w30", {"rate": "56000,24000"}),  # one rate for both
        ("-g80 -t3 -si", {"rate": "240000"}),  # one stream of three threads
        ("-g80 -t3", {"rate": "80000", "numjobs": "3"}),
        ("-i10 -j20", {"thinktime": "20ms", "thinktime_blocks": "10"}),
        ("-i10 -j20 -g80", {"thinktime": None, "thinktime_blocks": None, "rate": "80000"}),
        ("-i10 -j20 -g1i -b512", {"thinktime": "20ms", "rate": None}),  # no rate is left
        ("-i10 -j20 -t4", {"thinktime_blocks": "2"}),
        ("-i3 -j20 -F4", {"thinktime_blocks": "1"}),
        ("-i10 -j20 -t4 -si", {"thinktime_blocks": "8"}),
        ("-O3 -o5", {"iodepth": "5"}),
        ("-z7 -d3 -W0", {"randseed": "7", "runtime": "3s"}),
        ("-w100 -Sh", {"writefua": "1"}),
        ("-Sh", {"rw": "read"}),
        ("-s -b4K", {"rw": "read", "bs": "4096"}),
        ("-s4K -b4K", {"rw": "read"}),
        ("-rdpct90/10:0/10", {"random_distribution": "zoned:90/10:0/10:10/80", "rw": "randread"}),
        ("-rdabs60/1G:40/3G", {"random_distribution": f"zoned_abs:60/{1 << 30}:40/{3 << 30}"}),
    ],
)
def test_options_become_those_of_fio(arguments: str, expected: dict[str, str]) -> None:
    (job,) = jobs(f"diskspd {arguments} test.dat")
    assert {name: job.get(name) for name in expected} == expected
    if "-t4" in arguments and "-si" in arguments:
        assert "numjobs" not in job  # one stream: one job
    if arguments == "-Sh":
        assert "writefua" not in job  # nothing is written


def test_what_has_no_meaning_is_said_once() -> None:
    translated = translate(read("diskspd -L -n -L -Sb -v -C3 -fr -Z1M a.dat"))
    (said,) = [note for note in translated.notes if note.startswith("no effect")]
    assert said.count("-L") == 1
    assert all(flag in said for flag in ("-n", "-S", "-v", "-C", "-f", "-Z"))


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ("-g100i -b4K", "DiskSpd keeps 409 bytes per millisecond (99.8535 requests per second)"),
        ("-g1i -b512", "no rate is set"),
        ("-g100000i -b64K", "32 bits, in which it computes, hold no more"),
        ("-i10 -j20 -g80", "think time has no effect beside a rate"),
        ("-i10 -j20 -t4", "each of 4 threads has its whole share of a burst"),
        ("-O3", "have no effect without -F"),
    ],
)
def test_what_diskspd_does_otherwise_than_it_is_told_is_said(arguments: str, said: str) -> None:
    assert said in " | ".join(translate(read(f"diskspd {arguments} a.dat")).notes)


@pytest.mark.parametrize("arguments", ["-g500i -b512K", "-g80", "-i10 -j20", "-F2 -O3"])
def test_what_diskspd_does_as_it_is_told_is_not_said(arguments: str) -> None:
    said = " | ".join(translate(read(f"diskspd {arguments} a.dat")).notes)
    assert "DiskSpd" not in said


def test_a_path_with_spaces_and_a_path_to_the_program() -> None:
    profile = read(r'C:\tools\diskspd.exe -b4K "c:\my files\test.dat"')
    assert profile.spans[0].targets[0].path == r"c:\my files\test.dat"


def test_targets_lie_side_by_side() -> None:
    first, second = jobs("diskspd -c3M a.dat b.dat")
    assert (first["offset"], second["offset"]) == ("0", str(3 << 20))


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ("-b8K", "no target"),
        ("-q9 a.dat", "argument 1 (-q9): no such option"),
        ("-A a.dat", "did you mean -a?"),
        ("-b8Q a.dat", "argument 1 (-b8Q): expected a size such as 8K"),
        ("-b700 a.dat", "block of 700 bytes: expected a multiple of 512"),
        ("-w a.dat", "argument 1 (-w): expected the percentage of writes"),
        ("-F2 -O4 -g80 a.dat", "a rate (-g) with -O"),
        ("-F2 -O4 -i5 -j5 a.dat", "think time (-j) with -O"),
        ("-w101 a.dat", "argument 1 (-w101): expected a whole number from 0 to 100"),
        ("a.dat -b8K", "argument 2 (-b8K): an option after a target"),
        ("-s1M -b4K a.dat", "stride of 1048576 bytes: expected the block size, 4096"),
        ("-t2 -F3 a.dat", "both -t and -F"),
        ("-Sm a.dat", "memory-mapped"),
        ("-Sq a.dat", "q: expected some of b, h, r, u, w"),
        ("-Xprofile.xml a.dat", "expected it as the workload itself"),
        ("-rdpct90/10:20/10 a.dat", "110 % of the requests"),
        ("-rdzzz a.dat", "expected -rdpct"),
        ("-i5 a.dat", "expected both (-i and -j)"),
        ("a.dat b.dat", "size not given"),
        ("-F2 -O4 -c1M a.dat b.dat", "expected the depth on each target"),
        ("-c1M -B2M a.dat", "expected more than its base offset"),
    ],
)
def test_a_faulty_command_line_is_refused(arguments: str, said: str) -> None:
    with pytest.raises(InputError, match="diskspd") as refused:
        translate(read(f"diskspd {arguments}"))
    assert said in str(refused.value)


PROFILE = """<Profile>
<TimeSpans><TimeSpan><Duration>3</Duration><Warmup>1</Warmup><RandSeed>5</RandSeed>
<MeasureLatency>true</MeasureLatency><CompletionRoutines>false</CompletionRoutines>
<Targets><Target><Path>#1</Path><BlockSize>8192</BlockSize><Random>4096</Random>
<RequestCount>4</RequestCount><ThreadsPerFile>2</ThreadsPerFile><WriteRatio>70</WriteRatio>
<FileSize>1048576</FileSize><WriteThrough>true</WriteThrough><Throughput unit="IOPS">50</Throughput>
</Target></Targets></TimeSpan></TimeSpans></Profile>"""


def of_profile(text: str) -> str:
    return translate(read_profile(text.encode(), "p.xml")).text


def test_a_profile_becomes_jobs() -> None:
    lines = of_profile(PROFILE).split()
    wanted = "rw=randrw rwmixwrite=70 bs=8192 blockalign=4096 iodepth=4 numjobs=2 size=1048576 writefua=1"
    for line in [*wanted.split(), "rate=122700,286300", "randseed=5", "runtime=3s", "ramp_time=1s"]:
        assert line in lines


def test_ignored_elements_are_named_where_they_are_set() -> None:
    translated = translate(read_profile(PROFILE.encode(), "p.xml"))
    assert "MeasureLatency" in translated.notes[0]
    assert "CompletionRoutines" not in translated.notes[0]


def test_spans_follow_one_another() -> None:
    first, second = jobs(str(EXAMPLES / "read-then-write.xml"))
    assert (first["rw"], second["rw"]) == ("read", "randrw")
    assert translate(read(str(EXAMPLES / "read-then-write.xml"))).text.count("stonewall") == 1


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("<BlockSize>8192</BlockSize>", "<BlokSize>1</BlokSize>", "p.xml:4: <BlokSize> in <Target>"),
        ("BlockSize", "BlokSize", "did you mean <BlockSize>?"),
        (">8192<", ">8K<", "p.xml:4: <BlockSize> 8K: expected a whole number"),
        (">70<", ">170<", "p.xml:5: <WriteRatio> 170: expected a whole number from 0 to 100"),
        (">true</WriteThrough>", ">yes</WriteThrough>", "<WriteThrough> yes: expected true or false"),
        ('unit="IOPS"', 'unit="X"', "unit=X: expected BPMS or IOPS"),
        ('unit="IOPS"', 'units="IOPS"', "attribute units: expected no such attribute here"),
        ("<Path>#1</Path>", "", "no Path"),
        ("Profile>", "Profil>", "<Profil>: expected a DiskSpd profile"),
        ("</Profile>", "", "p.xml:7: no element found"),
        ("<Path>", "<MemoryMappedIo>true</MemoryMappedIo><Path>", "<MemoryMappedIo> is not modelled"),
        ("<Profile>", "<!DOCTYPE x [<!ENTITY a 'b'>]><Profile>", "a document type"),
    ],
)
def test_a_faulty_profile_is_refused_with_its_line(old: str, new: str, said: str) -> None:
    assert old in PROFILE
    with pytest.raises(InputError) as refused:
        of_profile(PROFILE.replace(old, new))
    assert said in str(refused.value)


def test_a_command_line_is_a_workload() -> None:
    workload = resolve("diskspd -b8K -c1M test.dat")
    assert (workload.kind, workload.stem) == ("fio", "diskspd")
    assert resolve(str(EXAMPLES / "random-write.diskspd")).stem == "random-write"


def test_trace_options_do_not_apply(floatgate: Command) -> None:
    result = floatgate("run", "slc", "diskspd a.dat", "--wrap")
    assert "--wrap: diskspd a.dat is DiskSpd's" in one_line_error(result)


def test_it_runs_and_runs_again(floatgate: Command, tmp_path: Path) -> None:
    line = "diskspd -c16M -b8K -r -w50 -o4 -d1 -W0 -L test.dat"
    result = floatgate("run", "slc", line, "--out", "one", "--no-report")
    assert result.returncode == 0, result.stderr
    assert "-L (latency statistics)" in result.stderr
    document = json.loads((tmp_path / "one" / "run.json").read_text())
    assert document["host"]["write"]["bytes"] == document["host"]["write"]["requests"] * 8192
    assert "-L" in document["workload"]["notes"]["diskspd"]
    again = floatgate("run", "one/run.json", "--out", "two", "--no-report")
    assert again.returncode == 0, again.stderr
    repeated = json.loads((tmp_path / "two" / "run.json").read_text())
    assert repeated["host"] == document["host"]
    assert repeated["workload"] == document["workload"]
