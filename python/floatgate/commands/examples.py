"""`floatgate examples`: the files that come with Floatgate to try it with."""

from floatgate.options.listing import ExamplesOptions
from floatgate.shell.options import takes


@takes(ExamplesOptions)
def examples(asked: ExamplesOptions) -> None:
    """List the examples: jobs, plans, price lists. Commands find them by these names in every folder."""
    from floatgate.inputs.examples import copy, listed
    from floatgate.shell import console

    if asked.copy is not None:
        console.out.print(f"wrote {copy(asked.copy)}", markup=False)
        return
    shown = listed()
    width = max(len(name) for name, _ in shown)
    for name, title in shown:
        console.out.print(f"{name:<{width}}  {title}", markup=False)
