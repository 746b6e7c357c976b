// The tree of a PUCT search: nodes and their moves, each kind in one block of memory.
//
// Values are from the side of role 0, so that backing up needs no signs and alternating turns are never
// assumed. The moves of a node are sorted by decreasing prior: every selection rule prefers the likelier of two
// untried moves, so those with a child node come first, and only the first of the others is ever considered.
// Chance outcomes are in no order.
#pragma once

#include <algorithm>
#include <limits>

#include "game.hpp"

namespace boardwright {

constexpr std::uint32_t kNowhere = std::numeric_limits<std::uint32_t>::max();

// The factor between a value for role 0 and for `role`.
constexpr double side_of(Role role) { return role == 1 ? -1.0 : 1.0; }

// From the side of role 0.
constexpr double value_of(Result result) {
    return result == Result::kFirstRoleWins ? 1.0 : result == Result::kSecondRoleWins ? -1.0 : 0.0;
}

struct PuctEdge {
    float prior;  // of all moves of a node they sum to 1
    std::uint32_t child = kNowhere;
    Action action;
};

struct PuctNode {
    double total = 0;            // sum of simulation results, for role 0
    std::uint32_t visits = 0;    // simulations that ended here or below
    std::uint32_t pending = 0;   // in-flight simulations, whose position is not evaluated yet
    std::uint32_t parent = kNowhere;
    std::uint32_t first_edge = 0;
    std::uint16_t slot = 0;      // which of the parent's moves leads here
    std::uint16_t edges = 0;     // moves; 0 until the position is evaluated
    std::uint16_t opened = 0;    // how many of them, the first ones, have a child node
    std::uint16_t distance = 0;  // plies to a proven win or loss
    float raw_value = 0;         // the evaluation, from the side of role 0
    Role mover = 0;
    Result known = Result::kOngoing;  // proven result

    bool is_known() const { return known != Result::kOngoing; }
    bool is_seen() const { return visits > 0 || is_known(); }
    bool wins_for(Role role) const { return known == win_for(role); }
    bool loses_for(Role role) const { return is_known() && known == win_for(1 - role); }

    // The best estimate, from the side of role 0.
    double value() const { return is_known() ? value_of(known) : visits > 0 ? total / visits : raw_value; }
};

class PuctTree {
  public:
    // Memory is reserved here and committed by the system at the first touch.
    explicit PuctTree(std::size_t bytes) : bytes_(bytes) {
        nodes_.reserve(bytes / sizeof(PuctNode) + 1);
        edges_.reserve(bytes / sizeof(PuctEdge) + (1 << 16));
    }

    bool empty() const { return nodes_.empty(); }
    std::size_t size() const { return nodes_.size(); }
    PuctNode& operator[](std::uint32_t at) { return nodes_[at]; }
    const PuctNode& operator[](std::uint32_t at) const { return nodes_[at]; }
    std::span<PuctEdge> edges(const PuctNode& node) { return {edges_.data() + node.first_edge, node.edges}; }
    std::span<const PuctEdge> edges(const PuctNode& node) const {
        return {edges_.data() + node.first_edge, node.edges};
    }
    // The node that one of the opened moves leads to.
    const PuctNode& child(const PuctNode& node, std::uint32_t slot) const {
        return nodes_[edges_[node.first_edge + slot].child];
    }

    // Whether one more node with `edges` moves would fit.
    bool has_room(std::size_t edges) const {
        return (nodes_.size() + 1) * sizeof(PuctNode) + (edges_.size() + edges) * sizeof(PuctEdge) <= bytes_;
    }

    void plant(Role mover) {
        nodes_.assign(1, {});
        nodes_[0].mover = mover;
        edges_.clear();
    }

    // Adds a child node for the first move without one.
    std::uint32_t open(std::uint32_t parent) {
        const auto at = static_cast<std::uint32_t>(nodes_.size());
        PuctNode child;
        child.parent = parent;
        child.slot = nodes_[parent].opened++;
        edges_[nodes_[parent].first_edge + child.slot].child = at;
        nodes_.push_back(child);
        return at;
    }

