# SPDX-License-Identifier: MIT
"""What a reader does in a browser, whichever it is: the gestures of chromium.py and firefox.py."""

import os

# Fonts of one package, whatever else is installed: how much of a label fits depends on them.
os.environ["FONTCONFIG_FILE"] = os.path.join(os.path.dirname(os.path.abspath(__file__)), "fonts.conf")

CONTROL, SHIFT, ALT, ESCAPE, ENTER, TAB, F3 = (
    "\ue009", "\ue008", "\ue00a", "\ue00c", "\ue007", "\ue004", "\ue033")
LEFT, UP, RIGHT, DOWN, END, HOME = "\ue012", "\ue013", "\ue014", "\ue015", "\ue010", "\ue011"
ELEMENT = "element-6066-11e4-a52e-4f735466cecf"  # WebDriver's key of an element's number

# Brings an element into view, and says why a click in its middle would not reach it, if so.
REACH = """
  const element = arguments[0];
  element.scrollIntoView({block: 'nearest', inline: 'nearest', behavior: 'instant'});
  const box = element.getBoundingClientRect();
  const left = Math.max(box.left, 0), right = Math.min(box.right, innerWidth);
  const top = Math.max(box.top, 0), bottom = Math.min(box.bottom, innerHeight);
  const there = document.elementFromPoint((left + right) / 2, (top + bottom) / 2);
  if (there && (element.contains(there) || there.contains(element))) return null;
  return 'covered by ' + (there ? there.outerHTML.slice(0, 100) : 'nothing');
"""


class WebDriverError(Exception):
    pass


class PageError(Exception):
    """An error of the page's script that no test asked for."""


class Browser:
    """What both browsers share. One that is closed while errors() of the page were not asked for
    raises PageError, so that an uncaught error fails any test."""

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        try:
            self.close()
        except PageError:
            if kind is None:
                raise

    def next_frame(self):
        """Returns when the page has drawn its next frame and done what it had to do by then."""
        self.run("return new Promise((done) => requestAnimationFrame(() => setTimeout(done)))")

    def settle(self):
        """Returns when two frames were drawn without other elements: bars and table may change the
        picture's width a moment later, and then all of it is made anew."""
        if not self.javascript:
            return
        drawn = 0
        while drawn < 2:
            self.next_frame()
            drawn = drawn + 1 if self.run(
                "const frames = document.getElementById('frames'), known = window.settled === frames; "
                "window.settled = frames; return known") else 0

    def tab_into(self, selector):
        """Goes on with Tab until something in it has the focus; returns whether anything takes it."""
        for _ in range(40):
            self.type(TAB)
            if self.run("return !!document.activeElement.closest(arguments[0])", selector):
                return True
        return False

    def find(self, selector):
        element = self.run("return document.querySelector(arguments[0])", selector)
        if element is None:
            raise WebDriverError("no such element: " + selector)
        return element

    def size(self):
        """The width and height of the window as the page sees it."""
        return self.run("return [innerWidth, innerHeight]")

    # ---- pointer -------------------------------------------------------------------------------
    def _pointer(self, actions, kind="mouse"):
        self._actions([{"type": "pointer", "id": kind, "parameters": {"pointerType": kind},
                        "actions": actions}])

    @staticmethod
    def _to(element):
        return {"type": "pointerMove", "duration": 0, "x": 0, "y": 0, "origin": element}

    def click(self, target):
        """Clicks an element, or the first that a CSS selector finds."""
        element = self.find(target) if isinstance(target, str) else target
        problem = self.run(REACH, element)
        if problem:
            raise WebDriverError("element click intercepted: %s is %s" % (target, problem))
        self._pointer([self._to(element), {"type": "pointerDown", "button": 0},
                       {"type": "pointerUp", "button": 0}])

    def hover(self, element):
        self._pointer([self._to(element)])

    def move_to(self, x, y):
        """Moves the pointer to a place of the window."""
        self._pointer([{"type": "pointerMove", "duration": 0, "x": x, "y": y}])

    def context_click(self, element):
        self._pointer([self._to(element), {"type": "pointerDown", "button": 2},
                       {"type": "pointerUp", "button": 2}])

    def click_at(self, x, y):
        """Clicks a place of the window."""
        self._pointer([{"type": "pointerMove", "duration": 0, "x": x, "y": y},
                       {"type": "pointerDown", "button": 0}, {"type": "pointerUp", "button": 0}])

    def touch(self, element, seconds=0):
        """Holds a finger on an element."""
        self._pointer([self._to(element), {"type": "pointerDown", "button": 0},
                       {"type": "pause", "duration": int(1000 * seconds)},
                       {"type": "pointerUp", "button": 0}], "touch")

    # ---- keys ----------------------------------------------------------------------------------
    def keys(self, *keys):
        """Presses keys together, as "control f"."""
        down = [{"type": "keyDown", "value": key} for key in keys]
        up = [{"type": "keyUp", "value": key} for key in reversed(keys)]
        self._actions([{"type": "key", "id": "keys", "actions": down + up}])

    def type(self, text):
        """Presses one key after the other."""
        actions = []
        for key in text:
            actions += [{"type": "keyDown", "value": key}, {"type": "keyUp", "value": key}]
        self._actions([{"type": "key", "id": "keys", "actions": actions}])

    def _complain(self, errors):
        """Raises what the page's script threw and no test took."""
        if errors:
            raise PageError("error of the page: " + "; ".join(errors))


def file_url(path):
    return "file://" + os.path.abspath(path)
