# SPDX-License-Identifier: MIT
"""The steps of a reader in large profiles. Prints the time that each takes, and asserts none, since a
busy machine is slow.

    python3 large_test.py [TEST]...     draws with the aiflame-svg that is on PATH
    AIFLAME_MILLION=1 python3 large_test.py     a million stacks; else a stand-in of four thousand
"""

import os
import random
import subprocess
import sys
import tempfile
import time
import unittest

from webdriver import Browser, file_url

STACKS = 1000000 if os.environ.get("AIFLAME_MILLION") else 4000
# Runs a step, waits until it has drawn, and returns the milliseconds.
TIMED = """
  return (async () => {
    const begin = performance.now();
    (() => { %s })();
    await new Promise((done) => requestAnimationFrame(() => setTimeout(done, 0)));
    while (document.getElementById('matchtext').textContent === 'Searching' ||
           document.getElementById('tablebusy').textContent !== '')
      await new Promise((done) => setTimeout(done, 1));
    await new Promise((done) => requestAnimationFrame(() => setTimeout(done, 0)));
    return performance.now() - begin;
  })();
"""
CLICK = """
  const g = [...document.querySelectorAll('#frames > g')].filter((g) => g.dataset.d == %d)
      .sort((a, b) => b.dataset.n - a.dataset.n)[0];
  const box = g.children[1].getBoundingClientRect();
  g.children[1].dispatchEvent(new MouseEvent('click', {bubbles: true, clientX: box.x + box.width / 2,
                                                       clientY: box.y + 5}));
"""
KEY = "document.documentElement.dispatchEvent(new KeyboardEvent('keydown', {key: '%s', bubbles: true}));"


def write_stacks(path, number):
    """Writes stacks 30 to 60 deep, each with a prefix of the previous one; returns their sum."""
    rng = random.Random(1)
    previous, total = [], 0
    with open(path, "w", encoding="ascii") as file:
        for _ in range(number):
            depth = rng.randint(30, 60)
            keep = max(0, depth - rng.choice([1, 2, 3, 3, 4, 5, 8, 12, 40, 59]))
            previous = previous[:keep]
            while len(previous) < depth:
                previous.append("function_%d" % int(20000 * rng.random() ** 2))
            count = rng.randint(1, 100)
            total += count
            file.write(";".join(previous) + " %d\n" % count)
    return total


