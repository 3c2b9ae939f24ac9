// The host: holds a submission and answers the protocol, on descriptor 3, one request at a time.
// See docs/protocol.md. Requests are read, and all but `load` answered, without a turn of the
// event loop: what a submission leaves for later does not run in between.

import { Exit } from "./faults.js";
import { Subject } from "./subject.js";
import { leave, Wire } from "./wire.js";

const VERSION = 1;

/** Ways from `process` to node's inside. */
const CLOSED = ["binding", "_linkedBinding", "dlopen", "getBuiltinModule", "_debugProcess"];

const HELLO = { protocol: VERSION, language: "javascript", runtime: process.versions.node };

function closeProcess() {
  for (const name of CLOSED) delete process[name];
  process.exit = (code = process.exitCode ?? 0) => {
    throw new Exit(`${code}`);
  };
  process.on("SIGUSR1", () => {}); // else it opens the inspector
}

async function serve(wire) {
  let subject = await Subject.make({ source: "", path: "", interface: {} });
  for (;;) {
    const request = wire.read();
    const { id } = request;
    switch (request.op) {
      case "seal":
        wire.write({ id, value: null, events: [] });
        wire.seal(request.key);
        break;
      case "hello":
        wire.write({ id, value: { $: "map", items: Object.entries(HELLO) }, events: [] });
        break;
      case "load":
        subject = await Subject.make(request);
        wire.write({ id, ...(await subject.load()) });
        break;
      default:
        wire.write({ id, ...subject.answer(request) });
    }
  }
}

closeProcess();
try {
  await serve(new Wire());
} catch (error) {
  leave(error); // the submission has broken what the host cannot do without
}
