// SPDX-License-Identifier: MIT
// What the file says about the launches of its kernels: lines of text, by the name of the kernel's
// frame, with its annotation.
function kernelLaunches(svg) {
  "use strict";
  const known = new Map();
  const data = svg.querySelector("#launches");
  for (const one of data ? data.children : []) known.set(one.dataset.name, one.textContent.split("\n"));
  const lines = svg.querySelector("#launchlines");
  // folded(5)'s lines, by the same name
  const linesOf = new Map();
  for (const line of lines ? lines.textContent.split("\n") : []) {
    const [, kernel] = / kernel (.*)$/.exec(line) || [];
    if (!kernel) continue;
    if (!linesOf.has(kernel)) linesOf.set(kernel, []);
    linesOf.get(kernel).push(line);
  }
  return {of: (name) => known.get(name) || [], linesOf};
}
