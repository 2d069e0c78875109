"""The controls of the page: drive, skills, push, and the simulation itself."""

from __future__ import annotations

from collections.abc import Sequence
from math import cos, radians, sin
from typing import Any

from viser import Icon

from quadruped_control.control.drive_limits import STEP
from quadruped_control.control.skill_registry import LEAP
from quadruped_control.page.actions import Actions, Status
from quadruped_control.page.handles import by_hand, set_changed
from quadruped_control.page.keys import add_keys
from quadruped_control.page.page_robot import PageRobot

# where a push goes, degrees from forward to the left
DIRECTIONS = {'left': 90.0, 'right': -90.0, 'forward': 0.0, 'back': 180.0}
HINT = """<div style="padding:0 12px;font-size:12px;opacity:.75">
<b>W&thinsp;A&thinsp;S&thinsp;D</b> or arrows drive, <b>Q&thinsp;E</b> go sideways, <b>space</b>
stops; {skills}.</div>"""


class DrivePanel:
    """
    Sliders and buttons that say what the dog shall do.

    :param robot: what it offers, and how fast it is.
    """

    def __init__(self, gui: Any, actions: Actions, robot: PageRobot) -> None:
        self._gui = gui
        self._actions = actions
        gaits, skills, limits = robot.requests, robot.skills, robot.limits
        self._limits = limits
        self._forward = gui.add_slider('Forward', -limits.back, limits.forward, STEP, 0.0,
                                       hint='m/s')
        self._left = gui.add_slider('Left', -limits.side, limits.side, STEP, 0.0,
                                    hint='m/s, sideways')
        self._turn = gui.add_slider('Turn', -limits.turn, limits.turn, STEP, 0.0,
                                    hint='rad/s, to the left')
        for slider in (self._forward, self._left, self._turn):
            slider.on_update(lambda _: self._drive())
        gui.add_button('Stop', color='red', icon=Icon.HAND_STOP).on_click(lambda _: self.stop())
        self._gait = gui.add_dropdown('Gait', gaits, initial_value=gaits[0])
        self._gait.on_update(by_hand(lambda _: actions.request_gait(self._gait.value)))
        self._key_speed = gui.add_slider('Key speed', limits.easy[1], limits.forward, STEP,
                                         limits.back,
                                         hint='m/s at which W drives')
        self._key_speed.on_update(lambda _: actions.set_key_speed(self._key_speed.value))
        keyed = {skill.key.upper(): skill for skill in skills if skill.key is not None}
        gui.add_html(HINT.format(skills=', '.join(
            f'<b>{key}</b> {skill.label}' for key, skill in keyed.items())))
        self._add_skills({skill.label: skill.name for skill in skills})
        self._add_push()
        keys = {key: (skill.label, lambda name=skill.name: actions.request_skill(name))
                for key, skill in keyed.items()}
        keys |= {str(n): (gait, lambda gait=gait: self._choose(gait))
                 for n, gait in enumerate(gaits[:10])}
        add_keys(gui, actions.press, {**keys, 'space': ('stop', self.stop)})

    def _add_skills(self, names: dict[str, str]) -> None:
        """Add a button for each skill by its label."""
        gui, actions = self._gui, self._actions
        with gui.add_folder('Skills'):
            group = gui.add_button_group('Do', list(names))
            group.on_click(lambda _: actions.request_skill(names[group.value]))
            if LEAP not in names.values():
                return
            self._led = gui.add_checkbox('Leap by itself', False, hint='over what the planner '
                                         'finds ahead; it stops before what is out of reach')
            self._led.on_update(by_hand(lambda _: actions.lead(self._led.value)))

    def stop(self) -> None:
        """Stop the dog."""
        for slider in (self._forward, self._left, self._turn):
            slider.value = 0.0
        self._actions.press(' ')
        self._actions.drive((0.0, 0.0, 0.0))

    def _choose(self, gait: str) -> None:
        self._gait.value = gait
        self._actions.request_gait(gait)

    def _drive(self) -> None:
        self._actions.drive((self._forward.value, self._left.value, self._turn.value))

    def _add_push(self) -> None:
        gui = self._gui
        with gui.add_folder('Push'):
            limits = self._limits
            self._force = gui.add_slider('Force', limits.push_step, limits.strongest,
                                         limits.push_step, limits.push, hint='N, for 0.1 s')
            self._direction = gui.add_dropdown('To the', list(DIRECTIONS), initial_value='left')
            self._at = gui.add_dropdown('At the', ['front', 'rear'], initial_value='front')
            gui.add_button('Push', icon=Icon.HAND_FINGER).on_click(lambda _: self._push())

    def _push(self) -> None:
        angle, force = radians(DIRECTIONS[self._direction.value]), self._force.value
        self._actions.push(self._at.value, (round(force * cos(angle), 6),
                                            round(force * sin(angle), 6), 0.0))


class SimulationPanel:
    """Pause, slow motion, reset, terrain and recording."""

    def __init__(self, gui: Any, actions: Actions, terrains: list[str], factor: float,
                 robots: Sequence[str], robot: str) -> None:
        self._actions = actions
        self._status = Status()
        with gui.add_folder('Simulation'):
            self._pause = gui.add_button('Pause', icon=Icon.PLAYER_PAUSE)
            self._pause.on_click(lambda _: actions.pause(not self._status.paused))
            self._factor = gui.add_slider('Speed', 0.05, 2.0, 0.05, min(max(factor, 0.05), 2.0),
                                          hint='simulated s per s: below 1 is slow motion')
            self._factor.on_update(by_hand(lambda _: actions.set_factor(self._factor.value)))
            gui.add_button('Reset', icon=Icon.REFRESH).on_click(lambda _: actions.reset())
            self._terrain = gui.add_dropdown('Terrain', terrains, initial_value=terrains[0],
                                             hint='another one begins anew')
            self._terrain.on_update(
                by_hand(lambda _: actions.choose_terrain(self._terrain.value)))
            self._robots = gui.add_dropdown('Robot', list(robots), initial_value=robot,
                                            hint='another one starts all nodes anew')
            self._robots.on_update(by_hand(lambda _: actions.choose_robot(self._robots.value)))
            self._record = gui.add_button('Record', icon=Icon.PLAYER_RECORD)
            self._record.on_click(lambda _: actions.record(not self._status.recording))
            self._files = gui.add_html('')

    def show_robot(self, robot: str) -> None:
        """Say which robot runs."""
        self._robots.value = robot

    def show(self, status: Status, links: str) -> None:
        """
        Let buttons say what they would do now.

        :param links: to the recordings, as HTML.
        """
        self._status = status
        set_changed(self._pause, 'label', 'Go on' if status.paused else 'Pause')
        set_changed(self._record, 'label', 'End recording' if status.recording else 'Record')
        set_changed(self._files, 'content', links)
        if status.terrain in self._terrain.options:
            set_changed(self._terrain, 'value', status.terrain)
