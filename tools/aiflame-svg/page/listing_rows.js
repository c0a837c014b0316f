// SPDX-License-Identifier: MIT
// The listings in the file (libcommon/listing/listings.h has their format, which the program has
// checked), and the rows that aiflame-annotate's pages have, made of them.
function readListings(svg) {
  "use strict";
  const data = svg.querySelector("#listings");
  if (!data) return null;
  const all = [];
  let listing = null;
  const list = (text, between) => (text === "" ? [] : text.split(between));
  // "sbid 281;pipe 7": the number is behind the last blank
  const numbered = (text) => list(text, ";").map((part) => {
    const blank = part.lastIndexOf(" ");
    return [part.slice(0, blank), part.slice(blank + 1)];
  });
  for (const line of data.textContent.split("\n")) {
    const [kind, ...fields] = line.split("\t");
    if (kind === "kernel") {
      const [kernel, called, page, samples, unit, whole, more] = fields;
      listing = {kernel, called, page, samples: BigInt(samples), unit, isWhole: whole === "1", more: BigInt(more),
                 findings: [], loop: null, source: [], code: []};
      all.push(listing);
    } else if (kind === "finding") {
      listing.findings.push({offset: fields[0], text: fields[1]});
    } else if (kind === "loop") {
      listing.loop = {first: fields[0], last: fields[1], samples: BigInt(fields[2])};
    } else if (kind === "file") {
      listing.source.push({kind, text: fields[0]});
    } else if (kind === "text") {
      listing.source.push({kind, number: fields[0], text: fields[1]});
    } else if (kind === "line") {
      listing.source.push({kind, number: fields[0], samples: BigInt(fields[1]), text: fields[2]});
    } else if (kind === "gap") {
      listing.source.push({kind});
    } else if (kind === "skip") {
      listing.code.push({skipped: fields[0]});
    } else if (kind === "code") {
      const [offset, samples, lineNumber, text, reasons, causes, producers, consumers, chain] = fields;
      listing.code.push({offset, samples: BigInt(samples), line: lineNumber, text,
                         reasons: numbered(reasons).map(([name, count]) => [name, BigInt(count)]),
                         causes: numbered(causes), producers: list(producers, " "),
                         consumers: list(consumers, " "), chain: list(chain, ";")});
    }
  }
  return {all, folder: data.dataset.folder,
          of: (kernel) => all.filter((one) => one.kernel === kernel)};
}

// Exact to the hundredth of a percent, rounded half up, of any counts.
function exactPercent(part, whole) {
  "use strict";
  if (whole === 0n) return "0.00%";
  const hundredths = (part * 20000n + whole) / (2n * whole);
  return hundredths / 100n + "." + String(hundredths % 100n).padStart(2, "0") + "%";
}
const withCommas = (count) => String(count).replace(/\B(?=(\d{3})+$)/g, ",");

