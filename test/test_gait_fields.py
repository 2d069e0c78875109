"""The table of a gait's fields: all that follows from a row, and records that mypy knows."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from quadruped_control.control.gait import GaitTable, as_numbers, flatten, load_gait
from quadruped_control.control.gait_entries import Entry, list_entries, list_units
from quadruped_control.control.gait_field import GaitField
from quadruped_control.control.gait_fields import GaitRecord, gait_fields, list_places
from quadruped_control.control.gait_scheduler import GaitScheduler
from quadruped_control.control.gait_schema import GaitAtSpeed
from quadruped_control.control.records import TargetRecord
from quadruped_control.errors import InputError
from quadruped_control.kinematics.record_class import (
    Record,
    dtype_of,
    integers,
    list_fields,
    make_record,
    numbers,
)
from quadruped_control.kinematics.records import new_record, state_type
from quadruped_control.loading import validate
from quadruped_control.model.robot_loading import load_robot

ROOT = Path(__file__).resolve().parents[1]
LIMITED = [entry for entry in list_entries() if entry.number.most is not None]


def put(data: dict[str, Any], entry: Entry, value: object) -> None:
    """Write a value where a file has it."""
    node: Any = data
    for key in entry.path[:-1]:
        node = node[key]
    node[entry.path[-1]] = value


def dump(gait: str = 'canter') -> dict[str, Any]:
    return load_gait(gait).speeds[0].model_dump(mode='json')


def test_the_flat_vector_is_the_memory_of_the_record() -> None:
    record = make_record(GaitRecord)
    numbers = as_numbers(record)
    numbers[:] = np.arange(len(numbers))
    assert record.dtype.names == tuple(list_places())
    for name, places in list_places().items():
        np.testing.assert_array_equal(record[name], places)


def test_each_number_is_one_of_a_file() -> None:
    places = [place for entry in list_entries() for place in entry.places]
    assert sorted(places) == list(range(len(list_units())))
    marked = dump()
    for n, entry in enumerate(list_entries()):
        value = 0.5 + n / 1000
        put(marked, entry, value if 'touchdown' not in entry.name else value + 0.3)
    marked['gait_graph'] = dump()['gait_graph']
    for pair in ('front', 'rear'):
        marked[pair]['smoothing'] = 0.1
    numbers = flatten(validate(marked, GaitAtSpeed, 'test'))
    for n, entry in enumerate(list_entries()):
        if entry.path[0] != 'gait_graph' and 'smoothing' not in entry.name:
            assert (numbers[list(entry.places)] == 0.5 + n / 1000).all(), entry.name


def unit(field: str) -> set[str]:
    return {str(text) for text in list_units()[list_places()[field].ravel()]}


def test_units_are_those_of_the_formulas() -> None:
    """A force follows from a distance, a speed or an angle; a foothold from a speed."""
    for force_per, fields in {'N/m': ('tracking',), 'N s/m': ('velocity_gain',),
                              'N/rad': ('heading_gain',), 'N': ('leg_force',)}.items():
        assert all(unit(field) == {force_per} for field in fields)
    stiffness, damping = np.moveaxis(list_units()[list_places()['height_gain']], -1, 0)
    assert set(stiffness) == {'N/m'} and set(damping) == {'N s/m'}
    for pastern in ('toe_off', 'foot_strike'):
        angle, time = np.moveaxis(list_units()[list_places()[pastern]], -1, 0)
        assert set(angle) == {'rad'} and set(time) == {'s'}
    for length in ('height', 'swing_height', 'step_ahead', 'step_aside', 'leg_step', 'reach'):
        assert unit(length) == {'m'}
    for time in ('period', 'placement', 'smoothing'):
        assert unit(time) == {'s'}
    assert unit('yielding') == unit('turning') == {'1/s'}
    for ratio in ('lift_off', 'swing_advance', 'weight_share', 'facing', 'grip', 'slant'):
        assert unit(ratio) == {''}


@pytest.mark.parametrize('entry', LIMITED, ids=lambda entry: entry.name)
def test_what_is_beyond_the_limit_is_refused_by_its_key(entry: Entry) -> None:
    data = dump()
    put(data, entry, (entry.number.most or 0.0) + 0.1)
    with pytest.raises(InputError) as refused:
        validate(data, GaitAtSpeed, 'test')
    assert refused.value.key == '.'.join(map(str, entry.path))


def test_what_has_a_default_may_be_left_out() -> None:
    whole = dump()
    short = {key: whole[key] for key in ('speed', 'period', 'gait_graph')}
    for pair in ('front', 'rear'):
        short[pair] = {key: value for key, value in whole[pair].items()
                       if not gait_fields()[key].is_optional}
    numbers = flatten(validate(short, GaitAtSpeed, 'test'))
    for entry in list_entries():
        if entry.field.is_optional:
            assert (numbers[list(entry.places)] == entry.number.default).all(), entry.name


ROW = """
from quadruped_control.control.gait_field import Each, Number, Search, declare
from quadruped_control.control.gait_fields import GaitRecord
GaitRecord.bounce = declare(Each.FRAME, 'how it bounces', Number(
    'N', 10.0, 0.0, 50.0, default=3.0, search=Search((0.0, 40.0))))
