"""``python -m quadruped_control.command_line``, which ./quadruped runs."""

import sys

from quadruped_control.command_line.main import main

sys.exit(main())
