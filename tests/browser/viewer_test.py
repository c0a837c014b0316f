# SPDX-License-Identifier: MIT
"""What a reader does with a flame graph, done in a real browser.

    python3 viewer_test.py [TEST]...     draws with the aiflame-svg that is on PATH
"""

import base64
import os
import subprocess
import sys
import tempfile
import unittest
import urllib.parse

from webdriver import CONTROL, ESCAPE, F3, Browser, file_url

DATA = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../data/aiflame-svg")
LAYERS = os.path.join(DATA, "layers.in")

# of the frame called `arguments[0]`: whether it is drawn, where, its colour and its label
LOOK_UP = """
  const g = [...document.querySelectorAll('#frames > *')]
      .find((g) => g.firstElementChild.textContent.startsWith(arguments[0] + ' ('));
  const [, rect, text] = g.children;
  return {rect, classes: [...g.classList], x: +rect.getAttribute('x'),
          width: +rect.getAttribute('width'), fill: rect.getAttribute('fill'),
          label: text ? text.textContent : ''};
"""
# the labels that stick out of their frames
TOO_LONG = """
  return [...document.querySelectorAll('#frames > *')].filter((g) => {
    const [, rect, text] = g.children;
    return text && text.textContent && text.getComputedTextLength() > 0 &&
           text.getComputedTextLength() + 3 > +rect.getAttribute('width');
  }).map((g) => g.textContent);
"""


