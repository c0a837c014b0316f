# SPDX-License-Identifier: MIT
"""A flame graph inside other pages: in a page of HTML, and under a policy that forbids scripts and
styles.

    python3 page_test.py [TEST]...     draws with the aiflame-svg that is on PATH
"""

import http.server
import os
import subprocess
import sys
import tempfile
import threading
import unittest

from webdriver import Browser, file_url

DATA = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../data/aiflame-svg")
LAYERS, HOSTILE = os.path.join(DATA, "layers.in"), os.path.join(DATA, "hostile.in")

FRAME = """
  return [...document.querySelectorAll('#frames > *')]
      .find((g) => g.firstElementChild.textContent.startsWith(arguments[0] + ' ('))
      .querySelector('rect');
"""
# how a text looks: a text by its id, or a frame's label
LOOK = """
  const find = (name) => document.getElementById(name) ||
      [...document.querySelectorAll('#frames text')].find((text) => text.textContent.split(" ")[0] === name);
  return arguments[0].map((name) => {
    const style = getComputedStyle(find(name));
    return [style.display !== 'none', style.fontSize, style.textAnchor];
  });
"""


def draw(path, *arguments):
    with open(path, "wb") as file:
        subprocess.run(["aiflame-svg", *arguments], stdout=file, check=True)


class Strict(http.server.SimpleHTTPRequestHandler):
    def end_headers(self):
        self.send_header("Content-Security-Policy", "default-src 'none'")
        super().end_headers()

    def log_message(self, *_):
        pass


class PageTest(unittest.TestCase):
    def setUp(self):
        self.directory = tempfile.TemporaryDirectory()
        self.addCleanup(self.directory.cleanup)
        self.browser = Browser()
        self.addCleanup(self.browser.close)

    def path(self, name):
        return os.path.join(self.directory.name, name)

    def test_html(self):
        draw(self.path("page.html"), "--html", "--width", "1200", "--title", "a < b", LAYERS)
        self.browser.open(file_url(self.path("page.html")))
        self.assertEqual(self.browser.run("return [document.title, document.compatMode]"),
                         ["a < b", "CSS1Compat"])
        in_page = self.browser.run("return document.querySelectorAll('#frames > *').length")
        self.browser.click(self.browser.run(FRAME, "run_basic(float*)"))
        frame = self.browser.run(FRAME, "run_basic(float*)")
        self.assertEqual(self.browser.run("return arguments[0].getAttribute('width')", frame),
                         "1180.0")
        self.assertTrue(self.browser.run(LOOK, ["unzoombutton"])[0][0])
        draw(self.path("drawn.svg"), "--width", "1200", LAYERS)
        self.browser.open(file_url(self.path("drawn.svg")))
        self.assertEqual(self.browser.run("return document.querySelectorAll('#frames > *').length"),
                         in_page)

    def test_hostile_names_in_html(self):
        draw(self.path("page.html"), "--html", "--title", "</title><script>window.hacked=1</script>",
             "--subtitle", "</text></svg><script>window.hacked=1</script>", "--notes",
             "--><script>window.hacked=1</script>", "--nametype", "\"><script>window.hacked=1</script>",
             "--countname", "]]></script><script>window.hacked=1</script>", HOSTILE)
        self.browser.open(file_url(self.path("page.html")))
        self.assertEqual(self.browser.run("return window.hacked || 0"), 0)
        self.assertEqual(self.browser.run("return document.querySelectorAll('script').length"), 1)
        self.assertEqual(self.browser.run("return document.querySelectorAll('body > :not(style)').length"),
                         1)
        for attribute in ("onload", "onmouseover", "onclick"):
            self.assertEqual(self.browser.run(
                "return document.querySelectorAll('[' + arguments[0] + ']').length", attribute), 0)

    def test_strict_policy(self):
        draw(self.path("drawn.svg"), "--subtitle", "below", LAYERS)
        server = http.server.ThreadingHTTPServer(
            ("127.0.0.1", 0), lambda *request: Strict(*request, directory=self.directory.name))
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.browser.open("http://127.0.0.1:%d/drawn.svg" % server.server_address[1])
        # no style is applied and no script runs, yet the picture looks the same
        self.assertEqual(
            self.browser.run(LOOK, ["title", "subtitle", "start_thread", "search", "unzoom"]),
            [[True, "17px", "middle"], [True, "12px", "middle"], [True, "12px", "start"],
             [False, "12px", "start"], [False, "12px", "start"]])
        self.assertEqual(self.browser.run(
            "return getComputedStyle(document.querySelector('#frames rect')).cursor"), "auto")
        # labels of dark frames are white
        self.assertEqual(self.browser.run(
            "return getComputedStyle(document.querySelector('#frames .light > text')).fill"),
            "rgb(255, 255, 255)")


if __name__ == "__main__":
    arguments = ["PageTest." + name for name in sys.argv[1:]]
    unittest.main(argv=[sys.argv[0], *arguments])
