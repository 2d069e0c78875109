"""Qualities of service of the topics, by what a topic is for."""

from __future__ import annotations

from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy

RELIABLE = QoSProfile(depth=10)
NEWEST = QoSProfile(depth=1)                # on the side that listens: what is old is passed over
LOG = QoSProfile(depth=100)
LATCHED = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
SENSOR = QoSProfile(depth=10, reliability=ReliabilityPolicy.BEST_EFFORT)
CLOCK = QoSProfile(depth=1, reliability=ReliabilityPolicy.BEST_EFFORT)
