# SPDX-License-Identifier: MIT
"""The bar above the picture: its buttons, and the search that follows the typing.

    python3 toolbar_test.py [TEST]...     draws with the aiflame-svg that is on PATH
"""

import sys
import unittest

from drawn_page import CONTRAST, LAYERS, DrawnPage
from webdriver import CONTROL, ENTER, ESCAPE, SHIFT

MAGENTA, BLUE = "rgb(230,0,230)", "rgb(0,140,255)"
BUTTONS = """
  return [...document.querySelectorAll('#buttons button, #find button, #find input')]
      .filter((one) => one.checkVisibility()).map((one) => {
        const box = one.getBoundingClientRect();
        return [one.id, box.width, box.height, box.left, box.right];
      });
"""


class ToolbarTest(DrawnPage):
    def pressed(self, identifier):
        return self.browser.run("return document.getElementById(arguments[0])"
                                ".getAttribute('aria-pressed')", identifier)

    def value(self):
        return self.browser.run("return document.getElementById('term').value")

    def type(self, text):
        """Types into the search field, and waits until the search has followed."""
        self.browser.click("#term")
        self.browser.type(text)
        self.until(lambda: self.browser.run(
            "return [...document.querySelectorAll('.chipterm')].some((one) => one.textContent === "
            "document.getElementById('term').value)") and "\u2026" not in self.text("terms"))

    # ---- buttons -------------------------------------------------------------------------------
    def test_buttons(self):
        self.open(LAYERS)
        self.assertEqual([one[0] for one in self.browser.run(BUTTONS)], [
            "term", "casebutton", "swapbutton", "leafbutton", "tablebutton", "viewbutton", "helpbutton"])
        for identifier, width, height, _, _ in self.browser.run(BUTTONS):
            if identifier != "casebutton":
                self.assertGreaterEqual(height, 32, identifier)
                self.assertGreaterEqual(width, 32, identifier)
        self.browser.click("#swapbutton")
        self.assertEqual((self.pressed("swapbutton"), self.query()), ("true", {"swap": "1"}))
        self.assertTrue(self.is_shown("resetbutton"))
        self.browser.type("l")  # the keys and the buttons are the same switches
        self.assertEqual(self.pressed("leafbutton"), "true")
        self.browser.click("#resetbutton")
        self.assertEqual((self.pressed("swapbutton"), self.pressed("leafbutton"), self.query()),
                         ("false", "false", {}))
        self.assertFalse(self.is_shown("resetbutton"))
        self.assertEqual(self.focus(), "viewbutton")  # that of a button which disappears
        self.browser.click("#viewbutton")
        expanded = "return document.getElementById('viewbutton').getAttribute('aria-expanded')"
        self.until(lambda: self.browser.run(expanded) == "true")
        self.browser.keys(ESCAPE)
        self.until(lambda: self.browser.run(expanded) == "false")
        self.assertEqual(self.focus(), "viewbutton")
        self.browser.type("?")
        self.assertIn("next, previous match", self.text("help"))
        self.assertIn("Width: samples", self.text("help"))
        self.open("main;a 1\nmain;b 2\n")
        self.assertNotIn("swapbutton", [one[0] for one in self.browser.run(BUTTONS)])

    def test_contrast(self):
        for dark in (False, True):
            self.start(dark=dark)
            self.browser.colour_scheme("dark" if dark else "light")
            self.open(LAYERS, query="?s=sbid&s=dot&leaf=1&ic=1")
            self.browser.type("?")
            least, text = self.browser.run(CONTRAST, "#bar *, #help *")
            self.assertGreaterEqual(least, 4.5, text)
            self.browser.click("#viewbutton")
            least, text = self.browser.run(CONTRAST, "#viewmenu *")
            self.assertGreaterEqual(least, 4.5, text)
            self.browser.keys(ESCAPE)
            self.browser.click("#term")
            self.browser.type("(")
            self.until(lambda: self.text("searchmessage"))
            least, text = self.browser.run(CONTRAST, "#bar *")
            self.assertGreaterEqual(least, 4.5, text)

    def test_narrow(self):
        """Below 600 pixels the buttons lie in a sheet."""
        self.start(size=(390, 800))
        self.browser.resize(390, 800)
        self.open(LAYERS)
        self.assertFalse(self.is_shown("leafbutton"))
        for one in self.browser.run(BUTTONS):
            self.assertLessEqual(one[4], 390, one)
        self.browser.click("#menubutton")
        self.assertTrue(self.is_shown("leafbutton"))
        for identifier, _, height, left, right in self.browser.run(BUTTONS):
            if identifier not in ("term", "casebutton"):
                self.assertGreaterEqual(height, 44, identifier)
            self.assertGreaterEqual(left, 0, identifier)
            self.assertLessEqual(right, 390, identifier)
        self.browser.keys(ESCAPE)
        self.assertFalse(self.is_shown("leafbutton"))
        self.assertEqual(self.focus(), "menubutton")
        self.browser.click("#menubutton")
        self.browser.click("#leafbutton")
        self.assertFalse(self.is_shown("leafbutton"))
        self.assertEqual(self.query(), {"leaf": "1"})

    # ---- search --------------------------------------------------------------------------------
    def test_search_follows_the_typing(self):
        self.open(LAYERS)
        before = self.frame("python3")["fill"]
        self.browser.type("/")
        self.assertEqual(self.focus(), "term")
        # history.length ends at 50, and all tests share a window
        self.browser.run("window.pushed = 0; const push = history.pushState.bind(history); "
                         "history.pushState = (...all) => { ++window.pushed; push(...all); }")
        self.type("sb")
        self.type("id")
        self.assertEqual(self.frame("sbid")["fill"], MAGENTA)
        self.assertIn("match", self.frame("sbid")["classes"])
        self.assertEqual(self.text("terms"), "sbid 56.5% \u00b7 4 frames\u00d7")
        self.assertEqual((self.focus(), self.query()), ("term", {"s": "sbid"}))
        # one step back in the history for what was typed
        self.assertEqual(self.browser.run("return window.pushed"), 1)
        faded = self.frame("python3")["fill"]
        spread = [max(c) - min(c) for c in (
            [int(part) for part in fill[4:-1].split(",")] for fill in (before, faded))]
        self.assertLess(spread[1], spread[0] * 0.45)
        # the picture begins below the bar with its chips
        boxes = self.browser.run("return ['bar', 'stage', 'searchbox'].map((id) => { const box = "
                                 "document.getElementById(id).getBoundingClientRect(); "
                                 "return [box.top, box.bottom]; })")
        self.assertLessEqual(boxes[0][1], boxes[1][0])
        self.assertLessEqual(boxes[2][1], boxes[0][1])
        self.browser.keys(ESCAPE)
        self.assertEqual((self.value(), self.focus(), self.query()), ("", "term", {}))
        self.assertEqual(self.frame("python3")["fill"], before)
        self.assertFalse(self.is_shown("searchbox"))
        self.browser.keys(ESCAPE)
        self.assertEqual(self.focus(), "")

    def test_typing_does_not_scroll(self):
        """A tall picture opens at its root, and stays there while the reader types."""
        self.open("".join("main;%s %d\n" % (";".join("f%d" % i for i in range(depth)), depth)
                          for depth in range(1, 90)))
        place = "return document.documentElement.scrollHeight - window.scrollY"
        self.browser.keys("/")
        before = self.browser.run(place)
        self.assertGreater(self.browser.run("return window.scrollY"), 200)
        for key in "f89":
            self.browser.keys(key)
        self.assertEqual(self.browser.run(place), before)

    def test_place_among_the_matches(self):
        self.open(LAYERS)
        self.type("^sbid$")
        self.browser.keys(ENTER)
        self.assertEqual(self.text("terms"), "^sbid$ 56.5% \u00b7 1 of 4\u00d7")
        self.browser.keys(ENTER)
        self.assertIn("2 of 4", self.text("terms"))
        self.browser.keys(SHIFT, ENTER)
        self.assertIn("1 of 4", self.text("terms"))
        self.assertEqual(self.focus(), "term")
        self.browser.keys(ESCAPE)
        self.browser.keys(ESCAPE)
        self.type("no such frame")
        self.browser.keys(ENTER)
        self.assertEqual(self.text("terms"), "no such frame 0.0% \u00b7 no match\u00d7")
        self.assertEqual((self.focus(), self.value()), ("term", "no such frame"))

    def test_what_a_link_changes_is_said(self):
        """Focus, hidden names and layers are chips that take them back; names may lack the annotation."""
        changes = lambda: self.browser.run(
            "return [...document.querySelectorAll('#altered .chip')].map((one) => one.textContent)")
        self.open(LAYERS, query="?focus=run_basic(float*)&hide=mulss&fold=reasons")
        self.assertEqual(changes(), ["onlyrun_basic(float*)\u00d7", "withoutmulss\u00d7", "withoutReasons\u00d7"])
        self.assertIsNone(self.frame("mulss"))
        self.browser.click("#altered .chip:nth-child(2) button")
        self.assertEqual(changes(), ["onlyrun_basic(float*)\u00d7", "withoutReasons\u00d7"])
        self.assertIsNotNone(self.frame("mulss"))
        self.browser.click("#altered button")
        self.browser.click("#altered button")
        self.assertFalse(self.is_shown("altered"))
        self.assertEqual(self.query(), {})
        self.visit("?hide=no_such_name")
        self.assertEqual(self.text("statustext"), "No frame here is called no_such_name")
        self.assertFalse(self.is_shown("altered"))

    def test_what_is_no_expression(self):
        self.open(LAYERS)
        self.type("sbid")
        self.browser.type("(")
        self.until(lambda: self.text("searchmessage"))
        self.assertEqual(self.text("searchmessage"), "Not a regular expression: sbid(")
        self.assertEqual((self.frame("sbid")["fill"], self.query()), (MAGENTA, {"s": "sbid"}))
        self.assertEqual((self.focus(), self.value()), ("term", "sbid("))
        self.browser.type("|)")  # and now it is one
        self.until(lambda: not self.text("searchmessage"))
        self.assertEqual(self.query(), {"s": "sbid(|)"})

    def test_several_terms(self):
        self.open(LAYERS)
        self.type("sbid")
        self.browser.keys(CONTROL, ENTER)
        self.assertEqual(self.value(), "")
        self.type("dot")
        self.assertEqual((self.frame("sbid")["fill"], self.frame("dot")["fill"]), (MAGENTA, BLUE))
        self.assertEqual(self.text("matchtext"), "Matched: 64.2%")
        self.browser.click(".chip:first-child .chipterm")
        self.assertEqual((self.value(), self.focus()), ("sbid", "term"))
        self.browser.click(".chip:first-child .remove")
        self.assertEqual((self.query(), self.value(), self.focus()), ({"s": "dot"}, "dot", "term"))
        self.assertEqual(self.frame("dot")["fill"], MAGENTA)

    def test_filter(self):
        self.open(LAYERS)
        self.type("sbid")
        self.browser.click("#filterbutton")
        self.assertEqual(self.pressed("filterbutton"), "true")
        self.assertEqual(self.query(), {"s": "sbid", "filter": "1"})
        self.assertIsNone(self.frame("run_tiled(float*)"))
        self.assertEqual(self.frame("all")["title"], "all (1,550 samples, 56.47%)")
        self.assertEqual(self.text("terms"), "sbid 56.5% of all \u00b7 4 frames\u00d7")
        self.type("x")  # sbidx
        self.assertEqual(self.text("terms"), "sbidx 0.0% of all \u00b7 no match\u00d7")
        self.browser.back()
        self.browser.reload()
        self.until(lambda: self.browser.run("return !!document.querySelector('.chip')"))
        self.browser.keys("0")
        self.until(lambda: self.frame("run_tiled(float*)") is not None)

    def test_a_link_to_a_filter(self):
        self.open(LAYERS, query="?s=sbid&filter=1")
        self.until(lambda: self.frame("run_tiled(float*)") is None)
        self.assertEqual((self.value(), self.pressed("filterbutton")), ("sbid", "true"))
        self.browser.click("#filterbutton")
        self.assertIsNotNone(self.frame("run_tiled(float*)"))


if __name__ == "__main__":
    arguments = ["ToolbarTest." + name for name in sys.argv[1:]]
    unittest.main(argv=[sys.argv[0], *arguments])
