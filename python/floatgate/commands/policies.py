"""`floatgate policies show|check|new`: what there is to choose from, and a user's own beside it."""

from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Unpack

import typer
from typer.core import TyperGroup

from floatgate._generated.keywords import NewPolicyKeywords
from floatgate.inputs.configuration import Key
from floatgate.options.definition import Argument, CommandOptions
from floatgate.options.shared import NAME, Force, Json
from floatgate.options.taking import offered, take
from floatgate.shell import console
from floatgate.shell.command import Command
from floatgate.shell.options import takes
from floatgate.values.arguments import named

if TYPE_CHECKING:
    from floatgate.own.check import Checked

SHOW = "show"


@dataclass(frozen=True)
class PoliciesOptions(CommandOptions):
    """`floatgate policies`: the policies, or one of them."""

    name: Annotated[str | None, NAME] = None
    json: Json = False


@dataclass(frozen=True)
class PolicyCheckOptions(CommandOptions):
    """`floatgate policies check`: policies in Python, put through the rules."""

    file: Annotated[
        str,
        Argument(
            "A Python file with policies.",
            metavar="FILE",
            takes="a file with a class of fg.gc.victim.Policy, for instance",
            differs="programs, not requests",
        ),
    ]
    json: Json = False


@dataclass(frozen=True)
class PolicyNewOptions(CommandOptions):
    """`floatgate policies new`: a policy in Python to start from."""

    seam: Annotated[
        str,
        Argument(
            "The question that it answers: gc.victim.", takes="gc.trigger, gc.victim, slc_cache or wear"
        ),
    ]
    out: Annotated[
        Path,
        Argument(
            "The file to write: mine.py.",
            metavar="OUT",
            takes="a new Python file, or with --force any",
            differs="required: what is made is nothing but this file",
        ),
    ]
    force: Force = False


@dataclass(frozen=True)
class PolicyCard:
    """A policy: the question it answers, its rule, and its parameters."""

    seam: str  # the key path of the question: `ftl.gc.victim`
    question: str
    name: str
    rule: str
    paper: str | None
    not_modelled: str | None
    default: bool  # whether drives have it where they say nothing
    parameters: "tuple[Key, ...]"  # by their keys below the seam


@named
def policies(name: str | None = None) -> list[PolicyCard]:
    """Return the policies by the decision they make, or those of a name: `"d-choices"`, `"ftl.gc.victim"`.

    Raises InputError for a name that nothing has, naming the nearest.
    """
    from floatgate.inputs.policies import cards

    return [_policy(card) for card in cards(name)]


def _policy(card: dict[str, Any]) -> PolicyCard:
    told = [{key: one[key] for key in one if key != "expected"} for one in card["parameters"]]
    parameters = tuple(Key(**one | {"names": tuple(one["names"])}) for one in told)
    return PolicyCard(
        card["seam"],
        card["question"],
        card["name"],
        card["rule"],
        card.get("paper") or None,
        card.get("not_modelled") or None,
        card.get("default") is True,
        parameters,
    )


@offered(PolicyCheckOptions, but=("json",))
def check_policies(file: str | PathLike[str]) -> "list[Checked]":
    """Put the policies of a Python file through their seams' rules; return what each came to.

    Raises InputError where the file has none or cannot be read.
    """
    from floatgate.own.check import check

    return check(take(PolicyCheckOptions, {}, file=str(file)).file)


@offered(PolicyNewOptions)
def new_policy(seam: str, out: str | PathLike[str], **options: Unpack[NewPolicyKeywords]) -> Path:
    """Write a Python file with a policy for `seam` (`gc.victim`) to start from; return where it is.

    Raises InputError for a seam that takes none in Python, or a file that is there already.
    """
    from floatgate.own.new import new

    asked = take(PolicyNewOptions, options, seam=seam, out=Path(out))
    new(asked.seam, asked.out, force=asked.force)
    return asked.out


