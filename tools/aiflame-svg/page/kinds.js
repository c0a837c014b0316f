// SPDX-License-Identifier: MIT
// What a frame is, in a word or two: "Kernel", "Offset". The annotation of its name says most of it
// (folded(5)). What device source is, its places in the stacks say: a kernel stands on its file, or
// stands alone, and the functions that it calls stand on it. `layersNow` gives nameLayers(), which
// looks at every node, so it is called when a frame of a device is asked about. `plainKind` is what
// a frame without an annotation is (--nametype).
function frameKinds(tree, layersNow, plainKind) {
  "use strict";
  const {names, name, parent, size} = tree;
  const known = new Map();  // by name
  let sources = null;       // by name of device source

  function findSources() {
    const {layer, kSource} = layersNow();
    const isSource = (node) => node > 0 && layer[name[node]] === kSource;
    sources = new Map();
    for (let i = 1; i < size; ++i) {
      if (!isSource(i)) continue;
      const below = parent[i];
      if (!isSource(below)) {
        if (!sources.has(name[i])) sources.set(name[i], "Kernel");
      } else if (!isSource(parent[below])) {
        sources.set(name[below], "Source file");
        if (sources.get(name[i]) !== "Source file") sources.set(name[i], "Kernel");
      } else if (!sources.has(name[i])) {
        sources.set(name[i], "Device function");
      }
    }
  }

  function kindOfSource(which) {
    if (/:\d+_\[G]$/.test(names[which])) return "Source line";
    if (!sources) findSources();
    return sources.get(which) || "Device function";
  }

  function kindOfInstruction(which) {
    if (names[which].startsWith("waits for ")) return "Awaited instruction";
    const {layer, kReason, kOffset} = layersNow();
    return layer[which] === kReason ? "Reason" : layer[which] === kOffset ? "Offset" : "Instruction";
  }

  const annotations = {g: kindOfInstruction, G: kindOfSource, k: () => "OS kernel function",
                       i: () => "Inlined function", j: () => "JIT-compiled function",
                       w: () => "Waker's function",
                       o: () => "Operator", m: () => "Module", r: () => "Range"};
  function kindOfName(which) {
    const text = names[which];
    if (text === "-" || text === "--") return "Boundary";
    const annotated = text.match(/_\[([gGkijwomr])]$/);
    if (annotated) return annotations[annotated[1]](which);
    if (text.startsWith("py::")) return "Python function";
    return plainKind;
  }

  // "" for the root and for frames that were left out of the file: their names say what they are
  function of(node) {
    if (node.depth === 0 || node.name < 0) return "";
    let kind = known.get(node.name);
    if (kind === undefined) known.set(node.name, kind = kindOfName(node.name));
    return kind;
  }

  return {of};
}
