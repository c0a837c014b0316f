# SPDX-License-Identifier: MIT
"""The page of aiflame-annotate --html in a browser.

    python3 annotate_test.py [TEST]...     with the aiflame-annotate that is on PATH
"""

import os
import subprocess
import sys
import tempfile
import unittest

from webdriver import ESCAPE, Browser, file_url

HERE = os.path.dirname(os.path.abspath(__file__))
CUBIN = os.path.join(HERE, "../data/cubin/kernels.sm_90.cubin")
GENUINE = os.path.join(HERE, "../../../shared/data/hpctoolkit")
STATE = """
  const rows = (name) => [...document.querySelectorAll('.code .' + name)].map((row) => row.id);
  return {hash: location.hash, pick: rows('pick'), from: rows('from'), to: rows('to'), chain: rows('chain'),
          source: [...document.querySelectorAll('.source .s')].map((row) => row.cells[2].textContent),
          status: document.getElementById('status').textContent};
"""
VISIBLE = """
  const box = document.getElementById(arguments[0]).getBoundingClientRect();
  return box.top >= 0 && box.bottom <= innerHeight;
"""
SEEN = """
  // of each pane: rows that can be seen, with something of their text
  return ['.source tr[data-l]', '.code tr[id]'].map((rows) => [...document.querySelectorAll(rows)].filter((row) => {
    const box = row.cells[2].getBoundingClientRect();
    const there = document.elementFromPoint(box.left + box.width / 2, box.top + box.height / 2);
    return there && row.contains(there);
  }).length);
"""
CHAIN = """
  return [...document.querySelectorAll('.c')].filter((cell) => cell.offsetHeight > 0)
      .map((cell) => cell.textContent).join();
"""
HOSTILE = """# gpustall 1
# launch ?

app 7/7 [000]  1.010000000:         57 gpu-stall:\x20
\t               0 <img/src=x/onerror=alert(1)> ([stall])
\t            1430 </title></style><script>alert(1)</script>"onload='alert(1)'+0x30 (/tmp/k.so)

# end samples 57 launches 0 lost 0

"""


