"""
What a graph consists of: nodes, their parameters, and when each is part of it.

Read by ``./quadruped up`` and by the launch files. Needs no ROS.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field

PACKAGE = 'quadruped_control'
Value = float | int | bool | str
LOCAL = '127.0.0.1'
PATIENT = 20.0                  # s to wait for others where the outcome must not depend on load
FREE_TORQUES, FREE_GAIT = 0.5, 0.3      # s likewise where the world does not wait: free-running


@dataclass(frozen=True)
class GraphOptions:
    """
    What a user chooses about a graph.

    :param terrain: flat, a file, or a name in config/scenarios; not with a scenario.
    :param robot: of config/robots, in place of the scenario's; empty: that one, or the dog.
    :param controller: likewise; empty: the scenario's, or the robot's first.
    :param seconds: simulated time after which it ends; 0: the scenario's, or never.
    :param gait: at the start; auto: by speed.
    :param rate: free-running at so many steps per s; 0: lock-step.
    :param real_time_factor: of lock-step; 0: as fast as it goes.
    :param record: file of a recording to write; empty: none.
    :param page: show the page to watch and drive it.
    :param page_address: on which its server listens.
    :param page_port: the first free one from here on.
    :param leap_planner: leap over what the planner finds ahead.
    :param restart_file: by which the page asks whoever started it for another robot.
    :param patient: never go on without another node, so that nothing depends on the load.
    """

    terrain: str = 'flat'
    scenario: str = ''
    robot: str = ''
    controller: str = ''
    seconds: float = 0.0
    rate: float = 0.0
    real_time_factor: float = 1.0
    gait: str = 'auto'
    record: str = ''
    page: bool = False
    page_address: str = LOCAL
    page_port: int = 8080
    leap_planner: bool = False
    patient: bool = False
    start_paused: bool = False
    use_commands: bool = True
    metrics_file: str = ''
    recording_file: str = ''
    restart_file: str = ''


@dataclass(frozen=True)
class NodeSpec:
    """
    A node: ``executable`` of this package for ROS tools, ``module`` for Python.

    :param needed: without it the graph is of no use; when it ends, all end.
    :param apart: in a process of its own even where the others share one.
    """

    name: str
    maker: str
    parameters: dict[str, Value] = field(default_factory=dict)
    needed: bool = False
    apart: bool = False

    @property
    def module(self) -> str:
        """The module that runs it."""
        return f'{PACKAGE}.nodes.{self.name}'

    @property
    def executable(self) -> str:
        """The console script that runs it."""
        return f'quadruped_{self.name}'

    def arguments(self) -> list[str]:
        """Return the command line's words that set the parameters, for this node alone."""
        return [word for key, value in self.parameters.items()
                for word in ('-p', f'{self.name}:{key}:={json.dumps(value)}')]


def list_nodes(options: GraphOptions) -> tuple[NodeSpec, ...]:
    """Return the nodes of a graph, in the order in which they are started."""
    who: dict[str, Value] = {'scenario': options.scenario, 'terrain': options.terrain,
                             'robot': options.robot, 'controller': options.controller}
    free = options.rate > 0.0
    scene: dict[str, Value] = {
        **who, 'duration': float(options.seconds), 'lock_step': not free}
    nodes = [
        NodeSpec('simulation', 'SimulationNode', {
            **scene, 'real_time_factor': float(options.real_time_factor),
            'rate': float(options.rate or 1000.0), 'start_paused': options.start_paused,
            'metrics_file': options.metrics_file, 'recording_file': options.recording_file,
            **_wait('torque_timeout', options.patient, FREE_TORQUES if free else None),
        }, needed=True),
        NodeSpec('gait_scheduler', 'GaitSchedulerNode', {
            **scene, 'use_commands': options.use_commands, 'gait': options.gait,
            'leap_planner': options.leap_planner,
            **_wait('leap_timeout', options.patient), **_wait('scan_timeout', options.patient),
        }, needed=True),
        NodeSpec('leg_frame_controller', 'LegFrameControllerNode', {
            **who, 'lock_step': not free,
            **_wait('gait_timeout', options.patient, FREE_GAIT if free else None),
        }, needed=True),
        NodeSpec('leap_planner', 'LeapPlannerNode', dict(who)),
        NodeSpec('description', 'DescriptionNode', dict(who)),
    ]
    if options.page:
        nodes.append(NodeSpec('page', 'PageNode', {
            **who, 'address': options.page_address, 'port': options.page_port,
            'restart_file': options.restart_file}, apart=True))
    if options.record:
        # first, so that nothing is missed
        nodes.insert(0, NodeSpec('recorder', 'RecorderNode', {'output': options.record},
                                 needed=True))
    return tuple(nodes)


def _wait(key: str, patient: bool, seconds: float | None = None) -> dict[str, Value]:
    """Return for how long a node waits for others; nothing where that is as usual."""
    if patient:
        return {key: PATIENT}
    return {} if seconds is None else {key: seconds}
