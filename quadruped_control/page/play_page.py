"""The page of a recording: the same scene and charts, with a time slider and a speed."""

from __future__ import annotations

import threading
from time import monotonic
from typing import Any

import numpy as np
from viser import Icon

from quadruped_control.errors import InputError
from quadruped_control.model.robot_files import DEFAULT_ROBOT, Spine
from quadruped_control.model.robot_loading import load_robot
from quadruped_control.model.user_description import write_user_urdf
from quadruped_control.page.actions import Status
from quadruped_control.page.handles import by_hand, set_changed
from quadruped_control.page.history import SPAN, LegHistory, MotionHistory
from quadruped_control.page.page_robot import PageRobot, find_page_robot
from quadruped_control.page.scene import PageScene
from quadruped_control.page.server import describe_address, open_server, open_watch_panel
from quadruped_control.page.show_panel import ShowPanel
from quadruped_control.page.watch_panel import WatchPanel
from quadruped_control.rollout import leg_numbers
from quadruped_control.rollout.playback import Playback

PICTURE = 1 / 30                # s
CHARTS_EVERY = 6                # pictures
SPEEDS = (0.05, 4.0)
FOOTPRINTS = 6.0                # s, those that are shown after a jump


class PlayPage:
    """
    Shows a recording.

    :ivar index: of the pose that is shown.
    """

    def __init__(self, playback: Playback, name: str, address: str, port: int) -> None:
        self._playback, self._name = playback, name
        robot = _find_robot(playback)
        self.server: Any = open_server(address, port)
        self.description = describe_address(self.server, address)
        self.index, self._shown_time = -1, -1.0
        self._time, self._playing = float(playback.times[0]), True
        self._terrain = self._marker = self._leg = -1
        gui = self.server.gui
        with open_watch_panel(self.server):
            self._watch = WatchPanel(gui, with_nodes=False, robot=robot)
        with gui.add_folder('Recording'):
            self._slider = gui.add_slider('Time', 0.0, max(playback.duration, 0.01), 0.01, 0.0,
                                          hint='s')
            self._button = gui.add_button('Pause', icon=Icon.PLAYER_PLAY)
            self._speed = gui.add_slider('Speed', *SPEEDS, 0.05, 1.0, hint='below 1: slow motion')
        self._slider.on_update(by_hand(lambda _: self.seek(self._slider.value)))
        self._button.on_click(lambda _: self.play(not self._playing))
        show = ShowPanel(gui)
        self.scene = PageScene(self.server, show.is_shown, robot)
        show.attach(self.scene)
        self.scene.take_description(playback.urdf or _guess_description(playback))

    def seek(self, time: float) -> None:
        """Go to a time in s after the first pose."""
        self._time = float(self._playback.times[0]) + time
        self._shown_time = -1.0

    def play(self, playing: bool) -> None:
        """Go on, or hold; from the end it begins anew."""
        if playing and self._time >= self._playback.times[-1]:
            self.seek(0.0)
        self._playing = playing
        set_changed(self._button, 'label', 'Pause' if playing else 'Play')

    def run(self, ended: threading.Event) -> None:
        """Show pictures until the event is set."""
        count, last = 0, monotonic()
        while not ended.wait(PICTURE):
            now = monotonic()
            self.step(now - last)
            last, count = now, count + 1
            if count % CHARTS_EVERY == 0 and self.server.get_clients():
                self._show_charts()
        self.server.stop()

    def step(self, seconds: float) -> None:
        """Advance by so many s of the wall clock, and show what is there."""
        end = float(self._playback.times[-1])
        if self._playing:
            self._time = min(self._time + seconds * self._speed.value, end)
            if self._time >= end:
                self.play(False)
        if self._time != self._shown_time:
            with self.server.atomic():
                self._show()

    def _show(self) -> None:
        playback = self._playback
        self.index = playback.index_at(self._time)
        self._shown_time = self._time
        x, y, z, *turn = playback.poses[self.index].tolist()
        self._show_ground()
        self._show_footprints()
        marker = playback.markers.index_at(self._time)
        if marker != self._marker and marker >= 0:
            self.scene.show_markers(playback.markers.things[marker].markers)
        self._marker = marker
        self.scene.move_dog((x, y, z), (turn[3], turn[0], turn[1], turn[2]),
                            playback.joint_names, playback.joints[self.index].tolist())

    def _show_ground(self) -> None:
        terrain = max(self._playback.terrains.index_at(self._time), 0)
        if terrain != self._terrain:
            self._terrain = terrain
            if self._playback.terrains.things:
                self.scene.show_terrain(self._playback.terrains.things[terrain].markers)
            else:
                self.scene.show_flat_ground()

    def _show_footprints(self) -> None:
        """Note the touchdowns since the last picture; after a jump those of the last seconds."""
        times, legs = self._playback.leg_times, self._playback.legs
        first, last = np.searchsorted(times, [self._time - FOOTPRINTS, self._time])
        if not first <= self._leg <= last:
            self.scene.footprints.clear()
            self._leg = first
        for numbers in legs[self._leg:last]:
            self.scene.footprints.watch(numbers[leg_numbers.FORCE].tolist(),
                                        numbers[leg_numbers.SOLES].reshape(4, 3))
        self._leg = last

    def _show_charts(self) -> None:
        playback, now = self._playback, self._time
        asked = playback.asked.at(now)
        a, b = np.searchsorted(playback.times, [now - SPAN, now])
        every = max(1, (b - a) // 60)
        span = slice(a, b, every)
        wanted = np.array([playback.asked.at(time) for time in playback.times[span]], float)
        c, d = np.searchsorted(playback.leg_times, [now - SPAN, now])
        self._watch.show_charts(
            LegHistory.of(playback.leg_times[c:d], playback.legs[c:d]),
            MotionHistory(playback.times[span], playback.speed[span], wanted,
                          playback.torques[span]), playback.joint_names)
        self._watch.show_status(Status(
            gait=playback.gaits.at(now) or '', time=float(playback.clock[self.index]),
            speed=float(playback.speed[self.index]),
            asked=float('nan') if asked is None else float(asked),
            factor=self._speed.value, paused=not self._playing, terrain=self._name))
        set_changed(self._slider, 'value', round(now - float(playback.times[0]), 2))


def _guess_description(playback: Playback) -> str:
    """Return the URDF of its robot for a recording without one, by the joints that it has."""
    spine: Spine = 'flexible' if any('spine' in name for name in playback.joint_names) else 'rigid'
    return write_user_urdf(load_robot(playback.robot, spine))


def _find_robot(playback: Playback) -> PageRobot:
    """Return the recorded robot; for sizes the dog, where only its URDF is known here."""
    try:
        return find_page_robot(playback.robot)
    except InputError:
        if not playback.urdf:
            raise
        return find_page_robot(DEFAULT_ROBOT)
