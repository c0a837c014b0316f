# SPDX-License-Identifier: MIT
"""A differential in a real browser: its widths, colours, texts and address, beside the folded text.

    python3 difference_test.py [TEST]...     draws with the aiflame-svg that is on PATH
"""

import random
import sys
import unittest

from contrast import contrast
from drawn_page import DrawnPage
from webdriver import Browser

UNIT = "# aiflame: event gpu-time, unit ns, columns two\n"
GONE = "app;gone 80 0\napp;same 20 20\n"  # of page.md
STACKS = ("m;gone;x 6000 0\nm;kernel;x 6500 1000\nm;new;x 0 3000\nm;new 0 500\nm;same 1000 1000\n"
          "m;same;y 250 1250\n")

# every frame that is drawn as an element: name -> [x, width, fill, classes, title, hatched width]
FRAMES = """
  const found = {};
  for (const g of document.querySelectorAll('#frames > g')) {
    const [title, rect] = g.children;
    const hatched = g.querySelector('[fill="url(#vanished)"]');
    const name = title.textContent.split(' (')[0];
    if (name in found && +rect.getAttribute('width') < found[name].width) continue;
    found[name] = {x: +rect.getAttribute('x'), width: +rect.getAttribute('width'),
                   fill: rect.getAttribute('fill'), classes: [...g.classList],
                   title: title.textContent, g,
                   hatched: hatched ? +hatched.getAttribute('width') : 0};
  }
  return found;
"""
# What is drawn adds up: each frame is as wide as its own part and its children, whatever the widths.
ADD_UP = """
  const viewer = theViewer();
  const {tree, view, difference} = viewer;
  const walk = (node) => {
    const children = view.expand(node, 0);
    let sum = node.selfRoom;
    for (const child of children) {
      if (child.start < node.start || child.start + child.room > node.start + node.room)
        throw new Error("place of " + viewer.drawing.nameOf(child));
      sum += child.room;
    }
    if (sum !== node.room) throw new Error("room of " + viewer.drawing.nameOf(node));
    return children.reduce((count, child) => count + walk(child), 1);
  };
  return [walk(view.root), String(view.root.room)];
"""


