#include <algorithm>
#include <cmath>
#include <limits>

#include "base/constants.h"
#include "base/error.h"
#include "geometry/kd_tree.h"
#include "geometry/leaf_order_search.h"
#include "geometry/nearest_buffer.h"
#include "geometry/neighbors.h"

namespace neargp {
namespace {

// The two directions that divide the points around a query into sectors. In a plane they are the first two axes. On a
// sphere about the origin they are east and north in the plane that touches it at the query. A chord falls on that
// plane in the direction in which its great circle sets out. At a pole east is that of longitude 0.
class Directions {
 public:
  explicit Directions(Surface surface) : span_(surface == Surface::sphere ? 3 : 2) {}

  void set_out_from(const double* query) {
    query_ = query;
    if (span_ == 2) return;
    const double x = query[0], y = query[1], z = query[2];
    const double across = std::hypot(x, y), radius = std::hypot(across, z);
    const double cosine = across > 0.0 ? x / across : 1.0, sine = across > 0.0 ? y / across : 0.0;
    const double toward_pole[3] = {-cosine * z / radius, -sine * z / radius, across / radius};
    const double toward_east[3] = {-sine, cosine, 0.0};
    std::copy_n(toward_east, 3, axes_[0]);
    std::copy_n(toward_pole, 3, axes_[1]);
  }

  double along(int axis, const double* point, int stride = 1) const {
    double sum = 0.0;
    for (int j = 0; j < span_; ++j) sum += axes_[axis][j] * (point[j * stride] - query_[j]);
    return sum;
  }

  // The least and the greatest of along() in a box.
  void along_box(int axis, const double* low, const double* high, double& least, double& greatest) const {
    least = greatest = 0.0;
    for (int j = 0; j < span_; ++j) {
      const double a = axes_[axis][j], from = a * (low[j] - query_[j]), to = a * (high[j] - query_[j]);
      least += std::min(from, to);
      greatest += std::max(from, to);
    }
  }

 private:
  int span_;
  const double* query_ = nullptr;
  double axes_[2][3] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}};
};

int sector_of(double dx, double dy, int sectors) {
  double angle = std::atan2(dy, dx);
  if (angle < 0.0) angle += 2.0 * pi;
  return std::min(int(angle / (2.0 * pi) * sectors), sectors - 1);
}

// Finds the nearest points of each sector around one query at a time, by descending a kd-tree, nearest child first. A
// node is skipped when every sector that its box reaches into is already full of points nearer than the box.
class SectorSearch {
 public:
  SectorSearch(const KdTree& tree, Surface surface, int sectors, int per_sector)
      : tree_(tree), directions_(surface), sectors_(sectors), per_sector_(per_sector), held_(sectors),
        found_(sectors * per_sector) {}

  // Fills `result`, sectors * per_sector rows: nearest first, -1 at the end.
  void run(const double* query, int* result) {
    query_ = query;
    directions_.set_out_from(query);
    std::fill(held_.begin(), held_.end(), 0);
    if (tree_.size() > 0) descend(tree_.root());
    merged_.clear();
    for (int sector = 0; sector < sectors_; ++sector)
      merged_.insert(merged_.end(), in_sector(sector), in_sector(sector) + held_[sector]);
    std::sort(merged_.begin(), merged_.end());
    std::fill_n(result, sectors_ * per_sector_, -1);
    for (std::size_t i = 0; i < merged_.size(); ++i) result[i] = merged_[i].row;
  }

 private:
  using Node = KdTree::Node;

  Candidate* in_sector(int sector) { return found_.data() + sector * per_sector_; }

  double bound2(int sector) {
    return held_[sector] < per_sector_ ? std::numeric_limits<double>::infinity()
                                       : in_sector(sector)[per_sector_ - 1].distance2;
  }

  double distance2(Node node) const {
    return squared_distance_to_box(query_, tree_.low(node.id), tree_.high(node.id), tree_.dim());
  }

  void descend(Node node) {
    if (node.is_leaf()) return scan(node);
    Node near = node.left(), far = node.right();
    double near2 = distance2(near), far2 = distance2(far);
    if (far2 < near2) {
      std::swap(near, far);
      std::swap(near2, far2);
    }
    if (matters(near, near2)) descend(near);
    if (matters(far, far2)) descend(far);
  }

