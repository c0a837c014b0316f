# SPDX-License-Identifier: MIT
"""The browser that the tests drive: Debian's Chromium, or with BROWSER=firefox its Firefox ESR.

    with Browser() as browser:
        browser.open("file:///tmp/matmul.svg")
        browser.click("#search")
"""

import os

from browser import (CONTROL, DOWN, END, ENTER, ESCAPE, F3, HOME, LEFT, RIGHT, SHIFT, TAB, UP, PageError,
                     WebDriverError, file_url)
from chromium import Chromium
from firefox import Firefox

__all__ = ["CONTROL", "DOWN", "END", "ENTER", "ESCAPE", "F3", "HOME", "LEFT", "RIGHT", "SHIFT", "TAB",
           "UP", "Browser", "PageError", "WebDriverError", "file_url", "missing_programs"]

BROWSERS = {"chromium": Chromium, "firefox": Firefox}
Browser = BROWSERS[os.environ.get("BROWSER") or "chromium"]


def missing_programs():
    """What the browser needs and this machine lacks."""
    return Browser.missing()
