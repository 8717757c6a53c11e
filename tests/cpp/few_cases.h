// Selects cases for tests that go through many.
#pragma once

#include <cstdlib>
#include <vector>

namespace fixtures {

// Returns all cases. Where NEARGP_FEW_CASES is set, as for every run of the interpreted GPU, returns each third case
// from the first on, and the last.
template <class Case>
std::vector<Case> some_of(const std::vector<Case>& cases) {
  const std::size_t step = std::getenv("NEARGP_FEW_CASES") ? 3 : 1;
  std::vector<Case> chosen;
  for (std::size_t c = 0; c < cases.size(); ++c)
    if (c % step == 0 || c + 1 == cases.size()) chosen.push_back(cases[c]);
  return chosen;
}

}  // namespace fixtures
