"""The URDF as ROS tools want it: with REP-105's base_link, of no mass, above the root."""

from __future__ import annotations

import re

BASE_LINK = 'base_link'


def add_base_link(urdf: str, root: str, base: str = BASE_LINK) -> str:
    """Return a URDF in which the root link is fixed to a base link, their frames the same."""
    joint = (
        f' <link name="{base}" />\n'
        f' <joint name="{base}_to_{root}" type="fixed">\n'
        f'  <parent link="{base}" />\n'
        f'  <child link="{root}" />\n'
        ' </joint>\n'
    )
    return re.sub('</robot>', joint + '</robot>', urdf)
