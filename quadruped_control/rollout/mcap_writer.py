"""
An mcap file that is complete after every checkpoint, so that a killed recorder loses little.

Messages are gathered in memory; a checkpoint writes them as one chunk together with the summary
and the end of the file, in one call, over the end that the checkpoint before it wrote.
The format: https://mcap.dev/spec; the profile is the one of rosbag2.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Mapping
from pathlib import Path

MAGIC = b'\x89MCAP0\r\n'
HEADER, FOOTER, SCHEMA, CHANNEL, MESSAGE, CHUNK, MESSAGE_INDEX, CHUNK_INDEX = range(1, 9)
STATISTICS, DATA_END = 0x0B, 0x0F
NO_TIME = 2**63 - 1

_MESSAGE = struct.Struct('<BQHIQQ')
_TIME_AND_OFFSET = struct.Struct('<QQ')


class McapWriter:
    """
    Writes serialized messages (CDR) of ROS 2 topics.

    :param path: a file that does not exist yet.
    """

    def __init__(self, path: Path, library: str = 'quadruped_control') -> None:
        self.path = path
        self._file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644)
        self._place = 0
        self._definitions = bytearray()  # of the summary
        self._schemas: dict[str, int] = {}
        self._counts: dict[int, int] = {}
        self._chunk_indexes = bytearray()
        self._chunks = 0
        self._start, self._end = NO_TIME, 0
        self._pending = bytearray(MAGIC + _record(HEADER, _text('ros2') + _text(library)))
        self._clear_chunk()
        self.checkpoint()

    def add_channel(
        self, topic: str, message_type: str, definition: str, metadata: Mapping[str, str]
    ) -> int:
        """Add a topic and return its number, which is what ``write`` wants."""
        records = bytearray()
        if message_type not in self._schemas:
            number = self._schemas[message_type] = len(self._schemas) + 1
            content = _text(message_type) + _text('ros2msg') + _text(definition)
            records += _record(SCHEMA, struct.pack('<H', number) + content)
        channel = len(self._counts) + 1
        self._counts[channel] = 0
        pairs = b''.join(_text(key) + _text(value) for key, value in metadata.items())
        ids = struct.pack('<HH', channel, self._schemas[message_type])
        records += _record(CHANNEL, ids + _text(topic) + _text('cdr') + _sized(pairs))
        self._pending += records
        self._definitions += records
        return channel

    def write(self, channel: int, time: int, data: bytes) -> None:
        """Add a message at a time in ns; it is in the file after the next checkpoint."""
        index = self._index.setdefault(channel, bytearray())
        index += _TIME_AND_OFFSET.pack(time, len(self._records))
        size = _MESSAGE.size - 9 + len(data)
        self._records += _MESSAGE.pack(MESSAGE, size, channel, self._counts[channel], time, time)
        self._records += data
        self._counts[channel] += 1
        self._times.append(time)

    @property
    def pending_bytes(self) -> int:
        """How much a checkpoint would write."""
        return len(self._records)

    @property
    def message_count(self) -> int:
        """How many messages were added."""
        return sum(self._counts.values())

    def checkpoint(self) -> None:
        """Write what has come since the last one, and make the file complete."""
        data = bytes(self._pending) + self._take_chunk(self._place + len(self._pending))
        if not data:
            return
        self._pending.clear()
        tail = self._make_tail(self._place + len(data))
        _write_all(self._file, data + tail, self._place)
        self._place += len(data)

    def close(self) -> None:
        """Write all and close; again does nothing."""
        if self._file >= 0:
            self.checkpoint()
            os.close(self._file)
            self._file = -1

    def _clear_chunk(self) -> None:
        self._records = bytearray()
        self._index: dict[int, bytearray] = {}
        self._times: list[int] = []

    def _take_chunk(self, place: int) -> bytes:
        """Return chunk and message indexes, which go to a place in the file; note its index."""
        if not self._times:
            return b''
        start, end, size = min(self._times), max(self._times), len(self._records)
        self._start, self._end = min(self._start, start), max(self._end, end)
        head = struct.pack('<QQQI', start, end, size, 0) + _text('') + struct.pack('<Q', size)
        chunk = _record(CHUNK, head + self._records)
        indexes, offsets = bytearray(), bytearray()
        for channel, index in self._index.items():
            offsets += struct.pack('<HQ', channel, place + len(chunk) + len(indexes))
            indexes += _record(MESSAGE_INDEX, struct.pack('<H', channel) + _sized(index))
        self._chunk_indexes += _record(
            CHUNK_INDEX,
            struct.pack('<QQQQ', start, end, place, len(chunk))
            + _sized(offsets)
            + struct.pack('<Q', len(indexes))
            + _text('')
            + struct.pack('<QQ', size, size),
        )
        self._chunks += 1
        self._clear_chunk()
        return chunk + indexes

    def _make_tail(self, place: int) -> bytes:
        """Return the end of data, the summary and the footer of a file whose data end there."""
        data_end = _record(DATA_END, bytes(4))
        counts = b''.join(struct.pack('<HQ', *item) for item in self._counts.items())
        totals = struct.pack(
            '<QHIIIIQQ', self.message_count, len(self._schemas), len(self._counts), 0, 0,
            self._chunks, self._start if self._chunks else 0, self._end,
        )  # fmt: skip
        summary = self._definitions + self._chunk_indexes
        summary += _record(STATISTICS, totals + _sized(counts))
        footer = _record(FOOTER, struct.pack('<QQI', place + len(data_end), 0, 0))
        return data_end + summary + footer + MAGIC


def _record(kind: int, content: bytes | bytearray) -> bytes:
    return struct.pack('<BQ', kind, len(content)) + content


def _sized(content: bytes | bytearray) -> bytes:
    return struct.pack('<I', len(content)) + content


def _text(text: str) -> bytes:
    return _sized(text.encode())


def _write_all(file: int, data: bytes, place: int) -> None:
    """Write at a place; a regular file takes all at once unless the disk is full."""
    view = memoryview(data)
    while view:
        written = os.pwrite(file, view, place)
        view, place = view[written:], place + written
