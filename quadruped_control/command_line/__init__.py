"""The commands of ``./quadruped``, one module each."""
