"""Policies as objects, on the core's real list."""

import json
from typing import Any

import pytest

import floatgate as fg
from floatgate import _core
from floatgate.errors import InputError
from floatgate.inputs.policies import class_name, policy, seam


def _cards() -> list[dict[str, object]]:
    cards: list[dict[str, object]] = json.loads(_core.policies())
    return cards


def test_every_policy_has_its_class() -> None:
    for card in _cards():
        found = seam(str(card["seam"]))
        assert found is not None
        made = getattr(found, class_name(str(card["name"])))()
        assert made == policy(str(card["seam"]), str(card["name"]))
        assert made.overrides() == [f"{card['seam']}.name={card['name']}"]


def test_a_policy_with_a_parameter() -> None:
    made = fg.gc.victim.DChoices(d=4)
    assert made == fg.policy("ftl.gc.victim", "d-choices", d=4)
    assert made.overrides() == ["ftl.gc.victim.name=d-choices", "ftl.gc.victim.d=4"]
    assert fg.ftl.gc.victim.DChoices(d=4) == made


@pytest.mark.parametrize(
    ("arguments", "parameters", "said"),
    [
        (("ftl.gc.victm", "greedy"), {}, "did you mean ftl.gc.victim"),
        (("ftl.gc.victim", "gredy"), {}, "did you mean greedy"),
        (("ftl.gc.victim", "d-choices"), {"dd": 4}, "did you mean d?"),
    ],
)
def test_what_is_unknown_is_refused(
    arguments: tuple[str, str], parameters: dict[str, Any], said: str
) -> None:
    with pytest.raises(InputError, match=said.replace("?", r"\?")):
        fg.policy(*arguments, **parameters)


def test_an_unknown_name_is_an_ordinary_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        _ = fg.nonsense
    with pytest.raises(AttributeError, match="Greedy"):
        _ = fg.gc.victim.Gredy  # type: ignore[attr-defined]
