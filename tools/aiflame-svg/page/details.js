// SPDX-License-Identifier: MIT
// The line at the foot of the picture, which describes one frame, and the hint that explains its
// stall reason.
function makeDetails(svg, tree, drawing, texts, overlay, reasonOf) {
  "use strict";
  const line = svg.getElementById("details");

  function say(text) {
    line.textContent = text;
  }

  function describe(node, view, zoomed, searching) {
    const name = drawing.nameOf(node);
    const [first, ...more] = drawing.titleOf(node).split("\n");
    let counts = [first.slice(name.length), ...more].join("; ");
    if (zoomed !== view.root && node.depth >= zoomed.depth)
      counts += "; " + texts.share(node.total, zoomed.total) + " of the view";
    if (!tree.differential && !tree.fromElements && node.name !== view.kRest) {
      // a frame's own count is known after its children have been made
      view.expand(node, node.least === Infinity ? Number(node.total) : node.least);
      counts += "; self " + texts.count(node.self);
    }
    // a long name is cut, so that the counts are visible and do not run into "Matched"
    const matches = drawing.pad + drawing.width - Number(matched.getAttribute("x"));
    const room = drawing.width - (searching ? matches + 10 : 0);
    const type = svg.dataset.nametype + " ";
    const forName = Math.max(room - drawing.textWidth(type + counts),
                             Math.min(80, drawing.textWidth(name)));
    say(drawing.fit(type + drawing.fit(name, forName) + counts, room));
    showHint(reasonOf(node.name));
  }

  function showHint(reason) {
    if (!reason) {
      overlay.close("hint");
      return;
    }
    const {make} = overlay;
    const content = [make("p", {}, make("b", {}, reason.name), ": " + reason.meaning)];
    if (reason.advice) content.push(make("p", {}, "Try: " + reason.advice));
    overlay.show("hint", "Reason", content, {corner: "bottom left", width: 460}, "status");
  }

  function leave() {
    say(" ");
    overlay.close("hint");
  }

  return {say, describe, leave};
}
