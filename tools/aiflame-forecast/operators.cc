// SPDX-License-Identifier: MIT
// Operations and bytes of operators. Matrix operators are counted exactly; a product of M x N and
// N x K has 2 M N K operations and moves each matrix once. The others move their inputs and their
// output once: what a cache could save or a bad access pattern adds is left to the efficiency.
#include "tools/aiflame-forecast/operators.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>

namespace aiflame::forecast {
namespace {

enum class Kind {
  product,             // M x N, N x K; before them may be a bias, behind them scales
  linear,              // ... x N, K x N
  batched,             // B x M x N, B x N x K
  matmul,              // any of them
  attention,           // queries, keys, values: B x H x S x D
  attention_by_token,  // the same, as B x S x H x D
  attention_backward,
  convolution,  // images, weights
  convolution_backward,
  elementwise,  // inputs and an output of their broadcast shape
  in_place,     // writes its first input
  copy,         // writes its first input without reading it
  fill,         // only writes
  softmax,
  norm,
  reduction,  // reads its inputs
  gather,     // reads as much as it writes: weights, indices
  move,       // copies all inputs: cat
  counted,    // reads and writes what stands there: MEM of NeuSight
  all_reduce,
  send,
};

const std::unordered_map<std::string_view, Kind>& kinds() {
  static const std::unordered_map<std::string_view, Kind> kTable = [] {
    std::unordered_map<std::string_view, Kind> table;
    const auto add = [&](Kind kind, std::initializer_list<std::string_view> names) {
      for (const std::string_view name : names) table.emplace(name, kind);
    };
    add(Kind::product, {"mm", "addmm", "_scaled_mm", "_addmm_activation", "Linear"});
    add(Kind::linear, {"linear"});
    add(Kind::batched, {"bmm", "baddbmm", "BMM"});
    add(Kind::matmul, {"matmul"});
    add(Kind::attention,
        {"scaled_dot_product_attention", "_scaled_dot_product_flash_attention",
         "_scaled_dot_product_efficient_attention", "_scaled_dot_product_cudnn_attention",
         "_scaled_dot_product_attention_math", "_scaled_dot_product_fused_attention_overrideable"});
    add(Kind::attention_by_token, {"_flash_attention_forward", "_efficient_attention_forward"});
    add(Kind::attention_backward, {"_scaled_dot_product_flash_attention_backward",
                                   "_scaled_dot_product_efficient_attention_backward",
                                   "_scaled_dot_product_cudnn_attention_backward"});
    add(Kind::convolution,
        {"conv1d", "conv2d", "conv3d", "convolution", "_convolution", "cudnn_convolution",
         "miopen_convolution", "cudnn_convolution_relu", "thnn_conv2d", "_slow_conv2d_forward"});
    add(Kind::convolution_backward, {"convolution_backward"});
    add(Kind::elementwise, {"add",
                            "sub",
                            "mul",
                            "div",
                            "pow",
                            "tanh",
                            "relu",
                            "gelu",
                            "silu",
                            "sigmoid",
                            "exp",
                            "log",
                            "neg",
                            "abs",
                            "sqrt",
                            "rsqrt",
                            "reciprocal",
                            "sin",
                            "cos",
                            "clamp",
                            "clamp_min",
                            "clamp_max",
                            "maximum",
                            "minimum",
                            "where",
                            "eq",
                            "ne",
                            "lt",
                            "le",
                            "gt",
                            "ge",
                            "bitwise_and",
                            "bitwise_or",
                            "bitwise_not",
                            "logical_not",
                            "logical_and",
                            "threshold",
                            "rsub",
                            "floor_divide",
                            "remainder",
                            "erf",
                            "masked_fill",
                            "addcmul",
                            "addcdiv",
                            "lerp",
                            "isnan",
                            "hardtanh",
                            "leaky_relu",
                            "native_dropout",
                            "dropout",
                            "_to_copy",
                            "to",
                            "clone",
                            "contiguous",
                            "tanh_backward",
                            "gelu_backward",
                            "silu_backward",
                            "sigmoid_backward",
                            "threshold_backward",
                            "native_dropout_backward",
                            "VECadd",
                            "VECaddu",
                            "VECmul",
                            "VECmulu",
                            "VECdiv",
                            "VECdivu",
                            "VECpow",
                            "VECpowu",
                            "VECtanh",
                            "VECrelu",
                            "VECgelu"});
    add(Kind::in_place,
        {"add_", "sub_", "mul_", "div_", "relu_", "clamp_", "masked_fill_", "sqrt_", "addcmul_",
         "addcdiv_", "lerp_", "neg_", "exp_", "sigmoid_", "silu_", "clamp_min_", "bernoulli_"});
    add(Kind::copy, {"copy_"});
    add(Kind::fill, {"fill_", "zero_", "zeros", "ones", "full", "arange"});
    add(Kind::softmax,
        {"softmax", "_softmax", "log_softmax", "_log_softmax", "_softmax_backward_data",
         "_log_softmax_backward_data", "_safe_softmax", "VECsoftmax"});
    add(Kind::norm, {"layer_norm", "native_layer_norm", "native_layer_norm_backward", "rms_norm",
                     "_fused_rms_norm", "VECln"});
    add(Kind::reduction,
        {"sum", "mean", "max", "min", "amax", "amin", "argmax", "any", "all", "norm"});
    add(Kind::gather, {"embedding", "index_select", "gather"});
    add(Kind::move, {"cat", "stack"});
    add(Kind::counted, {"MEM"});
    add(Kind::all_reduce, {"ALLREDUCE", "ALLREDUCE_ASYNC"});
    add(Kind::send, {"SENDRECV"});
    return table;
  }();
  return kTable;
}

double total(const std::vector<Shape>& shapes) {
  double sum = 0;
  for (const Shape& shape : shapes) sum += elements(shape);
  return sum;
}

double largest(const std::vector<Shape>& shapes) {
  double out = 0;
  for (const Shape& shape : shapes) out = std::max(out, elements(shape));
  return out;
}

// The elements of the shape that all of them broadcast to.
double broadcast(const std::vector<Shape>& shapes) {
  Shape out;
  for (const Shape& shape : shapes) {
    if (shape.size() > out.size()) out.insert(out.begin(), shape.size() - out.size(), 1);
    const size_t skip = out.size() - shape.size();
    for (size_t i = 0; i < shape.size(); ++i) out[skip + i] = std::max(out[skip + i], shape[i]);
  }
  // what does not broadcast, such as lists of tensors, does not grow either
  return std::min(elements(out), total(shapes));
}

class Counter {
 public:
  Counter(const OperatorText& text, DataType type) : text_(text), in_(text.inputs) {
    work_.type = type;
  }

