#include "variational/device_products.h"

#include "variational/device_matrix.h"

namespace neargp {

namespace {

const DenseDevice* device = nullptr;
const ProductEngine* host = nullptr;  // that was in use before

// Below this number of multiplications, one core finishes before the matrices have been transferred. It is a thirtieth
// of a second at 1e9 a second, in which a few megabytes can be transferred.
constexpr double least_multiplications = double(1 << 25);

bool worth_sending(Index rows, Index columns, Index inner) {
  return double(rows) * double(columns) * double(inner) >= least_multiplications;
}

using Strided = Eigen::OuterStride<>;

// A copy on the device.
class Copy {
 public:
  explicit Copy(const ConstBlock& x)
      : matrix_(*device, Eigen::Map<const Eigen::MatrixXd, 0, Strided>(x.data, x.rows, x.columns, Strided(x.stride))),
        transposed_(x.transposed) {}
  explicit Copy(const Block& x) : Copy(ConstBlock{x.data, x.rows, x.columns, x.stride}) {}

  operator ConstBlock() const { return transposed_ ? matrix_.transposed() : ConstBlock(matrix_); }
  Block block() { return matrix_.block(); }

  void download(Block to) const {
    Eigen::Map<Eigen::MatrixXd, 0, Strided>(to.data, to.rows, to.columns, Strided(to.stride)) = matrix_.download();
  }

 private:
  DeviceMatrix matrix_;
  bool transposed_;
};

Index inner_size(const ConstBlock& a) { return a.transposed ? a.rows : a.columns; }

void add_product(double alpha, ConstBlock a, ConstBlock b, Block c) {
  if (!worth_sending(c.rows, c.columns, inner_size(a))) return host->add_product(alpha, a, b, c);
  Copy result(c);
  device->products->add_product(alpha, Copy(a), Copy(b), result.block());
  result.download(c);
}

void add_square(double alpha, ConstBlock a, Block c) {
  if (!worth_sending(c.rows, c.columns, inner_size(a))) return host->add_square(alpha, a, c);
  Copy result(c);
  device->products->add_square(alpha, Copy(a), result.block());
  result.download(c);
}

void solve_left(ConstBlock lower, Block x) {
  if (!worth_sending(lower.rows, lower.columns, x.columns)) return host->solve_left(lower, x);
  Copy result(x);
  device->products->solve_left(Copy(lower), result.block());
  result.download(x);
}

void solve_right(ConstBlock lower, Block x) {
  if (!worth_sending(lower.rows, lower.columns, x.rows)) return host->solve_right(lower, x);
  Copy result(x);
  device->products->solve_right(Copy(lower), result.block());
  result.download(x);
}

bool factorize(Block s) {
  if (!worth_sending(s.rows, s.columns, s.rows)) return host->factorize(s);
  Copy result(s);
  const bool found = device->products->factorize(result.block());
  result.download(s);
  return found;
}

constexpr ProductEngine engine{"device", add_product, add_square, solve_left, solve_right, factorize};

}  // namespace

DeviceProducts::DeviceProducts(const DenseDevice& chosen) {
  device = &chosen;
  device->use();
  host = &product_engine();
  use_product_engine(&engine);
}

DeviceProducts::~DeviceProducts() { use_product_engine(host); }

}  // namespace neargp
