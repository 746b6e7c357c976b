// The tree of a PUCT search: nodes and their moves, each kind in one block of memory.
//
// Values are kept from the side of role 0, whoever moves, so that backing up needs no signs and nothing
// assumes that the roles alternate. A node has its moves sorted by prior, the likeliest first: every rule of
// selection prefers the likelier of two moves that nobody has tried, so those with a node of their own come
// first, and the rest is never looked at. Only the outcomes of chance are in no order.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "../game.hpp"

namespace boardwright {

constexpr std::uint32_t kNowhere = std::numeric_limits<std::uint32_t>::max();

// What turns a value from the side of role 0 to that of a role, and back.
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
    double total = 0;            // of what simulations found, from the side of role 0
    std::uint32_t visits = 0;    // simulations that ended here or below
    std::uint32_t pending = 0;   // those under way, whose position is not evaluated yet
    std::uint32_t parent = kNowhere;
    std::uint32_t first_edge = 0;
    std::uint16_t slot = 0;      // which of the parent's moves leads here
    std::uint16_t edges = 0;     // moves; none until the position is evaluated
    std::uint16_t opened = 0;    // how many of them, the first ones, have a node
    std::uint16_t distance = 0;  // to a win or loss that is sure: the less, the sooner
    float raw_value = 0;         // the evaluation, from the side of role 0
    Role mover = 0;
    Result known = Result::kOngoing;  // what it is sure to come to

    bool is_known() const { return known != Result::kOngoing; }
    bool is_seen() const { return visits > 0 || is_known(); }
    bool wins_for(Role role) const { return known == win_for(role); }
    bool loses_for(Role role) const { return is_known() && known == win_for(1 - role); }

    // The best estimate, from the side of role 0.
    double value() const {
        return is_known() ? value_of(known) : visits > 0 ? total / visits : raw_value;
    }
};

class PuctTree {
  public:
    // The memory is taken from the system as it is first touched.
    explicit PuctTree(std::size_t bytes) : bytes_(bytes) {
        nodes_.reserve(bytes / sizeof(PuctNode) + 1);
        edges_.reserve(bytes / sizeof(PuctEdge) + (1 << 16));
    }

    bool empty() const { return nodes_.empty(); }
    std::size_t size() const { return nodes_.size(); }
    PuctNode& operator[](std::uint32_t at) { return nodes_[at]; }
    const PuctNode& operator[](std::uint32_t at) const { return nodes_[at]; }
    std::span<PuctEdge> edges(const PuctNode& node) { return {edges_.data() + node.first_edge, node.edges}; }
    std::span<const PuctEdge> edges(const PuctNode& node) const { return {edges_.data() + node.first_edge, node.edges}; }
    // The node that one of the opened moves leads to.
    const PuctNode& child(const PuctNode& node, std::uint32_t slot) const {
        return nodes_[edges_[node.first_edge + slot].child];
    }

    // Whether a node more, and so many moves more, would fit.
    bool has_room(std::size_t edges) const {
        return (nodes_.size() + 1) * sizeof(PuctNode) + (edges_.size() + edges) * sizeof(PuctEdge) <= bytes_;
    }

    void plant(Role mover) {
        nodes_.assign(1, {});
        nodes_[0].mover = mover;
        edges_.clear();
    }

    // A node for the first move that has none.
    std::uint32_t open(std::uint32_t parent) {
        const auto at = static_cast<std::uint32_t>(nodes_.size());
        PuctNode child;
        child.parent = parent;
        child.slot = nodes_[parent].opened++;
        edges_[nodes_[parent].first_edge + child.slot].child = at;
        nodes_.push_back(child);
        return at;
    }

    // Gives a node its moves.
    void expand(std::uint32_t at, std::span<const PuctEdge> moves) {
        nodes_[at].first_edge = static_cast<std::uint32_t>(edges_.size());
        nodes_[at].edges = static_cast<std::uint16_t>(moves.size());
        edges_.insert(edges_.end(), moves.begin(), moves.end());
    }

    // What a simulation found, to the node where it ended and all above it.
    void back_up(std::uint32_t at, double value) {
        for (; at != kNowhere; at = nodes_[at].parent) {
            ++nodes_[at].visits;
            nodes_[at].total += value;
        }
    }

    // A simulation is under way to a node, or no longer.
    void mark(std::uint32_t at, bool under_way) {
        for (; at != kNowhere; at = nodes_[at].parent) nodes_[at].pending += under_way ? 1 : -1;
    }

    // Settles the nodes above one that is known, as far as their moves allow (Winands, Björnsson and Saito,
    // "Monte-Carlo Tree Search Solver", 2008). What chance does is never taken for granted.
    void pass_up(std::uint32_t at) {
        for (at = nodes_[at].parent; at != kNowhere && settle(nodes_[at]); at = nodes_[at].parent) {
        }
    }

    // Makes one node the root and forgets all that is not below it, in place. A node lies behind its parent,
    // so that one pass finds them; moves are moved in the order in which they lie.
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
