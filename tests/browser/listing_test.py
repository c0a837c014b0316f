# SPDX-License-Identifier: MIT
"""The pane of instructions in a picture of aiflame-svg --annotate DIR.

    python3 listing_test.py [TEST]...     runs aiflame-annotate and aiflame-svg that are on PATH
"""

import collections
import os
import re
import subprocess
import sys
import unittest

from annotate_test import CUBIN, HERE, HOSTILE
from drawn_page import DrawnPage
from inputs import GENUINE
from matrix_test import CONTRAST, axe, contrast_script
from webdriver import DOWN, ESCAPE, UP, file_url

FRAMES = ("--gpu-frames", "kernel,line,reason,offset")
# of each instruction of the pane or the page: its offset, samples, class, text of the cells but for those
# with links to others, and the widths of its bar
ROWS = r"""
  return [...document.querySelectorAll('.code tr[id]')].map((row) => {
    const text = (name) => (row.querySelector('.' + name) || {textContent: ''}).textContent.trim();
    return [text('o'), row.dataset.n || '', row.className.replace(/\bloop\b|\bpick\b/g, '').trim(),
            [...row.querySelectorAll('td.n')].map((cell) => cell.textContent.trim()).join(), text('c'), text('i'), text('l'),
            [...row.querySelectorAll('.kinds rect')].map((part) => part.getAttribute('class') + ' ' + part.getAttribute('width')).join()];
  });
"""
SOURCE = """
  return [...document.querySelectorAll('.source tbody tr')].map(
      (row) => [...row.cells].map((cell) => cell.textContent.replace(/\\n/g, '')));
"""
STATE = """
  const pick = document.querySelector('#listing .pick.h1, #listing .pick[data-n], #listing .code .pick');
  const shown = document.querySelector('#listing') && !document.querySelector('#listing').hidden;
  return {shown, pick: pick ? pick.id : '', spot: shown ? document.querySelector('#listing .spot').textContent : '',
          kernel: shown ? document.querySelector('#listing select').selectedOptions[0].title : '',
          facts: shown ? document.querySelector('#listing .facts').textContent : ''};
"""
IN_PANE = """
  const pane = document.querySelector('#listing .code').getBoundingClientRect();
  const row = document.getElementById(arguments[0]).getBoundingClientRect();
  return row.top >= pane.top + 17 && row.bottom <= pane.bottom + 1;
"""
AXE = """
  ; return axe.run(document, {resultTypes: ['violations']}).then((result) => result.violations
      .filter((one) => one.impact === 'serious' || one.impact === 'critical')
      .map((one) => [one.id, one.help, one.nodes.slice(0, 3).map((node) => node.html.slice(0, 150))]));
"""
FRAME = """
  return [...document.querySelectorAll('#frames > *')].find((g) => g.querySelector('title').textContent.startsWith(arguments[0]));
"""


def folded(*recordings):
    """Their stacks; options may be among them."""
    cwd = GENUINE if os.path.isdir(GENUINE) else "."
    return subprocess.run(["stackcollapse-aiflame", *FRAMES, *recordings], cwd=cwd, stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, check=True).stdout


