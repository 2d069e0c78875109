"""Locomotion skills for a simulated quadruped with a flexible spine."""

__version__ = '0.1.0'
