# SPDX-License-Identifier: MIT
"""A name between its callers and callees: how the reader gets there, what is drawn, and the way back.

    python3 sandwich_test.py [TEST]...     draws with the aiflame-svg that is on PATH
"""

import sys
import unittest

from drawn_page import DrawnPage
from webdriver import DOWN, ESCAPE, TAB, UP

KERNELS = ("# aiflame: event gpu-stall, unit stalls, period 1004 cycles\n"
           "app;main;step;launch;-;k.cu_[G];gemm_[G];FFMA_[g];selected_[g] 50\n"
           "app;main;step;step;launch;-;k.cu_[G];gemm_[G];LDG_[g];long_scoreboard_[g] 30\n"
           "app;main;warm_up;launch;-;k.cu_[G];gemm_[G];FFMA_[g];selected_[g] 10\n"
           "app;main;warm_up;launch;-;k.cu_[G];copy_[G];LDG_[g];long_scoreboard_[g] 5\n"
           "app;main;exit 5\n")


class SandwichTest(DrawnPage):
    def open(self, folded, *options, query=""):
        if self.browser is None:
            self.start(size=(1280, 800))
        super().open(folded, *options, query=query)

    def names(self):
        """Each row from the top down: names and counts from left to right."""
        return self.browser.run("""
          const rows = new Map();
          for (const g of document.querySelectorAll('#frames > *')) {
            const [title, rect] = g.children, y = +rect.getAttribute('y');
            if (!rows.has(y)) rows.set(y, []);
            rows.get(y).push([+rect.getAttribute('x'), title.textContent.split(' (')[0] + ' ' + g.dataset.n]);
          }
          return [...rows.keys()].sort((a, b) => a - b).map(
              (y) => rows.get(y).sort((a, b) => a[0] - b[0]).map((one) => one[1]));""")

    def row(self, selector):
        """A row of the table, once it is there."""
        self.until(lambda: self.browser.run("return document.querySelector(arguments[0]) !== null", selector))
        return self.browser.find(selector)

    def test_from_a_frame(self):
        """Above the name its callers, the nearest first, up to the root; below it what it calls."""
        self.open(KERNELS)
        before = self.names()
        self.browser.hover(self.rect("launch"))
        self.browser.type("x")
        self.assertEqual(self.names(), [
            ["app 30"], ["app 50", "main 30", "app 15"], ["main 50", "step 30", "main 15"], ["step 80", "warm_up 15"],
            ["launch 95"], ["- 95"], ["k.cu 95"], ["copy 5", "gemm 90"], ["LDG 5", "FFMA 60", "LDG 30"],
            ["long_scoreboard 5", "selected 60", "long_scoreboard 30"]])
        self.assertEqual(self.query(), {"sandwich": "launch"})
        self.assertIn("launch", self.text("altered"))
        self.assertIn("between", self.frame("launch")["classes"])
        self.browser.reload()
        self.until(self.is_ready)
        self.assertEqual(len(self.names()), 10)
        # a caller, and what called it
        self.browser.click(self.rect("step"))
        self.assertEqual([row[0] for row in self.names()],
                         ["app 30", "app 50", "main 50", "step 80", "launch 95"])
        self.assertEqual(self.frame("step")["title"].split("\n")[0], "step (80 samples, 80.00%)")
        self.browser.keys(ESCAPE)
        self.assertEqual(len(self.names()), 10)
        self.browser.keys(ESCAPE)
        self.assertEqual(self.names(), before)
        self.assertEqual(self.query(), {})

    def test_recursion(self):
        """The outermost step counts, so that its callers are those of the recursion."""
        self.open(KERNELS, query="?sandwich=step")
        self.assertEqual(self.names()[:4], [["app 80"], ["main 80"], ["step 80"], ["launch 50", "step 30"]])

    def test_goes_back_to_where_the_reader_was(self):
        self.open(KERNELS)
        self.browser.click(self.rect("step"))
        zoomed = self.names()
        self.browser.hover(self.rect("gemm"))
        self.browser.type("x")
        self.assertEqual(len(self.names()), 10)
        self.browser.type("0")
        self.browser.click(self.rect("main"))
        self.browser.back()
        self.browser.back()
        self.until(lambda: len(self.names()) == 10)
        self.browser.back()
        self.until(lambda: self.names() == zoomed)
        self.browser.hover(self.rect("gemm"))
        self.browser.type("xx")
        self.assertEqual(self.names(), zoomed)

    def test_from_the_menus(self):
        self.open(KERNELS)
        self.browser.context_click(self.rect("gemm"))
        self.browser.click("#menusandwich")
        self.assertEqual(self.query(), {"sandwich": "gemm_[G]"})
        gemm = self.names()
        self.assertEqual(gemm[5:7], [["- 90"], ["k.cu 90"]])
        self.browser.click("#altered .remove")
        self.browser.context_click(self.row("#table-kernels tr[data-name] button"))
        self.browser.click("#menusandwich")
        self.assertEqual(self.query(), {"sandwich": "gemm_[G]"})
        self.assertEqual(self.names(), gemm)

    def test_from_the_table(self):
        self.open(KERNELS)
        self.browser.hover(self.row("#table-kernels button[title^='copy:']"))
        self.browser.type("x")
        self.assertEqual(self.query(), {"sandwich": "copy_[G]"})
        self.assertIn("copy 5", [name for row in self.names() for name in row])
        # the table is of what lies in and on the name
        self.assertEqual(self.text("tablecount"), "5 samples")

    def test_a_row_of_several_names_has_none(self):
        self.open(KERNELS)
        self.browser.move_to(5, 5)
        self.browser.hover(self.row("#table-kinds tr[data-kind] button"))
        self.browser.type("x")
        self.assertEqual(self.query(), {})
        self.assertIn("then press X", self.text("statustext"))

    def test_by_keyboard(self):
        """The arrows go up to callers and down to callees."""
        self.open(KERNELS, query="?sandwich=step")
        self.browser.run("document.querySelector('#frames [tabindex=\"0\"]').focus()")
        at = "return document.activeElement.firstElementChild.textContent.split(' (')[0]"
        seen = [self.browser.run(at)]
        for key in (UP, UP, DOWN, DOWN, DOWN, DOWN, UP, UP, UP):
            self.browser.keys(key)
            seen.append(self.browser.run(at))
        self.assertEqual(seen, ["step", "main", "app", "main", "step", "launch", "-", "launch", "step", "main"])

    def test_turned_over_sorted_searched(self):
        self.open(KERNELS, query="?sandwich=launch")
        upright = self.names()
        self.browser.type("i")
        self.assertEqual(self.names(), upright[::-1])
        self.browser.type("i")
        self.browser.type("w")
        self.assertEqual(self.names()[3:5], [["step 80", "warm_up 15"], ["launch 95"]])
        self.assertEqual(self.names()[7], ["gemm 90", "copy 5"])
        self.open(KERNELS, query="?sandwich=launch&s=warm_up|copy")
        self.assertIn("match", self.frame("warm_up")["classes"])
        self.assertIn("match", self.frame("copy")["classes"])

    def test_other_stacks_leave_it(self):
        self.open(KERNELS, query="?sandwich=launch")
        self.browser.type("l")
        self.assertEqual(self.query(), {"leaf": "1"})
        self.browser.type("l")
        self.assertEqual(self.names()[-1], ["all 100"])

    def test_copied_as_folded(self):
        """What the name calls, or the callers that are zoomed to: each sample once."""
        self.open(KERNELS, query="?sandwich=warm_up")
        self.browser.allow_clipboard()
        def copied(beginning):
            self.browser.click("#viewbutton")
            self.browser.click("#copyfolded")
            read = "return navigator.clipboard.readText()"
            self.until(lambda: beginning in self.browser.run(read))
            return self.browser.run(read).splitlines()[1:]
        self.assertEqual(copied("warm_up;launch"), [
            "warm_up;launch;-;k.cu_[G];copy_[G];LDG_[g];long_scoreboard_[g] 5",
            "warm_up;launch;-;k.cu_[G];gemm_[G];FFMA_[g];selected_[g] 10"])
        self.browser.click(self.rect("main"))
        self.assertEqual(copied("warm_up;main"), ["warm_up;main;app 15"])

    def test_an_unknown_name_is_said(self):
        self.open(KERNELS, query="?sandwich=nobody")
        self.assertIn("No frame here is called nobody", self.text("statustext"))
        self.assertEqual(self.names()[-1], ["all 100"])


if __name__ == "__main__":
    arguments = ["SandwichTest." + name for name in sys.argv[1:]]
    unittest.main(argv=[sys.argv[0], *arguments])
