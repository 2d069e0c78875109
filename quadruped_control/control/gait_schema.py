"""The schema of a gait's file at one speed, made from the table of its fields."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field, create_model, model_validator

from quadruped_control.control.gait_field import FRAMES, Each, GaitField, Number
from quadruped_control.control.gait_fields import GRAPH, gait_fields
from quadruped_control.control.trajectory import KNOTS
from quadruped_control.kinematics.records import LEGS
from quadruped_control.loading import Schema, refusal

Declaration = tuple[Any, Any]       # the type of a key and its default; ... where it has none


def _declare_number(number: Number, *, is_trajectory: bool) -> Declaration:
    limits = number.least, number.above, number.most
    kind: Any = float
    if limits != (None, None, None):
        kind = Annotated[float, Field(ge=number.least, gt=number.above, le=number.most)]
    if is_trajectory:       # a number is a trajectory that does not change
        kind = kind | Annotated[tuple[kind, ...], Field(min_length=KNOTS, max_length=KNOTS)]
    return kind, ... if number.default is None else number.default


def _declare_parts(field: GaitField) -> dict[str, Declaration]:
    return {part: _declare_number(number, is_trajectory=bool(field.over))
            for part, number in field.parts}


def _declare(name: str, field: GaitField) -> Declaration:
    """Return a field of the stride or of a leg frame: a number, a list of parts or a mapping."""
    parts = _declare_parts(field)
    if len(parts) == 1:
        return parts['']
    if field.named:
        return _make(name, parts)
    kinds, defaults = zip(*parts.values(), strict=True)
    return tuple[kinds], defaults if field.is_optional else ...  # type: ignore[valid-type]


def _make(name: str, keys: dict[str, Declaration], **validators: Any) -> Declaration:
    """Return a mapping, which may be left out if all its keys may."""
    kind = create_model(name, __base__=Schema, __module__=__name__, __validators__=validators,
                        **keys)  # type: ignore[call-overload]
    return kind, ... if any(default is ... for _, default in keys.values()) else kind()


def _refuse_reverse(footfall: Any) -> Any:
    if not 0.0 < footfall.touchdown - footfall.lift_off < 1.0:
        raise refusal('after lift_off by more than 0 and less than 1', 'touchdown')
    return footfall


def _declare_legs() -> dict[str, Declaration]:
    """Return the groups of what each leg has, trajectories first."""
    groups: dict[str, dict[str, Declaration]] = {}
    for name, field in sorted(gait_fields().items(), key=lambda row: not row[1].over):
        if field.each is Each.LEG:
            parts = {part or name: kind for part, kind in _declare_parts(field).items()}
            groups.setdefault(field.group or name, {}).update(parts)
    checks = {GRAPH: {'refuse_reverse': model_validator(mode='after')(_refuse_reverse)}}
    return {group: _make(f'{group}_of_legs', dict.fromkeys(LEGS, _make(
                group, keys, **checks.get(group, {}))))
            for group, keys in groups.items()}


def _declare_frame() -> dict[str, Declaration]:
    """Return what a leg frame and its two legs have; those of named parts last."""
    rows = {name: field for name, field in gait_fields().items() if field.each is Each.FRAME}
    return {name: _declare(name, rows[name])
            for name in sorted(rows, key=lambda name: rows[name].named)}


def _declare_entry() -> dict[str, Declaration]:
    """Return all keys of a gait at a speed (m/s), in the order in which they are written."""
    legs = _declare_legs()
    rows = {name: field for name, field in gait_fields().items() if field.each is Each.STRIDE}
    stride = {name: _declare(name, rows[name])
              for name in sorted(rows, key=lambda name: not rows[name].over)}
    required = {key: kind for key, kind in {**stride, **legs}.items() if kind[1] is ...}
    trajectories = {name: kind for name, kind in stride.items() if rows[name].over}
    return {'speed': (Annotated[float, Field(ge=0.0, le=50.0)], ...), **required,
            **dict.fromkeys(FRAMES, _make('PairParameters', _declare_frame())),
            **trajectories, **legs, **stride}


if TYPE_CHECKING:
    class GaitAtSpeed(Schema):
        """The parameters of a gait tuned for one speed (m/s), by the names of the table."""

        speed: float

        def __getattr__(self, name: str) -> Any: ...
else:
    GaitAtSpeed = create_model('GaitAtSpeed', __base__=Schema, __module__=__name__,
                               **_declare_entry())
