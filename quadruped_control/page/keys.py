"""Driving by the keys of a page."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

# names of viser's keys, and what teleop calls them
DRIVING = {
    'W': 'w', 'A': 'a', 'S': 's', 'D': 'd', 'Q': 'q', 'E': 'e', 'arrowup': 'up',
    'arrowdown': 'down', 'arrowleft': 'left', 'arrowright': 'right',
}  # fmt: skip
WORDS = {'w': 'forward', 's': 'back', 'a': 'turn left', 'd': 'turn right', 'q': 'go left',
         'e': 'go right', 'up': 'forward', 'down': 'back', 'left': 'turn left',
         'right': 'turn right'}
RELEASE = 'end'                 # the key by which the page tells that one was let go
# A browser repeats only the last key held, and begins late; and viser moves its camera by the
# keys that drive, and knows no release of a key. So keys are caught before, and as long as they
# are held they are given to viser's commands again and again, at an element that the camera does
# not listen to; one that is let go is told by another key.
SCRIPT = """
if (!window.quadrupedKeys) {
  window.quadrupedKeys = true;
  const codes = new Set(['KeyW', 'KeyA', 'KeyS', 'KeyD', 'KeyQ', 'KeyE', 'Space', 'ArrowUp',
                         'ArrowDown', 'ArrowLeft', 'ArrowRight']);
  const held = new Map();
  const isText = (e) => ['INPUT', 'TEXTAREA', 'SELECT'].includes(e.tagName) || e.isContentEditable;
  const give = (code, key) => document.documentElement.dispatchEvent(
      new KeyboardEvent('keydown', {code: code, key: key, bubbles: false}));
  window.addEventListener('keydown', (e) => {
    if (!e.isTrusted || !codes.has(e.code) || isText(e.target)) return;
    if (e.ctrlKey || e.metaKey || e.altKey) return;
    e.stopPropagation();
    e.preventDefault();
    if (held.has(e.code)) return;
    held.set(e.code, e.key);
    give(e.code, e.key);
  }, true);
  const release = () => { give('End', 'End'); held.forEach((key, code) => give(code, key)); };
  window.addEventListener('keyup', (e) => { if (held.delete(e.code)) release(); }, true);
  window.addEventListener('blur', () => { if (held.size) { held.clear(); release(); } });
  setInterval(() => held.forEach((key, code) => give(code, key)), 150);
}
"""


def add_keys(gui: Any, press: Callable[[str], None], others: Mapping[str, tuple[str, Any]]
             ) -> None:
    """
    Let keys drive.

    :param others: further keys of viser, with what they do in words and in deed.
    """
    attribute = SCRIPT.replace('"', '&quot;')
    gui.add_html(f'<img src="data:," style="display:none" onerror="{attribute}">')
    for name, key in DRIVING.items():
        _add(gui, name, WORDS[key], partial(press, key))
    _add(gui, RELEASE, 'let go', lambda: press(' '))
    for name, (words, act) in others.items():
        _add(gui, name, words, act)


def _add(gui: Any, hotkey: str, words: str, act: Callable[[], None]) -> None:
    async def trigger(_: object) -> None:       # in the server's loop: in the order of the keys
        act()

    gui.add_command(words, hotkey=hotkey).on_trigger(trigger)