class ViewerTest(unittest.TestCase):
    def setUp(self):
        self.directory = tempfile.TemporaryDirectory()
        self.addCleanup(self.directory.cleanup)
        self.browser = None

    def start(self, **options):
        self.browser = Browser(**options)
        self.addCleanup(self.browser.close)

    def draw(self, folded, *options):
        """The path of an SVG of `folded`, a file's name or text."""
        path = os.path.join(self.directory.name, "drawn.svg")
        text = folded.encode()
        if os.path.exists(folded):
            with open(folded, "rb") as file:
                text = file.read()
        with open(path, "wb") as file:
            subprocess.run(["aiflame-svg", *options], input=text, stdout=file, check=True)
        return path

    def open(self, folded, *options, query=""):
        self.path = self.draw(folded, *options)
        if self.browser is None:
            self.start()
        self.browser.open(file_url(self.path) + query)

    def frame(self, name):
        return self.browser.run(LOOK_UP, name)

    def zoom(self, name):
        self.browser.click(self.frame(name)["rect"])

    def search(self, term):
        self.browser.click("#search")
        self.browser.answer(term)

    def text(self, identifier):
        return self.browser.run("return document.getElementById(arguments[0]).textContent",
                                identifier)

    def is_hidden(self, identifier):
        return self.browser.run(
            "return getComputedStyle(document.getElementById(arguments[0])).display === 'none'",
            identifier)

    def query(self):
        return dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(self.browser.url()).query))

    def errors(self):
        return self.browser.run("return window.hacked || 0")

    # ---- zoom ----------------------------------------------------------------------------------
    def test_zoom(self):
        self.open(LAYERS)
        before = self.browser.run("return document.getElementById('frames').outerHTML")
        self.assertTrue(self.is_hidden("unzoom"))
        self.zoom("run_basic(float*)")
        zoomed = self.frame("run_basic(float*)")
        self.assertEqual((zoomed["x"], zoomed["width"]), (10, 1180))
        self.assertIn("parent", self.frame("start_thread")["classes"])
        self.assertEqual(self.frame("start_thread")["width"], 1180)
        self.assertIn("hide", self.frame("python3")["classes"])
        # 1 453 of the 1 550 samples of run_basic, from the right
        self.assertAlmostEqual(self.frame("dot")["width"], 1180 * 1453 / 1550, delta=0.1)
        self.assertEqual(self.browser.run(TOO_LONG), [])
        # further in, and out again by an ancestor
        self.zoom("dot")
        self.assertEqual(self.frame("dot")["width"], 1180)
        self.zoom("start_thread")
        self.assertNotIn("hide", self.frame("run_local(float*)")["classes"])
        self.assertIn("hide", self.frame("python3")["classes"])
        self.browser.click("#unzoom")
        self.assertTrue(self.is_hidden("unzoom"))
        after = self.browser.run("return document.getElementById('frames').outerHTML")
        self.assertEqual(after.replace(' class=""', ""), before.replace(' class=""', ""))
        self.assertEqual(self.query(), {})

    def test_zoom_shows_more_of_a_name(self):
        self.open("main;a_name_of_some_length_%s 1\nmain;b 9\n" % ("x" * 60))
        name = "a_name_of_some_length_" + "x" * 60
        self.assertTrue(self.frame(name)["label"].endswith(".."))
        self.zoom(name)
        self.assertEqual(self.frame(name)["label"], name)

    # ---- search --------------------------------------------------------------------------------
    def test_search(self):
        self.open(LAYERS)
        self.search("sbid")
        self.assertEqual(self.frame("sbid")["fill"], "rgb(230,0,230)")
        self.assertEqual(self.text("matched"), "Matched: 56.5%")  # 1 550 of 2 745
        self.assertEqual(self.query(), {"s": "sbid"})
        self.browser.click("#search")  # resets
        self.assertNotEqual(self.frame("sbid")["fill"], "rgb(230,0,230)")
        self.assertTrue(self.is_hidden("matched"))
        self.assertEqual(self.query(), {})

    def test_matched_is_of_the_view(self):
        self.open(LAYERS)
        self.search("sbid|dot")  # frames on top of another match count once
        self.assertEqual(self.text("matched"), "Matched: 64.2%")  # 812+430+211+188+120
        self.zoom("run_local(float*)")
        self.assertEqual(self.text("matched"), "Matched: 38.4%")  # 188 of 489
        self.zoom("start_thread")
        self.browser.click("#search")
        self.search("^clone3$")  # an ancestor is outside the view
        self.assertEqual(self.text("matched"), "Matched: 0.0%")
        self.browser.click("#unzoom")
        self.assertEqual(self.text("matched"), "Matched: 82.5%")

    def test_search_finds_annotations_and_no_counts(self):
        self.open(LAYERS)
        self.search(r"_\[k]$")
        self.assertEqual(self.text("matched"), "Matched: 2.7%")
        self.browser.click("#search")
        self.search("samples")
        self.assertEqual(self.text("matched"), "Matched: 0.0%")

    def test_ignore_case(self):
        self.open(LAYERS)
        self.search("SBID")
        self.assertEqual(self.text("matched"), "Matched: 0.0%")
        self.browser.keys(CONTROL, "i")
        self.assertEqual(self.text("matched"), "Matched: 56.5%")
        self.browser.click("#ignorecase")
        self.assertEqual(self.text("matched"), "Matched: 0.0%")

    def test_bad_expression(self):
        self.open(LAYERS)
        self.browser.run("window.addEventListener('error', () => { window.hacked = 'error'; })")
        self.search("a(b")
        self.assertEqual(self.text("details"), "Not a regular expression: a(b")
        self.assertTrue(self.is_hidden("matched"))
        self.assertEqual(self.errors(), 0)
        self.search("dot")
        self.assertEqual(self.text("matched"), "Matched: 52.9%")

    def test_keys(self):
        self.open(LAYERS)
        self.browser.keys(CONTROL, "f")
        self.browser.answer("dot")
        self.assertEqual(self.text("matched"), "Matched: 52.9%")
        self.browser.keys(F3)  # as with the button, the second time resets
        self.assertTrue(self.is_hidden("matched"))
        self.browser.keys(F3)
        self.browser.answer("dot")
        self.zoom("run_basic(float*)")
        self.browser.keys(ESCAPE)
        self.assertTrue(self.is_hidden("matched"))
        self.assertFalse(self.is_hidden("unzoom"))
        self.browser.keys(ESCAPE)
        self.assertTrue(self.is_hidden("unzoom"))

    # ---- the rest ------------------------------------------------------------------------------
    def test_permalink(self):
        self.open(LAYERS)
        self.zoom("run_local(float*)")
        self.search("sb+id")
        self.assertEqual(self.query()["s"], "sb+id")
        self.browser.reload()
        self.assertEqual(self.frame("run_local(float*)")["width"], 1180)
        self.assertEqual(self.text("matched"), "Matched: 38.4%")
        # of another drawing: no such frame, but the search holds; nor is a bad search an obstacle
        self.open(LAYERS, query="?x=1.5&y=7&s=dot")
        self.assertEqual(self.text("matched"), "Matched: 52.9%")
        self.open(LAYERS, query="?x=%22%5D&y=%00&s=(")
        self.browser.click("#search")
        self.browser.answer("dot")
        self.assertEqual(self.text("matched"), "Matched: 52.9%")

    def test_details(self):
        self.open(LAYERS, "--nametype", "Frame:")
        self.browser.hover(self.frame("dot")["rect"])
        self.assertEqual(self.text("details"), "Frame: dot (1,453 samples, 52.93%)")
        self.open("a;b 2 4\na 6 6\n", "--countname", "x (y) z")
        self.browser.hover(self.frame("b")["rect"])
        self.assertEqual(self.text("details"), "Function: b (4 x (y) z, 40.00%; +20.00%); "
                                               "2 before, 4 after")

    def test_huge_counts(self):
        self.open("a;b 4611686018427387904\na;c 4611686018427387903\n")
        self.zoom("c")
        self.assertEqual(self.frame("c")["width"], 1180)
        self.search("c")
        self.assertEqual(self.text("matched"), "Matched: 100%")

    def test_hostile_names(self):
        self.open(os.path.join(DATA, "hostile.in"), "--nametype", "\"';window.hacked=1;//",
                  "--countname", "<script>window.hacked=1</script>", "--title", "</text><script>",
                  query="?s=%3C/text%3E%3Cscript%3Ewindow.hacked=1%3C/script%3E")
        count = self.browser.run("return document.querySelectorAll('#frames > *').length")
        for i in range(count):
            rect = self.browser.run(
                "return document.querySelectorAll('#frames > *')[arguments[0]].children[1]", i)
            self.browser.hover(rect)
            self.browser.click(rect)
            self.browser.click("#frames > *:first-child rect")
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
        self.assertEqual(self.frame("start_thread")["label"], "start_thread")
        self.assertTrue(self.is_hidden("search"))  # what would do nothing is not there

    def test_as_an_image(self):
        """In <img> no script runs. The labels are there: black on the frame's colour."""
        self.start()
        with open(self.draw("main;a_label 1\n"), "rb") as file:
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
