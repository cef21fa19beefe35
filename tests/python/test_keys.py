"""`floatgate keys`: every key with its meaning, and what a drive has of them."""

import json
from operator import attrgetter

import pytest

import floatgate as fg
from conftest import Command, one_line_error


def test_keys_of_features_that_are_off_are_listed_with_what_they_need() -> None:
    [d] = fg.keys("ftl.gc.victim.d")
    assert "ftl.gc.victim.name = d-choices" in d.needs
    assert (d.type, d.range, d.default) == ("whole number", "at least 1", "10")
    found = {key.key: key for key in fg.keys(drive="nvme-qlc")}
    assert found["ftl.slc_cache.size"].off == "ftl.slc_cache.name = static"
    least = found["ftl.slc_cache.least"]
    assert (least.off, bool(least.source)) == (None, True)
    assert "nvme-qlc.toml" in (least.place or "")
    for key in ("ftl.parity.stripe", "ftl.snapshots.keep", "ftl.scrub.margin"):
        assert found[key].off, key


def test_a_pattern_is_a_part_of_a_key_or_a_glob() -> None:
    assert {key.key for key in fg.keys("ftl.*.idle_after")} >= {
        "ftl.scrub.idle_after",
        "ftl.rewrite.idle_after",
    }
    assert all("gc" in key.key for key in fg.keys("gc"))
    with pytest.raises(fg.InputError, match=r"^ftl\.gc\.victm: no key .*\(did you mean ftl\.gc\.victim\."):
        fg.keys("ftl.gc.victm")


@pytest.mark.parametrize(
    ("key", "said"),
    [
        ("gc.victim.name", 'gc.victim.name = "greedy": unknown key (did you mean "ftl.gc.victim.name"?)'),
        ("gc.victm.name", 'did you mean "ftl.gc.victim.name"?'),
        ("ftl.gc.victm.name", 'did you mean "ftl.gc.victim.name"?'),
        ("ftl.gc.victim", 'expected a table (did you mean "ftl.gc.victim.name"?)'),
        ("ftl.gc", "keys there: ftl.gc."),
        ("ftl", "keys there: ftl."),
        ("victim.name", 'did you mean "ftl.gc.victim.name" or "host.translation.victim.name"?'),
        ("blocks_per_plane", 'did you mean "nand.blocks_per_plane"?'),
        ("nand.block_per_plane", 'did you mean "nand.blocks_per_plane"?'),
        ("name", "`floatgate keys name` lists them"),
        ("ftl.gc.victim.zzzz", "known here: "),
        ("ftl.gc.victim.d", "it needs ftl.gc.victim.name = d-choices"),
    ],
)
def test_a_key_that_is_not_read_is_told_what_was_meant(key: str, said: str) -> None:
    with pytest.raises(fg.InputError) as error:
        fg.drive("tlc", set={key: "greedy"})
    assert said in str(error.value)
    assert "\n" not in str(error.value)


def test_a_part_of_a_name_lists_what_has_it(floatgate: Command) -> None:
    listed = floatgate("drives", "nvme").stdout.splitlines()
    assert {line.split()[0] for line in listed} == {name for name in fg.drives() if "nvme" in name}
    assert len(listed) > 2
    assert "sata-tlc" in floatgate("drives", "ata-tl").stdout
    assert floatgate("drives", "tlc").stdout.startswith("tlc: "), "one is called so"
    assert "tlc" in floatgate("chips", "tlc").stdout
    error = one_line_error(floatgate("run", "nvme", "random-write"))
    assert "did you mean one of nvme-qlc, nvme-tlc" in error
    assert "nvme-qlc" in one_line_error(floatgate("drives", "nvme", "--set", "ftl.op_ratio=0.2"))
    assert "`floatgate drives` lists them" in one_line_error(floatgate("drives", "zzz"))


def test_the_command_prints_a_table_or_json(floatgate: Command) -> None:
    told = floatgate("keys", "gc.victim.d", "--drive", "tlc", "--set", "ftl.gc.victim.name=d-choices")
    assert told.returncode == 0, told.stderr
    assert "ftl.gc.victim.d = 10  [default]" in told.stdout
    told = floatgate("keys", "gc.victim.d", "--format", "json")
    assert json.loads(told.stdout)[0]["key"] == "ftl.gc.victim.d"
    told = floatgate("keys", "victm")
    assert (told.returncode, told.stderr.count("\n")) == (2, 1)
    assert "did you mean ftl.gc.victim" in told.stderr


def test_each_key_and_each_parameter_of_a_policy_says_what_it_means() -> None:
    listed = fg.keys()
    silent = [key.key for key in listed if not key.help]
    assert not silent
    bare = [key.key for key in listed if key.type in ("number", "time", "size") and not key.unit]
    assert not bare


PUBLIC = [name for name in fg.__all__ if not name.startswith("_") and callable(getattr(fg, name))]
PUBLIC += ["bus.explore", "bus.waveform", "state.info", *(f"trace.{name}" for name in fg.trace.__all__)]


@pytest.mark.parametrize("name", PUBLIC)
def test_a_wrong_argument_is_refused_with_its_name(name: str) -> None:
    public = attrgetter(name)(fg)
    needed = {"policy": ("ftl.gc.victim", "d-choices"), "run": ("tlc", "x.fio")}.get(name, ())
    if isinstance(public, type) and issubclass(public, BaseException):
        return
    # A caller makes no completions: a stepped drive does.
    expected = "no_such_thing" if name != "Completion" else "cannot create"
    with pytest.raises((TypeError, fg.InputError), match=expected):
        public(*needed, no_such_thing=1)


def test_a_wrong_argument_is_told_with_the_nearest() -> None:
    with pytest.raises(TypeError, match=r"no option 'drve' \(did you mean drive\?\)"):
        fg.keys(drve="tlc")  # type: ignore[call-arg]
    with pytest.raises(TypeError, match=r"pattern = 3: expected a text"):
        fg.keys(3)  # type: ignore[arg-type]
