// The trend's design at the nodes of a latent model, which separates field and trend. A constant added to the trend and
// taken from the field changes no linear predictor. Optimisers therefore move the centred field v = u + Xn beta.
#pragma once

#include <vector>

#include "latent/latent_model.h"
#include "likelihoods/latent_response.h"

namespace neargp {

// Xn: the average over the data at a node (or that have it as their nearest one), nodes x coefficients, by column.
// Where there are none, the average over all data.
std::vector<double> node_design(const LatentModel& model, const LatentResponse& response);

// The same for several fields, of which each response sees another sum. Let x_m be the averages of a column over the
// rows of response m at the locations. In field q the column of Xn is `sum_m u_mq x_m`. The multiples
// u minimise
//
//   `N_cc = Xn'Q Xn + (X - C Xn)'W (X - C Xn)`
//
// for these precisions W by datum. Elimination of the fields leaves the small difference N - K'G of trend_system.h,
// which loses the fewer digits the smaller N is. Multiples of rough columns are near 0. The columns after the first
// `centred` ones are 0.
std::vector<double> node_design_of_fields(const LatentModel& model, const LatentResponse& response,
                                          const std::vector<double>& precision, int centred);

// Whether a field of so small a variance, seen with these precisions, is rather not centred. The information of the
// data on v would be lost in the digits of Q. A field that is not centred loses the share variance times precision of
// the information.
bool is_next_to_nothing(const LatentModel& model, const std::vector<double>& precision);

}  // namespace neargp
