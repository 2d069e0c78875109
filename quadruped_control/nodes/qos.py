"""Qualities of service of the topics, by what a topic is for."""

from __future__ import annotations

from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy

RELIABLE = QoSProfile(depth=10)
NEWEST = QoSProfile(depth=1)                # on the side that listens: what is old is passed over
# of what is published at 1 kHz: what a recorder has not got yet is kept for a second
STREAM = QoSProfile(depth=1000)
LOG = QoSProfile(depth=1000)                # rare, but none may be lost, even many at once
LATCHED = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
# what is answered: who comes late still gets the last of it
RECENT = QoSProfile(depth=20, durability=DurabilityPolicy.TRANSIENT_LOCAL)
SENSOR = QoSProfile(depth=10, reliability=ReliabilityPolicy.BEST_EFFORT)
# in lock-step: what is lost is asked for again; to acknowledge each took a tenth of the time
IN_TURN = QoSProfile(depth=10, reliability=ReliabilityPolicy.BEST_EFFORT)
CLOCK = QoSProfile(depth=1, reliability=ReliabilityPolicy.BEST_EFFORT)
