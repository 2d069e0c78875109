"""
Tune a gait for a speed by search in the fast engine, and accept the result in PyBullet.

What was searched is in out/tune-GAIT-SPEED.jsonl (with -rigid for the rigid spine, and the name
of a robot that is not the dog): a
search that was interrupted or killed goes on with --resume. The workers of --cluster need this
version of the package (pip install -e .[tune]) and are best started by
`dask worker ADDRESS --nworkers CORES --nthreads 1`.
"""

from __future__ import annotations

import argparse
import os
import shlex
import sys
from concurrent.futures import Executor
from contextlib import AbstractContextManager
from dataclasses import asdict, replace
from math import floor
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from quadruped_control.command_line.output_files import check_output_file
from quadruped_control.command_line.progress import announce_compilation, show_progress
from quadruped_control.command_line.tune_transition import name_robot, run_transition
from quadruped_control.control.gait import (
    Gait,
    GaitTable,
    available_gaits,
    flatten,
    gaits_folder,
)
from quadruped_control.control.gait_file import (
    read_header,
    replace_speed,
    unflatten,
    write_gait,
)
from quadruped_control.control.gait_schema import GaitAtSpeed
from quadruped_control.control.ladder import load_ladder
from quadruped_control.control.transition import TROT_TO_CANTER
from quadruped_control.errors import InputError
from quadruped_control.evaluation.pushes import pushes_of
from quadruped_control.loading import load
from quadruped_control.model.robot_files import DEFAULT_ROBOT, Spine, refuse_unknown_robot
from quadruped_control.model.robot_loading import load_robot
from quadruped_control.tuning.acceptance import accept_cost, keep_better
from quadruped_control.tuning.objective import Weights, scale_weights
from quadruped_control.tuning.parameters import (
    Detail,
    Parameters,
    free_parameters,
    period_of,
)
from quadruped_control.tuning.reference import Reference, load_reference
from quadruped_control.tuning.session import Session, Setup, load_start
from quadruped_control.tuning.task import Engine, Task, measure_robot
from quadruped_control.worker_cluster import open_cluster
from quadruped_control.worker_processes import open_pool

EXAMPLE = './quadruped tune canter --from 2.0 --speed 3.5 --budget 400 --engine pybullet'
HIGHEST_STEPS = 0.2         # m, for the dog
HARDER = 1.2                # times the forces of table 1: the pushes that a gait is tuned on
ROUNDS = 1                  # of eight pushes in an evaluation
# what is not given, for the dog; another robot has it by its size
USUAL = {'speed': (1.5, 'm/s'), 'increment': (0.25, 'm/s'), 'settle': (Task.settle, 's'),
         'duration': (Task.duration, 's')}
