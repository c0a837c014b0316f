// SPDX-License-Identifier: MIT
// What a search term stands for, in words, if a row of the table made it: the expression of a name,
// of a class of modules or of a kind of reason. Else "".
function termNames(viewer) {
  "use strict";
  const kClass = "_\\d+_\\[m]$";
  const unescaped = (text) => text.replace(/\\([\\^$.*+?()[\]{}|])/g, "$1");
  const ofName = (name) => viewer.exactly(name);
  const ofClass = (text) => viewer.exactly(text).slice(0, -1) + kClass;
  const ofKind = (kind) =>
      "^(" + viewer.reasons.ofKind(kind).map((one) => viewer.exactly(one).slice(1, -1)).join("|") + ")_\\[g]$";

  function nameOf(term) {
    const kind = Object.keys(kReasonKinds).find((one) => term === ofKind(one));
    if (kind) return kReasonKinds[kind];
    if (!term.startsWith("^")) return "";
    const text = unescaped(term.slice(1, -1));
    if (term === ofName(text) && viewer.tree.names.includes(text)) return viewer.shown(text);
    const modules = unescaped(term.slice(1, -kClass.length));
    return term === ofClass(modules) ? modules + " (all)" : "";
  }

  return {ofName, ofClass, ofKind, nameOf};
}
