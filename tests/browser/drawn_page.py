# SPDX-License-Identifier: MIT
"""A test case with a picture of aiflame-svg in a browser."""

import os
import subprocess
import tempfile
import time
import unittest
import urllib.parse

from webdriver import Browser, file_url

DATA = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../data/aiflame-svg")
LAYERS = os.path.join(DATA, "layers.in")
WAIT = 20  # seconds, for a step that takes a moment on a busy machine

# the frame called `arguments[0]` (the widest if there are several): whether it is drawn, where,
# its colour and its label
FRAME = """
  const found = [...document.querySelectorAll('#frames > g')]
      .filter((g) => g.firstElementChild.textContent.startsWith(arguments[0] + ' ('))
      .map((g) => [g, +g.children[1].getAttribute('width')]).sort((a, b) => b[1] - a[1]);
  if (found.length === 0) return null;
  const [g, width] = found[0];
  const [title, rect] = g.children, text = g.querySelector('text');
  return {g, rect, classes: [...g.classList], x: +rect.getAttribute('x'), width,
          y: +rect.getAttribute('y'), fill: rect.getAttribute('fill'), title: title.textContent,
          count: found.length, label: text ? text.textContent : ""};
"""
# each row from the root on: names and counts from left to right
ROWS = """
  const rows = {};
  for (const g of document.querySelectorAll('#frames > g')) {
    const [title, rect] = g.children;
    (rows[g.dataset.d] = rows[g.dataset.d] || []).push(
        [+rect.getAttribute('x'), title.textContent.split(' (')[0], +g.dataset.n]);
  }
  return Object.keys(rows).map(Number).sort((a, b) => a - b).map(
      (d) => rows[d].sort((a, b) => a[0] - b[0]).map(([x, name, n]) => name + " " + n));
"""
# The least contrast of text in the elements that a selector finds, and that text.
CONTRAST = """
  const light = (part) => (part <= 10 ? part / 3294.6 : ((part / 255 + 0.055) / 1.055) ** 2.4);
  const parts = (colour) => colour.match(/[\\d.]+/g).map(Number);
  const luminance = ([r, g, b]) => 0.2126 * light(r) + 0.7152 * light(g) + 0.0722 * light(b);
  const groundOf = (element) => {
    for (let p = element; p instanceof HTMLElement; p = p.parentElement) {
      const ground = parts(getComputedStyle(p).backgroundColor);
      if (ground.length === 3 || ground[3] === 1) return ground;
    }
    return [255, 255, 255];
  };
  let least = [99, ""];
  for (const element of document.querySelectorAll(arguments[0])) {
    const own = [...element.childNodes].some((one) => one.nodeType === 3 && one.data.trim());
    if (!own || !element.checkVisibility()) continue;
    const a = luminance(parts(getComputedStyle(element).color)), b = luminance(groundOf(element));
    const contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (contrast < least[0]) least = [contrast, element.textContent];
  }
  return least;
"""


class DrawnPage(unittest.TestCase):
    def setUp(self):
        self.directory = tempfile.TemporaryDirectory()
        self.addCleanup(self.directory.cleanup)
        self.browser = None

    def start(self, **options):
        if self.browser:
            self.browser.close()
        self.browser = Browser(**options)
        self.addCleanup(self.browser.close)

    # The page's layout at first: every frame, so that tests of anything else see frames by their names.
    LAYOUT = ("--layout", "flame")

    def draw(self, folded, *options, name="drawn.svg"):
        """Draws `folded`, a file's name, text or bytes, and returns the path of the SVG."""
        path = os.path.join(self.directory.name, name)
        text = folded if isinstance(folded, bytes) else folded.encode()
        if os.path.exists(folded):
            with open(folded, "rb") as file:
                text = file.read()
        with open(path, "wb") as file:
            subprocess.run(["aiflame-svg", *self.LAYOUT, *options], input=text, stdout=file, check=True)
        return path

    def open(self, folded, *options, query="", name="drawn.svg"):
        self.path = self.draw(folded, *options, name=name)
        if self.browser is None:
            self.start()
        self.visit(query)

    def visit(self, query):
        """Opens what was drawn last, and returns when the page is complete and keeps its widths."""
        self.browser.open(file_url(self.path) + query)
        if self.browser.javascript:
            self.until(self.is_ready)
            self.browser.settle()

    def is_ready(self):
        """Whether the data was read, which the script does when the page is idle."""
        return self.browser.run("return document.querySelector('#buttons button') !== null")

    def until(self, holds):
        end = time.monotonic() + WAIT
        while not holds():
            self.assertLess(time.monotonic(), end, "waited too long")
            self.browser.next_frame()

    def frame(self, name):
        self.browser.settle()
        return self.browser.run(FRAME, name)

    def rect(self, name):
        """What to point at."""
        return self.frame(name)["rect"]

    def rows(self):
        return self.browser.run(ROWS)

    def text(self, identifier):
        return self.browser.run("return document.getElementById(arguments[0]).textContent", identifier)

    def is_shown(self, identifier):
        return self.browser.run("return document.getElementById(arguments[0]).checkVisibility()",
                                identifier)

    def focus(self):
        return self.browser.run("return document.activeElement.id")

    def query(self):
        return dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(self.browser.url()).query))
