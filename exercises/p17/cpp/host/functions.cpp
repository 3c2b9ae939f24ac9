#include "host/functions.hpp"

#include <stdexcept>
#include <vector>

#include "host/faults.hpp"
#include "host/values.hpp"

namespace [[gnu::visibility("hidden")]] host {

using p17::DType;
using p17::Matrix;

/// The elements of a matrix as numbers of its dtype.
template <class T>
struct Elements {
  using Number = T;
  const Matrix& matrix;
  T& operator()(int row, int col) const { return *static_cast<T*>(matrix.address(row, col)); }
};

/// A matrix of the form of `x`, each of its elements as `compute(elements of x, row, col)` has it.
template <class Compute>
static Matrix mapped(const Matrix& x, const Compute& compute) {
  Matrix y = Matrix::zeros(x.rows(), x.cols(), x.dtype());
  const auto fill = [&](auto from, auto to) {
    for (int row = 0; row < x.rows(); ++row) {
      for (int col = 0; col < x.cols(); ++col) to(row, col) = compute(from, row, col);
    }
  };
  if (x.dtype() == DType::float32) {
    fill(Elements<float>{x}, Elements<float>{y});
  } else {
    fill(Elements<double>{x}, Elements<double>{y});
  }
  return y;
}

/// `scale * x + shift`, element by element.
static p17::Fn affine(double scale, double shift) {
  return [=](const Matrix& x) {
    return mapped(x, [=](auto from, int row, int col) {
      using T = typename decltype(from)::Number;
      const T product = from(row, col) * static_cast<T>(scale);
      return product + static_cast<T>(shift);
    });
  };
}

/// `x @ weights`: every row by itself, its elements together.
static p17::Fn linear(std::vector<std::vector<double>> weights) {
  return [weights = std::move(weights)](const Matrix& x) {
    const int inner = static_cast<int>(weights.size());
    if (x.cols() != inner || (inner > 0 && static_cast<int>(weights[0].size()) != inner)) {
      throw std::invalid_argument("fn takes " + std::to_string(inner) + " columns and got " +
                                  x.form());
    }
    return mapped(x, [&](auto from, int row, int col) {
      using T = typename decltype(from)::Number;
      T sum = 0;
      for (int k = 0; k < inner; ++k) {
        const T product = from(row, k) * static_cast<T>(weights[k][col]);
        sum += product;
      }
      return sum;
    });
  };
}

/// `1 / x`: infinite where x is 0, NaN where x is.
static p17::Fn reciprocal() {
  return [](const Matrix& x) {
    return mapped(x, [](auto from, int row, int col) {
      return typename decltype(from)::Number(1) / from(row, col);
    });
  };
}

/// `x` plus the sum over the batch: every row depends on all rows of the graph.
static p17::Fn batch_sum() {
  return [](const Matrix& x) {
    return mapped(x, [&](auto from, int row, int col) {
      typename decltype(from)::Number sum = 0;
      for (int other = 0; other < x.rows(); ++other) sum += from(other, col);
      return from(row, col) + sum;
    });
  };
}

p17::Fn made_function(const std::string& name, const Json& params) {
  if (name == "affine") return affine(number(params["scale"]), number(params["shift"]));
  if (name == "reciprocal") return reciprocal();
  if (name == "batch_sum") return batch_sum();
  if (name != "linear") throw ProtocolError("no function " + name);
  dtype_of(params["dtype"]);
  std::vector<std::vector<double>> weights;
  for (const Json& row : params["weights"].items()) {
    weights.emplace_back();
    for (const Json& weight : row.items()) weights.back().push_back(number(weight));
  }
  return linear(std::move(weights));
}

}  // namespace host
