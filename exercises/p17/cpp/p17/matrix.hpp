#pragma once

#include <cstddef>
#include <memory>
#include <string>

namespace p17 {

enum class DType { float32, float64 };

/// "float32" or "float64".
const char* name_of(DType dtype);

/// The bytes of one element.
std::size_t size_of(DType dtype);

/// Memory that views lie in. It begins as zeros and is never moved.
class Storage {
 public:
  explicit Storage(std::size_t bytes);
  ~Storage();
  Storage(const Storage&) = delete;
  Storage& operator=(const Storage&) = delete;

  void* const begin;
  const std::size_t bytes;
};

/// Where the elements of a matrix lie; offset and strides are counted in elements.
struct View {
  std::shared_ptr<Storage> storage;
  DType dtype;
  int rows, cols;
  std::ptrdiff_t offset, row_stride, col_stride;
};

/// A 2-D matrix, in the way of a tensor: a handle on a view of some memory.
///
/// Copying a `Matrix` copies the handle and not the numbers: what is written by way of one copy
/// is seen by way of the other. `clone` gives numbers of one's own.
///
///     Matrix buffer = Matrix::zeros(4, 2);
///     buffer.row_range(0, 3).fill(5);   // rows 0, 1 and 2 of buffer are 5 now
class Matrix {
 public:
  Matrix();  // 0 x 0
  explicit Matrix(View view);
  static Matrix zeros(int rows, int cols, DType dtype = DType::float32);

  int rows() const { return view_->rows; }
  int cols() const { return view_->cols; }
  DType dtype() const { return view_->dtype; }

  /// A view of rows [begin, end), on the same memory. Throws std::out_of_range.
  Matrix row_range(int begin, int end) const;

  /// A copy in memory of its own, row by row.
  Matrix clone() const;

  /// Copies the elements of a matrix of the same shape and dtype into this one; the two may
  /// overlap. Throws std::invalid_argument.
  void copy_from(const Matrix& other);

  void fill(double value);

  /// Throw std::out_of_range.
  double get(int row, int col) const;
  void set(int row, int col, double value);

  /// Whether both lie in the same memory.
  bool shares_storage(const Matrix& other) const;

  /// The address of an element, a float or a double by the dtype. Rows need not lie one after
  /// another: see `view`.
  void* address(int row = 0, int col = 0) const;

  /// Copies of a handle have one view in common.
  const std::shared_ptr<const View>& view() const { return view_; }

  /// Such as "float32 [3, 2]".
  std::string form() const;

 private:
  void expect_inside(int row, int col) const;
  std::shared_ptr<const View> view_;
};

}  // namespace p17
