"""Gaits changed by hand: what a knob does, what is refused, what is saved."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from quadruped_control.control.gait import STAND, Gait, GaitTable, load_gait
from quadruped_control.control.gait_file import write_gait
from quadruped_control.control.gait_library import GaitLibrary
from quadruped_control.control.gait_tuning import TunedGaits, list_knobs, tune, tune_gait
from quadruped_control.control.ladder import AUTO
from quadruped_control.errors import InputError
from quadruped_control.loading import load


def test_every_knob_changes_its_value_by_what_it_is_turned() -> None:
    table = GaitTable.of(load_gait('trot'))
    for name, knob in list_knobs().items():
        change = 0.01 * knob.room
        if max(knob.read(row) for row in table.rows) + change > knob.most:
            change = -change
        turned = tune(table, {name: change})
        for before, after in zip(table.rows, turned.rows, strict=True):
            assert knob.read(after) - knob.read(before) == pytest.approx(change), name
            others = np.delete(before - after, list(knob.places))
            assert not others.any(), name


def test_a_swing_is_raised_in_its_proportions() -> None:
    knob = list_knobs()['front.swing_height']
    row = GaitTable.of(load_gait('trot')).rows[0].copy()
    before = row[list(knob.places)].copy()
    knob.turn(row, 0.04)
    after = row[list(knob.places)]
    assert after.max() == pytest.approx(before.max() + 0.04)
    np.testing.assert_allclose(after / after.max(), before / before.max())


def test_a_turned_gait_is_used_by_name_and_by_speed() -> None:
    library = GaitLibrary()
    gaits, knob = TunedGaits(library), list_knobs()['rear.height']
    rows = {name: table.rows for name, table in library.tables.items()}
    before = {name: [knob.read(row) for row in table.rows]
              for name, table in library.tables.items()}
    gaits.turn('trot', {'rear.height': 0.02})
    for name, table in library.tables.items():
        assert table.rows is rows[name]                 # what a scheduler has in its hands
        for gait, row, was in zip(table.names, table.rows, before[name], strict=True):
            change = 0.02 if gait == 'trot' else 0.0
            assert knob.read(row) - was == pytest.approx(change), name
    assert 'trot' in library.tables[AUTO].names
    gaits.turn('trot', {'rear.height': 0.0})
    assert [knob.read(row) for row in library.tables['trot'].rows] == pytest.approx(before['trot'])


def test_the_stand_can_be_turned_too() -> None:
    library = GaitLibrary()
    knob = list_knobs()['front.height']
    before = knob.read(library.stand)
    TunedGaits(library).turn(STAND, {'front.height': -0.03})
    assert knob.read(library.stand) == pytest.approx(before - 0.03)


def test_what_no_file_could_say_is_refused_and_changes_nothing() -> None:
    library = GaitLibrary()
    gaits, before = TunedGaits(library), library.tables['trot'].rows.copy()
    with pytest.raises(InputError, match='touchdown'):
        gaits.turn('trot', {'front_left.touchdown': -0.5, 'front.height': 0.01})
    np.testing.assert_array_equal(library.tables['trot'].rows, before)
    gaits.turn('trot', {'front.height': 0.01})          # and is not remembered
    knob = list_knobs()['front.height']
    assert knob.read(library.tables['trot'].rows[0]) == pytest.approx(knob.read(before[0]) + 0.01)


def test_a_saved_gait_is_a_gait_file(tmp_path: Path) -> None:
    gait = load_gait('walk')
    write_gait(tmp_path / 'walk.yaml', tune_gait(gait, {'front.height': 0.02, 'period': -0.05}),
               ['by hand'])
    saved = load(tmp_path / 'walk.yaml', Gait)
    assert [entry.speed for entry in saved.speeds] == [entry.speed for entry in gait.speeds]
    for before, after in zip(gait.speeds, saved.speeds, strict=True):
        assert after.period == pytest.approx(before.period - 0.05, abs=1e-4)
        change = np.asarray(after.front.height) - np.asarray(before.front.height)
        np.testing.assert_allclose(change, 0.02, atol=1e-4)
        assert after.rear == before.rear
