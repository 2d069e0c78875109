"""On a machine of two cores what draws is not where the dog is computed."""

from __future__ import annotations

import subprocess
import sys

import pytest

from quadruped_control.priority import find_home, list_cores

TELL_CORES = """
import os, threading
from quadruped_control import priority
if {few} is not None:
    priority.list_cores = lambda: {few}
asleep = threading.Event()
threading.Thread(target=asleep.wait, daemon=True).start()
priority.{act}()
print(*sorted({{core for thread in os.listdir('/proc/self/task')
              for core in os.sched_getaffinity(int(thread))}}))
"""
needs_two = pytest.mark.skipif(len(list_cores()) < 2, reason='this machine has one core')


def tell_cores(act: str, cores: list[int] | None) -> list[int]:
    """Return where all threads of a process may run after it asked for something."""
    words = subprocess.run([sys.executable, '-c', TELL_CORES.format(act=act, few=cores)],
                           check=True, capture_output=True, text=True,
                           env={'ROS_DOMAIN_ID': '3', 'PATH': ''}).stdout
    return [int(word) for word in words.split()]


@needs_two
def test_a_graph_and_what_draws_share_no_core_of_two() -> None:
    pair = list_cores()[:2]
    assert tell_cores('stay_together', pair) == [pair[1]]       # of domain 3
    assert tell_cores('give_way', pair) == [pair[0]]


@pytest.mark.parametrize('cores', [[0], [0, 1, 2]])
@pytest.mark.parametrize('act', ['stay_together', 'give_way'])
def test_one_core_or_many_are_left_to_linux(act: str, cores: list[int]) -> None:
    assert tell_cores(act, cores) == list_cores()


def test_graphs_of_neighbouring_domains_have_different_cores(monkeypatch: pytest.MonkeyPatch
                                                             ) -> None:
    homes = []
    for domain in ('', '0', '1', '2'):
        monkeypatch.setenv('ROS_DOMAIN_ID', domain)
        homes.append(find_home([4, 6]))
    assert homes == [4, 4, 6, 4]
