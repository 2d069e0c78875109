"""Input files as instances of schemas, which are typed, strict and frozen."""

from __future__ import annotations

import json
from math import inf
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError
from pydantic.fields import FieldInfo
from pydantic_core import PydanticCustomError

from quadruped_control.explanation import explain
from quadruped_control.yaml_file import read_yaml

S = TypeVar('S', bound='Schema')


class Schema(BaseModel):
    """What a file may say: no other keys, no conversions, finite numbers; frozen once read."""

    model_config = ConfigDict(extra='forbid', strict=True, allow_inf_nan=False, frozen=True)

    @classmethod
    def complete(cls, data: object) -> object:
        """Return plain data with what a file leaves out because it said it before."""
        return data


def refusal(accepted: str, *key: str | int) -> PydanticCustomError:
    """
    Make the error that a validator of a schema raises.

    :param key: path of the refused key, from the object or value that is validated.
    """
    return PydanticCustomError('refusal', '{accepted}', {'accepted': accepted, 'key': key})


def read_limits(field: FieldInfo) -> tuple[float, float]:
    """Return the least and the most that a number of a schema may be."""
    least, most = -inf, inf
    for limit in field.metadata:
        least, most = getattr(limit, 'ge', least), getattr(limit, 'le', most)
    return least, most


def load(path: str | Path, schema: type[S]) -> S:
    """Read a YAML file as an instance of a schema, or raise InputError."""
    return validate(read_yaml(path), schema, path)


def validate(data: object, schema: type[S], source: str | Path) -> S:
    """Check plain data (mappings, lists, numbers, text) against a schema, or raise InputError."""
    data = schema.complete(data)
    try:
        # JSON is the mode in which a strict schema takes a list for a tuple
        return schema.model_validate_json(json.dumps(data))
    except ValidationError as error:
        raise explain(error, data, schema, source) from None
