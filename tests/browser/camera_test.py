# SPDX-License-Identifier: MIT
"""Panning and zooming to any part of the profile: the wheel with Ctrl, dragging, two fingers, the arrows with
Shift; stretched while the reader moves, drawn anew when still.

    python3 camera_test.py [TEST]...     draws with the aiflame-svg that is on PATH
"""

import sys
import unittest

from drawn_page import DrawnPage
from webdriver import DOWN, ESCAPE, LEFT, RIGHT, SHIFT, UP

STACKS = "".join("app;main;f%02d;g%02d 100\n" % (i, i) for i in range(10))
# One gesture in a task of its own, at places that are shares of the frames' width.
GESTURE = """
  const svg = document.querySelector('#stage > svg'), rect = document.querySelector('#frames > *').children[1];
  const {left, width} = [...document.querySelectorAll('#frames > [data-d="0"]')][0].children[1].getBoundingClientRect();
  const y = rect.getBoundingClientRect().top + 5, x = (share) => left + share * width;
  const begin = performance.now();
"""
WHEEL = GESTURE + """
  const event = new WheelEvent('wheel', {bubbles: true, cancelable: true, clientX: x(arguments[0]), clientY: y,
      deltaY: arguments[1], deltaX: arguments[2] || 0, ctrlKey: !arguments[2]});
  rect.dispatchEvent(event);
  return [event.defaultPrevented, performance.now() - begin];
"""
PINCH = GESTURE + """
  const touch = (kind, id, share) => rect.dispatchEvent(new PointerEvent(kind, {bubbles: true, pointerType: 'touch',
      pointerId: id, isPrimary: id === 11, clientX: x(share), clientY: y, buttons: 1}));
  const [from, to] = arguments;
  touch('pointerdown', 11, from[0]);
  touch('pointerdown', 12, from[1]);
  touch('pointermove', 11, to[0]);
  touch('pointermove', 12, to[1]);
  touch('pointerup', 11, to[0]);
  touch('pointerup', 12, to[1]);
"""