class AnnotateTest(unittest.TestCase):
    def setUp(self):
        self.directory = tempfile.TemporaryDirectory()
        self.addCleanup(self.directory.cleanup)
        self.browser = Browser()
        self.addCleanup(self.browser.close)

    def path(self, name):
        return os.path.join(self.directory.name, name)

    def open(self, recording, *options, anchor="", cwd=None):
        page = self.path("page.html")
        subprocess.run(["aiflame-annotate", "--html", page, *options, recording], check=True, cwd=cwd,
                       stderr=subprocess.DEVNULL)
        self.browser.open(file_url(page) + anchor)

    def state(self):
        self.browser.next_frame()
        self.browser.next_frame()
        return self.browser.run(STATE)

    def open_cubin(self, anchor=""):
        """Kernel plain, with a stall at each instruction, five more at 0x100 and two more at 0x40."""
        text = subprocess.run([sys.executable, os.path.join(HERE, "../cubin/cubin.py"), "samples",
                               CUBIN, "plain"], stdout=subprocess.PIPE, check=True, text=True).stdout
        for offset, count in ("0x100", 6), ("0x40", 3):
            before, after = text.split("plain+%s " % offset)
            head, tail = before.rsplit(" 1 gpu-stall", 1)
            text = "%s %d gpu-stall%splain+%s %s" % (head, count, tail, offset, after)
        text = text[:text.index("# end")]
        with open(self.path("recording"), "w", encoding="utf-8") as file:
            file.write(text + "# end samples ? launches ? lost 0\n\n")
        self.open(self.path("recording"), "--source-prefix", os.path.join(HERE, "../cubin"),
                  anchor=anchor)

    def test_hot_spots_are_one_key_apart(self):
        self.open_cubin()
        self.browser.type("n")
        self.assertEqual(self.state()["hash"], "#0x100")
        self.assertTrue(self.browser.run(VISIBLE, "0x100"))
        self.browser.type("n")
        state = self.state()
        self.assertEqual([state["hash"], state["pick"]], ["#0x40", ["0x40"]])
        self.assertEqual(state["status"], "hot spot 2 of 168")
        self.browser.type("p")
        self.browser.type("p")  # before the first one is the last one
        self.assertEqual(self.state()["pick"], ["0xa70"])
        self.assertTrue(self.browser.run(VISIBLE, "0xa70"))

    def test_opens_at_the_hottest_instruction(self):
        self.open_cubin()
        self.state()
        self.assertTrue(self.browser.run(VISIBLE, "0x100"))
        self.assertFalse(self.browser.run(
            "const pane = document.querySelector('.code').getBoundingClientRect(), "
            "row = document.getElementById('0x0').getBoundingClientRect(); return row.bottom > pane.top + 20"))
        self.assertEqual(self.state()["hash"], "")  # the address stays

    def test_an_instruction_is_one_line(self):
        """With a bar of its reasons' colours, until it is picked."""
        if not os.path.isdir(GENUINE):
            self.skipTest("no genuine samples")
        self.browser.resize(1280, 800)
        self.open("genuine_intel.gpustall", cwd=GENUINE)
        self.state()
        heights = self.browser.run("""
          return [...new Set([...document.querySelectorAll('.code tr[id]')].map((row) => row.offsetHeight))]""")
        self.assertEqual(heights, [18])
        bar = self.browser.run("""
          const row = document.getElementById('0x448'), all = row.querySelector('.kinds svg').getBoundingClientRect();
          return [...row.querySelectorAll('.kinds rect')].map((part) => {
            const box = part.getBoundingClientRect();
            return [getComputedStyle(part).fill, Math.round(100 * box.width / all.width)];
          });""")
        self.assertEqual(bar[0], ["rgb(156, 42, 107)", 97])  # 261,437 sbid of 270,085
        self.browser.click("[id='0x448']")
        self.assertGreater(self.browser.run("return document.getElementById('0x448').offsetHeight"), 18)
        self.assertIn("sbid 261,437", self.browser.run("return document.getElementById('0x448').textContent"))

    def test_arcs(self):
        """From what stalls wait for to where they wait, the thickest where most do."""
        if not os.path.isdir(GENUINE):
            self.skipTest("no genuine samples")
        self.browser.resize(1280, 800)
        self.open("genuine_intel.gpustall", cwd=GENUINE)
        self.state()
        arcs = self.browser.run("""
          const top = document.querySelector('.arcs').getBoundingClientRect().top;
          const rowAt = (y) => [...document.querySelectorAll('.code tr[id]')].find((row) => {
            const box = row.getBoundingClientRect();
            return box.top - top <= y && y < box.bottom - top;
          }).id;
          return [...document.querySelectorAll('.arcs > svg .line')].map((path) => {
            const [from, to] = path.getAttribute('d').match(/[\\d.]+/g).map(Number).filter((_, i) => i === 1 || i === 7);
            return [rowAt(from), rowAt(to), Number(path.getAttribute('stroke-width'))];
          });""")
        self.assertEqual(arcs[0], ["0x408", "0x448", 9])
        self.assertIn(["0x418", "0x468"], [arc[:2] for arc in arcs])
        self.assertTrue(all(arc[2] <= 9 for arc in arcs))

    def test_an_address_opens_its_instruction(self):
        self.open_cubin("#0x500")
        self.assertEqual(self.state()["pick"], ["0x500"])
        self.assertTrue(self.browser.run(VISIBLE, "0x500"))
        self.browser.resize(390, 844, phone=True)
        for _ in range(2):  # again from the middle of the page
            self.browser.reload()
            for _ in range(4):
                self.browser.next_frame()
            self.assertTrue(self.browser.run(VISIBLE, "0x500"))

    def test_an_address_opens_its_source_line(self):
        self.open_cubin("#kernels.cu:33")
        self.assertEqual(self.state()["source"], ["33"])
        self.browser.run("location.hash = '#0x500'")
        self.assertEqual(self.state()["pick"], ["0x500"])

    def test_source_and_instructions_show_each_other(self):
        self.open_cubin()
        # source lines without code are there too
        self.assertIn("return x;", self.browser.run(
            "return document.querySelector('.source').textContent"))
        lines = self.browser.run(
            "return [...document.querySelectorAll('.source tr[data-l]')].map((r) => r.cells[2].textContent)")
        self.assertIn("33", lines)
        self.browser.run("""
          [...document.querySelectorAll('.source tr[data-l]')]
              .find((row) => row.cells[2].textContent === '33').click()""")
        state = self.state()
        self.assertEqual(state["source"], ["33"])
        self.assertEqual(self.browser.run(
            "return document.querySelector('.code .pick .l').textContent.trim()"),
            "kernels.cu:33")

    def test_what_it_waits_for(self):
        if not os.path.isdir(GENUINE):
            self.skipTest("no genuine samples")
        self.open("genuine_intel.gpustall", anchor="#0x448", cwd=GENUINE)
        state = self.state()
        self.assertEqual([state["pick"], state["from"]], [["0x448"], ["0x408"]])
        self.assertEqual(state["chain"][-2:], ["0x3b8", "0x408"])  # they come from above
        self.assertIn("0x408 send.ugm 99% compute.h:67 ← 0x3b8 add", self.browser.run(CHAIN))
        self.browser.run("document.querySelector('.pick a.e').click()")
        state = self.state()
        self.assertEqual(state["pick"], ["0x408"])
        self.assertIn("0x448", state["to"])

    def test_a_click_in_the_flame_graph_opens_the_listing(self):
        if not os.path.isdir(GENUINE):
            self.skipTest("no genuine samples")
        pages = self.path("pages")
        subprocess.run(["aiflame-annotate", "--html", pages + "/", "genuine_intel.gpustall"], check=True,
                       cwd=GENUINE, stderr=subprocess.DEVNULL)
        folded = subprocess.run(
            ["stackcollapse-aiflame", "--gpu-frames", "kernel,line,reason,offset", "genuine_intel.gpustall"],
            check=True, cwd=GENUINE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout
        picture = subprocess.run(["aiflame-svg", "--layout", "flame", "--annotate", "pages/links"], check=True, input=folded,
                                 cwd=self.directory.name, stdout=subprocess.PIPE).stdout
        with open(self.path("a.svg"), "wb") as file:
            file.write(picture)
        self.browser.open(file_url(self.path("a.svg")))
        self.browser.next_frame()
        link = self.browser.run("""
          const link = [...document.querySelectorAll('a')]
              .find((each) => each.textContent.includes(arguments[0]));
          link.setAttribute('target', '_self');  // in this tab, where the test can see it
          return link;""", "0x448")
        self.browser.click(link)
        self.assertRegex(self.browser.url(), "/pages/twork-lambda-handler-1-lambda-auto-1-1.html[?]from=file[^#]*a.svg#0x448$")
        state = self.state()
        self.assertEqual([state["pick"], state["from"]], [["0x448"], ["0x408"]])
        # a kernel has others on it, so the first click zooms, and its menu has the listing too
        self.browser.open(file_url(self.path("a.svg")))
        self.browser.next_frame()
        kernel = "return [...document.querySelectorAll('#frames a')].find((each) => each.dataset.d === '4')"
        self.browser.click(self.browser.run(kernel))
        self.browser.next_frame()
        self.assertIn("y=", self.browser.url())
        self.browser.context_click(self.browser.run(kernel))
        self.assertEqual(self.browser.run("return document.getElementById('menulisting').textContent"),
                         "Open the listing")
        self.browser.keys(ESCAPE)
        self.browser.run(kernel + ".setAttribute('target', '_self')")
        self.browser.click(self.browser.run(kernel))
        self.assertIn("/pages/twork-lambda-handler-1-lambda-auto-1-1.html", self.browser.url())
        self.browser.run("location.hash = '#0x448'")
        # a finding leads to its cause, and the list to the page
        self.browser.click(".findings a")
        self.assertEqual(self.state()["pick"], ["0x408"])
        self.browser.click("nav a:not(#picture)")
        self.assertRegex(self.browser.url(), "/pages/index.html[?]from=")
        self.browser.click(".kernels a")
        self.assertEqual(self.browser.run("return document.querySelectorAll('.code tr[id]').length"), 117)

    def test_source_and_instructions_can_be_seen_in_a_narrow_window(self):
        self.open_cubin("#0x500")
        for width, height in (1240, 700), (800, 700), (390, 844):
            self.browser.resize(width, height, phone=width < 400)
            for pane, (rows, least) in enumerate(((".source tr[data-l]", 2), (".code tr[id]", 8))):
                self.browser.run("document.querySelector(arguments[0]).scrollIntoView({block: 'center'})", rows)
                self.browser.next_frame()
                self.assertGreaterEqual(self.browser.run(SEEN)[pane], least, "%s at %d pixels" % (rows, width))
            self.assertEqual(self.browser.run("return document.documentElement.scrollWidth"), width)
        # numbers of lines are whole
        self.assertEqual(self.browser.run("""
            return [...document.querySelectorAll('.code .l')]
                .filter((cell) => cell.scrollWidth > cell.clientWidth || cell.offsetHeight > 60).length"""), 0)

    def test_a_page_without_source_is_for_the_instructions(self):
        with open(self.path("hostile"), "w", encoding="utf-8") as file:
            file.write(HOSTILE)
        self.open(self.path("hostile"))
        self.assertEqual(self.browser.run("return document.querySelectorAll('.source').length"), 0)
        self.assertIn("instructions without samples are not known",
                      self.browser.run("return document.body.textContent"))

    def test_names_never_become_markup(self):
        with open(self.path("hostile"), "w", encoding="utf-8") as file:
            file.write(HOSTILE)
        self.open(self.path("hostile"), "--full-names")
        self.assertEqual(self.browser.run(
            "return [document.scripts.length, document.images.length, "
            "document.querySelectorAll('[onload], [onerror]').length]"), [1, 0, 0])
        self.assertIn("<script>alert(1)</script>", self.browser.run("return document.body.textContent"))

    def test_the_policy_forbids_what_is_not_the_pages_own(self):
        self.open_cubin()
        self.browser.run("""
          const script = document.createElement('script');
          script.textContent = 'document.title = "taken over"';
          document.body.append(script);
          document.body.setAttribute('onclick', 'document.title = "taken over"');
          document.body.click();""")
        self.assertEqual(self.browser.run("return document.title"), "plain - aiflame-annotate")
        self.browser.errors()  # says what it has refused

    def test_ten_thousand_instructions(self):
        lines = ["# gpustall 1", "# launch ?", ""]
        for i in range(10000):
            lines += ["app 7/7 [000]  1.010000000: %d gpu-stall: " % (i % 77 + 1),
                      "\t 0 reason%d ([stall])" % (i % 5), "\t %x big+0x%x (/tmp/k.so)" % (i * 16, i * 16), ""]
        with open(self.path("big"), "w", encoding="utf-8") as file:
            file.write("\n".join(lines + ["# end samples ? launches 0 lost 0", "", ""]))
        self.open(self.path("big"))
        self.assertEqual(self.browser.run("return document.querySelectorAll('.code tr[id]').length"), 10000)


if __name__ == "__main__":
    arguments = ["AnnotateTest." + name for name in sys.argv[1:]]
    unittest.main(argv=[sys.argv[0], *arguments])
