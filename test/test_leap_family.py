"""The family of leaps, the model that is made of it, and the search that grows it."""

from __future__ import annotations

import numpy as np
import pytest

from quadruped_control.control.leap import list_bounds
from quadruped_control.evaluation.leap_middle import (
    HIGH,
    LOW,
    Replay,
    draw_places,
    replay_place,
    summarise_replays,
)
from quadruped_control.leaps.dictionary import LeapDictionary, load_dictionary
from quadruped_control.leaps.models import NearestModel, PrincipalModel
from quadruped_control.tuning.leap_plane import (
    GRID,
    SIZE,
    Plane,
    Tried,
    choose_plane,
    join_speed,
    lay_plane,
)
from quadruped_control.tuning.leap_surface import Surface

MIDDLE = (0.85, 0.8, 0.9)   # h, d (m) and v (m/s)


def share(parameters: np.ndarray) -> np.ndarray:
    """Return parameters as shares of their ranges."""
    least, most = list_bounds()
    return (parameters - least) / (most - least)


def test_family_is_a_valid_dictionary_that_differs_little() -> None:
    family = LeapDictionary(load_dictionary().family)
    shares = share(family.parameters)
    assert len(family) > 60
    assert (shares >= -1e-4).all()
    assert (shares <= 1.0 + 1e-4).all()
    for speed in np.unique(family.column('speed')):
        at = shares[family.column('speed') == speed]
        spread = np.linalg.svd(at - at.mean(axis=0), compute_uv=False)**2
        assert spread[:2].sum() > 0.98 * spread.sum()       # of the dictionary's leaps 0.6


def test_model_gives_the_leaps_of_the_family_back() -> None:
    dictionary = load_dictionary()
    model, family = PrincipalModel(dictionary), LeapDictionary(dictionary.family)
    found = np.array([model.find(*point) for point in family.points])
    apart = np.linalg.norm(share(found) - share(family.parameters), axis=1)
    assert np.median(apart) < 0.06
    assert apart.max() < 0.3


def test_model_is_smooth_in_speed_and_takes_the_nearest_leap_far_from_the_family() -> None:
    dictionary = load_dictionary()
    model, nearest = PrincipalModel(dictionary), NearestModel(dictionary)
    for speed in np.arange(0.55, 1.15, 0.05):
        step = model.find(0.85, 0.8, speed + 1e-3) - model.find(0.85, 0.8, speed)
        assert np.abs(share(step) - share(np.zeros_like(step))).max() < 0.02
    for far in ((1.3, 0.8, 0.9), (0.85, 0.8, 1.6), (0.85, 1.6, 0.9)):
        assert not model.reaches(*far)
        np.testing.assert_array_equal(model.find(*far), nearest.find(*far))


def test_places_are_in_the_middle_and_the_same_for_a_seed() -> None:
    places = draw_places(20, 7)
    assert (places >= LOW).all()
    assert (places <= HIGH).all()
    np.testing.assert_array_equal(places, draw_places(20, 7))


def test_replays_are_summarised() -> None:
    asked = (0.8, 0.6, 1.0)
    row = summarise_replays('pca', [Replay(asked, (0.9, 0.4), nearest=False),
                                    Replay(asked, None, nearest=True)])
    assert (row['landed'], row['of'], row['of them the nearest leap']) == (1, 2, 1)
    assert row['error of h'] == pytest.approx(0.1)
    assert row['error of d'] == pytest.approx(0.2)


def test_surface_knows_what_it_was_told_and_its_slopes() -> None:
    rng = np.random.default_rng(1)
    known = rng.uniform(0.4, 0.6, (80, 4))
    values = np.column_stack([known.sum(axis=1), np.sin(5 * known[:, 0])])
    surface = Surface(known, values)
    asked, slopes = rng.uniform(0.45, 0.55, (3, 4)), rng.normal(size=(3, 2))
    np.testing.assert_allclose(surface.find(known), values, atol=0.05)
    step = 1e-6 * rng.normal(size=asked.shape)

    def rate(places: np.ndarray) -> float:
        return float((surface.find(places) * slopes).sum() + 0.3 * surface.doubt(places).sum())
    change = rate(asked + step) - rate(asked - step)
    assert change == pytest.approx(2 * float((surface.pull(asked, slopes, 0.3) * step).sum()),
                                   rel=1e-3)


def test_plane_is_chosen_that_hits_its_places() -> None:
    rng = np.random.default_rng(2)
    shares = 0.5 + rng.normal(0.0, 0.08, (300, SIZE))
    away = shares - 0.5
    values = np.column_stack([0.85 + away[:, 0] + 0.5 * away[:, 1], 0.8 + 3.0 * away[:, 2],
                              0.2 + away[:, 3], np.zeros(len(shares))])
    tried = Tried(join_speed(shares, 0.9), values, np.ones(len(shares)))
    plane = choose_plane(tried, 0.9, lay_plane(values[:, :2], shares))
    found = plane.find(GRID) - 0.5
    missed = np.column_stack([0.85 + found[:, 0] + 0.5 * found[:, 1], 0.8 + 3.0 * found[:, 2]])
    assert np.abs(missed - GRID).max() < 0.08
    assert np.linalg.matrix_rank(found - found.mean(axis=0), tol=1e-6) == 2
    assert isinstance(plane, Plane)


def test_model_lands_in_the_middle_of_the_range() -> None:
    replays = [replay_place(MIDDLE, 0, start, 'pca') for start in range(2)]
    for found in replays:
        assert not found.nearest
        assert found.reached is not None
        assert found.reached == pytest.approx(MIDDLE[:2], abs=0.15)
