// P17 on the submission's side: the functions that runners are given, and a CpuGraph that tells
// what it did. Evaluated anew in the realm of each submission, before it. Whatever it uses is
// bound here: the submission may put others in its place.

import { CpuGraph, DType, Matrix, NotImplemented } from "#p17/cpu_graph.js";

const { Float32Array, Float64Array, TypeError } = globalThis;
const { defineProperty, freeze, getOwnPropertyDescriptor } = Object;
const { apply } = Reflect;
const { fround } = Math;
const { isMatrix, zeros } = Matrix;

/** What there is to know of this realm. */
export { isMatrix };
export const isGiven = (value) => value instanceof Matrix || value instanceof CpuGraph;
export const plain = Object.prototype;

/** An array of this realm. */
export const array = (...items) => items;

/** A matrix over new elements. */
export function matrix(dtype, length, rows, cols, layout) {
  const data = dtype === DType.float64 ? new Float64Array(length) : new Float32Array(length);
  return new Matrix(data, rows, cols, layout);
}

/** What each function computes: from its parameters, a function of a matrix. */
const FUNCTIONS = {
  /** scale * x + shift, element by element. */
  affine: ({ scale, shift }) => (x) => {
    const round = rounding(x);
    const factor = round(scale);
    const summand = round(shift);
    return elementwise(x, (value) => round(round(value * factor) + summand));
  },

  /** x @ weights: every row by itself, its elements together. */
  linear: ({ weights, dtype }) => (x) => {
    if (x.dtype !== dtype) throw new TypeError(`fn takes ${dtype}, not ${x.dtype}`);
    const round = rounding(x);
    return elementwise(x, (_, i, j) => {
      let sum = 0;
      for (let k = 0; k < x.cols; k++) sum = round(sum + round(x.get(i, k) * weights[k][j]));
      return sum;
    });
  },

  /** 1 / x: infinite where x is 0, NaN where x is. */
  reciprocal: () => (x) => {
    const round = rounding(x);
    return elementwise(x, (value) => round(1 / value));
  },

  /** x plus the sum over the batch: every row depends on all rows of the graph. */
  batch_sum: () => (x) => {
    const round = rounding(x);
    const sums = zeros(1, x.cols, x.dtype);
    for (let i = 0; i < x.rows; i++) {
      for (let j = 0; j < x.cols; j++) sums.set(0, j, sums.get(0, j) + x.get(i, j));
    }
    return elementwise(x, (value, _, j) => round(value + sums.get(0, j)));
  },
};

/** What makes of a number one that the elements of a matrix can be. */
function rounding(x) {
  return x.dtype === DType.float32 ? fround : (value) => value;
}

function elementwise(x, compute) {
  const result = zeros(x.rows, x.cols, x.dtype);
  for (let i = 0; i < x.rows; i++) {
    for (let j = 0; j < x.cols; j++) result.set(i, j, compute(x.get(i, j), i, j));
  }
  return result;
}

/**
 * A function to be given to the submission. Nothing tells one from another.
 *
 * @param {(fn: Function, x: unknown) => boolean} note takes down a call, if it is of a matrix
 */
export function make(name, params, note) {
  const compute = FUNCTIONS[name](params);
  const fn = (x) => {
    if (!note(fn, x)) throw new TypeError("fn takes a Matrix, of no subclass");
    return compute(x);
  };
  return freeze(fn);
}

/**
 * Have graphs tell what they do, and everything that is given stay as it is.
 *
 * Events: `capture` with the views that the graph is over; `replay` with what the input held when
 * it began and the output when it ended.
 *
 * @param {(event: string, before: object, act: Function, after: Function) => void} during
 */
export function observe(during) {
  const { capture, replay } = CpuGraph.prototype;
  const [input, output, captured] = ["staticIn", "staticOut", "captured"].map((name) => {
    const { get } = getOwnPropertyDescriptor(CpuGraph.prototype, name);
    return (graph) => apply(get, graph, []);
  });
  const noted = {
    capture() {
      const before = { graph: this, input: input(this), output: output(this) };
      during("capture", before, () => apply(capture, this, []), () => ({}));
    },
    replay() {
      const act = () => apply(replay, this, []);
      if (!captured(this)) return act(); // and say that there is nothing to replay
      const after = () => ({ output: output(this) });
      during("replay", { graph: this, input: input(this) }, act, after);
    },
  };
  for (const name of ["capture", "replay"]) {
    defineProperty(CpuGraph.prototype, name, { value: noted[name] });
  }
  for (const given of [CpuGraph, Matrix, NotImplemented]) {
    freeze(given);
    freeze(given.prototype);
  }
}
