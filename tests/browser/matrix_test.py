# SPDX-License-Identifier: MIT
"""The page on each kind of profile, in three sizes, light and dark: no error, nothing that runs out of
the window, every text readable, the focus never lost, and nothing that axe-core calls serious.

    python3 matrix_test.py [TEST]...     draws with the aiflame-svg that is on PATH
    SOAK=1 python3 matrix_test.py        each profile in each size and scheme, one with a million
                                         stacks; else each profile once, in sizes and schemes by turns
"""

import functools
import os
import subprocess
import sys
import tempfile
import time
import unittest

import inputs
from webdriver import DOWN, ENTER, ESCAPE, UP, Browser, file_url

HERE = os.path.dirname(os.path.abspath(__file__))
SOAK = bool(os.environ.get("SOAK"))
SIZES = [(390, 800), (1280, 800), (2400, 1300)]
SCHEMES = ["light", "dark"]
CONTRAST = 4.5
WAIT = 20  # seconds, for a step that takes a moment on a busy machine
NAMES = ["intel", "nvidia", "amd", "compiler", "differential", "stacks"]


@functools.lru_cache(maxsize=None)
def contrast_script():
    with open(os.path.join(HERE, "contrast.js"), encoding="utf-8") as file:
        return file.read()


@functools.lru_cache(maxsize=None)
def axe():
    """axe-core's script, or why it is not there."""
    build = os.environ.get("AIFLAME_BUILD", os.path.join(HERE, "../../build"))
    done = subprocess.run([os.path.join(HERE, "../../scripts/npm-packages.sh"), build],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    if done.returncode != 0:
        return None, done.stderr.strip()
    with open(os.path.join(done.stdout.strip(), "node_modules/axe-core/axe.min.js"), encoding="utf-8") as file:
        return file.read(), ""


def combinations(name):
    """(size, scheme) of the runs of a profile."""
    if SOAK:
        return [(size, scheme) for size in SIZES for scheme in SCHEMES]
    at = NAMES.index(name)
    return [(SIZES[at % 3], SCHEMES[at // 3])]


class MatrixTest(unittest.TestCase):
    browser = None  # of all tests: a page is opened in it anew

    @classmethod
    def setUpClass(cls):
        cls.browser = Browser()
        cls.directory = tempfile.TemporaryDirectory()

    @classmethod
    def tearDownClass(cls):
        cls.directory.cleanup()
        cls.browser.close()

    def tearDown(self):
        self.assertEqual(self.browser.errors(), [])

    def draw(self, name, folded):
        if folded is None:
            self.skipTest("no ../shared/data/hpctoolkit")
        path = os.path.join(self.directory.name, name + ".svg")
        with open(path, "wb") as file:
            subprocess.run(["aiflame-svg", "--title", "Profile of " + name], input=folded, stdout=file,
                           check=True)
        return path

    def folded(self, name):
        if name == "compiler":
            return inputs.compiler()
        if name == "differential":
            return inputs.differential()
        if name == "stacks":
            return inputs.stacks(os.path.join(self.directory.name, "stacks.folded"),
                                 1000000 if SOAK else 4000)
        return inputs.genuine(name)

    def look_at(self, name):
        """Opens the profile in its sizes and schemes, and checks what can be seen without a step."""
        path = self.draw(name, self.folded(name))
        for size, scheme in combinations(name):
            with self.subTest(size=size, scheme=scheme, browser=self.browser.name):
                self.open(path, size, scheme)
                self.nothing_runs_out(size)
                self.is_readable("at load")
                self.steps()
                self.without_findings_of_axe()
                self.assertEqual(self.browser.errors(), [])

    def open(self, path, size, scheme):
        self.browser.resize(*size, phone=size[0] < 600)
        self.browser.colour_scheme(scheme)
        self.browser.open(file_url(path))
        self.until("return !!document.querySelector('#buttons button')")
        self.browser.next_frame()

    def until(self, script):
        end = time.monotonic() + WAIT
        while not self.browser.run(script):
            self.assertLess(time.monotonic(), end, "waited too long: " + script)
            self.browser.next_frame()

    # ---- what is checked -----------------------------------------------------------------------
    def nothing_runs_out(self, size):
        width, inner, status = self.browser.run("""
          const bar = document.getElementById('statusbar').getBoundingClientRect();
          return [document.documentElement.scrollWidth, innerWidth,
                  [bar.left, bar.top, bar.right, bar.bottom, innerWidth, innerHeight]];""")
        self.assertEqual(inner, size[0], "the width of the window")
        self.assertLessEqual(width, size[0], "the page scrolls sideways")
        left, top, right, bottom, inner_width, inner_height = status
        self.assertTrue(left >= 0 and top >= 0 and right <= inner_width + 1 and
                        bottom <= inner_height + 1, "the status bar is outside: %s" % status)

    def is_readable(self, when):
        """Each text of the page, window by window."""
        height, inner = self.browser.run("return [document.documentElement.scrollHeight, innerHeight]")
        step = max(100, inner - 200)
        texts = 0
        for at in range(0, height, step) if height > inner else [0]:
            self.browser.run("window.scrollTo(0, arguments[0])", at)
            found = self.browser.run(contrast_script(), CONTRAST)
            with self.subTest(contrast=when):
                self.assertEqual(found["low"], [])
            texts += found["texts"]
        # on a phone, a million thin stacks have no label but the root's
        self.assertGreaterEqual(texts, 10, "too few texts were found " + when)

    def has_focus(self, after):
        where = self.browser.run("""
          const one = document.activeElement;
          return one && one !== document.body && one !== document.documentElement && one.isConnected ?
              (one.getAttribute('role') || one.localName) : '';""")
        self.assertNotEqual(where, "", "the focus is lost after " + after)
        return where

    def to_the_frames(self):
        """Tab until a frame has the focus."""
        self.assertTrue(self.browser.tab_into("#frames"), "no frame takes the focus")

    def steps(self):
        """What the keys do; the focus stays, and the page readable."""
        self.to_the_frames()
        up, down = (UP, DOWN)
        self.browser.type(up)
        self.has_focus("the first arrow")
        for key in "lwicr0":
            self.browser.type(key)
            self.has_focus(key)
            self.browser.next_frame()
            if key in "ci":
                self.is_readable("after " + key)
        self.browser.type(up + up + ENTER)
        self.has_focus("zooming")
        self.is_readable("zoomed")
        self.browser.type(ESCAPE)
        self.has_focus("zooming out")
        self.browser.type(down + "s")
        self.has_focus("s")
        self.is_readable("after s")
        self.browser.type(ESCAPE)
        self.has_focus("Escape")
        self.browser.type("/")
        self.has_focus("/")
        self.browser.type("a" + ENTER)
        self.until("return !document.querySelector('header').textContent.includes('Searching')")
        self.browser.next_frame()
        self.is_readable("after a search")
        self.browser.type(ESCAPE + ESCAPE + ESCAPE)

    def without_findings_of_axe(self):
        script, _ = axe()
        if not script:
            return  # see test_axe_is_here
        # some pages have thousands of frames: the rules about each of them need not see them all
        found = self.browser.run(script + """
          ; return axe.run(document, {resultTypes: ['violations']}).then((result) => result.violations
              .filter((one) => one.impact === 'serious' || one.impact === 'critical')
              .map((one) => [one.id, one.impact, one.help, one.nodes.length,
                             one.nodes.slice(0, 3).map((node) => node.html.slice(0, 150))]));""")
        with self.subTest("axe"):
            self.assertEqual(found, [])

    def test_contrast_is_computed(self):
        """Of groups, filters, patterns, and of what lies beside and not around the text."""
        page = os.path.join(self.directory.name, "contrast.html")
        with open(page, "w", encoding="utf-8") as file:
            file.write("""<!DOCTYPE html><meta charset=utf-8><body style="background: #fff">
              <p style="color: #767676">enough</p><p style="color: #777">too pale</p>
              <p style="opacity: .5; color: #000">half</p><p style="opacity: .6; color: #000">enough</p>
              <p style="background: linear-gradient(90deg, #000, #fff); color: #fff">over a ramp</p>
              <div style="position: relative; height: 20px"><i style="position: absolute; inset: 0;
                background: #9c2a6b; pointer-events: none"></i><b style="position: absolute; color:
                #16181d">over a bar</b></div>
              <svg width=400 height=60><defs><pattern id=p width=4 height=4 patternUnits=userSpaceOnUse>
                <path d="M0 0h2v4h-2z" fill="#000"/></pattern></defs>
                <rect width=200 height=30 fill="#1f6fb2"/><text x=5 y=20 fill="#fff">enough</text>
                <g opacity=".4"><rect x=200 width=200 height=30 fill="#1f6fb2"/>
                <text x=205 y=20 fill="#fff">faded</text></g>
                <rect y=30 width=200 height=30 fill="url(#p)"/><text x=5 y=50>hatched</text></svg>""")
        self.browser.resize(1280, 800)
        self.browser.colour_scheme("light")
        self.browser.open(file_url(page))
        found = self.browser.run(contrast_script(), CONTRAST)
        self.assertEqual([one[1] for one in found["low"]],
                         ["too pale", "half", "over a ramp", "over a bar", "faded", "hatched"])
        self.assertEqual(found["texts"], 9)

    # ---- the profiles --------------------------------------------------------------------------
    def test_axe_is_here(self):
        script, problem = axe()
        if not script:
            self.skipTest(problem)

    def test_intel(self):
        self.look_at("intel")

    def test_nvidia(self):
        self.look_at("nvidia")

    def test_amd(self):
        self.look_at("amd")

    def test_compiler(self):
        self.look_at("compiler")

    def test_differential(self):
        self.look_at("differential")

    def test_stacks(self):
        self.look_at("stacks")


if __name__ == "__main__":
    arguments = ["MatrixTest." + name for name in sys.argv[1:]]
    unittest.main(argv=[sys.argv[0], *arguments])
