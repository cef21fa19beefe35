"""XML as nodes that know their line: for strict readers of profiles and configurations.

The parser is Expat, by the standard library's own binding. A document type, and with it every entity, is
refused: no such file needs one, and entities are how XML files read other files or grow without bound.
"""

from dataclasses import dataclass, field
from xml.parsers import expat

from floatgate.errors import InputError


@dataclass
class Node:
    """An element with the line on which it begins."""

    name: str
    line: int
    attributes: dict[str, str]
    text: str = ""
    children: list["Node"] = field(default_factory=list)


def parse(text: bytes, source: str) -> Node:
    """Parse XML into nodes; gives the outermost. Raises InputError with the line."""
    parser = expat.ParserCreate()
    top = Node("", 1, {})
    stack = [top]

    def start(name: str, attributes: dict[str, str]) -> None:
        node = Node(name, parser.CurrentLineNumber, attributes)
        stack[-1].children.append(node)
        stack.append(node)

    def data(some: str) -> None:
        stack[-1].text += some

    def refuse(*_: object) -> None:
        raise InputError(f"{source}:{parser.CurrentLineNumber}: a document type: expected a file without")

    parser.StartElementHandler = start
    parser.EndElementHandler = lambda _name: stack.pop()
    parser.CharacterDataHandler = data
    parser.StartDoctypeDeclHandler = refuse
    parser.EntityDeclHandler = refuse
    try:
        parser.Parse(text, True)
    except expat.ExpatError as error:
        said = expat.ErrorString(error.code)
        raise InputError(f"{source}:{error.lineno}: {said}: expected well-formed XML") from error
    return top.children[0]
