"""
Random worlds and drivers: an examination that cannot be learnt.

A drive is a world, a start, commands and pushes, all from one seed and a number; the same seed
gives the same drives. What is judged is how often a robot falls while it is driven.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import asin, pi
from typing import Any

import numpy as np

from quadruped_control.control.ladder import AUTO
from quadruped_control.evaluation.wild_body import LEFT, WildBody, load_body
from quadruped_control.evaluation.wild_driver import Deed, Driver, draw_pushes
from quadruped_control.evaluation.wild_things import World
from quadruped_control.evaluation.wild_world import draw_flat, draw_world
from quadruped_control.model.robot_files import DEFAULT_ROBOT

GROUNDS = ('flat', 'mixed')
DURATIONS = (30.0, 60.0)                # s of a drive
AUTO_SHARE = 0.45                       # of drives that begin in `auto`, on flat ground,
GAITS_ON_GROUND = {AUTO: 0.68, 'walk': 0.1, 'trot': 0.12, 'pace': 0.04, 'canter': 0.04,
                   'transverse_gallop': 0.01, 'rotary_gallop': 0.01}    # and elsewhere
MOST_GAITS = 3                          # that a driver asks for on flat ground
LEAP_SHARE = 0.25                       # of drives with something on the ground: leaps planned
PUSHED_SHARE = {'flat': 0.6, 'mixed': 0.3}      # of drives
DROPPED_SHARE, LYING_SHARE = 0.08, 0.08         # of drives that begin with a drop, at rest
DROP, JOINT_NOISE = (0.3, 0.8), 0.5     # m, rad
UP_AFTER = 10.0                         # s that a robot that was dropped may take to get up
LEVEL_WORLDS = ('flat', 'course', 'garden', 'leaps')      # that are level where nothing stands


@dataclass(frozen=True)
class Ticket:
    """Which drive: all else follows from it."""

    seed: int
    number: int
    ground: str
    robot: str = DEFAULT_ROBOT

    @property
    def name(self) -> str:
        """A name for reports and files."""
        return f'{self.robot}-{self.ground}-{self.seed}-{self.number:04d}'


@dataclass(frozen=True)
class Drive:
    """A scenario, and what its parts are called."""

    ticket: Ticket
    scenario: dict[str, Any]
    world: World
    deeds: tuple[Deed, ...]
    start: str


def draw_duration(ticket: Ticket) -> float:
    """Return how long a drive lasts, s."""
    return round(float(_rng(ticket).uniform(*DURATIONS)), 1)


def list_tickets(seed: int, minutes: float, ground: str, robot: str = DEFAULT_ROBOT
                 ) -> list[Ticket]:
    """Return as many drives as last for so many minutes in all."""
    found: list[Ticket] = []
    left = 60.0 * minutes
    while left > 0.0:
        found.append(Ticket(seed, len(found), ground, robot))
        left -= draw_duration(found[-1])
    return found


def draw_drive(ticket: Ticket) -> Drive:
    """Return a drive."""
    rng = _rng(ticket)
    duration = round(float(rng.uniform(*DURATIONS)), 1)
    body = load_body(ticket.robot)
    level = ticket.ground == 'flat'
    gaits = _draw_gaits(rng, body, level=level)
    leaps = (not level and body.leaps and gaits[0] in (AUTO, 'trot')
             and rng.random() < LEAP_SHARE)
    world = draw_flat(rng) if level else draw_world(
        rng, gaits[0].removesuffix(LEFT), body.similarity.length, leaps=leaps,
        steepest=body.steepest_start)
    start, begin, name = _draw_start(rng, body, world)
    driver = Driver(rng, body, gaits, duration, level=level,
                    leash=world.leash, leaps=leaps)
    driver.drive(begin)
    pushed = rng.random() < PUSHED_SHARE[ticket.ground] and name == 'stand'
    pushes = draw_pushes(rng, body, driver.commands, duration, level=level) if pushed else []
    scenario = {
        'name': f'wild {ticket.name}', 'seed': int(rng.integers(2**31)),
        'robot': ticket.robot, 'duration': duration, 'recover': True, 'leap_planner': leaps,
        'terrain': world.features, 'start': start, 'commands': driver.commands, 'pushes': pushes}
    return Drive(ticket, scenario, world, tuple(driver.deeds), name)


def _rng(ticket: Ticket) -> np.random.Generator:
    return np.random.default_rng([ticket.seed, ticket.number, GROUNDS.index(ticket.ground)])


def _draw_gaits(rng: np.random.Generator, body: WildBody, *, level: bool) -> tuple[str, ...]:
    """Return what a driver asks for first, and what else."""
    named = [gait for gait in body.ranges if gait != AUTO]
    if not level:
        shares = {gait: GAITS_ON_GROUND.get(gait, 0.0) for gait in body.ranges}
        total = sum(shares.values())
        return (str(rng.choice(list(shares), p=[each / total for each in shares.values()])),)
    first = AUTO if not named or rng.random() < AUTO_SHARE else str(rng.choice(named))
    count = int(rng.integers(1, MOST_GAITS + 1))
    others = [str(rng.choice([AUTO, *named])) for _ in range(count - 1)]
    return tuple(dict.fromkeys([first, *others]))


def _draw_start(rng: np.random.Generator, body: WildBody, world: World
                ) -> tuple[dict[str, Any], float | None, str]:
    """Return a start, when (s) it is driven first if not at once, and its name."""
    place = {'position': list(world.position), 'heading': world.heading}
    chance = float(rng.random())
    time = body.similarity.factor('s')
    if chance < DROPPED_SHARE and body.gets_up and world.kind == 'flat':
        roll = float(rng.uniform(-pi, pi))
        pitch = asin(float(rng.uniform(-1.0, 1.0)))
        drop = float(rng.uniform(*DROP)) * body.similarity.length
        return ({**place, 'rpy': [round(roll, 3), round(pitch, 3), 0.0], 'drop': round(drop, 3),
                 'joint_noise': JOINT_NOISE}, round(UP_AFTER * time, 3), 'drop')
    if chance > 1.0 - LYING_SHARE and world.kind in LEVEL_WORLDS and body.postures:
        posture = {'lie_down': 'lie'}.get(name := str(rng.choice(body.postures)), name)
        return {**place, 'posture': posture}, None, posture
    return place, None, 'stand'