Numbers = NDArray[np.float64]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument('gait', help='one of the gaits of the robot; or '
                                     f'{TROT_TO_CANTER}, the way from the one to the other')
    parser.add_argument('--robot', default=DEFAULT_ROBOT, metavar='NAME',
                        help='a robot of config/robots (default: %(default)s); for another one '
                             'the defaults below, and pushes, go with its size')
    parser.add_argument('--speed', type=float, help=f'm/s (default: {USUAL["speed"][0]:g})')
    parser.add_argument('--from', dest='begin', type=float, metavar='SPEED',
                        help='climb: tune for this speed first, then for faster ones, each from '
                             'the one before, until --speed (section 4 of the paper)')
    parser.add_argument('--increment', type=float, metavar='M/S',
                        help=f'of a climb (default: {USUAL["increment"][0]:g})')
    parser.add_argument('--reference', metavar='FILE',
                        help='motion to resemble: a file, or a name of config/references')
    parser.add_argument('--method', choices=('greedy', 'cma'), default='greedy')
    parser.add_argument('--detail', choices=[detail.value for detail in Detail],
                        default=Detail.FINE.value,
                        help='move trajectories as a whole, or knot by knot; or only what brings '
                             'a pushed dog back')
    parser.add_argument('--engine', choices=[engine.value for engine in Engine],
                        default=Engine.MUJOCO.value,
                        help='to search in; what MuJoCo finds for fast gaits does not always hold '
                             'in PyBullet, which is four times slower')
    parser.add_argument('--spine', choices=('flexible', 'rigid'), default=Task.spine,
                        help='of the dog that the gait is for (default: %(default)s)')
    parser.add_argument('--steps', type=float, default=Task.steps, metavar='M',
                        help='run over random steps up to so high (needs --engine pybullet); the '
                             'pushes are weak then')
    parser.add_argument('--harder', type=float, metavar='F',
                        help=f'push with F times the forces of table 1 (default: {HARDER})')
    parser.add_argument('--rounds', type=int, metavar='N',
                        help=f'try each gait with N times eight pushes (default: {ROUNDS})')
    parser.add_argument('--all-speeds', action='store_true',
                        help='change the entries of all speeds of the file alike, each where that '
                             'is better in PyBullet too')
    parser.add_argument('--budget', type=int, default=1000,
                        help='evaluations in all (default: %(default)s)')
    parser.add_argument('--settle', type=float, metavar='S',
                        help=f's from a stand to the steady gait (default: {Task.settle:g})')
    parser.add_argument('--duration', type=float, metavar='S',
                        help=f's of each pushed run (default: {Task.duration:g})')
    parser.add_argument('--workers', type=int, default=os.cpu_count(), help='local processes')
    parser.add_argument('--cluster', metavar='ADDRESS',
                        help='scheduler of a dask.distributed cluster to evaluate on')
    parser.add_argument('--resume', action='store_true', help='go on with the saved session')
    parser.add_argument('--search-only', action='store_true',
                        help='do not write a gait yet: the same with --resume does')
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--file', type=Path, help="gait file to tune, instead of the name's")
    parser.add_argument('--out', type=Path, help='gait file to write (default: the same)')


def run(arguments: argparse.Namespace) -> int:
    """Tune a transition, or a gait for a speed or a climb of speeds."""
    refuse_unknown_robot('--robot', '', arguments.robot)
    if arguments.gait == TROT_TO_CANTER:
        return run_transition(arguments, open_executor)
    check_output_file('--out', arguments.out)
    for name in USUAL:
        if getattr(arguments, name) is None:
            setattr(arguments, name, find_usual(name, arguments.robot))
    arguments.harder = HARDER if arguments.harder is None else arguments.harder
    arguments.rounds = ROUNDS if arguments.rounds is None else arguments.rounds
    speeds = list_speeds(arguments.begin, arguments.speed, arguments.increment)
    for number, speed in enumerate(speeds):
        at_speed = argparse.Namespace(**{**vars(arguments), 'speed': speed})
        if number and arguments.out is not None and arguments.out.exists():
            at_speed.file = arguments.out
        tune_speed(at_speed)
    return 0


def find_usual(option: str, robot: str) -> float:
    """Return what an option of USUAL is for a robot."""
    value, unit = USUAL[option]
    return round(value * measure_robot(robot).factor(unit), 3)


def list_speeds(begin: float | None, end: float, increment: float) -> list[float]:
    """Return the speeds (m/s) of a climb, the last one always; only that one without a begin."""
    if begin is None:
        return [end]
    if not 0.0 <= begin <= end:
        raise InputError('--from', '', begin, f'0 to {end:g} m/s, that of --speed')
    if not 0.01 <= increment <= 2.0:
        raise InputError('--increment', '', increment, '0.01 to 2 m/s')
    count = floor((end - begin) / increment + 1e-9)
    speeds = [round(begin + n * increment, 4) for n in range(count + 1)]
    return speeds if abs(speeds[-1] - end) < 1e-3 else [*speeds, end]


