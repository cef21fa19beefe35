"""`floatgate.check_policies` and `floatgate.new_policy`: policies of the user's own, in Python."""

from os import PathLike
from pathlib import Path
from typing import Unpack

from floatgate._generated.keywords import NewPolicyKeywords
from floatgate.options.listing import PolicyCheckOptions, PolicyNewOptions
from floatgate.options.taking import offered, take
from floatgate.own.check import Checked, check
from floatgate.own.new import new


@offered(PolicyCheckOptions, but=("json",))
def check_policies(file: str | PathLike[str]) -> list[Checked]:
    """Put the policies of a Python file through their seams' rules; return what each came to.

    Raises InputError where the file has none or cannot be read.
    """
    return check(take(PolicyCheckOptions, {}, file=str(file)).file)


@offered(PolicyNewOptions)
def new_policy(seam: str, out: str | PathLike[str], **options: Unpack[NewPolicyKeywords]) -> Path:
    """Write a Python file with a policy for `seam` (`gc.victim`) to start from; return where it is.

    Raises InputError for a seam that takes none in Python, or a file that is there already.
    """
    asked = take(PolicyNewOptions, options, seam=seam, out=Path(out))
    new(asked.seam, asked.out, force=asked.force)
    return asked.out
