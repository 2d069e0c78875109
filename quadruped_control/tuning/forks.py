"""
Computations in a copy of this process, from which it comes back as it was.

PyBullet cannot go back to a snapshot, but a process can be forked.
"""

from __future__ import annotations

import json
import os
import sys
import traceback
from collections.abc import Callable
from typing import TypeVar, cast

Answer = TypeVar('Answer')


def compute_in_fork(compute: Callable[[], Answer]) -> Answer:
    """Return what a function computes in a copy of this process; it is told as JSON."""
    source, sink = os.pipe()
    child = os.fork()
    if child == 0:
        _answer_and_end(compute, sink)
    os.close(sink)
    with os.fdopen(source, encoding='utf-8') as stream:
        answer = stream.read()
    os.waitpid(child, 0)
    if not answer:
        raise RuntimeError('an evaluation in PyBullet ended without an answer')
    return cast('Answer', json.loads(answer))


def _answer_and_end(compute: Callable[[], Answer], sink: int) -> None:
    """Write the answer and end this process; without one it has told why."""
    code = 1
    try:
        os.write(sink, json.dumps(compute()).encode())
        code = 0
    except Exception:
        traceback.print_exc()
    finally:
        sys.stderr.flush()
        os._exit(code)
