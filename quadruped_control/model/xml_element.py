"""Elements of an XML file that know where they stand, so that errors can say it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from typing import NoReturn
from xml.etree import ElementTree as Xml

from quadruped_control.errors import InputError

Vector = tuple[float, float, float]
MOST_BYTES = 1_000_000


@dataclass(frozen=True)
class Grammar:
    """
    Which elements a file may have.

    :param root: tag of the outermost element.
    :param inside: accepted tags by the tag of what they are in; any where that is not named.
    :param repeated: tags that may stand more than once in the same element.
    """

    root: str
    inside: Mapping[str, Sequence[str]]
    repeated: Sequence[str]


@dataclass(frozen=True)
class Element:
    """
    An element, checked against the grammar when made.

    :param where: as in ``joint knee.limit``; that of the root is empty.
    """

    path: Path
    grammar: Grammar
    xml: Xml.Element
    where: str = ''

    def __post_init__(self) -> None:
        accepted = self.grammar.inside.get(self.xml.tag)
        seen: set[str] = set()
        for child in self.xml:
            if accepted is not None and child.tag not in accepted:
                self.refuse('' if self.where else self.xml.tag, child.tag,
                            f'one of {", ".join(accepted)}')
            if accepted is not None and child.tag in seen - {*self.grammar.repeated}:
                self.refuse(child.tag, 'given twice', 'at most one')
            seen.add(child.tag)

    def refuse(self, key: str, value: object, accepted: str) -> NoReturn:
        """Raise InputError about something in this element."""
        raise InputError(self.path, '.'.join(filter(None, (self.where, key))), value, accepted)

    def children(self, tag: str) -> list[Element]:
        """Return the children of a tag, which have names."""
        found = []
        for child in self.xml.findall(tag):
            name = child.get('name', '')
            if not name.strip():
                self.refuse(f'{tag}.name', child.get('name'), f'a name for every {tag}')
            found.append(Element(self.path, self.grammar, child, f'{tag} {name}'))
        return found

    def child(self, tag: str) -> Element:
        """Return the only child of a tag; an empty one in place of none."""
        found = self.xml.find(tag)
        return Element(self.path, self.grammar, Xml.Element(tag) if found is None else found,
                       f'{self.where}.{tag}')

    @property
    def name(self) -> str:
        """Name of one of the ``children``."""
        return self.xml.attrib['name']

    def attribute(self, name: str) -> str:
        """Return an attribute that must be there."""
        value = self.xml.get(name)
        if value is None:
            self.refuse(name, None, f'an attribute {name}')
        return value

    def number(self, name: str) -> float:
        """Return the number in an attribute that must be there."""
        return self._numbers(name, self.attribute(name), 1)[0]

    def vector(self, name: str, default: str = '0 0 0') -> Vector:
        """Return the three numbers in an attribute."""
        x, y, z = self._numbers(name, self.xml.get(name, default), 3)
        return x, y, z

    def numbers(self, name: str, count: int) -> list[float]:
        """Return so many numbers in an attribute that must be there."""
        return self._numbers(name, self.attribute(name), count)

    def _numbers(self, name: str, text: str, count: int) -> list[float]:
        try:
            values = [float(word) for word in text.split()]
        except ValueError:
            values = []
        if len(values) != count or not all(isfinite(value) for value in values):
            self.refuse(name, text, f'{count} finite number{"s" if count > 1 else ""}')
        return values


def read_xml(path: Path, grammar: Grammar) -> Element:
    """Read a file and return its root, or raise InputError."""
    return parse_xml(path, read_bytes(path), grammar)


def read_bytes(path: Path) -> bytes:
    """Return what is in a file that is not too large for XML, or raise InputError."""
    try:
        with path.open('rb') as stream:
            text = stream.read(MOST_BYTES + 1)
    except OSError as error:
        raise InputError(path, '', error.strerror, 'a readable XML file') from None
    if len(text) > MOST_BYTES:
        raise InputError(path, '', f'more than {MOST_BYTES} bytes', 'a smaller XML file')
    return text


def parse_xml(path: Path, text: bytes, grammar: Grammar) -> Element:
    """Return the root of an XML text, or raise InputError about the file that it is from."""
    try:
        root = Xml.fromstring(text)
    except (Xml.ParseError, ValueError, LookupError) as error:     # LookupError: of its encoding
        raise InputError(path, '', str(error), 'well-formed XML') from None
    if root.tag != grammar.root:
        raise InputError(path, 'root element', root.tag, grammar.root)
    return Element(path, grammar, root)
