// HMAC-SHA-256 (RFC 2104, FIPS 180-4) in plain numbers. Node's own works through objects that
// every module can reach and change.

const BLOCK = 64;

// The first 32 bits of the fractional parts: of the cube roots, and square roots, of the primes.
const primes = [];
for (let n = 2; primes.length < 64; n++) if (primes.every((p) => n % p)) primes.push(n);
const fraction = (x) => ((x - Math.floor(x)) * 2 ** 32) | 0;
const K = primes.map((p) => fraction(Math.cbrt(p)));
const START = primes.slice(0, 8).map((p) => fraction(Math.sqrt(p)));

// Views, for writing to typed arrays is slow where their classes are frozen.
const words = new DataView(new ArrayBuffer(4 * 64));
const word = (t) => words.getInt32(4 * t);
const rotated = (x, n) => (x >>> n) | (x << (32 - n));

function compress(state, message, start) {
  for (let t = 0; t < 16; t++) words.setInt32(4 * t, message.getInt32(start + 4 * t));
  for (let t = 16; t < 64; t++) {
    const x = word(t - 15);
    const y = word(t - 2);
    const s0 = rotated(x, 7) ^ rotated(x, 18) ^ (x >>> 3);
    const s1 = rotated(y, 17) ^ rotated(y, 19) ^ (y >>> 10);
    words.setInt32(4 * t, word(t - 16) + s0 + word(t - 7) + s1);
  }
  let { 0: a, 1: b, 2: c, 3: d, 4: e, 5: f, 6: g, 7: h } = state;
  for (let t = 0; t < 64; t++) {
    const s1 = rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25);
    const t1 = h + s1 + ((e & f) ^ (~e & g)) + K[t] + word(t);
    const s0 = rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22);
    h = g;
    g = f;
    f = e;
    e = (d + t1) | 0;
    d = c;
    c = b;
    b = a;
    a = (t1 + s0 + ((b & c) ^ (b & d) ^ (c & d))) | 0;
  }
  return [a, b, c, d, e, f, g, h].map((value, i) => (value + state[i]) | 0);
}

/** The digest of the bytes of several arrays, one after the other. */
export function sha256(...parts) {
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  const bytes = new Uint8Array(Math.ceil((length + 9) / BLOCK) * BLOCK);
  let end = 0;
  for (const part of parts) {
    bytes.set(part, end);
    end += part.length;
  }
  bytes[length] = 0x80;
  const message = new DataView(bytes.buffer);
  message.setBigUint64(bytes.length - 8, BigInt(length) * 8n);
  let state = START;
  for (let start = 0; start < bytes.length; start += BLOCK) state = compress(state, message, start);
  const digest = new DataView(new ArrayBuffer(4 * 8));
  state.forEach((value, i) => digest.setInt32(4 * i, value));
  return new Uint8Array(digest.buffer);
}

/** What takes the HMAC of bytes, under a key of not more than 64 bytes. */
export function hmac(key) {
  const [inner, outer] = [0x36, 0x5c].map((pad) => {
    return Uint8Array.from({ length: BLOCK }, (_, i) => (key[i] ?? 0) ^ pad);
  });
  return (bytes) => sha256(outer, sha256(inner, bytes));
}