from quadruped_control.control.gait import flatten, load_gait
from quadruped_control.control.gait_entries import list_units
from quadruped_control.control.gait_file import unflatten
from quadruped_control.control.gait_tuning import list_knobs
from quadruped_control.control.records import gait_type
from quadruped_control.tuning.parameters import free_parameters
entry = load_gait('trot').speeds[0]
numbers = flatten(entry)
knob = list_knobs()['rear.bounce']
assert gait_type()['bounce'].shape == (2,)
assert entry.rear.bounce == 3.0 and knob.read(numbers) == 3.0
knob.turn(numbers, 2.0)
assert unflatten(numbers, 0.0).rear.bounce == 5.0 and unflatten(numbers, 0.0).front.bounce == 3.0
assert list_units()[knob.places[0]] == 'N'
assert knob.places in free_parameters().places
"""


def test_a_new_field_is_one_row() -> None:
    subprocess.run([sys.executable, '-c', ROW], check=True)


@pytest.mark.timeout(240)
def test_what_a_target_has_of_a_gait_is_copied_into_it() -> None:
    robot = load_robot()
    stand = flatten(load_gait('stand').speeds[0])
    stand += 0.001 * np.arange(len(stand))
    scheduler = GaitScheduler(robot, stand, {'trot': GaitTable.of(load_gait('trot'))},
                              time_step=1e-3, gait='trot')
    state = new_record(state_type(len(robot.links)))
    state['base_quaternion'] = 0.0, 0.0, 0.0, 1.0
    target = scheduler.update(state)
    copied = [name for name, row in list_fields(TargetRecord).items()
              if isinstance(row, GaitField)]
    assert len(copied) > 10
    for name in copied:
        np.testing.assert_array_equal(target[name], stand[list_places()[name]], err_msg=name)


class ArmRecord(Record):  # type: ignore[misc]
    """A record whose size a robot decides."""

    parent: Any = integers('links')
    centre: Any = numbers('links', 3)
    mass: float = numbers()


def test_a_record_takes_its_sizes_from_the_robot() -> None:
    arm = make_record(ArmRecord, links=5)
    assert arm.centre.shape == (5, 3) and arm.parent.dtype == np.int64 and arm.mass == 0.0
    assert dtype_of(ArmRecord, links=5) is dtype_of(ArmRecord, links=5)
    assert dtype_of(ArmRecord, links=6).itemsize - dtype_of(ArmRecord, links=5).itemsize == 4 * 8


MISSPELT = """
from quadruped_control.control.gait_fields import GaitRecord
from quadruped_control.control.records import ClockRecord, TargetRecord

def right(gait: GaitRecord, now: ClockRecord, goal: TargetRecord) -> float:
    goal.heading = now.heading
    goal.stance[0] = gait.lift_off[0]
    return now.phase

def wrong(gait: GaitRecord, now: ClockRecord, goal: TargetRecord) -> float:
    goal.heeding = now.heading
    goal.stance[0] = gait.lift_of[0]
    return now.fase
"""


@pytest.mark.timeout(300)
def test_mypy_knows_the_fields(tmp_path: Path) -> None:
    source = tmp_path / 'misspelt.py'
    source.write_text(MISSPELT, encoding='utf-8')
    done = subprocess.run([sys.executable, '-m', 'mypy', '--strict', str(source)], cwd=ROOT,
                          capture_output=True, text=True)
    found = re.findall(r'misspelt\.py:(\d+): error', done.stdout)
    first = MISSPELT.splitlines().index('    goal.heeding = now.heading') + 1
    assert {int(line) for line in found} == {first, first + 1, first + 2}, done.stdout
