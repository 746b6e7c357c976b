// Which move a simulation takes next: by PUCT, or by Gumbel search without its noise.
//
// Gumbel search has the formulas and constants of the batched search, boardwright/mcts/gumbel.py. PUCT differs from
// puct.py, which rescales a node's values to [0, 1]: here values are used unscaled, and an unvisited move has its
// node's value less a penalty that grows with the prior already tried (first-play urgency, as in Leela Chess Zero).
//
// In-flight simulations count as unobserved visits ("Watch the Unobserved", Liu et al., 2020), so that several
// can run before the first returns. A move proven to lose is not tried again.
#pragma once

#include <cmath>

#include "search/puct_tree.hpp"

namespace boardwright {

// The visit count a move must have to be tried in one simulation of sequential halving: all considered moves get
// equally many visits, then the better half, and so on.
inline std::uint32_t considered_visits(std::uint64_t moves, std::uint64_t simulations, std::uint64_t simulation) {
    if (moves <= 1) return static_cast<std::uint32_t>(simulation);
    const auto rounds = static_cast<std::uint64_t>(std::ceil(std::log2(moves)));
    std::uint64_t visits = 0;
    for (std::uint64_t left = moves;; left = std::max<std::uint64_t>(2, left / 2)) {
        const std::uint64_t each = std::max<std::uint64_t>(1, simulations / (rounds * left));
        if (simulation < each * left) return static_cast<std::uint32_t>(visits + simulation / left);
        simulation -= each * left;
        visits += each;
    }
}

class PuctRules {
  public:
    static constexpr std::uint32_t kConsidered = 16;  // moves at the root of a Gumbel search

    explicit PuctRules(const PuctTree& tree) : tree_(tree) {}

    // Each returns a slot of the node at `at`: one that has a child node, or the first without one.
    std::uint32_t by_puct(std::uint32_t at) {
        const PuctNode& node = tree_[at];
        const auto edges = tree_.edges(node);
        const float own = static_cast<float>(node.visits + node.pending);
        const float exploration = std::sqrt(own) * (kInit + std::log((own + kBase + 1) / kBase));
        read_children(node);
        float tried = 0;
        for (std::uint32_t slot = 0; slot < node.opened; ++slot)
            tried += seen_[slot].visited ? edges[slot].prior : 0.0f;
        const float untried =
            share_of(static_cast<float>(node.value() * side_of(node.mover))) - kUntriedPenalty * std::sqrt(tried);
        return best(node, [&](std::uint32_t slot) {
            const bool opened = slot < node.opened;
            const float value = opened && seen_[slot].visited ? share_of(seen_[slot].q) : untried;
            return value + exploration * edges[slot].prior / (opened ? seen_[slot].visits + 1 : 1);
        });
    }

    // Below the root of a Gumbel search: the move furthest behind its share of the improved policy.
    std::uint32_t by_improved_policy(std::uint32_t at) {
        const PuctNode& node = tree_[at];
        improve(node);
        const float own = static_cast<float>(node.visits + node.pending);
        return best(node, [&](std::uint32_t slot) {
            return improved(node, slot) - (slot < node.opened ? seen_[slot].visits : 0) / own;
        });
    }

    // At the root of a Gumbel search: the best move with exactly this many visits. Where no move has, because a
    // considered one was refuted, the best of all.
    std::uint32_t by_halving(std::uint32_t at, std::uint32_t visits) {
        const PuctNode& node = tree_[at];
        improve(node);
        const auto score = [&](std::uint32_t slot, bool any) {
            const float so_far = slot < node.opened ? seen_[slot].visits : 0;
            if (!any && so_far != static_cast<float>(visits)) return -std::numeric_limits<float>::infinity();
            return std::log(weight_of(node, slot)) + (slot < node.opened ? sigma_[slot] : untried_);
        };
        const std::uint32_t slot = best(node, [&](std::uint32_t slot) { return score(slot, false); });
        return slot != kNowhere ? slot : best(node, [&](std::uint32_t slot) { return score(slot, true); });
    }

    // [edges]: the improved policy of a node that has been evaluated.
    std::vector<float> improved_policy(std::uint32_t at) {
        const PuctNode& node = tree_[at];
        improve(node);
        std::vector<float> policy(node.edges);
        double sum = 0;  // total_ has single precision only
        for (std::uint32_t slot = 0; slot < node.edges; ++slot) sum += policy[slot] = improved(node, slot);
        for (float& share : policy) share = static_cast<float>(share / sum);
        return policy;
    }

