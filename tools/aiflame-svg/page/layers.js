// SPDX-License-Identifier: MIT
// A name as it is shown: colours, and words in its card, tell the layer.
const withoutAnnotation = (name) => name.replace(/_\[[kwijgG]\]$/, "");

// Classifies frames: CPU, source and instructions of a device, stall reasons. The annotation of a
// name gives its layer (folded(5)). Reasons look like instructions; `isReason` tells which names the
// file says are reasons (colour/reason_names.h). A frame that says what an instruction waits for
// counts as an offset: it is a detail of the instruction below.
function nameLayers(tree, isReason) {
  "use strict";
  const kCpu = 0, kSource = 1, kInstruction = 2, kReason = 3, kOffset = 4, kBoundary = 5;
  const {names} = tree;
  const layer = new Uint8Array(names.length);
  for (let i = 0; i < names.length; ++i) {
    const text = names[i];
    if (text === "-") {
      layer[i] = kBoundary;
    } else if (text.endsWith("_[G]")) {
      layer[i] = kSource;
    } else if (text.endsWith("_[g]")) {
      const bare = text.slice(0, -4);
      if (/^0x[0-9a-f]+$/.test(bare) || bare.startsWith("waits for ")) layer[i] = kOffset;
      else layer[i] = isReason(bare) ? kReason : kInstruction;
    }
  }
  return {layer, kCpu, kSource, kInstruction, kReason, kOffset, kBoundary};
}
