# SPDX-License-Identifier: MIT
"""Compares the data in a flame graph, as tree_data.js reads it in a real browser, with the folded
text.

    python3 tree_data_test.py [TEST]...     draws with the aiflame-svg that is on PATH
"""

import os
import random
import subprocess
import sys
import tempfile
import unittest

from webdriver import Browser, file_url

HERE = os.path.dirname(os.path.abspath(__file__))
LOADER = os.path.join(HERE, "../../tools/aiflame-svg/page/tree_data.js")

# every node as [depth, name, start, total, self, both before, rest], counts as text
READ = """
  const tree = readTree(document);
  if (!tree) return null;
  const nodes = [];
  for (let i = 0; i < tree.size; ++i) {
    const rest = tree.rest[i];
    nodes.push([tree.depth[i], tree.names[tree.name[i]], String(tree.start[i]),
                String(tree.total[i]), String(tree.self[i]),
                tree.differential ? String(tree.totalBefore[i]) : "",
                tree.differential ? String(tree.selfBefore[i]) : "",
                rest < 0 ? "0" : String(tree.restCount[rest]),
                rest < 0 ? 0 : tree.restFrames[rest]]);
    // parent and end tell the same as the depths
    let end = i + 1;
    while (end < tree.size && tree.depth[end] > tree.depth[i]) ++end;
    if (tree.end[i] !== end) throw new Error("end of " + i);
    let parent = i - 1;
    while (parent >= 0 && tree.depth[parent] >= tree.depth[i]) --parent;
    if (tree.parent[i] !== parent) throw new Error("parent of " + i);
  }
  return nodes;
"""
# every element as [depth, start, count]
ELEMENTS = """
  return [...document.querySelectorAll('#frames > *')].map(
      (g) => [Number(g.dataset.d), g.dataset.x, g.dataset.n]);
"""


class Node:
    def __init__(self):
        self.children, self.own, self.before = {}, 0, 0

    def total(self):
        return self.own + sum(child.total() for child in self.children.values())

    def total_before(self):
        return self.before + sum(child.total_before() for child in self.children.values())

    def nodes(self):
        return 1 + sum(child.nodes() for child in self.children.values())


def merge(lines):
    """The tree of [(stack, count, before)]."""
    root = Node()
    for stack, count, before in lines:
        node = root
        for name in stack.split(";"):
            node = node.children.setdefault(name, Node())
        node.own += count
        node.before += before
    return root


def flatten(node, name="", depth=0, start=0, differential=False):
    """What READ returns when nothing is left out."""
    yield [depth, name, str(start), str(node.total()), str(node.own),
           str(node.total_before()) if differential else "",
           str(node.before) if differential else "", "0", 0]
    start += node.own
    # the order of a sorted file: names are followed by the blank before a count, or by a ';'
    def key(item):
        return item[0] + (" " if item[1].own or item[1].before else ";")
    for name, child in sorted(node.children.items(), key=key):
        yield from flatten(child, name, depth + 1, start, differential)
        start += child.total()


def some_stacks(count, huge=1, seed=1):
    rng = random.Random(seed)
    lines = {}
    for _ in range(count):
        names = ["f%d" % int(40 * rng.random() ** 3) for _ in range(rng.randint(1, 12))]
        lines[";".join(names)] = huge * rng.randint(1, 1000) + rng.randint(0, 9)
    return lines


