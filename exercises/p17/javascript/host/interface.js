// What a submission must offer: classes with methods that can be called as the exercise does.

import { Refusal } from "./faults.js";
import { camel } from "./values.js";

export const CONSTRUCTOR = "__init__";

/** What a submission exports under a name, be it as its default. */
export function found(exports, name) {
  return exports[name] ?? (exports.default?.name === name ? exports.default : undefined);
}

/**
 * Look for what there must be.
 *
 * @param {object} exports of the submission
 * @param {Record<string, Record<string, string[]>>} wanted class -> method -> parameters, those
 *   with a default marked by "?"
 * @param {{ text: string }} source of the submission
 * @throws {Refusal} kind `missing` or `signature`
 */
export function expectInterface(exports, wanted, { text }) {
  for (const [name, methods] of Object.entries(wanted)) {
    const made = found(exports, name);
    if (typeof made !== "function") {
      const classes = Object.keys(exports).filter((key) => typeof exports[key] === "function");
      const hidden = new RegExp(`\\bclass ${name}\\b`).test(text) ? [`${name} without export`] : [];
      throw new Refusal({ kind: "missing", name, found: [...classes, ...hidden] });
    }
    for (const [method, parameters] of Object.entries(methods)) {
      expectMethod(made, name, method, parameters);
    }
  }
}

function expectMethod(made, name, method, parameters) {
  const known = method === CONSTRUCTOR ? made : made.prototype?.[camel(method)];
  const full = `${name}.${method === CONSTRUCTOR ? "constructor" : camel(method)}`;
  if (typeof known !== "function") {
    // A field that holds a function is one of each object, and seen when there is one.
    if (new RegExp(`\\b${camel(method)}\\s*=`).test(`${made}`)) return;
    const own = Object.getOwnPropertyNames(made.prototype ?? {});
    const methods = own.filter((key) => key !== "constructor");
    throw new Refusal({ kind: "missing", name: full, found: methods });
  }
  if (known.length > parameters.length) {
    throw new Refusal({
      kind: "signature",
      name: full,
      wanted: parameters.map((parameter) => camel(parameter).replace("?", " = …")).join(", "),
      seen: `${known.length} parameters`,
      message: `called with ${parameters.length} arguments`,
      line: null,
      code: null,
    });
  }
}
