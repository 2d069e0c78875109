"""The graph of processes gives bit for bit what one process gives, whatever else runs."""

from __future__ import annotations

import json
import math
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip('rclpy')

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from rclpy.serialization import serialize_message
from ros_processes import PATIENCE, choose_domain, make_environment, wait_until
from std_msgs.msg import Float64MultiArray, MultiArrayDimension

from quadruped_control.command_line.main import main
from quadruped_control.control.controllers import make_controller
from quadruped_control.control.gait_library import GaitLibrary
from quadruped_control.control.records import clock_type, target_type
from quadruped_control.control.skill_scheduler import SkillScheduler
from quadruped_control.kinematics.records import new_record, state_type
from quadruped_control.loading import load
from quadruped_control.nodes import supervisor
from quadruped_control.nodes.layout import (
    GaitLayout,
    StateLayout,
    TorqueLayout,
    as_numbers,
    read_numbers,
)
from quadruped_control.rollout.echo import echo_type
from quadruped_control.rollout.guide import Guide
from quadruped_control.rollout.live_commands import LiveCommands
from quadruped_control.rollout.rollout import run_scenario
from quadruped_control.rollout.world_half import WorldHalf
from quadruped_control.scenario import Scenario
from quadruped_control.simulation.world import TIME_STEP

UP = [sys.executable, '-m', 'quadruped_control.command_line', 'up', '--no-page']
TROT = {
    'name': 'short trot', 'duration': 1.5, 'seed': 3,
    'terrain': [{'kind': 'steps', 'x': [0.8, 3], 'y': [-2, 2], 'depth': 0.3,
                 'height': [0.0, 0.02]}],
    'commands': [{'t': 0.1, 'vx': 1.0, 'gait': 'trot'}, {'t': 1.0, 'wz': 0.5}],
    'pushes': [{'t': 0.6, 'at': 'front', 'force': [0, 100, 0], 'duration': 0.1}],
}
NODES = 4                       # processes of a graph, at least


@pytest.fixture(scope='module')
def reference(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any]]:
    """Return a scenario and the metrics that one process gives."""
    folder = tmp_path_factory.mktemp('trot')
    scenario = folder / 'trot.yaml'
    scenario.write_text(json.dumps(TROT), encoding='utf-8')
    assert main(['run', str(scenario), '--json', str(folder / 'run.json')]) == 0
    return scenario, json.loads((folder / 'run.json').read_text(encoding='utf-8'))


def run_graph(scenario: Path, out: Path, *words: str) -> dict[str, Any]:
    done = subprocess.run(
        [*UP, '--scenario', str(scenario), '--metrics', str(out), '--real-time-factor', '0',
         *words], env=make_environment(choose_domain()), capture_output=True, text=True,
        timeout=PATIENCE)
    assert done.returncode == 0, done.stdout + done.stderr
    found: dict[str, Any] = json.loads(out.read_text(encoding='utf-8'))
    return found


@pytest.mark.timeout(240)
@pytest.mark.parametrize('how', ['again', 'with a core burning', 'composed'])
def test_processes_give_the_same_bits_as_one(reference: tuple[Path, dict[str, Any]],
                                             tmp_path: Path, how: str) -> None:
    scenario, expected = reference
    burning = subprocess.Popen([sys.executable, '-c', 'while True: pass']) \
        if how == 'with a core burning' else None
    try:
        words = ['--composed'] if how == 'composed' else []
        found = run_graph(scenario, tmp_path / 'graph.json', *words)
    finally:
        if burning is not None:
            burning.kill()
            burning.wait()
    differing = {key for key in expected if found[key] != expected[key]}
    assert differing <= {'real_time_factor', 'scenario'}
    assert found['graph']['losses_of_control'] == 0


@pytest.mark.timeout(240)
def test_processes_of_another_controller_give_the_same_bits(tmp_path: Path) -> None:
    scenario = tmp_path / 'kokkevis.yaml'
    scenario.write_text(json.dumps({**TROT, 'controller': 'kokkevis'}), encoding='utf-8')
    assert main(['run', str(scenario), '--json', str(tmp_path / 'run.json')]) == 0
    expected = json.loads((tmp_path / 'run.json').read_text(encoding='utf-8'))
    found = run_graph(scenario, tmp_path / 'graph.json')
    differing = {key for key in expected if found[key] != expected[key]}
    assert differing <= {'real_time_factor', 'scenario'}
    assert expected['slips'] is not None and not expected['fell']


@pytest.mark.timeout(240)
def test_a_run_in_two_halves_is_recorded_as_a_whole_one(
        reference: tuple[Path, dict[str, Any]]) -> None:
    scenario = load(reference[0], Scenario)
    whole = run_scenario(scenario).recording
    half = WorldHalf(scenario, steps=len(whole))
    library, layout = GaitLibrary(), GaitLayout()
    scheduler = SkillScheduler(half.robot, library.stand, library.tables, time_step=TIME_STEP)
    controller = make_controller(half.robot)
    commands = LiveCommands(scheduler, scenario.commands)
    guide = Guide(scheduler, controller, half.robot, half.ground, leaps=False)
    for step in range(len(whole)):
        commands.apply(half.state)
        guide.update(half.state, step)
        scheduler.update(half.state)
        half.torques[:] = controller.update(half.observation, scheduler.target, TIME_STEP)
        message = layout.pack(step, 0.0, requested=0, command=scheduler.command,
                              gait=scheduler.gait_index, clock=as_numbers(scheduler.clock),
                              target=as_numbers(scheduler.target))
        as_numbers(half.echo)[:len(layout.find_echo())] = np.array(message)[layout.find_echo()]
        half.act()
    half.world.close()
    assert half.recording.state_hash == whole.state_hash
    assert (half.recording.samples == whole.samples).all()


