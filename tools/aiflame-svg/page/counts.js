// SPDX-License-Identifier: MIT
// Counts and shares as text, exactly as the program writes them. Counts are Numbers or BigInts, in
// units of 10^-decimals; both stay exact. Time, energy, carbon and money are shown in the unit that fits.
function countTexts(svg) {
  "use strict";
  const decimals = Number(svg.dataset.decimals) || 0;
  const factor = Number(svg.dataset.factor) || 1;
  const whole = Number(svg.dataset.total) || 1;
  const isTime = svg.dataset.unit === "ns";
  const name = isTime ? "time" : svg.dataset.countname;
  // [counts, " unit"] of the units that counts are shown in, the largest first
  const steps = isTime ? [[1e9, " s"], [1e6, " ms"], [1e3, " us"]]
    : (svg.dataset.steps || "").split(" ").filter(Boolean)
      .map((step) => [Number(step.split(":")[0]), " " + step.split(":")[1]]);

  const withCommas = (digits) => digits.replace(/\B(?=(\d{3})+$)/g, ",");

  // Rounds to `digits` decimals. Exact halves go to the even digit, as in printf; toFixed() rounds
  // them up. Only odd multiples of 1/2^(digits + 1) are such halves.
  function fixed(value, digits) {
    if (Math.abs(value * 2 ** (digits + 1) % 2) !== 1) return value.toFixed(digits);
    const below = Math.floor(value * 10 ** digits);
    return ((below + below % 2) / 10 ** digits).toFixed(digits);
  }

  // The same as format_quantity(): at least three digits, at most four up to 9999 s.
  function inFittingUnit(counts) {
    for (const [size, unit] of steps) {
      if (counts < 0.99995 * size) continue;
      const scaled = counts / size;
      return fixed(scaled, scaled < 9.9995 ? 3 : scaled < 99.995 ? 2 : scaled < 999.95 ? 1 : 0) + unit;
    }
    return "";
  }

  // "1,234.5", or with a unit that fits, "12.35 us"
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
    const plain = withCommas(integer) + (rest ? "." + rest : "");
    if (steps.length === 0) return plain;
    let counts = Number(integer + fraction);
    for (let i = 0; i < fraction.length; ++i) counts /= 10;
    return inFittingUnit(counts) || plain + " " + svg.dataset.unit;
  }
  // with what is counted: "1,234 stalls"
  const quantity = (value) => (steps.length > 0 ? count(value) : count(value) + " " + name);

  function share(part, of, digits = 2) {
    return fixed(100 * Number(part) / Math.max(Number(of), 1), digits) + "%";
  }

  // With one decimal, and without one for all of it: "12.3%", "100%".
  const shortShare = (part, of) => (of > 0 && Number(part) === Number(of) ? "100%" : share(part, of, 1));

  // "+1.23"; no sign where nothing is left of the value
  function signed(value, digits) {
    const text = fixed(Math.abs(value), digits);
    return (/[1-9]/.test(text) ? (value < 0 ? "-" : "+") : "") + text;
  }

  return {count, quantity, share, shortShare, signed, whole, name, isStated: svg.dataset.unit !== undefined,
          ofWhole: (part) => share(part, whole)};
}
