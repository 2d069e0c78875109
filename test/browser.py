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
# Where no graphics card draws, the first picture of the dog takes 15 to 35 s of a free core, since
# its shaders are compiled, and every later one a second: beside others that work, minutes.
PATIENCE = 900.0                # s


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
    """Start Chromium with an empty profile."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        context = playwright.chromium.launch_persistent_context(
            str(folder / 'profile'), executable_path=require_chromium(),
            args=list(FLAGS), viewport=SIZE, headless=True, timeout=1000 * PATIENCE)
        context.set_default_timeout(1000 * PATIENCE)
        context.on('console', lambda message: said.append(message.text))
        context.on('weberror', lambda error: said.append(str(error.error)))
        try:
            yield context
        finally:
            context.close()


def take_picture(page: Any) -> Any:
    """Return what a page shows, as an array of red, green and blue."""
    picture = io.BytesIO(page.screenshot(timeout=1000 * PATIENCE))
    return np.asarray(Image.open(picture).convert('RGB'))


def keep_picture(page: Any) -> Path:
    """Write what a page shows to a file that outlives the test, and return it."""
    file = Path(tempfile.mkdtemp(prefix='page-')) / 'seen.png'
    file.write_bytes(page.screenshot(timeout=1000 * PATIENCE))
    return file


def count_coat(picture: Any) -> int:
    """Return how many pixels in the middle third have the colour of the dog's coat."""
    width = picture.shape[1]
    red, green, blue = (picture[:, width // 3:2 * width // 3, n].astype(int) for n in range(3))
    coat = (red > 90) & (red - green > 25) & (green - blue > 20) & (red - blue < 200)
    return int(coat.sum())