class CameraTest(DrawnPage):
    def open(self, folded, *options, query=""):
        if self.browser is None:
            self.start(size=(1000, 700))
        super().open(folded, *options, query=query)

    def in_view(self):
        """The names in the row of f00 … with the shares of the width where they begin and end."""
        self.still()
        return self.browser.run("""
          const root = document.querySelector('#frames > [data-d="0"]').children[1];
          const at = (rect, name) => +rect.getAttribute(name), from = at(root, 'x'), all = at(root, 'width');
          return [...document.querySelectorAll('#frames > [data-d="3"]')].map((g) => [g.firstElementChild.textContent.split(' ')[0],
              +((at(g.children[1], 'x') - from) / all).toFixed(2),
              +((at(g.children[1], 'x') + at(g.children[1], 'width') - from) / all).toFixed(2)]);""")

    def still(self):
        self.until(lambda: not self.browser.run("return document.getElementById('frames').hasAttribute('transform')"))

    def span(self):
        self.still()
        return [float(part) for part in self.query().get("span", "").split(",") if part]

    def test_wheel(self):
        """Around the pointer, whose place stays; first stretched, then drawn."""
        self.open(STACKS)
        drawn = "return document.getElementById('frames') === window.before"
        self.browser.run("window.before = document.getElementById('frames')")
        prevented, took = self.browser.run(WHEEL, 0.45, -100)
        self.assertTrue(prevented)
        self.assertLess(took, 8 * 5)  # a busy machine is slow
        self.assertTrue(self.browser.run(drawn))
        stretched = self.browser.run("return document.getElementById('frames').getAttribute('transform')")
        self.assertTrue(stretched.startswith("matrix(1.64"), stretched)
        self.assertAlmostEqual(self.span()[1], 1000 / 2.71828 ** 0.5, delta=0.01)
        self.assertFalse(self.browser.run(drawn))
        # 0.45 of the whole is 450, in the middle of f04
        start, room = self.span()
        self.assertAlmostEqual(start + 0.45 * room, 450, delta=0.5)  # a pointer is at a whole pixel
        for name, left, right in self.in_view():
            number = 100 * int(name[1:])
            self.assertAlmostEqual(left, max((number - start) / room, 0), delta=0.01)
            self.assertAlmostEqual(right, min((number + 100 - start) / room, 1), delta=0.01)
        self.assertEqual(len(self.in_view()), 7)
        # as far as a frame fills the picture, the table and the trail are of it
        self.browser.run(WHEEL, 0.45, -100)
        self.browser.run(WHEEL, 0.45, -100)
        self.browser.run(WHEEL, 0.45, -100)
        self.browser.run(WHEEL, 0.45, -100)
        self.still()
        self.assertEqual(self.browser.run("return document.querySelector('#crumbs [aria-current]').textContent"), "f04")
        self.assertEqual(self.browser.run("return document.querySelector('#scrubber').title"), "8.2% of the whole is shown")
        # back to all of it
        for _ in range(12):
            self.browser.run(WHEEL, 0.3, 100)
        self.assertEqual(self.in_view()[0], ["f00", 0, 0.1])
        self.assertNotIn("span", self.query())
        self.assertFalse(self.browser.run(WHEEL.replace("ctrlKey: !arguments[2]", "ctrlKey: false"), 0.5, 100)[0])

    def test_link_and_history(self):
        self.open(STACKS)
        self.browser.run(WHEEL, 0, -100)
        before = self.in_view()
        self.assertEqual(before[0], ["f00", 0, 0.16])
        self.browser.reload()
        self.until(self.is_ready)
        self.assertEqual(self.in_view(), before)
        self.browser.click(self.rect("f02"))
        self.assertNotIn("span", self.query())
        self.assertEqual(self.in_view(), [["f02", 0, 1]])
        self.browser.back()
        self.until(lambda: self.in_view() == before)
        self.browser.keys(ESCAPE)
        self.assertEqual(len(self.in_view()), 10)
        for wrong in ("span=5", "span=-1,5", "span=900,500", "span=x,y", "span=0,1e400", "span=0,0"):
            self.visit("?" + wrong)
            self.assertEqual(len(self.in_view()), 10, wrong)

    def test_drag(self):
        """Moves the picture by as much as the pointer, and is no click. Where nothing can move, it is one."""
        self.open(STACKS)
        x, y = self.browser.run("const {left, top} = document.querySelector('#frames > [data-d=\"3\"] rect')"
                                ".getBoundingClientRect(); return [Math.round(left + 20), Math.round(top + 5)]")
        self.browser._pointer([{"type": "pointerMove", "duration": 0, "x": x, "y": y}, {"type": "pointerDown", "button": 0},
                               {"type": "pointerMove", "duration": 0, "x": x + 9, "y": y}, {"type": "pointerUp", "button": 0}])
        self.assertEqual(len(self.in_view()), 1)
        self.browser.keys(ESCAPE)
        self.browser.run(WHEEL, 0.5, -100)
        start, room = self.span()
        box = self.browser.run("const {left, top, width} = document.querySelector('#frames > [data-d=\"1\"] rect')"
                               ".getBoundingClientRect(); return [left, top + 5, width]")
        move = {"type": "pointerMove", "duration": 0, "y": int(box[1])}
        self.browser.run("window.classes = 0; new MutationObserver(() => ++window.classes).observe("
                         "document.getElementById('page'), {attributes: true, attributeFilter: ['class']})")
        self.browser._pointer([{**move, "x": int(box[0] + 400)}, {"type": "pointerDown", "button": 0},
                               {**move, "x": int(box[0] + 350)}, {**move, "x": int(box[0] + 300)},
                               {"type": "pointerUp", "button": 0}])
        # a class of the page gives each frame its style anew; nothing is selected without one
        self.assertEqual(self.browser.run("return [window.classes, getSelection().isCollapsed]"), [0, True])
        moved, same = self.span()
        self.assertAlmostEqual(same, room, delta=0.01)
        self.assertAlmostEqual(moved - start, 100 / box[2] * room, delta=1)
        self.assertEqual(self.browser.run("return document.querySelector('#crumbs [aria-current]').textContent"), "all")
        # a click is a click again
        self.browser.click(self.rect("f05"))
        self.assertEqual(self.in_view(), [["f05", 0, 1]])
        # a frame that fills the picture is left for the one beside it
        self.browser.run(WHEEL, 0.5, 0, 300)
        self.assertEqual([name for name, _, _ in self.in_view()], ["f05", "f06"])

    def test_two_fingers(self):
        self.open(STACKS)
        self.browser.run(PINCH, [0.4, 0.6], [0.3, 0.7])
        start, room = self.span()
        self.assertAlmostEqual(room, 500, delta=1)
        self.assertAlmostEqual(start + room / 2, 500, delta=30)  # one finger moved after the other
        self.browser.run(PINCH, [0.2, 0.8], [0.45, 0.55])
        self.assertEqual(len(self.in_view()), 10)

    def test_keys(self):
        self.open(STACKS)
        self.browser.keys(SHIFT, UP)
        start, room = self.span()
        self.assertAlmostEqual(room, 1000 / 1.5, delta=0.01)
        self.assertAlmostEqual(start, (1000 - room) / 2, delta=0.01)
        self.browser.keys(SHIFT, LEFT)
        self.assertLess(self.span()[0], start)
        self.browser.keys(SHIFT, RIGHT)
        self.browser.keys(SHIFT, RIGHT)
        self.assertGreater(self.span()[0], start)
        for _ in range(3):
            self.browser.keys(SHIFT, RIGHT)  # not beyond the edge
        self.assertAlmostEqual(sum(self.span()), 1000, delta=0.01)
        self.browser.keys(SHIFT, DOWN)
        self.browser.keys(SHIFT, DOWN)
        self.assertEqual(len(self.in_view()), 10)
        self.assertEqual(self.query(), {})

    def test_other_views(self):
        """In layers that line up, in a sandwich, with the root on top, in a picture that is not as wide as its window."""
        stalls = "".join("app;f%d;-;k%d_[G];add_[g];sbid_[g] 100\n" % (i, i) for i in range(10))
        for options, query in (([], "?layout=aligned"), ([], "?sandwich=app"), (["--inverted"], ""), (["--width", "600"], "")):
            with self.subTest(options=options, query=query):
                self.open(stalls, *options, query=query)
                self.browser.run("window.before = document.querySelectorAll('#frames > *').length")
                self.browser.run(WHEEL, 0.5, -100)
                start, room = self.span()
                self.assertAlmostEqual(start + room / 2, 500, delta=1)
                self.assertLess(self.browser.run("return document.querySelectorAll('#frames > *').length"),
                                self.browser.run("return window.before"))
                outside = self.browser.run("""
                  const all = [...document.querySelectorAll('#frames > *')].map((g) => g.children[1]);
                  const at = (rect, name) => +rect.getAttribute(name), widest = all.reduce((a, b) =>
                      (at(b, 'width') > at(a, 'width') ? b : a));
                  return all.filter((rect) => at(rect, 'x') < at(widest, 'x') - 0.2 ||
                      at(rect, 'x') + at(rect, 'width') > at(widest, 'x') + at(widest, 'width') + 0.2).length;""")
                self.assertEqual(outside, 0)


if __name__ == "__main__":
    arguments = ["CameraTest." + name for name in sys.argv[1:]]
    unittest.main(argv=[sys.argv[0], *arguments])
