# SPDX-License-Identifier: MIT
"""Layers that line up: what is drawn, what its frames stand for, how the reader gets there and back.

    python3 aligned_test.py [TEST]...     draws with the aiflame-svg that is on PATH
"""

import sys
import unittest

from drawn_page import DrawnPage
from webdriver import DOWN, ESCAPE, UP

STALLS = ("# aiflame: event gpu-stall, unit stalls, period 1004 cycles\n"
          "app;_start;main;forward;block;launch;-;k.cu_[G];gemm_[G];FFMA_[g];selected_[g];0x10_[g] 40\n"
          "app;_start;main;forward;block;launch;-;k.cu_[G];gemm_[G];LDG_[g];long_scoreboard_[g];0x20_[g] 18\n"
          "app;_start;main;forward;block;launch;-;k.cu_[G];gemm_[G];LDS_[g];short_scoreboard_[g];0x30_[g] 12\n"
          "app;_start;main;forward;launch;-;k.cu_[G];gemm_[G];FFMA_[g];selected_[g];0x10_[g] 10\n"
          "app;_start;main;forward;launch;-;k.cu_[G];copy_[G];LDG_[g];long_scoreboard_[g];0x8_[g] 6\n"
          "app;_start;main;exit 14\n")
ALIGNED = [["waits for memory 30", "issues work 40", "waits for memory 6", "issues work 10"],
           ["gemm 70", "copy 6", "gemm 10"], ["2 frames: block \u2026 launch 70", "launch 16"], ["exit 14", "forward 86"],
           ["4 frames: all \u2026 main 100"]]


