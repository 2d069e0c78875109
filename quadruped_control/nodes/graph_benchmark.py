"""
How fast the graph goes in lock-step, and which hop takes how much of the time.

With the page: the same with nobody looking and with the page open, in turns.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from time import monotonic, sleep
from typing import Any

from quadruped_control.control.controllers import choose_controller
from quadruped_control.errors import QuadrupedError
from quadruped_control.model.robot_files import DEFAULT_ROBOT
from quadruped_control.nodes.graph import GraphOptions, list_nodes
from quadruped_control.nodes.supervisor import Supervisor
from quadruped_control.rollout.benchmark import list_situations

SECONDS = 6.0                   # of simulated time, each run
HOPS = ('simulation', 'scheduler', 'controller', 'transport')
PAGE = 'the page: '              # what the page's process says before its address
READING = 2.0                   # s for the page to have all that is constant
CALLS = 80
START_UP = 240.0                # s until the page is there, on a machine with other work
VARIANTS = {'separate': False, 'composed': True}
FIRST_DOMAIN, DOMAINS = 71, 30


def private_domain() -> dict[str, str]:
    """Return variables for a ROS domain that nobody else is likely to use, on this machine."""
    return {'ROS_DOMAIN_ID': str(FIRST_DOMAIN + os.getpid() % DOMAINS),
            'ROS_AUTOMATIC_DISCOVERY_RANGE': 'LOCALHOST'}


def make_trot(robot: str, controller: str) -> dict[str, object]:
    """Return a scenario in which a robot trots, the dog at 1 m/s; empty names: the defaults."""
    name = robot or DEFAULT_ROBOT
    return {'name': 'bench', 'duration': SECONDS, 'robot': name,
            'controller': choose_controller(name, controller or None),
            'commands': list_situations(name)['trot']}


def measure_graph(composed: bool, repeats: int, progress: Callable[[int], None],
                  robot: str = '', controller: str = '') -> dict[str, object]:
    """Run a trot so many times as fast as it goes; return medians and the spread."""
    runs = []
    for repeat in range(repeats):
        runs.append(_run(composed, robot=robot, controller=controller))
        progress(repeat + 1)
    factors = [run['real_time_factor'] for run in runs]
    return {
        'real_time_factor': median(factors), 'spread': [min(factors), max(factors)],
        'repeats': repeats, 'seconds': SECONDS,
        'hops_us': {hop: median(run['hops_us'][hop] for run in runs) for hop in HOPS},
        'share': {hop: median(run['share'][hop] for run in runs) for hop in HOPS},
    }


def measure_page(repeats: int, progress: Callable[[int], None], robot: str = '',
                 controller: str = '') -> dict[str, object]:
    """
    Run a trot without a page and with one that is open, in turns, so many times.

    The page is read by a process that takes all and draws nothing, as a browser on another
    machine would be. The real-time factor with the page is given as a share of that without.
    """
    found: dict[bool, list[float]] = {False: [], True: []}
    for repeat in range(repeats):
        for with_page in (False, True):
            run = _run(False, with_page, robot, controller)
            found[with_page].append(float(run['real_time_factor']))
        progress(repeat + 1)
    shares = [b / a for a, b in zip(found[False], found[True], strict=True)]
    return {'real_time_factor': median(found[False]), 'with_page': median(found[True]),
            'share': median(found[True]) / median(found[False]),
            'spread': [min(shares), max(shares)], 'repeats': repeats, 'seconds': SECONDS}


@contextmanager
def _open_page(lines: list[str]) -> Iterator[None]:
    """Wait for the page, and have it open."""
    end = monotonic() + START_UP
    while not any(PAGE in line for line in lines):
        if monotonic() > end:
            raise QuadrupedError('the page did not come up:\n' + '\n'.join(lines[-20:]))
        sleep(0.05)
    address = next(line for line in lines if PAGE in line).split(PAGE)[1].split()[0]
    reader = subprocess.Popen([sys.executable, '-m', 'quadruped_control.page.reader', address,
                               str(START_UP)], stdout=subprocess.DEVNULL, start_new_session=True)
    try:
        sleep(READING)
        yield
        if reader.poll() is not None:
            raise QuadrupedError('the page was not there to the end:\n' + '\n'.join(lines[-20:]))
    finally:
        reader.kill()
        reader.wait()


def _run(composed: bool, with_page: bool = False, robot: str = '',
         controller: str = '') -> dict[str, Any]:
    lines: list[str] = []
    with tempfile.TemporaryDirectory() as folder:
        scenario, out = Path(folder) / 'bench.yaml', Path(folder) / 'out.json'
        scenario.write_text(json.dumps(make_trot(robot, controller)), encoding='utf-8')
        options = GraphOptions(scenario=str(scenario), real_time_factor=0.0, patient=True,
                               metrics_file=str(out), page=with_page, start_paused=with_page)
        environment = private_domain()
        supervisor = Supervisor(list_nodes(options), composed=composed, say=lines.append,
                                environment=environment)
        try:
            supervisor.start()
            if with_page:
                with _open_page(lines):
                    let_go(environment)
                    code = supervisor.wait()
            else:
                code = supervisor.wait()
        finally:
            supervisor.stop()
        if code != 0 or not out.is_file():
            raise QuadrupedError('the graph did not run to its end:\n' + '\n'.join(lines[-20:]))
        found: dict[str, Any] = json.loads(out.read_text(encoding='utf-8'))['graph']
        return found


def let_go(environment: dict[str, str]) -> None:
    """Let a simulation go on that waits in a ROS domain."""
    import rclpy
    from rclpy.context import Context
    from rclpy.executors import SingleThreadedExecutor
    from std_srvs.srv import SetBool

    context = Context()
    rclpy.init(context=context, domain_id=int(environment['ROS_DOMAIN_ID']))
    node = rclpy.create_node('bench', context=context)
    executor = SingleThreadedExecutor(context=context)
    executor.add_node(node)
    try:
        client: Any = node.create_client(SetBool, '/simulation/pause')
        if not client.wait_for_service(START_UP):
            raise QuadrupedError('the simulation did not come up')
        for _ in range(CALLS):              # an answer can be lost on a graph that just came up
            answer = client.call_async(SetBool.Request(data=False))
            executor.spin_until_future_complete(answer, timeout_sec=START_UP / CALLS)
            if answer.done():
                return
        raise QuadrupedError('the simulation does not answer')
    finally:
        executor.shutdown()
        node.destroy_node()
        context.try_shutdown()
