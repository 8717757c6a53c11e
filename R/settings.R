# The settings of a fit, and those of predictions and simulations: what the arguments of neargp(),
# predict() and simulate() say once they are checked.

new_settings <- function(method, family, control, context, covariance = NULL, nugget = NULL,
                         device = NULL, verbose = FALSE, method_open = FALSE, family_open = FALSE,
                         prior = NULL, session = new_session()) {
  new_state("neargp_settings",
    method = method,
    method_open = method_open,   # whether the package chooses it
    family = family,
    family_open = family_open,   # whether the response may have another, see choose_by_response()
    covariance = covariance,
    default_covariance = NULL,   # whether none was given
    nugget = nugget,             # NULL where it is estimated; one, or one for each output
    prior = prior,               # pc_priors(), NULL for none
    fixed = NULL,                # known parameters by name, see R/fixed.R
    control = control,           # neargp_control()
    device = device,             # "auto", "cpu" or "cuda"
    context = context,           # of what stands around the fit, see problem$context
    session = session,           # of the call (R/session.R)
    verbose = verbose,
    cluster = NULL,              # that of the user, then its workers (cluster.R)
    chosen = NULL,               # why this method or family, where the package has chosen
    gpu = NULL)                  # name of the GPU that has computed the fit
}

# ---- of neargp() ---------------------------------------------------------------------------------

# Several responses may get one each.
check_nugget <- function(nugget) {
  if (is_noise_formula(nugget)) return(check_row_formula(nugget, "nugget"))
  if (length(nugget) < 2L) {
    check_number(nugget, "nugget", lower = 0, null_ok = TRUE)
  } else if (!is.numeric(nugget) || !all(is.finite(nugget)) || any(nugget < 0)) {
    abort_argument("nugget", "NULL or numbers of at least 0", nugget)
  }
  check_variance_size(nugget, "nugget")
}
