"""
What nearly every node needs: imported once, before the processes of a graph are forked.

Python, numba and the robot take longer to load than a node takes to start, and on a machine of few
cores seven processes would all do it at the same time. Nothing here opens a socket or a thread.
"""

from __future__ import annotations

from quadruped_control.model.robot_loading import load_robot
from quadruped_control.nodes import (  # noqa: F401
    description,
    gait_scheduler,
    leap_planner,
    leg_frame_controller,
    simulation,
)

load_robot()                                # and with it the compiled code's own libraries
