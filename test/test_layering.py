"""
The layers of the package: a module imports from its own layer and from lower ones only.

library <- simulation <- rollout <- tuning, viewer, page <- nodes <- command_line
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

PACKAGE = 'quadruped_control'
FOLDER = Path(__file__).resolve().parents[1] / PACKAGE

LIBRARY = {
    '', 'compiled', 'control', 'errors', 'expectation', 'explanation', 'kinematics', 'loading',
    'model', 'priority', 'scenario', 'share', 'terrain', 'worker_cluster', 'worker_processes',
    'yaml_file',
}  # fmt: skip
LEAPS = {'leaps', 'control', 'errors', 'loading', 'model', 'share'}    # they are told the terrain
LOWER = {*LIBRARY, 'leaps', 'simulation', 'rollout'}
UPPER = {'tuning', 'evaluation', 'viewer', 'page', 'nodes', 'command_line'}

# what each part (a module or folder of the package; '' is its __init__) may import from
ALLOWED: dict[str, set[str]] = {
    **dict.fromkeys(LIBRARY, LIBRARY),
    'leaps': LEAPS,
    'simulation': {*LIBRARY, 'simulation'},
    'rollout': LOWER,
    'tuning': {*LOWER, 'tuning'},
    'evaluation': {*LOWER, 'evaluation'},
    'viewer': {*LOWER, 'viewer'},
    'page': {*LOWER, 'page'},
    'nodes': {*LOWER, 'nodes', 'page'},
    'command_line': {*LOWER, *UPPER},
}

BULLET = {'pybullet', 'pybullet_data', 'pybullet_utils'}
BULLET_MODULE = 'simulation.bullet'      # loads its library, without importing it
ROS = {
    'action_msgs', 'builtin_interfaces', 'diagnostic_msgs', 'geometry_msgs', 'launch',
    'launch_ros', 'nav_msgs', 'rcl_interfaces', 'rclpy', 'rosgraph_msgs', 'sensor_msgs',
    'std_msgs', 'std_srvs', 'tf2_msgs', 'tf2_ros', 'trajectory_msgs', 'visualization_msgs',
}  # fmt: skip
ROS_PART = 'nodes'


class Module(NamedTuple):
    """A module by its name inside the package ('' for the package itself) and its source."""

    name: str
    is_package: bool
    source: str

    @property
    def part(self) -> str:
        return self.name.split('.')[0]


def list_modules() -> list[Module]:
    modules = []
    for path in sorted(FOLDER.rglob('*.py')):
        names = path.relative_to(FOLDER).with_suffix('').parts
        is_package = names[-1] == '__init__'
        name = '.'.join(names[:-1] if is_package else names)
        modules.append(Module(name, is_package, path.read_text(encoding='utf-8')))
    return modules


def find_imports(module: Module) -> Iterator[tuple[int, str]]:
    """Give line and absolute name of all that a module imports, at the top or in a function."""
    for node in ast.walk(ast.parse(module.source)):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = resolve(module, node)
            yield from ((node.lineno, f'{base}.{alias.name}') for alias in node.names)
        elif isinstance(node, ast.Call) and is_import_call(node):
            yield from (
                (node.lineno, argument.value)
                for argument in node.args[:1]
                if isinstance(argument, ast.Constant) and isinstance(argument.value, str)
            )


def resolve(module: Module, node: ast.ImportFrom) -> str:
    """Give the absolute name of the module that a ``from`` import names."""
    if node.level == 0:
        return node.module or ''
    names = [PACKAGE, *filter(None, module.name.split('.'))]
    keep = len(names) - node.level + (1 if module.is_package else 0)
    return '.'.join([*names[:keep], *([node.module] if node.module else [])])


def is_import_call(node: ast.Call) -> bool:
    name = node.func.attr if isinstance(node.func, ast.Attribute) else ''
    name = node.func.id if isinstance(node.func, ast.Name) else name
    return name in ('import_module', '__import__')


def find_violations(module: Module) -> list[str]:
    """Say in a sentence each what a module imports but must not."""
    return [
        f'{PACKAGE}/{module.name.replace(".", "/")}, line {line}: imports {name}: {reason}'
        for line, name in find_imports(module)
        if (reason := judge(module, name))
    ]


def judge(module: Module, name: str) -> str:
    """Say why a module must not import something; empty if it may."""
    first, *rest = name.split('.')
    if first in BULLET:
        return f'{BULLET_MODULE} loads its library, nobody imports it'
    if first in ROS and module.part != ROS_PART:
        return f'only {ROS_PART} may'
    if first != PACKAGE:
        return ''
    part = rest[0] if rest and rest[0] in ALLOWED else ''
    if part not in ALLOWED[module.part]:
        return f'{module.part or PACKAGE} is a lower layer than {part}, or beside it'
    return ''


def test_every_module_has_a_layer() -> None:
    parts = {module.part for module in list_modules()}
    unknown = parts - set(ALLOWED)
    assert not unknown, f'say in ALLOWED what these may import: {sorted(unknown)}'


@pytest.mark.parametrize('module', list_modules(), ids=lambda module: module.name or PACKAGE)
def test_module_keeps_its_layer(module: Module) -> None:
    assert module.part in ALLOWED
    assert find_violations(module) == []


def test_one_module_loads_pybullet_by_its_place() -> None:
    call = "find_spec('pybullet')"
    assert [module.name for module in list_modules() if call in module.source] == [BULLET_MODULE]


@pytest.mark.parametrize('part', ['control', 'nodes.leg_frame_controller', 'nodes.map_link'])
def test_control_knows_the_ground_only_by_its_map(part: str) -> None:
    found = [module for module in list_modules() if f'{module.name}.'.startswith(f'{part}.')]
    names = {name for module in found for _, name in find_imports(module)
             if '.terrain.' in f'{name}.'}
    assert found and all(name.startswith(f'{PACKAGE}.terrain.local_map') for name in names)


@pytest.mark.parametrize(
    ('name', 'source'),
    [
        ('control.balance', 'import pybullet'),
        ('control.balance', 'import pybullet_data as data'),
        ('simulation.pose', 'from pybullet import connect'),
        ('rollout.recording', 'def late():\n    import pybullet'),
        ('rollout.recording', "import importlib\nimportlib.import_module('pybullet')"),
        ('simulation.bullet', 'import pybullet'),
        ('viewer.window', 'import rclpy.node'),
        ('command_line.run', 'from std_msgs.msg import Header'),
        ('model.robot', 'from quadruped_control.simulation import world'),
        ('model.robot', 'from quadruped_control import simulation'),
        ('model.robot', 'import quadruped_control.simulation.world'),
        ('model.robot', 'from ..simulation.world import World'),
        ('model.robot', 'from .. import simulation'),
        ('errors', 'from .rollout import metrics'),
        ('leaps.planner', 'from quadruped_control.terrain.ground import Ground'),
        ('leaps.planner', 'from quadruped_control.scenario import Scenario'),
        ('terrain.solids', 'def late():\n    from ..viewer import window'),
        ('simulation.world', 'from quadruped_control.rollout.recording import Recording'),
        ('rollout.metrics', 'from quadruped_control.command_line.main import main'),
        ('nodes.driver', 'from quadruped_control.command_line import main'),
        ('page.scene', 'from quadruped_control.nodes import page'),
        ('page.scene', 'from std_msgs.msg import String'),
    ],
)
def test_violation_is_found(name: str, source: str) -> None:
    assert len(find_violations(Module(name, False, source))) == 1


@pytest.mark.parametrize(
    ('name', 'source'),
    [
        ('simulation.world', 'from quadruped_control.model.robot import Robot'),
        ('nodes.driver', 'import rclpy\nfrom geometry_msgs.msg import Twist'),
        ('rollout.metrics', 'from ..simulation import world\nfrom . import recording'),
        ('command_line.run', 'from quadruped_control.viewer import window'),
        ('model.robot', 'import numpy\nfrom quadruped_control.errors import InputError'),
        ('model.robot', 'from quadruped_control import __version__'),
    ],
)
def test_permitted_import_passes(name: str, source: str) -> None:
    assert find_violations(Module(name, False, source)) == []


def test_relative_import_of_a_package_starts_at_the_package() -> None:
    package = Module('model', True, 'from .simulation import x\nfrom ..simulation import y')
    assert [name for _, name in find_imports(package)] == [
        'quadruped_control.model.simulation.x',
        'quadruped_control.simulation.y',
    ]
    assert len(find_violations(package)) == 1
