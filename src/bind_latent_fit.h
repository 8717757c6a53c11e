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
using StatePointer = Rcpp::XPtr<neargp::PosteriorState>;
