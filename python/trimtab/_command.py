"""The command, for a process of its own.

It is run by its path: `python -m` would import a folder `trimtab` in the current directory, which may be anybody's.
"""

import os
import sys

# In place of this folder, whose modules have names of frameworks.
sys.path[0] = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

from trimtab.__main__ import main  # noqa: E402

if __name__ == "__main__":
    main()
