"""Confidence intervals of shares and rates that were counted."""

from __future__ import annotations

from math import sqrt

CONFIDENCE = 0.95


def find_share_interval(held: int, of: int, confidence: float = CONFIDENCE
                        ) -> tuple[float, float]:
    """
    Return Wilson's score interval of a share p = 1 - q of n.

    It is (p + z^2/2n -+ z sqrt(p q/n + z^2/4n^2)) / (1 + z^2/n).
    Of nothing it is everything from 0 to 1.
    """
    if of == 0:
        return 0.0, 1.0
    from scipy.stats import norm
    z = float(norm.ppf(0.5 + confidence / 2))
    share, square = held / of, z * z / of
    middle = (share + square / 2) / (1 + square)
    half = sqrt(share * (1 - share) * square + square**2 / 4) / (1 + square)
    low = middle - half if held > 0 else 0.0
    high = middle + half if held < of else 1.0
    return max(low, 0.0), min(high, 1.0)


def find_rate_interval(count: int, over: float, confidence: float = CONFIDENCE
                       ) -> tuple[float, float]:
    """Return the exact interval of a Poisson rate: so many events over some time or length."""
    if over <= 0.0:
        return 0.0, float('inf')
    from scipy.stats import chi2
    tail = (1 - confidence) / 2
    low = float(chi2.ppf(tail, 2 * count)) / 2 if count > 0 else 0.0
    high = float(chi2.ppf(1 - tail, 2 * count + 2)) / 2
    return low / over, high / over


def describe_share(held: int, of: int) -> str:
    """Return a share and its interval in words, such as ``97.5 % (94.3 to 98.9)``."""
    low, high = (100 * end for end in find_share_interval(held, of))
    return f'{100 * held / of:.1f} % ({low:.1f} to {high:.1f})' if of else '-'
