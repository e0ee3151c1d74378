// Code as coloured spans: one small tokenizer, and for each language a table of what its words look like.

const PYTHON_WORDS = /^(?:def|if|elif|else|for|in|is|not|and|or|while|return|import|from|as|with|None|True|False|class|pass|lambda|assert|raise|try|except|finally|range)$/;

/** Language -> rules; the first that fits a place wins. A name followed by `(` is a call. */
const LANGUAGES = {
  python: [
    ["comment", /#[^\n]*/y],
    ["string", /[rbuf]{0,2}(?:'''[\s\S]*?'''|"""[\s\S]*?"""|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*")/y],
    ["number", /\b(?:0x[\da-fA-F]+|\d[\d_]*\.?\d*(?:[eE][-+]?\d+)?)\b/y],
    ["name", /[A-Za-z_]\w*/y],
  ],
  mlir: [
    ["comment", /\/\/[^\n]*/y],
    ["string", /"(?:\\.|[^"\\\n])*"/y],
    ["variable", /[%#@!^][\w.$-]+/y],
    ["number", /\b(?:0x[\da-fA-F]+|\d+\.?\d*(?:[eE][-+]?\d+)?)\b/y],
    ["keyword", /\b(?:tt|ttg|arith|math|scf|gpu|nvgpu|ttng|cf|llvm)\.[\w.]+/y],
    ["plain", /[A-Za-z_][\w.]*/y],
  ],
  llvm: [
    ["comment", /;[^\n]*/y],
    ["string", /"(?:\\.|[^"\\\n])*"/y],
    ["variable", /[%@!#][\w.$-]+/y],
    ["keyword", /\b(?:define|declare|target|call|ret|br|switch|phi|load|store|getelementptr|extractvalue|insertvalue|select|[fiu]cmp|f?(?:add|sub|mul|neg)|[fsu](?:div|rem)|shl|[al]shr|and|or|xor|asm|bitcast|[sz]ext|fpext|f?p?trunc|[su]itofp|fpto[su]i|freeze)\b/y],
    ["number", /\b(?:0x[\da-fA-F]+|\d+\.?\d*(?:[eE][-+]?\d+)?)\b/y],
    ["plain", /[A-Za-z_][\w.]*/y],
  ],
  assembly: [
    ["comment", /\/\/[^\n]*|\/\*[\s\S]*?\*\/|;[^\n]*\/\/[^\n]*/y],
    ["string", /"(?:\\.|[^"\\\n])*"/y],
    ["variable", /%[A-Za-z]\w*|\b(?:U?R\d+|U?P[0-6T]|[sv]\d+|[sv]\[\d+:\d+\]|RZ|URZ|PT)\b/y],
    ["number", /\b(?:0[xfFdD][\da-fA-F]+|\d+)\b/y],
    ["call", /\b[A-Z][A-Z\d]+(?:\.[A-Z\d_]+)*\b|\b(?:ld|st|add|mul|fma|mad|sub|cvt|mov|shl|shr|setp|selp|bra|bar|and|or|xor|max|min|ex2|lg2|rsqrt|rcp|sqrt|shfl|ret|div|neg|abs|not|mma|wgmma|cp)\.[\w.:]+|\b(?:global|buffer|ds|s|v)_\w+/y],
    ["keyword", /\.[a-z]\w*/y],
    ["plain", /[A-Za-z_$][\w$]*/y],
  ],
};

/** `[kind, text]` for every part of a text. */
function tokens(text, language) {
  const found = [];
  let plain = "";
  for (let at = 0; at < text.length; ) {
    const [kind, part] = token(text, at, LANGUAGES[language]) ?? ["", text[at]];
    if (kind === "" || kind === "plain") plain += part;
    else {
      if (plain) found.push(["", plain]);
      found.push([kind, part]);
      plain = "";
    }
    at += part.length;
  }
  if (plain) found.push(["", plain]);
  return found;
}

function token(text, at, rules) {
  for (const [kind, pattern] of rules) {
    pattern.lastIndex = at;
    const match = pattern.exec(text);
    if (match && match[0]) return [kind === "name" ? named(match[0], text, pattern.lastIndex) : kind, match[0]];
  }
  return null;
}

function named(word, text, end) {
  if (PYTHON_WORDS.test(word)) return "keyword";
  return text[end] === "(" ? "call" : "name";
}

/** The elements of a text's tokens. */
function coloured(text, language) {
  return tokens(text, language).map(([kind, part]) => (kind ? el("span", { class: `t-${kind}` }, part) : part));
}

/** A text's lines, each coloured; what goes over several lines keeps its colour in each. */
function colouredLines(text, language) {
  const lines = [[]];
  for (const [kind, part] of tokens(text, language)) {
    part.split("\n").forEach((piece, position) => {
      if (position) lines.push([]);
      if (piece) lines.at(-1).push(kind ? el("span", { class: `t-${kind}` }, piece) : piece);
    });
  }
  return lines;
}