class LargeTest(unittest.TestCase):
    def setUp(self):
        self.directory = tempfile.TemporaryDirectory()
        self.addCleanup(self.directory.cleanup)
        self.browser = Browser()
        self.addCleanup(self.browser.close)

    def path(self, name):
        return os.path.join(self.directory.name, name)

    def draw(self, folded):
        with open(folded, "rb") as source, open(self.path("drawn.svg"), "wb") as drawn:
            subprocess.run(["aiflame-svg"], stdin=source, stdout=drawn, check=True)
        begin = time.monotonic()
        self.browser.open(file_url(self.path("drawn.svg")))
        self.report("load", 1000 * (time.monotonic() - begin))
        for time_of_paint in self.browser.run("return performance.getEntriesByName('first-paint')"
                                              ".map((entry) => entry.startTime)"):
            self.report("first paint", time_of_paint)
        while not self.browser.run("return document.getElementById('term') !== null"):
            self.assertLess(time.monotonic() - begin, 100)
            self.browser.next_frame()
        self.report("data read", 1000 * (time.monotonic() - begin))
        self.browser.begin_processor_time()

    def report(self, step, milliseconds, processor=None):
        of_which = "" if processor is None else ", %4.0f ms of the processor" % processor
        print("%-24s %6.0f ms%s" % (step, milliseconds, of_which), file=sys.stderr)

    def step(self, name, script):
        before = self.browser.processor_time()
        milliseconds = self.browser.run(TIMED % script)
        self.report(name, milliseconds, 1000 * (self.browser.processor_time() - before))
        # however large the profile, the page stays small
        self.assertLess(self.browser.run("return document.querySelectorAll('#frames *').length"),
                        20000, name)

    def zoom(self, depth):
        self.step("zoom to depth %d" % depth, CLICK % depth)

    def search(self, term):
        self.step("search " + term, """
          const input = document.getElementById('term');
          input.value = '%s';
          input.dispatchEvent(new KeyboardEvent('keydown', {key: 'Enter', bubbles: true}));
        """ % term)

    def text(self, identifier):
        return self.browser.run("return document.getElementById(arguments[0]).textContent", identifier)

    def total(self):
        """The count of the root, as it is drawn."""
        return int(self.browser.run("return [...document.querySelectorAll('#frames > g')]"
                                    ".find((g) => g.dataset.d === '0').dataset.n"))

    def test_many_stacks(self):
        total = write_stacks(self.path("many.folded"), STACKS)
        self.draw(self.path("many.folded"))
        for depth in (1, 4, 12, 20, 30):
            self.zoom(depth)
        self.step("zoom out", "document.getElementById('unzoombutton').click()")
        self.search("_1.*7$")
        self.assertRegex(self.text("matchtext"), r"Matched: (≥ )?[1-9]")
        self.search("^function_1$")
        for name in ("next match", "next match"):
            self.step(name, KEY % "n")
        self.step("previous match", KEY % "N")
        self.assertIn("function_1 ", self.text("statustext"))
        self.step("end the search", KEY % "Escape")
        self.step("zoom out", KEY % "Escape")
        self.step("root on top", KEY % "i")
        self.assertEqual(self.total(), total)
        self.step("sort by width", KEY % "w")
        self.step("merge from the leaves", KEY % "l")
        self.assertEqual(self.total(), total)
        self.step("table", KEY % "s")
        self.zoom(1)
        self.step("reset", KEY % "0")
        self.assertEqual(self.total(), total)

    def test_small_profiles_draw_no_more(self):
        """The fewer stacks, the wider their frames, and the more of them can be seen."""
        write_stacks(self.path("few.folded"), 4000)
        self.draw(self.path("few.folded"))
        self.browser.settle()
        with open(self.path("drawn.svg"), encoding="utf-8") as file:
            self.assertIn(file.read().count("<g data-d="), range(5000, 10001))
        rectangles = self.browser.run("""
          const pieces = [...document.querySelectorAll('#slivers > path')].map(
              (path) => path.getAttribute('d').split('M').length - 1);
          return document.querySelectorAll('#frames > g, #slivers > .thin').length +
                 pieces.reduce((a, b) => a + b, 0);""")
        self.assertIn(rectangles, range(10000, 20001))

    def test_deep(self):
        """A CPU profile with the depth of recursion."""
        stack = ["main"] + ["parse_%d" % (i % 7) for i in range(3000)]
        with open(self.path("deep.folded"), "w", encoding="ascii") as file:
            for i in range(200, 3000, 7):
                file.write(";".join(stack[:i]) + ";leaf_%d %d\n" % (i % 3, i))
        self.draw(self.path("deep.folded"))
        self.zoom(1500)
        self.search("^leaf_1$")
        self.step("next match", KEY % "n")
        self.step("end the search", KEY % "Escape")
        self.step("zoom out", KEY % "Escape")
        self.step("merge from the leaves", KEY % "l")
        self.zoom(2)
        self.assertEqual(self.total(), sum(range(200, 3000, 7)))

    def test_deepest(self):
        with open(self.path("deepest.folded"), "w", encoding="ascii") as file:
            file.write("f;" * 100000 + "g 3\n")
        self.draw(self.path("deepest.folded"))
        self.search("g")
        self.assertEqual(self.text("matchtext"), "Matched: 100%")
        self.step("next match", KEY % "n")
        self.step("merge from the leaves", KEY % "l")
        self.assertEqual(self.total(), 3)


if __name__ == "__main__":
    arguments = ["LargeTest." + name for name in sys.argv[1:]]
    unittest.main(argv=[sys.argv[0], *arguments])
