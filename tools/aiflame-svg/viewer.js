// SPDX-License-Identifier: MIT
// Zoom and search in a flame graph. Everything foreign (names, the labels of the user) is read from
// the document as text and written back as text: nothing becomes markup or code.
(function () {
  "use strict";

  const svg = document.currentScript.ownerSVGElement;
  const byId = (id) => svg.getElementById(id);
  const details = byId("details"), matched = byId("matched"), unzoom = byId("unzoom");
  const searchButton = byId("search"), caseButton = byId("ignorecase");
  const pad = 10;  // beside the frames
  const width = svg.viewBox.baseVal.width - 2 * pad;
  const labelWidth = 3 * Number(svg.dataset.charwidth);  // less has no room for a letter and ".."
  const searchColour = "rgb(230,0,230)";
  const nameType = svg.dataset.nametype;
  const countName = svg.dataset.countname;

  // Frames as they stand in the document: each before those on top of it. x and n are whole counts;
  // what is on the screen is computed from them, never from rounded pixels.
  const frames = Array.from(byId("frames").children, (g) => {
    const [title, rect, text] = g.children;
    return {
      g, rect, text, title: title.textContent,
      depth: Number(g.dataset.d), x: Number(g.dataset.x), n: Number(g.dataset.n),
      left: rect.getAttribute("x"), top: rect.getAttribute("y"),
      width: rect.getAttribute("width"), textLeft: text && text.getAttribute("x"),
      label: text ? text.textContent : "", fill: rect.getAttribute("fill"), marked: false, index: 0,
    };
  });
  frames.forEach((frame, index) => { frame.index = index; });
  const root = frames[0];

  let view = root;         // the frame that fills the width
  let term = "";           // what is searched for; empty is nothing
  let ignoreCase = false;

  // ---- text --------------------------------------------------------------------------------------
  function setText(element, text) {
    element.textContent = text;
  }

  // "NAME (1,234 samples, 12.34%)": the name may hold brackets, and so may what is counted.
  function nameOf(frame) {
    const line = frame.title.split("\n")[0];
    let end = line.lastIndexOf(" (");
    for (let i = countName.split(" (").length; i > 1; --i) end = line.lastIndexOf(" (", end - 1);
    return line.slice(0, end);
  }

  // Character widths, measured once each; a canvas needs no layout.
  const widths = new Map();
  const canvas = document.createElementNS("http://www.w3.org/1999/xhtml", "canvas");
  const pen = canvas.getContext ? canvas.getContext("2d") : null;
  if (pen) {
    const style = getComputedStyle(details);
    pen.font = style.fontSize + " " + style.fontFamily;
  }
  function charWidth(c) {
    let w = widths.get(c);
    if (w === undefined) {
      w = pen ? pen.measureText(c).width : Number(svg.dataset.charwidth);
      widths.set(c, w);
    }
    return w;
  }

  // `text`, or its beginning and "..", in `room` pixels.
  function fit(text, room) {
    const dots = 2 * charWidth(".");
    let used = 0, cut = 0, at = 0;
    for (const c of text) {
      if (used + dots <= room) cut = at;
      used += charWidth(c);
      at += c.length;
      if (used > room) return cut > 0 ? text.slice(0, cut) + ".." : "";
    }
    return text;
  }

  // ---- zoom --------------------------------------------------------------------------------------
  function parentOf(frame) {
    let i = frame.index - 1;
    while (i >= 0 && frames[i].depth >= frame.depth) --i;
    return i < 0 ? null : frames[i];
  }

  function place(frame, left, frameWidth) {
    frame.rect.setAttribute("x", left.toFixed(1));
    frame.rect.setAttribute("width", frameWidth.toFixed(1));
    const label = frameWidth < labelWidth ? "" : fit(nameOf(frame), frameWidth - 5);
    if (!frame.text) {
      // a frame without room for a label has no element for one
      if (!label) return;
      frame.text = frame.g.appendChild(document.createElementNS(svg.namespaceURI, "text"));
      const {y, height} = frame.rect;
      frame.text.setAttribute("y", y.baseVal.value + height.baseVal.value / 2 + 3);
    }
    frame.text.setAttribute("x", (left + 3).toFixed(2));
    setText(frame.text, label);
  }

  function restore(frame) {
    frame.g.classList.remove("hide", "parent");
    frame.rect.setAttribute("x", frame.left);
    frame.rect.setAttribute("width", frame.width);
    if (!frame.text) return;
    if (!frame.label) {
      frame.text.remove();
      frame.text = undefined;
      return;
    }
    frame.text.setAttribute("x", frame.textLeft);
    setText(frame.text, frame.label);
  }

  function endOf(frame) {  // one past the last frame on top of it
    let end = frame.index + 1;
    while (end < frames.length && frames[end].depth > frame.depth) ++end;
    return end;
  }

  function zoom(frame) {
    view = frame;
    unzoom.classList.toggle("hide", frame === root);
    if (frame === root) {
      frames.forEach(restore);
    } else {
      const parents = new Set();
      for (let p = parentOf(frame); p; p = parentOf(p)) parents.add(p);
      const end = endOf(frame);
      frames.forEach((other, i) => {
        const inView = i >= frame.index && i < end;
        other.g.classList.toggle("hide", !inView && !parents.has(other));
        other.g.classList.toggle("parent", parents.has(other));
        if (parents.has(other)) place(other, pad, width);
        if (inView)
          place(other, pad + (other.x - frame.x) / frame.n * width, other.n / frame.n * width);
      });
    }
    search(term);
  }

  // ---- search ------------------------------------------------------------------------------------
  // A term is found in the name as shown, or with its annotation: `_\[G]$` finds device source.
  function matches(frame, expression) {
    const name = nameOf(frame);
    if (expression.test(name)) return true;
    return frame.g.dataset.a !== undefined && expression.test(name + frame.g.dataset.a);
  }

  function search(wanted) {
    let expression = null;
    if (wanted) {
      try {
        expression = new RegExp(wanted, ignoreCase ? "i" : "");
      } catch (error) {
        setText(details, "Not a regular expression: " + wanted);
        wanted = term = "";
      }
    }
    term = wanted;
    const end = endOf(view);
    // A frame that matches on top of one that does is not counted twice: it lies in its span.
    let count = 0, covered = view.x;
    for (const frame of frames) {
      const found = expression !== null && matches(frame, expression);
      if (found !== frame.marked) {
        frame.rect.setAttribute("fill", found ? searchColour : frame.fill);
        frame.marked = found;
      }
      if (!found || frame.index < view.index || frame.index >= end || frame.x < covered) continue;
      count += frame.n;
      covered = frame.x + frame.n;
    }
    searchButton.classList.toggle("show", term !== "");
    setText(searchButton, term ? "Reset Search" : "Search");
    matched.classList.toggle("hide", term === "");
    const percent = 100 * count / view.n;
    setText(matched, term ? "Matched: " + (percent === 100 ? 100 : percent.toFixed(1)) + "%" : " ");
  }

  function askOrClear() {
    if (term) {
      search("");
    } else {
      const answer = prompt("Enter a search term (regexp allowed, eg: ^ext4_)" +
                            (ignoreCase ? ", ignoring case" : "") +
                            "\nPress Ctrl-i to toggle case sensitivity", "");
      if (answer) search(answer);
    }
    keep();
  }

  function toggleCase() {
    ignoreCase = !ignoreCase;
    caseButton.classList.toggle("show", ignoreCase);
    search(term);
  }

  // ---- permalinks: ?x=&y= is the frame zoomed to, as it stands unzoomed, and s the search -----------
  function keep() {
    const state = new URLSearchParams(location.search);
    for (const key of ["x", "y", "s"]) state.delete(key);
    if (view !== root) {
      state.set("x", view.left);
      state.set("y", view.top);
    }
    if (term) state.set("s", term);
    const query = state.toString();
    try {
      history.replaceState(null, "", query ? "?" + query : location.pathname);
    } catch (error) {
      // an embedded document may have no address of its own
    }
  }

  function recall() {
    const state = new URLSearchParams(location.search);
    const x = state.get("x"), y = state.get("y");
    const same = (a, b) => a === b || Number(a) === Number(b);
    // a link from another drawing may point to no frame of this one
    const frame = x !== null && y !== null &&
        frames.find((candidate) => same(candidate.left, x) && same(candidate.top, y));
    term = state.get("s") || "";
    // as drawn, there is nothing to do: a big picture is seen the sooner
    if (frame) zoom(frame);
    else if (term) search(term);
  }

  // ---- events ------------------------------------------------------------------------------------
  const byElement = new Map(frames.map((frame) => [frame.g, frame]));
  function frameAt(event) {
    const g = event.target.closest("#frames > *");
    return g ? byElement.get(g) : undefined;
  }

  function showDetails(frame) {
    const [line, ...more] = frame.title.split("\n");
    const name = nameOf(frame);
    const counts = [line.slice(name.length), ...more].join("; ");
    // a long name is cut, so that the counts are seen and "Matched" is not written over
    const room = width - (term ? 110 : 0);
    const used = Array.from(nameType + " " + counts).reduce((sum, c) => sum + charWidth(c), 0);
    setText(details, nameType + " " + fit(name, room - used) + counts);
  }

  svg.addEventListener("click", (event) => {
    const frame = frameAt(event);
    if (frame) zoom(frame);
    else if (event.target.id === "unzoom") zoom(root);
    else if (event.target.id === "search") return askOrClear();
    else if (event.target.id === "ignorecase") return toggleCase();
    else return;
    keep();
  });
  svg.addEventListener("mouseover", (event) => {
    const frame = frameAt(event);
    if (frame) showDetails(frame);
  });
  svg.addEventListener("mouseout", (event) => {
    if (frameAt(event)) setText(details, " ");
  });
  window.addEventListener("keydown", (event) => {
    const command = event.ctrlKey || event.metaKey;
    if (event.key === "F3" || (command && event.key.toLowerCase() === "f")) {
      event.preventDefault();
      askOrClear();
    } else if (command && event.key.toLowerCase() === "i") {
      event.preventDefault();
      toggleCase();
    } else if (event.key === "Escape" && (term || view !== root)) {
      // first the search, then the zoom
      if (term) search("");
      else zoom(root);
      keep();
    }
  });

  searchButton.classList.remove("hide");
  caseButton.classList.remove("hide");
  recall();
})();
