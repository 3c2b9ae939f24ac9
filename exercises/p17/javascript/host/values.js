// Values as the protocol spells them, and the objects of this process that they tell of.

import { types } from "node:util";

import { Refusal, typeOf } from "./faults.js";
import { fromBase64, toBase64 } from "./wire.js";

const MAX_DEPTH = 4;
const MAX_ITEMS = 10_000;

/** Bytes between two storages: more than one can have. */
const FAR = 2 ** 32;

const SIZES = { float32: 4, float64: 8 };

// A submission's own realm has others, which it may change.
const typedArray = Object.getPrototypeOf(Uint8Array.prototype);
const getter = (name) => Object.getOwnPropertyDescriptor(typedArray, name).get;
const [kindOf, bufferOf, startOf] = [Symbol.toStringTag, "buffer", "byteOffset"].map(getter);
const { isMap, isTypedArray } = types;
const { toString } = Object.prototype;

/** A key of a plain object that was a number before it became one. */
const INDEX = /^(0|[1-9]\d{0,8})$/;

/** `last_bucket` -> `lastBucket`, as a student writes it. */
export const camel = (name) => name.replace(/_([a-z])/g, (_, letter) => letter.toUpperCase());

/** `lastBucket` -> `last_bucket`, as the protocol has it. */
const snake = (name) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** The objects that have been told of, each under a number, its ref. */
export class Values {
  #realm;
  #held = [];
  #refs = new Map();
  #storages = new WeakMap();
  #numbered = 0;

  /** @param {object} realm what the exercise's module knows of the submission's realm */
  constructor(realm) {
    this.#realm = realm;
  }

  /** Begin anew. */
  forget() {
    this.#held = [];
    this.#refs = new Map();
    return null;
  }

  /** The object that has a number. */
  at(ref) {
    return this.#held[ref];
  }

  /** A value of the protocol as one of the submission's realm. */
  build(value) {
    if (Array.isArray(value)) return this.#realm.array(...value.map((item) => this.build(item)));
    switch (value?.$) {
      case undefined:
        return value;
      case "ref":
        return this.at(value.ref);
      case "float":
        return Number(value.value.replace("inf", "Infinity"));
      case "dtype":
        return expectDtype(value.name);
      case "tensor":
        return this.#tensor(value);
      default:
        throw new Refusal({ kind: "protocol", message: `unknown value ${value.$}` });
    }
  }

  /** A value of this process as one of the protocol. */
  describe(value, { depth = 0, record = false } = {}) {
    switch (typeof value) {
      case "undefined":
        return null;
      case "boolean":
      case "string":
        return value;
      case "number":
        return Number.isSafeInteger(value) ? value : float(value);
      case "bigint":
        return `${value}`;
    }
    if (value === null) return null;
    if (this.isTensor(value)) return { $: "tensor", ref: this.ref(value), ...this.#told(value) };
    if (depth < MAX_DEPTH) {
      const deeper = { depth: depth + 1 };
      const items = itemsOf(value);
      if (items !== null) return items.map((item) => this.describe(item, deeper));
      const pairs = this.#pairsOf(value, record);
      if (pairs !== null) {
        const told = pairs.map((pair) => pair.map((side) => this.describe(side, deeper)));
        return { $: "map", items: told };
      }
    }
    return { $: "object", ref: this.ref(value), type: typeOf(value) };
  }

  /** Whether it is a matrix, of no subclass. */
  isTensor(value) {
    if (!this.#realm.isMatrix(value)) return false;
    const kind = kindOf.call(value.data);
    return kind === "Float32Array" || kind === "Float64Array";
  }

  /** Write a tensor value into a matrix of the same shape. */
  write(matrix, { data }) {
    const given = fromBase64(data);
    forEachPiece(matrix, (piece, start) => piece.set(given.subarray(start, start + piece.length)));
    return null;
  }

  /** Whether two matrices have memory in common. */
  shareStorage(a, b) {
    return bufferOf.call(a.data) === bufferOf.call(b.data);
  }

  #tensor({ dtype, shape, strides, data }) {
    expectDtype(dtype);
    const [rows, cols] = shape;
    if (shape.length !== 2) throw new TypeError("a Matrix has two dimensions");
    const [rowStride, colStride] = strides ?? [cols, 1];
    const length = rows * cols && (rows - 1) * rowStride + (cols - 1) * colStride + 1;
    const made = this.#realm.matrix(dtype, length, rows, cols, { rowStride, colStride });
    this.write(made, { data });
    return made;
  }

  #told(matrix) {
    const { dtype, rows, cols, offset, rowStride, colStride } = matrix;
    const bytes = new Uint8Array(rows * cols * SIZES[dtype]);
    forEachPiece(matrix, (piece, start) => bytes.set(piece, start));
    return {
      dtype,
      shape: [rows, cols],
      strides: [rowStride, colStride],
      offset: offset + startOf.call(matrix.data) / SIZES[dtype],
      storage: this.#storage(bufferOf.call(matrix.data)),
      data: toBase64(bytes),
    };
  }