class DifferenceTest(DrawnPage):
    @classmethod
    def setUpClass(cls):
        cls.shared = Browser()  # by all tests
        cls.addClassCleanup(cls.shared.close)

    def setUp(self):
        super().setUp()
        self.browser = self.shared

    def open(self, folded, *options, query=""):
        self.path = self.draw(folded, *options)
        # what the script keeps to itself
        with open(self.path, encoding="utf-8") as file:
            text = file.read()
        with open(self.path, "w", encoding="utf-8") as file:
            file.write(text.replace("\n})();\n", "\nwindow.theViewer = () => viewerMade;\n})();\n"))
        self.visit(query)

    def frames(self):
        return self.browser.run(FRAMES)

    def scale(self):
        """Pixels of the whole width."""
        return self.frames()["all"]["width"]

    def query(self):
        return self.browser.run("return location.search")

    def pressed(self):
        return self.browser.run("return [...document.querySelectorAll('.segments [aria-pressed=true]')]"
                                ".map((button) => button.textContent)")

    def choose(self, choice):
        self.browser.click('[data-choice="%s"]' % choice)

    def test_what_vanished_is_seen_at_first_glance(self):
        self.open(GONE)
        self.assertEqual(self.pressed(), ["Both", "Absolute", "Total"])
        frames, whole = self.frames(), self.scale()
        self.assertAlmostEqual(frames["gone"]["width"], 0.8 * whole, delta=0.2)
        self.assertEqual(frames["gone"]["hatched"], frames["gone"]["width"])
        self.assertIn("gone", frames["gone"]["classes"])
        self.assertAlmostEqual(frames["all"]["hatched"], 0.8 * whole, delta=0.2)
        self.assertEqual(self.browser.run("return document.getElementById('changetotals').textContent"),
                         "100 \u2192 20 samples (-80.0%)")
        self.assertEqual(self.browser.run("return document.querySelector('#changes .only').textContent"),
                         "only before: 80 samples (80.00%)")
        self.assertEqual(frames["gone"]["title"].split("\n")[1],
                         "80 \u2192 0 samples: gone; 80.00% \u2192 0.00% of all: -80.00 points")

    def test_noise(self):
        """What may be noise is pale and hatched, where the change that is shown is the one that was judged."""
        unit = "# aiflame: event gpu-clock, unit samples, columns two\n"
        noise = "# aiflame-change: before %d, after %d, low %d, high %d, frames %s;\n"
        folded = (unit + "app;slow 900 950\napp;fast;x 100 300\napp;equal 50 50\napp;other 80 90\n" +
                  noise % (900, 950, -20, 120, "app;slow") + noise % (100, 300, 160, 240, "app;fast") +
                  noise % (50, 50, -9, 9, "app;equal") + noise % (81, 90, -9, 29, "app;other"))
        pale, red = "rgb(244,195,191)", "rgb(179,38,30)"
        for query in ("", "?widths=after"):  # as in the file, and drawn anew
            self.open(folded, query=query)
            frames = self.frames()
            hatching = self.browser.run("return [...document.querySelectorAll('#frames [fill=\"url(#noise)\"]')]"
                                        ".map((rect) => rect.parentNode.firstChild.textContent.split(' (')[0])")
            self.assertEqual(hatching, ["slow"])
            self.assertEqual(frames["fast"]["fill"], red)
            self.assertEqual(frames["slow"]["fill"], pale)
            # the line has other counts than the stacks
            self.assertNotIn("noise", frames["other"]["title"])
            self.assertIn("\nwithin noise: -20 to +120 samples", frames["slow"]["title"])
            self.assertIn("\nbeyond noise: +160 to +240 samples", frames["fast"]["title"])
            self.assertIn("\nwithin noise: -9 to +9 samples", frames["equal"]["title"])
            self.assertEqual(frames["equal"]["fill"], "rgb(255,255,255)")
        self.assertIn("within noise", self.browser.run("return document.getElementById('changes').textContent"))
        for query in ("?delta=self", "?scale=normalised", "?leaf=1"):
            self.open(folded, query=query)
            titles = [frame["title"] for frame in self.frames().values()]
            self.assertEqual([title for title in titles if "noise" in title], [], query)

    def test_widths(self):
        for folded in (STACKS, UNIT + STACKS):
            self.open(folded)
            self.assertEqual(self.browser.run(ADD_UP)[1], "18250")
            both = {name: frame["width"] for name, frame in self.frames().items()}
            for choice, side, total in (("widths-before", 0, 13750), ("widths-after", 1, 6750)):
                self.choose(choice)
                self.assertEqual(self.browser.run(ADD_UP)[1], str(total))
                frames, whole = self.frames(), self.scale()
                for name, counts in (("gone", (6000, 0)), ("kernel", (6500, 1000)),
                                     ("new", (0, 3500)), ("same", (1250, 2250)), ("y", (250, 1250))):
                    if counts[side] == 0:
                        self.assertNotIn(name, frames)
                    else:
                        self.assertAlmostEqual(frames[name]["width"], whole * counts[side] / total,
                                               delta=0.2)
            self.assertEqual([name for name, frame in frames.items() if frame["hatched"]], [])
            self.browser.type("v")
            self.assertEqual(self.pressed()[0], "Both")
            self.assertEqual({name: frame["width"] for name, frame in self.frames().items()}, both)
            self.assertEqual(self.query(), "")

    def test_widths_add_up(self):
        """In any tree, also cut and merged anew."""
        rng = random.Random(5)
        lines = {}
        for _ in range(800):
            stack = ";".join("f%d" % int(30 * rng.random() ** 3) for _ in range(rng.randint(1, 9)))
            lines[stack] = (rng.choice([0, 5, rng.randint(1, 900)]), rng.choice([0, 7, rng.randint(1, 900)]))
        lines = {stack: counts for stack, counts in lines.items() if sum(counts)}
        before, after = (sum(counts[side] for counts in lines.values()) for side in (0, 1))
        folded = "".join("%s %d %d\n" % (stack, *counts) for stack, counts in lines.items())
        greater = sum(max(counts) for counts in lines.values())
        cut = ["--embed", "4000", "--minwidth", "20"]
        for text, *options in ((folded,), (UNIT + folded,), (folded, "--negate"), (folded, *cut),
                               (UNIT + folded, *cut)):
            for query in ("?", "?leaf=1&", "?sort=width&", "?hide=f1&", "?s=^f2$&filter=1&"):
                sums = {}
                for widths in ("before", "after", "both"):
                    if not sums:
                        self.open(text, *options, query=query + "widths=" + widths)
                    else:
                        self.visit(query + "widths=" + widths)
                    sums[widths] = int(self.browser.run(ADD_UP)[1])
                if "filter" in query:
                    if "--embed" not in options:
                        found = [counts for stack, counts in lines.items() if "f2" in stack.split(";")]
                        self.assertEqual(sums["both"], sum(map(max, found)), options)
                    continue
                sides = (after, before) if options == ["--negate"] else (before, after)
                self.assertEqual((sums["before"], sums["after"]), sides, (options, query))
                if "--embed" not in options:
                    self.assertEqual(sums["both"], greater, (options, query))

    def test_colours(self):
        """The root is neutral where shares are compared, and says the whole change where counts are."""
        expected = {"absolute": {"all": -4, "same": 0}, "normalised": {"all": 0, "same": 4}}
        self.open(GONE, "--delta", "total")
        bins = self.browser.run("return theViewer().difference.legend(false).map((one) => one.colour)")
        for scale, names in expected.items():
            self.choose("scale-" + scale)
            frames = self.frames()
            for name, bin_number in names.items():
                self.assertEqual(frames[name]["fill"], bins[bin_number + 4], (scale, name))
        self.assertIn("points", self.browser.run("return document.getElementById('changes').textContent"))
        self.assertEqual(self.query(), "?scale=normalised")
        self.browser.type("n")
        self.assertIn("% of all before", self.browser.run("return document.getElementById('changes').textContent"))
        self.assertEqual(self.query(), "")
        # amounts are percent of the frame, shares are points: never the one as the other
        self.open("a;same 50 50\na;fixed 50 10\n")
        texts = ("const d = theViewer().difference, walk = (node) => [node, ...theViewer().view.expand(node, 0)"
                 ".flatMap(walk)]; return Object.fromEntries(walk(theViewer().view.root).slice(1)"
                 ".map((node) => [theViewer().drawing.nameOf(node), d.changeOf(node).text]))")
        self.assertEqual(self.browser.run(texts), {"a": "-40.0%", "fixed": "-80.0%", "same": "0.0%"})
        self.assertEqual(self.frames()["same"]["fill"], "rgb(255,255,255)")
        self.browser.type("n")
        self.assertEqual(self.browser.run(texts), {"a": "0.0 pt", "fixed": "-33.3 pt", "same": "+33.3 pt"})
        # sides of one sum, as aiflame-diff -n makes them
        self.open("a;same 30 50\na;fixed 30 10\n")
        self.assertEqual(self.pressed(), ["Both", "Normalised", "Total"])
        self.assertEqual(self.browser.run(texts), {"a": "0.0 pt", "fixed": "-33.3 pt", "same": "+33.3 pt"})
        # of the frame itself: app has no counts of its own
        self.open(UNIT + "a 10 20\na;b 40 10\nc 50 70\n")
        change = ("const d = theViewer().difference; return theViewer().view.expand(theViewer().view.root, 0)"
                  ".map((node) => { theViewer().view.expand(node, 0); return [d.changeOf(node).text,"
                  " d.suffix(node), d.changeOf(node).bin]; })")
        self.assertEqual(self.browser.run(change), [["-20.0 pt", "-20.0 pt", -4], ["+20.0 pt", "+20.0 pt", 4]])
        self.browser.type("t")
        self.assertEqual(self.pressed(), ["Both", "Normalised", "Self"])
        self.assertEqual(self.browser.run(change)[0], ["+10.0 pt", "+10.0 pt", 4])
        self.assertEqual(self.query(), "?delta=self")

    def test_bins(self):
        """Nine, with fixed edges; text on each is legible, also in the colours for the colour-blind."""
        self.open(GONE)
        for points, number in ((0, 0), (0.25, 0), (-0.25, 0), (0.26, 1), (1, 1), (-1.01, -2), (3, 2),
                               (3.01, 3), (8, 3), (8.01, 4), (-100, -4)):
            self.assertEqual(self.browser.run("return theViewer().difference.binOf(arguments[0])", points),
                             number, points)
        for safe in (False, True):
            legend = self.browser.run("return theViewer().difference.legend(arguments[0])", safe)
            self.assertEqual(len({one["colour"] for one in legend}), 9)
            for one in legend:
                text = "rgb(255,255,255)" if one["isDark"] else "rgb(0,0,0)"
                self.assertGreaterEqual(contrast(one["colour"], text), 5.4, one)
        shown = self.browser.run("""
          return [...document.querySelectorAll('#changes .bins span')].map((span) => {
            const style = getComputedStyle(span);
            return [style.backgroundColor, style.color];
          });""")
        self.assertEqual(len(shown), 9)
        for ground, text in shown:
            self.assertGreaterEqual(contrast(ground, text), 5.4)
        self.browser.type("c")
        self.assertNotEqual(self.browser.run(
            "return getComputedStyle(document.querySelector('#changes .bins span')).backgroundColor"),
            shown[0][0])

    def test_hold(self):
        """While B is held: as it was before, without colours. The address stays, and the place."""
        self.open(STACKS)
        self.browser.run("arguments[0].dispatchEvent(new MouseEvent('click', {bubbles: true}))",
                         self.frames()["same"]["g"])
        query = self.query()
        self.assertIn("x=", query)
        press = "window.dispatchEvent(new KeyboardEvent(arguments[0], {key: 'b', bubbles: true}))"
        self.browser.run(press, "keydown")
        self.assertEqual(self.pressed()[0], "Before")
        frames = self.frames()
        self.assertAlmostEqual(frames["y"]["width"], frames["same"]["width"] * 250 / 1250, delta=0.2)
        self.assertEqual({frame["fill"] for frame in frames.values()}, {"rgb(255,255,255)"})
        self.assertEqual(self.query(), query)
        self.browser.run(press, "keyup")
        self.assertEqual(self.pressed()[0], "Both")
        self.assertEqual(self.query(), query)
        self.assertAlmostEqual(self.frames()["same"]["width"], self.scale(), delta=0.2)

    def test_drawn_as_in_the_file(self):
        """Where the picture is not flamegraph.pl's, the script draws the same frames."""
        look = ("return [...document.querySelectorAll('#frames > g')].filter("
                "(g) => +g.children[1].getAttribute('width') > 3.1).map((g) => [g.className.baseVal,"
                "...[...g.children].filter((e) => e.tagName === 'rect').map((e) => [...e.attributes]"
                ".map((a) => a.name + Number(a.value).toString().replace('NaN', a.value)).join()),"
                "g.firstElementChild.textContent])")
        folded = "".join("m;f%d;g%d %d %d\n" % (i % 7, i, i * 5 % 11, i * 7 % 13) for i in range(1, 60))
        for text, *options in ((UNIT + folded,), (UNIT + folded, "--negate"),
                               (UNIT + folded, "--delta=self"), (UNIT + folded, "--total", "9999"),
                               (folded, "--vanished", "show")):
            self.open(text, "--width", "1200", *options)  # a picture of fixed width stays until it must change
            expected = self.browser.run(look)
            self.browser.run("theViewer().keyboard = true; theViewer().render()")  # so that the script draws
            self.assertGreater(self.browser.run("return document.querySelectorAll('[role=treeitem]')"
                                                ".length"), 0)
            self.assertEqual(self.browser.run(look), expected, options)

    def test_found_and_merged(self):
        """What vanished is found and counted, and merged from the leaves."""
        for folded, *options in ((UNIT + STACKS,), (STACKS,), (STACKS, "--negate")):
            self.open(folded, *options)
            self.browser.run("theViewer().searchBox.open(); theViewer().searchFor(['gone|kernel'])")
            expected = ["14.8%", "90.9%"] if options else ["90.9%", "14.8%"]
            self.until(lambda: " \u2192 ".join(expected) in self.text("page"))
            self.browser.run("theViewer().searchFor([]); theViewer().toggle('leaf')")
            self.assertAlmostEqual(self.frames()["x"]["width"], self.scale() * 15500 / 18250, delta=0.2)

    def test_without_data(self):
        """Frames are then those of the elements: what vanished has its room in a picture of ours."""
        self.open(UNIT + STACKS, "--embed", "0")
        frames = self.frames()
        self.assertAlmostEqual(frames["gone"]["width"], self.scale() * 6000 / 18250, delta=0.2)
        self.assertEqual(frames["gone"]["hatched"], frames["gone"]["width"])
        self.assertAlmostEqual(frames["kernel"]["hatched"], self.scale() * 5500 / 18250, delta=0.2)

    def test_options_are_the_beginning(self):
        for options, pressed in ((["--vanished", "hide"], ["After", "Absolute", "Self"]),
                                 (["--vanished", "hide", "--delta", "total"],
                                  ["After", "Absolute", "Total"]),
                                 (["--delta", "self"], ["Both", "Absolute", "Self"]),
                                 (["--classic"], ["After", "Absolute", "Self"]),
                                 (["--negate", "--vanished", "hide"], ["Before", "Absolute", "Self"]),
                                 (["--flamechart"], ["After", "Absolute", "Self"])):
            self.open(STACKS, *options)
            self.assertEqual(self.pressed(), pressed, options)
        self.assertEqual(self.browser.run(  # of a flame chart's widths there is no choice
            "return document.querySelectorAll('[data-choice^=widths]:disabled').length"), 3)

    def test_address(self):
        self.open(UNIT + STACKS, query="?widths=before&scale=normalised&delta=self")
        self.assertEqual(self.pressed(), ["Before", "Normalised", "Self"])
        self.assertIn("gone", self.frames())
        self.assertEqual(self.frames()["gone"]["hatched"], self.frames()["gone"]["width"])
        # nonsense, and a side without counts, are as good as nothing
        self.visit("?widths=wide&scale=&delta=3")
        self.assertEqual(self.pressed(), ["Both", "Absolute", "Total"])
        self.open("a 0 5\nb 0 2\n", query="?widths=before")
        self.assertEqual(self.pressed()[0], "Both")
        # a link to a frame that only the wider view has
        self.open(STACKS)
        self.browser.run("arguments[0].dispatchEvent(new MouseEvent('click', {bubbles: true}))",
                         self.frames()["gone"]["g"])
        query = self.query()
        self.visit(query)
        self.assertAlmostEqual(self.frames()["gone"]["width"], self.scale(), delta=0.2)

    def test_negate(self):
        """The second count is the earlier one: all is in the order of time."""
        self.open("a 20 80\nb 20 20\nc 5 0\n", "--negate")
        frames = self.frames()
        self.assertEqual(frames["a"]["title"].split("\n")[1],
                         "80 \u2192 20 samples: -75.0%; 80.00% \u2192 44.44% of all: -35.56 points")
        self.assertIn("new", frames["c"]["classes"])
        self.assertEqual(self.browser.run("return document.getElementById('changetotals').textContent"),
                         "100 \u2192 45 samples (-55.0%)")
        self.choose("widths-before")
        self.assertNotIn("c", self.frames())
        self.choose("widths-after")
        self.assertAlmostEqual(self.frames()["c"]["width"], self.scale() * 5 / 45, delta=0.2)

    def test_no_bar_without_a_difference(self):
        self.open("a 1\n")
        self.assertEqual(self.browser.run("return document.querySelectorAll('.segments, #changes')"
                                          ".length"), 0)
        self.browser.type("vtnb")

    def test_without_data(self):
        """The bar has the legend of the file, and the status bar both counts, which its titles have."""
        text = "return document.getElementById(arguments[0]).textContent"
        for options, legend, counts in (
                ((), "fewer afterunchangedmore after", "100 before, 20 after"),
                (("--vanished", "show"), "only before: ", "100 \u2192 20 samples: -80.0%")):
            self.open(GONE, "--embed", "0", *options)
            self.assertEqual(self.browser.run("return document.querySelectorAll('.segments').length"), 0)
            self.assertIn(legend, self.browser.run(text, "changes"))
            self.browser.type("vtnb")
            self.browser.hover(self.rect("app"))
            self.until(lambda: counts in self.browser.run(text, "statustext"))
            self.until(lambda: self.browser.run(
                "return document.getElementById('hovercard') !== null"))
            self.assertIn(counts, self.browser.run(text, "hovercard"))


if __name__ == "__main__":
    arguments = ["DifferenceTest." + name for name in sys.argv[1:]]
    unittest.main(argv=[sys.argv[0], *arguments])
