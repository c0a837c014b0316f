// SPDX-License-Identifier: MIT
// What a frame is, in a word or two: "Kernel", "Offset". The annotation of its name says most of it
// (folded(5)). Of a device's functions, the kernel is the lowest in the stack. `layersNow` gives
// nameLayers(), which looks at every node, so it is called when a frame of a device is asked about.
// `plainKind` is what a frame without an annotation is (--nametype).
function frameKinds(tree, layersNow, plainKind) {
  "use strict";
  const {names, name, parent, size} = tree;
  const known = new Map();  // by name
  let kernels = null;       // names

  function findKernels() {
    const {layer, kSource} = layersNow();
    const isSource = (node) => node > 0 && layer[name[node]] === kSource;
    kernels = new Set();
    const isCode = names.map((text) => !isSourceFile(text) && !isSourceLine(text) && !isLoop(text));
    for (let i = 1; i < size; ++i) {
      if (!isSource(i) || !isCode[name[i]]) continue;
      let below = parent[i];
      while (isSource(below) && !isCode[name[below]]) below = parent[below];
      if (!isSource(below)) kernels.add(name[i]);
    }
  }

  function kindOfSource(which) {
    if (isLoop(names[which])) return "Loop";
    if (isSourceLine(names[which])) return "Source line";
    if (isSourceFile(names[which])) return "Source file";
    if (!kernels) findKernels();
    return kernels.has(which) ? "Kernel" : "Device function";
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
    if (isIdle(text)) return "Idle time";
    return plainKind;
  }

  // "" for the root and for frames that were left out of the file: their names say what they are
  function of(node) {
    if (node.kind) return node.kind;
    if (node.name <= 0) return "";
    let kind = known.get(node.name);
    if (kind === undefined) known.set(node.name, kind = kindOfName(node.name));
    return kind;
  }

  return {of};
}