  Work unknown() {
    moves(Family::unknown, total(in_) + output(largest(in_)));
    return work_;
  }

  Work count(Kind kind) {
    switch (kind) {
      case Kind::product:
        if (!product()) return unknown();
        break;
      case Kind::linear:
        if (!linear()) return unknown();
        break;
      case Kind::batched:
        if (!batched()) return unknown();
        break;
      case Kind::matmul:
        if (!batched() && !product() && !stacked()) return unknown();
        break;
      case Kind::attention:
        if (!attention(0, 1)) return unknown();
        break;
      case Kind::attention_by_token:
        if (!attention(0, 1, 2, 1)) return unknown();
        break;
      case Kind::attention_backward:
        // the gradient of the output comes first; five products instead of two
        if (!attention(1, 2.5)) return unknown();
        break;
      case Kind::convolution:
        if (!convolution(0, 1)) return unknown();
        break;
      case Kind::convolution_backward:
        // the gradients of images and of weights
        if (!convolution(1, 2)) return unknown();
        break;
      default:
        count_moves(kind);
    }
    return work_;
  }

 private:
  void count_moves(Kind kind) {
    switch (kind) {
      case Kind::in_place:
        moves(Family::elem, total(in_) + first());
        break;
      case Kind::copy:
        moves(Family::elem, in_.size() > 1 ? total(in_) : 2 * first());
        break;
      case Kind::fill:
        moves(Family::memory, first());
        break;
      case Kind::softmax:
        moves(Family::softmax, total(in_) + output(first()));
        break;
      case Kind::norm:
        moves(Family::ln, total(in_) + output(first()));
        break;
      case Kind::reduction:
        moves(Family::memory, total(in_) + output(0));
        break;
      case Kind::gather:
        moves(Family::memory, gathered());
        break;
      case Kind::move:
        moves(Family::memory, total(in_) + output(total(in_)));
        break;
      case Kind::counted:
        moves(Family::memory, total(in_) + output(0));
        break;
      case Kind::all_reduce:
      case Kind::send:
        moves(Family::collective, total(in_));
        work_.reduces = kind == Kind::all_reduce;
        break;
      default:
        moves(Family::elem, total(in_) + output(broadcast(in_)));
    }
  }

  double bytes(double count) const { return count * kBytes[static_cast<size_t>(work_.type)]; }
  double first() const { return in_.empty() ? 0 : elements(in_.front()); }
  double output(double otherwise) const {
    return text_.output ? elements(*text_.output) : otherwise;
  }

  void moves(Family family, double count) {
    work_.family = family;
    work_.bytes = bytes(count);
    work_.operations =
        operations_per_element(family) *
        (text_.output ? elements(*text_.output) : std::max(largest(in_), broadcast(in_)));
  }

