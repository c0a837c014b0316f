# SPDX-License-Identifier: MIT
"""Several profiles in one page: aiflame-svg --tab NAME=FILE.

    python3 tabs_test.py [TEST]...     draws with the aiflame-svg that is on PATH
"""

import os
import subprocess
import sys
import unittest

from drawn_page import DrawnPage
from inputs import genuine
from matrix_test import CONTRAST, axe, contrast_script
from webdriver import LEFT, RIGHT

STALLS = ("# aiflame: event gpu-stall, unit stalls\n"
          "app;main;fit;-;gemm_[G];FFMA_[g];sbid_[g] %d\napp;main;fit;-;copy_[G];LDG_[g];sbid_[g] %d\napp;main;%s;-;copy_[G];LDG_[g];active_[g] 7\n")
TIME = "# aiflame: event gpu-time, unit ns\napp;main;fit;-;gemm_[G] %d\napp;main;fit;-;copy_[G] %d\n"
AXE = """
  ; return axe.run(document, {resultTypes: ['violations']}).then((result) => result.violations
      .filter((one) => one.impact === 'serious' || one.impact === 'critical')
      .map((one) => [one.id, one.help, one.nodes.slice(0, 3).map((node) => node.html.slice(0, 150))]));
"""


class TabsTest(DrawnPage):
    def open_tabs(self, *profiles, query="", options=()):
        """Each profile: (name, text)."""
        arguments = []
        for i, (name, text) in enumerate(profiles):
            path = os.path.join(self.directory.name, "%d.folded" % i)
            with open(path, "wb") as file:
                file.write(text if isinstance(text, bytes) else text.encode())
            arguments += ["--tab", "%s=%s" % (name, path)]
        self.path = os.path.join(self.directory.name, "tabs.html" if "--html" in options else "tabs.svg")
        with open(self.path, "wb") as file:
            subprocess.run(["aiflame-svg", *arguments, *options], stdout=file, check=True)
        if self.browser is None:
            self.start(size=(1280, 800))
        self.visit(query)

    def two(self, *more, query=""):
        self.open_tabs(("before", STALLS % (70, 20, "warm")), ("after", STALLS % (30, 20, "other")), *more,
                       options=("--layout", "flame"), query=query)

    def switch(self, press):
        """Returns when the page was loaded anew."""
        self.browser.run("window.isOld = true")
        press()
        self.until(lambda: self.browser.run("return !window.isOld && document.querySelector('#tabs') !== null"))
        self.browser.settle()

    def chosen(self):
        return self.browser.run("return document.querySelector('#tabs [aria-selected=true] span').textContent")

    def counts(self):
        """By name and depth, summed."""
        sums = {}
        for row, depth in zip(self.rows(), range(99)):
            for one in row:
                name, count = one.rsplit(" ", 1)
                sums[(depth, name)] = sums.get((depth, name), 0) + int(count)
        return sums

    def test_each_tab_is_its_file(self):
        self.two()
        self.assertEqual(self.chosen(), "before")
        before = self.counts()
        self.assertEqual([before[(0, "all")], before[(5, "gemm")], before[(5, "copy")]], [97, 70, 27])
        self.assertIn("before (1 of 2 profiles)", self.text("pagesubtitle"))
        self.switch(lambda: self.browser.click("#tab2"))
        self.assertEqual(self.chosen(), "after")
        after = self.counts()
        self.assertEqual([after[(0, "all")], after[(5, "gemm")], after[(3, "other")]], [57, 30, 7])
        self.assertNotIn((3, "warm"), after)
        self.assertEqual(self.query(), {"tab": "2"})
        self.switch(self.browser.back)
        self.assertEqual(self.counts(), before)
        # one picture of each id is in the page
        self.assertEqual(self.browser.run("return ['tree', 'frames', 'title', 'reasons'].map("
                                          "(id) => document.querySelectorAll('#' + id).length)"), [1, 1, 1, 1])

    def test_zoom_and_search_survive(self):
        self.two()
        self.browser.click(self.rect("gemm"))
        self.browser.settle()
        self.browser.run("arguments[0].focus()", self.browser.find("#find input"))
        self.browser.type("sbid")
        self.until(lambda: self.query().get("s") == "sbid")
        self.browser.run("document.activeElement.blur()")
        self.switch(lambda: self.browser.type("2"))
        self.assertEqual([self.chosen(), self.query()["s"]], ["after", "sbid"])
        self.assertIn("y", self.query())
        self.assertEqual(self.counts()[(5, "gemm")], 30)
        self.assertNotIn((5, "copy"), self.counts())
        self.browser.reload()
        self.until(self.is_ready)
        self.browser.settle()
        self.assertNotIn((5, "copy"), self.counts())
        # a frame that the other profile lacks: as far as it goes
        self.browser.type("\ue00c\ue00c")
        self.browser.settle()
        self.browser.click(self.rect("other"))
        self.switch(lambda: self.browser.type("1"))
        self.assertEqual(self.chosen(), "before")
        self.assertEqual(self.counts()[(3, "warm")], 7)

    def test_small_multiples_are_on_one_scale(self):
        self.open_tabs(("rank 0", TIME % (50, 50)), ("rank 1", TIME % (150, 50)), ("rank 2", TIME % (20, 30)),
                       ("stalls", STALLS % (1, 1, "x")))
        wide = self.browser.run("""
          return [...document.querySelectorAll('#tabs button')].map((button) => {
            const boxes = [...button.querySelectorAll('svg path')].map((one) => one.getBBox());
            return boxes.length && Math.round(Math.max(...boxes.map((box) => box.x + box.width)) - Math.min(...boxes.map((box) => box.x)));
          });""")
        self.assertEqual(wide, [74, 148, 37, 0])
        self.assertEqual(self.browser.run("return [...document.querySelectorAll('#tabs .sum')].map((one) => one.textContent)"),
                         ["100 ns", "200 ns \u00b7 slowest", "50 ns", "9 samples"])
        # and the same where another one is shown, and its picture is as wide as the window
        self.visit("?tab=2")
        self.assertEqual(self.browser.run("""
          return Math.round(Math.max(...[...document.querySelectorAll('#tab2 svg path')].map((one) => one.getBBox().width)))"""), 148)

    def test_genuine_profiles(self):
        text = genuine("intel")
        if text is None:
            self.skipTest("no genuine samples")
        totals = [sum(int(line.rsplit(b" ", 1)[1]) for line in one.splitlines() if line[:1] != b"#")
                  for one in (text, genuine("nvidia"), genuine("amd"))]
        self.open_tabs(("max", text), ("nvidia", genuine("nvidia")), ("amd", genuine("amd")))
        for i, total in enumerate(totals):
            if i > 0:
                self.switch(lambda: self.browser.click("#tab%d" % (i + 1)))
            self.assertEqual(int(self.browser.run("return document.querySelector('#stage svg').dataset.total")), total)
            self.assertIn(format(total, ","), self.text("tablecount"))

    def test_keyboard_axe_and_contrast(self):
        self.two(("time", TIME % (1, 2)))
        self.browser.run("document.querySelector('#tab1').focus()")
        self.browser.type(RIGHT + RIGHT + LEFT)
        self.assertEqual(self.focus(), "tab2")
        for scheme in "light", "dark":
            self.browser.colour_scheme(scheme)
            self.browser.settle()
            self.assertEqual(self.browser.run(contrast_script(), CONTRAST)["low"], [], scheme)
        script, _ = axe()
        if script:
            self.assertEqual(self.browser.run(script + AXE), [])
        self.browser.resize(390, 800, phone=True)
        self.visit("")
        self.assertEqual(self.browser.run("return document.documentElement.scrollWidth"), 390)

    def test_names_are_text(self):
        self.open_tabs(("</svg><img/><script>alert(1)</script>", STALLS % (1, 1, "x")), ("&quot;\"'", STALLS % (1, 2, "x")))
        self.assertEqual(self.chosen(), "</svg><img/><script>alert(1)</script>")
        self.assertEqual(self.browser.run("return document.images.length"), 0)
        for query in "?tab=99", "?tab=-1", "?tab=x", "?tab=2&tab=1":
            self.visit(query)
            self.assertEqual(self.chosen(), "&quot;\"'" if query.startswith("?tab=2") else "</svg><img/><script>alert(1)</script>")

    def test_in_a_page_of_html(self):
        self.open_tabs(("a", STALLS % (3, 1, "x")), ("b", STALLS % (1, 2, "x")), options=("--html", "--layout", "flame"))
        self.visit("?tab=2")
        self.assertEqual([self.chosen(), self.counts()[(0, "all")]], ["b", 10])


if __name__ == "__main__":
    arguments = ["TabsTest." + name for name in sys.argv[1:]]
    unittest.main(argv=[sys.argv[0], *arguments])
