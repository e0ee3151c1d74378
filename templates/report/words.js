// Numbers as people read them, as inductor_lab/annotate/quantity.py writes them.

/** Bytes: `512 B`, `4.1 KB`; a dash where they are not known. */
function size(count) {
  if (count === null) return "–";
  for (const [unit, scale] of [["TB", 1e12], ["GB", 1e9], ["MB", 1e6], ["KB", 1e3]]) {
    if (count >= scale) return `${(count / scale).toFixed(1)} ${unit}`;
  }
  return `${count} B`;
}

/** Seconds: `4 ns`, `11.8 us`, `1.20 ms`. */
function duration(seconds) {
  if (seconds === null) return "–";
  if (seconds >= 1e-3) return `${(seconds * 1e3).toFixed(2)} ms`;
  if (seconds >= 1e-6) return `${(seconds * 1e6).toFixed(1)} us`;
  return seconds >= 1e-9 ? `${(seconds * 1e9).toFixed(0)} ns` : "under 1 ns";
}

/** `4.28 TB/s`, `60.3 TFLOP/s`. */
function rate(perSecond, unit) {
  const found = [["P", 1e15], ["T", 1e12], ["G", 1e9], ["M", 1e6], ["K", 1e3]].find(([, scale]) => perSecond >= scale);
  return found ? `${round(perSecond / found[1])} ${found[0]}${unit}` : `${round(perSecond)} ${unit}`;
}

/** Three digits, no more. */
function round(number) {
  return String(Number(number.toPrecision(3)));
}

/** `12.3 %`; small parts keep a digit that says something. */
function percent(part) {
  if (part === null) return "";
  const value = part * 100;
  return value && value < 0.1 ? "< 0.1 %" : `${value.toFixed(1)} %`;
}

function count(number) {
  return number.toLocaleString("en-US");
}

/** `1 launch`, `3 launches`. */
function plural(number, word) {
  const many = /(ch|s|sh|x)$/.test(word) ? `${word}es` : `${word}s`;
  return `${count(number)} ${number === 1 ? word : many}`;
}

/** `models.py:31`. */
function place(line) {
  return `${line.file.split("/").pop()}:${line.line}`;
}
