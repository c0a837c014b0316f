// SPDX-License-Identifier: MIT
// Labels of names side by side, so that no two of them read the same. Kernels of one library share
// most of their names:
//
//   sm80_xmma_gemm_f32f32_f32f32_f32_tn_n_tilesize64x64x8_stage3_warpsize1x4x1_ffma…
//   sm80_xmma_gemm_f32f32_f32f32_f32_nn_n_tilesize64x128x8_stage3_warpsize1x4x1_ffma…
//
// Cut in their middle, both would be sm80_xmma…ffma. What they share is left out instead, but for its
// last word: gemm…tn_n_tilesize64x64x8 and gemm…nn_n_tilesize64x128x8.

// Words, numbers, and what stands between them.
const wordsOf = (name) => name.match(/[\p{L}\p{N}]+|[^\p{L}\p{N}]+/gu) || [];

// What the words have in common before their first digit: "tilesize" of tilesize64 and tilesize128.
function sharedLetters(words) {
  "use strict";
  const [letters] = words[0].match(/^\p{L}*/u);
  let length = letters.length;
  for (const word of words) while (!word.startsWith(letters.slice(0, length))) --length;
  return words.every((word) => /^\p{N}/u.test(word.slice(length))) ? length : 0;
}

// For each of `names`, which differ, its forms from the longest to the shortest: without the words at
// both ends that all have; and, where all have as many words, with those alone that differ, at
// least the first two of them.
function differingForms(names) {
  "use strict";
  const all = names.map(wordsOf), [one] = all;
  const shortest = Math.min(...all.map((words) => words.length));
  const isFirst = (i) => all.every((words) => words[i] === one[i]);
  const isLast = (i) => all.every((words) => words[words.length - 1 - i] === one[one.length - 1 - i]);
  let first = 0, last = 0;  // shared words at both ends
  while (first < shortest && isFirst(first)) ++first;
  while (last < shortest - first && isLast(last)) ++last;
  // "gemm_" where the difference follows it, "gemm…" from further away
  const shared = one.slice(0, first);
  let at = shared.length - 1;
  while (at >= 0 && !/^\p{L}{3}/u.test(shared[at])) --at;
  const lead = at < 0 ? "" : at >= shared.length - 2 ? shared.slice(at).join("") : shared[at] + "…";
  const isEven = all.every((words) => words.length === one.length);
  const differing = isEven ? one.map((_, i) => i).filter((i) => !isFirst(i)) : [];
  const cut = new Map(differing.map((i) => [i, sharedLetters(all.map((words) => words[i]))]));
  const partsOf = (words, number) => differing.slice(0, number).map((i) => words[i].slice(cut.get(i))).join("…");
  let enough = 1;
  while (enough < differing.length && new Set(all.map((words) => partsOf(words, enough))).size < all.length) ++enough;
  return all.map((words) => {
    const forms = [words.slice(first, words.length - last).join("")];
    for (let number = Math.min(enough, 2); number <= differing.length; ++number) forms.push(partsOf(words, number));
    return Array.from(new Set(forms.flatMap((form) => [lead + form, form]))).filter(Boolean)
        .sort((a, b) => b.length - a.length);
  });
}

// `fit(forms)` gives the first form that has room, or the last with "…" for its middle. Names that
// occur twice have one label.
function distinctLabels(names, fit) {
  "use strict";
  const labels = new Map();
  // Labels that were cut say little behind the cut, so those with one beginning count as the same.
  const sameAs = (label, forms) => (forms.includes(label) ? label : label.slice(0, label.indexOf("…") + 1));
  function label(group, formsOf) {
    const alike = new Map();
    group.forEach((name, i) => {
      const forms = formsOf[i], text = fit(forms), key = sameAs(text, forms);
      labels.set(name, text);
      if (alike.has(key)) alike.get(key).push(name);
      else alike.set(key, [name]);
    });
    for (const some of alike.values())
      if (some.length > 1 && (some.length < group.length || formsOf === wholeForms))
        label(some, differingForms(some));
  }
  const different = Array.from(new Set(names));
  const wholeForms = different.map(shortForms);
  label(different, wholeForms);
  return names.map((name) => labels.get(name));
}

// The forms of names that would be cut alike: of kernels of one library. Names whose shortest form is
// theirs alone are not among them. A map from name to forms, the longest first.
function formsOfLike(names) {
  "use strict";
  const groups = new Map();
  for (const name of new Set(names)) {
    const forms = shortForms(name);
    const key = forms.length > 1 ? forms[forms.length - 1] : "\n" + wordsOf(name)[0];
    if (groups.has(key)) groups.get(key).push(name);
    else groups.set(key, [name]);
  }
  const known = new Map();
  for (const group of groups.values()) {
    if (group.length < 2) continue;
    differingForms(group).forEach((forms, i) => known.set(group[i], [group[i], ...forms]));
  }
  return known;
}
