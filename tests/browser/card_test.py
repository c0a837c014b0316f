# SPDX-License-Identifier: MIT
"""What the page says about a frame: the status bar, the hover card, the trail.

    python3 card_test.py [TEST]...     draws with the aiflame-svg that is on PATH
"""

import os
import subprocess
import sys
import unittest
import urllib.parse

from drawn_page import LAYERS, DrawnPage
from webdriver import ENTER, ESCAPE, UP, Browser, file_url

# name -> kind, of every node of the tree
KINDS = """
  const tree = readTree(document);
  const reasons = {sbid: "Intel", active: "Intel", stl_idep: "NVIDIA", isu_vec: "AMD"};
  const kinds = frameKinds(tree, () => nameLayers(tree, (name) => reasons[name] || ""), "Function");
  const found = {};
  for (let i = 0; i < tree.size; ++i)
    found[tree.names[tree.name[i]]] = kinds.of({depth: tree.depth[i], name: tree.name[i]});
  return found;
"""
SOURCES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../tools/aiflame-svg/page")


def sources(*names):
    texts = []
    for name in names:
        with open(os.path.join(SOURCES, name), encoding="utf-8") as file:
            texts.append(file.read())
    return "\n".join(texts)


class CardTest(DrawnPage):
    def open(self, folded, *options, query="", size=(1280, 800)):
        if self.browser is None:
            self.start(size=size)
            self.browser.resize(*size)  # no window is as narrow as that of a phone
        super().open(folded, *options, query=query)
        self.until(lambda: self.text("statustext") != "")
        self.browser.settle()

    def text(self, identifier):
        return self.browser.run("const found = document.getElementById(arguments[0]);"
                                "return found ? found.textContent : ''", identifier)

    def box(self, selector):
        """left, top, right, bottom of an element"""
        return self.browser.run("const box = document.querySelector(arguments[0])"
                                ".getBoundingClientRect();"
                                "return [box.left, box.top, box.right, box.bottom]", selector)

    def hover(self, name):
        self.browser.hover(self.rect(name))

    def card(self, name):
        """The text of the card of a frame."""
        self.hover(name)
        self.until(lambda: self.text("hovercard").startswith(name))
        return self.browser.run("return [...document.getElementById('hovercard').children]"
                                ".map((one) => one.textContent)")

    def has_card(self):
        return self.browser.run("return document.getElementById('hovercard') !== null")

    def leave(self):
        self.browser.hover(self.browser.run("return document.getElementById('statusbar')"))

    def crumbs(self):
        return self.browser.run("return [...document.querySelectorAll('#crumbs button')]"
                                ".map((one) => one.textContent)")

    # ---- kinds ---------------------------------------------------------------------------------
    def kinds(self, folded):
        path = os.path.join(self.directory.name, "kinds.svg")
        with open(path, "wb") as file:
            subprocess.run(["aiflame-svg"], input=folded.encode(), stdout=file, check=True)
        if self.browser is None:
            self.browser = Browser()
            self.addCleanup(self.browser.close)
        self.browser.open(file_url(path))
        return self.browser.run(sources("tree_data.js", "layers.js", "kinds.js") + KINDS)

    def test_kinds(self):
        """The kinds of frames, as stackcollapse-aiflame and perf name them, on the GPUs of Intel,
        NVIDIA and AMD."""
        kernel = "twork::{lambda(handler&)#1}::{lambda(auto:1)#1}_[G]"
        found = self.kinds("app;host0;-;jit_[G];%s;active_[g];0x120_[g] 4\n"
                           "app;host0;-;jit_[G];%s;sbid_[g];0x448_[g] 9\n" % (kernel, kernel))
        self.assertEqual(found, {"": "", "app": "Function", "host0": "Function", "-": "Boundary",
                                 "jit_[G]": "Source file", kernel: "Kernel", "active_[g]": "Reason",
                                 "sbid_[g]": "Reason", "0x120_[g]": "Offset", "0x448_[g]": "Offset"})
        found = self.kinds(
            "a;do_syscall_64_[k];-;a.cu_[G];xcompute_[G];inner_[G];a.cu:7_[G];DADD_[g];stl_idep_[g];"
            "waits for LDG at 0x10, a.cu:6_[g];0x18_[g] 3\n"
            "a;py::train:a.py;hot_[j];small_[i];-;[unknown kernel]_[G];0x8_[g] 1\n")
        self.assertEqual(found, {
            "": "", "a": "Function", "do_syscall_64_[k]": "OS kernel function", "-": "Boundary",
            "a.cu_[G]": "Source file", "xcompute_[G]": "Kernel", "inner_[G]": "Device function",
            "a.cu:7_[G]": "Source line", "DADD_[g]": "Instruction", "stl_idep_[g]": "Reason",
            "waits for LDG at 0x10, a.cu:6_[g]": "Awaited instruction", "0x18_[g]": "Offset",
            "py::train:a.py": "Python function", "hot_[j]": "JIT-compiled function",
            "small_[i]": "Inlined function", "[unknown kernel]_[G]": "Kernel", "0x8_[g]": "Offset"})
        found = self.kinds("a;-;gemm_[G];mm.cu:7_[G];dot_[G];FFMA_[g] 7\n")
        self.assertEqual([found[name] for name in ("gemm_[G]", "mm.cu:7_[G]", "dot_[G]")],
                         ["Kernel", "Source line", "Device function"])
        found = self.kinds("a;-;loop at 0x40_[G];gemm_[G];loop at mm.cu:5_[G];mm.cu:7_[G];FFMA_[g] 7\n")
        self.assertEqual([found[name] for name in ("loop at 0x40_[G]", "gemm_[G]", "loop at mm.cu:5_[G]")],
                         ["Loop", "Kernel", "Loop"])
        found = self.kinds("python3;step_[r];Linear_0_[m];aten::mm_[o];cuLaunchKernel;-;gemm_[G] 7\n")
        self.assertEqual(found, {"": "", "python3": "Function", "step_[r]": "Range",
                                 "Linear_0_[m]": "Module", "aten::mm_[o]": "Operator",
                                 "cuLaunchKernel": "Function", "-": "Boundary", "gemm_[G]": "Kernel"})
        found = self.kinds("app;-;jit_[G];k_[G];v_fma_f64_[g];isu_vec_[g];0x68_[g] 3\n")
        self.assertEqual([found[name] for name in ("v_fma_f64_[g]", "isu_vec_[g]", "0x68_[g]")],
                         ["Instruction", "Reason", "Offset"])

    # ---- the status bar ------------------------------------------------------------------------
    def test_status_bar(self):
        self.open(LAYERS)
        self.assertEqual(self.text("statustext"), "all \u2014 2,745 samples memory 64.2%")
        self.hover("dot")
        self.assertEqual(self.text("statustext"), "Device function dot \u2014 52.9% of all \u00b7 "
                                                  "1,453 samples \u00b7 self 0 memory 100%")
        self.hover("mulss")
        self.assertEqual(self.text("statustext"), "Instruction mulss \u2014 29.6% of all \u00b7 "
                                                  "812 samples \u00b7 self 0 memory 100%")
        self.hover("sbid")
        self.assertIn("812 samples \u00b7 self 0", self.text("statustext"))
        self.assertNotIn("memory", self.text("statustext"))  # it is the reason
        self.hover("-")
        self.assertIn("Boundary between CPU and device \u2014 56.5% of all", self.text("statustext"))
        self.browser.click(self.rect("run_basic(float*)"))
        self.hover("dot")
        self.assertEqual(self.text("statustext"),
                         "Device function dot \u2014 52.9% of all \u00b7 93.7% of view \u00b7 "
                         "1,453 samples \u00b7 self 0 memory 100%")
        self.leave()  # what is shown
        self.assertEqual(self.text("statustext"),
                         "Function run_basic(float*) \u2014 56.5% of all \u00b7 100% of view \u00b7 "
                         "1,550 samples \u00b7 self 0 memory 93.7%")
        self.open("a 3\na;b 1.5\n", "--nametype", "Frame:")
        self.hover("a")
        self.assertEqual(self.text("statustext"),
                         "Frame a \u2014 100% of all \u00b7 4.5 samples \u00b7 self 3")

    def test_status_bar_is_in_the_window(self):
        """However tall the picture, and however long the name: the share stays visible."""
        name = "very::" * 40 + "long(int)"
        deep = ";".join("f%d" % i for i in range(100))
        for size in ((1280, 800), (390, 800)):
            self.browser = None
            self.open("a;%s;%s 3\na;b 6\n" % (deep, name), size=size)
            self.browser.run("arguments[0].scrollIntoView({block: 'center'})", self.rect(name))
            self.browser.next_frame()
            self.hover(name)
            self.until(lambda: "33.3% of all" in self.text("statustext"))
            left, top, right, bottom = self.box("#statustext .number")
            height = self.browser.run("return window.innerHeight")
            self.assertLessEqual(bottom, height)
            self.assertGreater(top, height - 40)
            self.assertGreater(left, 0)
            self.assertLessEqual(right, size[0])
            self.assertLessEqual(self.browser.run("return document.documentElement.scrollWidth"),
                                 size[0])

    def test_status_bar_does_not_cut_a_count(self):
        """On a phone, too, where the bar of reasons has no room."""
        stack = "app;a_function_with_a_long_name;-;k.cl_[G];kernel_[G];send_[g];%s_[g] %d\n"
        text = "# aiflame: event gpu-stall, unit cycles\n"
        text += stack % ("sbid", 546866987008) + stack % ("active", 86987008)
        for size, has_bar in (((1280, 800), True), ((390, 800), False)):
            self.browser = None
            self.open(text, size=size)
            self.until(lambda: "546,953,974,016 cycles" in self.text("statustext"))
            box = self.box("#statustext .number")
            self.assertLessEqual(box[2], size[0] - 8)
            self.assertEqual(self.browser.run("""
              return document.querySelector('#statustext .why').getBoundingClientRect().width > 0;"""), has_bar)

    # ---- the hover card ------------------------------------------------------------------------
    def test_hover_card(self):
        self.open(LAYERS)
        card = self.card("0x1430")
        self.assertEqual(card[:2], ["0x1430Offset in multiply_basic",
                                    "812 samples29.6% of all \u00b7 self 29.6%"])
        self.assertEqual(card[3], "all \u203a matmul \u203a clone3 \u203a \u2026 6 \u2026 \u203a "
                                  "dot \u203a mulss \u203a sbid")
        self.assertIn("sbid \u2014 Waited for a scoreboard token", card[4])  # of the frame below
        self.assertIn("Try: ", card[4])
        card = self.card("mulss")  # the reason stands on it
        self.assertEqual(card[4], "memory 100%")
        self.assertIn("sbid 100% \u2014 Waited for a scoreboard token", card[5])
        self.assertEqual(len(self.card("barrier")), 6)
        self.browser.click(self.rect("run_basic(float*)"))
        self.assertEqual(self.card("dot")[1],
                         "1,453 samples52.9% of all \u00b7 93.7% of view \u00b7 self 0%")

    REASONS = ("app;main;-;k.cu_[G];gemm_[G];FFMA_[g];selected_[g] 500\n"
               "app;main;-;k.cu_[G];gemm_[G];FFMA_[g];not_selected_[g] 300\n"
               "app;main;-;k.cu_[G];gemm_[G];gemm.cu:7_[G];LDS_[g];short_scoreboard_[g] 120\n"
               "app;main;-;k.cu_[G];gemm_[G];gemm.cu:9_[G];LDG_[g];long_scoreboard_[g] 78\n"
               "app;main;-;k.cu_[G];gemm_[G];short_scoreboard_[g] 2\n")

    def test_reasons_of_all_on_top_of_a_frame(self):
        """A kernel is told of the stall that costs most in it, not of its own children; so is a
        function of the CPU. Kinds are summed up."""
        self.open(self.REASONS)
        kinds = "issuing 50.0% \u00b7 hidden 30.0% \u00b7 memory 20.0%"
        for name, at in (("gemm", 4), ("main", 4), ("all", 3)):
            card = self.card(name)
            self.assertEqual(card[at], kinds, name)
            self.assertIn("short_scoreboard 12.2% \u2014 Waited for shared memory", card[at + 1], name)
        bar = self.browser.run("""
          const bar = document.querySelector('#hovercard .why'), all = bar.getBoundingClientRect().width;
          return [...bar.children].map((part) => [part.dataset.kind,
              Math.round(100 * part.getBoundingClientRect().width / all)]);""")
        self.assertEqual(bar, [["memory", 20], ["issuing", 50], ["hidden", 30]])
        self.assertEqual(self.text("statustext"), "all \u2014 1,000 samples issuing 50.0%")
        for query in ("?leaf=1", "?swap=1"):  # counts are the same in every view
            self.visit(query)
            self.assertIn(kinds, " ".join(self.card("all")), query)
        self.visit("?leaf=1")  # of each caller of a reason
        self.assertIn("long_scoreboard \u2014", " ".join(self.card("LDG")))

    def test_launches_of_a_kernel(self):
        fact = ("# aiflame-launch: launches 12, items 1024x1024x1, group 16x16x1, registers 40, "
                "occupancy 75, limit <b>, kernel multiply_basic_[G]\n")
        with open(LAYERS, encoding="utf-8") as layers:
            self.open(fact + layers.read())
        card = self.card("multiply_basic")
        self.assertEqual(card[3:6], ["12 launches of 1024x1024 work-items, in groups of 16x16",
                                     "40 registers",
                                     "occupancy 75% at most (estimate), limited by <b>"])
        self.assertFalse(any("launches" in line for line in self.card("dot")))

    def test_hover_card_in_differentials(self):
        self.open("a;b 2 4\na 6 6\n")
        self.assertEqual(self.card("b")[:3], [
            "bFunction", "2 \u2192 4 samples: +100.0%",
            "25.00% \u2192 40.00% of all: +15.00 points"])
        self.assertEqual(self.text("statustext"),
                         "Function b \u2014 2 \u2192 4 samples: +100.0% \u00b7 "
                         "25.00% \u2192 40.00% of all: +15.00 points")

    def test_hover_card_hides(self):
        self.open(LAYERS)
        titles = ("return [...document.querySelectorAll('#frames title')]"
                  ".map((title) => title.textContent)")
        before = self.browser.run(titles)
        self.card("dot")
        # the browser's own tooltip: the innermost title, which is empty
        self.assertEqual(self.browser.run("return arguments[0].lastElementChild.textContent",
                                          self.rect("dot")), "")
        self.leave()
        self.assertFalse(self.has_card())
        self.assertEqual(self.browser.run(titles), before)
        self.card("dot")
        self.browser.keys(ESCAPE)
        self.assertFalse(self.has_card())
        self.card("mulss")
        self.browser.click(self.rect("mulss"))  # zooms
        self.assertFalse(self.has_card())
        self.card("sbid")
        self.browser.context_click(self.rect("sbid"))
        self.assertFalse(self.has_card())
        self.hover("0x1430")  # while the menu is open
        self.wait_for_timers()
        self.assertFalse(self.has_card())
        self.browser.keys(ESCAPE)
        self.browser.touch(self.rect("sbid"))
        self.wait_for_timers()
        self.assertFalse(self.has_card())

    def wait_for_timers(self):
        """Until a card that an event before this has begun would be there: the page runs its timers in order."""
        self.browser.run("return new Promise((done) => setTimeout(done, 300))")

    def test_hover_card_lies_beside_the_pointer(self):
        """It is in the window, and never under the pointer."""
        for size in ((1280, 800), (390, 800), (1280, 300)):
            self.browser = None
            self.open(LAYERS, size=size)
            width, height = self.browser.run("return [window.innerWidth, window.innerHeight]")
            for name in ("all", "dot", "0x1430", "gemm_kernel", "dpas.8x8"):
                self.browser.run("arguments[0].scrollIntoView({block: 'center'})", self.rect(name))
                self.browser.next_frame()
                self.card(name)
                left, top, right, bottom = self.box("#hovercard")
                box = self.browser.run("const box = arguments[0].getBoundingClientRect();"
                                       "return [box.left, box.top, box.right, box.bottom]",
                                       self.rect(name))
                x, y = (box[0] + box[2]) / 2, (box[1] + box[3]) / 2
                self.assertFalse(left <= x <= right and top <= y <= bottom, (size, name))
                self.assertGreaterEqual(min(left, top), 0)
                self.assertLessEqual(right, width)
                self.assertLessEqual(bottom, height)

    def test_card_of_the_focused_frame(self):
        self.open(LAYERS, query="?s=%5Edot$")
        self.browser.type("n")  # to the match
        self.browser.type(UP)
        name = self.browser.run("return document.activeElement.firstElementChild.textContent"
                                ".split(' (')[0]")
        self.until(lambda: self.text("hovercard").startswith(name))
        self.assertIn(name, self.text("statustext"))
        self.browser.keys(ESCAPE)
        self.assertFalse(self.has_card())

    # ---- the trail -----------------------------------------------------------------------------
    def test_trail(self):
        self.open(LAYERS)
        top = self.box("#stage")[1]
        self.browser.click(self.rect("run_basic(float*)"))
        self.assertEqual(self.crumbs(), ["all", "matmul", "clone3", "start_thread",
                                         "_State_impl<\u2026>::_M_run", "run_basic(float*)"])
        self.assertEqual(self.box("#stage")[1], top)  # the picture does not jump
        self.assertEqual(self.text("trailshare"), "56.5% of all")
        whole, part = self.box("#scrubber"), self.box("#scrubber > div")
        self.assertAlmostEqual((part[2] - part[0]) / (whole[2] - whole[0]), 0.5647, places=2)
        self.browser.click("#crumbs li:nth-child(3) button")
        self.assertEqual(self.crumbs(), ["all", "matmul", "clone3"])
        self.assertEqual(self.browser.run("return document.activeElement.textContent"), "clone3")
        self.browser.click("#crumbs li:first-child button")
        self.assertEqual(urllib.parse.urlsplit(self.browser.url()).query, "")
        self.assertEqual(self.browser.run("return document.activeElement.textContent"), "all")

    def test_trail_folds(self):
        """A hundred ancestors in a narrow window: one line, the nearest of them; all in a menu."""
        deep = ";".join("function_%d" % i for i in range(100))
        for size in ((1280, 800), (390, 800)):
            self.browser = None
            self.open("%s;here 3\nother 6\n" % deep, size=size)
            self.browser.run("arguments[0].scrollIntoView({block: 'center'})",
                             self.rect("function_99"))
            self.browser.next_frame()
            self.browser.click(self.rect("function_99"))
            crumbs = self.crumbs()
            self.assertEqual(crumbs[:2], ["all", "\u2026"])
            self.assertEqual(crumbs[-1], "function_99")
            left, top, right, bottom = self.box("#trail")
            self.assertLessEqual(right, size[0])
            self.assertLessEqual(bottom - top, 36)
            last = self.box("#crumbs li:last-child")
            self.assertLessEqual(last[2], self.box("#trailshare")[0])
            self.assertGreaterEqual(last[2] - last[0], 60)
            self.browser.click("#morecrumbs")
            rows = self.browser.run("return [...document.querySelectorAll('#foldedcrumbs button')]"
                                    ".map((one) => one.textContent)")
            self.assertEqual(rows[0], "function_0")
            self.assertEqual(len(rows), 101 - len(crumbs) + 1)
            self.browser.type(UP + ENTER)
            self.assertEqual(self.crumbs()[-1], rows[-2])

    def test_copy_link(self):
        self.open(LAYERS)
        self.browser.allow_clipboard()
        self.browser.click(self.rect("run_basic(float*)"))
        self.browser.click("#traillink")
        self.until(lambda: self.text("traillink") == "Copied")
        self.assertEqual(self.browser.run("return navigator.clipboard.readText()"),
                         self.browser.url())
        self.assertEqual(self.text("live"), "Link copied")


if __name__ == "__main__":
    arguments = ["CardTest." + name for name in sys.argv[1:]]
    unittest.main(argv=[sys.argv[0], *arguments])