class Group(TyperGroup):
    """A group whose first command may be left out: `floatgate policies d-choices`."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the words of the command line; what names no command is for `show`."""
        if not args or (args[0] not in self.commands and args[0] != "--help"):
            args = [SHOW, *args]
        return super().parse_args(ctx, args)

    def shell_complete(self, ctx: Any, incomplete: str) -> list[Any]:
        """Return what completes a word: commands, and what `show` takes."""
        show = self.commands[SHOW]
        of = show.context_class(show, info_name=SHOW, parent=ctx)
        return [*super().shell_complete(ctx, incomplete), *show.params[0].shell_complete(of, incomplete)]


app = typer.Typer(cls=Group, help="List and explain policies; check and begin policies in Python.")


@app.command(SHOW, cls=Command)
@takes(PoliciesOptions, examples=("floatgate policies show", "floatgate policies show d-choices"))
def show_in_shell(asked: PoliciesOptions) -> None:
    """List the policies by the decision they make, or explain one (`d-choices`, `ftl.gc.victim`).

    The word `show` may be left out.
    """
    from floatgate.inputs.policies import cards

    found = cards(asked.name)
    if asked.json:
        console.print_json(found)
    elif asked.name is None:
        _seams(found)
    else:
        for card in found:
            _card(card)


@app.command(cls=Command)
@takes(
    PolicyCheckOptions,
    examples=("floatgate policies check mine.py", "floatgate policies check mine.py --json"),
)
def check_in_shell(asked: PolicyCheckOptions) -> None:
    """Put the policies of a Python file through their seams' rules; say the first that one breaks.

    Each goes through the battery that the policies of the catalogue pass, then through small drives which an
    independent model checks, twice with each seed. Code 2 where one breaks a rule.
    """
    from floatgate.own.check import check as checking

    found = checking(asked.file, lambda text: None if asked.json else console.err.print(text))
    if asked.json:
        console.print_json([vars(one) for one in found])
    else:
        for one in found:
            said = f"passes {len(one.kept)} checks" if one.fault is None else f"fails: {one.fault}"
            console.out.print(f"{one.name}  {one.seam}  {said}")
    if any(one.fault is not None for one in found):
        raise typer.Exit(2)


@app.command(cls=Command)
@takes(
    PolicyNewOptions,
    examples=(
        "floatgate policies new gc.victim mine.py",
        "floatgate policies new slc_cache cache.py --force",
    ),
)
def new_in_shell(asked: PolicyNewOptions) -> None:
    """Write a Python file with a policy to start from: it is documented and passes its checks."""
    from floatgate.own.new import new as writing

    writing(asked.seam, asked.out, force=asked.force)
    console.err.print(f"wrote {asked.out}")


def _seams(cards: list[dict[str, Any]]) -> None:
    from floatgate.own.seams import SEAMS

    for seam in dict.fromkeys(card["seam"] for card in cards):
        below = [card for card in cards if card["seam"] == seam]
        console.out.print(f"{seam}: {below[0]['question']}", style="bold")
        for card in below:
            console.out.print(f"  {card['name']:<18} {card['rule']}")
        if seam in SEAMS:
            begin = f"floatgate policies new {seam.removeprefix('ftl.')} FILE.py"
            console.out.print(f"  {'FILE.py:CLASS':<18} your own, in Python: `{begin}`")


def _card(card: dict[str, Any]) -> None:
    console.out.print(f"{card['seam']}.name = {card['name']}", style="bold")
    for title, key in (
        ("answers", "question"),
        ("rule", "rule"),
        ("paper", "paper"),
        ("not modelled", "not_modelled"),
    ):
        if card.get(key):
            console.out.print(f"  {title:<13} {card[key]}")
    for parameter in card["parameters"]:
        default = "required" if parameter["required"] else f"default {parameter['default'] or 'none'}"
        text = f"{parameter['help']}; expected {parameter['expected']} ({default})"
        console.out.print(f"  {card['seam']}.{parameter['key']}: {text}")
