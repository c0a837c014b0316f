# SPDX-License-Identifier: MIT
"""Compares trees that the page merges, folds and hides with the same operations on the folded text,
and the regular expressions of searches with the browser's own.

    python3 view_tree_test.py [TEST]...     draws with the aiflame-svg that is on PATH
"""

import os
import random
import subprocess
import sys
import tempfile
import unittest

from webdriver import Browser, file_url

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCES = os.path.join(HERE, "../../tools/aiflame-svg/page")

# Every node as "path from the root" -> [total, self], counts as text; and the children's positions.
READ = """
  const tree = readTree(document);
  const layers = nameLayers(tree, (name) => ["sbid", "send", "odd"].includes(name));
  const number = (name) => tree.names.indexOf(name);
  const [wanted] = arguments;
  const view = makeViewTree(tree, layers, {
    leaf: !!wanted.leaf, width: !!wanted.width, swap: !!wanted.swap,
    focus: wanted.focus ? number(wanted.focus) : -1,
    hidden: new Set((wanted.hidden || []).map(number)),
    folded: new Set((wanted.folded || []).map((kind) => layers[kind])),
    filter: wanted.filter ? Uint8Array.from(tree.names, (name) => wanted.filter.includes(name)) : null,
  });
  const nodes = {};
  const work = [[view.root, ""]];
  while (work.length > 0) {
    const [node, path] = work.pop();
    const children = view.expand(node, 0);
    if (path in nodes) throw new Error("twice: " + path);
    nodes[path] = [String(node.total), String(node.self)];
    if (tree.differential) nodes[path].push(String(node.before), String(node.selfBefore));
    let sum = node.self, room = node.selfRoom, left = node.start + node.selfRoom;
    for (const child of children) {
      // where something was left out of the file, there are gaps as wide
      if (child.gaps) {
        let gaps = tree.big ? 0n : 0;
        for (const gap of child.gaps) {
          gaps += gap.total;
          if (children.some((other) => !other.gaps && gap.start < other.start + other.room &&
                                       other.start < gap.start + gap.total))
            throw new Error("a gap over a child of " + path);
        }
        if (gaps !== child.room) throw new Error("gaps of " + path);
      } else if (child.start !== left && !(view.plain && children.some((other) => other.gaps))) {
        throw new Error("place of " + path);
      }
      left += child.room;
      room += child.room;
      sum += child.total;
      work.push([child, path + ";" + (child.name === view.kRest ? "?" : tree.names[child.name])]);
    }
    if (sum !== node.total) throw new Error("sum of " + path);
    if (room !== node.room || node.room < node.total ||
        (tree.showsVanished && node.room < node.before))
      throw new Error("room of " + path);
    for (let i = 1; wanted.width && i < children.length; ++i)
      if (children[i].room > children[i - 1].room && children[i].name !== view.kRest)
        throw new Error("order of " + path);
  }
  return nodes;
"""
# A name between its callers and callees: both halves, every node as "path from the name" -> [total, self].
SANDWICH = """
  const tree = readTree(document.getElementById("tree").parentNode);
  const layers = nameLayers(tree, (name) => ["sbid", "send", "odd"].includes(name));
  const number = (name) => tree.names.indexOf(name);
  const [wanted, which] = arguments;
  const view = makeSandwich(tree, layers, {
    leaf: false, width: !!wanted.width, swap: !!wanted.swap, focus: -1,
    hidden: new Set((wanted.hidden || []).map(number)),
    folded: new Set((wanted.folded || []).map((kind) => layers[kind])),
    filter: wanted.filter ? Uint8Array.from(tree.names, (name) => wanted.filter.includes(name)) : null,
  }, number(which));
  const halfOf = (callers) => {
    const nodes = {};
    const work = [[view.root, ""]];
    while (work.length > 0) {
      const [node, path] = work.pop();
      const children = view.expand(node, 0).filter((child) => child.callers === callers);
      if (path in nodes) throw new Error("twice: " + path);
      let sum = tree.big ? 0n : 0, left = children.length > 0 ? children[0].start : node.start;
      for (const child of children) {
        if (child.start !== left || child.parent !== node) throw new Error("place of " + path);
        left += child.room;
        sum += child.total;
        work.push([child, path + ";" + (child.name === view.kRest ? "?" : tree.names[child.name])]);
      }
      if (left > node.start + node.room) throw new Error("room of " + path);
      if (node.callers === callers && node.total - sum !== node.self) throw new Error("own count of " + path);
      nodes[path] = [node.total, node.total - sum].map(String);
      if (tree.differential) nodes[path].push(String(node.before));
    }
    return nodes;
  };
  return {callees: halfOf(false), callers: halfOf(true), isLeast: !!view.root.isLeast};
"""
# The nodes of layers that line up: [[kind, the names from the root to it], names of the node itself, total, own
# count, counts before, children's frames], of a CPU node each frame of the chain.
ALIGNED = """
  const tree = readTree(document.getElementById("tree").parentNode);
  const [wanted, kindsOfReasons] = arguments;
  const bare = (which) => tree.names[which].replace(/_\\[g]$/, "");
  const layers = nameLayers(tree, (name) => name in kindsOfReasons);
  const number = (name) => tree.names.indexOf(name);
  const reasonAt = new Int32Array(tree.size);
  for (let i = 1; i < tree.size; ++i)
    reasonAt[i] = layers.layer[tree.name[i]] === layers.kReason ? tree.name[i] : reasonAt[tree.parent[i]];
  const view = makeAlignedTree(tree, layers,
                               {reasonAt: () => reasonAt, kindOfName: (which) => kindsOfReasons[bare(which)]}, {
    leaf: false, swap: false, width: !!wanted.width, focus: -1,
    hidden: new Set((wanted.hidden || []).map(number)),
    folded: new Set((wanted.folded || []).map((kind) => layers[kind])),
    filter: wanted.filter ? Uint8Array.from(tree.names, (name) => wanted.filter.includes(name)) : null,
  });
  const levels = Object.keys(kLevels), found = [], work = [[view.root, []]];
  while (work.length > 0) {
    const [node, path] = work.pop();
    const children = view.expand(node, 0), key = levels[node.level];
    const own = node.name === view.kRest ? ["?"] : node.name === kNoKernel ? [""] : node.reasons ? [node.reasons]
        : node.steps.filter((step) => step > 0).map((step) => tree.names[step]);
    const lasting = [...path, ...own];
    let sum = node.self, left = node.start + node.selfRoom, least = null;
    for (const child of children) {
      if (child.start !== left) throw new Error("place of " + lasting);
      left += child.room;
      sum += child.total;
      if (wanted.width && least !== null && child.level === least.level && child.room > least.room)
        throw new Error("order of " + lasting);
      least = child;
      work.push([child, lasting]);
    }
    if (sum !== node.total || left !== node.start + node.room) throw new Error("sum of " + lasting);
    let inRanges = tree.big ? 0n : 0;
    for (const [first, last] of view.ranges(node))
      for (let i = first; i < last; ++i)
        inRanges += view.tree.self[i] + (view.tree.rest[i] < 0 ? (tree.big ? 0n : 0) : tree.restCount[view.tree.rest[i]]);
    if (inRanges !== node.total && node.name !== view.kRest) throw new Error("ranges of " + lasting + ": " + inRanges + ", not " + node.total);
    const counts = [node.total, ...(tree.differential ? [node.before] : [])].map(String);
    found.push([key, node === view.root ? null : path, own, counts]);
  }
  return found;
"""
# The stacks of a file, as [[names, count] ...].
STACKS = """
  const tree = readTree(document.getElementById("tree").parentNode), stacks = [];
  if (tree.restCount.length > 0) throw new Error("the file was cut");
  for (let i = 1; i < tree.size; ++i) {
    if (!tree.self[i]) continue;
    const names = [];
    for (let p = i; p > 0; p = tree.parent[p]) names.push(tree.names[tree.name[p]]);
    stacks.push([names.reverse(), tree.self[i]]);
  }
  return stacks;
"""
# Runs a generator, which the page runs in slices, to its end.
FINISH = """
  const finish = (work) => {
    for (;;) {
      const {done, value} = work.next();
      if (done) return value;
    }
  };
"""
# The sums of the whole and the share that a search matches in it, counted in the view's root and
# in each of its children.
SUMS = """
  const tree = readTree(document);
  const layers = nameLayers(tree, (name) => ["sbid", "send", "odd"].includes(name));
  const [leaf, term] = arguments;
  const view = makeViewTree(tree, layers, {leaf, width: false, swap: false, focus: -1,
                                           hidden: new Set(), folded: new Set()});
  const search = makeSearch(tree, () => {});
  search.set([term], false);
  const sum = (node) => finish(sumLayers(tree, layers, view.ranges(node)));
  const named = (list) => Object.fromEntries(
      list.map(({name, count}) => [name < 0 ? "" : tree.names[name], String(count)]));
  const whole = sum(view.root);
  const parts = {};
  let matched = tree.big ? 0n : 0;
  const frames = search.countFrames(view, 0, null);
  let seen = 0;
  for (const child of view.expand(view.root, 0)) {
    matched += search.countIn(view, child, 1);
    for (const {name, count} of sum(child).reason) {
      const key = name < 0 ? "" : tree.names[name];
      parts[key] = (parts[key] || 0) + Number(count);
    }
  }
  // from match to match, there and back
  const paths = [], back = [];
  const pathOf = (node) => (node.parent ? pathOf(node.parent) + ";" + tree.names[node.name] : "");
  for (const [list, backwards] of [[paths, false], [back, true]]) {
    let node = search.step(view, view.root, backwards);
    for (; node && list[0] !== pathOf(node); node = search.step(view, node, backwards)) {
      list.push(pathOf(node));
      const {number} = search.countFrames(view, 0, node);
      if (!backwards && number !== ++seen) throw new Error(number + " of " + seen);
    }
  }
  return {reason: named(whole.reason), kernel: named(whole.kernel),
          instruction: named(whole.instruction), parts,
          matched: [String(search.countIn(view, view.root, 1)), String(matched)], paths, back,
          frames};
"""
# Own counts and totals by name, in the root and in each of its children.
FUNCTIONS = """
  const tree = readTree(document);
  const [wanted] = arguments;
  const number = (name) => tree.names.indexOf(name);
  const view = makeViewTree(tree, null, {
    leaf: !!wanted.leaf, width: false, swap: false, focus: wanted.focus ? number(wanted.focus) : -1,
    hidden: new Set((wanted.hidden || []).map(number)), folded: new Set(),
    filter: wanted.filter ? Uint8Array.from(tree.names, (name) => wanted.filter.includes(name)) : null,
  });
  const sum = (node) => {
    const sums = finish(sumFunctions(view.tree, view, node));
    const named = {};
    for (let i = 1; i < tree.names.length; ++i) {
      const counts = [sums.self[i], sums.total[i]];
      if (tree.differential) counts.push(sums.selfBefore[i], sums.totalBefore[i]);
      if (counts.some(Boolean)) named[tree.names[i]] = counts.map(String);
    }
    const all = (counts) => counts.reduce((one, other) => one + other);
    if (all(sums.self) + sums.left.self !== node.total) throw new Error("own counts of " + node.name);
    return named;
  };
  const children = view.expand(view.root, 0).filter((child) => child.name >= 0);
  return [sum(view.root), Object.fromEntries(children.map((child) => [tree.names[child.name], sum(child)])),
          Object.fromEntries(children.map((child) => [tree.names[child.name], String(child.total)]))];
"""
# The totals by name of each node of the view, by its path, and whether all own counts are the node's.
PARTS = """
  const tree = readTree(document);
  const [wanted] = arguments;
  const layers = nameLayers(tree, (name) => /^(sbid|send|odd)$/.test(name));
  const view = makeViewTree(tree, layers, {
    leaf: !!wanted.leaf, width: false, swap: !!wanted.swap, focus: -1,
    hidden: new Set((wanted.hidden || []).map((name) => tree.names.indexOf(name))), folded: new Set(),
  });
  const found = {};
  const walk = (node, path) => {
    for (const child of view.expand(node, 0)) {
      if (child.name < 0) continue;
      const where = path + ";" + tree.names[child.name];
      const sums = finish(sumFunctions(view.tree, view, child)), named = {};
      sums.total.forEach((count, i) => { if (count) named[tree.names[i]] = String(count); });
      const own = sums.self.reduce((one, other) => one + other);
      found[where] = [named, own === child.total];
      walk(child, where);
    }
  };
  walk(view.root, "");
  return found;
"""
EXPRESSIONS = """
  let seed = 1;
  const random = (n) => { seed = (seed * 1103515245 + 12345) & 0x7fffffff; return (seed >> 8) % n; };
  const atoms = ["a", "b", "B", ".", "[ab]", "[^a]", "\\\\w", "\\\\b", "^", "$", "(a|b)", "(?:ab)*",
                 "_", "\\\\[", "[a-c_]", "\\\\d", "\\\\S", "é", "[é-ü]", "\\\\B", "x{2}", "(a+)+",
                 "a{0,2}", "(|b)", "(?<n>a)", "\\\\x61", "[\\\\]\\\\d]"];
  const times = ["", "", "", "*", "+", "?", "{2}", "{1,3}", "{2,}", "*?"];
  const characters = Array.from("abBAx_.[0 é😀É]");
  let compared = 0, found = 0;
  for (let k = 0; k < 8000; ++k) {
    let source = "";
    for (let i = random(5); i >= 0; --i) {
      const atom = atoms[random(atoms.length)];
      source += atom + (/^(\\^|\\$|\\\\b)$|^\\\\B$|[*+}]$/.test(atom) ? "" : times[random(times.length)]);
      if (random(6) === 0) source += "|";
    }
    source = source.replace(/\\(\\?<n>/g, (group, at) => "(?<n" + at + ">");
    const ignoreCase = random(2) === 1;
    const ours = compileExpression(source, ignoreCase);
    const theirs = new RegExp(source, ignoreCase ? "iu" : "u");
    for (let j = 0; j < 5; ++j) {
      let text = "";
      for (let i = random(9); i > 0; --i) text += characters[random(characters.length)];
      ++compared;
      found += theirs.test(text);
      if (ours.matches(text) !== theirs.test(text)) throw new Error(source + " in " + text);
    }
  }
  return [compared, found];
"""
REFUSED = """
  return arguments[0].map((source) => {
    try {
      compileExpression(source, false);
    } catch (error) {
      return error.message;
    }
    return "";
  });
"""
SLOW = """
  return [compileExpression("(a*)*b", false).matches("a".repeat(1e6)),
          compileExpression("(x+x+)+y", false).matches("x".repeat(1e6)),
          compileExpression("(.*.*.*)*=$", false).matches("x".repeat(1e5) + "=")];
"""