  void multiplies(Family family, double b, double m, double n, double k) {
    work_.family = family;
    work_.operations = 2 * b * m * n * k;
    work_.bytes = bytes(b * (m * n + n * k + m * k));
    work_.product = {b, m, n, k};
  }

  bool product() {
    for (size_t i = 0; i + 1 < in_.size(); ++i) {
      const Shape &a = in_[i], &b = in_[i + 1];
      if (a.size() != 2 || b.size() != 2 || a[1] != b[0]) continue;
      multiplies(Family::linear, 1, a[0], a[1], b[1]);
      return true;
    }
    return false;
  }
  bool linear() {
    if (in_.size() < 2 || in_[0].empty() || in_[1].size() != 2) return false;
    const double n = in_[0].back();
    if (n == 0 || in_[1][1] != n) return false;
    multiplies(Family::linear, 1, elements(in_[0]) / n, n, in_[1][0]);
    return true;
  }
  // ... x N, N x K
  bool stacked() {
    if (in_.size() < 2 || in_[0].size() < 3 || in_[1].size() != 2) return false;
    const double n = in_[0].back();
    if (n == 0 || in_[1][0] != n) return false;
    multiplies(Family::linear, 1, elements(in_[0]) / n, n, in_[1][1]);
    return true;
  }
  bool batched() {
    for (size_t i = 0; i + 1 < in_.size(); ++i) {
      const Shape &a = in_[i], &b = in_[i + 1];
      if (a.size() < 3 || b.size() != a.size()) continue;
      const size_t last = a.size() - 1;
      if (a[last] != b[last - 1]) continue;
      double count = 1;
      for (size_t at = 0; at + 2 < a.size(); ++at) count *= std::max(a[at], b[at]);
      multiplies(Family::bmm, count, a[last - 1], a[last], b[last]);
      return true;
    }
    return false;
  }
  // Queries, keys and values stand behind `skip` inputs; `heads` and `tokens` are places of sizes.
  bool attention(size_t skip, double passes, size_t heads = 1, size_t tokens = 2) {
    if (in_.size() < skip + 3) return false;
    const Shape &q = in_[skip], &k = in_[skip + 1], &v = in_[skip + 2];
    if (q.size() != 4 || k.size() != 4 || v.size() != 4) return false;
    const double queries = q[0] * q[heads] * q[tokens];
    work_.family = Family::attention;
    // scores of each query and key, and the sum of values by them
    work_.operations = passes * 2 * queries * k[tokens] * (q[3] + v[3]);
    work_.bytes = bytes(passes * (elements(q) + elements(k) + elements(v) + queries * v[3]));
    return true;
  }
  // Stride and padding are not in the shapes: taken as 1 and as what keeps the size, which is the
  // most work that the shapes allow.
  bool convolution(size_t skip, double passes) {
    if (in_.size() < skip + 2) return false;
    const Shape &images = in_[skip], &weights = in_[skip + 1];
    if (images.size() < 3 || weights.size() != images.size() || images[1] == 0) return false;
    double places = images[0];
    if (skip > 0 && in_[0].size() == images.size()) {
      // the gradient of the output knows the output's size
      for (size_t i = 2; i < in_[0].size(); ++i) places *= in_[0][i];
    } else {
      for (size_t i = 2; i < images.size(); ++i) places *= images[i];
    }
    const double written = text_.output ? elements(*text_.output) : places * weights[0];
    work_.family = Family::convolution;
    work_.operations = passes * 2 * written * elements(weights) / std::max(1.0, weights[0]);
    work_.bytes = bytes(passes * (elements(images) + elements(weights) + written));
    return true;
  }
  // Rows of the first input, as many as the second has indices.
  double gathered() const {
    if (text_.output) return total(in_) + elements(*text_.output);
    if (in_.size() < 2) return 2 * first();
    const double rows = in_[0].size() > 1 ? in_[0].back() : 1;
    return elements(in_[1]) * (1 + 2 * rows);
  }

  const OperatorText& text_;
  const std::vector<Shape>& in_;
  Work work_;
};

}  // namespace

double operations_per_element(Family family) {
  switch (family) {
    case Family::softmax:
      return 5;
    case Family::ln:
      return 6;
    case Family::elem:
      return 1;
    default:
      return 0;
  }
}

Work work_of(const OperatorText& text, DataType type) {
  std::string_view name = text.name;
  if (const size_t colons = name.rfind("::"); colons != std::string_view::npos)
    name = name.substr(colons + 2);
  Counter counter(text, type);
  const auto found = kinds().find(name);
  return found == kinds().end() ? counter.unknown() : counter.count(found->second);
}

}  // namespace aiflame::forecast
