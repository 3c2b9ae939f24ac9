// One submission, loaded: its objects, and what is asked of them.

import { EventLog } from "./events.js";
import { described, Refusal, typeOf } from "./faults.js";
import { CONSTRUCTOR, expectInterface, found } from "./interface.js";
import { Realm } from "./realm.js";
import { camel, Values } from "./values.js";
import { fromBase64, toText } from "./wire.js";

export class Subject {
  #source;
  #interface;
  #exports = {};
  #realm;
  #values;
  #log;
  #made = new Map();

  /** A subject with nothing loaded yet, in a realm of its own. */
  static async make({ source, path, interface: wanted }) {
    const subject = new Subject();
    subject.#source = { path, text: toText(fromBase64(source)) };
    subject.#interface = wanted;
    subject.#realm = await Realm.make();
    subject.#values = new Values(subject.#realm.exercise);
    subject.#log = new EventLog((value) => subject.#values.describe(value));
    subject.#realm.exercise.observe((...event) => subject.#log.during(...event));
    return subject;
  }

  /** Evaluate the submission, and look for what it must offer. */
  async load() {
    try {
      this.#exports = await this.#realm.load(this.#source);
      expectInterface(this.#exports, this.#interface, this.#source);
    } catch (error) {
      return this.#reply({ error: described(error, this.#source, "import") });
    }
    return this.#reply({ value: null });
  }

  /** The reply to a request. */
  answer(request) {
    const reply = {};
    const watch = (request.op === "call" && this.#made.get(request.ref)?.watch) || [];
    try {
      reply.value = this.#values.describe(this.#act(request), { record: request.op === "get" });
    } catch (error) {
      reply.error = described(error, this.#source);
    }
    if (watch.length > 0) {
      const target = this.#values.at(request.ref);
      reply.after = Object.fromEntries(watch.map((name) => [name, this.#seen(target, name)]));
    }
    return this.#reply(reply);
  }

  #reply(reply) {
    return { ...reply, events: this.#log.take() };
  }

  #act(request) {
    const values = this.#values;
    switch (request.op) {
      case "forget":
        this.#made.clear();
        return values.forget();
      case "function":
        return this.#function(request);
      case "tensor":
        return values.build(request.value);
      case "new":
        return this.#new(request);
      case "call":
        return this.#call(request);
      case "get":
        return attribute(values.at(request.ref), request.name);
      case "read":
        return values.at(request.ref);
      case "write":
        return values.write(values.at(request.ref), request.value);
      case "shares_storage":
        return values.shareStorage(values.at(request.a), values.at(request.b));
    }
    throw new Refusal({ kind: "protocol", message: `no request is called ${request.op}` });
  }

  #function({ name, params }) {
    const built = Object.entries(params).map(([key, value]) => [key, this.#values.build(value)]);
    return this.#realm.exercise.make(name, Object.fromEntries(built), (fn, x) => {
      if (!this.#values.isTensor(x)) return false;
      this.#log.emit("function", { function: fn, input: x });
      return true;
    });
  }

  #new(request) {
    const args = this.#arguments(request, request.class, CONSTRUCTOR);
    const made = Reflect.construct(found(this.#exports, request.class), args);
    this.#made.set(this.#values.ref(made), { of: request.class, watch: request.watch });
    return made;
  }

  #call(request) {
    const target = this.#values.at(request.ref);
    const args = this.#arguments(request, this.#made.get(request.ref)?.of, request.method);
    if (request.method === null) return Reflect.apply(target, undefined, args);
    const method = attribute(target, request.method);
    if (typeof method !== "function") throw new TypeError(`${camel(request.method)} is no method`);
    return Reflect.apply(method, target, args);
  }

  /** The arguments of a call, those by name at their places. */
  #arguments({ args = [], kwargs = {} }, of, method) {
    const built = args.map((value) => this.#values.build(value));
    const names = (this.#interface[of]?.[method] ?? []).map((name) => name.replace("?", ""));
    for (const name of Object.keys(kwargs)) {
      built[names.indexOf(name)] = this.#values.build(kwargs[name]);
    }
    return built;
  }

  #seen(target, name) {
    try {
      return this.#values.describe(attribute(target, name), { record: true });
    } catch (error) {
      return { $: "error", ...described(error, this.#source) };
    }
  }
}

function attribute(target, name) {
  const spelled = camel(name);
  if (!(spelled in target)) throw new TypeError(`${typeOf(target)} has no ${spelled}`);
  return target[spelled];
}
