# A larger data set that is not shipped, by its name without ".csv.gz"; the test
# is skipped where it is absent. The folder is NEARGP_DATA, else ../shared/data
# beside the repository.
shared_data <- function(name) {
  folder <- Sys.getenv("NEARGP_DATA", file.path("..", "..", "..", "shared", "data"))
  file <- file.path(folder, paste0(name, ".csv.gz"))
  skip_if_not(file.exists(file), paste0("shared data set '", name, "' is here"))
  utils::read.csv(file)
}
