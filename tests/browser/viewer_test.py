# SPDX-License-Identifier: MIT
"""What a reader does with a flame graph, in a real browser.

    python3 viewer_test.py [TEST]...     draws with the aiflame-svg that is on PATH
"""

import base64
import os
import re
import sys
import unittest
import urllib.parse

from drawn_page import DATA, LAYERS, DrawnPage
from webdriver import CONTROL, DOWN, ENTER, ESCAPE, F3, RIGHT, SHIFT, TAB, UP

# the labels that are wider than their frames
TOO_LONG = """
  return [...document.querySelectorAll('#frames > g')].filter((g) => {
    const [, rect, text] = g.children;
    return text && text.textContent && text.getComputedTextLength() > 0 &&
           text.getComputedTextLength() + 3 > +rect.getAttribute('width');
  }).map((g) => g.textContent);
"""
# whether the search is that of the field, or the field says why there is none
SEARCHED = """
  const typed = document.getElementById('term').value;
  const is = (one) => one.textContent === typed;
  return document.getElementById('searchmessage').textContent.includes(typed) ||
      ([...document.querySelectorAll('.chipterm')].some(is) &&
       document.getElementById('matchtext').textContent !== 'Searching');
"""


class ViewerTest(DrawnPage):
    def draw(self, folded, *options, **more):
        """Its width is fixed, so that positions are those of the file."""
        return super().draw(folded, "--width", "1200", *options, **more)

    def zoom(self, name):
        self.browser.click(self.frame(name)["rect"])

    def card(self, name):
        """The card of a frame."""
        self.browser.hover(self.frame(name)["rect"])
        self.until(lambda: self.browser.run(
            "const card = document.getElementById('hovercard');"
            "return card !== null && card.textContent.startsWith(arguments[0])", name))
        return self.text("hovercard")

    def search(self, term):
        """Types into the search field, waits until the search has followed, and leaves the field."""
        self.browser.keys(CONTROL, "f")
        self.browser.type(term)
        self.until(lambda: self.browser.run(SEARCHED))
        self.browser.run("document.activeElement.blur()")

    def matched(self):
        """What the bar says of all matches; "" without a search."""
        return self.text("matchtext")

    def end_search(self):
        while self.matched():
            self.browser.keys(ESCAPE)

    def close(self):
        """The cards that are open."""
        while self.browser.run("return document.querySelectorAll('.card').length"):
            self.browser.keys(ESCAPE)

    def option(self, key):
        """Toggles a switch of the card that "View" opens."""
        self.browser.click("#viewbutton")
        self.browser.click("[data-option=%s]" % key)
        self.browser.click("#viewbutton")

    def menu(self, name, item):
        self.browser.context_click(self.frame(name)["rect"])
        self.browser.click("#" + item)

    def is_hidden(self, identifier):
        return self.browser.run(
            "return getComputedStyle(document.getElementById(arguments[0])).display === 'none'",
            identifier)

    def errors(self):
        return self.browser.run("return window.hacked || 0")

    # ---- zoom ----------------------------------------------------------------------------------
    def test_zoom(self):
        self.open(LAYERS)
        frames = ("return document.getElementById('frames').outerHTML"
                  ".replace(/ (tabindex|role|aria-label|id)=\"[^\"]*\"/g, '')")
        before = self.browser.run(frames)
        self.assertTrue(self.is_hidden("unzoombutton"))
        self.zoom("run_basic(float*)")
        zoomed = self.frame("run_basic(float*)")
        self.assertEqual((zoomed["x"], zoomed["width"]), (10, 1180))
        self.assertIn("parent", self.frame("start_thread")["classes"])
        self.assertEqual(self.frame("start_thread")["width"], 1180)
        self.assertIsNone(self.frame("python3"))
        # 1 453 of the 1 550 samples of run_basic, from the right
        self.assertAlmostEqual(self.frame("dot")["width"], 1180 * 1453 / 1550, delta=0.1)
        self.assertEqual(self.browser.run(TOO_LONG), [])
        # zooms in further, and out again by an ancestor
        self.zoom("dot")
        self.assertEqual(self.frame("dot")["width"], 1180)
        self.zoom("start_thread")
        self.assertIsNotNone(self.frame("run_local(float*)"))
        self.assertIsNone(self.frame("python3"))
        self.browser.click("#unzoombutton")
        self.assertTrue(self.is_hidden("unzoombutton"))
        after = self.browser.run(frames)
        self.assertEqual(after, before)
        self.assertEqual(self.query(), {})

    def test_zoom_shows_more_of_a_name(self):
        self.open("main;a_name_of_some_length_%s 1\nmain;b 9\n" % ("x" * 60))
        name = "a_name_of_some_length_" + "x" * 60
        self.assertTrue(self.frame(name)["label"].endswith(".."))
        self.zoom(name)
        self.assertEqual(self.frame(name)["label"], name)

    def test_zoom_shows_what_was_too_narrow(self):
        """Zooms to frames that have no element, and checks their exact counts."""
        folded = "a;b 1000000\na;c;%s 3\na;c;narrow;two 1\n" % ";".join("deep%d" % i for i in range(60))
        self.open(folded)
        self.assertIsNone(self.frame("narrow"))
        self.browser.run("document.querySelector('#frames').dataset.old = 1")
        self.search("^narrow$")
        self.assertEqual(self.matched(), "Matched: 0.0%")
        self.close()
        self.browser.type("n")  # the next match is zoomed to
        self.assertEqual(self.frame("narrow")["title"], "narrow (1 samples, 0.00%)")
        self.assertAlmostEqual(self.frame("narrow")["width"], 1180 / 4, delta=0.1)
        self.assertEqual(self.frame("deep59")["title"], "deep59 (3 samples, 0.00%)")
        # the picture has become higher, and all of it is visible
        self.assertGreater(self.frame("deep59")["y"], 0)
        height = self.browser.run("return document.querySelector('#stage > svg').viewBox.baseVal.height")
        self.assertGreater(height, 62 * 16)
        self.browser.reload()  # the link leads there too
        self.until(lambda: self.frame("narrow") is not None)

    def test_back_and_forward(self):
        self.open(LAYERS)
        self.zoom("run_basic(float*)")
        self.zoom("dot")
        self.browser.back()
        self.until(lambda: self.frame("run_basic(float*)")["width"] == 1180 and
                   self.frame("dot")["width"] < 1180)
        self.browser.back()
        self.until(lambda: self.is_hidden("unzoombutton"))
        self.browser.forward()
        self.until(lambda: self.frame("run_basic(float*)")["width"] == 1180)
        self.assertFalse(self.is_hidden("unzoombutton"))

    def test_touch(self):
        self.open(LAYERS)
        self.browser.touch(self.frame("dot")["rect"])
        self.until(lambda: self.frame("dot")["width"] == 1180)
        self.assertIn("dot \u2014 52.9% of all", self.text("statustext"))
        self.browser.touch(self.frame("all")["rect"])
        self.until(lambda: self.is_hidden("unzoombutton"))
        self.browser.touch(self.frame("dot")["rect"], seconds=0.8)  # a long press
        self.until(lambda: self.browser.run("return !!document.getElementById('framemenu')"))
        self.assertTrue(self.is_hidden("unzoombutton"))  # lifting the finger did not zoom

    # ---- search --------------------------------------------------------------------------------
    def test_search(self):
        self.open(LAYERS)
        self.search("sbid")
        self.assertEqual(self.frame("sbid")["fill"], "rgb(230,0,230)")
        self.assertEqual(self.matched(), "Matched: 56.5%")  # 1 550 of 2 745
        self.assertEqual(self.query(), {"s": "sbid"})
        self.end_search()
        self.assertNotEqual(self.frame("sbid")["fill"], "rgb(230,0,230)")
        self.assertEqual(self.matched(), "")
        self.assertEqual(self.query(), {})

    def test_matched_is_of_the_view(self):
        self.open(LAYERS)
        self.search("sbid|dot")  # frames on top of another match count once
        self.assertEqual(self.matched(), "Matched: 64.2%")  # 812+430+211+188+120
        self.close()
        self.zoom("run_local(float*)")
        self.assertEqual(self.matched(), "Matched: 38.4%")  # 188 of 489
        self.zoom("start_thread")
        self.search("^clone3$")  # an ancestor is outside the view
        self.assertEqual(self.matched(), "Matched: 0.0%")
        self.close()
        self.browser.click("#unzoombutton")
        self.assertEqual(self.matched(), "Matched: 82.5%")

    def test_search_finds_annotations_and_no_counts(self):
        self.open(LAYERS)
        self.search(r"_\[k]$")
        self.assertEqual(self.matched(), "Matched: 2.7%")
        self.search("samples")
        self.assertEqual(self.matched(), "Matched: 0.0%")

    def test_search_for_a_long_name(self):
        """By its menu: a kernel's name may have thousands of characters, and any of them."""
        name = "void k<" + "Tile<128, (int)4>::type*, " * 200 + "a[1]^{$|\\.?+}>()"
        self.open("main;%s 1\nmain;b 3\n" % name)
        self.browser.context_click(self.frame(name)["rect"])
        self.browser.click("#menusearch")
        self.assertEqual(self.matched(), "Matched: 25.0%")

    def test_several_terms(self):
        self.open(LAYERS)
        self.search("sbid")
        self.browser.click("#addterm")
        self.browser.type("dot" + ENTER)
        self.assertEqual(self.frame("sbid")["fill"], "rgb(230,0,230)")
        self.assertEqual(self.frame("dot")["fill"], "rgb(0,140,255)")
        self.assertEqual(self.matched(), "Matched: 64.2%")  # of both, nothing twice
        self.assertEqual(self.text("terms"), "sbid 56.5% \u00b7 4 frames\u00d7"
                                            "dot 52.9% \u00b7 1 frame\u00d7")
        self.assertEqual(urllib.parse.urlsplit(self.browser.url()).query, "s=sbid&s=dot")
        self.browser.click("#terms .remove")
        self.assertEqual(self.matched(), "Matched: 52.9%")
        self.assertEqual(self.frame("dot")["fill"], "rgb(230,0,230)")

    def test_next_and_previous_match(self):
        self.open(LAYERS)
        self.search("^sbid$")
        self.close()
        places = []
        for _ in range(5):  # from left to right, then from the start
            self.browser.type("n")
            places.append(self.browser.run("return document.activeElement.dataset.x"))
        self.assertEqual(places[:4], sorted(places[:4], key=int))
        self.assertEqual(len(set(places[:4])), 4)
        self.assertEqual(places[4], places[0])
        self.browser.keys(SHIFT, "N")
        self.assertEqual(self.browser.run("return document.activeElement.dataset.x"), places[3])
        self.assertIn("Reason sbid", self.text("statustext"))

    def test_ignore_case(self):
        self.open(LAYERS)
        self.search("SBID")
        self.assertEqual(self.matched(), "Matched: 0.0%")
        self.browser.keys(CONTROL, "i")
        self.assertEqual(self.matched(), "Matched: 56.5%")
        self.assertEqual(self.query()["ic"], "1")
        self.browser.reload()
        self.until(self.is_ready)
        self.assertEqual(self.matched(), "Matched: 56.5%")
        self.browser.keys(CONTROL, "i")
        self.assertEqual(self.matched(), "Matched: 0.0%")

    def test_bad_expression(self):
        self.open(LAYERS)
        self.browser.run("window.addEventListener('error', () => { window.hacked = 'error'; })")
        self.search("a(b")
        self.assertEqual(self.text("statustext"), "Not a regular expression: a(b")
        self.assertEqual(self.text("searchmessage"), "Not a regular expression: a(b")
        self.assertEqual(self.matched(), "")
        self.search("(?=a)")
        self.assertEqual(self.text("statustext"),
                         "Cannot search for (?=a): look-around ((?=) is not supported")
        self.search("dot")
        self.assertEqual(self.matched(), "Matched: 52.9%")
        self.search("a(b")  # the marks of the last good search stay
        self.assertEqual(self.matched(), "Matched: 52.9%")
        self.assertEqual(self.errors(), 0)

    def test_search_ends(self):
        """An expression that hangs backtracking engines, in a name of 100 000 characters."""
        self.open("main;%s 1\nmain;b 1\n" % ("x" * 100000))
        self.search("(x+x+)+y|^b$")
        self.assertEqual(self.matched(), "Matched: 50.0%")
        # a long name with an expression made to give a large automaton
        self.search("(x|b)*b(x|b){900}x")
        self.until(lambda: self.matched() != "Searching")
        self.assertEqual(self.errors(), 0)

    def test_keys(self):
        self.open(LAYERS)
        self.browser.keys(CONTROL, "f")
        self.browser.type("dot" + ENTER)
        self.assertEqual(self.matched(), "Matched: 52.9%")
        self.close()
        self.browser.keys(F3)  # the term is there, to be typed over
        self.assertEqual(self.browser.run("return document.getElementById('term').value"), "dot")
        self.browser.type("sbid" + ENTER)
        self.assertEqual(self.matched(), "Matched: 56.5%")
        self.close()
        self.zoom("run_basic(float*)")
        self.browser.keys(ESCAPE)
        self.assertEqual(self.matched(), "")
        self.assertFalse(self.is_hidden("unzoombutton"))
        self.browser.keys(ESCAPE)
        self.assertTrue(self.is_hidden("unzoombutton"))
        # typed letters are not commands
        self.browser.keys("/")
        self.browser.type("wlin")
        self.until(lambda: self.query() == {"s": "wlin"})

    # ---- another view --------------------------------------------------------------------------
    SMALL = "m;a;x 5\nm;b;x 3\nm;c 4\n"
    UNIT = "# aiflame: event gpu-time, unit ns\n"

    def test_root_on_top(self):
        self.open(self.SMALL)
        below = self.frame("m")["y"] > self.frame("x")["y"]
        self.assertTrue(below)
        self.option("flip")
        self.assertLess(self.frame("m")["y"], self.frame("x")["y"])
        self.assertEqual(self.query(), {"flip": "1"})
        self.browser.reload()
        self.until(lambda: self.frame("m")["y"] < self.frame("x")["y"])
        self.browser.keys("i")
        self.assertGreater(self.frame("m")["y"], self.frame("x")["y"])
        self.open(self.SMALL, "--inverted")
        self.browser.keys("i")
        self.assertGreater(self.frame("m")["y"], self.frame("x")["y"])

    def test_merged_from_the_leaves(self):
        self.open(self.SMALL)
        self.browser.keys("l")
        self.assertEqual(self.rows(), [["all 12"], ["c 4", "x 8"], ["m 4", "a 5", "b 3"],
                                       ["m 5", "m 3"]])
        self.zoom("x")
        self.search("^a$")
        self.assertEqual(self.matched(), "Matched: 62.5%")
        self.close()
        self.browser.reload()
        self.until(lambda: self.rows()[1] == ["x 8"])
        self.browser.keys("l")
        self.assertEqual(self.rows()[1], ["m 12"])

    def test_sorted_by_width(self):
        self.open("m;a;x 5\nm;b 7\nm;c 9\n")
        self.assertEqual(self.rows()[2], ["a 5", "b 7", "c 9"])
        self.option("width")
        self.assertEqual(self.rows()[2], ["c 9", "b 7", "a 5"])
        self.assertEqual(self.query(), {"sort": "width"})
        self.option("width")
        self.assertEqual(self.rows()[2], ["a 5", "b 7", "c 9"])

    def test_hide_and_focus(self):
        self.open(self.SMALL)
        self.menu("a", "menuhide")
        self.assertEqual(self.rows(), [["all 12"], ["m 12"], ["b 3", "c 4", "x 5"], ["x 3"]])
        self.browser.click("#viewbutton")
        self.assertIn("hidden: a", self.text("viewmenu"))
        self.browser.click("#resetview")
        self.browser.click("#viewbutton")
        self.assertEqual(self.rows()[2], ["a 5", "b 3", "c 4"])
        self.menu("x", "menufocus")
        self.assertEqual(self.rows(), [["all 8"], ["x 8"]])
        self.assertEqual(self.query(), {"focus": "x"})
        self.browser.reload()
        self.until(lambda: self.rows() == [["all 8"], ["x 8"]])
        self.browser.click("#viewbutton")
        self.browser.click("#unfocus")
        self.assertEqual(self.rows()[2], ["a 5", "b 3", "c 4"])

    def test_copy(self):
        self.start()
        self.open(LAYERS)
        self.browser.allow_clipboard()
        read = "return navigator.clipboard.readText()"
        self.menu("dot", "copyname")
        self.until(lambda: self.browser.run(read) == "dot")
        self.menu("drm_ioctl", "copystack")
        self.until(lambda: self.browser.run(read).endswith(
            "clEnqueueNDRangeKernel;entry_SYSCALL_64_[k];do_syscall_64_[k];drm_ioctl_[k]"))
        self.assertTrue(self.browser.run(read).startswith("matmul;clone3;"))

    def test_safe_colours(self):
        self.open(LAYERS)
        before = self.frame("dot")["fill"]
        self.option("safe")
        self.assertNotEqual(self.frame("dot")["fill"], before)
        self.assertEqual(self.query(), {"safe": "1"})
        self.browser.colour_scheme("light")
        self.search("dot")
        self.assertEqual(self.frame("dot")["fill"], "rgb(0,0,0)")
        self.assertIn("light", self.frame("dot")["classes"])
        self.browser.colour_scheme("dark")  # on black, black would not be seen
        self.until(lambda: self.frame("dot")["fill"] == "rgb(255,255,255)")
        self.end_search()
        self.browser.keys("?")
        self.assertIn("device source", self.text("help"))
        # and so is the legend in the file
        self.assertIn(self.browser.run("return document.querySelector('#legend rect')"
                                       ".getAttribute('fill')"), "rgb(60,190,150)")
        self.close()
        self.open("a;b 1 9\na;c 9 1\n")
        self.assertEqual(self.frame("b")["fill"], "rgb(179,38,30)")
        self.option("safe")
        self.assertEqual((self.frame("b")["fill"], self.frame("c")["fill"]),
                         ("rgb(148,68,0)", "rgb(84,39,136)"))

    def test_legend(self):
        self.open(LAYERS)
        self.browser.keys("?")
        legend = self.text("help")
        for text in ("Width: samples of a frame and of all that it called", "instructions",
                     "device source", "OS kernel", "boundary"):
            self.assertIn(text, legend)
        self.close()
        self.open("a;b 1 9\na;c 9 1\n")
        self.browser.keys("?")
        self.assertIn("> +8", self.text("help"))

    # ---- AI ------------------------------------------------------------------------------------
    def test_layers(self):
        self.open(LAYERS)
        self.zoom("gemm_kernel")

        def above():
            rows = self.rows()
            return rows[rows.index(["gemm_kernel 475"]) + 1:]

        self.assertEqual(above(), [["dpas.8x8 475"], ["pipestall 355", "sbid 120"],
                                   ["0x0400 355", "0x0408 120"]])
        self.option("swap")
        self.assertEqual(above(), [["pipestall 355", "sbid 120"], ["dpas.8x8 355", "dpas.8x8 120"],
                                   ["0x0400 355", "0x0408 120"]])
        self.option("layer-instructions")
        self.assertEqual(above(), [["pipestall 355", "sbid 120"]])
        self.option("layer-instructions")
        self.option("layer-reasons")
        self.assertEqual(above(), [["dpas.8x8 475"], ["0x0400 355", "0x0408 120"]])
        self.option("layer-cpu")
        self.assertEqual(self.rows()[:3], [["all 2745"], ["jit 475"], ["gemm_kernel 475"]])
        self.option("layer-source")  # with it goes what was zoomed to
        # all but the 6 samples that are less than 3 pixels wide
        self.assertEqual(sum(int(name.split()[-1]) for name in self.rows()[1]), 2745 - 6)
        self.assertEqual(self.query()["fold"], "cpu,reasons,source")
        self.browser.keys("0")
        self.assertEqual(self.query(), {})

    MODEL = ("# aiflame: event gpu-time, unit ns\n"
             "python3;py::main:t.py;step_[r];Linear_0_[m];aten::mm_[o];cuLaunchKernel;-;gemm_[G] 30000\n"
             "python3;py::main:t.py;step_[r];Linear_1_[m];aten::mm_[o];cuLaunchKernel;-;gemm_[G] 50000\n"
             "python3;py::main:t.py;step_[r];ReLU_0_[m];aten::relu_[o];cuLaunchKernel;-;relu_[G] 20000\n")

    def test_layers_of_a_model(self):
        """Operators and modules are layers that fold; a profile of times alone has no reasons."""
        self.open(self.MODEL)
        self.browser.keys("r")  # no key here
        self.assertEqual(self.query(), {})
        self.assertEqual(self.browser.run(
            "return document.getElementById('swapbutton') === null"), True)
        self.browser.click("#viewbutton")
        offered = self.browser.run("return [...document.querySelectorAll('[data-option^=layer-]')]"
                                   ".map((one) => one.dataset.option.slice(6))")
        self.assertEqual(offered, ["cpu", "range", "python", "module", "operator", "source"])
        self.close()
        self.option("layer-python")
        self.option("layer-range")
        self.option("layer-module")
        self.assertEqual(self.rows()[:5], [
            ["all 100000"], ["python3 100000"], ["aten::mm 80000", "aten::relu 20000"],
            ["cuLaunchKernel 80000", "cuLaunchKernel 20000"], ["- 80000", "- 20000"]])
        self.assertEqual(self.query()["fold"], "module,python,range")
        self.option("layer-cpu")
        self.assertEqual(self.rows(), [["all 100000"], ["gemm 80000", "relu 20000"]])
        self.option("layer-source")  # not the last one
        self.assertEqual(self.rows(), [["all 100000"], ["gemm 80000", "relu 20000"]])
        self.browser.keys("0")
        self.search(r"_\[m]$")
        self.assertEqual(self.matched(), "Matched: 100%, 100.0 us")
        self.search(r"relu_\[o]")
        self.assertEqual(self.matched(), "Matched: 20.0%, 20.00 us")

    def test_hint(self):
        self.open(LAYERS)
        self.assertIn("sbid \u2014 Waited for a scoreboard token", self.card("sbid"))
        self.assertIn("Try: ", self.text("hovercard"))
        self.assertNotIn("barrier \u2014", self.card("barrier"))  # an instruction of that name
        prefix = "smsp__pcsamp_warps_issue_stalled_"
        self.open("a;-;b.cu_[G];k_[G];LDG_[g];%slong_scoreboard_[g];0x10_[g] 5\n" % prefix)
        self.assertIn("global, local or texture memory", self.card(prefix + "long_scoreboard"))

    def test_reasons_of_hpctoolkit_and_amd(self):
        """They are reasons to the page: in cards, and where reasons come first."""
        self.open("a;-;jit_[G];k_[G];v_fma_f64_[g];stl_idep_[g];0x8_[g] 5\n"
                  "a;-;jit_[G];k_[G];v_fma_f64_[g];isu_vec_[g];0x8_[g] 3\n"
                  "a;-;jit_[G];k_[G];s_waitcnt_[g];waitcnt_[g];0x10_[g] 2\n")
        self.assertIn("Waited for the result of an instruction before", self.card("stl_idep"))
        self.assertIn("this is work, not a stall", self.card("isu_vec"))
        self.browser.keys("r")
        self.assertEqual(self.rows()[5:7], [["isu_vec 3", "stl_idep 5", "waitcnt 2"],
                                            ["v_fma_f64 3", "v_fma_f64 5", "s_waitcnt 2"]])

    def test_no_layers_without_a_device(self):
        self.open(self.SMALL)
        self.browser.click("#viewbutton")
        self.assertEqual(self.browser.run(
            "return document.querySelectorAll('[data-option^=layer]').length"), 0)
        self.browser.keys(ESCAPE)
        self.browser.keys("r")  # their key does nothing
        self.assertEqual(self.query(), {})

    # ---- keyboard and screen readers -----------------------------------------------------------
    def focused(self):
        return self.browser.run("const g = document.activeElement; return g.firstElementChild ? "
                                "g.firstElementChild.textContent.split(' (')[0] : g.id")

    def test_frames_by_keyboard(self):
        self.open(self.SMALL)
        while not self.browser.run("return Boolean(document.activeElement.closest('#frames'))"):
            self.browser.type(TAB)
        self.assertEqual(self.focused(), "all")
        self.browser.type(UP + UP)
        self.assertEqual(self.focused(), "a")  # the widest of three
        self.browser.type(RIGHT)
        self.assertEqual(self.focused(), "b")
        self.assertEqual(self.browser.run("const g = document.activeElement; return "
                                          "[g.getAttribute('role'), g.getAttribute('aria-level')]"),
                         ["treeitem", "3"])
        self.assertIn("b \u2014 25.0% of all", self.text("statustext"))
        self.browser.type(UP)
        self.assertEqual(self.focused(), "x")
        self.browser.type(DOWN + ENTER)
        self.assertEqual(self.frame("b")["width"], 1180)
        self.assertEqual(self.focused(), "b")
        self.browser.keys(SHIFT, "\ue03a")  # Shift-F10
        self.browser.click("#menusearch")
        self.assertEqual(self.query()["s"], "^b$")

    def test_cards_by_keyboard(self):
        self.open(self.SMALL)
        self.browser.run("document.getElementById('viewbutton').focus()")
        self.browser.type(ENTER)
        option = "return document.activeElement.dataset.option || document.activeElement.id"
        self.assertEqual(self.browser.run(option), "flip")
        self.browser.type(DOWN + DOWN)
        self.assertEqual(self.browser.run(option), "width")
        self.browser.type(" ")
        self.assertEqual(self.query(), {"sort": "width"})
        self.assertEqual(self.browser.run("return document.activeElement.ariaChecked"), "true")
        self.browser.keys(ESCAPE)
        self.assertEqual(self.browser.run(option), "viewbutton")  # focus goes back

    # ---- the rest ------------------------------------------------------------------------------
    def test_permalink(self):
        self.open(LAYERS)
        x, y = self.frame("run_local(float*)")["x"], self.frame("run_local(float*)")["y"]
        self.zoom("run_local(float*)")
        self.assertEqual(self.query(), {"x": "%.1f" % x, "y": "%g" % y})  # flamegraph.pl's
        self.search("sb+id")
        self.assertEqual(self.query()["s"], "sb+id")
        self.browser.reload()
        self.until(self.is_ready)
        self.assertEqual(self.frame("run_local(float*)")["width"], 1180)
        self.assertEqual(self.matched(), "Matched: 38.4%")
        # an address of another drawing: the frame is missing, but the search works; a bad search
        # does no harm either
        self.open(LAYERS, query="?x=1.5&y=7&s=dot")
        self.assertEqual(self.matched(), "Matched: 52.9%")
        self.open(LAYERS, query="?x=%22%5D&y=%00&z=1.%FF.zzz&focus=no&hide=&hide=x&fold=a,cpu&s=(")
        self.search("dot")
        self.assertEqual(self.matched(), "Matched: 52.9%")

    def test_without_data(self):
        """--embed 0: there is no data, only elements."""
        self.open(LAYERS, "--embed", "0")
        self.zoom("run_basic(float*)")
        self.assertAlmostEqual(self.frame("dot")["width"], 1180 * 1453 / 1550, delta=0.1)
        self.search("sbid|dot")
        self.assertEqual(self.matched(), "Matched: 93.7%")  # 1 453 of 1 550
        self.close()
        self.browser.click("#unzoombutton")
        self.browser.keys("l")
        self.assertEqual(self.rows()[0], ["all 2745"])

    def test_what_was_left_out(self):
        lines = "m 450\n" + "".join("m;f%d;g%d 1\n" % (i ** 2 % 100, i) for i in range(2550))
        self.open(lines, "--embed", "700", "--minwidth", "5%")
        self.browser.keys("i")
        grey = self.browser.run("return [...document.querySelectorAll('#frames > g')].filter((g) => "
                                "g.textContent.includes('left out')).map((g) => g.textContent)")
        self.assertEqual(self.rows()[0], ["all 3000"])
        self.assertNotEqual(grey, [])
        for text in grey:
            self.assertRegex(text, r"^[\d,]+ frames left out of the file \([\d,]+ samples, ")

    def test_attributes_are_a_functions(self):
        """--nameattr gives them by name, so they follow the frames of that name into other views."""
        attributes = os.path.join(self.directory.name, "attributes")
        with open(attributes, "w", encoding="utf-8") as file:
            file.write("a\thref=#there\ttitle=its title\tid=own\nb\tclass=hot\n")
        look = ("return [...document.querySelectorAll('#frames > *')].map((g) => [g.localName, g.id, "
                "g.classList.contains('hot'), g.firstElementChild.textContent.split(' (')[0]]).sort()")
        expected = sorted([["g", "", False, "all"], ["a", "own", False, "its title"],
                           ["g", "", False, "f"], ["g", "", True, "b"], ["g", "", False, "g"]])
        self.open("a;f 10\nb;g 20\n", "--nameattr", attributes)
        self.assertEqual(self.browser.run(look), expected)
        self.browser.keys("l")
        self.assertEqual(self.rows()[1], ["f 10", "g 20"])
        self.assertEqual(self.browser.run(look), expected)

    def test_attributes_by_the_frame_below(self):
        attributes = os.path.join(self.directory.name, "attributes")
        with open(attributes, "w", encoding="utf-8") as file:
            file.write("k;x\tid=kx\nl;x\tid=lx\nx\tid=x\n")
        look = ("return [...document.querySelectorAll('#frames > [id]')].map((g) => [g.id, "
                "Number(g.dataset.n)]).sort()")
        self.open("a;k;f;l;x 10\nl;k;x 20\nx 30\nx;k 40\n", "--nameattr", attributes)
        for _ in range(2):
            self.assertEqual(self.browser.run(look), [["kx", 10], ["lx", 20], ["x", 70]])
            self.search("no_such_name")  # so that the script draws
            self.close()

    def test_parts_of_the_whole(self):
        """Shares are of the whole profile, also where the view shows a part of it."""
        self.open("m;a;x 5\nm;b;y 15\n", query="?focus=a")
        self.assertEqual(self.frame("all")["title"], "all (5 samples, 25.00%)")
        self.browser.keys("0")
        self.zoom("b")
        self.assertIn("75.0% of all", self.text("trailshare"))
        self.open("a 10\nb 30\n", "--total", "100", query="?sort=width")
        self.assertEqual(self.frame("a")["width"], 1180 * 10 / 100)
        self.assertEqual(self.frame("all")["title"], "all (100 samples, 100%)")
        self.open("m;a;leaf 10\nm;b;leaf 20\n", query="?leaf=1")
        self.browser.hover(self.frame("leaf")["rect"])
        self.assertEqual(self.text("statustext"), "Function leaf \u2014 100% of all \u00b7 30 samples")

    def test_links(self):
        """Frames that --nameattr made links stay links when the script draws them."""
        attributes = os.path.join(self.directory.name, "names.tab")
        with open(attributes, "w", encoding="ascii") as file:
            file.write("c\thref=#there\ttarget=_self\ttitle=a c\n")
        self.open(self.SMALL, "--nameattr", attributes)
        for _ in range(2):
            link = self.browser.run("const a = document.querySelector('#frames > a'); return "
                                    "[a.getAttribute('href') || a.getAttribute('xlink:href'), "
                                    "a.firstElementChild.textContent, a.dataset.n]")
            self.assertEqual(link, ["#there", "a c", "4"])
            self.search("no_such_name")  # so that the script draws
            self.close()
        self.browser.click("#frames > a > rect")
        self.assertTrue(self.browser.url().endswith("#there"))
        self.assertTrue(self.is_hidden("unzoombutton"))
        self.browser.run("document.querySelector('#frames > a > rect').dispatchEvent("
                         "new MouseEvent('click', {bubbles: true, cancelable: true, ctrlKey: true}))")
        self.assertFalse(self.is_hidden("unzoombutton"))

    def test_drawn_as_in_the_file(self):
        """The script draws what the program writes: positions, titles and colours of all frames."""
        # narrower ones are part of a path
        look = ("return [...document.querySelectorAll('#frames > g')].filter("
                "(g) => +g.children[1].getAttribute('width') > 3.1).map((g) => [...g.children]"
                ".filter((e) => e.tagName !== 'text').map((e) => e.textContent || [...e.attributes].map((a) => a.name + "
                "Number(a.value).toString().replace('NaN', a.value)).join()))")
        differential = "".join("m;f%d;g%d %d %d\n" % (i % 7, i, i * 5 % 11, i * 7 % 13)
                               for i in range(1, 60))
        show = ["--vanished", "show"]  # else the page has other colours than flamegraph.pl's picture
        for folded, *options in [(LAYERS,), (LAYERS, "--inverted"), (differential, *show),
                                 (differential, *show, "--negate"),
                                 (differential, *show, "--delta=self"),
                                 (self.UNIT + differential,), (self.UNIT + differential, "--negate"),
                                 (self.UNIT + differential, "--total", "9999"),
                                 (self.UNIT.replace("ns", "stalls") + differential,),
                                 (differential, *show, "--total", "9999"), (self.SMALL, "--total", "20"),
                                 ("a;b 1.25\na;c 2.5\n", "--factor", "1.5"),
                                 ("b;x 100\na 20\nb;x 30\n", "--flamechart"),
                                 ("a;b 4611686018427387904\na;c 4611686018427387903\n",)]:
            self.open(folded, *options)
            is_merged = not {"--total", "--flamechart"} & set(options)  # those are of the file alone
            without_fills = lambda frames: frames if is_merged else [
                [re.sub(r"fill(rgb\(.*?\))?", "", part) for part in frame] for frame in frames]
            expected = without_fills(self.browser.run(look))
            self.browser.run("document.getElementById('frames').dataset.file = 1")
            # So that the script draws: what repeats is folded, which is nothing, or a search, which
            # fades the others.
            self.browser.keys("u" if is_merged else "/")
            if not is_merged:
                self.browser.type("no_such_name" + ENTER)
            self.assertIsNone(self.browser.run("return document.getElementById('frames').dataset.file"
                                               " || null"))
            self.assertEqual(without_fills(self.browser.run(look)), expected, options)

    def test_the_same_times_as_in_the_file(self):
        """The script writes times as the program does: of each size, and where rounding decides."""
        with open(os.path.join(os.path.dirname(DATA), "../../tools/aiflame-svg/page/counts.js"),
                  encoding="utf-8") as file:
            compare = file.read() + """
              const {quantity} = countTexts(document.querySelector('#stage > svg'));
              const toCount = (text) => (Number(text) > 2 ** 53 ? BigInt(text) : Number(text));
              return [...document.querySelectorAll('#frames > g')].map((g) =>
                  [g.textContent.match(/ [(](.*), /)[1], quantity(toCount(g.dataset.n))]);"""
        times = [10 ** p * n // 10000 for p in range(4, 14)
                 for n in (10000, 12345, 12355, 99949, 99950, 99951, 99994, 99995, 99996, 99999)]
        times += [1005, 1015, 2500, 12345, 12355, 123450, 123550, 2 ** 53]
        for folded in ("".join("f%d %d\n" % line for line in enumerate(times)),
                       "".join("f%d %d.%03d\n" % (i, n // 1000, n % 1000) for i, n in enumerate(times))):
            for options in ([], ["--factor", "0.375"], ["--factor", "1000"], ["--countname", "ns"]):
                self.open(self.UNIT + folded, "--minwidth", "0", *options)
                shown = self.browser.run(compare)
                self.assertEqual(len(shown), len(times) + 1)
                for expected, seen in shown:
                    self.assertEqual(seen, expected, options)

    def test_a_unit(self):
        """Counts are shown in the unit that the text states: in the title, of matches."""
        with open(LAYERS, encoding="utf-8") as file:
            lines = [line.split() for line in file if not line.startswith("#")]
        unit = "# aiflame: event %s, unit %s\n"
        nanoseconds = "".join("%s %s000\n" % (" ".join(line[:-1]), line[-1]) for line in lines)
        self.open(unit % ("gpu-time", "ns") + nanoseconds)
        self.assertEqual(self.text("subtitle"), "width: time (gpu-time)")
        self.browser.hover(self.frame("run_basic(float*)")["rect"])
        self.assertEqual(self.text("statustext"), "Function run_basic(float*) \u2014 56.5% of all "
                                                  "\u00b7 1.550 ms \u00b7 self 0 ns memory 93.7%")
        self.search("sbid")
        self.assertEqual(self.matched(), "Matched: 56.5%, 1.550 ms")
        self.assertLessEqual(self.browser.run(
            "const box = document.getElementById('matched').getBBox(); return box.x + box.width"), 1195)
        self.close()
        self.browser.keys("?")
        self.assertIn("Width: time of a frame", self.text("help"))
        self.close()
        stalls = "".join(" ".join(line) + "\n" for line in lines)
        for options in ([], ["--embed", "0"]):  # 0: names and counts are those of the elements
            self.open(unit % ("gpu-stall", "stalls") + stalls, *options)
            self.zoom("gemm_kernel")
            self.search("sbid")
            self.assertEqual(self.matched(), "Matched: 25.3%, 120 samples")
        self.open(unit % ("gpu-time", "ns") + nanoseconds, "--embed", "0")
        self.search("sbid")  # sums are exact, though titles are rounded
        self.assertEqual(self.matched(), "Matched: 56.5%, 1.550 ms")

    def test_huge_counts(self):
        self.open("a;b 4611686018427387904\na;c 4611686018427387903\n")
        self.zoom("c")
        self.assertEqual(self.frame("c")["width"], 1180)
        self.browser.hover(self.frame("c")["rect"])
        self.assertIn("50.0% of all \u00b7 100% of view \u00b7 4,611,686,018,427,387,903 samples", self.text("statustext"))
        self.search("c")
        self.assertEqual(self.matched(), "Matched: 100%")

    def test_dark(self):
        """The background follows the system; text stays readable on it and on the frames."""
        self.open(LAYERS)
        fill = ("return ['#title', '#frames text', '#background stop'].map((s) => { const style = "
                "getComputedStyle(document.querySelector(s)); return s.includes('stop') ? "
                "style.stopColor : style.fill; })")
        self.browser.colour_scheme("light")
        self.assertEqual(self.browser.run(fill)[:2], ["rgb(22, 24, 29)", "rgb(0, 0, 0)"])
        self.browser.colour_scheme("dark")
        self.assertEqual(self.browser.run(fill), ["rgb(232, 234, 238)", "rgb(0, 0, 0)",
                                                  "rgb(27, 29, 34)"])
        self.open(self.SMALL)
        self.assertEqual(self.browser.run(fill)[0::2], ["rgb(222, 222, 222)", "rgb(32, 32, 36)"])

    def test_controls_beside_the_title(self):
        """Nothing overlaps in the first lines."""
        boxes = ("return ['title', 'view', 'unzoom', 'search', 'ignorecase'].map((id) => { "
                 "const box = document.getElementById(id).getBBox(); "
                 "return [box.x, box.y, box.x + box.width, box.y + box.height]; })")
        for width in ("400", "700", "1200", "2400"):
            for title in ("CPU", "Flame Graph of a title", "A title that is as long as titles get"):
                self.open(self.SMALL, "--width", width, "--title", title)
                self.zoom("a")
                self.search("x")
                self.close()
                all_boxes = self.browser.run(boxes)
                for i, a in enumerate(all_boxes):
                    self.assertGreaterEqual(a[0], 0)
                    self.assertLessEqual(a[2], int(width))
                    for b in all_boxes[:i]:
                        self.assertFalse(a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3],
                                         (width, title, a, b))

    def test_hostile_names(self):
        self.open(os.path.join(DATA, "hostile.in"), "--nametype", "\"';window.hacked=1;//",
                  "--countname", "<script>window.hacked=1</script>", "--title", "</text><script>",
                  query="?s=%3C/text%3E%3Cscript%3Ewindow.hacked=1%3C/script%3E")
        count = self.browser.run("return document.querySelectorAll('#frames > *').length")
        for i in range(count):
            rect = self.browser.run(
                "return document.querySelectorAll('#frames > g')[arguments[0]].children[1]", i)
            self.browser.hover(rect)
            self.browser.context_click(rect)
            self.browser.run("const hide = document.getElementById('menuhide'); if (hide) hide.click()")
            self.browser.keys("?")
            self.browser.keys("0")
            self.close()
            self.browser.click("#frames > g rect")
        self.assertEqual(self.errors(), 0)
        self.assertEqual(self.browser.run("return document.querySelectorAll('script').length"), 1)
        self.assertIsNone(self.browser.dialogue())

    def test_labels_fit_at_load(self):
        self.open(LAYERS)
        self.assertEqual(self.browser.run(TOO_LONG), [])
        names = ["WWWWWWWW", "mmmmmmmm", "漢字漢字漢字漢字", "iiiiiiiiiiiiiiii", "МЖЩШЮ",
                 "_ZN@@@@%%%%", "🔥🔥🔥🔥"]
        folded = "".join("%s%d %d\n" % (name, i, 20 + 13 * i)
                         for name in names for i in range(12))
        self.open(folded)
        self.assertEqual(self.browser.run(TOO_LONG), [])

    def test_without_javascript(self):
        self.start(javascript=False)
        self.open(LAYERS)
        self.assertEqual(self.frame("start_thread")["label"], "start_thread 82.5%")
        self.assertTrue(self.is_hidden("search"))  # what would do nothing is not there

    def test_as_an_image(self):
        """In <img> no script runs. The labels are there: black on the frame's colour."""
        self.start()
        with open(self.draw("main;a_label 1\n", "--colors", "yellow"), "rb") as file:
            data = base64.b64encode(file.read()).decode()
        self.browser.open("data:text/html,<img>")
        dark = self.browser.run("""
          return new Promise((resolve) => {
            const image = document.querySelector('img');
            image.onload = () => {
              const canvas = document.createElement('canvas');
              canvas.width = image.naturalWidth;
              canvas.height = image.naturalHeight;
              const pen = canvas.getContext('2d');
              pen.drawImage(image, 0, 0);
              const pixels = pen.getImageData(12, 38, 60, 12).data;
              let count = 0;
              for (let i = 0; i < pixels.length; i += 4)
                if (pixels[i] < 90 && pixels[i + 1] < 90) ++count;
              resolve(count);
            };
            image.src = 'data:image/svg+xml;base64,' + arguments[0];
          });""", data)
        self.assertGreater(dark, 30)


if __name__ == "__main__":
    arguments = ["ViewerTest." + name for name in sys.argv[1:]]
    unittest.main(argv=[sys.argv[0], *arguments])