def tune_speed(arguments: argparse.Namespace) -> None:
    """Search for one speed, accept, and write the gait file."""
    path = _gait_path(arguments)
    gait = load(path, Gait)
    log = Path('out') / name_log(gait.name, arguments.speed, arguments.spine, arguments.robot)
    log.parent.mkdir(exist_ok=True)
    task = _task(arguments, gait)
    seeds = tuple(range(arguments.seed, arguments.seed + arguments.rounds))
    setup = Setup(gait.name, task, arguments.method, arguments.seed, seeds,
                  scale_weights(Weights(), task.similarity),
                  Detail(arguments.detail))
    start = load_start(log) if _resumes(arguments, log) else GaitTable.of(gait).interpolate(
        arguments.speed)
    symmetric = gait.name not in load_ladder(arguments.robot).fast
    parameters = free_parameters(symmetric=symmetric, detail=setup.detail,
                                 similarity=task.similarity)
    session = Session(setup, parameters, start, log,
                      GaitTable.of(gait).interpolate_neighbours(arguments.speed))
    session.resume() if _resumes(arguments, log) else session.begin()
    try:
        _search(arguments, session)
        if not arguments.search_only:
            _finish(arguments, gait, path, session, start)
    except KeyboardInterrupt:
        print(f'interrupted after {session.done} of {arguments.budget} evaluations, which are in '
              f'{log}; the same command with --resume goes on from there', file=sys.stderr)
        raise


def name_log(gait: str, speed: float, spine: Spine, robot: str = DEFAULT_ROBOT) -> str:
    """Return the name of the file for what was searched."""
    dog = '' if spine == Task.spine else f'-{spine}'
    return f'tune-{name_robot(robot)}{gait}-{speed:g}{dog}.jsonl'


def _task(arguments: argparse.Namespace, gait: Gait) -> Task:
    for option, value, least in (('--settle', arguments.settle, 1.0),
                                 ('--duration', arguments.duration, 0.5)):
        if not least <= value <= 60.0:
            raise InputError(option, '', value, f'{least:g} to 60 s')
    if not 0.0 <= arguments.harder <= 10.0:
        raise InputError('--harder', '', arguments.harder, '0 to 10 times the forces of table 1')
    if not 1 <= arguments.rounds <= 100:
        raise InputError('--rounds', '', arguments.rounds, 'a number from 1 to 100')
    highest = HIGHEST_STEPS * measure_robot(arguments.robot).length
    if not 0.0 <= arguments.steps <= highest:
        raise InputError('--steps', '', arguments.steps, f'0 to {highest:.3g} m')
    if arguments.steps and arguments.engine != Engine.BULLET.value:
        raise InputError('--steps', '', arguments.steps, f'with --engine {Engine.BULLET.value}')
    pushes = pushes_of(gait.name, arguments.harder, measure_robot(arguments.robot))
    return Task(arguments.speed, pushes, settle=arguments.settle, robot=arguments.robot,
                duration=arguments.duration, reference=_reference(arguments, gait),
                gait=gait.name, engine=Engine(arguments.engine), spine=arguments.spine,
                steps=arguments.steps)


def _reference(arguments: argparse.Namespace, gait: Gait) -> Reference | None:
    """Return the motion to resemble; the half of the settling that is judged needs a cycle."""
    if arguments.reference is None:
        return None
    least = round(2.1 * period_of(GaitTable.of(gait).interpolate(arguments.speed)), 2)
    if arguments.settle < least:
        raise InputError('--settle', '', arguments.settle, f'{least:g} s or more, two cycles')
    return load_reference(arguments.reference, load_robot(arguments.robot, arguments.spine))


def _search(arguments: argparse.Namespace, session: Session) -> None:
    announce_compilation()
    title = f'{session.setup.gait} {arguments.speed:g} m/s'
    with open_executor(arguments) as pool, show_progress() as progress:
        bar = progress.add_task(title, total=arguments.budget, completed=session.done)
        session.run(arguments.budget, pool, lambda done, cost: progress.update(
            bar, completed=done, description=f'{title}: best cost {cost:.2f}'))
    print(f'searched {session.done} gaits; best cost {session.search.cost:.3f}')


def _resumes(arguments: argparse.Namespace, log: Path) -> bool:
    return bool(arguments.resume and log.exists())


def _gait_path(arguments: argparse.Namespace) -> Path:
    if arguments.file is not None:
        return Path(arguments.file)
    known = available_gaits(arguments.robot)
    if arguments.gait not in known:
        names = ', '.join([*sorted(known), TROT_TO_CANTER])
        raise InputError('tune', 'gait', arguments.gait, f'one of {names}')
    return gaits_folder(arguments.robot) / f'{arguments.gait}.yaml'