  /** Where a storage is said to lie: JavaScript does not tell, so each has a place of its own. */
  #storage(buffer) {
    if (!this.#storages.has(buffer)) this.#storages.set(buffer, ++this.#numbered * FAR);
    return [this.#storages.get(buffer), new Uint8Array(buffer).length];
  }

  /** The number of an object, which keeps it, and is kept. */
  ref(value) {
    if (!this.#refs.has(value)) {
      this.#held.push(value);
      this.#refs.set(value, this.#held.length - 1);
    }
    return this.#refs.get(value);
  }

  /** Keys and values of what is a mapping; null for anything else. */
  #pairsOf(value, record) {
    if (isMap(value)) {
      const pairs = [...Map.prototype.entries.call(value)].map(([key, item]) => [named(key), item]);
      return pairs.length <= MAX_ITEMS ? pairs : null;
    }
    if (typeof value !== "object") return null;
    const prototype = Object.getPrototypeOf(value);
    const plain = prototype === null || prototype === this.#realm.plain;
    if (!plain && !(record && this.#isRecord(value))) return null;
    const keys = [...Object.keys(value), ...(plain ? [] : this.#accessors(prototype))];
    if (keys.length > MAX_ITEMS) return null;
    return keys.map((key) => [INDEX.test(key) ? Number(key) : named(key), value[key]]);
  }

  /** Whether it is an object of a class that the submission may have for what others use {} for. */
  #isRecord(value) {
    return toString.call(value) === "[object Object]" && !this.#realm.isGiven(value);
  }

  /** The names under which a class has something computed. */
  #accessors(prototype) {
    if (prototype === null || prototype === this.#realm.plain) return [];
    const own = Object.entries(Object.getOwnPropertyDescriptors(prototype));
    const names = own.filter(([, { get }]) => get !== undefined).map(([name]) => name);
    return [...names, ...this.#accessors(Object.getPrototypeOf(prototype))];
  }
}

/** Calls act with each piece of a matrix that lies in memory as it is told, and its place there. */
function forEachPiece(matrix, act) {
  const { rows, cols, offset, rowStride, colStride } = matrix;
  const [size, start] = [SIZES[matrix.dtype], startOf.call(matrix.data)];
  const memory = new Uint8Array(bufferOf.call(matrix.data));
  const together = colStride === 1 ? cols : 1;
  for (let i = 0; i < rows; i++) {
    for (let j = 0; j < cols; j += together) {
      const place = start + size * (offset + i * rowStride + j * colStride);
      act(memory.subarray(place, place + size * together), size * (i * cols + j));
    }
  }
}

/** The items of what is a sequence; null for anything else. */
function itemsOf(value) {
  if (!Array.isArray(value) && !isTypedArray(value)) return null;
  const { length } = value;
  return length <= MAX_ITEMS ? Array.from({ length }, (_, i) => value[i]) : null;
}

const named = (key) => (typeof key === "string" ? snake(key) : key);

function expectDtype(name) {
  if (!(name in SIZES)) throw new TypeError(`a Matrix is float32 or float64, not ${name}`);
  return name;
}

function float(value) {
  const special = { NaN: "nan", Infinity: "inf", "-Infinity": "-inf" };
  return { $: "float", value: special[value] ?? String(value) };
}
