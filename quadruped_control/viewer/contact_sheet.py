"""A contact sheet: poses of a run side by side, with the time under each."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from quadruped_control.rollout.rollout import Rollout
from quadruped_control.rollout.target_events import follow_ball
from quadruped_control.simulation.camera import Camera
from quadruped_control.viewer.cut import WHOLE, Cut
from quadruped_control.viewer.replay import Replay

CAPTION = 26                # pixels under each picture
TITLE = 34                  # pixels over all
COLUMNS = 4


def write_contact_sheet(path: Path, rollout: Rollout, *, times: list[float] | None = None,
                        cut: Cut = WHOLE, count: int = 12, camera: Camera | None = None) -> None:
    """
    Write a PNG with pictures of a run from the side.

    :param times: s, the moments to show; evenly over the cut if not given.
    """
    recording = rollout.recording
    end = min(cut.end, (len(recording) - 1) * recording.time_step)
    moments = np.linspace(cut.begin, end, count) if times is None else np.array(times)
    steps = np.clip(np.round(moments / recording.time_step).astype(int), 0, len(recording) - 1)
    ball = follow_ball(recording, rollout.scenario)
    with Replay(rollout.robot, rollout.ground, recording, camera, ball) as replay:
        tiles = [_caption(replay.picture(step), recording.time[step]) for step in steps]
    _arrange(tiles, rollout.scenario.name).save(path)


def _caption(picture: np.ndarray, time: float) -> Image.Image:
    image = Image.fromarray(picture)
    tile = Image.new('RGB', (image.width, image.height + CAPTION), 'white')
    tile.paste(image, (0, 0))
    _write(tile, (image.width // 2, image.height + CAPTION // 2), f't = {time:.2f} s', 16)
    return tile


def _write(image: Image.Image, place: tuple[int, int], text: str, size: int) -> None:
    ImageDraw.Draw(image).text(place, text, fill='black', anchor='mm',
                               font=ImageFont.load_default(size))


def _arrange(tiles: list[Image.Image], title: str) -> Image.Image:
    columns = min(COLUMNS, len(tiles))
    rows = -(-len(tiles) // columns)
    width, height = tiles[0].size
    sheet = Image.new('RGB', (columns * width, rows * height + TITLE), 'white')
    _write(sheet, (sheet.width // 2, TITLE // 2), title, 20)
    for n, tile in enumerate(tiles):
        sheet.paste(tile, (n % columns * width, TITLE + n // columns * height))
    return sheet
