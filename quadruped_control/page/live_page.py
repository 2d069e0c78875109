"""The page of a running graph: scene, controls, charts."""

from __future__ import annotations

import threading
from typing import Any

from viser import Icon

from quadruped_control.control.gait import STAND
from quadruped_control.model.robot_files import list_robots
from quadruped_control.page.actions import Actions, Status
from quadruped_control.page.bag_server import BagServer
from quadruped_control.page.drive_panel import DrivePanel, SimulationPanel
from quadruped_control.page.history import History
from quadruped_control.page.page_robot import PageRobot
from quadruped_control.page.pursuit_panel import PursuitPanel
from quadruped_control.page.scene import PageScene
from quadruped_control.page.server import describe_address, open_server, open_watch_panel
from quadruped_control.page.show_panel import ShowPanel
from quadruped_control.page.tune_panel import TunePanel
from quadruped_control.page.watch_panel import WatchPanel


class LivePage:
    """
    All of the page.

    :ivar is_watched: set while somebody has it open.
    """

    def __init__(self, actions: Actions, address: str, port: int, terrains: list[str],
                 factor: float, robot: PageRobot) -> None:
        self._robot = robot
        self.server: Any = open_server(address, port)
        self.history = History()
        self.is_watched = threading.Event()
        self.bags = BagServer(address)
        gui = self.server.gui
        with open_watch_panel(self.server):
            self._watch = WatchPanel(gui, with_nodes=True, robot=robot)
        tabs = gui.add_tab_group()
        with tabs.add_tab('Drive', Icon.STEERING_WHEEL):
            self._drive = DrivePanel(gui, actions, robot)
            self._pursuit = PursuitPanel(gui, actions)
            self._simulation = SimulationPanel(gui, actions, terrains, factor,
                                               sorted({*list_robots(), robot.name}), robot.name)
        with tabs.add_tab('Tune', Icon.ADJUSTMENTS):
            self.tuning = TunePanel(gui, actions, [STAND, *robot.gaits], robot.name)
        with tabs.add_tab('View', Icon.EYE):
            self._show = ShowPanel(gui)
        self.scene = PageScene(self.server, self._show.is_shown, robot)
        self._show.attach(self.scene)
        self._pursuit.attach(self.scene)
        self.server.on_client_connect(self._welcome)
        self.server.on_client_disconnect(lambda _: self._look_who_watches())
        self.description = describe_address(self.server, address)

    def _welcome(self, client: Any) -> None:
        """Let who comes, or comes back after a start with another robot, see all of it."""
        self.is_watched.set()
        self.scene.look_from(client.camera, 'side')

    def _look_who_watches(self) -> None:
        if not self.server.get_clients():
            self.is_watched.clear()

    def show_status(self, status: Status) -> None:
        """Tell figures and words."""
        self._watch.show_status(status)
        self._simulation.show(status, self.bags.write_links())
        self.tuning.follow(status.gait, status.asked)

    def show_robot(self) -> None:
        """Say which robot runs, after another one was asked for in vain."""
        self._simulation.show_robot(self._robot.name)

    def show_charts(self, joint_names: list[str]) -> None:
        """Draw the last seconds."""
        self._watch.show_charts(self.history.legs(), self.history.motion(), joint_names)

    def close(self) -> None:
        """Close the server."""
        self.server.stop()
