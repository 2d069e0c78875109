"""Node: shows the graph on a page, and lets people drive and tune it from there."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from queue import SimpleQueue
from time import monotonic
from typing import Any

from diagnostic_msgs.msg import DiagnosticArray
from geometry_msgs.msg import PoseStamped, Twist, WrenchStamped
from std_msgs.msg import String

from quadruped_control.control.gait import STAND, load_gait
from quadruped_control.control.gait_file import write_gait
from quadruped_control.control.gait_tuning import list_knobs, tune_gait
from quadruped_control.errors import InputError, QuadrupedError
from quadruped_control.leaps.scouting import PLAIN
from quadruped_control.nodes.common_settings import WHO, read_who
from quadruped_control.nodes.driving import STILL, KeyboardDrive
from quadruped_control.nodes.gait_settings import name_parameter
from quadruped_control.nodes.graph import LOCAL
from quadruped_control.nodes.graph_node import OK, GraphNode, Setting, run_nodes
from quadruped_control.nodes.markers import FRAME
from quadruped_control.nodes.node_states import NodeStates
from quadruped_control.nodes.page_feed import PageFeed
from quadruped_control.nodes.page_recorder import PageRecorder
from quadruped_control.nodes.page_requests import Requests
from quadruped_control.nodes.qos import LATCHED, RELIABLE
from quadruped_control.nodes.setting import choose_scenario, list_terrains
from quadruped_control.page.actions import Status
from quadruped_control.page.live_page import LivePage
from quadruped_control.page.page_robot import find_page_robot
from quadruped_control.priority import give_way

NAME = 'page'
PICTURE = 1 / 30                # s
CHARTS, WORDS, DRIVE = 8, 10, 2     # pictures: each waking of the page costs the graph some time
RELEASE = 1.5                   # s after which a key counts as let go if nothing tells of it
STARTS = 'starts anew with {}; the first time this takes a minute or two'
BY_COMMAND = 'end this graph, and start it by ./quadruped up --robot {0}, or robot:={0}'
SETTINGS = {
    **WHO,
    'address': Setting(LOCAL, 'on which the page is served; others than this machine reach it '
                              'only by another address than 127.0.0.1', fixed=True),
    'port': Setting(8080, 'the first free port from here on', 1, 65535, fixed=True),
    'folder': Setting('out', 'for recordings and gaits that are saved from the page', fixed=True),
    'restart_file': Setting('', 'to which the name of a robot chosen on the page is written, '
                                'for whoever then starts all anew; empty: nobody does',
                            fixed=True),
}


class PageNode(GraphNode):
    """Does what the page asks for, in the thread that spins it."""

    def __init__(self) -> None:
        super().__init__(NAME, SETTINGS)
        self._tasks: SimpleQueue[Callable[[], None]] = SimpleQueue()
        self._status = Status()
        self._folder = Path(self.setting('folder')).expanduser()
        self._sliders, self._was_moving = STILL, False
        scene = read_who(self)
        self._robot = find_page_robot(scene.robot, scene.controller)
        limits = self._robot.limits
        self._key_speeds = limits.back, limits.easy[1], limits.key_turn
        self._keyboard = KeyboardDrive(self._key_speeds, release_time=RELEASE, all_repeat=True)
        self._twists: Any = None
        self._turned: dict[tuple[str, str], float] = {}
        self._turning = self._has_gaits = False
        self._recorder = PageRecorder(self._folder)
        self._states = NodeStates(self._tell)
        self._page = LivePage(self, self.setting('address'), self.setting('port'),
                              list_terrains(scene.robot, scene.controller or ''), 1.0,
                              self._robot)
        print(self._page.description, flush=True)
        self._requests = Requests(self, self._tell)
        self._gaits = self.create_publisher(String, '/gait_request', RELIABLE)
        self._skills = self.create_publisher(String, '/skill_request', RELIABLE)
        self._leaps = self.create_publisher(String, '/leap_request', RELIABLE)
        self._goals = self.create_publisher(PoseStamped, '/goal_pose', RELIABLE)
        self._pushes = self.create_publisher(WrenchStamped, '/push', RELIABLE)
        self.create_subscription(DiagnosticArray, '/diagnostics', self._states.take, RELIABLE)
        self.create_subscription(String, '/leap_status', self._on_leap_status, RELIABLE)
        self.create_subscription(String, '/ground_ahead', self._on_ground_ahead, LATCHED)
        self._feed = PageFeed(self, self._page, self._status)
        self._counted = monotonic(), 0
        self._beat = 0
        self.every(PICTURE, self._on_beat)

    def diagnose(self) -> tuple[bytes, str, dict[str, object]]:
        """Tell where the page is and how many have it open."""
        now, count = monotonic(), self._feed.pictures
        rate = (count - self._counted[1]) / max(now - self._counted[0], 1e-6)
        self._counted = now, count
        return OK, self._page.description, {'open': len(self._page.server.get_clients()),
                                            'pictures per s': f'{rate:.0f}'}

    def close(self) -> None:
        """Complete a recording, and close the page."""
        self._recorder.stop()
        self._feed.close()
        self._page.close()

    # ---- showing ----

    def _on_beat(self) -> None:
        """Do what was asked for on the page, and send it all that is new at once."""
        self._beat += 1
        while not self._tasks.empty():
            self._tasks.get()()
        if self._beat % DRIVE == 0:
            self._drive()
        is_watched = self._page.is_watched.is_set()
        self._feed.watch(is_watched)
        with self._page.server.atomic() if is_watched else nullcontext():
            if is_watched:
                self._feed.draw()
            if is_watched and self._beat % CHARTS == 0:
                self._page.show_charts(self._feed.joint_names)
            if self._beat % WORDS == 0:
                self._say()

    def _say(self) -> None:
        finished = self._recorder.take_finished()
        if finished is not None:
            self._page.bags.offer(finished)
            self._tell(f'recorded {finished.name}')
        if not self._has_gaits:
            self._read_gaits()
        if self._page.is_watched.is_set():
            status = self._status
            self._states.describe(status)
            running = self._recorder.is_running
            status.recording = str(self._recorder.path) if running else ''
            self._page.show_status(status)

    def _tell(self, words: str) -> None:
        self._status.note = words

    def _on_leap_status(self, message: String) -> None:
        if self._status.note == 'asked for: leap':
            self._tell(message.data)

    def _on_ground_ahead(self, message: String) -> None:
        self._status.ahead = '' if message.data == PLAIN else message.data

    def _read_gaits(self) -> None:
        """Take over what was tuned before this page was there."""
        names = {name_parameter(gait, knob): (gait, knob)
                 for gait in (STAND, *self._robot.gaits) for knob in list_knobs()}

        def take(values: dict[str, float]) -> None:
            self._page.tuning.take_changes({names[key]: value for key, value in values.items()})

        self._has_gaits = self._requests.read_gait_parameters(list(names), take)

    # ---- what people do on the page: from its threads ----

    def drive(self, twist: tuple[float, float, float]) -> None:
        """Drive by the sliders."""
        self._tasks.put(lambda: setattr(self, '_sliders', twist))

    def press(self, key: str) -> None:
        """Take a key."""
        self._tasks.put(lambda: self._press(key))

    def set_key_speed(self, speed: float) -> None:
        """Choose how fast W drives."""
        self._keyboard.speeds = (speed, *self._key_speeds[1:])

    def request_gait(self, gait: str) -> None:
        """Ask for a gait."""
        self._tasks.put(lambda: self._ask(self._gaits, gait))

    def request_skill(self, skill: str) -> None:
        """Ask for a skill."""
        self._tasks.put(lambda: self._ask(self._leaps if skill == 'leap' else self._skills, skill))

    def go_to(self, x: float, y: float) -> None:
        """Go to a place."""
        self._tasks.put(lambda: self._go_to(x, y))

    def throw_ball(self) -> None:
        """Pursue a ball."""
        self._tasks.put(self._requests.throw_ball)

    def lead(self, led: bool) -> None:
        """Let the planner of leaps lead the dog, or not."""
        self._tasks.put(lambda: self._requests.set('gait_scheduler', {'leap_planner': led},
                                                   self._report))

    def push(self, at: str, force: tuple[float, float, float]) -> None:
        """Push a leg frame."""
        self._tasks.put(lambda: self._push(at, force))

    def pause(self, paused: bool) -> None:
        """Hold the simulation, or let it go on."""
        self._tasks.put(lambda: self._requests.pause(paused))

    def set_factor(self, factor: float) -> None:
        """Choose simulated s per s."""
        self._tasks.put(lambda: self._requests.set(
            'simulation', {'real_time_factor': float(factor)}, self._report))

    def reset(self) -> None:
        """Set the simulation back."""
        self._tasks.put(self._requests.reset)

    def choose_terrain(self, terrain: str) -> None:
        """Begin anew on another ground."""
        self._tasks.put(lambda: self._requests.choose_terrain(terrain, self._status.terrain))

    def choose_robot(self, robot: str) -> None:
        """Begin anew with another robot."""
        self._tasks.put(lambda: self._choose_robot(robot))

    def record(self, recording: bool) -> None:
        """Begin or end a recording."""
        self._tasks.put(lambda: self._record(recording))

    def turn_knob(self, gait: str, knob: str, change: float) -> None:
        """Change a gait; of many changes of one number only the last is sent."""
        self._tasks.put(lambda: self._turned.__setitem__((gait, knob), change))

    def save_gait(self, gait: str, changes: dict[str, float], name: str) -> None:
        """Write a gait to a file."""
        self._tasks.put(lambda: self._save_gait(gait, changes, name))

    # ---- what comes of it: in the thread that spins ----

    def _press(self, key: str) -> None:
        self._keyboard.press(key, monotonic())
        if key == ' ' and self._status.pursues:         # a twist at rest does not end a pursuit
            self._ask(self._skills, STAND)

    def _go_to(self, x: float, y: float) -> None:
        """Publish a goal that says no heading: its orientation is none, all zero."""
        goal = PoseStamped()
        goal.header.frame_id = FRAME
        goal.pose.position.x, goal.pose.position.y = x, y
        goal.pose.orientation.w = 0.0
        self._goals.publish(goal)
        self._tell(f'asked for: go to {x:.2f}, {y:.2f} m')

    def _drive(self) -> None:
        """Publish what is asked for; nothing while nothing is, so that others can drive."""
        twist = self._keyboard.compute_twist(monotonic())
        twist = self._sliders if twist == STILL else twist
        is_moving = twist != STILL
        if is_moving or self._was_moving:
            if self._twists is None:            # only now: the demonstration drives until then
                self._twists = self.create_publisher(Twist, '/cmd_vel', RELIABLE)
            message = Twist()
            message.linear.x, message.linear.y, message.angular.z = map(float, twist)
            self._twists.publish(message)
        self._was_moving = is_moving
        self._turn_knobs()

    def _ask(self, publisher: Any, name: str) -> None:
        self._tell(f'asked for: {name.replace("_", " ")}')
        publisher.publish(String(data=name))

    def _push(self, at: str, force: tuple[float, float, float]) -> None:
        message = WrenchStamped()
        message.header.frame_id = at
        message.wrench.force.x, message.wrench.force.y, message.wrench.force.z = force
        self._pushes.publish(message)
        self._tell(f'pushed at the {at}')

    def _choose_robot(self, robot: str) -> None:
        """Ask for all nodes to be started with another robot, if somebody can do that."""
        if robot == self._robot.name:
            return
        file = self.setting('restart_file')
        try:
            choose_scenario(self.setting('scenario'), self.setting('terrain'), robot=robot)
        except InputError as error:
            self._tell(f'refused: {error}')
            self._page.show_robot()
            return
        if not file:
            self._tell(BY_COMMAND.format(robot))
            self._page.show_robot()
            return
        self._tell(STARTS.format(robot))
        written = Path(f'{file}.new')
        written.write_text(robot, encoding='utf-8')
        written.replace(file)

    def _record(self, recording: bool) -> None:
        if recording and not self._recorder.is_running:
            try:
                self._tell(f'records to {self._recorder.start()}')
            except OSError as error:
                self._tell(f'cannot record: {error}')
        elif not recording:
            self._recorder.stop()

    def _turn_knobs(self) -> None:
        """Send the newest changes of gaits, one after the other, one gait at a time."""
        if not self._turned or self._turning:
            return
        (gait, knob), change = next(iter(self._turned.items()))
        del self._turned[gait, knob]
        self._turning = True

        def take(took: bool, reason: str) -> None:
            self._turning = False
            if not took:
                self._tell(f'refused: {reason}')
                self._page.tuning.take_back(gait, knob)

        self._requests.set('gait_scheduler', {name_parameter(gait, knob): float(change)}, take)

    def _save_gait(self, gait: str, changes: dict[str, float], name: str) -> None:
        try:
            if Path(name).name != name or not name.endswith('.yaml'):
                raise InputError('File', '', name, 'a name that ends in .yaml, without a folder')
            folder = self._folder / 'gaits'
            folder.mkdir(parents=True, exist_ok=True)
            turned = ', '.join(f'{key} {value:+g}' for key, value in changes.items() if value)
            robot = self._robot.name
            write_gait(folder / name, tune_gait(load_gait(gait, robot), changes),
                       [f'The {gait} of {robot}, changed by hand on the page: {turned}'])
            self._tell(f'saved to {folder / name}')
        except (QuadrupedError, OSError) as error:
            self._tell(f'not saved: {error}')

    def _report(self, took: bool, reason: str) -> None:
        if not took:
            self._tell(f'refused: {reason}')


def main() -> int:
    """Run the node as a process."""
    give_way()
    return run_nodes([PageNode])


if __name__ == '__main__':
    raise SystemExit(main())
