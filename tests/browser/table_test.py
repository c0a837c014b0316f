# SPDX-License-Identifier: MIT
"""The table beside the picture: what is in it, what its rows do, where it stands.

    python3 table_test.py [TEST]...     draws with the aiflame-svg that is on PATH
"""

import random
import re
import sys
import unittest

from drawn_page import LAYERS, DrawnPage
from webdriver import DOWN, ENTER, ESCAPE, LEFT, RIGHT

# the rows of a table as [name, cells …]
ROWS = """
  return [...document.querySelectorAll('#table-' + arguments[0] + ' tbody tr')]
      .map((row) => [...row.children].map((cell) => cell.textContent));
"""
# the whole names and counts, which a row's title has
TITLES = """
  return [...document.querySelectorAll('#table-' + arguments[0] + ' tbody button[title]')]
      .map((button) => button.title);
"""


class TableTest(DrawnPage):
    def open(self, folded, *options, query="", size=(1280, 800)):
        if self.browser is None:
            self.start(size=size)
        self.browser.resize(*size)
        super().open(folded, *options, query=query)
        self.until(lambda: self.browser.run("return document.getElementById('tablebody') !== null"))
        self.browser.next_frame()

    def settle(self):
        self.browser.next_frame()
        self.until(lambda: self.browser.run(
            "return document.getElementById('tablebusy').textContent === ''"))

    def rows(self, table):
        self.settle()
        return self.browser.run(ROWS, table)

    def titles(self, table):
        self.settle()
        return self.browser.run(TITLES, table)

    def click_row(self, name, alt=False):
        self.browser.run("""
          const row = [...document.querySelectorAll('#tablebody tr')]
              .map((one) => one.querySelector('button'))
              .find((one) => one && one.title.startsWith(arguments[0]));
          row.dispatchEvent(
              new MouseEvent('click', {bubbles: true, altKey: arguments[1]}));
        """, name, alt)

    def box(self, selector):
        return self.browser.run("""
          const {left, top, right, bottom} = document.querySelector(arguments[0]).getBoundingClientRect();
          return {left, top, right, bottom};
        """, selector)

    def is_open(self):
        return self.browser.run("return !document.getElementById('panel').hidden")

    def count(self):
        return self.browser.run("return document.getElementById('tablecount').textContent")

    # ---- what is in it ----------------------------------------------------------------------------
    def test_stalls(self):
        self.open(LAYERS)
        self.assertTrue(self.is_open())
        reasons = self.rows("reasons")
        self.assertIn(["sbid", "56.5%"], reasons)
        self.assertIn(["(none)", "0.2%"], reasons)
        self.assertIn(["multiply_basic", "56.5%"], self.rows("kernels"))
        self.assertIn(["mulss", "29.6%"], self.rows("instructions"))
        self.assertIn(["barrier", "11.0%"], self.rows("instructions"))  # here no reason
        [sbid] = [text for text in self.titles("reasons") if text.startswith("sbid:")]
        self.assertIn("1,550 samples, 56.47%", sbid)
        self.assertIn("scoreboard", sbid)
        self.assertEqual(self.count(), "2,745 samples")
        # every bar has the colour of its frames and is as wide as its share
        bars = self.browser.run("""
          const fills = new Map([...document.querySelectorAll('#frames > *')].map((g) =>
              [g.firstElementChild.textContent.split(' (')[0], g.querySelector('rect').getAttribute('fill')]));
          const colour = (text) => text.replace(/ /g, '');
          return [...document.querySelectorAll('#table-reasons tr[data-name]')].map((row) => {
            const bar = row.querySelector('.bar'), name = row.querySelector('button').title.split(':')[0];
            return [name, colour(getComputedStyle(bar).backgroundColor) === colour(fills.get(name)),
                    bar.getBoundingClientRect().width / 200, row.lastChild.textContent];
          });
        """)
        self.assertGreater(len(bars), 2)
        for name, same, width, share in bars:
            self.assertTrue(same, name)
            self.assertAlmostEqual(width, float(share.rstrip("%")) / 100, delta=0.012, msg=name)
        self.browser.click(self.rect("gemm_kernel"))
        self.assertEqual(self.rows("kernels"), [["gemm_kernel", "100.0%"]])
        self.assertEqual(self.count(), "475 samples")

    def test_reasons_of_hpctoolkit_and_amd(self):
        self.open("a;-;jit_[G];k_[G];v_fma_f64_[g];stl_idep_[g];0x8_[g] 5\n"
                  "a;-;jit_[G];k_[G];v_fma_f64_[g];isu_vec_[g];0x8_[g] 3\n"
                  "a;-;jit_[G];k_[G];s_waitcnt_[g];waitcnt_[g];0x10_[g] 2\n")
        self.assertEqual(self.rows("reasons"),
                         [["stl_idep", "50.0%"], ["isu_vec", "30.0%"], ["waitcnt", "20.0%"]])
        self.assertIn(["v_fma_f64", "80.0%"], self.rows("instructions"))

    WORK = ("# aiflame: event gpu-stall, unit stalls, period 1004 cycles\n"
            "app;-;k.cu_[G];gemm_[G];FFMA_[g];selected_[g] 500\n"
            "app;-;k.cu_[G];gemm_[G];FFMA_[g];not_selected_[g] 140\n"
            "app;-;k.cu_[G];gemm_[G];LDS_[g];short_scoreboard_[g] 120\n"
            "app;-;k.cu_[G];gemm_[G];LDG_[g];long_scoreboard_[g] 180\n"
            "app;-;k.cu_[G];copy_[G];LDG_[g];long_scoreboard_[g] 20\n"
            "app;-;k.cu_[G];copy_[G] 40\n")

    def test_kinds_of_reasons(self):
        """Reasons are summed by kind, of the view and of each kernel. Work is none of the stalls."""
        self.open(self.WORK)
        self.assertEqual(self.count(), "1,000 samples")
        self.assertEqual(self.rows("kinds"), [["issues work", "50.0%"], ["waits for memory", "32.0%"],
                                              ["ready, others ran", "14.0%"]])
        self.assertIn("waits for memory: 320 samples, 32.00%\nlong_scoreboard, short_scoreboard", self.titles("kinds"))
        self.assertEqual(self.titles("kernels"), [
            "gemm: 940 samples, 94.00%\nissuing 53.2%, memory 31.9%, hidden 14.9%",
            "copy: 60 samples, 6.00%\nmemory 33.3%"])
        bars = self.browser.run("""
          return [...document.querySelectorAll('#table-kernels .why')].map((bar) => [...bar.children].map((part) =>
              part.dataset.kind + ' ' +
              (100 * part.getBoundingClientRect().width / bar.getBoundingClientRect().width).toFixed(0)));""")
        self.assertEqual(bars, [["memory 32", "issuing 53", "hidden 15"], ["memory 33"]])
        self.click_row("waits for memory")
        self.assertEqual(self.query()["s"], "^(long_scoreboard|short_scoreboard)_\\[g]$")
        self.until(lambda: "waits for memory 32.0%" in self.browser.run(
            "return document.getElementById('terms').textContent"))

    def test_verdict(self):
        """Above the picture, in windows of any width: the costliest kernel, why and who launched it."""
        folded = self.WORK.replace("app;-", "app;main;run;cuLaunchKernel;-")
        text = "return document.getElementById(arguments[0]).textContent"
        for size in ((1280, 800), (390, 800)):
            self.open(folded, size=size)
            self.assertEqual(self.browser.run(text, "says"), "gemm takes 94% of the samples: waits for memory in "
                             "32% of them (long_scoreboard); launched by run")
            says = self.box("#says")
            self.assertGreaterEqual(says["top"], 0)
            self.assertLessEqual(says["bottom"], 800)
            self.assertLessEqual(says["right"], size[0])
            widths = self.browser.run("""
              const bar = document.getElementById('kindbar');
              return [...bar.children].map((part) => [part.dataset.kind,
                  Math.round(100 * part.getBoundingClientRect().width / bar.getBoundingClientRect().width)]);""")
            self.assertEqual(widths, [["issuing", 50], ["memory", 32], ["hidden", 14]])
        self.open(folded)
        leads = self.browser.run(
            "return [...document.querySelectorAll('#leads button')].map((one) => one.textContent)")
        self.assertEqual(leads[:2], ["long_scoreboard in gemm \u00b7 \u2264 1.24\u00d7, all 1.24\u00d7",
                                     "short_scoreboard in gemm \u00b7 \u2264 1.15\u00d7, all 1.15\u00d7"])
        self.browser.click("#kindbar button[data-kind=memory]")
        self.assertEqual(self.query()["s"], "^(long_scoreboard|short_scoreboard)_\\[g]$")
        self.browser.click("#kindbar button[data-kind=memory]")
        self.assertEqual(self.query(), {})
        self.browser.click("#leads button")
        self.assertEqual(self.query(), {"focus": "gemm_[G]", "s": "^long_scoreboard_\\[g\\]$"})
        self.browser.click("#leads button")
        self.assertEqual(self.query(), {})
        self.browser.click("#says .name")
        self.assertEqual(self.query(), {"s": "^gemm_\\[G\\]$"})
        # of a profile of the CPU, the function
        self.open("app;main;f;parse 30\napp;main;g;parse 10\napp;main;f 20\n")
        self.assertEqual(self.browser.run(text, "says"), "parse takes 67% of the samples itself; called by f (75% of it)")
        self.browser.click("#says .name")
        self.assertEqual(self.query(), {"s": "^parse$"})
        self.open("[unknown] 5\n")
        self.assertIsNone(self.browser.run("return document.getElementById('strip')"))

    def test_a_row_types_nothing(self):
        """The field is the reader's: it does not fill with the expression of a row that was clicked."""
        self.open(self.WORK)
        term = "return document.getElementById('term').value"
        terms = "return document.getElementById('terms').textContent"
        self.click_row("copy")
        self.until(lambda: self.browser.run(terms).startswith("copy 6.0%"))
        self.assertEqual(self.browser.run(term), "")
        self.visit("?s=%5Ecopy_%5C%5BG%5C%5D%24")
        self.until(lambda: self.browser.run(terms).startswith("copy 6.0%"))
        self.assertEqual(self.browser.run(term), "")
        self.browser.keys("/")
        self.browser.keys(ENTER)  # is the next match, not the end of the search
        self.until(lambda: "1 of 1" in self.browser.run(terms))
        self.browser.type("gemm")
        self.until(lambda: self.query().get("s") == "gemm")

    XMMA = "sm80_xmma_gemm_f32f32_f32f32_f32_%s_n_tilesize%s_stage3_warpsize1x4x1_ffma_aligna4_execute_kernel...#%s"
    ALIKE = ["cutlass::Kernel2<cutlass_80_simt_sgemm_128x64_8x5_nt_align1>",
             "cutlass::Kernel2<cutlass_80_simt_sgemm_256x128_8x4_nn_align1>",
             XMMA % ("tn", "64x64x8", "b15c7e"), XMMA % ("tn", "128x64x8", "a473c7"), XMMA % ("nn", "64x64x8", "29bc61")]

    def test_kernels_of_like_names(self):
        """What such names share is left out of their rows, and the panel can be widened."""
        folded = "".join("app;-;%s_[G];FFMA_[g];wait_[g] %d\n" % (name, 90 - 10 * i) for i, name in enumerate(self.ALIKE))
        self.open(folded)
        labels = lambda: [row[0] for row in self.rows("kernels")]
        self.assertEqual(labels(), ["128x64_8x5_nt", "256x128_8x4_nn", "tn\u202664x64x8", "tn\u2026128x64x8",
                                    "nn\u202664x64x8"])
        width = lambda: self.box("#panel")["right"] - self.box("#panel")["left"]
        self.browser.run("document.getElementById('panelgrip').focus()")
        for _ in range(6):
            self.browser.keys(LEFT)
        self.assertAlmostEqual(width(), 1280 / 3, delta=1)
        self.until(lambda: labels()[0] == "sgemm_128x64_8x5_nt")
        self.assertEqual(labels()[2], "gemm\u2026tn\u202664x64x8\u2026b15c7e")
        self.assertLessEqual(self.box("#frames")["right"], self.box("#panel")["left"])
        self.browser.keys(RIGHT)
        self.assertAlmostEqual(width(), 1280 / 3 - 32, delta=1)

    def test_the_legend_stays(self):
        """It has every kind of frame, also of those too narrow to be drawn, and does not scroll away."""
        folded = "".join("app;main;-;k%d_[G];FFMA_[g];selected_[g] 9999\n" % i for i in range(40))
        self.open(folded + "app;py::f:a.py;-;k0_[G];FFMA_[g];wait_[g] 1\n", size=(1280, 700))
        self.settle()
        legend, panel = self.box("#tablelegend"), self.box("#panel")
        self.assertLessEqual(legend["bottom"], panel["bottom"])
        self.assertLess(legend["bottom"], 700)
        text = self.browser.run("return document.getElementById('tablelegend').textContent")
        self.assertIn("Python", text)
        self.assertIn(["waits for a result", "<0.1%"], self.rows("kinds"))
        self.browser.click("#tab-functions")
        self.settle()
        self.assertIn("reasons: dependency", self.browser.run(
            "return document.getElementById('tablelegend').textContent"))

    def test_rows_of_a_sheet_are_close(self):
        self.open(self.MODEL, size=(900, 700))
        self.browser.keys("s")
        self.settle()
        gaps = self.browser.run("""
          return [...document.querySelectorAll('#tablebody table')].map((table) =>
              table.querySelector('tbody tr').getBoundingClientRect().top -
              table.querySelector('caption').getBoundingClientRect().bottom);""")
        self.assertGreater(len(gaps), 2)
        for gap in gaps:
            self.assertLess(gap, 8)

    def test_kernels_without_a_file(self):
        """Profiles of others name no file, or the line after the kernel."""
        self.open("app;-;gemm_[G];mm.cu:7_[G];FFMA_[g];math_[g] 6\n"
                  "app;-;gemm_[G];dot_[G];mm.cu:9_[G];LDG_[g];lg_throttle_[g] 3\n"
                  "app;-;mm.cu_[G];copy_[G];mm.cu:30_[G];MOV_[g];wait_[g] 1\n")
        self.assertEqual(self.rows("kernels"), [["gemm", "90.0%"], ["copy", "10.0%"]])

    MODEL = "".join(
        "python3;py::main:t.py;%s%s_[m];%s_[o];cuLaunchKernel;-;%s_[G] %d\n" % stack for stack in (
            ("Net_0_[m];", "Linear_0", "aten::linear_[o];aten::mm", "gemm", 30),
            ("Net_0_[m];", "Linear_1", "aten::mm", "gemm", 40),
            ("Net_0_[m];", "ReLU_0", "aten::relu", "relu", 20))) + "python3;cuLaunchKernel;-;copy_[G] 10\n"

    def test_model(self):
        """The innermost operators and modules by device time, the modules by class."""
        self.open(self.MODEL)
        self.assertTrue(self.is_open())
        self.assertEqual(self.browser.run("return document.getElementById('tab-stalls').textContent"),
                         "Device")
        self.assertEqual(self.rows("operators"),
                         [["aten::mm", "70.0%"], ["aten::relu", "20.0%"], ["(none)", "10.0%"]])
        self.assertEqual(self.rows("modules"),
                         [["Linear", "70.0%"], ["ReLU_0", "20.0%"], ["(none)", "10.0%"]])
        self.assertEqual(self.rows("kernels"), [["gemm", "70.0%"], ["relu", "20.0%"], ["copy", "10.0%"]])
        self.assertEqual(self.rows("reasons"), [])
        self.click_row("Linear")
        self.assertEqual(self.query()["s"], "^Linear_\\d+_\\[m]$")
        self.until(lambda: self.browser.run(
            "return document.getElementById('matchtext').textContent") == "Matched: 70.0%")
        self.click_row("Linear")
        self.click_row("ReLU_0")
        self.assertEqual(self.query()["s"], "^ReLU_0_\\[m\\]$")
        self.browser.hover(self.browser.find("#table-modules tbody button"))
        self.assertEqual(self.browser.run("return document.querySelectorAll('#outlines path').length"), 1)
        # a profile of the CPU has operators too
        self.open("python3;Net_0_[m];aten::mm_[o];gemm 3\npython3;Net_0_[m];aten::add_[o] 1\n")
        self.assertEqual(self.browser.run("return document.getElementById('tab-stalls').textContent"),
                         "Model")
        self.assertEqual(self.rows("operators"), [["aten::mm", "75.0%"], ["aten::add", "25.0%"]])

    def test_idle_time(self):
        """By its causes; what stands on it is no work of an operator, but where it alone is in view."""
        self.open("[gpu idle];[host busy];py::f:t.py;aten::mm_[o] 50\n"
                  "[gpu idle];[untraced];[next launch];aten::add_[o] 20\n"
                  "py::f:t.py;aten::mm_[o];-;gemm_[G] 30\n")
        self.assertEqual(self.rows("idle"),
                         [["[host busy]", "50.0%"], ["(busy)", "30.0%"], ["[untraced]", "20.0%"]])
        self.assertEqual(self.rows("operators"), [["(none)", "70.0%"], ["aten::mm", "30.0%"]])
        self.assertIn("idle, and why", self.browser.run(
            "return document.getElementById('tablelegend').textContent"))
        self.browser.click(self.rect("[gpu idle]"))
        self.settle()
        self.assertEqual(self.rows("operators"), [["aten::mm", "71.4%"], ["aten::add", "28.6%"]])

    def test_the_legend_of_a_model_is_in_the_window(self):
        self.open(self.MODEL)
        self.settle()
        legend, panel = self.box("#tablelegend"), self.box("#panel")
        self.assertLessEqual(legend["bottom"], panel["bottom"])
        self.assertIn("operators", self.browser.run(
            "return document.getElementById('tablelegend').textContent"))

    def test_a_unit(self):
        """Counts have the unit of the text; also where they are those of the elements."""
        with open(LAYERS, encoding="utf-8") as file:
            lines = [line for line in file if not line.startswith("#")]
        times = "# aiflame: event gpu-time, unit ns\n" + "".join(line.rstrip() + "000\n" for line in lines)
        for options in ((), ("--embed", "0")):
            self.open(times, *options)
            self.settle()
            [sbid] = [text for text in self.titles("reasons") if text.startswith("sbid:")]
            self.assertIn("1.550 ms, 56.47%", sbid)
            self.assertEqual(self.count(), "2.745 ms")
            self.browser.click(self.rect("gemm_kernel"))
            self.assertEqual(self.count(), "475.0 us")

    FUNCTIONS = "main;f;g;f;h 4\nmain;f 3\nmain;g;h 2\nmain 1\n"

    def test_functions(self):
        """Own counts and totals, recursion once; sorted by each column."""
        self.open(self.FUNCTIONS)
        self.assertFalse(self.is_open())
        self.browser.keys("s")
        by_self = [["h", "60.0%", "60.0%"], ["f", "30.0%", "70.0%"], ["main", "10.0%", "100.0%"],
                   ["g", "0.0%", "60.0%"]]
        self.assertEqual(self.rows("functions"), by_self)
        sorted_by = ("return [...document.querySelectorAll('#table-functions thead th')]"
                     ".map((th) => th.getAttribute('aria-sort'))")
        self.assertEqual(self.browser.run(sorted_by), ["none", "descending", "none"])
        self.browser.click("[data-sort=total]")
        self.assertEqual([row[0] for row in self.rows("functions")], ["main", "f", "h", "g"])
        self.assertEqual(self.browser.run(sorted_by), ["none", "none", "descending"])
        self.assertEqual(self.browser.run("return document.activeElement.dataset.sort"), "total")
        self.browser.click("[data-sort=name]")
        self.assertEqual([row[0] for row in self.rows("functions")], ["f", "g", "h", "main"])
        self.browser.click("[data-sort=name]")
        self.assertEqual([row[0] for row in self.rows("functions")], ["main", "h", "g", "f"])
        self.assertEqual(self.browser.run(
            "return document.querySelector('#table-functions caption').textContent"), "Functions")
        self.browser.click("[data-sort=self]")
        self.browser.click(self.rect("f"))
        self.assertEqual(self.rows("functions"), [["h", "57.1%", "57.1%"], ["f", "42.9%", "100.0%"],
                                                  ["g", "0.0%", "57.1%"]])

    def test_nothing_is_lost(self):
        """Rows that are not shown are summed in one, and so is what was left out of the file."""
        rng = random.Random(7)
        stacks = {}
        for _ in range(3000):
            names = ["f%d" % int(400 * rng.random() ** 2) for _ in range(rng.randint(2, 12))]
            stacks[";".join(names)] = rng.randint(1, 1000)
        folded = "".join("%s %d\n" % line for line in stacks.items())
        own = {}
        for stack, count in stacks.items():
            name = stack.split(";")[-1]
            own[name] = own.get(name, 0) + count
        # in the file of the last, most names are not even known
        for options in ((), ("--embed", "40000", "--minwidth", "1%"),
                        ("--embed", "4000", "--minwidth", "30%")):
            self.open(folded, *options, query="?table=1")
            self.settle()
            number = lambda text: int(text.replace(",", ""))
            shown = {}
            for title in self.titles("functions"):
                name, counts = title.split("\n")
                shown[name] = number(re.search(r"self ([\d,]+)", counts).group(1))
            rest = self.browser.run("""
              return [...document.querySelectorAll('#table-functions tr.note td:nth-child(2)')]
                  .map((cell) => cell.title.split(' ')[0]);
            """)
            self.assertEqual(sum(shown.values()) + sum(map(number, rest)), sum(stacks.values()))
            for name in sorted(shown, key=shown.get)[-20:] if "4000" not in options else ():
                self.assertEqual(shown[name], own[name], (name, options))
            if "4000" not in options:
                self.assertEqual(len(shown), 200)

    # ---- what rows do -----------------------------------------------------------------------------
    def test_rows(self):
        self.open(LAYERS)
        self.settle()
        self.click_row("sbid")
        self.assertEqual(self.query()["s"], "^sbid_\\[g\\]$")
        self.assertEqual(self.browser.run(
            "return document.querySelectorAll('#tablebody tr.found').length"), 1)
        self.click_row("sbid")  # again ends the search
        self.assertNotIn("s", self.query())
        self.click_row("multiply_basic", alt=True)
        self.assertEqual(self.query()["focus"], "multiply_basic_[G]")
        self.assertEqual(self.rows("kernels"), [["multiply_basic", "100.0%"]])
        self.browser.keys("0")
        # a pointer outlines the frames of a row
        outlined = "return document.querySelectorAll('#outlines path').length"
        self.assertEqual(self.browser.run(outlined), 0)
        self.browser.hover(self.browser.find("#table-reasons tbody button"))
        self.assertEqual(self.browser.run(outlined), 1)
        self.browser.hover(self.browser.find("#pagetitle"))
        self.assertEqual(self.browser.run(outlined), 0)

    def test_keyboard(self):
        self.open(self.FUNCTIONS)
        self.browser.keys("s")
        self.settle()
        self.browser.run("document.querySelector('#table-functions tbody button').focus()")
        focused = "return document.activeElement.title.split('\\n')[0]"
        self.assertEqual(self.browser.run(focused), "h")
        self.browser.keys(DOWN)
        self.assertEqual(self.browser.run(focused), "f")
        self.browser.keys(ENTER)
        self.assertEqual(self.query()["s"], "^f$")
        self.assertEqual(self.browser.run(focused), "f")  # keeps the focus
        self.browser.keys("s")
        self.assertFalse(self.is_open())
        self.assertNotEqual(self.browser.run("return document.activeElement.tagName"), "")

    # ---- where it stands --------------------------------------------------------------------------
    def test_beside_the_picture(self):
        """It never covers a frame, in windows of any width."""
        for width, docked in ((2400, True), (1280, True), (1180, True), (1179, False), (390, False)):
            self.open(LAYERS, size=(width, 800))
            self.assertEqual(self.is_open(), docked, width)
            if not docked:
                self.browser.keys("s")
            self.settle()
            panel, stage = self.box("#panel"), self.box("#stage")
            if docked:
                self.assertAlmostEqual(panel["right"] - panel["left"], max(288, min(0.22 * width, 460)), delta=1)
                self.assertLessEqual(stage["right"], panel["left"])
                self.assertLessEqual(self.box("#frames")["right"], panel["left"])
            else:
                self.assertLessEqual(panel["bottom"], 800 - 36 + 1)
                self.assertGreater(panel["top"], 300)
                # at the end of the page, all of the picture is above it
                self.browser.run("window.scrollTo(0, document.documentElement.scrollHeight)")
                self.assertLessEqual(self.box("#frames")["bottom"], self.box("#panel")["top"] + 1)
                self.browser.run("document.querySelector('#panel tbody button').focus()")
                self.browser.keys(ESCAPE)
                self.assertFalse(self.is_open())
                self.assertNotEqual(self.browser.run("return document.activeElement.tagName"), "BODY")

    def test_address(self):
        self.open(LAYERS)
        self.assertEqual(self.query(), {})
        self.browser.keys("s")
        self.assertEqual(self.query(), {"table": "0"})
        self.browser.reload()
        self.until(lambda: self.browser.run("return document.getElementById('tablebody') !== null"))
        self.browser.next_frame()
        self.assertFalse(self.is_open())
        self.open(self.FUNCTIONS, query="?table=1")
        self.assertTrue(self.is_open())
        self.browser.keys("0")  # undoes the view, which it is no part of
        self.assertTrue(self.is_open())

    # ---- differences ------------------------------------------------------------------------------
    def test_changes(self):
        self.open("m;gone 30 0\nm;new 0 20\nm;less 50 20\nm;same 20 60\n")
        self.assertTrue(self.is_open())
        rows = self.rows("changes")
        # both sides have a sum of 100: shares, in points
        self.assertEqual(rows, [["same+40.0 pt", "20.0 \u2192 60.0"], ["gone-30.0 pt", "30.0 \u2192 0.0"],
                                ["less-30.0 pt", "50.0 \u2192 20.0"], ["new+20.0 pt", "0.0 \u2192 20.0"]])
        self.assertEqual(self.browser.run("return document.getElementById('onlysides').textContent"),
                         "1 function only before \u00b7 1 only after")
        bars = self.browser.run("""
          const {left, right} = document.querySelector('#tablebody').getBoundingClientRect();
          return [...document.querySelectorAll('#table-changes i')].map((bar) => {
            const box = bar.getBoundingClientRect();
            return [box.left >= (left + right) / 2 - 1, box.width, getComputedStyle(bar).backgroundColor];
          });
        """)
        self.assertEqual([bar[0] for bar in bars], [True, False, False, True])
        self.assertAlmostEqual(bars[0][1], 2 * bars[3][1], delta=1)
        self.assertEqual(bars[0][2], "rgb(179, 38, 30)")
        self.assertEqual(bars[1][2], "rgb(31, 79, 163)")
        # amounts, in percent of the frame
        self.open("m;gone 30 0\nm;less 50 20\nm;same 20 20\n")
        self.assertEqual(self.rows("changes"), [["gonegone", "30.0 \u2192 0.0"], ["less-60.0%", "50.0 \u2192 20.0"]])

    def test_changes_that_may_be_noise(self):
        """Bars are pale and hatched where all frames of the function are that were judged."""
        noise = "# aiflame-change: before %d, after %d, low %d, high %d, frames %s;\n"
        self.open("# aiflame: event gpu-clock, unit samples, columns two\n"
                  "m;slow 900 950\nm;fast;x 100 300\nm;y 90 150\nn;y 40 45\nn;slow 10 12\n" +
                  noise % (900, 950, -20, 120, "m;slow") + noise % (100, 300, 160, 240, "m;fast;x") +
                  noise % (90, 150, 30, 90, "m;y") + noise % (40, 45, -9, 19, "n;y") +
                  noise % (10, 12, -9, 9, "n;slow"))
        bars = """
          return [...document.querySelectorAll('#table-changes tr[data-name]')].map((row) => {
            const bar = row.querySelector('i'), {backgroundColor, backgroundImage} = getComputedStyle(bar);
            return [row.querySelector('button').title.split(':')[0], backgroundColor, backgroundImage !== 'none',
                    row.querySelector('button').title.endsWith(', within noise')];
          });
        """
        red, pale = "rgb(179, 38, 30)", "rgb(225, 168, 165)"
        self.assertEqual(self.browser.run(bars), [["x", red, False, False], ["y", red, False, False],
                                                  ["slow", pale, True, True]])
        self.browser.click(self.frame("n")["rect"])
        self.until(lambda: len(self.rows("changes")) == 2)
        self.assertEqual(self.browser.run(bars), [["y", pale, True, True], ["slow", pale, True, True]])
        self.visit("?scale=normalised")
        self.assertFalse([bar for bar in self.browser.run(bars) if bar[2] or bar[3]])


if __name__ == "__main__":
    arguments = ["TableTest." + name for name in sys.argv[1:]]
    unittest.main(argv=[sys.argv[0], *arguments])
