"""`floatgate policies show|check|new`: what there is to choose from, and a user's own beside it."""

from typing import Any

import typer
from typer.core import TyperGroup

from floatgate.options.listing import PoliciesOptions, PolicyCheckOptions, PolicyNewOptions
from floatgate.shell.command import Command
from floatgate.shell.options import takes

SHOW = "show"


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
@takes(PoliciesOptions)
def show(asked: PoliciesOptions) -> None:
    """List the policies by the decision they make, or explain one (`d-choices`, `ftl.gc.victim`).

    The word `show` may be left out.
    """
    from floatgate.inputs.policies import cards
    from floatgate.shell import console

    found = cards(asked.name)
    if asked.json:
        console.print_json(found)
    elif asked.name is None:
        _seams(found)
    else:
        for card in found:
            _card(card)


@app.command(cls=Command)
@takes(PolicyCheckOptions)
def check(asked: PolicyCheckOptions) -> None:
    """Put the policies of a Python file through their seams' rules; say the first that one breaks.

    Each goes through the battery that the policies of the catalogue pass, then through small drives which an
    independent model checks, twice with each seed. Code 2 where one breaks a rule.
    """
    from floatgate.own.check import check as checking
    from floatgate.shell import console

    found = checking(asked.file, lambda text: None if asked.json else console.err.print(text, markup=False))
    if asked.json:
        console.print_json([vars(one) for one in found])
    else:
        for one in found:
            said = f"passes {len(one.kept)} checks" if one.fault is None else f"fails: {one.fault}"
            console.out.print(f"{one.name}  {one.seam}  {said}", markup=False)
    if any(one.fault is not None for one in found):
        raise typer.Exit(2)


@app.command(cls=Command)
@takes(PolicyNewOptions)
def new(asked: PolicyNewOptions) -> None:
    """Write a Python file with a policy to start from: it is documented and passes its checks."""
    from floatgate.own.new import new as writing
    from floatgate.shell import console

    writing(asked.seam, asked.out, force=asked.force)
    console.err.print(f"wrote {asked.out}", markup=False)


def _seams(cards: list[dict[str, Any]]) -> None:
    from floatgate.own.seams import SEAMS
    from floatgate.shell import console

    for seam in dict.fromkeys(card["seam"] for card in cards):
        below = [card for card in cards if card["seam"] == seam]
        console.out.print(f"{seam}: {below[0]['question']}", markup=False, style="bold")
        for card in below:
            console.out.print(f"  {card['name']:<18} {card['rule']}", markup=False)
        if seam in SEAMS:
            begin = f"floatgate policies new {seam.removeprefix('ftl.')} FILE.py"
            console.out.print(f"  {'FILE.py:CLASS':<18} your own, in Python: `{begin}`", markup=False)


def _card(card: dict[str, Any]) -> None:
    from floatgate.shell import console

    console.out.print(f"{card['seam']}.name = {card['name']}", markup=False, style="bold")
    for title, key in (
        ("answers", "question"),
        ("rule", "rule"),
        ("paper", "paper"),
        ("not modelled", "not_modelled"),
    ):
        if card.get(key):
            console.out.print(f"  {title:<13} {card[key]}", markup=False)
    for parameter in card["parameters"]:
        default = "required" if parameter["required"] else f"default {parameter['default'] or 'none'}"
        text = f"{parameter['help']}; expected {parameter['expected']} ({default})"
        console.out.print(f"  {card['seam']}.{parameter['key']}: {text}", markup=False)
