"""
All parameters of a gait at one speed: the one table of them.

From it follow NumPy's type of a gait, the schema of its file, its flat vector, what searches try
and what is turned by hand. A new parameter is a new row, and the code that uses it.
"""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray

from quadruped_control.control.gait_field import Each, GaitField, Number, Search, declare
from quadruped_control.kinematics.record_class import Record, list_fields

Array = NDArray[np.float64]
Places = NDArray[np.int64]
STRIDE, FRAME, LEG = Each.STRIDE, Each.FRAME, Each.LEG
CYCLE, SWING, STANCE = 'cycle', 'swing', 'stance'
GRAPH = 'gait_graph'
ANY_SLANT = 10.0           # of a force that is not limited

_PLACEMENT = Number('s', 0.3, search=Search((0.0, 0.45), balance=(0.0, 0.45)))
_VELOCITY = Number('N s/m', 500.0, search=Search((0.0, 900.0), balance=(0.0, 900.0)))
_FORCE = Number('N', 100.0, default=0.0,
                search=Search((-120.0, 120.0), asymmetric=(-300.0, 300.0), coarse=False))
_STEP = Number('m', 0.1, default=0.0,
               search=Search(asymmetric=(-0.08, 0.08), balance=(-0.08, 0.08)))
_YIELDING = Number('1/s', 10.0, least=0.0, default=0.0, search=Search(balance=(0.0, 12.0)))


