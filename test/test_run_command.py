"""The commands that simulate: exit codes, files and words, as the contract of scenarios says."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import imageio.v2 as imageio
import numpy as np
import pytest
from PIL import Image
from ros_processes import choose_domain, name_domain
from rosbags.highlevel import AnyReader

from quadruped_control.command_line.main import main
from quadruped_control.expectation import METRIC_NAMES

SHORT: dict[str, Any] = {'name': 'short', 'duration': 0.2}
BENCH_KEYS = {'bare_step_us', 'read_us', 'control_us', 'write_us', 'loop_us', 'ratio',
              'real_time_factor', 'mujoco_step_us'}


@pytest.fixture(autouse=True)
def _inside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Run in an empty folder, so that nothing is written elsewhere unseen; in a ROS domain too."""
    monkeypatch.chdir(tmp_path)
    for name, value in name_domain(choose_domain()).items():
        monkeypatch.setenv(name, value)
    yield


def write(path: str, **keys: Any) -> str:
    Path(path).write_text(json.dumps({**SHORT, **keys}), encoding='utf-8')
    return path


def refuse(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    """Run a command that must be refused with exit code 2; return its one sentence."""
    assert main(words) == 2
    captured = capsys.readouterr()
    message = captured.err.strip()
    assert '\n' not in message and 'Traceback' not in message
    return message


def test_run_that_meets_its_expectations(capsys: pytest.CaptureFixture[str]) -> None:
    path = write('good.yaml', expect={'fell': False, 'peak_torque': [0, 100]})
    assert main(['run', path, '--json', 'out.json']) == 0
    said = capsys.readouterr().out
    assert said.startswith('short: did not fall in 0.2 s')
    metrics = json.loads(Path('out.json').read_text(encoding='utf-8'))
    assert set(metrics) == {'scenario', *METRIC_NAMES}
    assert metrics['state_hash'] in said
    assert metrics['fell'] is False and metrics['real_time_factor'] > 0


def test_run_that_does_not(capsys: pytest.CaptureFixture[str]) -> None:
    path = write('bad.yaml', expect={'fell': True, 'slip': [0, 1], 'height.front.mean': [1, 2]})
    assert main(['run', path, '--json', 'out.json']) == 1
    said = capsys.readouterr().out
    assert said.count('EXPECTED OTHERWISE') == 2
    assert 'fell is False, expected True' in said
    assert 'height.front.mean is 0.4' in said and 'expected from 1 to 2' in said
    assert isinstance(json.loads(Path('out.json').read_text(encoding='utf-8')), dict)


@pytest.mark.timeout(240)
def test_several_files_run_at_once_and_make_a_list(capsys: pytest.CaptureFixture[str]) -> None:
    paths = [write('b.yaml', name='bee', duration=0.3, expect={'fell': True}),
             write('a.yaml', name='ant'), write('c.yaml', name='cat', duration=0.1)]
    assert main(['run', *paths, '--json', 'out.json', '--sheet', 'sheet.png']) == 1
    said = capsys.readouterr().out
    assert '2 of 3 scenarios hold' in said
    metrics = json.loads(Path('out.json').read_text(encoding='utf-8'))
    assert [item['scenario'] for item in metrics] == paths      # in the order given
    assert [said.index(name) for name in ('bee', 'ant', 'cat')] == sorted(
        said.index(name) for name in ('bee', 'ant', 'cat'))
    for stem in 'abc':
        assert Path(f'sheet-{stem}.png').is_file()


def test_files_of_the_same_name_do_not_overwrite_each_other() -> None:
    for folder in ('one', 'two'):
        Path(folder).mkdir()
    paths = [write('one/x.yaml', duration=0.05), write('two/x.yaml', duration=0.05)]
    assert main(['run', *paths, '--record', 'bag.mcap']) == 0
    assert sorted(path.name for path in Path().glob('*.mcap')) == ['bag-x-1.mcap', 'bag-x-2.mcap']


def test_seed_on_the_command_line_takes_the_place_of_the_files() -> None:
    rough = [{'kind': 'rough', 'x': [-1, 2], 'y': [-1, 1], 'amplitude': 0.05, 'cell': 0.2}]
    path, hashes = write('rough.yaml', seed=1, duration=0.05, terrain=rough), []
    for words in ([], ['--seed', '1'], ['--seed', '2']):
        assert main(['run', path, '--json', 'out.json', *words]) == 0
        hashes.append(json.loads(Path('out.json').read_text(encoding='utf-8'))['state_hash'])
    assert hashes[0] == hashes[1] != hashes[2]


def test_gait_that_does_not_exist_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    path = write('hop.yaml', commands=[{'t': 0, 'gait': 'hop'}])
    message = refuse(capsys, 'run', path)
    for part in (path, 'commands[0].gait', "'hop'", 'accepted:', 'walk'):
        assert part in message


def test_skill_that_does_not_exist_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    path = write('roll.yaml', commands=[{'t': 0, 'skill': 'roll_over'}])
    message = refuse(capsys, 'run', path)
    for part in (path, 'commands[0].skill', "'roll_over'", 'accepted:', 'stand'):
        assert part in message


def test_one_bad_file_of_many_is_refused_before_any_runs(
        capsys: pytest.CaptureFixture[str]) -> None:
    good, bad = write('good.yaml', duration=3000.0), write('bad.yaml', duration=-1)
    message = refuse(capsys, 'run', good, bad)
    assert 'bad.yaml' in message and 'duration' in message


@pytest.mark.parametrize(
    ('words', 'part'),
    [
        (['--json', 'none/out.json'], 'a folder that exists'),
        (['--sheet', 'none/out.png'], 'a folder that exists'),
        (['--video', 'none/out.mp4'], 'a folder that exists'),
        (['--record', 'none/out.mcap'], 'a folder that exists'),
        (['--json', '.'], 'a file, not a folder'),
        (['--sheet', '/'], 'a file, not a folder'),
        (['--sheet', 'out.jpg'], '.png'),
        (['--gait-graph', 'none/out.png'], 'a folder that exists'),
        (['--gait-graph', 'out.pdf'], '.png'),
        (['--video', 'out.avi'], '.mp4 or .gif'),
        (['--record', 'short.yaml'], 'does not exist yet'),
        (['--from', '3000.0'], 'before the end'),
        (['--until', '0.0'], 'after --from'),
        (['--slower', '0.0'], 'from 0.1 to 100'),
    ],
)
def test_output_that_cannot_be_written_is_refused_first(
        capsys: pytest.CaptureFixture[str], words: list[str], part: str) -> None:
    path = write('short.yaml', duration=3000.0)         # which nobody would wait for
    message = refuse(capsys, 'run', path, *words)
    assert words[1] in message and part in message


def test_record_is_read_by_ros_tools() -> None:
    path = write('short.yaml')
    assert main(['run', path, '--record', 'bag.mcap']) == 0
    with AnyReader([Path('bag.mcap')]) as reader:
        topics = {connection.topic: connection.msgcount for connection in reader.connections}
        assert topics['/joint_states'] == 200
        connection = next(c for c in reader.connections if c.topic == '/joint_states')
        first = next(iter(reader.messages([connection])))
        message = reader.deserialize(first[2], connection.msgtype)
    assert len(message.name) == 67 and np.isfinite(message.position).all()


@pytest.mark.timeout(180)
def test_sheet_shows_the_whole_dog() -> None:
    """12 pictures of 480 x 320 with captions: a brown and black dog clear of all borders."""
    path = write('short.yaml')
    assert main(['run', path, '--sheet', 'sheet.png']) == 0
    sheet = np.asarray(Image.open('sheet.png').convert('RGB')).astype(int)
    assert sheet.shape == (34 + 3 * (320 + 26), 4 * 480, 3)
    for row in range(3):
        for column in range(4):
            top = 34 + row * 346
            tile = sheet[top:top + 320, column * 480:(column + 1) * 480]
            assert_shows_a_dog(tile)
            caption = sheet[top + 320:top + 346, column * 480:(column + 1) * 480]
            assert (caption < 100).any() and (caption > 250).mean() > 0.9
    assert main(['run', path, '--sheet', 'cut.png', '--from', '0.1']) == 0
    cut = np.asarray(Image.open('cut.png').convert('RGB')).astype(int)
    first, last = (slice(354, 380), slice(0, 480)), (slice(-26, None), slice(-480, None))
    assert (cut[first] != sheet[first]).any()               # the times in the captions
    assert (cut[last] == sheet[last]).all()


def test_gait_graph_is_written_and_named(capsys: pytest.CaptureFixture[str]) -> None:
    path = write('short.yaml')
    assert main(['run', path, '--gait-graph', 'graph.png']) == 0
    assert 'wrote graph.png' in capsys.readouterr().out
    assert Image.open('graph.png').format == 'PNG'


def assert_shows_a_dog(picture: np.ndarray) -> None:
    red, green, blue = np.moveaxis(picture.astype(int), -1, 0)
    brown = (red > blue + 30) & (red > green + 10)
    black = picture.max(axis=-1) < 60
    dog = brown | black
    assert 0.05 < dog.mean() < 0.4 and brown.mean() > 0.02 and black.mean() > 0.01
    rows, columns = np.flatnonzero(dog.any(axis=1)), np.flatnonzero(dog.any(axis=0))
    height, width = dog.shape
    assert rows[0] > 5 and rows[-1] < height - 5
    assert columns[0] > 5 and columns[-1] < width - 5
    assert columns[-1] - columns[0] > rows[-1] - rows[0] > height / 3   # longer than high
    ground = np.ptp(picture[-20:].reshape(-1, 3), axis=0)
    assert (ground > 10).any()                      # the ground has a pattern


@pytest.mark.timeout(180)
@pytest.mark.parametrize('name', ['dog.mp4', 'dog.gif'])
def test_video_plays_in_the_time_that_was_simulated(name: str) -> None:
    path = write('short.yaml', duration=0.4)
    assert main(['run', path, '--video', name]) == 0
    frames = imageio.mimread(name, memtest=False)
    assert len(frames) == 10                        # 25 a second
    for frame in (frames[0], frames[-1]):
        assert frame.shape[:2] == (320, 480)
        assert_shows_a_dog(np.asarray(frame)[..., :3])


@pytest.mark.timeout(180)
def test_video_of_a_part_is_as_long_as_that_part_times_its_slowness() -> None:
    path = write('short.yaml', duration=0.4)
    assert main(['run', path, '--video', 'part.gif', '--from', '0.1', '--until', '0.3',
                 '--slower', '2']) == 0
    assert len(imageio.mimread('part.gif', memtest=False)) == 10


@pytest.mark.timeout(180)
def test_demo_ends_by_itself_and_says_where_the_pictures_are(
        capsys: pytest.CaptureFixture[str]) -> None:
    assert main(['demo', '--seconds', '1', '--no-video']) == 0
    said = capsys.readouterr().out
    sheet = Path('out/demo.png').resolve()
    assert str(sheet) in said and sheet.is_file()
    assert 'did not fall in 1 s' in said
    assert not Path('out/demo.mp4').exists()


@pytest.mark.timeout(180)
def test_demo_without_ros_says_so_and_runs(capsys: pytest.CaptureFixture[str],
                                           monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr('quadruped_control.command_line.demo.has_ros', lambda: False)
    assert main(['demo', '--seconds', '0.5', '--no-video']) == 0
    said = capsys.readouterr().out
    assert said.count('rclpy cannot be imported') == 1
    assert 'did not fall in 0.5 s' in said and Path('out/demo.png').is_file()


@pytest.mark.parametrize('words', [['--seconds', '0'], ['--seconds', 'nan'], ['--seconds', 'x'],
                                   ['--seconds', '100000.0'], ['--out', 'file']])
def test_demo_refuses_what_it_cannot_do(capsys: pytest.CaptureFixture[str],
                                        words: list[str]) -> None:
    Path('file').touch()
    assert main(['demo', *words]) == 2
    message = capsys.readouterr().err
    assert words[0] in message and words[1] in message and 'Traceback' not in message


@pytest.mark.timeout(240)
def test_bench_writes_the_figures_that_were_agreed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(['bench', '--repeats', '3', '--json', 'bench.json']) == 0
    assert 'whole loop' in capsys.readouterr().out
    bench = json.loads(Path('bench.json').read_text(encoding='utf-8'))
    assert set(bench) == {'stand', 'trot', 'gallop', 'force_distribution', 'tuning'}
    for solver in bench.pop('force_distribution').values():
        assert 0.0 < solver['median_us'] <= solver['p99_us'] and solver['unsolved'] == 0
    tuning = bench['tuning']['tuning_sim_s_per_wall_s']
    assert tuning['one_process'] > 0 and tuning['all_cores'] > 0
    assert set(bench['trot']) == set(bench['stand'])
    stand = bench['stand']
    assert set(stand) == {*BENCH_KEYS, 'repeats', 'spread'}
    figures = {key: stand[key] for key in BENCH_KEYS if stand[key] is not None}
    assert all(value > 0 for value in figures.values())
    spread = stand['spread']
    for key, (least, most) in spread.items():
        assert least <= stand[key] <= most
    (least, most), (shortest, longest) = spread['loop_us'], spread['bare_step_us']
    assert 0.999 * least / longest <= stand['ratio'] <= 1.001 * most / shortest
    assert 0.999 / most <= 1e-3 * stand['real_time_factor'] <= 1.001 / least


@pytest.mark.parametrize('words', [['--repeats', '2'], ['--repeats', 'many'],
                                   ['--json', 'none/bench.json']])
def test_bench_refuses_what_it_cannot_do(capsys: pytest.CaptureFixture[str],
                                         words: list[str]) -> None:
    assert main(['bench', *words]) == 2
    assert words[1] in capsys.readouterr().err


@pytest.mark.timeout(180)
def test_run_as_a_program(tmp_path: Path) -> None:
    """Exit codes and streams of the real process: words on stdout, errors on stderr."""
    command = [sys.executable, '-m', 'quadruped_control.command_line', 'run']
    good = write('good.yaml', expect={'fell': False})
    bad = write('bad.yaml', expect={'fell': True})
    for path, code in ((good, 0), (bad, 1), ('none.yaml', 2)):
        done = subprocess.run([*command, path], capture_output=True, text=True, cwd=tmp_path)
        assert done.returncode == code, done.stderr
        assert 'Traceback' not in done.stderr
        assert ('none.yaml' in done.stderr) == (code == 2)
        assert bool(done.stdout) == (code != 2)
        assert 'pybullet build' not in done.stdout + done.stderr
