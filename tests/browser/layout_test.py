# SPDX-License-Identifier: MIT
"""How the picture is laid out: its width and rows by the window, labels, layers at the side.

    python3 layout_test.py [TEST]...     draws with the aiflame-svg that is on PATH
"""

import os
import sys
import unittest

from drawn_page import DATA, LAYERS, DrawnPage

HERE = os.path.dirname(os.path.abspath(__file__))
LABELS = os.path.join(HERE, "../../tools/aiflame-svg/page/labels.js")

# what is laid out, in pixels of the window
LAYOUT = """
  const svg = document.querySelector('svg'), box = svg.getBoundingClientRect();
  const frames = [...document.querySelectorAll('#frames > *')].map((g) => {
    const [title, rect] = g.children, at = rect.getBoundingClientRect(), text = g.querySelector('text');
    return {name: title.textContent.split(' (')[0], depth: +g.dataset.d, x: at.x, y: at.y,
            width: at.width, height: +rect.getAttribute('height') + 1, label: text ? text.textContent : '',
            parent: g.classList.contains('parent')};
  });
  return {width: box.width, height: box.height, bottom: box.bottom, top: box.top, frames,
          stage: document.getElementById('stage').clientWidth,
          panel: document.getElementById('panel').hidden ? 0  // docked, with its margin
              : document.getElementById('panel').getBoundingClientRect().width + 16,
          root: frames[0], inner: [innerWidth, innerHeight], scroll: scrollY,
          page: document.documentElement.scrollHeight, wide: document.documentElement.scrollWidth,
          gutter: [...document.querySelectorAll('#gutter text')].map((text) => text.textContent)};
"""
# labels that are wider than their frames
TOO_LONG = """
  return [...document.querySelectorAll('#frames > *')].filter((g) => {
    const text = g.querySelector('text');
    return text && text.getComputedTextLength() + 3 > +g.children[1].getAttribute('width');
  }).map((g) => g.textContent);
"""
TALL = ";".join("f%d" % i for i in range(90))  # higher than any window here


