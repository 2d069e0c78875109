"""The numbers of a gait as sliders that act at once."""

from __future__ import annotations

from typing import Any

import numpy as np
from viser import Icon

from quadruped_control.control.gait import GaitTable, load_gait
from quadruped_control.control.gait_field import FRAMES
from quadruped_control.control.gait_fields import GRAPH
from quadruped_control.control.gait_tuning import STRIDE, Knob, describe, list_knobs
from quadruped_control.page.actions import Actions
from quadruped_control.page.handles import by_hand

CURRENT = 'the current one'
# folders of the groups of knobs; others are named after their group, and closed
OPEN = {STRIDE: 'Stride', **{frame: f'{frame.capitalize()} legs' for frame in FRAMES}}
CLOSED = {GRAPH: 'Footfalls'}


class TunePanel:
    """
    A slider for each number of one gait: the one the dog is in, or a chosen one.

    A slider shows the value at the speed of the file's entry nearest to the dog's; turning it
    changes the gait at all speeds by the same amount.
    """

    def __init__(self, gui: Any, actions: Actions, gaits: list[str]) -> None:
        self._actions = actions
        self._tables = {name: GaitTable.of(load_gait(name)) for name in gaits}
        self._changes: dict[str, dict[str, float]] = {name: {} for name in gaits}
        self._turned: list[tuple[str, str, float]] = []     # gait, knob, what it was before
        self._gait, self._row = gaits[0], 0
        self._choice = gui.add_dropdown('Gait', [CURRENT, *gaits], initial_value=CURRENT)
        self._title = gui.add_markdown('')
        self._undo = gui.add_button('Undo', icon=Icon.ARROW_BACK_UP, disabled=True)
        self._undo.on_click(lambda _: self.undo())
        self._sliders: dict[str, Any] = {}
        knobs = list_knobs().values()
        for group in dict.fromkeys(knob.group for knob in knobs):
            title = {**CLOSED, **OPEN}.get(group, group.replace('_', ' ').capitalize() + 's')
            with gui.add_folder(title, expand_by_default=group in OPEN):
                for knob in knobs:
                    if knob.group == group:
                        self._add(gui, knob)
        with gui.add_folder('Save'):
            self._file = gui.add_text('File', '', hint='in the folder for gaits')
            gui.add_button('Save', icon=Icon.DEVICE_FLOPPY).on_click(lambda _: self._save())
        self._refresh()

    def _add(self, gui: Any, knob: Knob) -> None:
        label = knob.name.removeprefix(f'{knob.group}.')
        slider = gui.add_slider(label.replace('_', ' ').replace('.', ' '), -knob.room, knob.room,
                                knob.step, 0.0, hint=describe(knob))
        slider.on_update(by_hand(lambda _: self._turn(knob, slider.value)))
        self._sliders[knob.name] = slider

    def follow(self, gait: str, speed: float) -> None:
        """Show the gait that the dog is in at a speed (m/s), if that is what is chosen."""
        chosen = gait if self._choice.value == CURRENT else self._choice.value
        if chosen not in self._tables:
            return
        speeds = self._tables[chosen].speeds
        row = int(np.abs(speeds - abs(speed)).argmin()) if np.isfinite(speed) else 0
        at_border = abs(row - self._row) == 1 and abs(
            abs(speed) - (speeds[row] + speeds[min(self._row, len(speeds) - 1)]) / 2) < 0.1
        if chosen != self._gait or (row != self._row and not at_border):
            self._gait, self._row = chosen, row
            self._refresh()

    def take_changes(self, changes: dict[tuple[str, str], float]) -> None:
        """Take over what is in force already, by gait and knob."""
        for (gait, knob), change in changes.items():
            self._changes[gait][knob] = change
        self._refresh()

    def undo(self) -> None:
        """Take back what was turned last."""
        if self._turned:
            gait, knob, before = self._turned.pop()
            self._set(gait, knob, before)
            self._refresh()

    def take_back(self, gait: str, knob: str) -> None:
        """Note that a change was refused."""
        for n in range(len(self._turned) - 1, -1, -1):
            if self._turned[n][:2] == (gait, knob):
                _, _, before = self._turned.pop(n)
                self._changes[gait][knob] = before
                break
        self._refresh()

    def _turn(self, knob: Knob, value: float) -> None:
        base = knob.read(self._tables[self._gait].rows[self._row])
        change = min(max(value - base, -knob.room), knob.room)
        before = self._changes[self._gait].get(knob.name, 0.0)
        last = self._turned[-1][:2] if self._turned else ('', '')
        if last != (self._gait, knob.name):             # a drag is one thing to undo
            self._turned.append((self._gait, knob.name, before))
        self._set(self._gait, knob.name, change)
        self._undo.disabled = False

    def _set(self, gait: str, knob: str, change: float) -> None:
        self._changes[gait][knob] = change
        self._actions.turn_knob(gait, knob, change)

    def _refresh(self) -> None:
        """Let the sliders show the chosen gait."""
        table = self._tables[self._gait]
        self._title.content = (f'**{self._gait}**, values at {table.speeds[self._row]:g} m/s; '
                               'a change acts at once and at all speeds')
        for name, knob in list_knobs().items():
            slider, base = self._sliders[name], knob.read(table.rows[self._row])
            low, high = max(base - knob.room, knob.least), min(base + knob.room, knob.most)
            value = base + self._changes[self._gait].get(name, 0.0)
            for key, number in (('min', low), ('max', high), ('value', value)):
                if abs(getattr(slider, key) - number) > 1e-9:
                    setattr(slider, key, float(number))
        self._undo.disabled = not self._turned
        if self._file.value in ('', *(f'{name}.yaml' for name in self._tables)):
            self._file.value = f'{self._gait}.yaml'

    def _save(self) -> None:
        self._actions.save_gait(self._gait, dict(self._changes[self._gait]), self._file.value)
