// A latent model with its data and posterior, as R holds it.
#pragma once

#include <utility>
#include <vector>

#include "bind_latent.h"
#include "latent/sparse_posterior.h"

struct LatentFit {
  neargp::LatentModel model;
  neargp::LatentResponse response;
  neargp::SparsePosterior posterior;
  std::vector<double> field_response;  // of a posterior that predicts, by column
  int coefficients = 0;
  neargp::Workspaces workspaces;

  LatentFit(const neargp::LatentData& data, neargp::LatentResponse response_, neargp::PosteriorKind kind,
            const neargp::FactorSettings& factor, int effects, bool joint_trend, const neargp::RunContext& context)
      : model(data, context), response(std::move(response_)),
        posterior(model, response, kind, factor, context, effects, joint_trend) {}
};

using LatentPointer = Rcpp::XPtr<LatentFit>;

// A state as R numbers. R's garbage collector counts them, and would not count memory behind a pointer: a search makes
// a state for each evaluation.
inline Rcpp::List state_to_r(const neargp::PosteriorState& state) {
  return Rcpp::List::create(Rcpp::_["mean"] = state.mean, Rcpp::_["beta"] = state.beta,
                            Rcpp::_["precision"] = state.precision, Rcpp::_["natural"] = state.natural,
                            Rcpp::_["linear_predictor"] = state.linear_predictor,
                            Rcpp::_["has_trend"] = state.has_trend);
}

inline neargp::PosteriorState to_state(const Rcpp::List& state) {
  const auto numbers = [&state](const char* name) { return Rcpp::as<std::vector<double>>(state[name]); };
  return {numbers("mean"),
          numbers("beta"),
          numbers("precision"),
          numbers("natural"),
          numbers("linear_predictor"),
          Rcpp::as<bool>(state["has_trend"])};
}
