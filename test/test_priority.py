"""On a machine of two cores the nodes of a graph share one of them."""

from __future__ import annotations

import subprocess
import sys

import pytest

from quadruped_control.priority import find_home, list_cores

TELL_CORES = """
import os, threading
from quadruped_control import priority
priority.list_cores = lambda: {cores}
asleep = threading.Event()
threading.Thread(target=asleep.wait, daemon=True).start()
priority.stay_together()
print(*sorted({{core for thread in os.listdir('/proc/self/task')
              for core in os.sched_getaffinity(int(thread))}}))
"""
needs_two = pytest.mark.skipif(len(list_cores()) < 2, reason='this machine has one core')


def tell_cores(cores: list[int]) -> list[int]:
    """Return where all threads of a node's process may run on a machine of some cores."""
    words = subprocess.run([sys.executable, '-c', TELL_CORES.format(cores=cores)],
                           check=True, capture_output=True, text=True,
                           env={'ROS_DOMAIN_ID': '3', 'PATH': ''}).stdout
    return [int(word) for word in words.split()]


@needs_two
def test_all_threads_of_a_node_stay_on_one_core_of_two() -> None:
    pair = list_cores()[:2]
    assert tell_cores(pair) == [pair[1]]                # of domain 3


@pytest.mark.parametrize('cores', [[0], [0, 1, 2]])
def test_one_core_or_many_are_left_to_linux(cores: list[int]) -> None:
    assert tell_cores(cores) == list_cores()


def test_graphs_of_neighbouring_domains_have_different_cores(monkeypatch: pytest.MonkeyPatch
                                                             ) -> None:
    homes = []
    for domain in ('', '0', '1', '2'):
        monkeypatch.setenv('ROS_DOMAIN_ID', domain)
        homes.append(find_home([4, 6]))
    assert homes == [4, 4, 6, 4]