class AlignedTest(DrawnPage):
    LAYOUT = ()

    def open(self, folded, *options, query="", size=(1280, 800)):
        if self.browser is None:
            self.start(size=size)
        self.browser.resize(*size)
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

    def test_at_first(self):
        """AI flame graphs alone, and where the picture is the page's own; a link and an option say it, too."""
        for options, query, rows in (([], "", 5), (["--layout", "flame"], "", 13), (["--classic"], "", 13), (["--width", "1200"], "", 13),
                                     (["--layout", "flame"], "?layout=aligned", 5), (["--classic"], "?layout=aligned", 5),
                                     ([], "?layout=flame", 13), (["--inverted"], "", 5), (["--reverse"], "", 13),
                                     (["--reverse"], "?layout=aligned", 13), (["--flamechart"], "?layout=aligned", 13)):
            with self.subTest(options=options, query=query):
                self.open(STALLS, *options, query=query)
                self.assertEqual(len(self.names()), rows)
        # of a differential, every frame, unless it is asked for
        both = "".join(line.replace(" ", " 9 ", 1) + "\n" if ";" in line else line + " \n" for line in STALLS.splitlines()[1:])
        for options, rows in (([], 13), (["--layout", "aligned"], 5)):
            self.open(both, *options)
            self.assertEqual(len(self.names()), rows)

    def test_rows(self):
        """Kernels stand in one row whatever is below them; above each, what it waits for; below, down to the
        frame that launched it, hatching."""
        self.open(STALLS)
        self.assertEqual(self.names(), ALIGNED)
        row = self.frame("launch")["y"] - self.frame("forward")["y"]
        self.assertEqual(self.frame("gemm")["y"], self.frame("copy")["y"])
        self.assertEqual(self.frame("gemm")["y"] - self.frame("launch")["y"], 2 * row)
        boxes = self.browser.run("""
          const [first, ...others] = document.querySelector('.leaders').getAttribute('d').split('z').filter(Boolean)
              .map((piece) => piece.match(/M([\\d.]+) ([\\d.]+)h([\\d.]+)V([\\d.]+)/).slice(1).map(Number));
          return [first, ...others];""")
        gemm, copy = self.frame("gemm"), self.frame("copy")
        self.assertEqual(len(boxes), 3)
        for [left, top, width, bottom], kernel in zip(boxes, (gemm, copy)):
            self.assertAlmostEqual(left, kernel["x"], delta=0.1)
            self.assertAlmostEqual(width, kernel["width"] - 0.7, delta=0.2)
            self.assertAlmostEqual(top, kernel["y"] - row, delta=1.5)
            self.assertAlmostEqual(bottom, self.frame("launch")["y"], delta=1.5)
        self.assertEqual(self.browser.run("return [...document.querySelectorAll('#gutter text')].map((one) => one.textContent)"),
                         ["CPU", "Kernel", "Why"])

    def test_key(self):
        self.open(STALLS, query="?layout=flame")
        flame = self.names()
        self.assertEqual(len(flame), 13)
        self.browser.type("a")
        self.assertEqual(self.names(), ALIGNED)
        self.browser.type("l")  # from the leaves there are no towers
        self.assertIn("0x10 50", self.names()[-2])
        self.browser.type("l")
        self.assertEqual(self.names(), ALIGNED)
        self.browser.type("i")
        self.assertEqual(self.names(), ALIGNED[::-1])
        self.browser.type("i")
        self.browser.type("w")
        self.assertEqual(self.names()[2:4], [["2 frames: block \u2026 launch 70", "launch 16"], ["forward 86", "exit 14"]])
        self.assertEqual(self.names()[1], ["gemm 70", "gemm 10", "copy 6"])
        self.browser.type("wa")
        self.assertEqual(self.names(), flame)

    def test_zoom_shows_instructions(self):
        """Of a kernel; its place survives the switch between the layouts, as far as there are frames."""
        self.open(STALLS)
        self.browser.click(self.rect("gemm"))
        self.assertEqual(self.names(), [
            ["0x20 18", "0x30 12", "0x10 40"], ["LDG 18", "LDS 12", "FFMA 40"], ["waits for memory 30", "issues work 40"], ["gemm 70"],
            ["2 frames: block \u2026 launch 70"], ["forward 86"], ["4 frames: all \u2026 main 100"]])
        self.assertIn("z", self.query())
        self.browser.reload()
        self.until(self.is_ready)
        self.assertEqual(len(self.names()), 7)
        self.browser.click(self.rect("waits for memory"))
        self.assertEqual(self.names()[:3], [["0x20 18", "0x30 12"], ["LDG 18", "LDS 12"], ["waits for memory 30"]])
        # the table is of the same samples
        self.until(lambda: self.browser.run("return document.querySelectorAll('#table-reasons tr').length") == 2)
        self.assertEqual(self.text("tablecount"), "30 samples")
        self.assertEqual(self.browser.run("return [...document.querySelectorAll('#table-reasons td')].map("
                                          "(cell) => cell.title)"), ["18 samples, 60.00%", "12 samples, 40.00%"])
        self.browser.type("a")
        self.assertEqual(self.names()[-10], ["gemm 70"])
        self.browser.keys(ESCAPE)
        self.browser.click(self.rect("block"))
        self.browser.type("a")
        self.assertEqual(self.names()[-3], ["2 frames: block \u2026 launch 70"])
        self.assertIsNone(self.frame("exit"))
        self.browser.keys(ESCAPE)
        self.assertEqual(self.names(), ALIGNED)

    def test_key_stays_on_the_kernel(self):
        """And comes back to it, also where it has code in two files, the first of which is narrow."""
        self.open(STALLS + "app;_start;main;forward;launch;-;a.h_[G];copy_[G];LDG_[g];long_scoreboard_[g];0x8_[g] 1\n")
        zoomed = "return document.querySelector('#frames [tabindex=\"0\"]').firstElementChild.textContent.split(',')[0]"
        for name, above in (("gemm", "issues work"), ("copy", "waits for memory")):
            self.browser.click(self.rect(name))
            in_rows = self.browser.run(zoomed)
            self.assertIn(name + " (", in_rows)
            for _ in range(2):
                self.browser.type("a")
                self.assertIn(self.browser.run(zoomed), ("gemm (70 samples", "copy (6 samples"))
                self.assertIn("flame", self.query().get("layout", ""))
                self.browser.reload()
                self.until(self.is_ready)
                self.assertIn(name + " (", self.browser.run(zoomed))
                self.browser.type("a")
                self.assertEqual(self.browser.run(zoomed), in_rows)
                self.browser.reload()
                self.until(self.is_ready)
                self.assertEqual(self.browser.run(zoomed), in_rows)
            # of what stands on a kernel, the kernel
            self.browser.click(self.rect(above))
            self.browser.type("a")
            self.assertIn(name + " (", self.browser.run(zoomed))
            self.browser.keys(ESCAPE)
            self.browser.type("a")

    def test_one_kernel_has_its_instructions_at_once(self):
        self.open("app;main;-;k_[G];add_[g];sbid_[g];0x8_[g] 98\napp;main;-;k_[G];mul_[g];sbid_[g];0x10_[g] 1\napp;other 1\n")
        self.assertEqual(self.names(), [["0x8 98", "0x10 1"], ["add 98", "mul 1"], ["waits for memory 99"], ["k 99"],
                                        ["main 99", "other 1"], ["2 frames: all \u2026 app 100"]])
        # nobody has disassembled its code
        self.open("app;-;k_[G];sbid_[g];0x8_[g] 80\napp;-;k_[G];sbid_[g];0x10_[g] 15\napp;-;k_[G];active_[g];0x8_[g] 5\n")
        self.assertEqual(self.names(), [["0x10 15", "0x8 80", "0x8 5"], ["waits for memory 95", "issues work 5"],
                                        ["k 100"], ["2 frames: all \u2026 app 100"]])

    def test_idle_time_is_none_of_the_cpu(self):
        self.open("# aiflame: event gpu-time, unit ns\n[gpu idle];[host busy];app;main 60\napp;main;-;k_[G] 30\napp;main;-;l_[G] 10\n")
        self.assertEqual(self.browser.run("return [...document.querySelectorAll('#gutter text')].map((one) => one.textContent)"),
                         ["CPU, idle", "Kernel"])
        self.assertEqual(self.names(), [["k 30", "l 10"], ["2 frames: app \u2026 main 60"],
                                        ["2 frames: [gpu idle] \u2026 [host busy] 60", "2 frames: app \u2026 main 40"], ["all 100"]])

    def test_search(self):
        """A frame that stands for several has a mark as wide as what matches of it."""
        self.open(STALLS, query="?layout=aligned&s=short_scoreboard|^main$")
        parts = self.browser.run("""
          return [...document.querySelectorAll('#frames .part')].map((part) => [
              part.parentNode.firstElementChild.textContent.split(' (')[0],
              +(part.getAttribute('width') / part.previousElementSibling.getAttribute('width')).toFixed(2)]);""")
        self.assertEqual(parts, [["waits for memory", 0.4]])
        self.assertIn("match", self.frame("4 frames: all \u2026 main")["classes"])
        self.assertIn(" 100% \u00b7 2 frames", self.text("terms"))

    def test_card_and_status(self):
        self.open(STALLS)
        self.browser.hover(self.rect("4 frames: all \u2026 main"))
        self.until(lambda: self.browser.run("return document.querySelector('#hovercard') !== null"))
        self.assertEqual(self.browser.run("return document.querySelector('#hovercard .frames').textContent"),
                         "app \u203a _start \u203a main")
        self.browser.hover(self.rect("waits for memory"))
        self.until(lambda: self.text("statustext").startswith("Reasons waits for memory"))
        self.assertIn("30 samples", self.text("statustext"))

    def test_copied_as_folded(self):
        """With every frame, so that it can be drawn again."""
        self.open(STALLS)
        self.browser.allow_clipboard()
        def copied(lines):
            self.browser.click("#viewbutton")
            self.browser.click("#copyfolded")
            read = "return navigator.clipboard.readText()"
            self.until(lambda: len(self.browser.run(read).splitlines()) == lines + 1)
            return sorted(self.browser.run(read).splitlines()[1:])
        self.assertEqual(copied(6), sorted(STALLS.splitlines()[1:]))
        self.browser.click(self.rect("gemm"))
        self.browser.click(self.rect("waits for memory"))
        self.assertEqual(copied(2), sorted(STALLS.splitlines()[2:4]))

    def test_by_keyboard(self):
        self.open(STALLS)
        self.browser.run("document.querySelector('#frames [tabindex=\"0\"]').focus()")
        at = "return document.activeElement.firstElementChild.textContent.split(' (')[0]"
        seen = [self.browser.run(at)]
        for key in (UP, UP, UP, UP, DOWN, DOWN, DOWN):
            self.browser.keys(key)
            seen.append(self.browser.run(at))
        self.assertEqual(seen, ["4 frames: all \u2026 main", "forward", "2 frames: block \u2026 launch", "gemm", "issues work",
                                "gemm", "2 frames: block \u2026 launch", "forward"])

    def test_focus_stays(self):
        """On the frame, or what stands for it, in either layout."""
        self.open(STALLS)
        self.browser.run("document.querySelector('#frames [tabindex=\"0\"]').focus()")
        at = "return document.activeElement.firstElementChild.textContent.split(' (')[0]"
        self.browser.keys(UP)
        self.browser.keys(UP)
        for key, name in (("a", "launch"), ("a", "2 frames: block \u2026 launch"), ("w", "2 frames: block \u2026 launch")):
            self.browser.type(key)
            self.assertEqual(self.browser.run(at), name)

    def test_rows_of_the_table_outline_what_stands_for_them(self):
        self.open(STALLS)
        row = "#table-reasons button[title^='short_scoreboard']"
        self.until(lambda: self.browser.run("return document.querySelector(arguments[0]) !== null", row))
        self.browser.hover(self.browser.find(row))
        self.until(lambda: self.browser.run("return document.querySelector('#outlines .same') !== null"))
        left, wide = self.browser.run("return document.querySelector('#outlines .same').getAttribute('d')"
                                      ".match(/M([\\d.]+) [\\d.]+h([\\d.]+)v/).slice(1).map(Number)")
        frame = self.frame("waits for memory")
        self.assertAlmostEqual(left, frame["x"], delta=1)
        self.assertAlmostEqual(wide, frame["width"], delta=1.5)

    def test_on_a_phone(self):
        self.open(STALLS, size=(390, 800))
        self.assertEqual(self.names(), ALIGNED)

    def test_profiles_of_the_cpu_have_none(self):
        self.open("app;main;a 5\napp;main;b 3\n", "--layout", "aligned", query="?layout=aligned")
        rows = self.names()
        self.assertEqual(rows, [["a 5", "b 3"], ["main 8"], ["app 8"], ["all 8"]])
        self.browser.type("a")
        self.assertEqual(self.names(), rows)


if __name__ == "__main__":
    arguments = ["AlignedTest." + name for name in sys.argv[1:]]
    unittest.main(argv=[sys.argv[0], *arguments])
