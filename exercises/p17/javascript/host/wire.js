// Lines over the protocol's socket, and the bytes in them. Bound here, before any submission:
// what node's modules look up in objects that every module can reach.

import { readSync, writeSync } from "node:fs";

import { hmac } from "./sha256.js";

const SOCKET = 3;
const HUNG_UP = 77;
const NEWLINE = 10;

const { base64Slice, base64Write, hexWrite, utf8Slice } = Buffer.prototype;
const encoder = new TextEncoder();
const encode = encoder.encode.bind(encoder);
const reallyExit = process.reallyExit.bind(process);

/** End the process as one that nobody can talk to; says why, where that is not plain. */
export function leave(error) {
  if (error !== undefined) writeSync(2, `${error.stack}\n`);
  reallyExit(HUNG_UP);
}

/** Bytes as base64. */
export const toBase64 = (bytes) => base64Slice.call(bytes, 0, bytes.length);

/** The bytes that base64 stands for. */
export function fromBase64(text) {
  const bytes = new Uint8Array(Math.floor((text.length * 3) / 4));
  return bytes.subarray(0, base64Write.call(bytes, text, 0, bytes.length));
}

/** Bytes as text; what is no UTF-8 becomes U+FFFD. */
export const toText = (bytes) => utf8Slice.call(bytes, 0, bytes.length);

/** The socket: requests come in, replies go out. Where it is cut, the process ends. */
export class Wire {
  #held = new Uint8Array(1 << 16);
  #end = 0;
  #proof = null;

  /** Seal every line from the next one on. */
  seal(key) {
    const bytes = new Uint8Array(key.length / 2);
    hexWrite.call(bytes, key, 0, bytes.length);
    this.#proof = hmac(bytes);
  }

  /** The next request. */
  read() {
    let looked = 0;
    let newline = -1;
    while (newline < 0) {
      newline = this.#held.subarray(0, this.#end).indexOf(NEWLINE, looked);
      looked = this.#end;
      if (newline < 0) this.#receive();
    }
    const line = toText(this.#held.subarray(0, newline));
    this.#held.copyWithin(0, newline + 1, this.#end);
    this.#end -= newline + 1;
    return JSON.parse(line);
  }

  /** Send a reply. */
  write(reply) {
    const line = encode(JSON.stringify(reply));
    if (this.#proof !== null) {
      let proof = "";
      for (const byte of this.#proof(line)) proof += byte.toString(16).padStart(2, "0");
      this.#send(encode(`${proof} `));
    }
    this.#send(line);
    this.#send(encode("\n"));
  }

  #receive() {
    if (this.#end === this.#held.length) {
      const larger = new Uint8Array(2 * this.#held.length);
      larger.set(this.#held);
      this.#held = larger;
    }
    const room = this.#held.length - this.#end;
    const count = orLeave(() => readSync(SOCKET, this.#held, this.#end, room, null));
    if (count === 0) leave();
    this.#end += count;
  }

  #send(bytes) {
    for (let done = 0; done < bytes.length; ) {
      done += orLeave(() => writeSync(SOCKET, bytes, done, bytes.length - done));
    }
  }
}

/** What a system call gives; one that fails for good means that nobody is there. */
function orLeave(call) {
  for (;;) {
    try {
      return call();
    } catch (error) {
      if (error.code !== "EAGAIN" && error.code !== "EINTR") leave();
    }
  }
}
