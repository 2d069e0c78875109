"""Controls of the page that give the robot a target: a click on the ground, or a ball."""

from __future__ import annotations

from typing import Any

from viser import Icon

from quadruped_control.page.actions import Actions
from quadruped_control.page.scene import PageScene

GO, WAITS = 'Go to a point', 'Click on the ground'


class PursuitPanel:
    """A button that arms one click, so that the camera stays free otherwise; and a ball."""

    def __init__(self, gui: Any, actions: Actions) -> None:
        self._actions = actions
        self._scene: PageScene | None = None
        with gui.add_folder('Pursue'):
            self._go = gui.add_button(GO, icon=Icon.CURRENT_LOCATION)
            self._go.on_click(lambda _: self._arm())
            ball = gui.add_button('Ball', icon=Icon.BALL_TENNIS,
                                  hint='it rolls away when the robot comes near')
            ball.on_click(lambda _: actions.throw_ball())

    def attach(self, scene: PageScene) -> None:
        """Name the scene that is clicked on."""
        self._scene = scene

    def _arm(self) -> None:
        """Wait for a click, or no longer."""
        if self._scene is None:
            return
        if self._go.label == WAITS:
            self._scene.forget_click()
            self._go.label = GO
            return
        self._go.label = WAITS
        self._scene.await_click(self._take)

    def _take(self, place: tuple[float, float] | None) -> None:
        self._go.label = GO
        if place is not None:
            self._actions.go_to(*place)
