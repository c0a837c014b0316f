// SPDX-License-Identifier: MIT
// The search field of the bar, and a line below it with what each term matches. The search follows
// the typing.
function makeSearchBox(viewer) {
  "use strict";
  const {shell, search} = viewer, {make} = shell;
  const kDelay = 150;  // milliseconds after the last key
  const counts = makeMatchCounts(viewer);
  shell.addStyle(`
    #find { display: flex; gap: 6px; }
    #page #term { width: var(--find, 220px); padding-right: 60px; background: var(--ground); border-color: var(--ink-soft); }
    #page #term[aria-invalid=true] { border-color: #b3261e; box-shadow: 0 0 0 1px #b3261e; }
    #page #term::placeholder { color: var(--ink-soft); opacity: 1; }
    #find kbd { position: absolute; left: calc(var(--find, 220px) - 52px); top: 50%; transform: translateY(-50%);
      color: var(--ink-soft); font: inherit; border: 1px solid var(--line); border-radius: 4px; padding: 0 5px;
      pointer-events: none; }
    #term:focus + kbd, #term:not(:placeholder-shown) + kbd { display: none; }
    #page #casebutton { position: absolute; left: calc(var(--find, 220px) - 30px); top: 2px; bottom: 2px; min-height: 0; width: 28px;
      padding: 0; border-color: transparent; background: transparent; }
    #page #casebutton[aria-pressed=true] { background: var(--mark); border-color: var(--accent); }
    #searchbox { flex: 1 0 100%; display: flex; flex-wrap: wrap; gap: 4px 8px; align-items: center; }
    #terms { display: contents; }
    .chip { display: inline-flex; align-items: center; border: 1px solid var(--line); border-radius: 14px;
      background: var(--paper); padding-left: 10px; font-variant-numeric: tabular-nums; max-width: 100%; }
    #page .chip button { border: none; background: transparent; min-height: 26px; padding: 0 6px;
      min-width: 24px; }
    #page .chip .chipterm { font-weight: 600; padding: 0 6px 0 2px; overflow: hidden; text-overflow: ellipsis;
      max-width: 40vw; }
    #page #searchbox > button { min-height: 28px; }
    #searchmessage { margin: 0; color: #b3261e; }
    #matchtext { color: var(--ink-soft); }
    #frames > .match:not(:hover, :focus-visible) > rect { stroke: var(--edge); stroke-width: 1; }
    #frames > .here:not(:focus-visible) > rect { stroke: var(--ink); stroke-width: 2; }
    @media (pointer: coarse) {
      #page .chip button, #page #searchbox > button { min-height: 44px; min-width: 44px; }
    }
    @media (max-width: 599px) {
      #find { flex: 1; }
      #page #term { width: 100%; }
      #find kbd { display: none; }
      #page #casebutton { left: auto; right: 2px; }
    }
    @media (prefers-color-scheme: dark) {
      #searchmessage { color: #ff9c94; }
      #page #term[aria-invalid=true] { border-color: #ff9c94; box-shadow: 0 0 0 1px #ff9c94; }
    }`);

  const button = (id, text, title, onclick) => make("button", {id, title, "aria-label": title, onclick}, text);
  const input = make("input", {
    id: "term", type: "text", placeholder: "Search (regex, live)", "aria-label": "Search: regular expression",
    "aria-describedby": "searchmessage", "aria-keyshortcuts": "/ Control+F F3", spellcheck: "false",
    autocomplete: "off", autocapitalize: "off"});
  const caseButton = make("button", {id: "casebutton", title: "Ignore case (Ctrl-I)", "aria-label": "Ignore case",
                                     onclick: () => viewer.toggleCase()}, "Aa");
  shell.find.append(input, make("kbd", {"aria-hidden": "true"}, "/"), caseButton);
  const chips = make("div", {id: "terms"});
  const matched = make("span", {id: "matchtext"});
  const message = make("p", {id: "searchmessage", role: "status"});
  const filter = make("button", {id: "filterbutton", title: "Show only stacks with a match",
                                 onclick: () => viewer.toggle("filter")}, "Filter");
  const atTerms = [
    button("addterm", "+", "Search for another term too, in another colour (Ctrl-Enter)", addTerm),
    button("previous", "\u2039", "Previous match (Shift-N)", () => step(true)),
    button("next", "\u203a", "Next match (N)", () => step(false)), filter,
  ];
  const line = make("div", {id: "searchbox", role: "group", "aria-label": "Matches"},
                    chips, matched, ...atTerms, message);
  shell.bar.append(line);

  let timer = 0;
  let edited = 0;           // which term the field holds; the number of terms for a new one
  let known = [];           // the terms that the field follows
  let announced = "";
  const step = (backwards) => viewer.step(backwards, true);
  const say = (text) => {
    message.textContent = text;
    input.setAttribute("aria-invalid", String(text !== ""));
    line.hidden = viewer.state.terms.length === 0 && text === "";
  };

  // ---- typing -----------------------------------------------------------------------------------
  function termsAsTyped() {
    const terms = [...viewer.state.terms];
    terms.splice(edited, 1, ...(input.value === "" ? [] : [input.value]));
    return Array.from(new Set(terms));
  }
  const isSame = (a, b) => a.length === b.length && a.every((one, k) => one === b[k]);

  // Returns whether there was something new to search for.
  function searchNow(typing) {
    clearTimeout(timer);
    timer = 0;
    const terms = termsAsTyped();
    if (isSame(terms, viewer.state.terms)) {
      say("");
      return false;
    }
    if (terms.length > kSearchColours.length) {
      say("No more than " + kSearchColours.length + " terms");
      return true;
    }
    const last = known;
    known = terms;
    const problem = viewer.searchFor(terms, typing);
    if (problem) known = last;
    say(problem);
    return true;
  }

  function addTerm() {
    searchNow(false);
    if (input.getAttribute("aria-invalid") === "true") return;
    edited = viewer.state.terms.length;
    input.value = "";
    input.focus({preventScroll: true});
  }
  function clear() {
    clearTimeout(timer);
    timer = 0;
    input.value = "";
    edited = 0;
    known = [];
    if (viewer.state.terms.length > 0) viewer.searchFor([]);
    say("");
  }
  function open() {
    input.focus({preventScroll: true});
    input.select();
  }

  input.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(searchNow, kDelay, true);
  });
  input.addEventListener("keydown", (event) => {
    if (event.key === "Enter") {
      if (event.ctrlKey || event.metaKey) addTerm();
      else if ((input.value === "" && nameAt(edited)) || !searchNow(false)) step(event.shiftKey);
    } else if (event.key === "Escape") {
      if (input.value !== "" || viewer.state.terms.length > 0) clear();
      else input.blur();
    } else {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  });

  // What a row of the table searches for is no text that a reader typed.
  const nameAt = (k) => (viewer.state.terms[k] ? viewer.termNames.nameOf(viewer.state.terms[k]) : "");

  // ---- the line below ---------------------------------------------------------------------------
  function edit(k) {
    edited = k;
    input.value = viewer.state.terms[k];
    open();
  }
  function remove(text) {
    viewer.searchFor(viewer.state.terms.filter((one) => one !== text));
    input.focus({preventScroll: true});
  }
  function chip(text, k) {
    const {share, quantity} = search.isBusy() ? {share: "\u2026", quantity: ""} : counts.of(1 << k);
    const isTyped = k === edited && input.value === text, shown = (!isTyped && nameAt(k)) || text;
    const where = search.isBusy() ? "" : " \u00b7 " + counts.place(k);
    return make("span", {class: "chip", title: quantity || undefined},
                make("span", {class: "swatch", style: "background:" + viewer.searchColours()[k]}),
                make("button", {class: "chipterm", title: "Change this term", onclick: () => edit(k)}, shown),
                make("span", {class: "share"}, " " + share + where),
                make("button", {class: "remove", title: "Search no longer for " + shown,
                                "aria-label": "Remove " + shown, onclick: () => remove(text)}, "\u00d7"));
  }

  // The chips are made anew; the one that had the focus keeps it.
  function showChips(terms) {
    const had = Array.from(chips.querySelectorAll("button")).indexOf(document.activeElement);
    chips.replaceChildren(...terms.map(chip));
    if (had < 0) return;
    const all = chips.querySelectorAll("button");
    (all[Math.min(had, all.length - 1)] || input).focus({preventScroll: true});
  }

  // Searches that began elsewhere, and links, fill the field.
  function follow(terms) {
    if (isSame(terms, known)) return;
    known = terms;
    edited = Math.max(0, terms.length - 1);
    if (timer === 0) input.value = terms.length > 0 && !nameAt(edited) ? terms[edited] : "";
    say("");
  }

  function update() {
    const {state} = viewer, {terms} = state;
    follow(terms);
    const hadFocus = line.contains(document.activeElement);
    line.hidden = terms.length === 0 && message.textContent === "";
    for (const one of atTerms) one.hidden = terms.length === 0;
    if (hadFocus && terms.length === 0) input.focus({preventScroll: true});
    caseButton.setAttribute("aria-pressed", String(state.ignoreCase));
    filter.setAttribute("aria-pressed", String(state.filter));
    showChips(terms);
    const all = search.isBusy() || terms.length === 0 ? null : counts.of(search.all());
    matched.hidden = terms.length < 2;
    matched.textContent = terms.length === 0 ? "" : search.isBusy() ? "Searching" :
        "Matched: " + all.share + (all.quantity ? ", " + all.quantity : "");
    const element = viewer.current && viewer.drawing.elementOf(viewer.current);
    for (const one of viewer.svg.querySelectorAll("#frames > .here")) one.classList.remove("here");
    if (element && terms.length > 0) element.classList.add("here");
    const summary = all ? terms.join(", ") + ": " + matched.textContent.slice(9) : "";
    if (summary !== announced && summary) viewer.announce(summary);
    announced = summary;
  }
  say("");

  return {open, update, say};
}