// A section with the panes of a listing. `categoryOf` gives the number of a reason's kind.
function listingSection(make, listing, categoryOf) {
  "use strict";
  const kSvg = "http://www.w3.org/2000/svg";
  const kMostHeat = [1n, 50n, 200n, 1000n, 2500n];  // hundredths of a percent, as aiflame-annotate's
  const id = (offset) => "at-0x" + offset;
  const heatOf = (samples) => {
    const share = listing.samples === 0n ? 0n : (samples * 20000n + listing.samples) / (2n * listing.samples);
    return "h" + kMostHeat.filter((limit) => limit <= share).length;
  };
  const share = (samples) => (samples > 0n ? exactPercent(samples, listing.samples) : "");
  const count = (samples) => (samples > 0n ? withCommas(samples) : "");
  const drawn = (name, attributes, ...children) => {
    const element = document.createElementNS(kSvg, name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    element.append(...children);
    return element;
  };
  const most = listing.code.reduce((a, b) => (b.samples > a ? b.samples : a), 1n);
  const has = (key) => listing.code.some((each) => each[key] && each[key].length > 0);
  const columns = {reasons: has("reasons"), edges: has("producers") || has("consumers"),
                   lines: listing.code.some((each) => each.line)};
  const lines = [];  // [name, number] of those that have code
  let file = "";
  for (const row of listing.source) {
    if (row.kind === "file") file = row.text.slice(row.text.lastIndexOf("/") + 1);
    if (row.kind === "line") lines.push([file, row.number]);
  }
  const head = (...cells) => make("thead", {}, make("tr", {}, ...cells.filter(Boolean)
      .map(([name, text]) => make("th", {class: name || undefined}, text))));
  const samplesHead = listing.unit === "ns" ? "ns" : "Samples";

  function whyCell({reasons}) {
    const cell = make("td", {class: "kinds"});
    if (reasons.length === 0) return cell;
    const sums = [0n, 0n, 0n, 0n, 0n, 0n, 0n];
    for (const [name, of] of reasons) sums[categoryOf(name)] += of;
    const scaled = (value) => (1000 * Number(value) / Number(most)).toFixed(1);
    let left = 0n;
    const bar = drawn("svg", {viewBox: "0 0 1000 1", preserveAspectRatio: "none", "aria-hidden": "true"});
    sums.forEach((sum, i) => {
      if (sum === 0n) return;
      bar.append(drawn("rect", {class: "k" + i, x: scaled(left), width: scaled(sum), height: 1}));
      left += sum;
    });
    cell.append(bar);
    return cell;
  }
  const edge = (offset, way, arrow) => make("a", {class: "e", "data-way": way, href: "#" + id(offset), tabindex: "-1"},
                                            arrow + "0x" + offset);
  function chainCell(it) {
    if (it.chain.length === 0) return null;
    const cell = make("td", {class: "c"}, "led here by ");
    for (const part of it.chain) {
      const [offset, ...rest] = part.split(" ");
      cell.append("\u2190 ", ...(rest.length > 0 && /^[0-9a-f]+$/.test(offset)
          ? [edge(offset, "chain", ""), " " + rest.join(" ") + " "] : [part + " "]));
    }
    return cell;
  }
  function instruction(it) {
    if (it.skipped !== undefined)
      return make("tr", {class: "z g"}, make("td", {}), make("td", {}), columns.reasons ? make("td", {}) : null,
                  make("td", {}), make("td", {class: "i"}, "\u2026 " + withCommas(it.skipped) + " without samples"));
    const [name, number] = it.line === "" ? ["", ""] : lines[Number(it.line)];
    return make("tr", {id: id(it.offset), class: it.samples > 0n ? heatOf(it.samples) : "z",
                       "data-n": it.samples > 0n ? String(it.samples) : undefined, "data-l": it.line || undefined,
                       "data-causes": it.chain.length > 0
                           ? it.causes.map(([offset, stalls]) => id(offset) + " " + stalls + " ").join("") : undefined},
                make("td", {class: "n p"}, share(it.samples)), make("td", {class: "n"}, count(it.samples)),
                columns.reasons ? whyCell(it) : null,
                make("td", {class: "o"}, make("a", {href: "#" + id(it.offset), tabindex: "-1"}, "0x" + it.offset)),
                make("td", {class: "i"}, it.text),
                !columns.lines ? null : number === "" ? make("td", {class: "l"})
                    : make("td", {class: "l"}, make("span", {}, name), ":" + number),
                !columns.edges ? null : make("td", {class: "w"},
                    ...it.producers.flatMap((offset) => [edge(offset, "from", "\u2190"), " "]),
                    ...it.consumers.flatMap((offset) => [edge(offset, "to", "\u2192"), " "])),
                it.reasons.length === 0 ? null
                    : make("td", {class: "c"}, it.reasons.map(([name, of]) => name + " " + withCommas(of)).join(", ")),
                chainCell(it));
  }

  function sourceRow(row, index) {
    if (row.kind === "file") return make("tr", {class: "f"}, make("td", {title: row.text}, row.text));
    if (row.kind === "gap") return make("tr", {class: "g z"}, make("td", {}, "\u2026"));
    const number = make("td", {class: "n"}, row.number), text = make("td", {}, row.text);
    if (row.kind === "text") return make("tr", {class: "z"}, make("td", {}), make("td", {}), number, text);
    return make("tr", {class: heatOf(row.samples), "data-l": index}, make("td", {class: "n p"}, share(row.samples)),
                make("td", {class: "n"}, count(row.samples)), number, text);
  }
  // Without any text of them, numbers of lines say no more than the instructions' own column.
  const hasText = listing.source.some((row) => row.text && row.kind !== "file");
  let index = -1;
  const source = hasText ? make("div", {class: "pane source", tabindex: "0", role: "region", "aria-label": "Source"},
      make("table", {}, head(["n", "Share"], ["n", samplesHead], ["n", "Line"], ["", "Source"]),
           make("tbody", {}, ...listing.source.map((row) => sourceRow(row, row.kind === "line" ? ++index : 0))))) : null;
  const names = Object.keys(columns).filter((key) => columns[key]).join(" ");
  const code = make("div", {class: "pane code", tabindex: "0", role: "region", "aria-label": "Instructions"},
      make("table", {class: names, "data-loop": listing.loop ? id(listing.loop.first) + " " + id(listing.loop.last) : undefined},
           head(["n", "Share"], ["n", samplesHead], columns.reasons && ["kinds", "Why"], ["o", "Offset"], ["", "Instruction"],
                columns.lines && ["l", "Line"], columns.edges && ["w", "Waits for \u2190, feeds \u2192"]),
           make("tbody", {}, ...listing.code.map(instruction))));
  return make("section", {class: "listing panes"}, source, code);
}
