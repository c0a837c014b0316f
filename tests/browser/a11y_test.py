# SPDX-License-Identifier: MIT
"""The page by keyboard and to a screen reader: the frames are a tree, the focus stays, a zoom is told.

    python3 a11y_test.py [TEST]...     draws with the aiflame-svg that is on PATH
"""

import sys
import unittest

from drawn_page import LAYERS, DrawnPage
from viewer_test import ViewerTest
from webdriver import DOWN, END, ENTER, ESCAPE, HOME, LEFT, RIGHT, UP

SMALL = "m;a;x 5\nm;b;x 3\nm;c 4\n"
# each item: its name, level, place, number of siblings, whether it is open
ITEMS = """
  return [...document.querySelectorAll('#frames > *')].filter((g) => g.getAttribute('role') === 'treeitem')
      .map((g) => [g.querySelector('title').textContent.split(' (')[0], g.getAttribute('aria-level'),
                   g.getAttribute('aria-posinset'), g.getAttribute('aria-setsize'),
                   g.getAttribute('aria-expanded')].join(' '));
"""
STOPS = "return document.querySelectorAll('#frames [tabindex=\"0\"]').length"
FOCUSED = """
  const g = document.activeElement.closest('#frames > *');
  return g ? g.querySelector('title').textContent.split(' (')[0] : document.activeElement.localName;
"""


class A11yTest(ViewerTest):
    def draw(self, folded, *options, **more):
        """As wide as the window, unless an option says else."""
        return DrawnPage.draw(self, folded, *options, **more)

    def to_the_frames(self):
        self.assertTrue(self.browser.tab_into("#frames"), "no frame takes the focus")

    def focused(self):
        return self.browser.run(FOCUSED)

    def live(self):
        return self.text("live")

    def test_tree(self):
        """From load on, drawn by the script or by the file."""
        items = ["a 3 1 3 true", "all 1 1 1 true", "b 3 2 3 true", "c 3 3 3 ", "m 2 1 1 true",
                 "x 4 1 1 ", "x 4 1 1 "]
        for options in ([], ["--width", "800"]):
            self.open(SMALL, "--title", "Small", *options)
            self.assertEqual(self.browser.run("const f = document.getElementById('frames'); return "
                                              "[f.getAttribute('role'), f.getAttribute('aria-label')]"),
                             ["tree", "Small"])
            self.assertEqual(sorted(self.browser.run(ITEMS)), items)
            self.assertEqual(self.browser.run(STOPS), 1)
            self.assertEqual(self.browser.run("return document.title"), "Small")

    def test_frames_too_narrow_to_draw(self):
        """A frame on which nothing is drawn, though there is something, is closed; zooming opens it."""
        self.open("m;wide 100000\n" + "".join("m;small;f%d 20\n" % i for i in range(40)))
        self.assertIn("small 3 1 2 false", self.browser.run(ITEMS))
        self.zoom("small")
        self.assertIn("small 3 1 1 true", self.browser.run(ITEMS))

    def test_first_arrow_moves(self):
        for options in ([], ["--width", "800"]):
            self.open(SMALL, *options)
            self.to_the_frames()
            self.assertEqual(self.focused(), "all")
            self.browser.type(UP)
            self.assertEqual(self.focused(), "m")
            self.browser.type(UP + RIGHT)
            self.assertEqual(self.focused(), "b")
            self.browser.type(LEFT + DOWN)
            self.assertEqual(self.focused(), "m")
            self.assertEqual(self.browser.run(STOPS), 1)

    def test_arrow_without_focus(self):
        """The first arrow key goes on from the root, without a Tab before it."""
        self.open(SMALL)
        self.browser.type(UP)
        self.assertEqual(self.focused(), "m")
        self.browser.type(DOWN)
        self.assertEqual(self.focused(), "all")

    def test_home_and_end(self):
        self.open(SMALL)
        self.to_the_frames()
        self.browser.type(END)
        self.assertEqual(self.focused(), "x")  # by a, the widest
        self.browser.type(HOME)
        self.assertEqual(self.focused(), "all")

    def test_focus_stays(self):
        """On the same frame, whatever is drawn anew; or on the nearest below it."""
        for options in ([], ["--width", "800"]):
            self.open(LAYERS, *options)
            self.to_the_frames()
            self.browser.type(UP + UP)
            name = self.focused()
            for key in ("w", "w", "i", "i", "c", "c", "r", "r", "s", "s"):
                self.browser.type(key)
                self.assertEqual(self.focused(), name, key)
            self.browser.type("l")
            self.assertEqual(self.focused(), "all")
            self.browser.type("l0")
            self.browser.type(END)
            name = self.focused()
            self.browser.type(ENTER)
            self.assertEqual(self.focused(), name)
            self.assertIn(name + ", ", self.live())
            self.browser.type(ESCAPE)
            self.assertEqual(self.focused(), name)
            self.assertEqual(self.live(), "all, 100%")

    def test_focus_stays_with_the_pointer(self):
        for options in ([], ["--width", "800"]):
            self.open(LAYERS, *options)
            self.zoom("run_basic(float*)")
            self.assertEqual(self.focused(), "run_basic(float*)")
            self.assertEqual(self.live(), "run_basic(float*), 56.5%")
            self.browser.run("document.querySelector('#crumbs button').focus()")
            self.browser.type(ENTER)  # its button is made anew
            self.assertTrue(self.browser.run("return !!document.activeElement.closest('#crumbs')"))

    def test_focus_of_a_menu_goes_back(self):
        """Its frame was drawn anew while it was open."""
        self.open(SMALL)
        self.to_the_frames()
        self.browser.type(UP + "?")
        self.browser.type("w" + ESCAPE)
        self.assertEqual(self.focused(), "m")

    def test_preferences(self):
        self.open(LAYERS)
        self.browser.forced_colours()
        self.browser.reduced_motion()
        self.browser.next_frame()
        self.assertEqual(self.browser.run("""
          const style = (selector) => getComputedStyle(document.querySelector(selector));
          return [style('#frames rect').strokeWidth, style('#stage > svg').forcedColorAdjust,
                  style('#page button').transitionDuration]"""), ["1px", "none", "0s"])
        self.assertEqual(self.browser.run(
            "return getComputedStyle(document.querySelector('#frames rect')).fill"),
                         self.frame("all")["fill"].replace(",", ", "))


if __name__ == "__main__":
    arguments = ["A11yTest." + name for name in sys.argv[1:] or
                 [name for name in vars(A11yTest) if name.startswith("test")]]
    unittest.main(argv=[sys.argv[0], *arguments])
