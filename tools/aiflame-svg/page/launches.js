// SPDX-License-Identifier: MIT
// What the file says about the launches of its kernels: lines of text, by the name of the kernel's
// frame, with its annotation.
function kernelLaunches(svg) {
  "use strict";
  const known = new Map();
  const data = svg.querySelector("#launches");
  for (const one of data ? data.children : []) known.set(one.dataset.name, one.textContent.split("\n"));
  return {of: (name) => known.get(name) || []};
}
