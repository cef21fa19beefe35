"""Reads a DiskSpd XML profile, strictly, with the line of what is wrong."""

from collections.abc import Callable
from difflib import get_close_matches

from floatgate.errors import InputError
from floatgate.files import whole
from floatgate.inputs.diskspd.distribution import zones
from floatgate.inputs.diskspd.model import RATE_MOST, Profile, Span, Target
from floatgate.values.xml_nodes import Node, parse

# Elements that mean nothing to a raw simulated drive: how Windows does it, and what is printed.
_PROFILE_IGNORED = ("Progress", "ResultFormat", "Verbose", "ETW", "PrecreateFiles")
_SPAN_IGNORED = (
    "Affinity",
    "CalculateIopsStdDev",
    "CompletionRoutines",
    "Cooldown",
    "DisableAffinity",
    "GroupAffinity",
    "IoBucketDuration",
    "MeasureLatency",
)
_TARGET_IGNORED = (
    "DisableLocalCache",
    "DisableOSCache",
    "FlushType",
    "IOPriority",
    "ParallelAsyncIO",
    "RandomAccess",
    "SequentialScan",
    "TemporaryFile",
    "UseLargePages",
    "WriteBufferContent",
)
_NOT_MODELLED = {
    "MemoryMappedIo": "requests to the drive: leave it out",
    "ThreadTargets": "the same load of every thread: ThreadsPerFile, or ThreadCount",
    "Weight": "the same load of every target: ThreadsPerFile, or ThreadCount",
}


def read_profile(text: bytes, source: str) -> Profile:
    """Read a profile. Raises InputError with line and element."""
    return _Reader(source).profile_of(parse(text, source))


