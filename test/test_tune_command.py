"""./quadruped tune from end to end, in the real engine: better, resumable, the same anywhere."""

from __future__ import annotations

import json
import os
import pty
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from errno import EIO
from pathlib import Path
from threading import Thread

import numpy as np
import pytest
from ros_processes import PATIENCE, wait_until

from quadruped_control.command_line.main import main
from quadruped_control.control.gait import Gait, load_gait
from quadruped_control.control.gait_file import write_gait
from quadruped_control.loading import load

LOG = Path('out/tune-trot-1.jsonl')
ENDLESS = 20_000                # evaluations, which no machine has done when it is interrupted
SHORT = ('--speed', '1', '--detail', 'coarse', '--settle', '1', '--duration', '0.5')

@pytest.fixture(autouse=True)
def _inside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Run in an empty folder, where the log of a search is written."""
    monkeypatch.chdir(tmp_path)
    yield


def spoil() -> str:
    """Write a trot that places its feet badly and hardly gets going; return its file."""
    gait = load_gait('trot')
    bad = {'placement': (0.05, 0.1), 'velocity_gain': (10.0, 100.0)}
    speeds = tuple(at.model_copy(update={name: getattr(at, name).model_copy(update=bad)
                                         for name in ('front', 'rear')}) for at in gait.speeds)
    write_gait(Path('spoilt.yaml'), gait.model_copy(update={'speeds': speeds}), ['spoilt'])
    return 'spoilt.yaml'


def start(*words: str, stderr: int = subprocess.DEVNULL) -> subprocess.Popen[bytes]:
    """Begin a search with one worker in a process of its own, as a terminal would."""
    command = [sys.executable, '-m', 'quadruped_control.command_line', 'tune', 'trot', *SHORT,
               '--search-only', '--workers', '1', *words]
    environment = {**os.environ, 'PYTHONPATH': os.pathsep.join(filter(None, sys.path))}
    return subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=stderr,
                            start_new_session=True)


def batches() -> list[list[float]]:
    """Return the costs that the log has so far."""
    lines = LOG.read_text(encoding='utf-8').splitlines()[1:] if LOG.exists() else []
    return [json.loads(line) for line in lines if line.endswith(']')]


def group_is_gone(group: int) -> bool:
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return True
    return False


@pytest.mark.timeout(240)
def test_a_spoilt_gait_gets_better(capsys: pytest.CaptureFixture[str]) -> None:
    words = ['tune', 'trot', *SHORT, '--file', spoil(), '--budget', '40', '--out', 'tuned.yaml',
             '--workers', '1']
    assert main([*words, '--reference', 'trot_1', '--seed', '3']) == 0
    said = capsys.readouterr().out
    costs = batches()
    assert sum(map(len, costs)) >= 40
    best = min(cost for batch in costs for cost in batch)
    assert best < 0.8 * costs[0][0]
    assert f'best cost {best:.3f}' in said
    assert 'wrote tuned.yaml' in said
    text = Path('tuned.yaml').read_text(encoding='utf-8')
    assert text.startswith('# spoilt\n# ./quadruped tune trot --speed 1 --method greedy')
    for part in ('--seed 3', '--reference trot_1', '--file spoilt.yaml', 'in PyBullet',
                 'objective: 100 distance, 5 speed'):
        assert part in text.splitlines()[1]
    before, after = load('spoilt.yaml', Gait), load('tuned.yaml', Gait)
    assert [at.speed for at in before.speeds] == [at.speed for at in after.speeds]
    assert before.speeds[1] != after.speeds[1] and before.speeds[0] == after.speeds[0]


@pytest.mark.timeout(240)
def test_killed_and_resumed_it_ends_as_on_a_cluster() -> None:
    """A search is the same with one local process, interrupted, as with two dask workers."""
    spoilt = spoil()
    words = ('--file', spoilt, '--budget', '5')
    killed = start(*words)
    wait_until(lambda: len(batches()) >= 1, 'the first costs')
    os.kill(killed.pid, signal.SIGKILL)
    killed.wait()
    assert sum(map(len, batches())) < 5
    wait_until(lambda: group_is_gone(killed.pid), 'the end of its workers')
    resumed = start(*words, '--resume')
    said = resumed.communicate(timeout=PATIENCE)[0].decode()
    assert resumed.returncode == 0
    piecewise = batches()
    assert 'searched 5 gaits' in said

    from distributed import LocalCluster
    with LocalCluster(n_workers=2, threads_per_worker=2, processes=True,
                      dashboard_address=None) as cluster:
        code = main(['tune', 'trot', *SHORT, *words, '--search-only', '--cluster',
                     cluster.scheduler_address])
    assert code == 0
    assert batches() == piecewise
    assert f'best cost {min(np.concatenate(piecewise)):.3f}' in said


def read_all(terminal: int) -> Iterator[int]:
    """Give the bytes of a terminal until its other end is closed."""
    while True:
        try:
            found = os.read(terminal, 65536)
        except OSError as error:
            if error.errno != EIO:              # as Linux says that nobody is there any more
                raise
            return
        if not found:
            return
        yield from found


@pytest.mark.timeout(240)
def test_an_interrupted_search_says_how_to_go_on() -> None:
    terminal, end = pty.openpty()
    process = start('--budget', str(ENDLESS), stderr=end)
    os.close(end)
    seen = ''

    def shows_progress() -> bool:
        nonlocal seen
        seen += os.read(terminal, 65536).decode()
        return re.search(r'best cost \d+\.\d+.*?%.*?\d:\d\d:\d\d.*?\d:\d\d:\d\d', seen) is not None

    wait_until(shows_progress, 'progress')
    os.killpg(process.pid, signal.SIGINT)               # as Ctrl-C does
    reader = Thread(target=lambda: rest.extend(read_all(terminal)))     # a full terminal blocks it
    rest = bytearray()
    reader.start()
    said = process.communicate(timeout=PATIENCE)[0]
    reader.join(PATIENCE)
    seen = rest.decode()
    os.close(terminal)
    assert process.returncode == 130
    done = sum(map(len, batches()))
    line = seen.strip().splitlines()[-1]
    assert f'interrupted after {done} of {ENDLESS} evaluations' in line
    assert 'the same command with --resume goes on' in line
    assert 'Traceback' not in seen and said == b''
    wait_until(lambda: group_is_gone(process.pid), 'the end of its workers')


def test_a_cluster_that_is_not_there_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(['tune', 'trot', '--cluster', 'nonsense://somewhere']) == 2
    assert '--cluster is' in capsys.readouterr().err


def test_forked_evaluations_are_refused_on_a_cluster(capsys: pytest.CaptureFixture[str]) -> None:
    words = ['tune', 'trot', '--engine', 'pybullet', '--cluster', 'tcp://somewhere:1']
    assert main(words) == 2
    assert 'without --engine pybullet' in capsys.readouterr().err


@pytest.mark.parametrize(('words', 'part'), [
    (['trot', '--rounds', '0'], '1 to 100'), (['trot', '--rounds', '1000000000'], '1 to 100'),
    (['trot', '--harder', '11'], '0 to 10'), (['trot_to_canter', '--rounds', '2'], '--rounds')])
def test_pushes_that_cannot_be_are_refused(words: list[str], part: str,
                                           capsys: pytest.CaptureFixture[str]) -> None:
    assert main(['tune', *words]) == 2
    assert part in capsys.readouterr().err


def test_pushes_are_as_many_and_as_hard_as_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr('quadruped_control.command_line.tune._search', lambda *given: None)
    words = ['tune', 'trot', '--speed', '1', '--search-only', '--harder', '0.5', '--rounds', '2']
    assert main(words) == 0
    setup = json.loads(LOG.read_text(encoding='utf-8').splitlines()[0])['setup']
    assert setup['seeds'] == [1, 2]
    assert setup['task']['pushes'] == [[50.0, 0.35], [100.0, 0.1]]