def open_executor(arguments: argparse.Namespace) -> AbstractContextManager[Executor]:
    """Return local processes, or a dask cluster as an executor."""
    if arguments.cluster is not None:
        if arguments.engine == Engine.BULLET.value:
            raise InputError('--cluster', '', arguments.cluster, 'without --engine pybullet, '
                             'whose evaluations are forked from each other on one machine')
        return open_cluster(arguments.cluster)
    return open_pool(arguments.workers)


def _finish(arguments: argparse.Namespace, gait: Gait, path: Path, session: Session,
            start: Numbers) -> None:
    best = session.numbers(session.search.best)
    setup = session.setup
    before, after = (accept_cost(gait.name, numbers, setup.task, setup.weights, arguments.rounds)
                     + session.cost_of_roughness(session.parameters.extract(numbers))
                     for numbers in (start, best))
    print(f'in PyBullet, on pushes not searched on: {before:.3f} before, {after:.3f} after')
    if after >= before:
        print('not better there: the file stays as it is')
        return
    out = arguments.out or path
    header = [line for line in read_header(path) if f'--speed {arguments.speed:g} ' not in line]
    tuned, where = replace_speed(gait, unflatten(best, arguments.speed)), ''
    if arguments.all_speeds:
        tuned, where = accept_speeds(gait, session, start, arguments.rounds)
        if tuned == gait:
            return
    header.append(f'{describe_command(arguments, gait)}: cost {before:.2f} -> {after:.2f} in '
                  f'PyBullet{where}; objective: {describe_objective(setup.weights)}')
    write_gait(out, tuned, header)
    print(f'wrote {out}')


def describe_command(arguments: argparse.Namespace, gait: Gait) -> str:
    """Return the command that makes the result again."""
    words = ['./quadruped', 'tune', gait.name, '--speed', f'{arguments.speed:g}',
             '--method', arguments.method, '--detail', arguments.detail,
             '--budget', str(arguments.budget), '--seed', str(arguments.seed)]
    for option, usual in (('robot', DEFAULT_ROBOT), ('reference', None), ('file', None),
                          ('settle', find_usual('settle', arguments.robot)),
                          ('duration', find_usual('duration', arguments.robot)),
                          ('engine', Engine.MUJOCO.value),
                          ('spine', Task.spine), ('steps', Task.steps), ('harder', HARDER),
                          ('rounds', ROUNDS)):
        value = getattr(arguments, option)
        if value != usual:
            words += [f'--{option}', str(value)]
    return shlex.join([*words, '--all-speeds'] if arguments.all_speeds else words)


def accept_speeds(gait: Gait, session: Session, start: Numbers, rounds: int) -> tuple[Gait, str]:
    """Return a gait changed at those speeds where that is better in PyBullet, and say which."""
    setup = session.setup

    def judge(entry: GaitAtSpeed) -> float:
        task = replace(setup.task, speed=entry.speed, reference=None)   # it is of one speed
        return accept_cost(gait.name, flatten(entry), task, setup.weights, rounds)

    changed = change_speeds(gait, session.parameters, start, session.search.best)
    tuned, better = keep_better(gait, changed, judge)
    speeds = ', '.join(f'{speed:g}' for speed in better) or 'none'
    print(f'better there at the speeds of the file: {speeds}; the others stay as they are')
    return tuned, f', changed at {speeds} m/s'


def change_speeds(gait: Gait, parameters: Parameters, start: Numbers, best: Numbers) -> Gait:
    """
    Return a gait with what a search changed at one speed changed at all speeds alike.

    :param start: the numbers that the search began from.
    :param best: its vector.
    """
    change = best - parameters.extract(start)
    for at in gait.speeds:
        numbers = flatten(at)
        vector = np.clip(parameters.extract(numbers) + change, 0.0, 1.0)
        gait = replace_speed(gait, unflatten(parameters.insert(vector, numbers), at.speed))
    return gait


def describe_objective(weights: Weights) -> str:
    """Return the weights of the terms in a line."""
    return ', '.join(f'{value:.3g} {name}' for name, value in asdict(weights).items())
