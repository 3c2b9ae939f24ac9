// What went wrong in a submission, as data, with the student's own file and line.

import { types } from "node:util";

const MAX_TEXT = 2000;
const { isNativeError } = types;

/** A request that cannot be met, for a reason that is no exception of the submission's. */
export class Refusal extends Error {
  constructor(fields) {
    super(fields.kind);
    this.fields = fields;
  }
}

/** What process.exit() throws. */
export class Exit extends Error {
  name = "Exit";
}

/**
 * Whatever was thrown, as the `error` of a reply.
 *
 * @param {unknown} error
 * @param {{ path: string, text: string }} source of the submission
 * @param {string} kind what to call it, where it is neither an exit nor a lack of memory
 */
export function described(error, source, kind = "exception") {
  try {
    if (error instanceof Refusal) return error.fields;
    const [type, message] = [typeOf(error), clipped(messageOf(error))];
    const line = lineOf(error, source.path);
    const code = codeAt(line, source);
    return { kind: kindOf(error, message) ?? kind, type, message, line, code };
  } catch {
    // Its parts are the student's own, and may do anything.
    return { kind, type: typeof error, message: "", line: null, code: null };
  }
}

/** The name of a value's class; of a value of no class, what it is. */
export function typeOf(value) {
  try {
    if (value === null) return "null";
    if (typeof value !== "object" && typeof value !== "function") return typeof value;
    const name = value.constructor?.name;
    if (name === "NotImplemented") return "NotImplementedError";
    return typeof name === "string" ? name.slice(0, 200) : typeof value;
  } catch {
    return typeof value;
  }
}

/** The text of a line, without what is around it. */
export function codeAt(line, { text }) {
  return line === null ? null : (text.split("\n")[line - 1] ?? "").trim();
}

function messageOf(error) {
  return isNativeError(error) ? `${error.message}` : String(error);
}

function clipped(text) {
  const more = text.length - MAX_TEXT;
  return more > 0 ? `${text.slice(0, MAX_TEXT)}… (+${more})` : text;
}

function kindOf(error, message) {
  if (error instanceof Exit) return "exit";
  return isNativeError(error) && message === "Array buffer allocation failed" ? "memory" : null;
}

/** The innermost line of the student's own, in a stack as V8 writes it. */
function lineOf(error, path) {
  if (!isNativeError(error)) return null;
  for (const frame of `${error.stack}`.split("\n")) {
    const [, file, line] = /^ +at (?:.* \()?(.*?):(\d+):\d+\)?$/.exec(frame) ?? [];
    if (file === path) return Number(line);
  }
  return null;
}
