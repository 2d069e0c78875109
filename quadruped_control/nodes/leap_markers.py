"""What RViz and the page draw of a plan: take-off, arc and landing, or what is refused."""

from __future__ import annotations

from math import cos, sin

import numpy as np
from geometry_msgs.msg import Point
from visualization_msgs.msg import Marker, MarkerArray

from quadruped_control.leaps.dictionary import ARC, LeapDictionary
from quadruped_control.leaps.planner import Plan
from quadruped_control.leaps.scouting import Question, Scan
from quadruped_control.nodes.markers import Colour, make_marker

NAMESPACE = 'planned_leaps'
LEAP: Colour = (0.1, 0.6, 1.0, 1.0)
REFUSED: Colour = (0.9, 0.1, 0.1, 1.0)


class LeapMarkers:
    """Draws plans."""

    def __init__(self, dictionary: LeapDictionary) -> None:
        self._dictionary = dictionary
        self._ends = [make_marker(NAMESPACE, n, Marker.SPHERE, (0.06, 0.06, 0.06), LEAP)
                      for n in range(2)]
        self._arc = make_marker(NAMESPACE, 2, Marker.LINE_STRIP, (0.015, 0.0, 0.0), LEAP)
        self._refused = make_marker(NAMESPACE, 3, Marker.CUBE, (0.02, 0.6, 0.3), REFUSED)
        self._message = MarkerArray(markers=[*self._ends, self._arc, self._refused])

    def draw(self, question: Question, scan: Scan, plan: Plan | None) -> MarkerArray:
        """Return the markers of a plan; those that it does not need are taken away."""
        leaps = plan is not None and not plan.is_refusal
        for marker in (*self._ends, self._arc):
            marker.action = Marker.ADD if leaps else Marker.DELETE
        refuses = plan is not None and plan.is_refusal
        self._refused.action = Marker.ADD if refuses else Marker.DELETE
        if plan is None:
            return self._message
        if plan.is_refusal:
            self._refused.pose.position = self._find(question, scan, plan.obstacle.begin, 0.15)
            turn = self._refused.pose.orientation
            turn.z, turn.w = sin(question.heading / 2), cos(question.heading / 2)
            return self._message
        places = np.linspace(plan.take_off, plan.landing, ARC).tolist()
        heights = self._dictionary.arcs[plan.leap].tolist()
        self._arc.points = [self._find(question, scan, place, height)
                            for place, height in zip(places, heights, strict=True)]
        for marker, place in zip(self._ends, (plan.take_off, plan.landing), strict=True):
            marker.pose.position = self._find(question, scan, place, 0.0)
        return self._message

    def _find(self, question: Question, scan: Scan, ahead: float, height: float) -> Point:
        """Return the point so far ahead of the hips (m), so far over the ground before it."""
        first = min(max(round(ahead / scan.spacing), 0), len(scan.heights) - 1)
        ground = float(scan.heights[first]) if height == 0.0 else float(scan.heights[0])
        return Point(x=question.x + ahead * cos(question.heading),
                     y=question.y + ahead * sin(question.heading), z=ground + height)
