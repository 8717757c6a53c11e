#include "covariance/rotation.h"

#include <Eigen/Dense>
#include <cmath>

namespace neargp {

namespace {

// Let P(u, v) = exp(-2B) and S = exp(-B). Then r^2 = delta_raw' P delta_raw = delta' S^-1 P S^-1 delta. For B = [u v; v
// -u], B^2 = h^2 I. With w = sinh(2h) / h therefore exp(-2B) = cosh(2h) I - w B. Hence
//   dP/du = 2 w u I - w [1 0; 0 -1] - q u B,   q = (dw/dh) / h = [2h cosh(2h) - sinh(2h)] / h^3.
// For v, u is replaced by v and the matrix by [0 1; 1 0]. At h = 0 the limits of w and q are finite: 2 and 8/3.
std::vector<ScaleDerivative> rotate_plane(double u, double v, PreparedComponent& component) {
  const double h = std::sqrt(u * u + v * v);
  const double sinh_ratio = h < 1e-4 ? 2.0 + 4.0 / 3.0 * h * h : std::sinh(2 * h) / h;
  const double q =
      h < 1e-3 ? 8.0 / 3.0 + 16.0 / 15.0 * h * h : (2 * h * std::cosh(2 * h) - std::sinh(2 * h)) / (h * h * h);
  const double c1 = std::cosh(h);
  const double s1 = h < 1e-4 ? 1.0 + h * h / 6 : std::sinh(h) / h;

  component.a11 = c1 - s1 * u;
  component.a12 = -s1 * v;
  component.a22 = c1 + s1 * u;
  // S^-1 = exp(B); the two factors of S^-1 dP S^-1
  const double e11 = c1 + s1 * u, e12 = s1 * v, e22 = c1 - s1 * u;
  const auto sandwich = [&](double p11, double p12, double p22) {
    const double t11 = e11 * p11 + e12 * p12, t12 = e11 * p12 + e12 * p22;
    const double t21 = e12 * p11 + e22 * p12, t22 = e12 * p12 + e22 * p22;
    ScaleDerivative form;
    form.block = 2;
    form.m11 = t11 * e11 + t12 * e12;
    form.m12 = t11 * e12 + t12 * e22;
    form.m22 = t21 * e12 + t22 * e22;
    return form;
  };
  const double trace_u = 2 * sinh_ratio * u, trace_v = 2 * sinh_ratio * v;
  return {sandwich(trace_u - sinh_ratio - q * u * u, -q * u * v, trace_u + sinh_ratio + q * u * u),
          sandwich(trace_v - q * v * u, -sinh_ratio - q * v * v, trace_v + q * v * u)};
}

Eigen::Matrix3d basis_matrix(int number) {
  const double t = 1.0 / std::sqrt(3.0);
  Eigen::Matrix3d E = Eigen::Matrix3d::Zero();
  switch (number) {
    case 0: E.diagonal() << 1.0, -1.0, 0.0; break;
    case 1: E(0, 1) = E(1, 0) = 1.0; break;
    case 2: E(0, 2) = E(2, 0) = 1.0; break;
    case 3: E(1, 2) = E(2, 1) = 1.0; break;
    default: E.diagonal() << t, t, -2.0 * t;
  }
  return E;
}

// With B = Q diag(l) Q', the derivative of P = exp(-2B) along E is Q [D o T] Q' with T = Q'E Q (Daleckii and Krein).
// D contains divided differences, D_ij = [exp(-2 l_i) - exp(-2 l_j)] / (l_i - l_j). S^-1 on both sides multiplies
// element ij by exp(l_i + l_j). Hence
//   S^-1 dP S^-1 = -2 Q [R o T] Q',   R_ij = s(l_i - l_j),   s(x) = sinh(x) / x.
// It is smooth where eigenvalues are equal.
std::vector<ScaleDerivative> rotate_space(const std::vector<double>& axes, PreparedComponent& component) {
  Eigen::Matrix3d B = Eigen::Matrix3d::Zero();
  for (int a = 0; a < int(axes.size()); ++a) B += axes[a] * basis_matrix(a);
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> parts(B);
  const Eigen::Matrix3d Q = parts.eigenvectors();
  const Eigen::Vector3d l = parts.eigenvalues();
  const Eigen::Matrix3d S = Q * (-l.array()).exp().matrix().asDiagonal() * Q.transpose();
  component.a11 = S(0, 0);
  component.a12 = S(0, 1);
  component.a22 = S(1, 1);
  component.a13 = S(0, 2);
  component.a23 = S(1, 2);
  component.a33 = S(2, 2);
  std::vector<ScaleDerivative> forms;
  for (int a = 0; a < int(axes.size()); ++a) {
    Eigen::Matrix3d inner = Q.transpose() * basis_matrix(a) * Q;
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) {
        const double x = l[i] - l[j];
        inner(i, j) *= std::abs(x) < 1e-4 ? 1.0 + x * x / 6.0 : std::sinh(x) / x;
      }
    const Eigen::Matrix3d M = -2.0 * Q * inner * Q.transpose();
    ScaleDerivative form;
    form.block = 3;
    form.m11 = M(0, 0);
    form.m12 = M(0, 1);
    form.m22 = M(1, 1);
    form.m13 = M(0, 2);
    form.m23 = M(1, 2);
    form.m33 = M(2, 2);
    forms.push_back(form);
  }
  return forms;
}

}  // namespace

std::vector<ScaleDerivative> rotate(const std::vector<double>& axes, PreparedComponent& component) {
  if (axes.empty()) return {};
  component.turned = axes.size() == 2 ? 2 : 3;
  return component.turned == 2 ? rotate_plane(axes[0], axes[1], component) : rotate_space(axes, component);
}

}  // namespace neargp
