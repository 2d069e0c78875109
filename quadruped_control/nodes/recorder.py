"""
Writes topics to a rosbag2 file (mcap), which is complete and readable at any time.

All topics, or chosen ones, are taken as the bytes that come over the wire. The file is brought up
to date every half second, so that even after kill -9 all but the last moment is there.
"""

from __future__ import annotations

import importlib
import time
from datetime import datetime
from pathlib import Path
from typing import Any

import yaml
from rclpy.qos import DurabilityPolicy, HistoryPolicy, QoSProfile, ReliabilityPolicy
from rosbags.typesys import get_typestore

from quadruped_control.nodes.graph_node import OK, GraphNode, Setting, run_nodes
from quadruped_control.rollout.bag import DISTRIBUTION, check_bag_path
from quadruped_control.rollout.mcap_writer import McapWriter

NAME = 'recorder'
DISCOVERY_PERIOD = 0.1  # s
CHECKPOINT_PERIOD = 0.5  # s
MOST_PENDING = 8 * 2**20  # bytes that are written without waiting for the period
QUEUE = 5000  # messages of a topic that may wait for this process
SETTINGS = {
    'output': Setting('', 'file (.mcap) to write, which must not exist; empty: one named by the '
                          'time', fixed=True),
    'topics': Setting('', 'topics to record, separated by commas; empty: all', fixed=True),
}


class RecorderNode(GraphNode):
    """Subscribes to what there is, and to what comes later."""

    def __init__(self) -> None:
        super().__init__(NAME, SETTINGS)
        path = Path(self.setting('output') or default_output()).expanduser().absolute()
        check_bag_path(path)
        chosen = self.setting('topics').replace(',', ' ').split()
        self._chosen = {self.resolve_topic_name(name) for name in chosen}
        self._typestore = get_typestore(DISTRIBUTION)
        self._writer = McapWriter(path)
        self._seen: set[str] = set()
        self._last_time = 0
        self.every(DISCOVERY_PERIOD, self._discover)
        self.every(CHECKPOINT_PERIOD, self._checkpoint)
        self._discover()
        self.get_logger().info(f'recording to {path}')

    def diagnose(self) -> tuple[bytes, str, dict[str, object]]:
        """Tell how much was recorded."""
        messages, topics = self._writer.message_count, len(self._seen)
        return OK, f'records to {self._writer.path}', {'messages': messages, 'topics': topics}

    def close(self) -> None:
        """Complete the file."""
        self._writer.close()
        print(f'{self._writer.message_count} messages in {self._writer.path}', flush=True)

    def _checkpoint(self) -> None:
        try:
            self._writer.checkpoint()
        except OSError as error:
            self.end(1, f'{self._writer.path} cannot be written: {error.strerror}')

    def _discover(self) -> None:
        for topic, types in self.get_topic_names_and_types():
            if topic in self._seen or (self._chosen and topic not in self._chosen):
                continue
            qos = self._choose_qos(topic)
            if qos is not None:
                self._seen.add(topic)
                self._record(topic, types, qos)

    def _record(self, topic: str, types: list[str], qos: QoSProfile) -> None:
        message = find_message(types[0])
        if len(types) != 1 or message is None or types[0] not in self._typestore.fielddefs:
            self.get_logger().warning(f'{topic} is not recorded: type {", ".join(types)}')
            return
        definition, _ = self._typestore.generate_msgdef(types[0], ros_version=2)
        metadata = {
            'offered_qos_profiles': describe_qos(qos),
            'topic_type_hash': self._typestore.hash_rihs01(types[0]),
        }
        channel = self._writer.add_channel(topic, types[0], definition, metadata)
        self.create_subscription(
            message, topic, lambda data: self._write(channel, data), qos, raw=True
        )

    def _choose_qos(self, topic: str) -> QoSProfile | None:
        """
        Ask for as much as all who publish, or else all who listen, agree on.

        None where those who listen want no reliability: who will publish may offer it all the
        same, and a recording needs it.
        """
        publishers = self.get_publishers_info_by_topic(topic)
        ends = publishers or self.get_subscriptions_info_by_topic(topic)
        profiles = [end.qos_profile for end in ends]
        reliability = _agree([profile.reliability for profile in profiles],
                             ReliabilityPolicy.RELIABLE, ReliabilityPolicy.BEST_EFFORT)
        if not publishers and reliability == ReliabilityPolicy.BEST_EFFORT:
            return None
        return QoSProfile(
            history=HistoryPolicy.KEEP_LAST,
            depth=QUEUE,
            reliability=reliability,
            durability=_agree(
                [profile.durability for profile in profiles],
                DurabilityPolicy.TRANSIENT_LOCAL, DurabilityPolicy.VOLATILE,
            ),
        )  # fmt: skip

    def _write(self, channel: int, data: bytes) -> None:
        # times never go back, so that readers keep the order in which messages came
        self._last_time = max(self._last_time + 1, time.time_ns())
        self._writer.write(channel, self._last_time, data)
        if self._writer.pending_bytes > MOST_PENDING:
            self._checkpoint()


def _agree(policies: list[Any], most: Any, least: Any) -> Any:
    return most if policies and all(policy == most for policy in policies) else least


def default_output() -> str:
    """Name a file by the time."""
    return f'quadruped_{datetime.now():%Y%m%d_%H%M%S}.mcap'


def find_message(name: str) -> type | None:
    """Return the class of a type such as std_msgs/msg/String, None where it is not installed."""
    package, kind, message = name.split('/')
    try:
        found: type = getattr(importlib.import_module(f'{package}.{kind}'), message)
    except (ImportError, AttributeError):
        return None
    return found


def describe_qos(qos: QoSProfile) -> str:
    """Write a profile as rosbag2 (Jazzy and later) keeps it, for what plays the bag."""
    forever = {'sec': 9223372036, 'nsec': 854775807}
    profile = {
        'history': 'keep_last',
        'depth': qos.depth,
        'reliability': qos.reliability.name.lower(),
        'durability': qos.durability.name.lower(),
        'deadline': forever,
        'lifespan': forever,
        'liveliness': 'automatic',
        'liveliness_lease_duration': forever,
        'avoid_ros_namespace_conventions': False,
    }
    return str(yaml.safe_dump([profile], sort_keys=False))


def main() -> int:
    """Run the node as a process."""
    return run_nodes([RecorderNode])


if __name__ == '__main__':
    raise SystemExit(main())
