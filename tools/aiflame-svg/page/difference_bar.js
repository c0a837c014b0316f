// SPDX-License-Identifier: MIT
// What a differential adds to the bar: how wide frames are, and what their colours compare; and
// below it what the colours mean.
function makeDifferenceBar(viewer) {
  "use strict";
  const {shell, difference, texts} = viewer, {make} = shell;
  if (!difference.isHere) {
    if (shell.isFluid && viewer.svg.querySelector("#legend.difference")) addFileLegend(viewer);
    return {key: () => false, update() {}};
  }
  const choices = [
    {key: "widths", label: "Widths", of: [
      ["before", "Before", "Frames as wide as they were before (V). Hold B for a look at it"],
      ["after", "After", "Frames as wide as they are after (V)"],
      ["both", "Both", "Frames with room for the greater of both (V)"]]},
    {key: "scale", label: "Scale", of: [
      ["absolute", "Absolute", "Colours: the change itself; labels: percent of the frame (N)"],
      ["normalised", "Normalised", "Colours: the change of the share of all, in points (pt), " +
                                   "however long each side was measured (N)"]]},
    {key: "delta", label: "Change", of: [
      ["self", "Self", "Colours: the change of the frame itself (T)"],
      ["total", "Total", "Colours: the change of the frame and all on top of it (T)"]]},
  ];
  shell.addStyle(kChangesStyle + `
    .segments { display: flex; }
    #page .segments button { border-radius: 0; margin-left: -1px; }
    #page .segments button:first-child { border-radius: 6px 0 0 6px; margin-left: 0; }
    #page .segments button:last-child { border-radius: 0 6px 6px 0; }
    #page .segments button[aria-pressed=true] { position: relative; }
    #changes .bins { display: flex; }
    #changes .bins span { min-width: 44px; padding: 0 6px; text-align: center; color: #000; }
    #changes .bins .light { color: #fff; }
    #changes .only::before { content: ""; display: inline-block; width: 28px; height: 12px;
      margin-right: 6px; vertical-align: -2px; background: #fff; border-radius: 2px; }
    #changes .gone::before { border: 2px solid #1f4fa3; }
    #changes .new::before { border: 2px solid #b3261e; }
    #changes .hatched::before {
      background: repeating-linear-gradient(135deg, #fff 0 4px, #79a 4px 5.5px); }
    #changes .noise::before {
      background: repeating-linear-gradient(45deg, #f8d8d5 0 4px, #b9a3a1 4px 5px); }
    #stage #legend.difference { display: none; }
    @media (min-width: 600px) and (max-width: 1399px) {
      #bar { --find: 180px; }
      #buttons kbd, #find kbd { display: none; }
    }
    @media (max-width: 599px) { #changes .bins span { min-width: 0; padding: 0 3px; } }
    @media (forced-colors: active) { #changes .bins span, #changes .only::before {
      forced-color-adjust: none; } }`);

  const buttons = [];
  for (const {key, label, of} of choices) {
    const group = make("div", {class: "segments", role: "group", "aria-label": label});
    for (const [value, text, title] of of) {
      const button = make("button", {"data-choice": key + "-" + value, title,
                                     onclick: () => viewer.change({[key]: value})}, text);
      if (key === "widths") button.disabled = !difference.canHave(value);
      buttons.push({button, key, value});
      group.append(button);
    }
    shell.buttons.append(group);
  }
  if (!texts.isStated)
    shell.heading.append(make("p", {id: "changetotals"}, difference.totalsText()));

  const scale = make("span", {}), bins = make("span", {class: "bins", "aria-hidden": "true"});
  const changes = make("div", {id: "changes"}, scale, bins);
  for (const {kind, text, isHatched} of difference.only())
    changes.append(make("span", {class: "only " + kind + (isHatched ? " hatched" : "")}, text));
  if (difference.hasNoise)
    changes.append(make("span", {class: "only noise",
                                 title: "The change of such a frame may be noise"}, "within noise"));
  shell.bar.append(changes);  // which stays in the window

  // The next of the choices that can be had.
  function next(key) {
    const {of} = choices.find((one) => one.key === key);
    const values = of.map(([value]) => value)
        .filter((value) => key !== "widths" || difference.canHave(value));
    const at = values.indexOf(difference.look()[key]);
    viewer.change({[key]: values[(at + 1) % values.length]});
  }

  // ---- B, held: before, without colours ---------------------------------------------------------
  const release = () => { if (difference.look().held) viewer.hold(false); };
  window.addEventListener("keyup", (event) => { if (event.key === "b" || event.key === "B") release(); });
  window.addEventListener("blur", release);

  // Returns whether it is a key of this bar. N is that of the search while there is one.
  function key(letter) {
    if (letter === "v") next("widths");
    else if (letter === "t") next("delta");
    else if (letter === "n" && viewer.state.terms.length === 0) next("scale");
    else if (letter !== "b") return false;
    else if (!difference.look().held && difference.canHave("before")) viewer.hold(true);
    return true;
  }

  let shown = "";
  function update() {
    const look = difference.look(), now = JSON.stringify([look, viewer.state.safe]);
    if (now === shown) return;
    shown = now;
    for (const one of buttons)
      one.button.setAttribute("aria-pressed", String(look[one.key] === one.value));
    scale.textContent = difference.scaleText();
    bins.replaceChildren(...difference.legend(viewer.state.safe).map(({text, colour, isDark}) =>
        make("span", {class: isDark ? "light" : undefined, style: "background:" + colour}, text)));
  }
  return {key, update};
}

const kChangesStyle = `
    #changes { flex: 1 0 100%; display: flex; flex-wrap: wrap; gap: 4px 16px; align-items: center;
      font-size: 11px; color: var(--ink-soft); }`;

// Of a file without data, the counts before are only in the titles of its elements: its colours are
// what its own legend says.
function addFileLegend(viewer) {
  "use strict";
  const {shell, svg} = viewer, {make} = shell;
  shell.addStyle(kChangesStyle);
  shell.bar.append(make("div", {id: "changes"}, ...fileLegend(svg).map(([text, colour]) =>
      make("span", {}, make("span", {class: "swatch", style: "background:" + colour}), text))));
}
