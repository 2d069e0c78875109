"""
The planner of leaps (section 5): when to leap, and which leap, over what the scan shows ahead.

It runs at the start of each gait cycle and takes the approach to go on at a constant speed.
All distances are along the heading from the hips, m.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from quadruped_control.leaps.dictionary import LeapDictionary
from quadruped_control.leaps.models import MODELS, NEAREST
from quadruped_control.leaps.obstacles import TARGET, Obstacle, find_obstacles

Array = NDArray[np.float64]
STRIDES = 10                # how far ahead is planned
SPEED_CHANGE = 0.08         # share by which the approach may be faster or slower
NEAR = 4                    # half strides within which the speed that the dog has is what counts
NEAR_CHANGE = 0.02          # share by which it may then still change
LEAST_CHANCE = 0.4          # to land well, below which a leap is not dared
WAVER = 0.05                # m that another leap must cost less than the one that was planned


@dataclass(frozen=True)
class Plan:
    """
    What to do about an obstacle.

    :param leap: row of the dictionary; -1 where there is none, or none yet.
    :param half_strides: until the leap begins.
    :param start: m from the hips now to where they are then; take_off and landing likewise.
    :param speed: m/s to approach with; 0 stops.
    :param cost: |d - d_i| + |h - h_i| + alpha E, and for the risk to fall.
    :param reachable: some leap gets over it, from a better place or speed if not from here.
    """

    obstacle: Obstacle
    leap: int
    half_strides: int
    start: float
    take_off: float
    landing: float
    speed: float
    cost: float
    reachable: bool = True

    @property
    def is_refusal(self) -> bool:
        """Say whether there is no leap over the obstacle from here."""
        return self.leap < 0

    def reaches_target(self, half_strides: int) -> bool:
        """Say whether the leap to a target is due within so many half strides."""
        return self.obstacle.kind == TARGET and self.leaps_now(half_strides)

    def leaps_now(self, half_strides: int) -> bool:
        """Say whether the leap is due within so many half strides."""
        return self.leap >= 0 and self.half_strides <= half_strides


class Planner:
    """Chooses leaps from a dictionary."""

    def __init__(self, dictionary: LeapDictionary, *, model: str = NEAREST,
                 alpha: float | None = None) -> None:
        """
        Plan by the measures of the dictionary's body.

        :param alpha: m that 1 (N m)^2 s of effort costs, if not the measure.
        """
        self.dictionary = dictionary
        self.measures = dictionary.measures.planner
        self._model = MODELS[model](dictionary)
        alpha = self.measures.effort if alpha is None else alpha
        self._effort = alpha * dictionary.column('effort')
        self._speeds = dictionary.column('speed')
        self._take_off, self._landing = dictionary.column('take_off'), dictionary.column('landing')

    def find_parameters(self, plan: Plan) -> Array:
        """Return the parameters of the leap that is planned, as the model gives them."""
        height, distance, speed = self.dictionary.points[plan.leap].tolist()
        return self._model.find(height, distance, speed)

    def plan(self, heights: Array, *, spacing: float, ahead: float, speed: float,
             stride_time: float, ready: float = 0.0, kept: int = -1,
             planned: int | None = None) -> Plan | None:
        """
        Return what to do about the first obstacle, or None where there is none.

        :param heights: the scan; its origin is ``ahead`` m before the hips.
        :param speed: measured, m/s.
        :param stride_time: s of a stride.
        :param ready: s until the robot goes in the gait that leaps begin from.
        :param kept: row of the leap that was planned before, which is kept if it is as good.
        :param planned: places of the scan within which an obstacle counts; None: all.
        """
        skipped = max(round((self.measures.under_body - ahead) / spacing), 0)
        obstacles = find_obstacles(heights, spacing, self.dictionary.measures.obstacles, skipped,
                                   planned)
        if not obstacles:
            return None
        return self.plan_over(obstacles[0].moved(ahead), speed=speed, stride_time=stride_time,
                              ready=ready, kept=kept)

    def plan_over(self, obstacle: Obstacle, *, speed: float, stride_time: float,
                  ready: float = 0.0, kept: int = -1) -> Plan:
        """Return the best leap over an obstacle, the best time for it, or a refusal."""
        first, last = self._find_reach(obstacle.height)
        chances = self.dictionary.find_chances(obstacle.rise)
        earliest = obstacle.end + self.measures.margin - last     # of the start, for each leap
        latest = obstacle.begin - self.measures.margin - first
        possible = (earliest <= latest) & (chances >= LEAST_CHANCE)
        counts = np.arange(2, 2 * STRIDES + 3)
        near = counts <= NEAR
        pace = np.where(near, speed, self._speeds[:, None]) * stride_time / 2
        starts = counts * pace
        change = np.where(near, NEAR_CHANGE, SPEED_CHANGE)
        middle = ((earliest + latest) / 2)[:, None]
        wanted = np.clip(middle, starts * (1 - change), starts * (1 + change))
        fits = (wanted >= earliest[:, None]) & (wanted <= latest[:, None])
        apart = np.abs(speed - self._speeds)[:, None]
        fits &= (apart < self._find_speed_apart(counts)) & possible[:, None]
        fits &= counts * stride_time / 2 >= ready
        if not fits.any():
            return self._refuse(obstacle, reachable=bool(possible.any()))
        risks = self.measures.risk * (1 - chances) + np.maximum(
            self.measures.room - (latest - earliest), 0.0)
        delays = self.measures.delay * np.maximum(self.measures.brisk - self._speeds, 0.0)
        costs = np.where(fits, ((self._compute_costs(obstacle) + risks + delays)[:, None]
                                + np.abs(wanted - middle)), np.inf)
        if kept >= 0:
            costs[kept] -= WAVER
        leap, n = np.unravel_index(int(np.argmin(costs)), costs.shape)
        start = float(wanted[leap, n])
        return Plan(obstacle, int(leap), int(counts[n]), start, start + float(first[leap]),
                    start + float(last[leap]),
                    float(2 * start / (counts[n] * stride_time)), float(costs[leap, n]))

    def plan_at(self, place: float, *, speed: float, stride_time: float,
                ready: float = 0.0) -> Plan | None:
        """
        Return the leap whose hind feet land nearest to a place, or None where none gets near it.

        :param place: m ahead of the hips.
        """
        counts = np.arange(2, 2 * STRIDES + 3)
        near = counts <= NEAR
        pace = np.where(near, speed, self._speeds[:, None]) * stride_time / 2
        change = np.where(near, NEAR_CHANGE, SPEED_CHANGE)
        wanted = np.clip(place - self._landing[:, None], counts * pace * (1 - change),
                         counts * pace * (1 + change))
        off = np.abs(wanted + self._landing[:, None] - place)
        apart = np.abs(speed - self._speeds)[:, None]
        fits = (off < self.measures.near_enough) & (apart < self._find_speed_apart(counts))
        chances = self.dictionary.find_chances(0.0)
        fits &= (chances >= LEAST_CHANCE)[:, None]
        fits &= counts * stride_time / 2 >= ready
        if not fits.any():
            return None
        risks = self.measures.risk * (1 - chances)
        costs = np.where(fits, off + (self._effort + risks)[:, None], np.inf)
        leap, n = np.unravel_index(int(np.argmin(costs)), costs.shape)
        start = float(wanted[leap, n])
        return Plan(Obstacle(TARGET, place, place, 0.0), int(leap), int(counts[n]), start,
                    start + float(self._take_off[leap]), start + float(self._landing[leap]),
                    float(2 * start / (counts[n] * stride_time)), float(costs[leap, n]))

    def _find_speed_apart(self, counts: NDArray[np.int64]) -> Array:
        """
        Return by how much the speed may differ from that of a leap in so many half strides.

        Leaps were found from a settled trot: a change of speed in the last strides is not over
        when the leap begins.
        """
        before = np.maximum(counts - NEAR, 0)
        apart: Array = self.measures.speed_apart + self.measures.speed_change * before
        return np.minimum(apart, self.measures.far_speed_apart)

    def _find_reach(self, height: float) -> tuple[Array, Array]:
        """Return from where to where the feet of each leap are high enough to clear a height."""
        needed = height + self.measures.clearance if height > 0.0 else 0.0
        return self.dictionary.find_reach(needed)

    def _compute_costs(self, obstacle: Obstacle) -> Array:
        distance = obstacle.end - obstacle.begin + 2 * self.measures.margin
        height = obstacle.height + self.measures.standing
        costs: Array = (np.abs(self.dictionary.column('distance') - distance)
                        + np.abs(self.dictionary.column('height') - height) + self._effort)
        return costs

    def _refuse(self, obstacle: Obstacle, *, reachable: bool) -> Plan:
        """Stop when near; go on slowly while there is still way."""
        room = obstacle.begin - self.measures.stopping
        speed = 0.0 if room <= self.measures.slow_room else self.measures.slow_speed
        return Plan(obstacle, -1, 0, 0.0, 0.0, 0.0, speed, np.inf, reachable)
