// The realm that a submission lives in: with globals, built-in classes and given modules of its
// own, made anew for every load. What it changes there is not what the host uses.

import { readFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import vm from "node:vm";

import { printAtOnce } from "./output.js";
import { refusalOfSyntax } from "./syntax.js";

// Bound as they were before any submission.
const { SourceTextModule, SyntheticModule, createContext, runInContext } = vm;

/** The files that are evaluated in each realm, by their names in the kit. */
const FILES = new Map(
  ["p17/matrix.js", "p17/cpu_graph.js", "host/p17.js"].map((name) => {
    return [name, readFileSync(new URL(`../${name}`, import.meta.url), "utf8")];
  }),
);

/** The modules of node's that look into the host's doings, or beyond this process. */
const CLOSED = new Set([
  "async_hooks", "child_process", "cluster", "inspector", "inspector/promises", "module", "repl",
  "trace_events", "v8", "vm", "wasi", "worker_threads",
]);

/** What node adds to the globals of the language, looked up where it is used. */
const LENT = lent();

/** What of it each realm has for itself. */
const OWN = "(console) => { Object.assign(globalThis, { console, global: globalThis }); }";

/** A realm with the given modules in it. */
export class Realm {
  #context = createContext(Object.create(LENT));
  #modules = new Map();

  /** Make one; `exercise` is what the exercise's module exports there. */
  static async make() {
    const realm = new Realm();
    runInContext(OWN, realm.#context)(printAtOnce());
    const module = realm.#given("host/p17.js");
    await module.link((specifier) => realm.#given(`p17/${specifier.split("/").at(-1)}`));
    await module.evaluate();
    realm.exercise = module.namespace;
    return realm;
  }

  /**
   * Evaluate a submission.
   *
   * @param {{ path: string, text: string }} source
   * @returns {Promise<object>} what it exports
   * @throws {Refusal} kind `syntax`; what else goes wrong is thrown as it is
   */
  async load({ path, text }) {
    const module = this.#parsed(path, text);
    await module.link((specifier) => this.#imported(specifier));
    await settled(module.evaluate());
    return module.namespace;
  }

  #parsed(path, text) {
    try {
      return this.#module(path, text);
    } catch (error) {
      throw refusalOfSyntax(error, text);
    }
  }

  #module(identifier, text) {
    return new SourceTextModule(text, {
      identifier,
      context: this.#context,
      initializeImportMeta: (meta) => (meta.url = `file:///${identifier}`),
      importModuleDynamically: (specifier) => this.#imported(specifier),
    });
  }

  #given(name) {
    if (!this.#modules.has(name)) this.#modules.set(name, this.#module(name, FILES.get(name)));
    return this.#modules.get(name);
  }

  async #imported(specifier) {
    if (specifier.startsWith("#p17/") && FILES.has(specifier.slice(1))) {
      return this.#given(specifier.slice(1));
    }
    const name = specifier.replace(/^node:/, "");
    if (!isBuiltin(specifier) || CLOSED.has(name)) {
      const there = 'there are "#p17/cpu_graph.js", "#p17/matrix.js", and those of node\'s own';
      throw new Error(`no module ${JSON.stringify(specifier)}: ${there} that stay in this process`);
    }
    if (!this.#modules.has(name)) this.#modules.set(name, this.#builtin(specifier));
    return this.#modules.get(name);
  }

  async #builtin(specifier) {
    const exports = await import(specifier);
    const names = Object.keys(exports);
    const evaluate = function () {
      for (const name of names) this.setExport(name, exports[name]);
    };
    const module = new SyntheticModule(names, evaluate, { context: this.#context });
    await module.link(() => {});
    await module.evaluate();
    return module;
  }
}

function lent() {
  const language = runInContext("Object.getOwnPropertyNames(globalThis)", createContext({}));
  const names = new Set(Object.getOwnPropertyNames(globalThis));
  for (const name of [...language, "global"]) names.delete(name);
  const properties = Array.from(names, (name) => {
    const set = function (value) {
      Object.defineProperty(this, name, { value, writable: true, configurable: true });
    };
    return [name, { get: () => globalThis[name], set }];
  });
  return Object.create(null, Object.fromEntries(properties));
}

/** What comes of an evaluation, which may wait for something itself. */
function settled(evaluation) {
  return new Promise((resolve, reject) => {
    waiting = reject;
    evaluation.then(resolve, reject);
  });
}

let waiting = () => {};
process.on("uncaughtException", (error) => waiting(error));
process.on("beforeExit", () => waiting(new Error("a top-level await waits for what never comes")));
