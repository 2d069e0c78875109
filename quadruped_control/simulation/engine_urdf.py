"""A copy of a URDF for a physics engine, which does not know where ROS packages are."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

from quadruped_control.share import share_folder

PACKAGE = 'package://quadruped_control/'


def write_engine_urdf(urdf: Path, copy: Path, *, with_meshes: bool) -> None:
    """
    Write a copy that says where the meshes are in the file system.

    :param with_meshes: else the visual shapes are left out, which loads much faster.
    """
    robot = ElementTree.parse(urdf)
    for link in robot.iter('link'):
        for visual in link.findall('visual'):
            if not with_meshes:
                link.remove(visual)
    for mesh in robot.iter('mesh'):
        mesh.set('filename', mesh.attrib['filename'].replace(PACKAGE, f'{share_folder()}/'))
    robot.write(copy)
