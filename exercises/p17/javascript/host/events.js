// The event log: what the given graph and functions were seen to do.

const MAX_EVENTS = 10_000;

/** Keeps events until the next reply carries them away. */
export class EventLog {
  #describe;
  #events = [];
  #dropped = 0;
  #within = null;

  /** @param {(value: unknown) => object} describe makes of a value one of the protocol */
  constructor(describe) {
    this.#describe = describe;
  }

  /** Note an event, its fields as they are now. */
  emit(event, fields) {
    const entry = { event, within: this.#within };
    this.#fill(entry, fields);
    if (this.#events.length === MAX_EVENTS) {
      this.#dropped += 1;
      throw new Error(`more than ${MAX_EVENTS} calls of what is given, in one call`);
    }
    this.#events.push(entry);
    return entry;
  }

  /** Note an event that lasts while something is done; others meanwhile are within it. */
  during(event, before, act, after) {
    const outer = this.#within;
    const entry = this.emit(event, before);
    this.#within = event;
    try {
      return act();
    } finally {
      this.#within = outer; // no call, which could lack the stack for it
      this.#fill(entry, after());
    }
  }

  /** The events since the last time. */
  take() {
    const events = this.#events;
    if (this.#dropped > 0) {
      events.push({ event: "dropped", within: null, count: this.#dropped });
    }
    this.#events = [];
    this.#dropped = 0;
    this.#within = null;
    return events;
  }

  #fill(entry, fields) {
    for (const name of Object.keys(fields)) entry[name] = this.#describe(fields[name]);
  }
}
