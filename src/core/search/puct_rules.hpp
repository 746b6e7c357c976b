// Which move a simulation takes next: by PUCT, or by Gumbel search without its noise.
//
// Gumbel search has the formulas and constants of the batched search, boardwright/search/gumbel.py. PUCT is not that
// of puct.py, which stretches a node's values to [0, 1] however near they lie: here values count as they are, and
// a move without a visit as its node, less the more of the likely moves have been tried, as in Leela Chess Zero.
//
// Simulations under way count as visits but say nothing of the value ("Watch the Unobserved", Liu et al., 2020),
// so that several can be sent out before the first is back. A move that is sure to lose is not tried again.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "puct_tree.hpp"

namespace boardwright {

// How many visits a move must have to be looked at in one simulation of sequential halving: all considered are
// visited equally often, then the better half, and so on.
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

    // Each gives a slot of the node at `at`: one that has a node already, or the first that has none.
    std::uint32_t by_puct(std::uint32_t at) {
        const PuctNode& node = tree_[at];
        const auto edges = tree_.edges(node);
        const float own = static_cast<float>(node.visits + node.pending);
        const float curiosity = std::sqrt(own) * (kInit + std::log((own + kBase + 1) / kBase));
        look(node);
        float tried = 0;
        for (std::uint32_t slot = 0; slot < node.opened; ++slot) tried += seen_[slot].visited ? edges[slot].prior : 0.0f;
        const float untried = share_of(static_cast<float>(node.value() * side_of(node.mover))) - kDoubt * std::sqrt(tried);
        return best(node, [&](std::uint32_t slot) {
            const bool opened = slot < node.opened;
            const float worth = opened && seen_[slot].visited ? share_of(seen_[slot].q) : untried;
            return worth + curiosity * edges[slot].prior / (opened ? seen_[slot].visits + 1 : 1);
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

    // At the root of a Gumbel search: the best move of those that have been visited so often. Where there is
    // none, because one considered has been refuted, the best of all.
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
        double sum = 0;  // total_ is as exact as single precision is
        for (std::uint32_t slot = 0; slot < node.edges; ++slot) sum += policy[slot] = improved(node, slot);
        for (float& share : policy) share = static_cast<float>(share / sum);
        return policy;
    }

  private:
    static constexpr float kInit = 0.7f, kBase = 19652.0f;       // of PUCT: curiosity, and how it grows
    static constexpr float kDoubt = 0.1f;                        // of PUCT: what a move without a visit counts less
    static constexpr float kVisitScale = 50.0f, kScale = 0.1f;   // of Gumbel search
    static constexpr float kLeastRange = 1e-8f;

    // A value between -1 and 1 as a share of the point.
    static constexpr float share_of(float value) { return (value + 1) / 2; }

    struct Seen {
        float q;        // from the side of the mover
        float visits;   // those under way too
        bool visited;   // else q means nothing
    };

    void look(const PuctNode& node) {
        const auto side = static_cast<float>(side_of(node.mover));
        seen_.resize(node.opened);
        for (std::uint32_t slot = 0; slot < node.opened; ++slot) {
            const PuctNode& child = tree_.child(node, slot);
            seen_[slot] = {side * static_cast<float>(child.value()), static_cast<float>(child.visits + child.pending),
                           child.is_seen()};
        }
    }

    // sigma(q), moves without a visit completed with the mixed value, and what the improved policy sums to.
    void improve(const PuctNode& node) {
        look(node);
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
        const float factor = (kVisitScale + static_cast<float>(most)) * kScale / std::max(highest - lowest, kLeastRange);
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
