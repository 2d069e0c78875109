"""A tuning session: a search that saves what it has after every batch and can be resumed."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quadruped_control.errors import InputError
from quadruped_control.tuning.evaluation import evaluate
from quadruped_control.tuning.objective import Weights, compute_roughness
from quadruped_control.tuning.parameters import Detail, Parameters
from quadruped_control.tuning.search import CmaSearch, GreedySearch
from quadruped_control.tuning.task import Task

Array = NDArray[np.float64]
SEEDS_APART = 1000
Report = Callable[[int, float], None]


@dataclass(frozen=True)
class Setup:
    """All that a session's result depends on."""

    gait: str
    task: Task
    method: str
    seed: int
    seeds: tuple[int, ...]
    weights: Weights
    detail: Detail = Detail.FINE

    def describe(self) -> dict[str, Any]:
        """Return plain data, to tell whether a saved session is the same."""
        text = json.dumps(asdict(self), default=lambda schema: schema.model_dump(mode='json'))
        plain: dict[str, Any] = json.loads(text)
        return plain


class Session:
    """
    A search and the log of its evaluations.

    Resuming replays the log: the search asks the same questions again and gets the logged
    answers, so that it stands where it stood.

    :param path: of the log; a line of costs for every batch.
    :param between: the numbers that lie between the neighbours over speed, if there are two.
    """

    def __init__(self, setup: Setup, parameters: Parameters, start: Array, path: Path,
                 between: Array | None = None) -> None:
        self.setup, self.parameters, self._start, self._path = setup, parameters, start, path
        rng = np.random.default_rng(setup.seed)
        vector = parameters.extract(start)
        self._between = None if between is None else parameters.extract(between)
        self.search: GreedySearch | CmaSearch = (
            GreedySearch(vector, rng) if setup.method == 'greedy' else CmaSearch(vector, rng))
        self.done = 0
        self._batches = 0

    def begin(self) -> None:
        """Start a new log."""
        header = {'setup': self.setup.describe(), 'parameters': self.parameters.count,
                  'places': self._places(), 'start': self._start.tolist()}
        self._path.write_text(json.dumps(header) + '\n', encoding='utf-8')

    def _places(self) -> list[list[int]]:
        """Return which numbers each parameter of the search sets."""
        return [list(place) for place in self.parameters.places]

    def resume(self) -> None:
        """Replay the log."""
        lines = self._path.read_text(encoding='utf-8').splitlines()
        header = json.loads(lines[0])
        if header['setup'] != self.setup.describe():
            raise InputError(self._path, 'setup', header['setup'],
                             'the setup of the session that is resumed')
        if header.get('places') != self._places():
            raise InputError(self._path, 'parameters', header.get('parameters'),
                             f'the {self.parameters.count} parameters, in their order, that a '
                             'search has now')
        for line in lines[1:]:
            try:
                costs = json.loads(line)
            except json.JSONDecodeError:
                break                   # cut off while it was written
            vectors = self.search.ask()
            self.search.tell(vectors, costs)
            self.done += len(vectors)
            self._batches += 1
        kept = [lines[0], *lines[1:1 + sum(1 for line in lines[1:] if _is_whole(line))]]
        self._path.write_text('\n'.join(kept) + '\n', encoding='utf-8')

    def run(self, budget: int, pool: Executor, report: Report) -> None:
        """Evaluate until the budget is spent."""
        setup = self.setup
        with self._path.open('a', encoding='utf-8') as log:
            while self.done < budget:
                vectors = self.search.ask()
                seeds = self._seeds()
                futures = [pool.submit(evaluate, setup.task, self.numbers(vector), seeds,
                                       setup.weights) for vector in vectors]
                costs: Sequence[float] = [
                    future.result() + self.cost_of_roughness(vector)
                    for vector, future in zip(vectors, futures, strict=True)]
                self.search.tell(vectors, costs)
                self.done += len(vectors)
                self._batches += 1
                log.write(json.dumps(list(costs)) + '\n')
                log.flush()
                report(self.done, self.search.cost)

    def _seeds(self) -> tuple[int, ...]:
        """Return the seeds of this batch: new ones each time where the search can bear it."""
        fresh = 0 if self.setup.method == 'greedy' else SEEDS_APART * self._batches
        return tuple(seed + fresh for seed in self.setup.seeds)

    def cost_of_roughness(self, vector: Array) -> float:
        """Return what it costs that a row lies elsewhere than between its neighbours."""
        return self.setup.weights.roughness * compute_roughness(vector, self._between)

    def numbers(self, vector: Array) -> Array:
        """Return the gait's numbers for a vector of the search."""
        return self.parameters.insert(vector, self._start)


def _is_whole(line: str) -> bool:
    try:
        json.loads(line)
    except json.JSONDecodeError:
        return False
    return True


def load_start(path: Path) -> Array:
    """Return the numbers that a saved session began from."""
    first = path.read_text(encoding='utf-8').splitlines()[0]
    return np.array(json.loads(first)['start'])