class LayoutTest(DrawnPage):
    def setUp(self):
        super().setUp()
        self.start()

    def resize(self, width, height, **kind):
        self.browser.resize(width, height, **kind)
        self.until(lambda: self.browser.run("return innerWidth") == width)
        self.browser.next_frame()

    def layout(self):
        return self.browser.run(LAYOUT)

    def frame(self, name):
        found = [one for one in self.layout()["frames"] if one["name"] == name]
        return max(found, key=lambda one: one["width"]) if found else None

    def click(self, name):
        frame = self.frame(name)
        self.browser.click_at(int(frame["x"] + 2), int(frame["y"] + 5))

    def test_as_wide_as_the_window(self):
        for options in [(), ("--html",)]:
            self.open(LAYERS, *options, name="drawn.html" if options else "drawn.svg")
            for width, height in [(390, 800), (1280, 800), (2400, 1300)]:
                self.resize(width, height)
                self.until(lambda: self.layout()["width"] == self.layout()["stage"])
                seen = self.layout()
                self.assertEqual(seen["stage"], width - (seen["panel"] if width >= 1180 else 0))
                side = 8 if width < 600 else 16
                self.assertEqual(seen["root"]["x"], 88 if width >= 900 else side)
                self.assertEqual(seen["root"]["x"] + seen["root"]["width"], seen["stage"] - side)
                self.assertLessEqual(seen["wide"], width)
                self.assertEqual(self.browser.run(TOO_LONG), [])

    def test_a_phone_shows_the_picture_at_its_own_size(self):
        self.browser.resize(390, 800, phone=True)
        self.open(LAYERS)
        self.until(lambda: self.layout()["width"] == 390)
        seen = self.layout()
        self.assertEqual(seen["inner"][0], 390)
        self.assertEqual({one["height"] for one in seen["frames"]}, {28})  # for fingers
        self.assertEqual(self.browser.run(
            "return getComputedStyle(document.querySelector('#frames text')).fontSize"), "13px")

    def test_a_width_that_is_given_stays(self):
        self.open(LAYERS, "--width", "1000", "--height", "20", "--fonttype", "Courier")
        seen = self.layout()
        self.assertEqual(seen["width"], 1000)
        self.assertEqual(seen["root"]["height"], 20)
        self.assertIn("Courier", self.browser.run(
            "return getComputedStyle(document.querySelector('#frames text')).fontFamily"))
        self.open(LAYERS, "--height", "20")  # the width alone is the window's
        self.assertEqual(self.layout()["root"]["height"], 20)

    def test_rows_fill_the_window(self):
        self.resize(1280, 800)
        self.open("a;b;-;k.cl_[G];k_[G];mov_[g];sbid_[g];0x10_[g] 5\n")
        self.assertEqual(self.layout()["root"]["height"], 26)
        self.open(TALL + ";x_[G] 5\n")
        self.assertEqual(self.layout()["root"]["height"], 16)
        # those of ordinary profiles are flamegraph.pl's
        self.open("a;b 5\n")
        self.assertEqual(self.layout()["root"]["height"], 16)

    def test_opens_at_the_root(self):
        self.resize(1280, 800)
        self.open(TALL + " 5\n")
        seen = self.layout()
        self.assertGreater(seen["height"], 1400)
        self.assertLess(seen["root"]["y"], seen["inner"][1] - 36)
        self.assertGreater(seen["root"]["y"], 0)
        self.open(TALL + " 5\n", query="?flip=1")
        self.assertEqual(self.layout()["scroll"], 0)
        self.assertGreater(self.layout()["root"]["y"], 0)

    def test_the_root_stays_in_a_smaller_window(self):
        for stack in TALL, "app;main;-;k.cl_[G];k_[G];mov_[g];sbid_[g];0x10_[g]":
            self.resize(1280, 800)
            self.open(stack + " 5\n")
            self.resize(700, 500)
            self.until(lambda: self.layout()["width"] == self.layout()["stage"])
            seen = self.layout()
            self.assertLess(seen["root"]["y"] + seen["root"]["height"], 500 - 30)
            self.assertGreater(seen["root"]["y"], 0)

    def test_the_height_is_that_of_the_rows(self):
        self.resize(1280, 800)
        self.open(TALL + " 5\nf0;other 95\n")
        tall = self.layout()["height"]
        self.click("other")
        self.until(lambda: self.layout()["height"] < tall)
        seen = self.layout()
        self.assertEqual(seen["height"], 3 * 16 + 16)
        self.assertEqual(seen["page"], seen["inner"][1])
        # what is below the view keeps its colour, with smaller text
        self.assertTrue(self.frame("f0")["parent"])
        self.assertEqual(self.browser.run("""
            const g = document.querySelector('#frames > .parent');
            return [getComputedStyle(g.children[1]).opacity,
                    getComputedStyle(g.querySelector('text')).fontSize]"""), ["1", "9px"])
        self.click("all")
        self.until(lambda: self.layout()["height"] == tall)

    def test_links_keep_the_coordinates_of_the_file(self):
        self.resize(1280, 800)
        self.open("a;b 60\na;c;d 40\n")
        places = set()
        for width in [390, 1280, 2400]:
            self.resize(width, 800)
            self.until(lambda: self.layout()["width"] == width)
            self.click("c")
            self.until(lambda: "x=" in self.browser.url())
            places.add(self.browser.url().split("?")[1])
            self.browser.back()
            self.until(lambda: "x=" not in self.browser.url())
        # as in the file: 10 + 60 % of 1180; 4 rows of 16, the third from below
        self.assertEqual(places, {"x=718.0&y=53"})
        self.open("a;b 60\na;c;d 40\n", query="?x=718.0&y=53")
        self.assertIsNone(self.frame("b"))
        self.assertEqual(self.frame("c")["width"], self.layout()["root"]["width"])

    def test_the_page_has_its_own_background(self):
        """Unless one is given, which stays in the dark."""
        ground = "return getComputedStyle(document.getElementById('stage')).backgroundImage"
        for options, expected in (([], "none"), (["--colors", "mem"], "none"),
                                  (["--bgcolors", "#ffeedd"], "rgb(255, 238, 221) 5%"),
                                  (["--classic"], "rgb(238, 238, 238) 5%")):
            self.open("main;f 3\n", *options)
            for scheme in ("light", "dark"):
                self.browser.colour_scheme(scheme)
                self.assertIn(expected, self.browser.run(ground), (options, scheme))
        # what stands on it is legible
        for given, ink in (("#ffeedd", "rgb(22, 24, 29)"), ("#203040", "rgb(255, 255, 255)")):
            self.open("main;-;k_[G] 3\n", "--bgcolors", given)
            for scheme in ("light", "dark"):
                self.browser.colour_scheme(scheme)
                self.assertEqual(self.browser.run(
                    "return getComputedStyle(document.querySelector('#gutter text')).fill"), ink)

    def test_the_size_of_the_font_leaves_the_font(self):
        font = ("const {fontFamily, fontSize} = getComputedStyle(document.querySelector('#frames text'));"
                "return [fontFamily.split(',')[0].replace(/\\W/g, ''), fontSize]")
        for options, expected in (([], ["Inter", "12px"]), (["--fontsize", "15"], ["Inter", "15px"]),
                                  (["--fonttype", "Times"], ["Times", "12px"])):
            self.open("main;f 3\n", *options)
            self.assertEqual(self.browser.run(font), expected, options)

    def test_the_boundary_has_the_colour_of_a_palette_that_is_given(self):
        fill = "return [...document.querySelectorAll('#frames rect')].map((rect) => rect.getAttribute('fill'))"
        for options, hatched in (([], True), (["--colors", "aiflame"], True), (["--colors", "hot"], False)):
            self.open("main;-;k_[G] 3\n", *options)
            fills = self.browser.run(fill)
            self.assertEqual("url(#boundary)" in fills, hatched, options)
            self.assertEqual("rgb(200,200,200)" in fills, not hatched, options)

    def test_one_row_of_buttons(self):
        """Also of a differential of an AI flame graph, at 1280 pixels."""
        self.resize(1280, 800)
        self.open("# aiflame: event gpu-stall, unit stalls, columns two\n"
                  "main;-;k_[G];mov_[g];sbid_[g];0x10_[g] 812 1404\n")
        tops = self.browser.run("return [...document.querySelectorAll('#find, #buttons button')]"
                                ".filter((one) => one.offsetParent)"
                                ".map((one) => Math.round(one.getBoundingClientRect().top))")
        self.assertGreater(len(tops), 10)
        self.assertLessEqual(max(tops) - min(tops), 2, tops)

    def test_labels_keep_what_matters(self):
        with open(LABELS, encoding="utf-8") as file:
            rule = file.read()
        rows = []
        with open(os.path.join(DATA, "labels.tsv"), encoding="utf-8") as file:
            for line in file.read().splitlines()[1:]:
                rows.append(line.split("\t"))
        labels = self.browser.run(rule + """
            return arguments[0].map(([room, name]) => fittingForm(shortForms(name), +room, () => 1));""",
                                  rows)
        self.assertEqual(labels, [label for _, _, label in rows])

    def test_labels_have_shares_where_there_is_room(self):
        self.open("main;std::vector<int, std::allocator<int> >::push_back(int&&) 15\nmain;b 85\n")
        self.resize(1280, 800)
        self.until(lambda: self.layout()["width"] == 1280)
        self.assertEqual(self.frame("main")["label"], "main 100.0%")
        self.assertEqual(self.frame("b")["label"], "b 85.0%")
        self.assertEqual(self.frame("std::vector<int, std::allocator<int> >::push_back(int&&)")["label"],
                         "std::vector<…>::push_back")

    def test_layers_at_the_side(self):
        self.resize(1280, 800)
        self.open("app;main;-;k.cl_[G];k_[G];mov_[g];sbid_[g];0x10_[g] 90\napp;main;f;g;h;i;j;l 5\n")
        self.assertEqual(self.layout()["gutter"], ["CPU", "GPU source", "Instruction", "Reason", "Offset"])
        self.resize(800, 700)
        self.until(lambda: self.layout()["gutter"] == [])
        self.resize(1280, 800)
        self.open("app;main 5\n")
        self.assertEqual(self.layout()["gutter"], [])

    def test_kernels_of_like_names(self):
        """Frames too narrow for such names have labels that differ."""
        self.resize(1280, 800)
        name = "sm80_xmma_gemm_f32f32_f32f32_f32_%s_n_tilesize%s_stage3_warpsize1x4x1_execute_kernel...#%s"
        kernels = [name % ("tn", "64x64x8", "b15c7e"), name % ("nn", "64x64x8", "29bc61"),
                   name % ("tn", "128x64x8", "a473c7")]
        self.open("".join("app;-;%s_[G] 10\n" % one for one in kernels) + "app;f 50\n")
        labels = [one["label"] for one in self.layout()["frames"] if one["name"].startswith("sm80")]
        self.assertEqual(sorted(labels), ["nn\u202664x64x8", "tn\u2026128x64x8", "tn\u202664x64x8"])

    def test_layers_of_ragged_towers(self):
        """Where towers end at different heights, no layer has the rows between; a thin one has no bracket."""
        self.resize(1280, 800)
        self.open("app;-;short_[G] 50\napp;a;b;-;tall_[G];mov_[g];sbid_[g] 50\n")
        self.assertEqual(self.layout()["gutter"], ["CPU", "CPU, GPU", "GPU source", "Instruction", "Reason"])
        self.open("app;-;k_[G] 96\napp;a;-;x_[G] 2\napp;b;c;d;e;-;y_[G] 2\n")
        self.assertEqual(self.layout()["gutter"], ["CPU", "GPU source"])

    def test_labels_are_the_names(self):
        """Fonts with contextual alternates do not rewrite 0x1d7 and ->, and digits are as wide as measured."""
        styles = """
          const style = getComputedStyle(document.querySelector('#frames text'));
          return [style.fontVariantLigatures, style.fontFeatureSettings, style.fontVariantNumeric];"""
        for javascript in (True, False):
            self.start(javascript=javascript)
            self.open("a;b;-;k.cl_[G];k_[G];mov_[g];sbid_[g];0x10_[g] 5\n")
            self.assertEqual(self.browser.run(styles), ["none", '"calt" 0', "normal"])

    def test_frames_that_repeat_are_folded(self):
        """Three or more of one name on top of each other become one; counts stay with it."""
        self.resize(1280, 800)
        self.open("a;f;f;f;f;g 50\na;f;f;f;h 20\na;f;k 10\na;e;e;h 20\n")
        rows = lambda: sorted((one["depth"], one["name"], round(one["width"] / 12.48))
                              for one in self.layout()["frames"])
        self.browser.keys("u")
        self.until(lambda: "runs=1" in self.browser.url())
        self.assertEqual(rows(), [(0, "all", 100), (1, "a", 100), (2, "e", 20), (2, "f ×4", 80),
                                  (3, "e", 20), (3, "g", 50), (3, "h", 20), (3, "k", 10), (4, "h", 20)])
        self.assertEqual(self.frame("f ×4")["label"], "f ×4 80.0%")
        self.browser.keys("l")
        self.until(lambda: "leaf=1" in self.browser.url())
        self.assertEqual([row for row in rows() if row[1].startswith("f")],
                         [(2, "f", 10), (2, "f ×3", 20), (2, "f ×4", 50)])
        self.browser.keys("l")
        self.browser.keys("u")
        self.until(lambda: "?" not in self.browser.url())

    def test_frames_too_thin_to_draw_are_counted(self):
        self.resize(1280, 800)
        thin = "".join("m;a;x%05d 1\n" % i for i in range(10000))
        self.open(thin + "m;a;wide 9000\nm;a;x00007 1\nm;b 1000\n")
        block = lambda: self.browser.run("""
            const text = document.querySelector('#slivers > .thin text');
            return text && [text.textContent, Math.round(text.parentNode.getBBox().width)]""")
        # the widest of them is still thinner than a fifth of a pixel
        self.assertEqual(block(), ["10,000 frames < 0.2 px", 624])
        for where in ["a", "x00007"]:  # to the frame below; once that is the view, to the widest
            self.browser.click("#slivers > .thin")
            self.until(lambda: self.frame(where) and
                       self.frame(where)["width"] == self.frame("all")["width"])
        self.assertIsNone(block())

    def test_outlines(self):
        self.resize(1280, 800)
        self.open("a;f;g 50\nb;f;h 50\n")
        frame = self.frame("f")
        self.browser.move_to(int(frame["x"] + 50), int(frame["y"] + 5))
        self.until(lambda: self.browser.run("return document.querySelector('#outlines') !== null"))
        lines = self.browser.run("""
            return [...document.querySelectorAll('#outlines path')].map((path) => [
                path.getAttribute('class'), getComputedStyle(path).strokeWidth,
                path.getAttribute('d').split('M').length - 1])""")
        self.assertEqual(lines, [["same", "1px", 1], ["hovered", "2px", 1]])


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]] + ["LayoutTest." + name for name in sys.argv[1:]])
