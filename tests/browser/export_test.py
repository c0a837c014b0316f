# SPDX-License-Identifier: MIT
"""What a reader takes out of the page: a link, folded text, a picture, paper.

    python3 export_test.py [TEST]...     draws with the aiflame-svg that is on PATH
"""

import base64
import re
import sys
import unittest
import xml.etree.ElementTree as ElementTree

from drawn_page import LAYERS, DrawnPage
from webdriver import ENTER, file_url

SVG = "{http://www.w3.org/2000/svg}"
# Keeps what is saved, and its name.
CATCH = """
  window.saved = null;
  const make = URL.createObjectURL;
  URL.createObjectURL = (blob) => {
    const reader = new FileReader();
    reader.onload = () => {
      window.saved = [reader.result.split(',')[1], [...document.querySelectorAll('a[download]')]
          .map((one) => one.download).join() || window.savedName];
    };
    const url = make(blob);
    setTimeout(() => reader.readAsDataURL(blob));
    return url;
  };
  HTMLAnchorElement.prototype.click = function () { window.savedName = this.download; };
"""


class ExportTest(DrawnPage):
    def search(self, term):
        self.browser.click("#term")
        self.browser.type(term + ENTER)
        self.until(lambda: self.browser.run("return !!document.querySelector('.chip')"))
        self.browser.run("document.activeElement.blur()")

    def choose(self, item):
        if not self.browser.run("return !!document.getElementById('viewmenu')"):
            self.browser.click("#viewbutton")
        self.browser.click("#" + item)

    def copied(self, item):
        self.browser.allow_clipboard()
        self.browser.run("return navigator.clipboard.writeText('')")
        self.choose(item)
        read = "return navigator.clipboard.readText()"
        self.until(lambda: self.browser.run(read) != "")
        return self.browser.run(read)

    def saved(self, item):
        self.browser.run(CATCH)
        self.choose(item)
        self.until(lambda: self.browser.run("return window.saved !== null"))
        data, name = self.browser.run("return window.saved")
        return base64.b64decode(data), name

    def wide_rows(self):
        """The frames that have an element in each picture, in the order of their names."""
        return [sorted(one for one in row if int(one.split()[-1]) > 50) for row in self.rows()]

    def test_link(self):
        self.open(LAYERS)
        self.search("sbid")
        self.assertEqual(self.copied("copylink"), self.browser.url())

    def test_folded(self):
        """What is copied is drawn as the same picture."""
        self.open(LAYERS)
        with open(self.path, "rb") as file:
            drawn = file.read()
        with open(self.draw(self.copied("copyfolded"), name="again.svg"), "rb") as file:
            self.assertEqual(file.read(), drawn)

    def test_folded_views(self):
        for keys in ("l", "r", "w", "0"):
            self.open(LAYERS)
            self.browser.type(keys)
            if keys == "0":
                self.browser.click(self.frame("run_basic(float*)")["rect"])
            shown = self.wide_rows()
            text = self.copied("copyfolded")
            self.browser.open(file_url(self.draw(text, name="again.svg")))
            again = self.wide_rows()
            first = 5 if keys == "0" else 0  # below it, the page says the counts of the whole profile
            self.assertEqual(again[first:], shown[first:], keys)

    def test_folded_unit_and_fractions(self):
        self.open("# aiflame: event gpu-time, unit ns\nmain;a 1000\nmain;b 20\n")
        self.assertEqual(self.copied("copyfolded"), "# aiflame: event gpu-time, unit ns\nmain;a 1000\nmain;b 20\n")
        line = "# aiflame: event cycles:u, unit samples, period 1000 cycles\n"
        self.open(line + "main;a 1000\n", "--countname", "things")
        self.assertEqual(self.copied("copyfolded"), line + "main;a 1000\n")
        self.open("m;a 3 4\nm;b 0 1\nm;c 2 0\n")
        self.assertEqual(self.copied("copyfolded"), "m;a 3 4\nm;b 0 1\nm;c 2 0\n")
        self.open("m;a 0.5\nm;b 1.25\nm 2\n")
        self.assertEqual(self.copied("copyfolded"), "m 2\nm;a 0.5\nm;b 1.25\n")
        # from the leaves, a name would end a line with a second count
        self.open("m 7;a 3\n")
        self.browser.type("l")
        self.assertEqual(self.copied("copyfolded"), "a;m_7 3\n")

    def test_folded_launches(self):
        """The launches of the kernels that are copied."""
        lines = ["# aiflame-launch: launches 12, items 64x1x1, registers 40, kernel k kernel 2_[G]",
                 "# aiflame-launch: launches 5, items 32x1x1, kernel k kernel 2_[G]",
                 "# aiflame-launch: launches 4, items 16x1x1, kernel k kernel 2_[G]",
                 "# aiflame-launch: launches 3, items 8x1x1, kernel k kernel 2_[G]",
                 "# aiflame-launch: launches 3, items 8x1x1, kernel other_[G]"]
        first, second = "main;a;-;k kernel 2_[G] 3", "main;b;-;other_[G] 4"
        self.open("\n".join([first, second] + lines + [""]))
        self.assertEqual(self.copied("copyfolded"), "\n".join([first, second] + lines + [""]))
        self.browser.click(self.frame("a")["rect"])
        self.assertEqual(self.copied("copyfolded"), "\n".join([first] + lines[:4] + [""]))
        self.open("\n".join([first, second] + lines + [""]), "--layout", "aligned", name="aligned.svg")
        self.assertEqual(self.copied("copyfolded"), "\n".join([first, second] + lines + [""]))

    def test_folded_filter(self):
        self.open("m;a;x 3\nm;b;x 4\nm;c 5\n")
        self.search("b")
        self.browser.click("#filterbutton")
        self.assertEqual(self.copied("copyfolded"), "m;b;x 4\n")

    def test_svg(self):
        for dark in (False, True):
            self.start(dark=dark)
            self.open(LAYERS, "--title", "A < B", "--subtitle", "under it", query="?s=sbid")
            data, name = self.saved("savesvg")
            self.assertEqual(name, "A-B.svg")
            root = ElementTree.fromstring(data)
            self.assertEqual(root.tag, SVG + "svg")
            self.assertEqual(root.find(SVG + "title").text, "A < B")
            for tag in ("script", "style", "foreignObject", "a"):
                self.assertIsNone(root.find(".//" + SVG + tag), tag)
            self.assertFalse([one for one in root.iter() if any(
                key.startswith(("on", "class", "style", "data-")) for key in one.attrib)])
            labels = [one.text for one in root.iter(SVG + "text")]
            self.assertEqual(labels.count("A < B"), 1)
            self.assertIn("under it", labels)
            self.assertTrue([one for one in labels if one.startswith("start_thread")])
            self.assertNotIn("Search", labels)
            fills = [one.get("fill") for one in root.iter(SVG + "rect")]
            self.assertIn("rgb(230, 0, 230)", fills)
            look = ("const [a, b] = ['#frames rect', 'g rect'].map((s) => [...document.querySelectorAll(s)]"
                    ".map((one) => [one.getAttribute('width'), getComputedStyle(one).fill].join())); "
                    "return arguments[0] ? a : b")
            seen = self.browser.run(look, True)
            path = self.path.replace("drawn", "saved")
            with open(path, "wb") as file:
                file.write(data)
            self.browser.open(file_url(path))
            saved = [one.replace("saved-", "") for one in self.browser.run(look, False)]
            self.assertEqual([one for one in saved if one in seen], seen)

    def test_png(self):
        self.open(LAYERS)
        data, name = self.saved("savepng")
        self.assertEqual(name, "AI-Flame-Graph.png")
        self.assertEqual(data[:8], b"\x89PNG\r\n\x1a\n")
        width = self.browser.run("return document.querySelector('#stage > svg').viewBox.baseVal.width")
        self.assertEqual(int.from_bytes(data[16:20], "big"), 2 * width)
        colours = self.browser.run("""
          return (async () => {
            const image = new Image();
            image.src = 'data:image/png;base64,' + arguments[0];
            await image.decode();
            const canvas = document.createElementNS('http://www.w3.org/1999/xhtml', 'canvas');
            canvas.width = image.width;
            canvas.height = image.height;
            const pen = canvas.getContext('2d');
            pen.drawImage(image, 0, 0);
            const pixels = pen.getImageData(0, 0, image.width, image.height).data;
            const found = new Set();
            for (let i = 0; i < pixels.length; i += 4) found.add(pixels.slice(i, i + 3).join());
            return found.size;
          })();""", base64.b64encode(data).decode())
        self.assertGreater(colours, 50)

    # ---- paper ---------------------------------------------------------------------------------
    def pages(self):
        pdf = self.browser.print()
        return len(re.findall(rb"/Type\s*/Page\b(?!s)", pdf))

    def test_print(self):
        """A picture of up to twice the height of a sheet fits one; sheets end between rows."""
        self.open(LAYERS)
        self.assertEqual(self.pages(), 1)
        self.assertFalse(self.browser.run("return !!document.getElementById('sheets')"))
        deep = "".join("f%d;" % i for i in range(400)) + "g 1\n"
        self.open("".join("f%d;" % i for i in range(80)) + "g 1\n")
        self.assertEqual(self.pages(), 1)
        self.open(deep)
        pages = self.pages()
        self.assertIn(pages, (8, 9, 10))
        edges = self.browser.run("""
          window.dispatchEvent(new Event('beforeprint'));
          const sheets = [...document.querySelectorAll('.sheet')].map((one) => one.viewBox.baseVal);
          const rects = [...document.querySelectorAll('#frames rect')].map(
              (one) => [+one.getAttribute('y'), +one.getAttribute('y') + +one.getAttribute('height')]);
          const cut = sheets.flatMap((one) => rects.filter(([y, end]) => y < one.y && one.y < end));
          const [{y}] = sheets, last = sheets[sheets.length - 1];
          window.dispatchEvent(new Event('afterprint'));
          return [sheets.length, cut.length, last.y + last.height - y >= rects[0][1] - rects[400][0]];""")
        self.assertEqual(edges, [pages, 0, True])


if __name__ == "__main__":
    arguments = ["ExportTest." + name for name in sys.argv[1:]]
    unittest.main(argv=[sys.argv[0], *arguments])
