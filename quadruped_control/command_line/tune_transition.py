"""The part of `tune` for the transition from trot to canter."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from concurrent.futures import Executor
from contextlib import AbstractContextManager
from pathlib import Path

import numpy as np

from quadruped_control.command_line.output_files import check_output_file
from quadruped_control.command_line.progress import announce_compilation, show_progress
from quadruped_control.control.gait_file import read_header, write_gait
from quadruped_control.control.transition import (
    TROT_TO_CANTER,
    load_transition,
    transition_file,
)
from quadruped_control.errors import InputError
from quadruped_control.evaluation.pushes import pushes_of
from quadruped_control.model.robot_files import DEFAULT_ROBOT
from quadruped_control.tuning.objective import Weights, scale_weights
from quadruped_control.tuning.session import Session, Setup, load_start
from quadruped_control.tuning.task import Engine, Task, measure_robot
from quadruped_control.tuning.transition_evaluation import (
    TransitionEvaluator,
    flatten_transition,
    make_transition,
    transition_parameters,
)

OpenPool = Callable[[argparse.Namespace], AbstractContextManager[Executor]]
SPEED = 2.7                 # m/s in the end
LIGHTER = 0.5               # share of the trot's pushes of table 1
DURATION = 2.0              # s that a shift is looked at: some cycles of the canter too
UNSEEN = range(20_000, 20_004)      # seeds that no search draws
UNUSED = {'reference': '--reference', 'file': '--file', 'cluster': '--cluster', 'begin': '--from',
          'all_speeds': '--all-speeds', 'steps': '--steps', 'harder': '--harder',
          'rounds': '--rounds'}       # options of gaits alone


def name_robot(robot: str) -> str:
    """Return what the name of a log has of a robot's: nothing for the one that most are of."""
    return '' if robot == DEFAULT_ROBOT else f'{robot}-'


def run_transition(arguments: argparse.Namespace, open_pool: OpenPool) -> int:
    """Search, compare on shifts not searched on, and write the transition if it is better."""
    for name, option in UNUSED.items():
        if getattr(arguments, name):
            raise InputError(option, '', getattr(arguments, name), 'nothing, for a transition')
    out = arguments.out or transition_file(TROT_TO_CANTER, arguments.robot)
    similarity = measure_robot(arguments.robot)
    pace, time = similarity.factor('m/s'), similarity.factor('s')
    check_output_file('--out', out)
    log = Path('out') / f'tune-{name_robot(arguments.robot)}{TROT_TO_CANTER}.jsonl'
    log.parent.mkdir(exist_ok=True)
    pushes = pushes_of('trot', LIGHTER, similarity)
    task = Task(SPEED * pace, pushes, settle=Task.settle * time, duration=DURATION * time,
                robot=arguments.robot, gait=TROT_TO_CANTER, engine=Engine.BULLET)
    setup = Setup(TROT_TO_CANTER, task, arguments.method, arguments.seed, (arguments.seed,),
                  scale_weights(Weights(), similarity))
    resumes = arguments.resume and log.exists()
    start = load_start(log) if resumes else flatten_transition(
        load_transition(TROT_TO_CANTER, arguments.robot))
    session = Session(setup, transition_parameters(similarity), start, log)
    session.resume() if resumes else session.begin()
    announce_compilation()
    with open_pool(arguments) as executor, show_progress() as progress:
        bar = progress.add_task(TROT_TO_CANTER, total=arguments.budget, completed=session.done)
        session.run(arguments.budget, executor, lambda done, cost: progress.update(
            bar, completed=done, description=f'{TROT_TO_CANTER}: best cost {cost:.2f}'))
    print(f'searched {session.done} transitions; best cost {session.search.cost:.3f}')
    return 0 if arguments.search_only else _finish(arguments, out, session, start)


def _finish(arguments: argparse.Namespace, out: Path, session: Session,
            start: np.ndarray) -> int:
    best = session.numbers(session.search.best)
    judge = TransitionEvaluator(session.setup.task)
    before, after = (float(np.mean([judge.cost(numbers, seed, session.setup.weights)
                                    for seed in UNSEEN])) for numbers in (start, best))
    print(f'on {8 * len(UNSEEN)} shifts not searched on: {before:.3f} before, {after:.3f} after')
    if after >= before:
        print('not better there: the file stays as it is')
        return 0
    command = (f'./quadruped tune {TROT_TO_CANTER} --method {arguments.method} --budget '
               f'{arguments.budget} --seed {arguments.seed}')
    if arguments.robot != DEFAULT_ROBOT:
        command += f' --robot {arguments.robot}'
    header = [*(line for line in read_header(transition_file(TROT_TO_CANTER, arguments.robot))
                if command not in line),
              f'{command}: cost {before:.2f} -> {after:.2f} in PyBullet']
    write_gait(out, make_transition(best), header)
    print(f'wrote {out}')
    return 0
