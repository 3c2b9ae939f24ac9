#include "host/values.hpp"

#include <cstdlib>
#include <cstring>

#include "host/bytes.hpp"
#include "host/faults.hpp"

namespace [[gnu::visibility("hidden")]] host {

using p17::DType;
using p17::Matrix;
using p17::size_of;

/// What makes a thing that thing: copies of handles have it in common.
static const void* identity(const Thing& thing) {
  struct Ask {
    const void* operator()(const Matrix& matrix) const { return matrix.view().get(); }
    const void* operator()(const p17::CpuGraph& graph) const { return graph.state().get(); }
    const void* operator()(const std::shared_ptr<Function>& function) const {
      return function.get();
    }
    const void* operator()(const std::shared_ptr<submission::Runner>& runner) const {
      return runner.get();
    }
  };
  return std::visit(Ask(), thing);
}

/// The elements of a matrix, row by row, whatever its layout.
static std::string elements(const Matrix& matrix) {
  const std::size_t size = size_of(matrix.dtype());
  std::string bytes;
  bytes.reserve(size * matrix.rows() * matrix.cols());
  for (int row = 0; row < matrix.rows(); ++row) {
    for (int col = 0; col < matrix.cols(); ++col) {
      bytes.append(static_cast<const char*>(matrix.address(row, col)), size);
    }
  }
  return bytes;
}

const Thing& Values::operator[](const Json& ref) const {
  const auto number = static_cast<std::size_t>(ref.integer());
  if (number >= held_.size()) throw ProtocolError("no object of that number");
  return held_[number];
}

void Values::wrong_type() { throw ProtocolError("an object of another type was expected"); }

Matrix Values::matrix(const Json& value) const {
  return value["$"].string() == "ref" ? get<Matrix>(value["ref"]) : decoded(value);
}

std::string Values::describe(const Thing& thing) {
  static constexpr const char* types[] = {"Matrix", "CpuGraph", "function", "GraphRunner"};
  if (!std::holds_alternative<Matrix>(thing)) {
    Object told = Object::tagged("object");
    return told.add("ref", ref(thing)).add("type", quoted(types[thing.index()])).text();
  }
  const Matrix& matrix = std::get<Matrix>(thing);
  const p17::View& view = *matrix.view();
  const auto pair = [](auto one, auto other) {
    return array({std::to_string(one), std::to_string(other)});
  };
  return Object::tagged("tensor")
      .add("ref", ref(thing))
      .add("dtype", quoted(name_of(view.dtype)))
      .add("shape", pair(view.rows, view.cols))
      .add("strides", pair(view.row_stride, view.col_stride))
      .add("offset", std::to_string(view.offset))
      .add("storage", pair(reinterpret_cast<std::uintptr_t>(view.storage->begin),
                           view.storage->bytes))
      .add("data", '"' + to_base64(elements(matrix)) + '"')
      .text();
}

std::vector<Thing> Values::forget() {
  refs_.clear();
  return std::exchange(held_, {});
}

std::string Values::ref(const Thing& thing) {
  const auto [place, is_new] = refs_.try_emplace(identity(thing), held_.size());
  if (is_new) held_.push_back(thing);
  return std::to_string(place->second);
}

Matrix decoded(const Json& value) {
  const DType dtype = dtype_of(value["dtype"]);
  const std::vector<Json>& shape = value["shape"].items();
  const std::string bytes = from_base64(value["data"].string());
  if (shape.size() != 2) throw TypeError("a matrix has 2 dimensions");
  const auto rows = static_cast<int>(shape[0].integer());
  const auto cols = static_cast<int>(shape[1].integer());
  Matrix matrix = Matrix::zeros(rows, cols, dtype);
  if (!value["strides"].is_null()) {
    p17::View view = *matrix.view();
    view.row_stride = value["strides"].items().at(0).integer();
    view.col_stride = value["strides"].items().at(1).integer();
    const auto last = (rows - 1) * view.row_stride + (cols - 1) * view.col_stride;
    const std::size_t room = bytes.empty() ? 0 : static_cast<std::size_t>(last) + 1;
    view.storage = std::make_shared<p17::Storage>(room * size_of(dtype));
    matrix = Matrix(view);
  }
  const std::size_t size = size_of(dtype);
  if (bytes.size() != size * rows * cols) throw ProtocolError("data of another size");
  for (std::size_t i = 0; i * size < bytes.size(); ++i) {
    void* place = matrix.address(static_cast<int>(i / cols), static_cast<int>(i % cols));
    std::memcpy(place, bytes.data() + i * size, size);
  }
  return matrix;
}

DType dtype_of(const Json& value) {
  const std::string& name = value.is_object() ? value["name"].string() : value.string();
  if (name == "float32") return DType::float32;
  if (name == "float64") return DType::float64;
  throw TypeError("there is no dtype " + name);
}

double number(const Json& value) {
  if (!value.is_object()) return static_cast<double>(value.integer());
  return std::strtod(value["value"].string().c_str(), nullptr);
}

}  // namespace host