def list_nodes_of(ancestor: int) -> list[int]:
    """Return the processes that come from one, its children's children too, by /proc."""
    parents = {}
    for entry in Path('/proc').iterdir():
        if not entry.name.isdigit():
            continue
        try:
            fields = (entry / 'stat').read_text().rsplit(')', 1)[1].split()
        except OSError:
            continue
        if fields[0] != 'Z':
            parents[int(entry.name)] = int(fields[1])
    found = [ancestor]
    for process in found:
        found += [child for child, parent in parents.items() if parent == process]
    return found[1:]


def is_alive(process: int) -> bool:
    try:
        return Path(f'/proc/{process}/stat').read_text().rsplit(')', 1)[1].split()[0] != 'Z'
    except OSError:
        return False


@pytest.fixture
def started() -> Iterator[tuple[subprocess.Popen[str], list[int]]]:
    """Give an `up` at work, and its nodes."""
    up = subprocess.Popen(UP, env=make_environment(choose_domain()), text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    assert up.stdout is not None
    for line in up.stdout:
        if 'follows the simulation' in line and 'controller' in line:
            break
    nodes = list_nodes_of(up.pid)
    assert len(nodes) >= NODES
    yield up, nodes
    if up.poll() is None:
        up.kill()
    up.stdout.close()
    up.wait()
    for node in nodes:
        if is_alive(node):
            os.kill(node, signal.SIGKILL)


@pytest.mark.parametrize('number', [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_up_leaves_no_orphan(started: tuple[subprocess.Popen[str], list[int]],
                             number: signal.Signals) -> None:
    up, nodes = started
    up.send_signal(number)
    code = up.wait(PATIENCE)
    wait_until(lambda: not any(map(is_alive, nodes)), 'the end of all nodes')
    assert code == (0 if number != signal.SIGKILL else -signal.SIGKILL)


def test_nodes_that_do_not_end_are_killed_within_two_seconds(
        monkeypatch: pytest.MonkeyPatch) -> None:
    """By a clock that goes on only while somebody is waited for."""
    now = 0.0
    signals: list[int] = []

    class Stubborn:
        end: int | None = None

        def poll(self) -> int | None:
            return self.end

        def wait(self, timeout: float = math.inf) -> int:
            nonlocal now
            if self.end is None:
                now += timeout
                raise subprocess.TimeoutExpired(['stubborn'], timeout)
            return self.end

        def send_signal(self, number: int) -> None:
            signals.append(number)
            self.end = -number if number == signal.SIGKILL else None

    monkeypatch.setattr(supervisor, 'monotonic', lambda: now)
    graph = supervisor.Supervisor([], say=lambda line: None)
    for name in 'abcdef':
        reader = threading.Thread(target=int)
        reader.start()
        stubborn: Any = Stubborn()
        graph._children[name] = supervisor.Child(name, True, stubborn, reader, now)
    graph.stop()
    assert now < 2.0
    assert signals == [signal.SIGTERM] * 6 + [signal.SIGKILL] * 6


@pytest.mark.parametrize('words', [
    ['--terrain', 'moon'], ['--seconds', '-1'], ['--scenario', 'none.yaml'], ['--gait', 'hop'],
    ['--metrics', 'none/out.json', '--seconds', '1'], ['--rate', 'nan']])
def test_up_refuses_what_it_cannot_do(capsys: pytest.CaptureFixture[str],
                                      words: list[str]) -> None:
    assert main(['up', *words]) == 2
    message = capsys.readouterr().err
    assert words[1] in message and 'Traceback' not in message


numbers = st.integers(1, 10**6)


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(step=numbers, run=st.integers(0, 2**53), seed=numbers)
def test_layouts_give_back_what_they_were_given(step: int, run: int, seed: int) -> None:
    random = np.random.default_rng(seed)
    state, copy = (as_numbers(new_record(state_type(68))) for _ in range(2))
    state[:] = random.normal(size=state.size)
    layout = StateLayout(68)
    packed = np.array(layout.pack(step, float(run), state))
    layout.unpack(packed, copy)
    assert packed[0] == step and packed[1] == run and (copy == state).all()
    clock = random.normal(size=as_numbers(new_record(clock_type())).size)
    target = random.normal(size=as_numbers(new_record(target_type())).size)
    command, gait = random.normal(size=4), GaitLayout()
    packed = np.array(gait.pack(step, float(run), requested=2, command=command, gait=1,
                                clock=clock, target=target))
    assert packed[0] == step and packed[1] == run and len(packed) == gait.size
    assert packed[GaitLayout.REQUESTED] == 2 and packed[GaitLayout.GAIT] == 1
    assert (packed[gait.COMMAND] == command).all()
    assert (packed[gait.clock] == clock).all() and (packed[gait.target] == target).all()
    torques, echo = random.normal(size=67), random.normal(size=echo_type().itemsize // 8)
    layout = TorqueLayout(67)
    packed = np.array(layout.pack(step, float(run), torques, echo))
    assert layout.fits(packed) and not layout.fits(packed[1:])
    assert (packed[TorqueLayout.ECHO] == echo).all()
    assert (packed[TorqueLayout.TORQUES] == torques).all()
    packed[-1] = np.nan
    assert not layout.fits(packed)


def test_serialised_message_is_read_as_ros_reads_it() -> None:
    for dimensions in ([], [MultiArrayDimension(label='joints', size=3, stride=3)]):
        message = Float64MultiArray(data=[1.0, -2.5, 1e300])
        message.layout.dim = dimensions
        assert read_numbers(serialize_message(message)).tolist() == [1.0, -2.5, 1e300]
    assert read_numbers(serialize_message(Float64MultiArray())).size == 0
