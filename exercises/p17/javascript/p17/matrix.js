// Matrices on the CPU. Given to the student; it needs nothing but the language itself, and may
// be taken out and used by itself.

// Bound here, for a program may put others in their place later.
const { Float32Array, Float64Array, RangeError, TypeError } = globalThis;
const { freeze } = Object;
const { isInteger } = Number;
const { max, min } = Math;

/** What the elements of a matrix can be. */
export const DType = freeze({ float32: "float32", float64: "float64" });

/**
 * Rows and columns of numbers in memory that other matrices may have a share in.
 *
 * A matrix is a view: element (i, j) is `data[offset + i * rowStride + j * colStride]`. Where it
 * looks never changes; what is there does.
 *
 *     const x = Matrix.zeros(4, 2);
 *     x.rowRange(0, 2).fill(5);
 *     x.toRows();  // [[5, 5], [5, 5], [0, 0], [0, 0]]
 */
export class Matrix {
  #plain;
  #data;
  #layout;

  /**
   * A view of elements that there are already.
   *
   * @param {Float32Array | Float64Array} data the elements, whose type gives the dtype
   * @param {number} rows
   * @param {number} cols
   * @param {{ offset?: number, rowStride?: number, colStride?: number }} [layout] in elements;
   *   row after row unless it says otherwise
   * @throws {TypeError} data is no such array
   * @throws {RangeError} data has no such elements
   */
  constructor(data, rows, cols, { offset = 0, rowStride = cols, colStride = 1 } = {}) {
    if (!(data instanceof Float32Array) && !(data instanceof Float64Array)) {
      throw new TypeError("the elements of a matrix lie in a Float32Array or a Float64Array");
    }
    expectCount("rows", rows);
    expectCount("cols", cols);
    const down = (rows - 1) * rowStride;
    const right = (cols - 1) * colStride;
    const first = offset + min(0, down) + min(0, right);
    const last = offset + max(0, down) + max(0, right);
    const inside = isInteger(first) && isInteger(last) && 0 <= first && last < data.length;
    if (rows * cols > 0 && !inside) {
      throw new RangeError(`a matrix [${rows}, ${cols}] does not fit ${data.length} elements`);
    }
    this.#data = data;
    this.#layout = { rows, cols, offset, rowStride, colStride };
    // What a subclass adds is its own affair; a plain matrix is what it seems.
    this.#plain = new.target === Matrix;
    if (this.#plain) freeze(this);
  }

  /** A new matrix of zeros, row after row. */
  static zeros(rows, cols, dtype = DType.float32) {
    expectCount("rows", rows);
    expectCount("cols", cols);
    if (dtype === DType.float32) return new Matrix(new Float32Array(rows * cols), rows, cols);
    if (dtype === DType.float64) return new Matrix(new Float64Array(rows * cols), rows, cols);
    throw new TypeError(`a dtype is "float32" or "float64", not ${spelled(dtype)}`);
  }

  /** A new matrix with the numbers of an array of rows. */
  static of(rows, dtype = DType.float32) {
    const made = Matrix.zeros(rows.length, rows[0]?.length ?? 0, dtype);
    rows.forEach((row, i) => row.forEach((value, j) => made.set(i, j, value)));
    return made;
  }

  /** Whether something is a matrix, of no subclass. */
  static isMatrix(value) {
    return typeof value === "object" && value !== null && #plain in value && value.#plain;
  }

  get rows() {
    return this.#layout.rows;
  }

  get cols() {
    return this.#layout.cols;
  }

  get dtype() {
    return this.#data instanceof Float64Array ? DType.float64 : DType.float32;
  }

  /** The memory itself, with all that other matrices have in it. */
  get data() {
    return this.#data;
  }

  get offset() {
    return this.#layout.offset;
  }

  get rowStride() {
    return this.#layout.rowStride;
  }

  get colStride() {
    return this.#layout.colStride;
  }

  get(row, col) {
    return this.#data[this.#place(row, col)];
  }

  set(row, col, value) {
    this.#data[this.#place(row, col)] = value;
  }

  /**
   * A view of the rows from begin to before end, on the same memory.
   *
   * @throws {RangeError} there are no such rows
   */
  rowRange(begin, end) {
    const there = isInteger(begin) && isInteger(end) && 0 <= begin && begin <= end;
    if (!there || end > this.rows) {
      throw new RangeError(`rows ${spelled(begin)} to ${spelled(end)} of ${this.rows}`);
    }
    const { cols, offset, rowStride, colStride } = this.#layout;
    const layout = { offset: offset + begin * rowStride, rowStride, colStride };
    return new Matrix(this.#data, end - begin, cols, layout);
  }

  /** A copy in memory of its own, row after row. */
  clone() {
    const copy = Matrix.zeros(this.rows, this.cols, this.dtype);
    copy.#write(this);
    return copy;
  }

  /**
   * Overwrite the elements with those of another matrix, which may lie in the same memory.
   *
   * @throws {TypeError} it is none, or one of another dtype
   * @throws {RangeError} it has another shape
   */
  copyFrom(other) {
    if (!(other instanceof Matrix)) throw new TypeError(`no matrix: ${spelled(other)}`);
    if (other.dtype !== this.dtype) {
      throw new TypeError(`a matrix of ${other.dtype} copied to one of ${this.dtype}`);
    }
    if (other.rows !== this.rows || other.cols !== this.cols) {
      const given = `[${other.rows}, ${other.cols}]`;
      throw new RangeError(`a matrix ${given} copied to one [${this.rows}, ${this.cols}]`);
    }
    this.#write(this.sharesStorage(other) ? other.clone() : other);
  }

  /** Set every element to one value. */
  fill(value) {
    for (let i = 0; i < this.rows; i++) {
      for (let j = 0; j < this.cols; j++) this.set(i, j, value);
    }
  }

  /** Whether two matrices have a share in the same memory. */
  sharesStorage(other) {
    return this.#data.buffer === other.#data.buffer;
  }

  /** The numbers, as an array of rows. */
  toRows() {
    const columns = Array.from({ length: this.cols }, (_, j) => j);
    return Array.from({ length: this.rows }, (_, i) => columns.map((j) => this.get(i, j)));
  }

  /** What console.log shows of it. */
  [Symbol.for("nodejs.util.inspect.custom")](_depth, options, inspect) {
    return `Matrix ${this.dtype} ${inspect(this.toRows(), options)}`;
  }

  #write(other) {
    for (let i = 0; i < this.rows; i++) {
      for (let j = 0; j < this.cols; j++) this.set(i, j, other.get(i, j));
    }
  }

  #place(row, col) {
    const { rows, cols, offset, rowStride, colStride } = this.#layout;
    if (!(row >= 0 && row < rows && col >= 0 && col < cols)) {
      throw new RangeError(`element (${spelled(row)}, ${spelled(col)}) of [${rows}, ${cols}]`);
    }
    return offset + row * rowStride + col * colStride;
  }
}

function expectCount(name, value) {
  if (!isInteger(value) || value < 0) {
    throw new RangeError(`${name} is a count, not ${spelled(value)}`);
  }
}

/** A value that is not what it should be, for a message: not all can be made a text. */
function spelled(value) {
  return typeof value === "object" && value !== null ? "an object" : String(value);
}
