// SPDX-License-Identifier: MIT
// The strip above the picture of a device: the kinds of stall reasons, the costliest kernel, why it
// stalls and who launches it, and what to look at first. The file has all of it (draw/verdict.cc); names
// and parts of the bar search, and a line to look at first shows that kernel alone.
function makeVerdictStrip(viewer) {
  "use strict";
  const {svg, shell} = viewer, {make} = shell;
  const file = svg.querySelector("#verdict");
  if (!file || !shell.isFluid) return;
  shell.addStyle(`
    #stage #verdict { display: none; }
    #strip { flex: 1 0 100%; min-width: 0; display: flex; flex-direction: column; gap: 4px; }
    #kindbar { display: flex; border-radius: 4px; overflow: hidden; height: 24px; background: var(--line); }
    #kindbar button + button { box-shadow: inset 1px 0 var(--ground); }
    #page #kindbar button { flex: none; min-width: 0; min-height: 0; height: 100%; padding: 0 6px; border: none;
      border-radius: 0; color: #fff; text-align: left; overflow: hidden; text-overflow: clip; }
    #page #kindbar button.thin { padding: 0; }
    #page #kindbar button:focus-visible { outline-offset: -3px; outline-color: #fff; }
    #says { margin: 0; font-size: 13px; overflow-wrap: anywhere; }
    #leads { display: flex; gap: 8px; white-space: nowrap; margin: 0; padding: 0; list-style: none;
      align-items: center; color: var(--ink-soft); }
    #page #strip .name { display: inline; border: none; background: none; padding: 0; min-height: 0;
      font-weight: 600; white-space: normal; text-align: left; }
    #page #strip .name:hover { text-decoration: underline; background: none; }
    #leads li { flex: 0 1 auto; min-width: 0; }
    #leads li:first-child { flex: none; }
    #page #leads button { min-height: 24px; border-radius: 12px; color: var(--accent); max-width: 100%;
      overflow: hidden; text-overflow: ellipsis; }
    @media (max-height: 479px) { #strip { display: none; } }
    @media (max-width: 599px) { #leads { display: none; } #says { font-size: 12px; } }
    @media (pointer: coarse) { #kindbar { height: 44px; } }
    @media (forced-colors: active) { #kindbar button { forced-color-adjust: none; } }`);

  const toggle = (term) => viewer.searchFor(viewer.state.terms.includes(term) ? [] : [term]);
  const exact = (name) => viewer.termNames.ofName(name);

  // ---- the bar ----------------------------------------------------------------------------------
  function part(g) {
    const {kind, share} = g.dataset, words = g.firstElementChild.textContent;
    const button = make("button", {"data-kind": kind, title: words + "; click to find them",
                                   onclick: () => toggle(viewer.termNames.ofKind(kind))},
                        make("b", {}, words.split(" ")[0]), make("span", {}, words.slice(words.indexOf(" "))));
    button.style.width = share + "%";
    return button;
  }
  const parts = Array.from(file.querySelectorAll("[data-kind]"), part);
  const bar = make("div", {id: "kindbar", role: "group", "aria-label": "Samples by what they wait for"}, ...parts);

  // ---- the sentence -----------------------------------------------------------------------------
  const name = (text, title) => make("button", {class: "name", title: viewer.shown(title),
                                                onclick: () => toggle(exact(title))}, text);
  // The names in full where they are short, without the parts that the picture had to leave out.
  const full = (raw) => fittingForm(shortForms(viewer.shown(raw)), 64, () => 1);
  const says = make("p", {id: "says"}, ...Array.from(file.querySelector(".says").childNodes, (node) =>
      (node.localName === "tspan" ? name(full(node.dataset.name), node.dataset.name) : node.textContent)));

  // ---- what to look at first --------------------------------------------------------------------
  const lines = Array.from(file.querySelectorAll(".lead"));
  const kernels = lines.map((line) => viewer.shown(line.querySelector(".kernel").dataset.name));
  const labels = distinctLabels(kernels, (forms) => fittingForm(forms, 14, () => 1));
  function lead(line, i) {
    const kernel = line.querySelector(".kernel").dataset.name, reason = line.querySelector(".reason").dataset.name;
    const bounds = line.lastChild.textContent.replace(/^: /, "");
    const text = viewer.shown(reason) + " in " + labels[i];
    return make("li", {}, make("button", {title: viewer.shown(reason) + " in " + kernels[i] + ": " + bounds,
                                          onclick: () => look(kernel, reason)},
                               text + " \u00b7 " + bounds.replace("at most ", "\u2264 ").replace(" times faster, all kernels ", "\u00d7, all ") + "\u00d7"));
  }
  // The kernel alone, with its samples of that reason marked; a second click takes it back.
  function look(kernel, reason) {
    const {focus} = viewer.state, term = exact(reason);
    const isShown = focus === kernel && viewer.state.terms.includes(term);
    viewer.focusOnName(isShown ? "" : kernel);
    viewer.searchFor(isShown ? [] : [term]);
  }
  const leads = lines.length === 0 ? null
      : make("ul", {id: "leads", "aria-label": "Look first: bounds of what a fix could gain"},
             make("li", {"aria-hidden": "true"}, "Look first:"), ...lines.map(lead));

  shell.bar.append(make("section", {id: "strip", "aria-label": "At first glance"}, parts.length > 0 ? bar : null,
                        says, leads));

  viewer.parts.push({update() {
    for (const button of parts) {
      button.style.background = viewer.why.colourOf(button.dataset.kind);
      // a word that is cut says less than none
      button.classList.toggle("thin", button.clientWidth < 24);
      const [percent, words] = button.children;
      percent.style.visibility = button.clientWidth >= percent.offsetWidth + 4 ? "" : "hidden";
      words.hidden = false;
      words.hidden = button.scrollWidth > button.clientWidth;
    }
  }});
}
