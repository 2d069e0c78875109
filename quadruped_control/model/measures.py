"""
What is low or high, slow or fast, weak or strong for a body: ``measures`` of its robot.yaml.

The rules of control compare with these numbers; another body has others, by its size.
"""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from quadruped_control.loading import Schema
from quadruped_control.model.similarity import Unit

Metres = Annotated[float, Field(gt=0.0, le=20.0, description='m'), Unit('m')]
Speed = Annotated[float, Field(gt=0.0, le=200.0, description='m/s'), Unit('m/s')]
Torque = Annotated[float, Field(gt=0.0, le=1e6, description='N m'), Unit('N m')]
Stiffness = Annotated[float, Field(gt=0.0, le=1e7, description='N/m'), Unit('N/m')]


class Measures(Schema):
    """
    Numbers of one body.

    :param fallen_height: of a leg frame over its lower foot, below which its legs gave way.
    :param recovered_height: of both leg frames, above which a robot that fell is on its legs.
    :param up_height: of both leg frames over their feet at which a rise is done, and
    :param up_room: how much lower they may be when it ends.
    :param still_speed: of the base, below which a robot is at rest.
    :param standing_speed: below which a robot that is asked for nothing stands.
    :param speed_lead: by which the speed aimed for may differ from the measured (section 4).
    :param most_trim: by which a fast gait may be asked for more than the speed aimed for.
    :param fastest_foot: that a foot's target moves; more is a jump of the target.
    :param shortest_base: between front and rear feet, below which they tell no slope.
    :param narrowest_base: between two feet, or over them, for them to share a roll torque.
    :param force_reach: F_D's knots are spread from a foot so far ahead to so far behind.
    :param look_ahead: before a hanging foot where the ground counts too: gaps, edges.
    :param map_window: of the ground's mean before and behind a leg frame.
    :param foot_margin: around a foothold within which the ground should be even, and
    :param uneven: by how much it may be off a plane there.
    :param foothold_reach: by which a foothold may be moved to even ground.
    :param scan_spacing: between the places of a scan of the ground ahead.
    :param push_moment: of pitch that the feet of a push give their leg frame at most.
    :param step_tracking: of the force that pulls a foot which steps in a posture to its place.
    """

    fallen_height: Metres
    recovered_height: Metres
    up_height: Metres
    up_room: Metres
    still_speed: Speed
    standing_speed: Speed
    speed_lead: Speed
    most_trim: Speed
    fastest_foot: Speed
    shortest_base: Metres
    narrowest_base: Metres
    force_reach: Metres
    look_ahead: Metres
    map_window: Metres
    foot_margin: Metres
    uneven: Metres
    foothold_reach: Metres
    scan_spacing: Metres
    push_moment: Torque
    step_tracking: Stiffness


MEASURES = tuple(Measures.model_fields)