  private:
    static constexpr float kInit = 0.7f, kBase = 19652.0f;       // of PUCT: exploration, and its growth
    static constexpr float kUntriedPenalty = 0.1f;                        // of PUCT: first-play urgency reduction
    static constexpr float kVisitScale = 50.0f, kScale = 0.1f;   // of Gumbel search
    static constexpr float kMinRange = 1e-8f;

    // A value between -1 and 1 as a score between 0 and 1.
    static constexpr float share_of(float value) { return (value + 1) / 2; }

    struct Seen {
        float q;        // from the side of the mover
        float visits;   // in-flight ones included
        bool visited;   // else q is undefined
    };

    void read_children(const PuctNode& node) {
        const auto side = static_cast<float>(side_of(node.mover));
        seen_.resize(node.opened);
        for (std::uint32_t slot = 0; slot < node.opened; ++slot) {
            const PuctNode& child = tree_.child(node, slot);
            seen_[slot] = {side * static_cast<float>(child.value()), static_cast<float>(child.visits + child.pending),
                           child.is_seen()};
        }
    }

    // sigma(q), with the mixed value for unvisited moves, and the sum of the improved policy.
    void improve(const PuctNode& node) {
        read_children(node);
        const auto edges = tree_.edges(node);
        float weights = 0, weighted = 0, tried = 0;
        std::uint32_t most = 0;
        for (std::uint32_t slot = 0; slot < node.opened; ++slot) {
            tried += edges[slot].prior;
            if (!seen_[slot].visited) continue;
            const float weight = weight_of(node, slot);
            weights += weight;
            weighted += weight * seen_[slot].q;
            most = std::max(most, tree_.child(node, slot).visits);
        }
        const auto raw = static_cast<float>(node.raw_value * side_of(node.mover));
        const float below = weights > 0 ? static_cast<float>(node.visits - 1) : 0;
        const float mixed = (raw + (weights > 0 ? below * weighted / weights : 0)) / (below + 1);
        float lowest = mixed, highest = mixed;
        for (Seen& seen : seen_) {
            if (!seen.visited) seen.q = mixed;
            lowest = std::min(lowest, seen.q);
            highest = std::max(highest, seen.q);
        }
        const float factor =
            (kVisitScale + static_cast<float>(most)) * kScale / std::max(highest - lowest, kMinRange);
        sigma_.resize(node.opened);
        untried_ = factor * (mixed - highest);
        total_ = std::max(0.0f, 1 - tried) * std::exp(untried_);
        for (std::uint32_t slot = 0; slot < node.opened; ++slot) {
            sigma_[slot] = factor * (seen_[slot].q - highest);
            total_ += edges[slot].prior * std::exp(sigma_[slot]);
        }
        total_ = std::max(total_, std::numeric_limits<float>::min());
    }

    float improved(const PuctNode& node, std::uint32_t slot) const {
        return tree_.edges(node)[slot].prior * std::exp(slot < node.opened ? sigma_[slot] : untried_) / total_;
    }

    float weight_of(const PuctNode& node, std::uint32_t slot) const {
        return std::max(tree_.edges(node)[slot].prior, std::numeric_limits<float>::min());
    }

    // The first slot of the highest score; kNowhere where all are -inf.
    template <class Score>
    std::uint32_t best(const PuctNode& node, Score&& score) const {
        float highest = -std::numeric_limits<float>::infinity();
        std::uint32_t found = kNowhere;
        for (std::uint32_t slot = 0; slot < node.opened + 1u && slot < node.edges; ++slot) {
            if (slot < node.opened && tree_.child(node, slot).loses_for(node.mover)) continue;
            const float here = score(slot);
            if (here > highest) {
                highest = here;
                found = slot;
            }
        }
        return found;
    }

    const PuctTree& tree_;
    std::vector<Seen> seen_;    // scratch, by opened move
    std::vector<float> sigma_;  // sigma(q) by opened move, the highest 0
    float untried_ = 0;         // sigma of the others
    float total_ = 0;           // of the improved policy before it is scaled
};

}  // namespace boardwright
