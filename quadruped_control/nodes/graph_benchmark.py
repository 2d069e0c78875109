"""How fast the graph goes in lock-step, and which hop takes how much of the time."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

from quadruped_control.errors import QuadrupedError
from quadruped_control.nodes.graph import GraphOptions, list_nodes
from quadruped_control.nodes.supervisor import Supervisor

SECONDS = 6.0                   # of simulated time, each run
TROT = {'name': 'bench', 'duration': SECONDS, 'commands': [{'t': 0.0, 'vx': 1.0, 'gait': 'trot'}]}
HOPS = ('simulation', 'scheduler', 'controller', 'transport')
VARIANTS = {'separate': False, 'composed': True}
FIRST_DOMAIN, DOMAINS = 60, 40


def private_domain() -> dict[str, str]:
    """Return variables for a ROS domain that nobody else is likely to use, on this machine."""
    return {'ROS_DOMAIN_ID': str(FIRST_DOMAIN + os.getpid() % DOMAINS),
            'ROS_AUTOMATIC_DISCOVERY_RANGE': 'LOCALHOST'}


def measure_graph(composed: bool, repeats: int, progress: Callable[[int], None]
                  ) -> dict[str, object]:
    """Run a trot so many times as fast as it goes; return medians and the spread."""
    runs = []
    for repeat in range(repeats):
        runs.append(_run(composed))
        progress(repeat + 1)
    factors = [run['real_time_factor'] for run in runs]
    return {
        'real_time_factor': median(factors), 'spread': [min(factors), max(factors)],
        'repeats': repeats, 'seconds': SECONDS,
        'hops_us': {hop: median(run['hops_us'][hop] for run in runs) for hop in HOPS},
        'share': {hop: median(run['share'][hop] for run in runs) for hop in HOPS},
    }


def _run(composed: bool) -> dict[str, Any]:
    lines: list[str] = []
    with tempfile.TemporaryDirectory() as folder:
        scenario, out = Path(folder) / 'bench.yaml', Path(folder) / 'out.json'
        scenario.write_text(json.dumps(TROT), encoding='utf-8')
        options = GraphOptions(scenario=str(scenario), real_time_factor=0.0, patient=True,
                               metrics_file=str(out))
        supervisor = Supervisor(list_nodes(options), composed=composed, say=lines.append,
                                environment=private_domain())
        try:
            supervisor.start()
            code = supervisor.wait()
        finally:
            supervisor.stop()
        if code != 0 or not out.is_file():
            raise QuadrupedError('the graph did not run to its end:\n' + '\n'.join(lines[-20:]))
        found: dict[str, Any] = json.loads(out.read_text(encoding='utf-8'))['graph']
        return found