class ListingTest(DrawnPage):
    def pages(self, *recordings, options=()):
        cwd = GENUINE if os.path.isdir(GENUINE) else "."
        subprocess.run(["aiflame-annotate", "--html", os.path.join(self.directory.name, "pages/"), *options, *recordings],
                       cwd=cwd, stderr=subprocess.DEVNULL, check=True)

    def draw(self, folded_text, *options, name="drawn.svg"):
        """Paths of the pages are relative to the picture."""
        path = os.path.join(self.directory.name, name)
        with open(path, "wb") as file:
            subprocess.run(["aiflame-svg", "--annotate", "pages", *options], input=folded_text, stdout=file,
                           check=True, cwd=self.directory.name)
        return path

    def open_genuine(self, *options, recordings=("genuine_intel.gpustall",), text=None, query=""):
        if not os.path.isdir(GENUINE):
            self.skipTest("no genuine samples")
        self.pages(*recordings)
        self.text = text or folded(*recordings)
        if self.browser is None:
            self.start(size=(1280, 800))
        self.browser.resize(1280, 800)
        self.open(self.text, *options, query=query)

    def open_cubin(self):
        samples = subprocess.run([sys.executable, os.path.join(HERE, "../cubin/cubin.py"), "samples", CUBIN, "plain"],
                                 stdout=subprocess.PIPE, check=True).stdout
        recording = os.path.join(self.directory.name, "recording")
        with open(recording, "wb") as file:
            file.write(samples)
        self.pages(recording, options=("--source-prefix", os.path.join(HERE, "../cubin")))
        self.start(size=(1280, 800))
        self.open(folded(recording))

    def state(self):
        for _ in range(5):
            self.browser.next_frame()
        return self.browser.run(STATE)

    def sums(self):
        """By offset: samples, and of each reason; by line. From the folded text."""
        offsets, reasons, lines = collections.Counter(), collections.defaultdict(collections.Counter), collections.Counter()
        for stack in self.text.decode().splitlines():
            if stack.startswith("#"):
                continue
            frames, count = stack.rsplit(" ", 1)
            *_, line, reason, offset = frames.split(";")
            offsets[offset[:-4]] += int(count)
            reasons[offset[:-4]][reason[:-4]] += int(count)
            lines[line[:-4]] += int(count)
        return offsets, reasons, lines

    def test_numbers_are_those_of_the_folded_text(self):
        self.open_genuine()
        self.browser.type("d")
        self.assertTrue(self.state()["shown"])
        offsets, reasons, lines = self.sums()
        rows = self.browser.run(ROWS)
        self.assertEqual({row[0]: int(row[1]) for row in rows if row[1]}, dict(offsets))
        self.assertEqual(sum(offsets.values()), 521533)
        total = sum(offsets.values())
        by_line = collections.Counter()
        for offset, count, _, numbers, why, _, line, _ in rows:
            found = {name: int(number.replace(",", "")) for name, number in re.findall(r"(\w+) ([\d,]+)(?:, |$)", why)}
            self.assertEqual(found, dict(reasons[offset]), offset)
            by_line[line] += int(count or 0)
            if count:
                self.assertEqual(numbers, "%d.%02d%%,%s" % (*divmod((int(count) * 20000 + total) // (2 * total), 100),
                                                            format(int(count), ",")))
        self.assertEqual(+by_line, lines)

    def test_the_rows_are_those_of_the_page(self):
        for with_source in False, True:
            with self.subTest(with_source=with_source):
                if with_source:
                    self.open_cubin()
                else:
                    self.open_genuine()
                self.browser.type("d")
                self.state()
                rows, source = self.browser.run(ROWS), self.browser.run(SOURCE)
                self.assertGreater(len(rows), 70)
                page = [name for name in os.listdir(os.path.join(self.directory.name, "pages"))
                        if name.endswith(".html") and name != "index.html"]
                self.browser.open(file_url(os.path.join(self.directory.name, "pages", page[0])))
                self.state()
                known = {row[0] for row in rows}
                theirs = self.browser.run(ROWS)
                self.assertEqual(rows, [row for row in theirs if row[0] in known])
                # the others have no samples
                self.assertEqual([row for row in theirs if row[0] not in known and row[1]], [])
                if with_source:
                    self.assertGreater(len(source), 20)
                    self.assertEqual(source, self.browser.run(SOURCE))
                os.remove(os.path.join(self.directory.name, "pages", page[0]))

    def test_opens_at_the_hottest_loop(self):
        self.open_genuine()
        self.assertFalse(self.state()["shown"])
        self.browser.click("#codebutton")
        state = self.state()
        self.assertIn("hottest loop 0x408 to 0x530, 99.65%", state["facts"])
        for row in "at-0x448", "at-0x468":
            self.assertTrue(self.browser.run(IN_PANE, row), row)
        self.assertFalse(self.browser.run(IN_PANE, "at-0x0"))
        heights = self.browser.run("""
          return [...new Set([...document.querySelectorAll('#listing .code tr[id]')].map((row) => row.offsetHeight))]""")
        self.assertEqual(heights, [18])
        self.assertEqual(self.browser.run("return document.querySelectorAll('#listing .loop').length"), 26)
        arcs = self.browser.run("""
          return [...document.querySelectorAll('#listing .arcs > svg .line')].map((one) => Number(one.getAttribute('stroke-width')))""")
        self.assertEqual([arcs[0], max(arcs)], [9, 9])
        self.assertGreater(len(arcs), 2)

    def test_keys(self):
        self.open_genuine()
        self.browser.type("d")
        self.browser.type("n")
        state = self.state()
        self.assertEqual([state["pick"], state["spot"]], ["at-0x448", "hot spot 1 of 77"])
        self.assertEqual(self.query()["at"], "0x448")
        self.browser.type("n")
        self.assertEqual(self.state()["pick"], "at-0x508")
        self.browser.type("p" + DOWN)
        self.assertEqual(self.state()["pick"], "at-0x458")
        self.assertIn("0x458", self.text_of("live"))
        self.browser.type(UP + UP)
        self.assertEqual(self.state()["pick"], "at-0x438")
        self.assertTrue(self.browser.run("return document.activeElement.matches('#listing .code')"))
        # the address opens it again
        self.browser.reload()
        self.until(self.is_ready)
        self.assertEqual(self.state()["pick"], "at-0x438")
        self.browser.run("document.querySelector('#listing .code').focus()")
        self.browser.type(ESCAPE)
        self.assertFalse(self.state()["shown"])
        self.assertEqual(self.focus(), "codebutton")
        self.assertEqual(self.query(), {})

    def text_of(self, identifier):
        return DrawnPage.text(self, identifier)

    def test_a_click_shows_the_instruction_and_keeps_the_view(self):
        for layout in "flame", "aligned":
            with self.subTest(layout=layout):
                self.open_genuine("--layout", layout, query="?s=sbid")
                self.browser.click(self.browser.run(FRAME, "0x448"))
                state = self.state()
                self.assertEqual([state["shown"], state["pick"]], [True, "at-0x448"])
                self.assertEqual(self.query()["s"], "sbid")
                self.assertNotIn("y", self.query())
                self.assertTrue(self.browser.run(IN_PANE, "at-0x448"))
                self.assertTrue(self.browser.run("return !!document.querySelector('#outlines path')"))
                # what it waits for is a click away, and is no address of its own
                self.browser.click("#listing .code .pick a.e[data-way=from]")
                self.assertEqual(self.state()["pick"], "at-0x408")
                self.assertNotIn("#", self.browser.url())
                self.browser.click("#listing .close")

    def test_the_pane_follows_the_picture(self):
        recordings = ["genuine_%s.gpustall" % vendor for vendor in ("intel", "amd", "nvidia")]
        self.open_genuine("--layout", "flame", recordings=recordings, query="?table=0")
        self.browser.type("d")
        first = self.state()["kernel"]
        self.assertTrue(first.startswith("twork"))
        self.browser.click(self.browser.run(FRAME, "xcompute"))
        self.assertTrue(self.state()["kernel"].startswith("xcompute"))
        self.assertIn("listing=xcompute", self.browser.url())
        self.browser.run("""
          const choice = document.querySelector('#listing select');
          choice.value = [...choice.options].findIndex((one) => one.title.startsWith('twork'));
          choice.dispatchEvent(new Event('change'));""")
        self.assertEqual(self.state()["kernel"], first)
        self.assertEqual(self.browser.run("return document.querySelectorAll('#listing .code tr[id]').length"),
                         sum(line.startswith("code\t") for line in self.listings().split("\nkernel\t")[1].splitlines()))

    def listings(self):
        with open(os.path.join(self.directory.name, "pages/listings"), encoding="utf-8") as file:
            return file.read()

    def test_says_where_the_picture_has_not_all_of_it(self):
        self.open_genuine()
        self.browser.type("d")
        self.assertNotIn("this picture", self.state()["facts"])
        lines = self.text.splitlines(True)
        self.open_genuine(text=b"".join(lines[:1] + [line for line in lines[1:] if b"sbid" in line]))
        self.browser.type("d")
        self.assertIn("this picture has 429,", self.state()["facts"])
        self.assertIn("of the kernel, the listing 521,533", self.state()["facts"])

    def test_source_and_instructions_show_each_other(self):
        self.open_cubin()
        self.browser.type("d")
        self.state()
        self.browser.run("""
          [...document.querySelectorAll('#listing .source tr[data-l]')]
              .find((row) => row.cells[2].textContent === '33').click()""")
        self.state()
        self.assertEqual(self.browser.run("return document.querySelector('#listing .code .pick .l').textContent"), "kernels.cu:33")
        self.assertEqual(self.browser.run("return document.querySelector('#listing .source .s').cells[2].textContent"), "33")

    def test_the_way_back(self):
        self.open_genuine("--layout", "flame", query="?s=sbid")
        self.browser.context_click(self.browser.run(FRAME, "twork"))
        self.assertEqual(self.browser.run("return [...document.querySelectorAll('#framemenu .row')].map((row) => row.id).slice(0, 3)"),
                         ["menuzoom", "menucode", "menulisting"])
        self.browser.type(ESCAPE)
        self.browser.type("d")
        self.browser.run("document.querySelector('#listing .own').setAttribute('target', '_self')")
        self.browser.click("#listing .own")
        self.until(lambda: "/pages/twork" in self.browser.url())
        self.browser.click("nav a:not(#picture)")  # the list hands it on
        self.until(lambda: "/pages/index.html?from=" in self.browser.url())
        self.browser.click("#picture")
        self.until(lambda: "/drawn.svg?s=sbid" in self.browser.url())
        page = file_url(os.path.join(self.directory.name, "pages/index.html"))
        for evil in "javascript:alert(1)", "https://example.org/", "data:text/html,x", "java%0Ascript:alert(1)":
            self.browser.open(page + "?from=" + evil)
            self.browser.next_frame()
            self.assertIsNone(self.browser.run("return document.getElementById('picture')"), evil)

    def test_names_never_become_markup(self):
        recording = os.path.join(self.directory.name, "hostile")
        with open(recording, "w", encoding="utf-8") as file:
            file.write(HOSTILE)
        self.pages(recording, options=("--full-names",))
        self.start(size=(1280, 800))
        self.open(folded("--full-names", recording))
        self.browser.type("d")
        self.assertIn("<script>alert(1)</script>", self.state()["kernel"])
        self.assertEqual(self.browser.run(
            "return [document.querySelectorAll('#page script, img').length, document.querySelectorAll('[onload], [onerror]').length]")[1], 0)
        self.assertIn("<img/src=x/onerror=alert(1)>", self.browser.run("return document.querySelector('#listing .code .c').textContent"))
        self.assertIsNone(self.browser.dialogue())

    def test_readable_and_without_findings_of_axe(self):
        self.open_cubin()
        for scheme in "light", "dark":
            self.browser.colour_scheme(scheme)
            self.visit("?listing=plain&at=0x500")
            self.assertNotEqual(self.state()["pick"], "")
            found = self.browser.run(contrast_script(), CONTRAST)
            self.assertEqual(found["low"], [], scheme)
            self.assertGreater(found["texts"], 100)
        script, _ = axe()
        if script:
            self.assertEqual(self.browser.run(script + AXE), [])

    def test_a_phone(self):
        self.open_genuine()
        self.browser.resize(390, 800, phone=True)
        self.visit("?listing=twork::{lambda(handler%26)%231}::{lambda(auto:1)%231}&at=0x448")
        self.assertTrue(self.state()["shown"])
        self.assertTrue(self.browser.run(IN_PANE, "at-0x448"))
        self.assertEqual(self.browser.run("return document.documentElement.scrollWidth"), 390)
        self.assertGreaterEqual(self.browser.run("""
          return Math.min(...[...document.querySelectorAll('#listing .head button, #listing select')].map((one) => one.offsetHeight))"""), 44)


if __name__ == "__main__":
    arguments = ["ListingTest." + name for name in sys.argv[1:]]
    unittest.main(argv=[sys.argv[0], *arguments])
