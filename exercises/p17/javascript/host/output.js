// What a submission prints goes out at once: nothing waits for the event loop, which does not
// turn while requests are answered.

import { Console } from "node:console";
import { writeSync } from "node:fs";
import { Writable } from "node:stream";

class Output extends Writable {
  constructor(fd) {
    super({ decodeStrings: true });
    this.fd = fd;
  }

  _write(chunk, _encoding, done) {
    try {
      for (let sent = 0; sent < chunk.length; ) sent += writeSync(this.fd, chunk, sent);
    } catch {
      // Whoever was to read it does so no longer.
    }
    done();
  }
}

/** Have `process.stdout` and `process.stderr` print at once; gives a console that does, too. */
export function printAtOnce() {
  const [stdout, stderr] = [new Output(1), new Output(2)];
  for (const [name, value] of Object.entries({ stdout, stderr })) {
    Object.defineProperty(process, name, { value, configurable: true });
  }
  return new Console(stdout, stderr);
}
