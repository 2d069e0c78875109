"""Which scenario the nodes are in: a file's, or an endless one on some terrain."""

from __future__ import annotations

from pathlib import Path

from quadruped_control.control.offers import list_offers
from quadruped_control.errors import InputError
from quadruped_control.loading import validate
from quadruped_control.scenario import (
    Scenario,
    choose_parts,
    find_footprint,
    load_scenario,
    refuse_obstructed_start,
    refuse_unavailable,
)
from quadruped_control.share import share_folder
from quadruped_control.yaml_file import read_yaml

FLAT = 'flat'
# of a terrain's file
KEPT = ('seed', 'robot', 'torque_limit', 'spine', 'controller', 'terrain', 'start')
LONGEST = 3600.0                # s, of a scenario


def choose_scenario(scenario: str = '', terrain: str = FLAT, duration: float = 0.0,
                    robot: str = '', controller: str = '') -> Scenario:
    """
    Return the scenario of a file; or one without commands on a terrain.

    :param terrain: flat, a file (a scenario, or a list of features), or a name in
        config/scenarios.
    :param duration: s; 0 for that of the file, or for no end.
    :param robot: in place of the file's; empty for that one, or the dog.
    :param controller: likewise; empty for that of the file, or the robot's first.
    """
    if scenario:
        found = load_scenario(scenario, robot=robot, controller=controller)
        return found.model_copy(update={'duration': duration}) if duration else found
    data: dict[str, object] = {'name': terrain, 'duration': duration or LONGEST}
    if terrain != FLAT:
        path = find_terrain(terrain)
        content = read_yaml(path)
        if isinstance(content, list):
            data['terrain'] = content
        elif isinstance(content, dict):
            data |= {key: content[key] for key in KEPT if key in content}
        else:
            raise InputError(path, '', content, 'a scenario or a list of terrain features')
        terrain = str(path)
    made = choose_parts(validate(data, Scenario, terrain), terrain, robot, controller)
    refuse_unavailable(made, terrain, list_offers(made.robot, made.controller))
    if made.terrain:                    # flat ground has room, and a robot takes time to load
        refuse_obstructed_start(made, terrain, find_footprint(made.robot))
    return made


def find_terrain(name: str) -> Path:
    """Return the file of a terrain, or raise InputError."""
    folder = share_folder() / 'config' / 'scenarios'
    for path in (Path(name), folder / f'{name}.yaml'):
        if path.is_file():
            return path
    known = ', '.join(sorted(path.stem for path in folder.glob('*.yaml')))
    raise InputError('terrain', '', name, f'a file, {FLAT}, or one of {known}')


def list_terrains(robot: str = '', controller: str = '') -> list[str]:
    """
    Return flat, and the names of the scenarios that have another ground for the same body.

    :param robot: that must find room to start there; empty: the dog.
    :param controller: of it; empty: its first.
    """
    flat = choose_scenario(robot=robot, controller=controller)
    found = [FLAT]
    for path in sorted((share_folder() / 'config' / 'scenarios').glob('*.yaml')):
        try:
            scene = choose_scenario(terrain=path.stem, robot=robot, controller=controller)
        except InputError:              # no room, or a posture that this robot has not
            continue
        if scene.terrain and (scene.robot, scene.spine) == (flat.robot, flat.spine):
            found.append(path.stem)
    return found
