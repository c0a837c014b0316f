// SPDX-License-Identifier: MIT
// Counts and shares as text, exactly as the program writes them. Counts are Numbers or BigInts, in
// units of 10^-decimals; both stay exact.
function countTexts(svg) {
  "use strict";
  const decimals = Number(svg.dataset.decimals) || 0;
  const factor = Number(svg.dataset.factor) || 1;
  const whole = Number(svg.dataset.total) || 1;

  const withCommas = (digits) => digits.replace(/\B(?=(\d{3})+$)/g, ",");

  // Rounds to `digits` decimals. Exact halves go to the even digit, as in printf; toFixed() rounds
  // them up. Only odd multiples of 1/2^(digits + 1) are such halves.
  function fixed(value, digits) {
    if (Math.abs(value * 2 ** (digits + 1) % 2) !== 1) return value.toFixed(digits);
    const below = Math.floor(value * 10 ** digits);
    return ((below + below % 2) / 10 ** digits).toFixed(digits);
  }

  // "1,234.5"
  function count(value) {
    let text;
    if (factor === 1) {
      const digits = String(value).padStart(decimals + 1, "0");
      text = decimals ? digits.slice(0, -decimals) + "." + digits.slice(-decimals) : digits;
    } else {
      text = fixed(Number(value) * factor / 10 ** decimals, decimals);
    }
    const [integer, fraction = ""] = text.split(".");
    const rest = fraction.replace(/0+$/, "");
    return withCommas(integer) + (rest ? "." + rest : "");
  }

  function share(part, of) {
    return fixed(100 * Number(part) / Math.max(Number(of), 1), 2) + "%";
  }

  return {count, share, whole, ofWhole: (part) => share(part, whole),
          name: svg.dataset.countname};
}
