"""`python -m crosslane` is the command `crosslane`."""

import sys

from ._command import main

sys.exit(main())
