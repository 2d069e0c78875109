"""Where markers on the dog are over a gait cycle, and f_d: how far from a reference."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from quadruped_control.compiled import compiled
from quadruped_control.errors import QuadrupedError
from quadruped_control.kinematics.forward_kinematics import compute_motion, compute_point
from quadruped_control.kinematics.records import as_block, motion_type, new_record, state_type
from quadruped_control.model.robot import Robot
from quadruped_control.rollout.footfalls import REFERENCE_LEG, find_footfalls
from quadruped_control.rollout.recording import Recording
from quadruped_control.rollout.travel import compute_heading
from quadruped_control.tuning.parameters import period_of
from quadruped_control.tuning.reference import Reference, describe_markers, place_markers
from quadruped_control.tuning.task import Task

Array = NDArray[np.float64]
Block = NDArray[np.record]
PHASES = 200                # of a cycle at which motions are compared
POINTS = 40                 # of a cycle that a reference made here has
SAMPLING = 0.005            # s between poses; a line joins them
AXES = {'xyz': [0, 1, 2], 'xz': [0, 2]}
FEWEST_STRIDES = 3          # for a mean period


def compute_marker_distance(recording: Recording, robot: Robot, reference: Reference,
                     period: float) -> float:
    """
    Return f_d of section 4: the root of the weighted mean squared distance of the markers, m.

    The cycle is that of the gait's clock, which a foot that scuffs does not disturb. Where it
    begins is chosen so that the distance is least: a reference may begin anywhere.

    :param period: of the gait, s.
    """
    links = [robot.index(marker.link) for marker in reference.markers]
    offsets = np.array([marker.at for marker in reference.markers])
    weights = np.array([marker.weight for marker in reference.markers])
    cycles = sample_cycles(recording, robot, links, offsets, period)[..., AXES[reference.axes]]
    wanted, mean = reference.sample(PHASES), cycles.mean(axis=0)
    shifted = [np.roll(wanted, n, axis=0) for n in range(PHASES)]
    best = min(shifted, key=lambda motion: _mean_square(mean - motion, weights))
    return float(np.sqrt(_mean_square(cycles - best, weights)))


def task_distance(task: Task, robot: Robot, recording: Recording, numbers: Array) -> float:
    """Return how far a gait's run is from the task's reference motion, m; 0 without one."""
    if task.reference is None:
        return 0.0
    return compute_marker_distance(recording, robot, task.reference, period_of(numbers))


def _mean_square(distances: Array, weights: Array) -> float:
    return float((np.square(distances).sum(axis=-1) @ weights).mean() / weights.sum())


def make_reference(recording: Recording, robot: Robot) -> tuple[Reference, float]:
    """
    Return the mean cycle of a steady run and its period (s).

    It begins with a touchdown of the rear left foot.
    """
    feet = find_footfalls(recording)[REFERENCE_LEG]
    touchdowns = feet.starts[feet.starts > 0]
    if len(touchdowns) <= FEWEST_STRIDES:
        raise QuadrupedError(f'the run has {max(len(touchdowns) - 1, 0)} strides of the rear left '
                             f'leg; a reference needs {FEWEST_STRIDES}')
    steps = (touchdowns[-1] - touchdowns[0]) / (len(touchdowns) - 1)
    period = float(steps * recording.time_step)
    _, links, offsets, _ = zip(*place_markers(robot), strict=True)
    steady = recording.tail(len(recording) - int(touchdowns[0]))
    cycles = sample_cycles(steady, robot, list(links), np.array(offsets), period)
    return describe_markers(robot, cycles.mean(axis=0)[::PHASES // POINTS]), period


def sample_cycles(recording: Recording, robot: Robot, links: list[int], offsets: Array,
                  period: float) -> Array:
    """
    Return the markers in all whole cycles (cycles, PHASES, markers, 3), m.

    They are seen from an origin that moves with the mean velocity and heading of each cycle,
    through the mean position of the mid-point of the leg frames.
    """
    every = max(1, round(SAMPLING / recording.time_step))
    rows = period / (PHASES * every * recording.time_step)      # from phase to phase
    middle = recording.leg_frame_position[::every].mean(axis=1)
    cycles = int((len(middle) - 1) / (PHASES * rows))
    if cycles == 0:
        raise QuadrupedError(f'the run has no whole cycle of {period:g} s to compare')
    places: Array = rows * np.arange(cycles * PHASES + 1, dtype=np.float64)
    markers = _interpolate(compute_markers(recording, robot, links, offsets, every), places)
    middle = _interpolate(middle, places)
    heading = _interpolate(np.unwrap(compute_heading(recording)[::every]), places)
    spans = [slice(n * PHASES, (n + 1) * PHASES) for n in range(cycles)]
    return np.stack([_see_from_origin(markers[span], middle[span.start:span.stop + 1],
                                      float(heading[span].mean())) for span in spans])


def _see_from_origin(markers: Array, middle: Array, heading: float) -> Array:
    """Return one cycle's markers in the axes of the heading, from the moving origin."""
    phase = (np.arange(PHASES) - (PHASES - 1) / 2) / PHASES
    origin = middle[:-1].mean(axis=0) + phase[:, None] * (middle[-1] - middle[0])
    c, s = np.cos(heading), np.sin(heading)
    to_heading = np.array([[c, s, 0.0], [-s, c, 0.0], [0.0, 0.0, 1.0]])
    return np.asarray((markers - origin[:, None]) @ to_heading.T)


def _interpolate(rows: Array, places: Array) -> Array:
    low = np.minimum(places.astype(np.int64), len(rows) - 2)
    part = (places - low).reshape(-1, *[1] * (rows.ndim - 1))
    return np.asarray(rows[low] + part * (rows[low + 1] - rows[low]))


def compute_markers(recording: Recording, robot: Robot, links: list[int], offsets: Array,
                    every: int = 1) -> Array:
    """Return points fixed in links (n, markers, 3) in the world at every so many steps, m."""
    poses = recording.pose[::every]
    found = np.empty((len(poses), len(links), 3))
    state = new_record(state_type(len(robot.links)))
    motion = new_record(motion_type(len(robot.links)))
    _write_markers(as_block(robot.tree), as_block(state), as_block(motion),
                   np.array(robot.movable), poses, np.array(links), offsets, found)
    return found


@compiled
def _write_markers(tree: Block, state: Block, motion: Block, movable: NDArray[np.int64],
                   poses: Array, links: NDArray[np.int64], offsets: Array, found: Array) -> None:
    for row in range(poses.shape[0]):
        state[0].base_position[:] = poses[row, :3]
        state[0].base_quaternion[:] = poses[row, 3:7]
        for n in range(movable.shape[0]):
            state[0].joint_position[movable[n]] = poses[row, 7 + n]
        compute_motion(tree[0], state[0], motion[0])
        for n in range(links.shape[0]):
            compute_point(motion[0], links[n], offsets[n], found[row, n])
