// Anderson's mixing of the steps of a fixed-point iteration: Anderson (1965), Iterative procedures for nonlinear
// integral equations. It is type II of Fang and Saad (2009), Two classes of multisecant methods for nonlinear
// acceleration.
//
// Each step goes from x_j to x_j + r_j. Let DX and DR hold the last differences of the x_j and of the r_j. The mixed
// step from the last x is
//
//   `x + r - (DX + DR) g`, where g minimises `|w (r - DR g)|`
//
// with weights w. Along directions in which plain steps overshoot or creep, DR shows by how much.
#pragma once

#include <Eigen/Dense>
#include <deque>
#include <utility>

#include "base/types.h"

namespace neargp {

class AndersonMixing {
 public:
  explicit AndersonMixing(std::size_t memory) : memory_(memory) {}

  // A point that the search has come to, and the step that begins there.
  void add(Eigen::VectorXd at, Eigen::VectorXd step) {
    if (last_at_.size() > 0) {
      differences_.push_back({at - last_at_, step - last_step_});
      if (differences_.size() > memory_) differences_.pop_front();
    }
    last_at_ = std::move(at);
    last_step_ = std::move(step);
  }
  // Forgets all points but the last.
  void restart() { differences_.clear(); }
  bool ready() const { return !differences_.empty(); }

  Eigen::VectorXd next(const Eigen::VectorXd& weights) const {
    const Index count = Index(differences_.size());
    Eigen::MatrixXd of_steps(last_step_.size(), count);
    for (Index j = 0; j < count; ++j) of_steps.col(j) = weights.cwiseProduct(differences_[j].step);
    const Eigen::VectorXd share = of_steps.colPivHouseholderQr().solve(weights.cwiseProduct(last_step_));
    Eigen::VectorXd result = last_at_ + last_step_;
    for (Index j = 0; j < count; ++j) result -= share[j] * (differences_[j].at + differences_[j].step);
    return result;
  }

 private:
  struct Difference {
    Eigen::VectorXd at, step;
  };

  std::size_t memory_;
  std::deque<Difference> differences_;
  Eigen::VectorXd last_at_, last_step_;
};

}  // namespace neargp
