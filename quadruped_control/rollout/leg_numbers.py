"""The numbers of /leg_state, for those who write and those who read them."""

from __future__ import annotations

STEP = 0                        # of the simulation
STANCE = slice(2, 6)            # 1 where a leg should carry weight
FORCE = slice(6, 10)            # of the feet, N
TARGET_HEIGHT = slice(10, 12)   # of the leg frames over their feet, m
HEIGHT = slice(12, 14)
SOLES = slice(14, 26)           # lowest point of each foot, m
COUNT = 26
