"""The answer to a skill that is not possible now."""

from __future__ import annotations

from quadruped_control.errors import QuadrupedError


class SkillRefusedError(QuadrupedError):
    """A skill was asked for that is not legal now; the message names the way there."""
