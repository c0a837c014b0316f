// SPDX-License-Identifier: MIT
// Classifies frames: CPU, source and instructions of a device, stall reasons. The annotation of a
// name gives its layer (folded(5)). Reasons and offsets look like instructions; only their position
// and their name distinguish them. `vendorOf` gives the vendor that has a stall reason of that
// name, if any. A frame that says what an instruction waits for counts as an offset: it is a detail
// of the instruction below. This looks at every node, so it runs only when it is first needed.
function nameLayers(tree, vendorOf) {
  "use strict";
  const kCpu = 0, kSource = 1, kInstruction = 2, kReason = 3, kOffset = 4, kBoundary = 5;
  const {names, name, parent, size} = tree;
  const layer = new Uint8Array(names.length);
  const vendors = new Map();  // of the names that may be reasons
  let unsure = 0;
  for (let i = 0; i < names.length; ++i) {
    const text = names[i];
    if (text === "-") {
      layer[i] = kBoundary;
    } else if (text.endsWith("_[G]")) {
      layer[i] = kSource;
    } else if (text.endsWith("_[g]")) {
      const bare = text.slice(0, -4);
      if (/^0x[0-9a-f]+$/.test(bare) || bare.startsWith("waits for ")) {
        layer[i] = kOffset;
      } else if (vendorOf(bare)) {
        layer[i] = kReason;
        vendors.set(i, vendorOf(bare));
      } else {
        layer[i] = kInstruction;
        ++unsure;
      }
    }
  }
  // One vendor's reason is another's instruction (barrier). Of two such frames on top of each
  // other, the reason is the one of the vendor with more reasons in this tree, else the upper one.
  const weight = (which) => Array.from(vendors.values())
      .filter((vendor) => vendor === vendors.get(which)).length;
  const instructions = new Set();
  for (let i = 1; i < size && vendors.size > 0; ++i) {
    const upper = name[i], lower = name[parent[i]];
    if (layer[upper] !== kReason || layer[lower] !== kReason || upper === lower) continue;
    instructions.add(weight(upper) < weight(lower) ? upper : lower);
  }
  for (const one of instructions) layer[one] = kInstruction;
  // An unknown reason: a frame on top of an instruction that is not an offset.
  if (unsure > 0) {
    const above = new Set();
    for (let i = 1; i < size; ++i)
      if (layer[name[i]] === kInstruction && layer[name[parent[i]]] === kInstruction &&
          !instructions.has(name[i]))
        above.add(name[i]);
    for (const one of above) layer[one] = kReason;
  }
  const device = layer.some((one) => one >= kSource && one <= kOffset);
  return {layer, device, kCpu, kSource, kInstruction, kReason, kOffset, kBoundary};
}