    // Sets the moves of a node.
    void expand(std::uint32_t at, std::span<const PuctEdge> moves) {
        nodes_[at].first_edge = static_cast<std::uint32_t>(edges_.size());
        nodes_[at].edges = static_cast<std::uint16_t>(moves.size());
        edges_.insert(edges_.end(), moves.begin(), moves.end());
    }

    // Adds the result of a simulation to the node where it ended and all its ancestors.
    void back_up(std::uint32_t at, double value) {
        for (; at != kNowhere; at = nodes_[at].parent) {
            ++nodes_[at].visits;
            nodes_[at].total += value;
        }
    }

    // Counts a simulation as in flight to a node, or no longer.
    void mark(std::uint32_t at, bool under_way) {
        for (; at != kNowhere; at = nodes_[at].parent) nodes_[at].pending += under_way ? 1 : -1;
    }

    // Proves the ancestors of a proven node, as far as their moves allow (Winands, Björnsson and Saito,
    // "Monte-Carlo Tree Search Solver", 2008). Chance nodes are never proven.
    void propagate_proof(std::uint32_t at) {
        for (at = nodes_[at].parent; at != kNowhere && settle(nodes_[at]); at = nodes_[at].parent) {}
    }

    // Makes one node the root and drops everything outside its subtree, in place. A node follows its parent in
    // memory, so one pass finds the subtree; moves are compacted in the order of their addresses.
    void keep(std::uint32_t root) {
        if (root == 0) return;
        std::vector<std::uint32_t> moved(nodes_.size(), kNowhere), by_edges;
        for (std::uint32_t at = root; at < nodes_.size(); ++at) {
            PuctNode node = nodes_[at];
            if (at != root && moved[node.parent] == kNowhere) continue;
            node.parent = at == root ? kNowhere : moved[node.parent];
            moved[at] = static_cast<std::uint32_t>(by_edges.size());
            nodes_[moved[at]] = node;
            by_edges.push_back(moved[at]);
        }
        nodes_.resize(by_edges.size());
        std::ranges::sort(by_edges, {}, [&](std::uint32_t at) { return nodes_[at].first_edge; });
        std::uint32_t end = 0;
        for (const std::uint32_t at : by_edges) {
            const auto from = edges_.begin() + nodes_[at].first_edge;
            std::copy(from, from + nodes_[at].edges, edges_.begin() + end);
            nodes_[at].first_edge = end;
            end += nodes_[at].edges;
        }
        edges_.resize(end);
        for (PuctEdge& edge : edges_) {
            if (edge.child != kNowhere) edge.child = moved[edge.child];
        }
    }

  private:
    bool settle(PuctNode& node) const {
        if (node.mover == kChance || node.is_known()) return false;
        Result best = win_for(1 - node.mover);
        std::uint16_t quickest = std::numeric_limits<std::uint16_t>::max(), slowest = 0;
        bool all = node.opened == node.edges;
        for (std::uint32_t slot = 0; slot < node.opened; ++slot) {
            const PuctNode& after = child(node, slot);
            if (after.wins_for(node.mover)) {
                best = after.known;
                quickest = std::min(quickest, after.distance);
            } else if (!after.is_known()) {
                all = false;
            } else if (after.known == Result::kDraw) {
                if (best != win_for(node.mover)) best = Result::kDraw;
            } else {
                slowest = std::max(slowest, after.distance);
            }
        }
        const bool wins = best == win_for(node.mover);
        if (!wins && !all) return false;
        node.known = best;
        node.distance = static_cast<std::uint16_t>(best == Result::kDraw ? 0 : 1 + (wins ? quickest : slowest));
        return true;
    }

    std::size_t bytes_;
    std::vector<PuctNode> nodes_;
    std::vector<PuctEdge> edges_;
};

}  // namespace boardwright
