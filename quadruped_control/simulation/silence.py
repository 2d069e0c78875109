"""Keep a compiled library from writing to the terminal."""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

DESCRIPTORS = (1, 2)


@contextmanager
def silence() -> Iterator[None]:
    """Send what is written to the standard output and error inside the block to nowhere."""
    sys.stdout.flush()
    sys.stderr.flush()
    kept = [os.dup(descriptor) for descriptor in DESCRIPTORS]
    nowhere = os.open(os.devnull, os.O_WRONLY)
    try:
        for descriptor in DESCRIPTORS:
            os.dup2(nowhere, descriptor)
        yield
    finally:
        ctypes.CDLL(None).fflush(None)      # what the library still holds back
        for descriptor, copy in zip(DESCRIPTORS, kept, strict=True):
            os.dup2(copy, descriptor)
            os.close(copy)
        os.close(nowhere)