# The gait graph and the period are not searched: left free, the timing collapses to the shortest
# period allowed.
class GaitRecord(Record):  # type: ignore[misc]
    """
    The parameters, in the order of the flat vector.

    Numbers only, so that gaits can be interpolated. Legs as in LEGS, leg frames front and rear.
    Trajectories have KNOTS values; a file may give one for all.
    """

    period: float = declare(STRIDE, 'of a stride', Number('s', 0.3, above=0.05, most=5.0))
    lift_off: Array = declare(LEG, 'cycle phase; any number, so that neighbours interpolate the '
                              'short way', Number('', 0.4, -1.0, 2.0), group=GRAPH)
    touchdown: Array = declare(LEG, 'cycle phase, greater than lift_off by less than 1',
                               Number('', 0.4, -1.0, 3.0), group=GRAPH)
    height: Array = declare(FRAME, 'of the leg frame over its feet', Number(
        'm', 0.1, search=Search((0.36, 0.50), asymmetric=(0.34, 0.50))), over=CYCLE)
    pitch: Array = declare(FRAME, 'of the leg frame', Number(
        'rad', 0.3, default=0.0, search=Search((-0.2, 0.2), asymmetric=(-0.4, 0.4))), over=CYCLE)
    head_pitch: Array = declare(STRIDE, 'of the head in the world', Number(
        'rad', 0.5, default=0.0, search=Search((-0.5, 0.5))), over=CYCLE)
    swing_height: Array = declare(FRAME, 'of a foot; zero at both ends, which stay so', Number(
        'm', 0.1, search=Search((-0.03, 0.14))), over=SWING, scaled=True)
    swing_advance: Array = declare(
        FRAME, 't_sw, from the last foothold (0) to the next (1)', Number(
            '', 0.3, search=Search((-0.2, 1.25), coarse=False)), over=SWING, scaled=True)
    tracking: Array = declare(FRAME, 'k_ft, of a swing foot to where it should be', Number(
        'N/m', 1000.0, search=Search((0.0, 2000.0))), over=SWING)
    step_ahead: Array = declare(FRAME, 'of the default foothold', Number(
        'm', 0.1, search=Search((-0.10, 0.10))))
    step_aside: Array = declare(FRAME, 'of the default foothold, further out than the hip', Number(
        'm', 0.1, search=Search((-0.09, 0.04), balance=(-0.09, 0.04))))
    leg_step: Array = declare(LEG, "by which one leg's default foothold is moved",
                              ahead=_STEP, left=_STEP)
    placement: Array = declare(FRAME, 's_fp, of velocity-based foot placement',
                               forward=_PLACEMENT, left=_PLACEMENT)
    velocity_gain: Array = declare(FRAME, 'of F_v', forward=_VELOCITY, left=_VELOCITY)
    height_gain: Array = declare(
        FRAME, 'of F_h',
        stiffness=Number('N/m', 3000.0, search=Search((500.0, 8000.0), balance=(500.0, 8000.0))),
        damping=Number('N s/m', 400.0, search=Search((50.0, 900.0), balance=(50.0, 900.0))))
    leg_force: Array = declare(LEG, 'F_D, by D', over=STANCE, forward=_FORCE, up=_FORCE)
    toe_off: Array = declare(
        FRAME, 'theta_a, pitch of the pastern reached over Delta t_a at lift-off', named=True,
        angle=Number('rad', 0.6, -2.0, 2.0, default=0.0, search=Search((-0.2, 0.9))),
        time=Number('s', 0.1, above=0.0, most=1.0, default=0.05, search=Search((0.02, 0.15))))
    foot_strike: Array = declare(
        FRAME, 'theta_b, pitch of the pastern left over Delta t_b at touchdown', named=True,
        angle=Number('rad', 0.6, -2.0, 2.0, default=0.0,
                     search=Search((-0.5, 0.5), coarse=False)),
        time=Number('s', 0.1, above=0.0, most=1.0, default=0.05,
                    search=Search((0.02, 0.10), coarse=False)))
    weight_share: Array = declare(FRAME, 'of the weight that F_h starts from', Number(
        '', 0.6, 0.0, 5.0, search=Search((0.6, 1.6), asymmetric=(0.6, 4.5), balance=(0.6, 4.5))))
    heading_gain: Array = declare(FRAME, 'force sideways by the angle off the heading', Number(
        'N/rad', 500.0, 0.0, default=0.0,
        search=Search(asymmetric=(0.0, 3000.0), balance=(0.0, 3000.0))))
    spine_share: Array = declare(FRAME, "of the gains' one that is used", Number(
        '', 0.5, 0.0, 1.0, default=1.0, search=Search(asymmetric=(0.0, 1.0))))
    swing_damping: Array = declare(FRAME, "of F_sw, as a share of the gains' one", Number(
        '', 1.0, 0.0, 5.0, default=1.0, search=Search(balance=(0.1, 4.0))))
    stance_shape: Array = declare(FRAME, "as a share of the gains' one", Number(
        '', 1.0, 0.0, 3.0, default=1.0, search=Search(balance=(0.1, 3.0))))
    smoothing: Array = declare(FRAME, 'of the velocity that places feet', Number(
        's', 0.2, 0.0, 0.5, default=0.0))
    reach: Array = declare(FRAME, 'of placement sideways', Number(
        'm', 10.0, 0.0, default=10.0, search=Search(balance=(0.05, 0.40)), step=0.01))
    yielding: Array = declare(STRIDE, 'of the heading to the course, and back', follow=_YIELDING,
                              back=_YIELDING)
    turning: float = declare(STRIDE, 'back to the heading, by steps', Number(
        '1/s', 10.0, 0.0, default=0.0, search=Search(balance=(0.0, 15.0))))
    facing: float = declare(STRIDE, '0: axes of the heading, 1: of the body', Number(
        '', 1.0, 0.0, 1.0, default=0.0))
    grip: float = declare(STRIDE, 'of the friction that forces of feet count on', Number(
        '', 1.0, above=0.0, most=3.0, default=1.0))
    slant: float = declare(STRIDE, 'of the force wanted of a leg frame: level over up, at most; '
                           f'{ANY_SLANT:g}: as it is', Number(
                               '', ANY_SLANT, above=0.0, most=ANY_SLANT, default=ANY_SLANT,
                               step=0.01))


@cache
def gait_fields() -> dict[str, GaitField]:
    """Return the rows of the table by their names, in the order of the flat vector."""
    return {name: row for name, row in list_fields(GaitRecord).items()
            if isinstance(row, GaitField)}


@cache
def list_places() -> dict[str, Places]:
    """Return, for each field, the indices of its numbers in the flat vector, in its shape."""
    places, begin = {}, 0
    for name, field in gait_fields().items():
        shape = [size for size in field.shape if isinstance(size, int)]
        count = int(np.prod(shape, dtype=np.int64))
        places[name] = np.arange(begin, begin + count).reshape(shape)
        begin += count
    return places
