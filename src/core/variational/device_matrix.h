// Matrices in the memory of a device (covariance/dense_device.h), released with the object.
#pragma once

#include <Eigen/Core>

#include "covariance/dense_device.h"

namespace neargp {

class DeviceMatrix {
 public:
  explicit DeviceMatrix(const DenseDevice& device) : device_(device) {}
  DeviceMatrix(const DenseDevice& device, const Eigen::MatrixXd& host) : device_(device) { upload(host); }
  DeviceMatrix(const DeviceMatrix&) = delete;
  DeviceMatrix& operator=(const DeviceMatrix&) = delete;
  ~DeviceMatrix() { release(); }

  // The contents are lost.
  void resize(Index rows, Index columns) {
    const Index size = rows * columns;
    if (size > capacity_) {
      release();
      data_ = static_cast<double*>(device_.allocate(std::size_t(size) * sizeof(double)));
      capacity_ = size;
    }
    rows_ = rows;
    columns_ = columns;
  }

  void set_zero(Index rows, Index columns) {
    resize(rows, columns);
    if (rows_ * columns_ > 0) device_.clear(data_, bytes());
  }

  void upload(const Eigen::MatrixXd& host) {
    resize(host.rows(), host.cols());
    if (host.size() > 0) device_.upload(data_, host.data(), bytes());
  }

  Eigen::MatrixXd download() const {
    Eigen::MatrixXd host(rows_, columns_);
    if (host.size() > 0) device_.download(host.data(), data_, bytes());
    return host;
  }

  Index rows() const { return rows_; }
  const double* data() const { return data_; }
  double* data() { return data_; }
  ScaledPoints points() const { return {data_, rows_}; }
  Block block() { return {data_, rows_, columns_, rows_}; }
  operator ConstBlock() const { return {data_, rows_, columns_, rows_}; }
  // The same as `count` adjacent matrices.
  Stack stack(Index count) { return {{data_, rows_, columns_ / count, rows_}, count, rows_ * (columns_ / count)}; }
  ConstStack stack(Index count) const {
    return {{data_, rows_, columns_ / count, rows_}, count, rows_ * (columns_ / count)};
  }
  ConstBlock transposed() const { return {data_, rows_, columns_, rows_, true}; }

 private:
  std::size_t bytes() const { return std::size_t(rows_ * columns_) * sizeof(double); }

  void release() {
    if (data_) device_.release(data_);
    data_ = nullptr;
    capacity_ = 0;
  }

  const DenseDevice& device_;
  double* data_ = nullptr;
  Index rows_ = 0, columns_ = 0, capacity_ = 0;
};

}  // namespace neargp