  bool matters(Node node, double node2) {
    int first, count;
    sectors_of_box(tree_.low(node.id), tree_.high(node.id), first, count);
    for (int s = 0; s < count; ++s)
      if (node2 <= bound2((first + s) % sectors_)) return true;
    return false;
  }

  // The sectors that a box may reach into, as a range that may wrap around. A rectangle bounds the box in the plane of
  // the directions. If the query lies inside the rectangle, these are all sectors. Otherwise they are those between the
  // directions of the rectangle's corners, which then span less than half a turn.
  void sectors_of_box(const double* low, const double* high, int& first, int& count) const {
    double left, right, bottom, top;
    directions_.along_box(0, low, high, left, right);
    directions_.along_box(1, low, high, bottom, top);
    first = 0;
    count = sectors_;
    if (left <= 0.0 && right >= 0.0 && bottom <= 0.0 && top >= 0.0) return;
    const double middle = std::atan2(0.5 * (bottom + top), 0.5 * (left + right));
    double below = 0.0, above = 0.0;
    for (const double dx : {left, right})
      for (const double dy : {bottom, top}) {
        const double turn = std::remainder(std::atan2(dy, dx) - middle, 2.0 * pi);
        below = std::min(below, turn);
        above = std::max(above, turn);
      }
    constexpr double rounding = 1e-9;
    const double per_radian = sectors_ / (2.0 * pi);
    const int from = int(std::floor((middle + below - rounding) * per_radian));
    const int to = int(std::floor((middle + above + rounding) * per_radian));
    count = std::min(to - from + 1, sectors_);
    first = ((from % sectors_) + sectors_) % sectors_;
  }

  void scan(Node leaf) {
    double distances2[KdTree::leaf_size];
    const double* coords = tree_.leaf_coords(leaf.first_leaf);
    const int* rows = tree_.leaf_rows(leaf.first_leaf);
    leaf_distances(coords, query_, tree_.dim(), distances2);
    for (int s = 0; s < tree_.leaf_count(leaf.first_leaf); ++s)
      offer({distances2[s], rows[s]}, sector_of(directions_.along(0, coords + s, KdTree::leaf_size),
                                                directions_.along(1, coords + s, KdTree::leaf_size), sectors_));
  }

  // Inserts a candidate into the sorted list of a sector.
  void offer(const Candidate& candidate, int sector) {
    Candidate* list = in_sector(sector);
    int& held = held_[sector];
    if (held == per_sector_) {
      if (!(candidate < list[held - 1])) return;
    } else {
      ++held;
    }
    int place = held - 1;
    for (; place > 0 && candidate < list[place - 1]; --place) list[place] = list[place - 1];
    list[place] = candidate;
  }

  const KdTree& tree_;
  Directions directions_;
  int sectors_, per_sector_;
  const double* query_ = nullptr;
  std::vector<int> held_;
  std::vector<Candidate> found_;  // sectors x per_sector
  std::vector<Candidate> merged_;
};

}  // namespace

void check_sectors(Points queries, Surface surface, int sectors, int per_sector) {
  if (sectors < 1 || per_sector < 1) throw Error("Sectors and points per sector must be positive.");
  if (sectors > 1 && queries.dim < 2) throw Error("Sectors need at least two coordinates.");
  if (surface == Surface::sphere && queries.dim < 3) throw Error("Sectors on a sphere need its three coordinates.");
}

NeighborTable nearest_by_sector(Points reference, Points queries, Surface surface, int sectors, int per_sector,
                                const RunContext& context) {
  check_sectors(queries, surface, sectors, per_sector);
  if (sectors == 1) return nearest_to(reference, queries, per_sector, context);
  return nearest_by_sector(KdTree(reference, context), queries, surface, sectors, per_sector, context);
}

NeighborTable nearest_by_sector(const KdTree& tree, Points queries, Surface surface, int sectors, int per_sector,
                                const RunContext& context) {
  return search_in_leaf_order(
      queries, sectors * per_sector, [&] { return SectorSearch(tree, surface, sectors, per_sector); }, context);
}

}  // namespace neargp