def annotation(name):
    return name[-4:] if name[-4:] in ("_[g]", "_[G]") else ""


def kind(name):
    """The layer by the rules of folded(5), for the names that occur here."""
    if annotation(name) == "_[G]":
        return "kSource"
    if annotation(name) == "_[g]":
        return ("kOffset" if name.startswith(("0x", "waits for ")) else
                "kReason" if name[:-4] in ("sbid", "send", "odd") else "kInstruction")
    return "kBoundary" if name == "-" else "kCpu"


def wanted_stack(stack, leaf=False, width=False, swap=False, focus="", hidden=(), folded=(),
                 filter=None):
    """A stack as the view shows it; None when it is not in the view."""
    if filter and not any(name in filter and name not in hidden and kind(name) not in folded
                          for name in stack):
        return None
    if focus:
        if focus not in stack:
            return None
        stack = stack[stack.index(focus):]
    first = 1 if focus else 0  # the function in focus stays in front
    if swap:
        stack = list(stack)
        i = first
        while i + 1 < len(stack):
            if {kind(stack[i]), kind(stack[i + 1])} == {"kReason", "kInstruction"} and not (
                    {stack[i], stack[i + 1]} & set(hidden) or
                    {kind(stack[i]), kind(stack[i + 1])} & set(folded)):
                stack[i], stack[i + 1] = stack[i + 1], stack[i]
                i += 1
            i += 1
    stack = [name for name in stack if name not in hidden and kind(name) not in folded]
    return list(reversed(stack)) if leaf else stack


