// SPDX-License-Identifier: MIT
// The label of a frame: its name, or the form of it that fits and keeps what matters. The rule is
// that of draw/short_forms.cc and draw/label.cc; tests/data/aiflame-svg/labels.tsv tests both.

// The length of an operator's name at `at`, with its sign, or 0.
function operatorLength(text, at) {
  "use strict";
  if (text[at] !== "o" || (at > 0 && /\w/.test(text[at - 1]))) return 0;
  const found = /^operator(\(\)|<=>|<<=|>>=|->\*|<<|>>|->|<=|>=|<|>)?/.exec(text.slice(at, at + 11));
  return found ? found[0].length : 0;
}

// `text` with `instead` for what is in brackets behind a word: arguments or parameters. The
// brackets of "(anonymous namespace)" and "<module>" stand behind none.
function foldBrackets(text, open, close, instead) {
  "use strict";
  let out = "", depth = 0, behindWord = false;
  for (let i = 0; i < text.length;) {
    const length = operatorLength(text, i);
    if (length > 0) {
      if (depth === 0) out += text.slice(i, i + length);
      i += length + (text.startsWith(" <", i + length) ? 1 : 0);  // operator<< <char>
      behindWord = true;
      continue;
    }
    const c = text[i++];
    if (c === open && (depth > 0 || behindWord)) {
      if (depth === 0) out += instead && text[i] === close ? open + close : instead;
      ++depth;
    } else if (c === close && depth > 0 && !(c === ">" && text[i - 2] === "-")) {
      --depth;
    } else if (depth === 0) {
      out += c;
    }
    behindWord = /[\w>)\]}']/.test(c);
  }
  return depth === 0 ? out : text;
}

// The parts between "::" that are in no bracket.
function scopesOf(text) {
  "use strict";
  const scopes = [""];
  for (let i = 0, depth = 0; i < text.length; ++i) {
    const length = operatorLength(text, i);
    if (length > 0) {
      scopes[scopes.length - 1] += text.slice(i, i + length);
      i += length - 1;
      continue;
    }
    if ("([{<".includes(text[i])) ++depth;
    if (")]}>".includes(text[i])) --depth;
    if (depth === 0 && text.startsWith("::", i)) {
      scopes.push("");
      ++i;
    } else {
      scopes[scopes.length - 1] += text[i];
    }
  }
  return scopes;
}

// Without parameters, and without the type of the result, which only names with parameters have.
function bareFunction(text) {
  "use strict";
  const bare = foldBrackets(text, "(", ")", "");
  if (bare === text) return text;
  const name = bare.replace(/( (const|volatile|noexcept|&|&&))+$/, "");
  if (name.includes("operator ")) return name;
  let from = 0;
  for (let i = 0, depth = 0; i < name.length; ++i) {
    if ("([{<".includes(name[i])) ++depth;
    if (")]}>".includes(name[i])) --depth;
    if (name[i] === " " && depth === 0) from = i + 1;
  }
  return name.slice(from).replace(/^[*&]+/, "");
}

