#include "p17/matrix.hpp"

#include <cstdlib>
#include <cstring>
#include <new>
#include <stdexcept>
#include <utility>

namespace p17 {

const char* name_of(DType dtype) { return dtype == DType::float32 ? "float32" : "float64"; }

std::size_t size_of(DType dtype) {
  return dtype == DType::float32 ? sizeof(float) : sizeof(double);
}

Storage::Storage(std::size_t bytes) : begin(std::calloc(bytes, 1)), bytes(bytes) {
  if (bytes != 0 && begin == nullptr) throw std::bad_alloc();
}

Storage::~Storage() { std::free(begin); }

Matrix::Matrix() : Matrix(zeros(0, 0)) {}

Matrix::Matrix(View view) : view_(std::make_shared<View>(std::move(view))) {}

Matrix Matrix::zeros(int rows, int cols, DType dtype) {
  if (rows < 0 || cols < 0) throw std::invalid_argument("a matrix of less than no elements");
  std::size_t bytes = size_of(dtype);
  if (__builtin_mul_overflow(bytes, static_cast<std::size_t>(rows) * cols, &bytes)) {
    throw std::bad_alloc();
  }
  return Matrix(View{std::make_shared<Storage>(bytes), dtype, rows, cols, 0, cols, 1});
}

Matrix Matrix::row_range(int begin, int end) const {
  if (begin < 0 || begin > end || end > rows()) {
    throw std::out_of_range("row_range(" + std::to_string(begin) + ", " + std::to_string(end) +
                            ") of " + form());
  }
  View part = *view_;
  part.offset += begin * part.row_stride;
  part.rows = end - begin;
  return Matrix(std::move(part));
}

Matrix Matrix::clone() const {
  Matrix copy = zeros(rows(), cols(), dtype());
  copy.copy_from(*this);
  return copy;
}

void Matrix::copy_from(const Matrix& other) {
  if (rows() != other.rows() || cols() != other.cols() || dtype() != other.dtype()) {
    throw std::invalid_argument("copy_from: " + other.form() + " does not fit " + form());
  }
  const Matrix source = shares_storage(other) ? other.clone() : other;
  for (int row = 0; row < rows(); ++row) {
    for (int col = 0; col < cols(); ++col) {
      std::memcpy(address(row, col), source.address(row, col), size_of(dtype()));
    }
  }
}

void Matrix::fill(double value) {
  for (int row = 0; row < rows(); ++row) {
    for (int col = 0; col < cols(); ++col) set(row, col, value);
  }
}

double Matrix::get(int row, int col) const {
  expect_inside(row, col);
  const void* place = address(row, col);
  return dtype() == DType::float32 ? *static_cast<const float*>(place)
                                   : *static_cast<const double*>(place);
}

void Matrix::set(int row, int col, double value) {
  expect_inside(row, col);
  void* place = address(row, col);
  if (dtype() == DType::float32) {
    *static_cast<float*>(place) = static_cast<float>(value);
  } else {
    *static_cast<double*>(place) = value;
  }
}

bool Matrix::shares_storage(const Matrix& other) const {
  return view_->storage == other.view_->storage && view_->storage->bytes != 0;
}

void* Matrix::address(int row, int col) const {
  const std::ptrdiff_t element = view_->offset + row * view_->row_stride + col * view_->col_stride;
  return static_cast<char*>(view_->storage->begin) +
         element * static_cast<std::ptrdiff_t>(size_of(dtype()));
}

std::string Matrix::form() const {
  return std::string(name_of(dtype())) + " [" + std::to_string(rows()) + ", " +
         std::to_string(cols()) + "]";
}

void Matrix::expect_inside(int row, int col) const {
  if (row < 0 || row >= rows() || col < 0 || col >= cols()) {
    throw std::out_of_range("element (" + std::to_string(row) + ", " + std::to_string(col) +
                            ") of " + form());
  }
}

}  // namespace p17
