"""What a page can ask for, and what it tells: the border to whatever moves the dog."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

Twist = tuple[float, float, float]  # forward and left in m/s, turn to the left in rad/s


class Actions(Protocol):
    """What people do on a page; called from threads of the page's server."""

    def drive(self, twist: Twist) -> None:
        """Drive by the sliders, until the next."""

    def press(self, key: str) -> None:
        """Take a key of the keyboard; it is held as long as it comes again and again."""

    def set_key_speed(self, speed: float) -> None:
        """Choose how fast keys drive forward, m/s."""

    def request_gait(self, gait: str) -> None:
        """Ask for a gait."""

    def request_skill(self, skill: str) -> None:
        """Ask for a skill; a leap is one of them."""

    def go_to(self, x: float, y: float) -> None:
        """Go to a place in the world, m."""

    def throw_ball(self) -> None:
        """Pursue a ball."""

    def lead(self, led: bool) -> None:
        """Let the planner of leaps lead the dog, or not."""

    def push(self, at: str, force: tuple[float, float, float]) -> None:
        """Push the front or rear leg frame, N: forward, left, up."""

    def pause(self, paused: bool) -> None:
        """Hold the simulation, or let it go on."""

    def set_factor(self, factor: float) -> None:
        """Choose simulated s per s."""

    def reset(self) -> None:
        """Set the simulation back to its start."""

    def choose_terrain(self, terrain: str) -> None:
        """Begin anew on another ground."""

    def choose_robot(self, robot: str) -> None:
        """Begin anew with another robot."""

    def record(self, recording: bool) -> None:
        """Begin or end a recording."""

    def turn_knob(self, gait: str, knob: str, change: float) -> None:
        """Change a gait's number against its file."""

    def save_gait(self, gait: str, changes: dict[str, float], name: str) -> None:
        """Write a gait with its changes to a file."""


class NodeState(NamedTuple):
    """How a node is: 0 well, 1 not quite, 2 not; and why."""

    name: str
    level: int
    words: str


@dataclass
class Status:
    """What is known about the graph now."""

    gait: str = 'no dog yet'
    skill: str = ''                     # what it does besides going on its feet
    pursues: bool = False               # it goes after a target
    speed: float = float('nan')         # m/s forward
    asked: float = float('nan')
    time: float = 0.0                   # s, simulated
    factor: float = 0.0                 # simulated s per s
    ahead: str = ''                     # what the ground ahead asks for
    note: str = ''                      # what was asked for last, and what became of it
    paused: bool = False
    terrain: str = ''
    gaits: tuple[str, ...] = ()
    skills: tuple[str, ...] = ()
    nodes: tuple[NodeState, ...] = ()
    recording: str = ''                 # file that is being written
    recorded: tuple[str, ...] = field(default_factory=tuple)     # files that are complete
