"""The front end of all commands: finds the command, runs it, and words its errors."""

from __future__ import annotations

import argparse
import difflib
import importlib
import os
import sys
from collections.abc import Sequence
from typing import NamedTuple, Protocol, cast

from quadruped_control import __version__
from quadruped_control.errors import InputError, QuadrupedError

FAILURE = 1
WRONG_USE = 2
INTERRUPTED = 130
NO_READER = 141


class Entry(NamedTuple):
    """A command: the module that does it, and what it is for in a line."""

    module: str
    summary: str


PACKAGE = 'quadruped_control.command_line'

# the order is that of the help
COMMANDS: dict[str, Entry] = {
    'demo': Entry(f'{PACKAGE}.demo', 'let the dog stand, be pushed, walk, trot and turn; a video'),
    'up': Entry(f'{PACKAGE}.up', 'start the ROS 2 graph: simulation, scheduler, controller'),
    'teleop': Entry(f'{PACKAGE}.teleop', 'drive the dog by the keyboard of this terminal'),
    'play': Entry(f'{PACKAGE}.play', 'show a recording on the page'),
    'replay': Entry(f'{PACKAGE}.replay', 'let the graph repeat the commands of a recording'),
    'run': Entry(f'{PACKAGE}.run', 'run a scenario and write its metrics'),
    'evaluate': Entry(f'{PACKAGE}.evaluate', 'measure gaits, pushes, terrain or turning'),
    'tune': Entry(f'{PACKAGE}.tune', 'tune a gait for a speed by search'),
    'leaps': Entry(f'{PACKAGE}.leaps', 'grow the dictionary of leaps, or plot what it covers'),
    'reference': Entry(f'{PACKAGE}.reference', 'make a reference motion for tune from a scenario'),
    'bench': Entry(f'{PACKAGE}.bench', 'measure how fast simulation and controller are'),
    'robot': Entry(f'{PACKAGE}.robot', 'take in a robot by its URDF, or list the robots'),
    'model': Entry(f'{PACKAGE}.model', 'make the URDF of a robot anew from its description'),
    'test': Entry(f'{PACKAGE}.test_suite', 'check style and types, and run all tests'),
    'info': Entry(f'{PACKAGE}.environment_info', 'list versions and places, for a bug report'),
}


class CommandModule(Protocol):
    """
    What the module of a command offers.

    It may also set ``PASSES_UNKNOWN_OPTIONS = True``; then the options and words that its parser
    does not know are in ``arguments.rest``.
    """

    __doc__: str
    EXAMPLE: str

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """Declare the options of the command."""

    def run(self, arguments: argparse.Namespace) -> int:
        """Do the command and return its exit code."""


def main(words: Sequence[str] | None = None) -> int:
    """
    Run the command that the words (default: those of the command line) ask for.

    :return: exit code: 0 for success, 2 for something the user wrote, 1 for other failures.
    """
    try:
        code = _dispatch(list(sys.argv[1:] if words is None else words))
        sys.stdout.flush()
    except InputError as error:
        return _complain(str(error), WRONG_USE)
    except QuadrupedError as error:
        return _complain(str(error), FAILURE)
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        # nobody reads on, as in `| head`; keep Python from complaining when it closes stdout
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return NO_READER
    return code


def format_help() -> str:
    """Write the help: what there is, a line for each command."""
    width = max(map(len, COMMANDS))
    commands = (f'  {name:{width}}  {entry.summary}' for name, entry in COMMANDS.items())
    lines = (
        'usage: ./quadruped COMMAND [OPTIONS]',
        '',
        'Locomotion skills for a simulated dog with a flexible spine.',
        '',
        'commands:',
        *commands,
        '',
        'options:',
        '  -h, --help  this text; ./quadruped COMMAND --help tells about a command',
        '  --version   the version of the package',
        '',
        'example:',
        '  ./quadruped demo',
    )
    return '\n'.join(lines)


def build_parser(name: str, module: CommandModule) -> argparse.ArgumentParser:
    """Make the parser of a command; its help ends with the example."""
    parser = argparse.ArgumentParser(
        prog=f'./quadruped {name}',
        description=module.__doc__,
        epilog=f'example:\n  {module.EXAMPLE.strip()}',
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    module.add_arguments(parser)
    return parser


def _dispatch(words: list[str]) -> int:
    name = words[0] if words else '--help'
    if name in ('-h', '--help', 'help'):
        print(format_help())
        return 0
    if name == '--version':
        print(f'quadruped_control {__version__}')
        return 0
    if name not in COMMANDS:
        return _complain(_explain_unknown(name), WRONG_USE)
    return _run_command(name, words[1:])


def _run_command(name: str, words: list[str]) -> int:
    module = cast(CommandModule, importlib.import_module(COMMANDS[name].module))
    parser = build_parser(name, module)
    try:
        arguments, rest = parser.parse_known_args(words)
        if rest and not getattr(module, 'PASSES_UNKNOWN_OPTIONS', False):
            parser.error(f'unknown: {" ".join(rest)}')
    except SystemExit as end:  # argparse ends the process after --help and on wrong use
        return end.code if isinstance(end.code, int) else WRONG_USE
    arguments.rest = rest
    return module.run(arguments)


def _explain_unknown(name: str) -> str:
    near = difflib.get_close_matches(name, COMMANDS)
    hint = f' (did you mean {" or ".join(near)}?)' if near else ''
    return f"there is no command '{name}'{hint}; the commands are {', '.join(COMMANDS)}"


def _complain(message: str, code: int) -> int:
    print(f'quadruped: {message}', file=sys.stderr)
    return code