class TreeDataTest(unittest.TestCase):
    def setUp(self):
        self.directory = tempfile.TemporaryDirectory()
        self.addCleanup(self.directory.cleanup)
        self.browser = Browser()
        self.addCleanup(self.browser.close)
        with open(LOADER, encoding="utf-8") as file:
            self.loader = file.read()

    def read(self, folded, *options):
        path = os.path.join(self.directory.name, "drawn.svg")
        with open(path, "wb") as file:
            subprocess.run(["aiflame-svg", *options], input=folded.encode(), stdout=file, check=True)
        self.browser.open(file_url(path))
        return self.browser.run(self.loader + READ)

    def test_whole_tree(self):
        lines = some_stacks(3000)
        nodes = self.read("".join("%s %d\n" % line for line in lines.items()))
        expected = list(flatten(merge([(stack, n, 0) for stack, n in lines.items()])))
        self.assertEqual(nodes, expected)
        self.check_elements(nodes)

    def check_elements(self, nodes):
        """Each element is a node, at the same position and in the same order."""
        at = 0
        for element in self.browser.run(ELEMENTS):
            while at < len(nodes) and [nodes[at][0], nodes[at][2], nodes[at][3]] != element:
                at += 1
            self.assertLess(at, len(nodes), element)
            at += 1

    def test_counts_beyond_doubles(self):
        lines = some_stacks(300, huge=1 << 44)
        nodes = self.read("".join("%s %d\n" % line for line in lines.items()))
        self.assertEqual(nodes, list(flatten(merge([(s, n, 0) for s, n in lines.items()]))))

    def test_differential(self):
        rng = random.Random(3)
        lines = [(stack, n, rng.choice([0, n, n // 2])) for stack, n in some_stacks(1000).items()]
        nodes = self.read("".join("%s %d %d\n" % (s, before, n) for s, n, before in lines))
        self.assertEqual(nodes, list(flatten(merge(lines), differential=True)))

    def test_what_vanished_is_there(self):
        nodes = self.read("a;b 7 0\na;c 1 2\n")
        self.assertEqual([node[1] for node in nodes], ["", "a", "b", "c"])
        self.assertEqual(nodes[2][3:7], ["0", "0", "7", "7"])

    def test_order_of_the_input(self):
        nodes = self.read("b;x 1\nb 2\nb;x 4\na 3\nb 1\n", "--flamechart")
        self.assertEqual([node[:5] for node in nodes], [
            [0, "", "0", "11", "0"], [1, "b", "0", "7", "2"], [2, "x", "0", "1", "1"],
            [2, "x", "3", "4", "4"], [1, "a", "7", "3", "3"], [1, "b", "10", "1", "1"]])

    def test_a_budget(self):
        lines = some_stacks(5000)
        folded = "".join("%s %d\n" % line for line in lines.items())
        whole = self.read(folded, "--embed", "all")
        places = {(node[0], node[1], node[2]): node for node in whole}
        previous = 0
        for size in (2000, 10000, 40000):
            nodes = self.read(folded, "--embed", str(size))
            data = self.browser.run("return document.getElementById('tree').outerHTML")
            self.assertLessEqual(len(data), size)
            self.assertGreater(len(data), size * 0.6)
            self.assertGreater(len(nodes), previous)
            previous = len(nodes)
            # nothing is lost, nodes keep their positions, and the widest are written
            self.assertEqual(len(nodes) + sum(node[8] for node in nodes), len(whole))
            for node in nodes:
                self.assertEqual(places[node[0], node[1], node[2]][3:5], node[3:5])
            self.assertEqual(sum(int(node[4]) + int(node[7]) for node in nodes),
                             sum(lines.values()))
            kept = {(node[0], node[1], node[2]) for node in nodes}
            widest_left_out = max(int(node[3]) for place, node in places.items()
                                  if place not in kept)
            self.assertGreaterEqual(min(int(node[3]) for node in nodes), widest_left_out * 0.93)

    def test_none(self):
        self.assertIsNone(self.read("a;b 1\n", "--embed", "0"))

    def test_names_that_are_markup(self):
        names = ["</g></metadata><script>window.hacked=1</script>", "]]>", "&lt", "é漢🔥", "a b"]
        nodes = self.read("".join("x;%s 3\n" % name for name in names))
        self.assertEqual(sorted(node[1] for node in nodes), sorted(["", "x"] + names))
        self.assertIsNone(self.browser.run("return window.hacked"))

    def test_long_data_is_in_pieces(self):
        names = ["&é" * 200 + str(i) for i in range(4000)]
        nodes = self.read("".join("%s 1\n" % name for name in names), "--minwidth", "50%")
        self.assertEqual([node[1] for node in nodes[1:]], sorted(names))
        self.assertGreater(self.browser.run("return document.querySelectorAll('.names').length"), 2)


if __name__ == "__main__":
    arguments = ["TreeDataTest." + name for name in sys.argv[1:]]
    unittest.main(argv=[sys.argv[0], *arguments])
