"""What the running graph consists of, as ROS tools would see it; and what the README says."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parents[1]
BEGIN = '<!-- graph: compared with the running graph by test_topic_table.py -->'
END = '<!-- /graph -->'
ARROW = re.compile(r'^  ([\w &]+) -- (\S.*?) --> ([\w &]+)$', re.MULTILINE)
# what every node of ROS 2 has
COMMON_TOPICS = {'/rosout', '/parameter_events'}
COMMON_SERVICES = re.compile(
    r'/(describe_parameters|get_parameter_types|get_parameters|list_parameters|set_parameters'
    r'|set_parameters_atomically|get_type_description)$'
)
COMMON_PARAMETERS = ('use_sim_time', 'start_type_description_service', 'qos_overrides')


class Topic(NamedTuple):
    """A topic: message type, QoS of its publishers, and who publishes and listens."""

    kind: str
    qos: tuple[str, str]
    publishers: frozenset[str]
    subscribers: frozenset[str]


class Parameter(NamedTuple):
    """A parameter: default value and range as text, and whether it is fixed at the start."""

    default: str
    range: str
    fixed: bool


def read_rows(title: str) -> list[list[str]]:
    """Return the cells of the rows below a heading in the README's part about the graph."""
    text = (ROOT / 'README.md').read_text()
    part = text[text.index(BEGIN):text.index(END)]
    section = part[part.index(f'| {title} |'):]
    rows = []
    for line in section.splitlines()[2:]:
        if not line.startswith('|'):
            break
        rows.append([cell.strip() for cell in line.strip('|').split('|')])
    return rows


def read_picture() -> list[tuple[str, str, str]]:
    """Return topic, publisher and subscriber of each arrow in the README's picture."""
    text = (ROOT / 'README.md').read_text()
    part = text[text.index(BEGIN):text.index(END)]
    return [(topic, publisher, subscriber)
            for publishers, topics, subscribers in ARROW.findall(part)
            for topic in topics.split(', ') for publisher in publishers.split(' & ')
            for subscriber in subscribers.split(' & ')]


def read_names(cell: str) -> list[str]:
    """Return what stands in `such quotes` in a cell."""
    return re.findall('`([^`]+)`', cell)


def find_nodes(client: Any) -> set[str]:
    """Return the names of all nodes but the test's own."""
    return set(client.node.get_node_names()) - {client.node.get_name()}


def find_topics(client: Any) -> dict[str, Topic]:
    """Return the topics that nodes other than the test's have to do with."""
    node, topics = client.node, {}
    for name, kinds in node.get_topic_names_and_types():
        ends = [
            [end for end in find(name) if end.node_name != node.get_name()]
            for find in (node.get_publishers_info_by_topic, node.get_subscriptions_info_by_topic)
        ]
        if not any(ends) or name in COMMON_TOPICS:
            continue
        profiles = [end.qos_profile for end in ends[0] or ends[1]]
        qos = profiles[0].reliability.name.lower(), profiles[0].durability.name.lower()
        names = [frozenset(end.node_name for end in some) for some in ends]
        topics[name] = Topic(kinds[0], qos, *names)
    return topics


def find_services(client: Any, nodes: set[str]) -> dict[str, str]:
    """Return the services that only these nodes have, with their types."""
    found = {}
    for name in nodes:
        for service, kinds in client.node.get_service_names_and_types_by_node(name, '/'):
            if not COMMON_SERVICES.search(service):
                found[service] = kinds[0]
    return found


def find_parameters(client: Any, node: str) -> dict[str, Parameter]:
    """Return the parameters that a node declares, without what every node has."""
    from rcl_interfaces.srv import DescribeParameters, GetParameters, ListParameters
    from rclpy.parameter import parameter_value_to_python

    listed = client.call(
        ListParameters, f'/{node}/list_parameters', ListParameters.Request()).result.names
    names = [name for name in listed if not name.startswith(COMMON_PARAMETERS)]
    values = client.call(
        GetParameters, f'/{node}/get_parameters', GetParameters.Request(names=names)).values
    described = client.call(
        DescribeParameters, f'/{node}/describe_parameters',
        DescribeParameters.Request(names=names)).descriptors
    return {
        name: Parameter(
            write_value(parameter_value_to_python(value)), write_range(shown), shown.read_only
        )
        for name, value, shown in zip(names, values, described, strict=True)
    }


def write_value(value: Any) -> str:
    """Write a value as the README does."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return value or '""'
    return f'{value:g}'


def write_range(descriptor: Any) -> str:
    """Write the range of a parameter as the README does."""
    limits = [*descriptor.floating_point_range, *descriptor.integer_range]
    return f'{limits[0].from_value:g} to {limits[0].to_value:g}' if limits else ''
