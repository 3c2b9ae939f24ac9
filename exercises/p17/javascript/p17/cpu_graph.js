// A CUDA graph on the CPU: one function over one pair of static buffers. Given to the student.

import { Matrix } from "./matrix.js";

export { DType, Matrix } from "./matrix.js";

/** What has still to be written. */
export class NotImplemented extends Error {
  name = "NotImplemented";
}

/**
 * One graph over one pair of static buffers.
 *
 * A CUDA graph remembers kernels and the addresses that they read and write. So this one works on
 * the memory behind the views that it was made with, for ever, and a replay takes no arguments:
 * new input gets in by being written to the memory behind `staticIn`, and the output is found in
 * the memory behind `staticOut`.
 *
 *     const staticIn = Matrix.zeros(4, 1), staticOut = Matrix.zeros(4, 1);
 *     const graph = new CpuGraph(double, staticIn.rowRange(0, 2), staticOut.rowRange(0, 2));
 *     graph.capture();
 *     staticIn.rowRange(0, 2).fill(5);
 *     graph.replay();
 *     staticOut.toRows();  // [[10], [10], [0], [0]]
 */
export class CpuGraph {
  #fn;
  #staticIn;
  #staticOut;
  #captured = false;

  /**
   * @param {(x: Matrix) => Matrix} fn the computation, [b, hidden] -> [b, hidden]
   * @param {Matrix} staticIn view of the input buffer, [b, hidden]
   * @param {Matrix} staticOut view of the output buffer, of the same shape and dtype
   * @throws {TypeError} fn is no function, or a view no matrix
   */
  constructor(fn, staticIn, staticOut) {
    if (typeof fn !== "function") throw new TypeError("fn is no function");
    if (!(staticIn instanceof Matrix)) throw new TypeError("staticIn is no matrix");
    if (!(staticOut instanceof Matrix)) throw new TypeError("staticOut is no matrix");
    this.#fn = fn;
    this.#staticIn = staticIn;
    this.#staticOut = staticOut;
  }

  get fn() {
    return this.#fn;
  }

  get staticIn() {
    return this.#staticIn;
  }

  get staticOut() {
    return this.#staticOut;
  }

  get captured() {
    return this.#captured;
  }

  /**
   * Record fn over the static views. It computes nothing for the caller: staticOut is written by
   * replay() alone.
   *
   * @throws {TypeError} what fn gives does not fit staticOut
   */
  capture() {
    this.#captured = false;
    const out = this.#fn(this.#staticIn);
    if (!(out instanceof Matrix)) throw new TypeError("fn gives no matrix");
    const given = form(out);
    const wanted = form(this.#staticOut);
    if (given !== wanted) throw new TypeError(`fn gives ${given}, but staticOut is ${wanted}`);
    this.#captured = true;
  }

  /**
   * Run what was recorded: read staticIn, write staticOut.
   *
   * @throws {Error} nothing has been captured yet
   */
  replay() {
    if (!this.#captured) {
      throw new Error("replay() before capture(): there is nothing recorded to replay");
    }
    this.#staticOut.copyFrom(this.#fn(this.#staticIn));
  }
}

function form(matrix) {
  return `${matrix.dtype} [${matrix.rows}, ${matrix.cols}]`;
}
