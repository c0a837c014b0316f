// SPDX-License-Identifier: MIT
// A name as it is shown: colours, and words in its card, tell the layer.
const withoutAnnotation = (name) => name.replace(/_\[[kwijgGomr]\]$/, "");

// The kinds of frames. The CPU has several.
const kKinds = {kCpu: 0, kSource: 1, kInstruction: 2, kReason: 3, kOffset: 4, kBoundary: 5,
                kPython: 6, kOperator: 7, kModule: 8, kRange: 9, kIdle: 10};
// What the reader can fold away: all of the CPU, or parts of it.
const kLayers = [
  {key: "cpu", text: "CPU",
   kinds: ["kCpu", "kBoundary", "kPython", "kOperator", "kModule", "kRange"]},
  {key: "range", text: "Ranges that the program marked", kinds: ["kRange"]},
  {key: "python", text: "Python", kinds: ["kPython"]},
  {key: "module", text: "Modules of the model", kinds: ["kModule"]},
  {key: "operator", text: "Operators", kinds: ["kOperator"]},
  {key: "idle", text: "Idle time and its causes", kinds: ["kIdle"]},
  {key: "source", text: "Source on the device", kinds: ["kSource"]},
  {key: "instructions", text: "Instructions and offsets", kinds: ["kInstruction", "kOffset"]},
  {key: "reasons", text: "Reasons", kinds: ["kReason"]},
];

// That a device did nothing, and why: as is_idle_frame() in libcommon/timeline/idle_causes.cc.
const isIdle = (name) => /^\[(gpu idle|not recorded|next launch|before the first|after the last|host waits for the device|host copies|launch latency|in the runtime|host busy|host function|untraced)]$/.test(name);

// Whether a frame of device source is a file, a line or a loop, not a kernel or function: as role_of() in
// tools/aiflame-report/layers.cc, with the endings of files in which kernels are written.
const isSourceLine = (name) => /:\d+_\[G]$/.test(name);
const isLoop = (name) => /^loop at .*_\[G]$/.test(name);
const isSourceFile = (name) => /^jit(#\d+)?_\[G]$|\.(asm|c|cc|cl|comp|cpp|cuh?|cxx|glsl|h|hip|hlsl|hpp|inl|jl|ll|metal|mlir|ptx|py|s|spv|sycl)_\[G]$/.test(name);

// Classifies frames. The annotation of a name gives its kind (folded(5)). Reasons look like
// instructions; `isReason` tells which names the file says are reasons (colour/reason_names.h). A
// frame that says what an instruction waits for counts as an offset: it is a detail of the
// instruction below.
function nameLayers(tree, isReason) {
  "use strict";
  const {kCpu, kSource, kInstruction, kReason, kOffset, kBoundary, kPython, kIdle} = kKinds;
  const annotated = {o: kKinds.kOperator, m: kKinds.kModule, r: kKinds.kRange};
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
    } else if (/_\[[omr]]$/.test(text)) {
      layer[i] = annotated[text[text.length - 2]];
    } else if (text.startsWith("py::")) {
      layer[i] = kPython;
    } else if (isIdle(text)) {
      layer[i] = kIdle;
    }
  }
  const isCpu = (kind) => kind === kCpu || (kind >= kPython && kind < kIdle);
  const here = new Set(layer.subarray(1));  // the root has no name
  // The layers that occur; the kinds of those called `keys`; whether nothing is left without them.
  const foldable = kLayers.filter((one) => one.kinds.some((kind) => here.has(kKinds[kind])));
  const kindsOf = (keys) => new Set(kLayers.filter((one) => keys.includes(one.key))
      .flatMap((one) => one.kinds.map((kind) => kKinds[kind])));
  const isAll = (keys) => {
    const gone = kindsOf(keys);
    return Array.from(here).every((kind) => kind === kBoundary || gone.has(kind));
  };
  return {layer, isCpu, foldable, kindsOf, isAll, ...kKinds};
}