// The forms of a name from the whole to the shortest: without template arguments, parameters, the
// scopes around it. A lambda is named after the function that it stands in.
function shortForms(name) {
  "use strict";
  const forms = [name];
  const characters = (text) => Array.from(text).length;
  const add = (form) => {
    if (form && characters(form) < characters(forms[forms.length - 1])) forms.push(form);
  };
  if (name.startsWith("py::")) {
    add(name.slice(4));
    add(name.slice(4).split(":")[0]);
    return forms;
  }
  const numbered = /^\[([a-z]*) (\d+) of .*\]$/.exec(name);  // as numbered_part()
  if (numbered) {
    add("[" + numbered[1] + " " + numbered[2] + "]");
    add(numbered[2]);
    return forms;
  }
  const word = name.replace(/^typeinfo name for /, "").replace(/::h[0-9a-f]{16}$/, "");
  add(word);
  if (/^[^ (<]*\/[^ (<]*$/.test(word)) {
    add(word.slice(word.lastIndexOf("/") + 1));
    return forms;
  }
  const folded = foldBrackets(word, "<", ">", "<…>");
  add(folded);
  const brief = foldBrackets(folded, "(", ")", "(…)");
  const lambda = brief.search(/::(\{lambda|'lambda|\$_\d|\[lambda)/);
  const prefix = lambda > 0 ? "lambda in " : "";
  const host = lambda > 0 ? brief.slice(0, lambda) : brief;
  add(prefix + host);
  const bare = bareFunction(host);
  add(prefix + bare);
  const scopes = scopesOf(bare), last = scopes.pop();
  const plain = (text) => text.replace("<…>", "");
  if (scopes.length > 0) {
    add(prefix + scopes[scopes.length - 1] + "::" + last);
    add(prefix + plain(scopes[scopes.length - 1]) + "::" + last);
  }
  if (!last.startsWith("operator")) {  // which one it is, its class says
    add(prefix + last);
    add(prefix + plain(last));
  }
  return forms;
}

// The first of `forms` that fits into `room`, or the last with "…" for its middle; empty when there
// is no room for two characters. `widthOf` gives the width of a character.
function fittingForm(forms, room, widthOf) {
  "use strict";
  const width = (text) => Array.from(text).reduce((sum, c) => sum + widthOf(c), 0);
  for (const form of forms) if (width(form) <= room) return form;
  const characters = Array.from(forms[forms.length - 1]);
  const free = room - widthOf("…");
  let first = 0, last = characters.length, used = 0;
  while (last > 0 && used + widthOf(characters[last - 1]) <= 0.4 * free)
    used += widthOf(characters[--last]);
  if (characters.length - last < 2) {  // one character at the end says nothing
    last = characters.length;
    used = 0;
  }
  while (first < last && used + widthOf(characters[first]) <= free) used += widthOf(characters[first++]);
  if (first < 2) return "";
  // a name that was cut before has dots of its own
  return characters.slice(0, first).join("").replace(/[.…]+$/, "") + "…" +
         characters.slice(last).join("").replace(/^[.…]+/, "");
}

// Measures and fits text in the fonts of the frames. `fonts()` gives them, each as CSS writes it.
function makeLabels(svg, fonts) {
  "use strict";
  let pen = null, known = fonts();
  const widths = new Map();  // by font: of characters, each measured once, which needs no layout
  const formsOf = new Map();  // by name

  function widthIn(font) {
    let of = widths.get(font);
    if (!of) widths.set(font, of = new Map());
    return (c) => {
      let width = of.get(c);
      if (width === undefined) {
        if (!pen) {
          const canvas = document.createElementNS("http://www.w3.org/1999/xhtml", "canvas");
          pen = canvas.getContext ? canvas.getContext("2d") : null;
        }
        if (pen) pen.font = font;
        width = pen ? pen.measureText(c).width : Number(svg.dataset.charwidth);
        of.set(c, width);
      }
      return width;
    };
  }
  function textWidth(text, kind = "text") {
    const width = widthIn(known[kind]);
    let sum = 0;
    for (const c of text) sum += width(c);
    return sum;
  }

  // flamegraph.pl's label: `text`, or its beginning and "..", in `room` pixels.
  function fit(text, room) {
    const width = widthIn(known.text), dots = 2 * width(".");
    let used = 0, cut = 0, at = 0;
    for (const c of text) {
      if (used + dots <= room) cut = at;
      used += width(c);
      at += c.length;
      if (used > room) return cut > 0 ? text.slice(0, cut) + ".." : "";
    }
    return text;
  }

  // The form of `name` that fits into `room` pixels beside `run`, " ×37", and `share` where enough
  // of them are left.
  function brief(name, run, share, all, kind) {
    const kShareRoom = 70;
    const room = run ? all - textWidth(run, kind) : all;
    const whole = textWidth(name, kind);
    let label = name, used = whole;
    if (whole > room) {
      let forms = formsOf.get(name);
      if (!forms) formsOf.set(name, forms = shortForms(name));
      label = fittingForm(forms, room, widthIn(known[kind]));
      used = textWidth(label, kind);
    }
    if (!label) return label;
    return label + run + (share && room - used > kShareRoom ? " " + share : "");
  }

  // Gives names that look alike forms that differ.
  function prefer(forms) {
    for (const [name, list] of forms) formsOf.set(name, list);
  }

  return {textWidth, fit, brief, prefer, update() { known = fonts(); }};
}
