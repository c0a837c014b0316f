// SPDX-License-Identifier: MIT
// The card in which search terms are typed. It shows the share that each of them matches.
function makeSearchBox(viewer) {
  "use strict";
  const {cards: overlay, texts, tree, search} = viewer, {make} = viewer.shell;
  const actions = {
    terms: () => viewer.state.terms, step: viewer.step,
    search(terms) {
      const problem = viewer.searchFor(terms);
      if (problem) say(problem);
    },
    shares: () => viewer.state.terms.map((text, k) => ({
      text, colour: viewer.searchColours()[k], share: search.isBusy() ? "…" : matchText(1 << k)})),
  };
  const matched = viewer.shell.make("span", {id: "matchtext", role: "status"});
  viewer.shell.find.append(matched);
  let input = null, chips = null, message = null;

  function open() {
    if (overlay.isOpen("searchbox")) {
      input.focus({preventScroll: true});
      input.select();
      return;
    }
    input = make("input", {id: "term", type: "text", size: 28, "aria-label": "Search term",
                           placeholder: "regular expression", spellcheck: "false",
                           autocomplete: "off", autocapitalize: "off"});
    chips = make("div", {id: "terms"});
    message = make("p", {id: "searchmessage", role: "status"});
    const button = (id, text, title, onclick) => make("button", {id, title, onclick}, text);
    overlay.show("searchbox", "Search", [
      make("button", {class: "close", title: "Close (Esc)", "aria-label": "Close",
                      onclick: () => overlay.close("searchbox")}, "\u00d7"),
      input,
      button("addterm", "+", "Search for this too, in another colour (Ctrl-Enter)", add),
      button("previous", "\u2039", "Previous match (Shift-N)", () => actions.step(true)),
      button("next", "\u203a", "Next match (N)", () => actions.step(false)),
      chips, message,
    ], {under: viewer.shell.buttons, width: 330});
    const texts = actions.terms();
    input.value = texts.length > 0 ? texts[texts.length - 1] : "";
    input.addEventListener("keydown", (event) => {
      if (event.key !== "Enter") return;
      event.preventDefault();
      const known = actions.terms();
      if (event.ctrlKey || event.metaKey) add();
      else if (input.value !== "" && known.includes(input.value)) actions.step(event.shiftKey);
      else actions.search(input.value === "" ? [] : [input.value]);
      input.select();
    });
    input.focus({preventScroll: true});
    input.select();
    update();
  }

  function add() {
    const known = actions.terms();
    if (input.value === "" || known.includes(input.value)) return;
    if (known.length >= kSearchColours.length) {
      say("No more than " + kSearchColours.length + " terms");
      return;
    }
    actions.search([...known, input.value]);
    input.select();
  }

  let shares = new Map(), sharesOf = "", sharesIn = null;  // of the terms, as asked for
  // "12.3%", and where the unit is known, how much that is; before and after, where both are shown
  function matchText(want) {
    const {state, zoomed} = viewer;
    const what = [viewer.viewKey, state.terms, state.ignoreCase].join("\n");
    if (sharesOf !== what || sharesIn !== zoomed) shares = new Map();
    sharesOf = what;
    sharesIn = zoomed;
    if (!shares.has(want)) shares.set(want, countMatches(want));
    return shares.get(want);
  }
  function countMatches(want) {
    const {view, zoomed} = viewer;
    const share = (count, of) => {
      const percent = 100 * Number(count) / Math.max(Number(of), 1);
      return (percent === 100 ? "100" : percent.toFixed(1)) + "%";
    };
    const count = search.countIn(view, zoomed, want);
    const after = share(count, zoomed.total);
    if (tree.showsVanished)
      return share(search.countIn(view, zoomed, want, true), zoomed.before) + " \u2192 " + after;
    return after + (texts.isStated ? ", " + texts.quantity(count) : "");
  }

  function say(text) {
    if (overlay.isOpen("searchbox")) message.textContent = text;
  }

  function update() {
    matched.textContent = viewer.state.terms.length === 0 ? "" :
        search.isBusy() ? "Searching" : "Matched: " + matchText(search.all());
    if (!overlay.isOpen("searchbox")) return;
    const terms = actions.shares();
    chips.replaceChildren(...terms.map(({text, share, colour}) => make("span", {class: "chip"},
        make("span", {class: "swatch", style: "background:" + colour}),
        text + " " + share + " ",
        make("button", {title: "Search no longer for " + text, "aria-label": "Remove " + text,
                        onclick: () => actions.search(actions.terms().filter((one) => one !== text))},
             "\u00d7"))));
    message.textContent = "";
  }

  return {open, update, say};
}
