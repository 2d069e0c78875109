"""What of the scene is shown, and from where."""

from __future__ import annotations

from typing import Any

from quadruped_control.page.handles import by_hand
from quadruped_control.page.scene import FOLLOWING, VIEWS, PageScene

# namespaces of /markers in words, and whether they are shown at first
LAYERS = {
    'leg_frames': ('Leg frames', True), 'foot_placements': ('Foot placements', True),
    'virtual_forces': ('Virtual forces', False), 'contact_forces': ('Contact forces', True),
    'planned_leaps': ('Planned leaps', True), 'target': ('Target', True), 'ball': ('Ball', True),
    'gait_state': ('Gait in words', False),
}  # fmt: skip


class ShowPanel:
    """Switches of all layers; a namespace that nobody knew of gets one when it first comes."""

    def __init__(self, gui: Any) -> None:
        self._gui = gui
        self._scene: PageScene | None = None
        self._folder = gui.add_folder('Show')
        self._switches: dict[str, Any] = {}
        for namespace, (label, is_shown) in LAYERS.items():
            self._add_switch(namespace, label, is_shown)
        with self._folder:
            self._prints = gui.add_checkbox('Footprints', True)
            self._shadows = gui.add_checkbox('Shadows', True, hint='faster without')
        self._prints.on_update(lambda _: self._switch_footprints())
        self._shadows.on_update(lambda _: self._switch_shadows())
        with gui.add_folder('Camera'):
            self._follow = gui.add_dropdown('Camera', FOLLOWING, initial_value=FOLLOWING[0],
                                            hint='what it does when the dog moves')
            views = gui.add_button_group('From', list(VIEWS))
        self._follow.on_update(lambda _: self._follow_as_chosen())
        views.on_click(by_hand(lambda event: self._look(event.client.camera, views.value)))

    def attach(self, scene: PageScene) -> None:
        """Name the scene that the switches are of."""
        self._scene = scene

    def is_shown(self, namespace: str) -> bool:
        """Say whether to draw a namespace."""
        if namespace not in self._switches:
            self._add_switch(namespace, namespace.replace('_', ' ').capitalize(), True)
        return bool(self._switches[namespace].value)

    def _add_switch(self, namespace: str, label: str, is_shown: bool) -> None:
        with self._folder:
            switch = self._gui.add_checkbox(label, is_shown)
        switch.on_update(lambda _: self._switch_layers())
        self._switches[namespace] = switch

    def _switch_layers(self) -> None:
        if self._scene is not None:
            self._scene.switch_layers()

    def _switch_footprints(self) -> None:
        if self._scene is not None:
            self._scene.footprints.switch(self._prints.value)

    def _switch_shadows(self) -> None:
        if self._scene is not None:
            self._scene.switch_shadows(self._shadows.value)

    def _look(self, camera: Any, view: str) -> None:
        if self._scene is not None:
            self._scene.look_from(camera, view)

    def _follow_as_chosen(self) -> None:
        if self._scene is not None:
            self._scene.following = self._follow.value
