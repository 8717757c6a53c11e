# Tasks that workers take one after the other: whoever is idle gets the next one. Each worker
# receives what all tasks need before the first task. A worker that ends gives its task to another.

# `prepare` and `perform` name functions of the package. Each worker calls the first one once with
# the arguments `start`, and the second one with each task. `queue$take(worker)` returns a task,
# NULL if there is none. `queue$put_back(task)` takes back a task that was not done. `done(task,
# value)` receives results.
run_tasks <- function(workers, start, prepare, perform, queue, done) {
  call_workers(workers, worker_call, list(name = prepare, arguments = start))
  doing <- list()
  waiting <- list()
  repeat {
    for (at in setdiff(which(workers$alive), as.integer(names(waiting)))) {
      task <- queue$take(at)
      if (is.null(task)) next
      name <- as.character(at)
      doing[[name]] <- task
      waiting[[name]] <- send_call(workers, at, worker_call, list(name = perform,
        arguments = task), Inf)
      if (is.null(waiting[[name]])) queue$put_back(task)
    }
    if (!any(workers$alive)) abort_no_workers(workers)
    if (!length(waiting)) return(invisible())
    found <- take_messages(workers, waiting, Inf)
    waiting <- waiting[!names(waiting) %in% names(found)]
    for (name in names(found)) {
      if (is.null(found[[name]])) queue$put_back(doing[[name]]) else
        done(doing[[name]], worker_value(found[[name]]))
    }
  }
}

# Numbers 1, 2, .. of tasks that task(number) makes, which is NULL after the last one. `order`: of
# so many, neighbours after each other; NULL where their number is not known. Each worker gets a
# block of neighbours, and then takes from the end of the longest one that is left. A task that has
# ended two workers would end the next.
new_task_queue <- function(task, order, workers) {
  left <- if (!is.null(order)) split(order, factor(blocks_of(length(order), seq_len(workers)),
    seq_len(workers)))
  last <- 0
  ended <- FALSE
  again <- list()
  failures <- list()
  next_number <- function(at) {
    if (is.null(order)) return(last <<- last + 1)
    if (!sum(lengths(left))) return(NULL)
    own <- length(left[[at]]) > 0L
    from <- if (own) at else which.max(lengths(left))
    take <- if (own) 1L else length(left[[from]])
    number <- left[[from]][take]
    left[[from]] <<- left[[from]][-take]
    number
  }
  list(take = function(at) {
    if (length(again)) {
      first <- again[[1L]]
      again <<- again[-1L]
      return(first)
    }
    number <- if (!ended) next_number(at)
    made <- if (!is.null(number)) task(number)
    if (is.null(made)) ended <<- TRUE
    made
  }, put_back = function(task) {
    name <- as.character(task$number)
    failures[[name]] <<- (failures[[name]] %||% 0) + 1
    if (failures[[name]] > 1) abort_deadly(task)
    again <<- c(again, list(task))
  }, end = function() ended <<- TRUE)
}

abort_deadly <- function(task) {
  abort_neargp("cluster", c(sprintf("Two workers have ended at part %s.",
    format_count(task$number)),
    i = "They may lack memory. Use smaller parts, or fewer workers per machine."))
}
