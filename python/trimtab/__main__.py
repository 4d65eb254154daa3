"""The command `trimtab`."""

import signal
import sys

from ._trimtab import command


def main() -> None:
    """Runs the command with the arguments of the process, and exits with its code."""
    # The command ends at Ctrl-C by itself, which the interpreter would notice only when it has ended.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    sys.exit(command(["trimtab", *sys.argv[1:]]))


if __name__ == "__main__":
    main()