class _Reader:
    """Walks the nodes of a profile."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.profile = Profile(source)

    def profile_of(self, root: Node) -> Profile:
        if root.name != "Profile":
            raise self.refuse(root, f"<{root.name}>", "a DiskSpd profile: <Profile>")
        self.walk(root, {"TimeSpans": self.spans}, _PROFILE_IGNORED)
        if not self.profile.spans:
            raise self.refuse(root, "no TimeSpan", "at least one: <TimeSpans><TimeSpan>")
        return self.profile

    def spans(self, node: Node) -> None:
        self.walk(node, {"TimeSpan": self.span})

    def span(self, node: Node) -> None:
        span = Span(self.place(node))

        def seconds(name: str, least: int) -> Callable[[Node], None]:
            return lambda child: setattr(span, name, self.number(child, least))

        self.walk(
            node,
            {
                "Targets": lambda child: self.walk(child, {"Target": lambda one: self.target(one, span)}),
                "Duration": seconds("duration_s", 1),
                "Warmup": seconds("warmup_s", 0),
                "RandSeed": seconds("seed", 0),
                "ThreadCount": lambda child: setattr(span, "threads", self.number(child) or None),
                "RequestCount": lambda child: setattr(span, "thread_depth", self.number(child) or None),
            },
            _SPAN_IGNORED,
        )
        if not span.targets:
            raise self.refuse(node, "no Target", "at least one: <Targets><Target>")
        self.profile.spans.append(span)

    def target(self, node: Node, span: Span) -> None:
        target = Target("", self.place(node))

        def number(name: str, least: int = 0, most: int = 1 << 62) -> Callable[[Node], None]:
            return lambda child: setattr(target, name, self.number(child, least, most))

        def through(child: Node) -> None:
            target.write_through |= self.boolean(child)

        self.walk(
            node,
            {
                "Path": lambda child: setattr(target, "path", child.text.strip()),
                "BlockSize": number("block", 1),
                "StrideSize": number("stride", 1),
                "InterlockedSequential": lambda child: setattr(target, "interlocked", self.boolean(child)),
                "BaseFileOffset": number("base"),
                "Random": number("random_align", 1),
                "RandomRatio": number("random_percent", 0, 100),
                "Distribution": lambda child: setattr(target, "distribution", self.distribution(child)),
                "DisableAllCache": through,
                "WriteThrough": through,
                "BurstSize": number("burst"),
                "ThinkTime": number("think_ms"),
                "Throughput": lambda child: self.throughput(child, target),
                "ThreadsPerFile": number("threads", 1),
                "FileSize": number("file_size"),
                "MaxFileSize": number("most"),
                "WriteRatio": number("write_percent", 0, 100),
                "RequestCount": number("depth", 1),
                "ThreadStride": number("thread_stride"),
            },
            _TARGET_IGNORED,
        )
        if not target.path:
            raise self.refuse(node, "no Path", "<Path> with the file or disk")
        target.file_size, target.most = target.file_size or None, target.most or None  # 0: not given
        if target.random_percent is not None or target.distribution:
            target.random_align = target.random_align or target.block
        span.targets.append(target)

    def distribution(self, node: Node) -> str:
        kinds: list[str] = []

        def ranges_of(kind: str) -> Callable[[Node], None]:
            return lambda child: kinds.append(zones(kind, self.ranges(child), self.place(child)))

        self.walk(node, {"Percent": ranges_of("pct"), "Absolute": ranges_of("abs")})
        if len(kinds) != 1:
            raise self.refuse(node, f"{len(kinds)} kinds", "one of <Percent> and <Absolute>")
        return kinds[0]

    def ranges(self, node: Node) -> list[tuple[int, int]]:
        found: list[tuple[int, int]] = []

        def one(child: Node) -> None:
            found.append((self.whole(child, child.attributes.get("IO", ""), 0, 100), self.number(child, 1)))

        self.walk(node, {"Range": one}, attributes={"Range": ("IO",)})
        return found

    def throughput(self, node: Node, target: Target) -> None:
        unit = node.attributes.get("unit", "BPMS")
        if unit not in ("BPMS", "IOPS"):
            raise self.refuse(node, f"unit={unit}", "BPMS or IOPS")
        rate = self.number(node, 0, RATE_MOST) or None
        target.iops, target.bytes_per_ms = (rate, None) if unit == "IOPS" else (None, rate)

    def walk(
        self,
        node: Node,
        known: dict[str, Callable[[Node], None]],
        ignored: tuple[str, ...] = (),
        attributes: dict[str, tuple[str, ...]] | None = None,
    ) -> None:
        """Give each child to its reader; an element without a reader is an error."""
        allowed = {"Throughput": ("unit",)} | (attributes or {})
        for child in node.children:
            if child.name in known:
                extra = [name for name in child.attributes if name not in allowed.get(child.name, ())]
                if extra and not extra[0].startswith("xmlns"):
                    raise self.refuse(child, f"attribute {extra[0]}", "no such attribute here")
                known[child.name](child)
            elif child.name in ignored:
                if child.text.strip() not in ("false", "0"):
                    self.profile.ignore(child.name)
            elif child.name in _NOT_MODELLED:
                if child.text.strip() != "false":
                    raise self.refuse(child, f"<{child.name}> is not modelled", _NOT_MODELLED[child.name])
            else:
                names = [*known, *ignored]
                near = get_close_matches(child.name, names, n=1)
                hint = f"did you mean <{near[0]}>?" if near else f"known here: {', '.join(names)}"
                raise self.refuse(
                    child, f"<{child.name}> in <{node.name}>", f"an element of DiskSpd's ({hint})"
                )

    def number(self, node: Node, least: int = 0, most: int = 1 << 62) -> int:
        return self.whole(node, node.text.strip(), least, most)

    def whole(self, node: Node, text: str, least: int, most: int) -> int:
        value = whole(text)
        if value is None or not least <= value <= most:
            limits = f"from {least} to {most}" if most < 1 << 62 else f"of at least {least}"
            raise self.refuse(node, f"<{node.name}> {text}", f"a whole number {limits}")
        return value

    def boolean(self, node: Node) -> bool:
        text = node.text.strip()
        if text not in ("true", "false", "1", "0"):
            raise self.refuse(node, f"<{node.name}> {text}", "true or false")
        return text in ("true", "1")

    def place(self, node: Node) -> str:
        return f"{self.source}:{node.line}"

    def refuse(self, node: Node, found: str, expected: str) -> InputError:
        return InputError(f"{self.place(node)}: {found}: expected {expected}")
