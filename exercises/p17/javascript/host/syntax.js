// Where a module does not parse. Node keeps the line to itself, except for scripts.

import { Script } from "node:vm";

import { codeAt, Refusal } from "./faults.js";

/** What only modules have, each with what a script may have in its place, on the same lines. */
const OF_MODULES = [
  [/^([ \t]*)import\b[\w$*\s{},]*?(["'])[^"'\n]*\2/gm, blank],
  [/^([ \t]*)export\s*(\{[^}]*\}|\*[\w$\s*]*)(\s*from\s*(["'])[^"'\n]*\4)?/gm, blank],
  [/^([ \t]*)export\s+default\b/gm, "$1void "],
  [/^([ \t]*)export\b/gm, "$1"],
  [/\bimport\.meta\b/g, "({})"],
];

/**
 * Why a module does not parse, with the line where a script made of it does not.
 *
 * @param {Error} error of the module
 * @param {string} text the module
 */
export function refusalOfSyntax({ message }, text) {
  const script = OF_MODULES.reduce((made, [form, other]) => made.replace(form, other), text);
  const lines = [script, `(async () => {${script}\n})`].map((form) => lineIn(form, message));
  const line = lines.find((found) => found !== null) ?? null;
  return new Refusal({ kind: "syntax", message, line, code: codeAt(line, { text }) });
}

function lineIn(script, message) {
  try {
    new Script(`"use strict";${script}`, { filename: "script" });
  } catch (error) {
    const [, line] = /^script:(\d+)\n/.exec(error.stack) ?? [];
    if (line !== undefined && error.message === message) return Number(line);
  }
  return null;
}

function blank(part) {
  return part.replace(/[^\n]/g, " ");
}
