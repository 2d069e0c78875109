"""What a tick costs: the parts of the loop timed on this machine, again and again."""

from __future__ import annotations

import time
from collections.abc import Callable
from statistics import median

import numpy as np

from quadruped_control.control.drive_limits import find_drive_limits
from quadruped_control.control.observation import Observation
from quadruped_control.control.offers import list_offers
from quadruped_control.loading import validate
from quadruped_control.model.robot_files import DEFAULT_ROBOT
from quadruped_control.model.robot_loading import load_robot
from quadruped_control.rollout.rollout import Loop
from quadruped_control.scenario import Scenario
from quadruped_control.simulation.contact_model import ContactModel
from quadruped_control.simulation.start_pose import compute_start_pose
from quadruped_control.simulation.world import TIME_STEP

Figures = dict[str, list[float]]
PARTS = ('bare_step_us', 'read_us', 'control_us', 'write_us', 'loop_us', 'ratio',
         'real_time_factor', 'mujoco_step_us')
GALLOP = 0.87               # of the fastest speed, at which it is measured
SETTLE = {'stand': 1500, 'trot': 1500, 'gallop': 6000}      # ticks until it does that
TICKS = 250
PIECE = 5                   # ticks; all figures are medians of the means over so many


def list_situations(robot: str = DEFAULT_ROBOT,
                    controller: str | None = None) -> dict[str, list[dict[str, object]]]:
    """Return what is measured of a robot, by name, as commands of a scenario."""
    limits, gaits = find_drive_limits(load_robot(robot)), list_offers(robot, controller).gaits
    found: dict[str, list[dict[str, object]]] = {
        'stand': [], 'trot': [{'t': 0.0, 'vx': limits.back, 'gait': 'trot'}],
        'gallop': [{'t': 0.0, 'vx': round(GALLOP * limits.forward, 1),
                    'gait': 'transverse_gallop'}]}
    return {name: commands for name, commands in found.items()
            if not commands or commands[0]['gait'] in gaits}


def measure(situation: str, repeats: int, *, with_mujoco: bool,
            progress: Callable[[int], None], robot: str = DEFAULT_ROBOT,
            controller: str | None = None) -> Figures:
    """
    Time the dog in a situation; every repeat measures the parts and the whole loop in turn.

    The bare step is the engine's step command alone, between reading, control and writing, so
    that the dog really stands on its feet and the caches are in the state that they are in at
    work. The parts are called one by one, as a node does; the loop is what a scenario runs.
    """
    settle = SETTLE[situation]
    duration = (settle + 2 * TICKS * (repeats + 1)) * TIME_STEP
    scenario = validate({'name': 'bench', 'duration': duration,
                         'robot': robot, 'controller': controller,
                         'commands': list_situations(robot)[situation]}, Scenario, 'bench')
    loop = Loop(scenario)
    figures: Figures = {part: [] for part in PARTS}
    loop.run(settle)
    for repeat in range(repeats):
        parts = _time_parts(loop)
        for part, value in zip(PARTS, parts, strict=False):
            figures[part].append(value)
        whole = _time_loop(loop)
        figures['loop_us'].append(whole)
        figures['ratio'].append(whole / parts[0])
        figures['real_time_factor'].append(TIME_STEP * 1e6 / whole)
        progress(repeat + 1)
    loop.world.close()
    if with_mujoco:
        twin = _Twin(scenario)
        figures['mujoco_step_us'] = [twin.time_step() for _ in range(repeats)]
    return figures


def summarise(figures: Figures) -> dict[str, object]:
    """Return the median of each figure, None where there is none, and the spread of all."""
    medians: dict[str, object] = {part: median(values) if values else None
                                  for part, values in figures.items()}
    spread = {part: [min(values), max(values)] for part, values in figures.items() if values}
    return {**medians, 'repeats': len(figures['loop_us']), 'spread': spread}


def _time_parts(loop: Loop) -> list[float]:
    """Return the median time in us of step, read, control and write."""
    clock, world, controller = time.perf_counter_ns, loop.world, loop.controller
    times = np.empty((TICKS, 4))
    for tick in range(TICKS):
        start = clock()
        state = world.read()
        was_read = clock()
        loop.scheduler.update(state)
        loop.observation.update()
        torques = controller.update(loop.observation, loop.scheduler.target, TIME_STEP)
        was_controlled = clock()
        world.write(torques)
        was_written = clock()
        world.step()
        times[tick] = (clock() - was_written, was_read - start, was_controlled - was_read,
                       was_written - was_controlled)
    means = times.reshape(-1, PIECE, 4).mean(axis=1)
    return [float(value) / 1e3 for value in np.median(means, axis=0)]


def _time_loop(loop: Loop) -> float:
    """Return the median time in us of a tick of the whole loop, with recording."""
    clock, times = time.perf_counter_ns, np.empty(TICKS // PIECE)
    for piece in range(len(times)):
        start = clock()
        loop.run(PIECE)
        times[piece] = clock() - start
    return float(np.median(times)) / PIECE / 1e3


class _Twin:
    """The same dog under the same control in MuJoCo."""

    def __init__(self, scenario: Scenario) -> None:
        from quadruped_control.simulation.mujoco_world import MujocoWorld
        self._loop = Loop(scenario)
        self._world = MujocoWorld(self._loop.robot, ContactModel(), time_step=TIME_STEP)
        self._world.reset(compute_start_pose(self._loop.robot, self._loop.ground, scenario.start))
        self._observation = Observation(self._loop.robot, self._world.state)
        self._loop.commands.apply(self._loop.scheduler, self._world.state)
        self.time_step()

    def time_step(self) -> float:
        """Return the median time in us of a step, over some ticks."""
        loop, world, times = self._loop, self._world, np.empty(TICKS)
        for tick in range(TICKS):
            state = world.read()
            target = loop.scheduler.update(state)
            self._observation.update()
            world.write(loop.controller.update(self._observation, target, TIME_STEP))
            start = time.perf_counter_ns()
            world.step()
            times[tick] = time.perf_counter_ns() - start
        return float(np.median(times)) / 1e3
