"""What the dog does, in figures and charts, and how the nodes are, in words."""

from __future__ import annotations

from html import escape
from math import isnan
from typing import Any

from quadruped_control.kinematics.records import LEGS
from quadruped_control.page.actions import Status
from quadruped_control.page.charts import Line, draw_gait_graph, draw_lines
from quadruped_control.page.handles import set_changed
from quadruped_control.page.history import SPAN, LegHistory, MotionHistory
from quadruped_control.page.page_robot import PageRobot

STAND = 'stand'
LEAST, MOST = 0.87, 1.09        # of the standing height: what a chart of it shows at least
DOTS = ('#2f8f4e', '#d39b15', '#c03030')
SMALL = 'padding:0 12px;font-size:12px;line-height:1.45'


class WatchPanel:
    """Headline, gait graph, speed, heights, torques of a leg; and the nodes."""

    def __init__(self, gui: Any, with_nodes: bool, robot: PageRobot) -> None:
        self._robot = robot
        self._headline = gui.add_html('')
        with gui.add_folder('Gait graph: asked for (light) and measured'):
            self._gait_graph = gui.add_html('')
        with gui.add_folder('Speed, m/s'):
            self._speed = gui.add_html('')
        with gui.add_folder('Height of the leg frames over their feet, m'):
            self._heights = gui.add_html('')
        with gui.add_folder('Torques, N m'):
            self._leg = gui.add_dropdown('Leg', [leg.replace('_', ' ') for leg in LEGS])
            self._torques = gui.add_html('')
        self._nodes = None
        if with_nodes:
            with gui.add_folder('Nodes'):
                self._nodes = gui.add_html('')

    def show_charts(self, legs: LegHistory, motion: MotionHistory, joint_names: list[str],
                    span: float = SPAN) -> None:
        """Draw the last seconds."""
        self._gait_graph.content = draw_gait_graph(legs.times, legs.stance, legs.contact, span)
        self._speed.content = draw_lines(
            motion.times, [Line('asked', motion.asked, True), Line('measured', motion.speed)],
            span, (0.0, 0.5))
        self._heights.content = draw_lines(
            legs.times[::2],
            [Line('asked', legs.target_height[::2, 0], True),
             Line('', legs.target_height[::2, 1], True),
             Line('front', legs.height[::2, 0]), Line('rear', legs.height[::2, 1])],
            span, (LEAST * self._robot.height, MOST * self._robot.height))
        torque = self._robot.limits.push * self._robot.height / 5
        self._torques.content = draw_lines(motion.times, self._choose_torques(
            motion.torques, joint_names), span, (-torque, torque))

    def _choose_torques(self, torques: Any, joint_names: list[str]) -> list[Line]:
        leg = str(self._leg.value).replace(' ', '_')
        names = [name for name in self._robot.leg_joints[leg] if name in joint_names]
        if torques.shape[1:] != (len(joint_names),):
            return []
        return [Line(_shorten(name.removeprefix(f'{leg}_')), torques[:, joint_names.index(name)])
                for name in names]

    def show_status(self, status: Status) -> None:
        """Tell the figures of now, and how the nodes are."""
        set_changed(self._headline, 'content', write_headline(status))
        if self._nodes is not None:
            set_changed(self._nodes, 'content', write_nodes(status))


def write_headline(status: Status) -> str:
    """Write gait or skill, speed and real-time factor as HTML."""
    speed = '-' if isnan(status.speed) else f'{status.speed:.2f}'
    asked = '' if isnan(status.asked) else f', asked {status.asked:.2f}'
    doing = status.skill.replace('_', ' ') if status.skill not in ('', STAND) else status.gait
    pace = 'paused' if status.paused else f'{status.factor:.2f} &times; real time'
    return (f'<div style="padding:4px 12px 0;font-size:22px;font-weight:600">'
            f'{escape(doing)} <span style="font-weight:400">{speed} m/s</span></div>'
            f'<div style="{SMALL};opacity:.75">{status.time:.1f} s{asked}, {pace}'
            f'{", " + escape(status.terrain) if status.terrain else ""}</div>'
            f'<div style="{SMALL};min-height:18px">{escape(status.ahead)}</div>'
            f'<div style="{SMALL};min-height:18px;color:#b5541c">{escape(status.note)}</div>')


def write_nodes(status: Status) -> str:
    """Write the state of all nodes as HTML."""
    rows = ''.join(
        f'<div><span style="color:{DOTS[min(node.level, 2)]}">&#9679;</span> '
        f'<b>{escape(node.name)}</b> {escape(node.words)}</div>' for node in status.nodes)
    return f'<div style="{SMALL};padding-bottom:6px">{rows or "no node has said anything"}</div>'


def _shorten(name: str) -> str:
    """Write a joint of a leg in few letters."""
    return name.replace('pitch', 'p').replace('roll', 'r').replace('yaw', 'y').replace('_', ' ')