def merge(lines, **options):
    """path -> [total, self] of [(stack, counts)]; counts as tuples."""
    nodes = {"": [0] * (2 * len(lines[0][1]))}
    for stack, counts in lines:
        frames = wanted_stack(stack, **options)
        if frames is None:
            continue
        for depth in range(len(frames) + 1):
            path = "".join(";" + name for name in frames[:depth])
            node = nodes.setdefault(path, [0] * (2 * len(counts)))
            for i, count in enumerate(counts):
                node[2 * i] += count
                if depth == len(frames):
                    node[2 * i + 1] += count
    return {path: [str(count) for count in node] for path, node in nodes.items()}


def functions(stacks):
    """name -> [own count, total] as text, and before, of [(frames, counts)]."""
    sums = {}
    for frames, counts in stacks:
        for name in set(frames):
            of = sums.setdefault(name, [0] * (2 * len(counts)))
            for i, count in enumerate(counts):
                of[2 * i] += count if name == frames[-1] else 0
                of[2 * i + 1] += count
    return {name: [str(count) for count in of] for name, of in sums.items() if any(of)}


def some_stacks(number, huge=1, seed=1):
    rng = random.Random(seed)
    lines = {}
    for _ in range(number):
        stack = ["f%d" % int(12 * rng.random() ** 2) for _ in range(rng.randint(1, 6))]
        if rng.random() < 0.8:
            stack += ["-", "a.cl_[G]", "k%d_[G]" % rng.randint(0, 3)]
            for part in (["add_[g]", "mul_[g]", "barrier_[g]"], ["sbid_[g]", "send_[g]", "odd_[g]"],
                         ["0x10_[g]", "0x20_[g]"]):
                if rng.random() < 0.1:
                    break
                stack.append(rng.choice(part))
                if stack[-1] == "sbid_[g]" and rng.random() < 0.3:
                    stack.append("waits for mul at 0x10, a.cl:3_[g]")
        lines[tuple(stack)] = huge * rng.randint(1, 1000) + rng.randint(0, 9)
    return list(lines.items())


class ViewTreeTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.browser = Browser()
        cls.addClassCleanup(cls.browser.close)
        cls.sources = ""
        for name in ("tree_data", "layers", "filtered_tree", "unknown_callers", "view_tree", "sandwich", "reasons", "labels", "aligned_tree", "sums",
                     "expression", "search"):
            with open(os.path.join(SOURCES, name + ".js"), encoding="utf-8") as file:
                cls.sources += file.read()

    def setUp(self):
        self.directory = tempfile.TemporaryDirectory()
        self.addCleanup(self.directory.cleanup)

    def open(self, lines, *options):
        path = os.path.join(self.directory.name, "drawn.svg")
        folded = "".join("%s %s\n" % (";".join(stack), " ".join(map(str, counts)))
                         for stack, counts in lines)
        with open(path, "wb") as file:
            subprocess.run(["aiflame-svg", *options], input=folded.encode(), stdout=file, check=True)
        self.browser.open(file_url(path))

    def read(self, **options):
        return self.browser.run(self.sources + READ, options)

    CASES = [
        {}, {"leaf": True}, {"width": True}, {"swap": True}, {"focus": "f3"}, {"hidden": ["f0"]},
        {"hidden": ["f0", "k1_[G]", "sbid_[g]"]}, {"folded": ["kReason"]}, {"folded": ["kInstruction"]},
        {"folded": ["kCpu", "kBoundary"]}, {"folded": ["kSource"], "swap": True},
        {"swap": True, "hidden": ["send_[g]"]}, {"swap": True, "hidden": ["add_[g]"]},
        {"leaf": True, "swap": True}, {"leaf": True, "hidden": ["f0", "sbid_[g]"]},
        {"leaf": True, "focus": "f2"}, {"focus": "add_[g]"}, {"focus": "add_[g]", "swap": True},
        {"focus": "sbid_[g]", "leaf": True, "swap": True}, {"focus": "f1", "hidden": ["f2"]},
        {"leaf": True, "swap": True, "folded": ["kOffset"], "hidden": ["k0_[G]"], "width": True},
        {"filter": ["sbid_[g]"]}, {"filter": ["f3", "f4"], "leaf": True},
        {"filter": ["sbid_[g]", "f7"], "swap": True}, {"filter": ["f2"], "hidden": ["f2", "f3"]},
        {"filter": ["f2", "add_[g]"], "hidden": ["f2"]}, {"filter": ["f4"], "focus": "f3"},
        {"filter": ["mul_[g]"], "focus": "f3", "leaf": True, "swap": True},
    ]

    def check(self, lines):
        for case in self.CASES:
            with self.subTest(case):
                self.assertEqual(self.read(**case), merge(lines, **case))

    def test_merged_anew(self):
        lines = [(stack, (count,)) for stack, count in some_stacks(1500)]
        self.open(lines)
        self.check(lines)

    def test_merged_anew_beyond_doubles(self):
        lines = [(stack, (count,)) for stack, count in some_stacks(300, huge=1 << 46)]
        self.open(lines)
        self.check(lines)

    def test_merged_anew_of_differences(self):
        rng = random.Random(2)
        lines = [(stack, (rng.choice([0, count, count // 2]), rng.choice([0, count])))
                 for stack, count in some_stacks(600)]
        lines = [(stack, counts) for stack, counts in lines if sum(counts) > 0]
        self.open(lines)
        expected = [(stack, (after, before)) for stack, (before, after) in lines]
        self.check(expected)
        self.open(lines, "--vanished", "show")  # in frames that are wide enough for both
        self.check(expected)

    def test_what_was_left_out_stays_counted(self):
        lines = [(stack, (count,)) for stack, count in some_stacks(4000)]
        total = str(sum(count for _, (count,) in lines))
        self.open(lines, "--embed", "3000")
        for case in self.CASES:
            if "focus" in case or "filter" in case:
                continue
            nodes = self.read(**case)  # which adds all up
            self.assertEqual(nodes[""][0], total)
            self.assertTrue(any(path.endswith("?") for path in nodes), case)

    def test_what_vanished_and_was_left_out_has_room(self):
        rng = random.Random(4)
        lines = [(stack, (count, rng.choice([0, count, count // 2])))
                 for stack, count in some_stacks(4000)]
        self.open(lines, "--vanished", "show", "--embed", "3000")
        for case in self.CASES:
            if "focus" not in case and "filter" not in case:
                nodes = self.read(**case)  # which adds all up
                self.assertEqual(nodes[""][0], str(sum(after for _, (_, after) in lines)))

    def check_sandwich(self, lines, which, **options):
        """Both halves against sums over the stacks: what lies on the outermost frame of the name, and what
        lies below it."""
        with self.subTest(which, **options):
            seen = self.browser.run(self.sources + SANDWICH, options, which)
            prefix = ";" + which
            callees = {path[len(prefix):]: node for path, node in merge(lines, focus=which, **options).items()
                       if path == prefix or path.startswith(prefix + ";")}
            kept = [(stack, counts) for stack, counts in lines if which in stack and
                    wanted_stack(stack, **options) is not None]
            apart = {key: value for key, value in options.items() if key != "filter"}
            callers = merge([(stack[:stack.index(which)], counts) for stack, counts in kept], leaf=True, **apart)
            before = len(lines[0][1]) > 1
            for half, nodes in (("callees", callees), ("callers", callers)):
                expected = {path: node[:3] if before else node for path, node in nodes.items()}
                self.assertEqual(seen[half], expected, half)
            total = sum(counts[0] for _, counts in kept)
            self.assertEqual(seen["callees"][""][0], str(total))
            self.assertEqual(seen["callers"][""][0], str(total))
            self.assertFalse(seen["isLeast"])

    def test_between_callers_and_callees(self):
        """Recursion counts once: f0 and f1 call themselves, and each other."""
        lines = [(stack, (count,)) for stack, count in some_stacks(1500)]
        self.open(lines)
        for which in ("f0", "f1", "k2_[G]", "mul_[g]", "sbid_[g]", "0x10_[g]"):
            for options in ({}, {"swap": True}, {"width": True, "hidden": ["f2", "a.cl_[G]"]}, {"filter": ["f3", "send_[g]"]},
                            {"folded": ["kOffset", "kBoundary"]}):
                if kind(which) not in options.get("folded", []):
                    self.check_sandwich(lines, which, **options)
        huge = [(stack, (count * 2**44,)) for stack, (count,) in lines]
        self.open(huge)
        self.check_sandwich(huge, "f0")
        self.open([(stack, (count // 3, count)) for stack, (count,) in lines])
        self.check_sandwich([(stack, (count, count // 3)) for stack, (count,) in lines], "f0", swap=True)

    def test_between_callers_and_callees_of_a_genuine_profile(self):
        """A training of a transformer on an H200: modules call modules, so most stacks have recursion."""
        self.browser.open(file_url(os.path.join(HERE, "../data/cupti/training.svg")))
        lines = [(stack, (count,)) for stack, count in self.browser.run(self.sources + STACKS)]
        self.assertEqual(sum(count for _, (count,) in lines), 370018)
        for which in ("py::Module._call_impl:module.py", "py::Module._wrapped_call_impl:module.py", "cudaLaunchKernel",
                      "cutlass::Kernel2<cutlass_80_simt_sgemm_128x64_8x5_nt_align1>_[G]", "FFMA_[g]"):
            self.check_sandwich(lines, which)
        recursive = [stack for stack, _ in lines if stack.count("py::Module._call_impl:module.py") > 3]
        self.assertGreater(len(recursive), 600)

    def test_between_callers_and_callees_of_a_tree_that_was_cut(self):
        """The total is that of the whole profile, and what the file lacks is a frame in either half. Where the
        file does not say, the total is the least that there can be."""
        lines = [(stack, (count,)) for stack, count in some_stacks(4000)]
        for options in ([], ["--vanished", "show"]):
            if options:
                lines = [(stack, (count, count // 2)) for stack, (count,) in lines]
            self.open([(stack, counts[::-1]) for stack, counts in lines], "--embed", "9000", *options)
            missing = 0
            for which in ("f0", "f5", "k2_[G]", "mul_[g]", "sbid_[g]"):
                total = str(sum(counts[0] for stack, counts in lines if which in stack))
                seen = self.browser.run(self.sources + SANDWICH, {}, which)
                self.assertFalse(seen["isLeast"])
                for half in ("callees", "callers"):
                    self.assertEqual(seen[half][""][0], total, which)
                    missing += ";?" in seen[half]
                filtered = self.browser.run(self.sources + SANDWICH, {"filter": ["f3"]}, which)
                self.assertTrue(filtered["isLeast"])
            self.assertGreater(missing, 4)

    # as for ROOM: kinds of the reasons in some_stacks()
    KINDS = {"sbid": "memory", "send": "dependency", "odd": "other"}

    def aligned(self, lines, reasons, hidden=(), filter=None, **_):
        """(level, path) -> counts, of each level of each stack: frames of the CPU, the kernel, the kind of reason, the
        instruction, the offset."""
        nodes = {}

        def is_device(name):
            return annotation(name) != ""

        for stack, counts in lines:
            if filter and not any(name in filter and name not in hidden for name in stack):
                continue
            frames = [name for name in stack if name not in hidden]
            first = next((i for i, name in enumerate(frames) if is_device(name)), len(frames))
            if first > 0 and frames[first - 1] == "-":
                first -= 1
            cpu, device = tuple(frames[:first]), frames[first:]
            keys = [("cpu", cpu[:depth]) for depth in range(len(cpu) + 1)]
            if device:
                source = next((name for name in device if annotation(name) == "_[G]" and name != "a.cl_[G]"), "")
                path = (*cpu, source)
                keys.append(("kernel", path))
                code = [name for name in device if annotation(name) == "_[g]"]
                kind_of = [reasons[name[:-4]] for name in code if name[:-4] in reasons]
                instruction = [name for name in code if not name.startswith(("0x", "waits for ")) and
                               name[:-4] not in reasons]
                offset = [name for name in code if name.startswith("0x")]
                for level, names in (("why", kind_of), ("code", instruction), ("offset", offset)):
                    if names:
                        path = (*path, names[-1])
                        keys.append((level, path))
            for key in keys:
                node = nodes.setdefault(key, [0] * len(counts))
                for i, count in enumerate(counts):
                    node[i] += count
        return {key: [str(count) for count in node] for key, node in nodes.items() if any(node)}

    def check_aligned(self, lines, reasons, **options):
        with self.subTest(**options):
            expected = self.aligned(lines, reasons, **options)
            children = {}
            for level, path in expected:
                if level in ("cpu", "kernel") and path:
                    children.setdefault(path[:-1], []).append((level, path))
            seen, chained = {}, 0
            for level, path, own, counts in self.browser.run(self.sources + ALIGNED, options, reasons):
                if level != "cpu":
                    key = (level, (*path, *own))
                    self.assertNotIn(key, seen)
                    seen[key] = counts
                    continue
                # a chain has the count of its lowest frame, and no other frame stands on any of it but the last
                root = [()] if path is None else []
                frames = root + [(*(path or []), *own[:i + 1]) for i in range(len(own))]
                self.assertEqual(counts, expected["cpu", frames[0]], frames)
                for below, frame in zip(frames, frames[1:]):
                    self.assertEqual(children[below], [("cpu", frame)])
                    chained += 1
                    room = [max(map(int, expected["cpu", one])) for one in (frames[0], frame)]
                    self.assertGreaterEqual(room[1], 0.97 * room[0])
                for frame in frames:
                    self.assertNotIn(("cpu", frame), seen)
                    seen["cpu", frame] = expected["cpu", frame]
            self.assertEqual(seen, expected)
            return chained

    def test_layers_that_line_up(self):
        lines = [(stack, (count,)) for stack, count in some_stacks(1500)]
        # no kernel, no source, nothing on the boundary, a boundary of the CPU alone
        lines += [(("f0", "alone", "-", "a.cl_[G]"), (5,)), (("f0", "alone", "-", "sbid_[g]"), (7,)),
                  (("f0", "alone", "-"), (3,)), (("f0", "rest", "-", "woken"), (4,)),
                  (("one", "two", "three", "four"), (900,)), (("one", "two"), (20,))]
        self.open(lines)
        chained = [self.check_aligned(lines, self.KINDS, **options) for options in (
            {}, {"width": True}, {"hidden": ["f0", "k1_[G]"]}, {"filter": ["f3", "send_[g]"]}, {"hidden": ["add_[g]"]})]
        self.assertGreater(chained[0], 2)
        huge = [(stack, (count * 2**44,)) for stack, (count,) in lines]
        self.open(huge)
        self.check_aligned(huge, self.KINDS)
        self.open([(stack, (count // 3, count)) for stack, (count,) in lines], "--vanished", "hide")
        self.check_aligned([(stack, (count, count // 3)) for stack, (count,) in lines], self.KINDS)

    def test_layers_that_line_up_of_a_tree_that_was_cut(self):
        """What was left out keeps its place: ALIGNED adds all up."""
        lines = [(stack, (count,)) for stack, count in some_stacks(4000)]
        self.open(lines, "--embed", "3000")
        seen = self.browser.run(self.sources + ALIGNED, {}, self.KINDS)
        self.assertEqual([counts for level, path, own, counts in seen if path is None],
                         [[str(sum(count for _, (count,) in lines))]])
        self.assertTrue(any(own == ["?"] for _, _, own, _ in seen))

    def test_layers_that_line_up_of_a_genuine_profile(self):
        """A training of a transformer on an H200."""
        self.browser.open(file_url(os.path.join(HERE, "../data/cupti/training.svg")))
        lines = [(stack, (count,)) for stack, count in self.browser.run(self.sources + STACKS)]
        reasons = self.browser.run("return Object.fromEntries([...document.querySelectorAll('#reasons > *')].map("
                                   "(one) => [one.dataset.name, one.dataset.hidden ? 'hidden' : one.dataset.category]))")
        self.assertEqual(reasons["long_scoreboard"], "memory")
        self.assertGreater(self.check_aligned(lines, reasons), 20)

    def check_functions(self, lines, **options):
        """In a view from the root, and in each of its children."""
        whole, parts, totals = self.browser.run(self.sources + FINISH + FUNCTIONS, options)
        stacks = [(wanted_stack(stack, **options), counts) for stack, counts in lines]
        stacks = [(frames, counts) for frames, counts in stacks if frames]
        if options.get("leaf"):  # sums are of stacks from the root on
            stacks = [(frames[::-1], counts) for frames, counts in stacks]
        self.assertEqual(whole, functions(stacks))
        first = -1 if options.get("leaf") else 0
        for name in parts:
            of = [(frames, counts) for frames, counts in stacks if frames[first] == name]
            self.assertEqual(parts[name], functions(of), name)
            self.assertEqual(totals[name], str(sum(counts[0] for _, counts in of)))

    def test_sums_of_functions(self):
        """A function that calls itself counts once, wherever the tree is seen from."""
        lines = [(stack, (count,)) for stack, count in some_stacks(1500)]
        self.open(lines)
        for options in ({}, {"leaf": True}, {"hidden": ["f0", "f3"]}, {"filter": ["f2", "mul_[g]"]},
                        {"leaf": True, "hidden": ["0x10_[g]"]}, {"focus": "f1"}):
            with self.subTest(options):
                self.check_functions(lines, **options)
        self.open([(stack, (count * 2**44,)) for stack, (count,) in lines])
        self.check_functions([(stack, (count * 2**44,)) for stack, (count,) in lines], leaf=True)
        self.open([(stack, (count // 3, count)) for stack, (count,) in lines])
        self.check_functions([(stack, (count, count // 3)) for stack, (count,) in lines])

    def test_sums_of_what_is_zoomed_to(self):
        """The functions in and on top of a node: its callers from the leaves, its instructions where
        reasons come first."""
        lines = [(stack, (count,)) for stack, count in some_stacks(150)]
        self.open(lines)
        for options in ({}, {"leaf": True}, {"swap": True}, {"swap": True, "leaf": True},
                        {"leaf": True, "hidden": ["f0", "0x10_[g]"]},
                        {"swap": True, "hidden": ["0x10_[g]", "add_[g]"]}):
            expected = {}
            for stack, (count,) in lines:
                frames = wanted_stack(stack, **options)
                for depth in range(len(frames)):
                    of = expected.setdefault("".join(";" + name for name in frames[:depth + 1]), {})
                    for name in set(frames[depth:]):
                        of[name] = of.get(name, 0) + count
            with self.subTest(options):
                found = self.browser.run(self.sources + FINISH + PARTS, options)
                self.assertEqual(set(found), set(expected))
                for path, (totals, all_own) in found.items():
                    self.assertEqual(totals, {name: str(n) for name, n in expected[path].items()}, path)
                    self.assertTrue(all_own, path)

    def test_from_the_leaves_of_a_tree_that_was_cut(self):
        """The first row is exact, and callers that were left out are told from those that are not."""
        lines = [(stack, (count,)) for stack, count in some_stacks(4000)]
        rng = random.Random(5)
        for vanished in (False, True):
            if vanished:
                lines = [(stack, (count, rng.choice([0, count, count // 2]))) for stack, (count,) in lines]
            drawn = [(stack, counts[::-1]) for stack, counts in lines]
            self.open(drawn, "--embed", "20000" if vanished else "6000", *(["--vanished", "show"] if vanished else []))
            for hidden in ([], ["0x10_[g]"]):
                case = {"leaf": True, "hidden": hidden}
                nodes, whole = self.read(**case), merge(lines, **case)
                rows = [path for path in nodes if path.count(";") == 1]
                self.assertGreater(len(rows), 20)
                for path in rows:
                    if not path.endswith("?") and not hidden:
                        self.assertEqual(nodes[path][::2], whole[path][::2], path)
                        known = [int(nodes[one][0]) for one in nodes
                                 if one.startswith(path + ";") and one.count(";") == 2]
                        self.assertEqual(sum(known) + int(nodes[path][1]), int(nodes[path][0]), path)
                self.assertEqual(";?" in nodes, bool(hidden))  # whose callers are who is counted
                self.assertTrue(any(path.count(";") == 2 and path.endswith("?") for path in nodes))
                self.assertEqual(sum(int(nodes[path][0]) for path in rows) + int(nodes[""][1]),
                                 sum(counts[0] for _, counts in lines))
            self.check_functions_are_exact(lines)

    def check_functions_are_exact(self, lines):
        for leaf in (False, True):
            whole, _, totals = self.browser.run(self.sources + FINISH + FUNCTIONS, {"leaf": leaf})
            self.assertEqual(whole, functions(lines))
            if leaf:
                self.assertEqual(totals, {name: of[0] for name, of in whole.items() if of[0] != "0" or
                                          (len(of) > 2 and of[2] != "0")})

    def test_sums_and_matches(self):
        lines = some_stacks(1500)
        self.open([(stack, (count,)) for stack, count in lines])
        for leaf in (False, True):
            seen = self.browser.run(self.sources + FINISH + SUMS, leaf, "^mul$|^f2$")
            for which, number in (("reason", "kReason"), ("instruction", "kInstruction")):
                expected = {}
                for stack, count in lines:
                    name = ([n for n in stack if kind(n) == number] or [""])[-1]
                    expected[name] = expected.get(name, 0) + count
                self.assertEqual(seen[which], {name: str(n) for name, n in expected.items()})
                if which == "reason":
                    self.assertEqual(seen["parts"], expected)
            kernels = {}
            for stack, count in lines:
                name = ([n for n in stack if n.startswith("k")] or [""])[0]
                kernels[name] = kernels.get(name, 0) + count
            self.assertEqual(seen["kernel"], {name: str(n) for name, n in kernels.items()})
            matched = sum(count for stack, count in lines if {"mul_[g]", "f2"} & set(stack))
            self.assertEqual(seen["matched"], [str(matched)] * 2)
            paths = {path for path in merge([(s, (c,)) for s, c in lines], leaf=leaf)
                     if path.endswith((";mul_[g]", ";f2"))}
            self.assertEqual(set(seen["paths"]), paths)
            self.assertEqual(len(seen["paths"]), len(paths))
            self.assertEqual(seen["frames"], {"count": len(paths), "isMore": False, "number": 0})
            self.assertEqual(seen["back"], list(reversed(seen["paths"])))

    def test_expressions_are_the_browsers(self):
        compared, found = self.browser.run(self.sources + EXPRESSIONS)
        self.assertGreater(found, compared // 5)
        self.assertLess(found, compared * 4 // 5)

    def test_expressions_end(self):
        """A backtracking engine would take exponential time."""
        self.assertEqual(self.browser.run(self.sources + SLOW), [False, False, True])

    def test_expressions_that_are_refused(self):
        messages = self.browser.run(self.sources + REFUSED, [
            "(a", "a)", "[a", "*a", "a**", "a{2,1}", "\\", "[b-a]", "(?=a)", "(?<!a)", "(a)\\1",
            "(a{1000}){1000}", "(" * 1000, "a{99999}", "\\p{L}", "(?x)"])
        self.assertNotIn("", messages)
        self.assertEqual(messages[8], "look-around ((?=) is not supported")
        self.assertEqual(messages[11], "the expression is too large")


if __name__ == "__main__":
    arguments = ["ViewTreeTest." + name for name in sys.argv[1:]]
    unittest.main(argv=[sys.argv[0], *arguments])
