// SPDX-License-Identifier: MIT
// Regular expressions that cannot hang: a search in a million names must end, whatever is typed.
// The browser's own engine backtracks, and takes exponential time for (a*)*b. Here an expression
// becomes an automaton whose deterministic states are made when they are first reached, so a text
// is read once, character by character. The result only says whether there is a match. Syntax that
// needs backtracking (references, look-around) is refused by name.
function compileExpression(source, ignoreCase) {
  "use strict";
  const kStates = 2000;   // of the program: (a{1000}){1000} is refused, not built
  // Instructions visited to make states, over all texts: about one second. Only expressions made to
  // be slow reach this, such as (a|b)*a(a|b){900} in a name of a megabyte.
  const kWork = 5e7;
  const kKept = 2000;     // deterministic states, before they are forgotten and made anew
  class Unsupported extends Error {}

  // ---- the program: one instruction a state -----------------------------------------------------
  // {set, next}: reads a character of a set; {to: [...]}: continues at each; {look, next}:
  // continues if an assertion holds; {match}: found
  const program = [];
  function emit(instruction) {
    if (program.length >= kStates) throw new Unsupported("the expression is too large");
    return program.push(instruction) - 1;
  }

  // ---- parsing ----------------------------------------------------------------------------------
  const text = Array.from(source);
  let at = 0;
  const fail = (what) => { throw new SyntaxError(what); };
  const isWord = (c) => (c >= 48 && c <= 57) || (c >= 65 && c <= 90) || c === 95 ||
                        (c >= 97 && c <= 122);
  const isSpace = (c) => /\s/.test(String.fromCodePoint(c));
  const isDigit = (c) => c >= 48 && c <= 57;
  const escaped = {
    d: isDigit, D: (c) => !isDigit(c), w: isWord, W: (c) => !isWord(c),
    s: isSpace, S: (c) => !isSpace(c),
  };
  const controls = {n: 10, r: 13, t: 9, v: 11, f: 12, 0: 0};

  // Letters that differ only in case. Each is one character, as with the browser's flag "i".
  const variants = (c) => {
    const one = String.fromCodePoint(c);
    return [c, ...[one.toLowerCase(), one.toUpperCase()]
        .filter((other) => Array.from(other).length === 1).map((other) => other.codePointAt(0))];
  };
  function oneOf(test) {
    return ignoreCase ? (c) => variants(c).some(test) : test;
  }
  function literal(c) {
    if (!ignoreCase) return (d) => d === c;
    const wanted = new Set(variants(c));
    return (d) => variants(d).some((v) => wanted.has(v));
  }

  function hexadecimal(digits) {
    const hex = text.slice(at, at + digits).join("");
    if (hex.length < digits || !/^[0-9a-fA-F]+$/.test(hex)) return -1;
    at += digits;
    return parseInt(hex, 16);
  }
  // What follows a backslash: a set, or the number of a character.
  function escape(inClass) {
    if (at >= text.length) fail("a backslash at the end");
    const c = text[at++];
    if (escaped[c]) return escaped[c];
    if (c === "p" || c === "P") throw new Unsupported("\\" + c + " is not supported");
    if (!inClass && /[1-9k]/.test(c)) throw new Unsupported("references (\\" + c + ") are not supported");
    if (inClass && c === "b") return 8;
    if (c in controls) return controls[c];
    if (c === "x" || c === "u") {
      const value = hexadecimal(c === "x" ? 2 : 4);
      return value < 0 ? c.codePointAt(0) : value;
    }
    return c.codePointAt(0);
  }

  function parseClass() {
    const tests = [], ranges = [];
    const negated = text[at] === "^";
    if (negated) ++at;
    for (;;) {
      if (at >= text.length) fail("a [ without ]");
      let c = text[at++];
      if (c === "]") break;
      const low = c === "\\" ? escape(true) : c.codePointAt(0);
      if (typeof low === "function") {
        tests.push(low);
        continue;
      }
      let high = low;
      if (text[at] === "-" && at + 1 < text.length && text[at + 1] !== "]") {
        ++at;
        c = text[at++];
        high = c === "\\" ? escape(true) : c.codePointAt(0);
        if (typeof high === "function") {  // [a-\d] is a, - and digits
          tests.push(high);
          ranges.push([45, 45]);
          high = low;
        } else if (high < low) {
          fail("a range out of order");
        }
      }
      ranges.push([low, high]);
    }
    const within = oneOf((c) => ranges.some(([low, high]) => c >= low && c <= high) ||
                                tests.some((test) => test(c)));
    return {set: negated ? (c) => !within(c) : within};
  }

  // Trees of {set}, {look}, {all: [...]}, {any: [...]}, {repeat, least, most}.
  function parseAlternatives(depth) {
    if (depth > 200) throw new Unsupported("groups are nested too deep");
    const any = [parseSequence(depth)];
    while (text[at] === "|") {
      ++at;
      any.push(parseSequence(depth));
    }
    return any.length === 1 ? any[0] : {any};
  }
  function parseSequence(depth) {
    const all = [];
    while (at < text.length && text[at] !== "|" && text[at] !== ")") {
      let item = parseItem(depth);
      const times = parseTimes();
      if (times) {
        if (item.look) fail("nothing to repeat");
        item = {repeat: item, ...times};
        if (parseTimes()) fail("nothing to repeat");
      }
      all.push(item);
    }
    return {all};
  }
  function parseTimes() {
    const c = text[at];
    let times = null;
    if (c === "*") times = {least: 0, most: Infinity};
    if (c === "+") times = {least: 1, most: Infinity};
    if (c === "?") times = {least: 0, most: 1};
    if (times) {
      ++at;
    } else if (c === "{") {
      const found = /^\{(\d{1,5})(,(\d{0,5}))?\}/.exec(text.slice(at, at + 14).join(""));
      if (!found) return null;  // a brace like any other character
      at += found[0].length;
      const least = Number(found[1]);
      const most = found[2] === undefined ? least : found[3] === "" ? Infinity : Number(found[3]);
      if (most < least) fail("numbers out of order in {}");
      times = {least, most};
    }
    if (times && text[at] === "?") ++at;  // as few as possible: a match is a match
    return times;
  }
  function parseItem(depth) {
    const c = text[at++];
    switch (c) {
      case ".": return {set: (d) => d !== 10 && d !== 13 && d !== 0x2028 && d !== 0x2029};
      case "^": return {look: "begin"};
      case "$": return {look: "end"};
      case "[": return parseClass();
      case "*": case "+": case "?": return fail("nothing to repeat");
      case "(": {
        if (text[at] === "?") {
          const kind = text.slice(at, at + 3).join("");
          if (/^\?(=|!|<=|<!)/.test(kind))
            throw new Unsupported("look-around ((" + kind.slice(0, kind[1] === "<" ? 3 : 2) +
                                  ") is not supported");
          if (kind.startsWith("?:")) at += 2;
          else if (kind.startsWith("?<") && text.indexOf(">", at) > 0) at = text.indexOf(">", at) + 1;
          else fail("an unknown group");
        }
        const inside = parseAlternatives(depth + 1);
        if (text[at++] !== ")") fail("a ( without )");
        return inside;
      }
      case "\\": {
        if (text[at] === "b" || text[at] === "B") return {look: text[at++]};
        const found = escape(false);
        return {set: typeof found === "function" ? oneOf(found) : literal(found)};
      }
      default: return {set: literal(c.codePointAt(0))};
    }
  }

  // Emits the instructions for `tree`, which continue at `next`. Returns the number of the first.
  function build(tree, next) {
    if (tree.set) return emit({set: tree.set, next});
    if (tree.look) return emit({look: tree.look, next});
    if (tree.all) return tree.all.reduceRight((behind, item) => build(item, behind), next);
    if (tree.any) return emit({to: tree.any.map((item) => build(item, next))});
    let first = next;
    if (tree.most === Infinity) {
      const loop = {to: [next]};
      first = emit(loop);
      loop.to.push(build(tree.repeat, first));
    } else {
      for (let i = tree.least; i < tree.most; ++i)
        first = emit({to: [next, build(tree.repeat, first)]});
    }
    for (let i = 0; i < tree.least; ++i) first = build(tree.repeat, first);
    return first;
  }

  const tree = parseAlternatives(0);
  if (at < text.length) fail("a ) without (");
  const start = build(tree, emit({match: true}));

  // ---- running ----------------------------------------------------------------------------------
  const kNothing = -1, kFound = -2;
  let states = [], numbers = new Map();
  // A state: the instructions to continue at, and the kind of the previous character (0 none, 1 not
  // of a word, 2 of a word), for \b and ^.
  function stateOf(instructions, before) {
    instructions.sort((a, b) => a - b);
    const key = before + ":" + instructions.join();
    let number = numbers.get(key);
    if (number === undefined) {
      number = states.push({instructions, before, ascii: new Int32Array(129).fill(kNothing),
                            others: new Map()}) - 1;
      numbers.set(key, number);
    }
    return number;
  }

  const seen = new Int32Array(program.length).fill(-1);
  let round = 0, done = 0;
  // The state that `state` leads to with character `c` (-1: the end of the text), or kFound.
  function step(state, c) {
    const after = c < 0 ? 0 : isWord(c) ? 2 : 1;
    const next = new Set();
    ++round;
    const work = [start, ...state.instructions];  // a match may begin anywhere
    while (work.length > 0) {
      const i = work.pop();
      if (seen[i] === round) continue;
      seen[i] = round;
      if (++done > kWork) throw new Unsupported("the expression takes too long");
      const one = program[i];
      if (one.match) return kFound;
      if (one.to) {
        for (const other of one.to) work.push(other);
      } else if (one.look) {
        const border = (state.before === 2) !== (after === 2);
        if (one.look === "begin" ? state.before === 0 : one.look === "end" ? after === 0 :
            one.look === "b" ? border : !border)
          work.push(one.next);
      } else if (c >= 0 && one.set(c)) {
        next.add(one.next);
      }
    }
    return c < 0 ? kNothing : stateOf([...next], after);
  }

  function matches(name) {
    if (states.length === 0) stateOf([], 0);
    let number = 0;
    for (let i = 0; i <= name.length; ++i) {
      const state = states[number];
      let c = i < name.length ? name.charCodeAt(i) : -1;
      let next;
      if (c < 128) {
        const slot = c < 0 ? 128 : c;
        next = state.ascii[slot];
        if (next === kNothing) {
          next = step(state, c);
          if (next !== kNothing) state.ascii[slot] = next;
        }
      } else {
        c = name.codePointAt(i);
        if (c > 0xffff) ++i;
        next = state.others.get(c);
        if (next === undefined) {
          next = step(state, c);
          if (state.others.size < 4096) state.others.set(c, next);
        }
      }
      if (next === kFound) return true;
      if (next === kNothing) return false;  // the end
      number = next;
      if (states.length > kKept) {
        const {instructions, before} = states[number];
        states = [];
        numbers = new Map();
        stateOf([], 0);
        number = stateOf(instructions, before);
      }
    }
    return false;
  }
  return {matches};
}

// The expression of one whole name, as the page makes it for a click: compared as text, however long
// the name is. Null for any other expression.
function exactExpression(source) {
  "use strict";
  if (!/^\^(?:[^\\^$.*+?()[\]{}|]|\\[\\^$.*+?()[\]{}|])*\$$/.test(source)) return null;
  const name = source.slice(1, -1).replace(/\\(.)/g, "$1");
  return {matches: (text) => text === name};
}
