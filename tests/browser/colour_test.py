# SPDX-License-Identifier: MIT
"""The colours of frames and their text in a real browser: what is a reason, contrast, the boundary.

    python3 colour_test.py [TEST]...     draws with the aiflame-svg that is on PATH
"""

import sys
import unittest

import inputs
from contrast import contrast
from drawn_page import LAYERS, DrawnPage

# every reason and layer there is, wide enough for its label
KINDS = "".join("a;std::f;py::g;step_[r];Linear_0_[m];aten::mm_[o];s_[k];-;x.cl_[G];k_[G];mov_[g];%s_[g];0x%d_[g] 9\n" % (name, i)
                for i, name in enumerate(("sbid", "dist_acc", "sync", "inst_fetch", "pipestall",
                                          "active", "other")))
NAMES = "".join("%s%d;%s%d 9\n" % (name, i, name, i * 7)
                for name in ("main", "std::sort", "read_[k]", "x.js", "Lorg/a", "perl_", "py::f")
                for i in range(11))
PALETTES = ("hot", "mem", "io", "java", "js", "perl", "red", "green", "blue", "aqua", "yellow",
            "purple", "orange", "wakeup", "chain")

# each frame's label: its text, its colour, what is under it and whether that is faded
LABELS = """
  return [...document.querySelectorAll('#frames > *')].filter((g) => g.querySelector('text'))
      .map((g) => {
        const text = g.querySelector('text'), rect = g.querySelector('rect');
        const {fill, fontWeight} = getComputedStyle(text);
        return {label: text.textContent, title: g.querySelector('title').textContent, ink: fill,
                weight: +fontWeight, classes: [...g.classList],
                fill: getComputedStyle(rect).fill,
                opacity: getComputedStyle(rect).opacity * getComputedStyle(g).opacity};
      });
"""
STRIPES = ["rgb(211,215,221)", "rgb(188,194,204)"]  # of the boundary


class ColourTest(DrawnPage):
    def labels(self):
        found = self.browser.run(LABELS)
        self.assertGreater(len(found), 2)
        return found

    def inks(self):
        return {one["title"]: (one["fill"], one["ink"]) for one in self.labels()}

    def label_of(self, name):
        return next(one for one in self.labels() if one["title"].startswith(name + " ("))

    def assert_legible(self, what):
        for one in self.labels():
            self.assertEqual(float(one["opacity"]), 1, (what, one))
            grounds = STRIPES if "boundary" in one["fill"] else [one["fill"]]
            for ground in grounds:
                self.assertGreaterEqual(contrast(one["ink"], ground), 4.5, (what, one))

    def key(self, key, holds):
        self.browser.keys(key)
        self.until(holds)

    def assert_legible_everywhere(self, what):
        for scheme in ("light", "dark"):
            self.browser.colour_scheme(scheme)
            self.assert_legible((what, scheme))
            before = self.labels()
            self.key("c", lambda: [one["fill"] for one in self.labels()] !=
                     [one["fill"] for one in before])
            self.assert_legible((what, scheme, "colour-blind"))
            self.browser.keys("c")

    def test_contrast_of_layers_and_reasons(self):
        self.open(KINDS.encode())
        self.assert_legible_everywhere("kinds")
        # white and bold are the reasons alone
        for one in self.labels():
            reason = one["title"].split(" (")[0] in ("sbid", "dist_acc", "sync", "inst_fetch",
                                                     "pipestall", "active", "other")
            self.assertEqual((one["ink"] == "rgb(255, 255, 255)", one["weight"] >= 600),
                             (reason, reason), one)
        with open(LAYERS, "rb") as file:
            layers = file.read()
        for options in ([], ["--classic"]):
            self.open(layers, *options)
            self.assert_legible_everywhere(options)

    def test_contrast_of_genuine_samples(self):
        for vendor in ("intel", "nvidia", "amd"):
            folded = inputs.genuine(vendor)
            if folded is None:
                self.skipTest("no genuine samples at " + inputs.GENUINE)
            self.open(folded)
            self.assert_legible_everywhere(vendor)

    def test_contrast_of_palettes(self):
        """The page decides as the program does, on the same colours, drawn anew."""
        for palette in PALETTES:
            self.open(NAMES.encode(), "--colors", palette, "--width", "6000")
            self.assert_legible(palette)
            inks = self.inks()
            self.assertGreater(len(inks), 100)
            self.key("i", lambda: self.browser.run(
                "return document.querySelector('#frames').getAttribute('role')") == "tree")
            self.assertEqual(self.inks(), inks)

    def test_ancestors_keep_their_colour(self):
        self.open(KINDS.encode())
        before = self.label_of("std::f")
        self.browser.click(self.browser.run(
            "return [...document.querySelectorAll('#frames > g')].find((g) => "
            "g.firstElementChild.textContent.startsWith('sbid (')).children[1]"))
        self.until(lambda: "parent" in self.label_of("std::f")["classes"])
        self.assert_legible("zoomed")
        self.assertEqual(self.label_of("std::f")["fill"], before["fill"])

    def test_the_boundary_says_where_the_cpu_is(self):
        above, below = "GPU above / CPU below", "CPU above / GPU below"
        stack = KINDS.splitlines()[0].encode()
        self.open(stack)
        self.assertEqual(self.label_of("-")["label"], above)
        self.key("i", lambda: self.label_of("-")["label"] == below)
        self.key("l", lambda: self.label_of("-")["label"] == above)  # the GPU is next to the root
        self.key("i", lambda: self.label_of("-")["label"] == below)
        self.open(stack, "--reverse")
        self.assertEqual(self.label_of("-")["label"], below)
        self.open(stack, "--classic")
        self.assertTrue(self.label_of("-")["label"].startswith("-"))

    def test_colour_blind(self):
        """Reasons differ from each other and from layers, and the legend follows."""
        self.open(KINDS.encode())
        self.browser.keys("c")
        self.until(lambda: self.label_of("sbid")["fill"] != "rgb(156, 42, 107)")
        fills = {one["fill"] for one in self.labels() if "light" in one["classes"]}
        self.assertEqual(len(fills), 7)
        legend = self.browser.run("return [...document.querySelectorAll('#legend rect')].map("
                                  "(rect) => rect.getAttribute('fill'))")
        self.assertIn("rgb(200,60,100)", legend)  # memory
        self.assertIn("url(#boundary)", legend)
        self.assertEqual(len(set(legend)), 7 + 11)

    def test_title(self):
        """Of the tab, and for those who hear the picture; not as a tooltip over all of it."""
        self.open(KINDS.encode(), "--title", "Stalls <of> it")
        self.assertEqual(self.browser.run("return document.title"), "Stalls <of> it")
        self.assertEqual(self.browser.run(
            "const svg = document.querySelector('#stage > svg'); return [svg.ariaLabel, "
            "[...svg.children].some((child) => child.localName === 'title')]"),
            ["Stalls <of> it", False])

    def test_legend_in_the_page(self):
        self.open(KINDS.encode())
        self.browser.keys("?")
        text = self.browser.run("return document.getElementById('help').textContent")
        for item in ("instructions", "offsets", "device source", "operators", "modules", "ranges",
                     "boundary", "reasons: memory",
                     "reasons: pipe busy"):
            self.assertIn(item, text)


if __name__ == "__main__":
    arguments = ["ColourTest." + name for name in sys.argv[1:]]
    unittest.main(argv=[sys.argv[0], *arguments])
