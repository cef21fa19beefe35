"""Where random requests go: DiskSpd's ranges as fio's zones."""

from floatgate.errors import InputError

Range = tuple[int, int]  # percent of the requests; percent of the target, or bytes


def zones(kind: str, ranges: list[Range], place: str) -> str:
    """Return `ranges` as fio writes them; what is left of the requests goes to what is left of the target.

    Raises InputError when they are more than the whole.
    """
    asked = sum(percent for percent, _ in ranges)
    if asked > 100:
        raise InputError(f"{place}: {asked} % of the requests: expected at most 100 in all")
    if kind == "abs":
        if asked != 100:
            # Where the rest would begin is known only with the target's size.
            raise InputError(f"{place}: {asked} % of the requests: expected 100 in all with absolute ranges")
        return "zoned_abs:" + ":".join(f"{percent}/{size}" for percent, size in ranges)
    covered = sum(size for _, size in ranges)
    if covered > 100:
        raise InputError(f"{place}: {covered} % of the target: expected at most 100 in all")
    if covered < 100:
        ranges = [*ranges, (100 - asked, 100 - covered)]
    elif asked < 100:
        raise InputError(f"{place}: {asked} % of the requests: expected 100 on the whole target")
    return "zoned:" + ":".join(f"{percent}/{size}" for percent, size in ranges)
