"""A real browser for tests: Chromium without a window, on a machine without a graphics card."""

from __future__ import annotations

import io
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

FLAGS = (
    '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run',
    '--disable-background-networking', '--disable-component-update', '--disable-sync',
    '--use-gl=angle', '--use-angle=swiftshader', '--enable-unsafe-swiftshader',
)  # fmt: skip
NAMES = ('chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable')
SIZE = {'width': 1100, 'height': 640}
# Drawing by the processor does not hold the dog up; and beside others that work it goes on, too:
# at 15 it had a fiftieth of a busy machine, and no dog was drawn within 300 s.
NICE = 5
PATIENCE = 120_000.0            # ms


def find_chromium() -> str | None:
    """Return where Chromium is; CHROMIUM names it where it has another name."""
    named = os.environ.get('CHROMIUM')
    return named or next(filter(None, map(shutil.which, NAMES)), None)


def require_chromium() -> str:
    """Return where Chromium is, or skip the test and say why."""
    pytest.importorskip('viser', reason='viser is not installed: no page')
    pytest.importorskip('playwright', reason='playwright is not installed: the page is not '
                                             'tested in a browser')
    path = find_chromium()
    if path is None:
        pytest.skip('Chromium is not installed (Debian: apt-get install chromium): the page is '
                    'not tested in a browser')
    return path


said: list[str] = []            # by the pages of this process, for a test that fails


@contextmanager
def open_browser(folder: Path) -> Iterator[Any]:
    """Start Chromium with an empty profile, at a low priority."""
    from playwright.sync_api import sync_playwright

    program = folder / 'chromium'
    program.write_text(f'#!/bin/sh\nexec nice -n {NICE} {require_chromium()} "$@"\n')
    program.chmod(0o755)
    with sync_playwright() as playwright:
        context = playwright.chromium.launch_persistent_context(
            str(folder / 'profile'), executable_path=str(program), args=list(FLAGS),
            viewport=SIZE, headless=True, timeout=PATIENCE)
        context.set_default_timeout(PATIENCE)
        context.on('console', lambda message: said.append(message.text))
        context.on('weberror', lambda error: said.append(str(error.error)))
        try:
            yield context
        finally:
            context.close()


def take_picture(page: Any) -> Any:
    """Return what a page shows, as an array of red, green and blue."""
    return np.asarray(Image.open(io.BytesIO(page.screenshot(timeout=PATIENCE))).convert('RGB'))


def keep_picture(page: Any) -> Path:
    """Write what a page shows to a file that outlives the test, and return it."""
    file = Path(tempfile.mkdtemp(prefix='page-')) / 'seen.png'
    file.write_bytes(page.screenshot(timeout=PATIENCE))
    return file


def count_coat(picture: Any) -> int:
    """Return how many pixels in the middle third have the colour of the dog's coat."""
    width = picture.shape[1]
    red, green, blue = (picture[:, width // 3:2 * width // 3, n].astype(int) for n in range(3))
    coat = (red > 90) & (red - green > 25) & (green - blue > 20) & (red - blue < 200)
    return int(coat.sum())
