// An exact neighbour search by a device or by a library, in place of the kd-tree. The functions of
// geometry/neighbors.cpp use it if the context names one and it pays.
#pragma once

#include "base/run_context.h"
#include "geometry/points.h"

namespace neargp {

// The k nearest of the reference points to each query, nearest first.
//
// Query j may use the reference points at positions 0, ..., limit[j] - 1 only, since the points of an ordered search
// come in their order. A reference point is identified by its label, and equal distances are ordered by the smaller
// label.
//
// The result must be that of a search in double precision, bit by bit. A distance is the sum of squared differences in
// the order of the coordinates, as squared_distance() computes it. Each operation is rounded separately, without fused
// multiply-add.
struct NeighborRequest {
  Points reference;
  Points queries;
  const int* label = nullptr;     // of each reference point; null: its position
  const int* limit = nullptr;     // of each query, ascending; null: all reference points
  const int* excluded = nullptr;  // of each query: the label that it must not have, or -1; null: none
  int k = 0;
  int* index = nullptr;  // queries.n rows of k labels, filled with -1 when the engine is called
};

// The k nearest of the rows that come earlier in an order, as of nearest_before().
struct EarlierRequest {
  Points points;
  const int* order = nullptr;        // order[rank] = row
  const int* along_curve = nullptr;  // all rows, so that rows close in the list are close in space
  Index first_rank = 0;              // rows from this rank on are queries
  Index first_row = 0;               // the answer for row r is row r - first_row of `index`
  int k = 0;
  int* index = nullptr;  // a row for each query, filled with -1
};

// The squared distances of a maxmin order.
struct MaxminRequest {
  Points points;
  const int* along_curve = nullptr;
  int first = 0;  // the row with which the order begins
  // A distance for each row. A row that was chosen gets minus its distance to the rows chosen before it, infinity for
  // the first. The engine may leave rows at other locations: it leaves their present distance.
  double* distance2 = nullptr;
};

// Computations of an engine for points along a curve, with the same bits as the functions of geometry/neighbors.h and
// geometry/ordering.h.
struct CurveEngine {
  bool (*pays)(Index n, int dim, int k, const RunContext&);  // k = 0: for the order
  void (*search_earlier)(const EarlierRequest&, const RunContext&);
  void (*maxmin)(const MaxminRequest&, const RunContext&);
};

struct NeighborEngine {
  const char* name;
  void (*search)(const NeighborRequest&, const RunContext&);  // throws an Error
  // Returns whether the engine is expected to be faster than the kd-tree. Null: the engine is always used. Called
  // before the arrays of an ordered search are filled, with only the sizes and the reference points in any order.
  bool (*pays)(const NeighborRequest&, const RunContext&);
  const CurveEngine* curve = nullptr;  // null: ordered searches are requests as all others
};

}  // namespace neargp
