"""The loader takes what a schema says and explains everything else."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import pytest
from pydantic import Field

from quadruped_control.errors import InputError
from quadruped_control.loading import Schema, load, refusal, validate
from quadruped_control.yaml_file import MOST_BYTES, read_yaml


class Apple(Schema):
    kind: Literal['apple']
    mass: Annotated[float, Field(gt=0.0, description='kg')]


class Nut(Schema):
    kind: Literal['nut']
    cracked: bool = False


class Ball(Schema):
    centre: float
    radius: Annotated[float, Field(gt=0.0)]


class Stick(Schema):
    start: float
    end: float
    radius: Annotated[float, Field(gt=0.0)]


class Basket(Schema):
    count: int = 0
    size: tuple[float, float, float] = (1.0, 1.0, 1.0)
    colour: Literal['red', 'green'] = 'red'
    label: str = ''
    price: float | None = None
    toys: tuple[Ball | Stick, ...] = ()
    best: Ball | None = None
    content: tuple[Annotated[Apple | Nut, Field(discriminator='kind')], ...] = ()
    notes: dict[str, bool | float | tuple[float, float]] = Field(default_factory=dict)


def write(folder: Path, text: str | bytes) -> Path:
    path = folder / 'basket.yaml'
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def fail(folder: Path, text: str | bytes) -> InputError:
    with pytest.raises(InputError) as caught:
        load(write(folder, text), Basket)
    assert caught.value.source.endswith('basket.yaml')
    return caught.value


def test_load_takes_what_the_schema_says(tmp_path: Path) -> None:
    text = """
        count: 3
        size: [1, 2.5, 1e-3]
        label: yes
        content: [{kind: apple, mass: 1}, {kind: nut, cracked: true}]
        notes: {a: 1, b: [0, 1], c: false}
    """
    basket = load(write(tmp_path, text), Basket)
    assert basket.size == (1.0, 2.5, 0.001)
    assert basket.label == 'yes'
    assert basket.content == (Apple(kind='apple', mass=1.0), Nut(kind='nut', cracked=True))
    assert basket.notes == {'a': 1.0, 'b': (0.0, 1.0), 'c': False}


@pytest.mark.parametrize(
    ('text', 'value'),
    [
        ('1e-3', 0.001),
        ('-2E4', -20000.0),
        ('+.5', 0.5),
        ('1.', 1.0),
        ('-.inf', -float('inf')),
        ('.INF', float('inf')),
        ('010', 10),
        ('0o17', 15),
        ('0x1F', 31),
        ('1:30', '1:30'),
        ('1_000', '1_000'),
        ('2024-01-01', '2024-01-01'),
        ('off', 'off'),
        ('"1e-3"', '1e-3'),
        ('TRUE', True),
        ('~', None),
        ('<<', '<<'),
    ],
)
def test_scalars_follow_yaml_1_2(tmp_path: Path, text: str, value: object) -> None:
    data = read_yaml(write(tmp_path, f'a: {text}'))
    assert data == {'a': value}
    assert isinstance(data, dict)
    assert type(data['a']) is type(value)


@pytest.mark.parametrize(
    ('text', 'key', 'value', 'accepted'),
    [
        ('count: 1.5', 'count', 1.5, 'a whole number'),
        ('count: true', 'count', True, 'a whole number'),
        ('count: "3"', 'count', '3', 'a whole number'),
        ('price: false', 'price', False, 'a number'),
        ('price: .nan', 'price', None, 'a number'),
        ('price: 1e999', 'price', float('inf'), 'a number'),
        ('label: 3', 'label', 3, 'text'),
        ('colour: blue', 'colour', 'blue', 'one of red, green'),
        ('colour: [red]', 'colour', ['red'], 'one of red, green'),
        ('size: [1, 2]', 'size', [1, 2], 'a list of 3, each a number'),
        ('size: [1, 2, 3, 4]', 'size', [1, 2, 3, 4], 'a list of 3, each a number'),
        ('size: [1, x, 3]', 'size[1]', 'x', 'a number'),
        ('size: {a: 1}', 'size', {'a': 1}, 'a list of 3'),
        ('content: 3', 'content', 3, "a list, each a mapping with 'kind' apple, nut"),
        ('content: [3]', 'content[0]', 3, "a mapping with 'kind' apple, nut"),
        ('content: [{}]', 'content[0].kind', None, 'one of apple, nut'),
        ('content: [{kind: aple}]', 'content[0].kind', 'aple', "did you mean 'apple'?"),
        ('content: [{kind: apple}]', 'content[0].mass', None, 'a number > 0 kg'),
        ('content: [{kind: apple, mass: 0}]', 'content[0].mass', 0, 'a number > 0 kg'),
        ('content: [{kind: nut, mas: 0}]', 'content[0].mas', 0, 'the keys kind, cracked'),
        ('notes: {a: [1, no]}', 'notes.a', [1, 'no'], 'true or false or a number or a list of 2'),
        # of a union without a kind, the member that is meant is the one with fewest mistakes
        ('toys: [{centre: 0, radius: -1}]', 'toys[0].radius', -1, 'a number > 0'),
        ('toys: [{start: 0, radius: 1}]', 'toys[0].end', None, 'a number'),
        ('toys: [{centre: 0, radius: 1, hue: 2}]', 'toys[0].hue', 2, 'centre, radius, start, end'),
        ('best: {centre: 0, radius: 1, hue: 2}', 'best.hue', 2, 'the keys centre, radius'),
        ('best: {centre: 0}', 'best.radius', None, 'a number > 0'),
        ('cuont: 3', 'cuont', 3, "did you mean 'count'?"),
        ('[1]', '', [1], 'a mapping with keys out of count, size'),
        ('text', '', 'text', 'a mapping with keys'),
    ],
)
def test_refusals_name_key_value_and_accepted(
    tmp_path: Path, text: str, key: str, value: object, accepted: str
) -> None:
    error = fail(tmp_path, text)
    assert error.key == key
    assert value is None or error.value == value
    assert accepted in error.accepted


@pytest.mark.parametrize(
    ('text', 'expected'),
    [
        ('', 'empty'),
        ('# nothing\n', 'empty'),
        (b'\xff\xfe\x00', 'UTF-8'),
        (b'a: \x00', 'valid YAML'),
        ('count: [1,\n  2', "'line 2'"),
        ('count: 1\ncount: 2', "'line 2' is 'count: 2'"),
        ('notes: {a: 1, a: 2}', "each key once ('a' stands before)"),
        ('1: 2', 'text as a key'),
        ('? [a]\n: 1', 'text as a key'),
        ('count: &a 1', 'anchors'),
        ('count: 1\nprice: *a', 'anchors'),
        ('count: !!python/object:os.system 1', 'without tags'),
        ('count: !!bool maybe', 'without tags'),
        ('count: 1\n---\ncount: 2', 'valid YAML'),
        ('count: ' + '[' * 60 + ']' * 60, 'levels of nesting'),
        ('count: ' + '[' * 100_000, 'levels of nesting'),
        ('count: ' + '9' * 5000, 'fewer digits'),
        (b'#' * (MOST_BYTES + 1), f'at most {MOST_BYTES} bytes'),
        ('label: "\\ud800"', 'accepted'),
    ],
)
def test_what_is_not_plain_yaml_is_refused(
    tmp_path: Path, text: str | bytes, expected: str
) -> None:
    assert expected in str(fail(tmp_path, text))


def test_missing_files_and_folders_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r'none\.yaml is missing'):
        read_yaml(tmp_path / 'none.yaml')
    with pytest.raises(InputError, match='is not a file'):
        read_yaml(tmp_path)


def test_several_mistakes_are_all_named(tmp_path: Path) -> None:
    error = fail(tmp_path, '{price: a, colour: b, cuont: 1}')
    assert error.key == 'cuont'
    assert "to correct as well: 'colour', 'price'" in str(error)


def test_validators_can_name_the_key_they_refuse() -> None:
    from pydantic import field_validator

    class Shelf(Schema):
        rows: tuple[Apple, ...]

        @field_validator('rows')
        @classmethod
        def check(cls, rows: tuple[Apple, ...]) -> tuple[Apple, ...]:
            raise refusal('lighter ones', 0, 'mass')

    with pytest.raises(InputError) as caught:
        validate({'rows': [{'kind': 'apple', 'mass': 3}]}, Shelf, 'shelf')
    assert str(caught.value) == "shelf: 'rows[0].mass' is 3; accepted: lighter ones"
