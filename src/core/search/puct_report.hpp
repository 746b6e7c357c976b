// The result of a PUCT search so far: which move to play, and why.
#pragma once

#include <tuple>

#include "search/puct_rules.hpp"

namespace boardwright {

struct PuctReport {
    std::vector<Action> actions;             // at the root, by decreasing prior
    std::vector<std::uint32_t> visits;
    std::vector<double> values;              // for the role to move; 1 and -1 are proven, 0 without a visit
    std::vector<float> policy;  // share of the visits, or the improved policy; the prior before any visit
    std::vector<Action> principal_variation;  // begins with the best action
    double value = 0;  // of that, for the role to move
    std::uint64_t simulations = 0;  // of this search; those of earlier searches are in the visits only
    std::uint64_t evaluations = 0;
};

// The move to play: the quickest proven win; else the most visited not proven to lose; else the slowest loss.
inline std::uint32_t best_slot(const PuctTree& tree, std::uint32_t at) {
    const PuctNode& node = tree[at];
    const auto rank = [&](std::uint32_t slot) {
        if (slot >= node.opened) return std::tuple(0, std::int64_t{0}, -2.0);
        const PuctNode& after = tree.child(node, slot);
        const int proven = int{after.wins_for(node.mover)} - int{after.loses_for(node.mover)};
        const std::int64_t priority = proven == 0 ? std::int64_t{after.visits} : -proven * std::int64_t{after.distance};
        return std::tuple(proven, priority, after.value() * side_of(node.mover));
    };
    std::uint32_t best = 0;
    for (std::uint32_t slot = 1; slot < node.edges && slot <= node.opened; ++slot) {
        if (rank(slot) > rank(best)) best = slot;
    }
    return best;
}

// Empty before the root is evaluated. Chance outcomes have values for role 0, and no best move. In a Gumbel
// search sequential halving decides between the most visited moves.
inline PuctReport report_of(const PuctTree& tree, PuctRules& rules, bool gumbel) {
    PuctReport report;
    const PuctNode& root = tree[0];
    const double side = side_of(root.mover);
    const auto seen = [&](const PuctNode& node, std::uint32_t slot) {
        return slot < node.opened && tree.child(node, slot).is_seen();
    };
    std::uint64_t visits = 0;
    for (std::uint32_t slot = 0; slot < root.edges; ++slot) {
        report.actions.push_back(tree.edges(root)[slot].action);
        report.visits.push_back(slot < root.opened ? tree.child(root, slot).visits : 0);
        report.values.push_back(seen(root, slot) ? side * tree.child(root, slot).value() : 0);
        report.policy.push_back(tree.edges(root)[slot].prior);
        visits += report.visits.back();
    }
    if (gumbel && visits > 0) {
        report.policy = rules.improved_policy(0);
    } else if (visits > 0) {
        std::ranges::transform(report.visits, report.policy.begin(), [&](std::uint32_t count) {
            return static_cast<float>(static_cast<double>(count) / static_cast<double>(visits));
        });
    }
    report.value = side * root.value();
    for (std::uint32_t at = 0; tree[at].edges > 0 && tree[at].mover != kChance;) {
        const PuctNode& node = tree[at];
        std::uint32_t slot = best_slot(tree, at);
        if (gumbel && at == 0 && seen(node, slot) && !tree.child(node, slot).is_known()) {
            slot = rules.by_halving(0, tree.child(node, slot).visits);
        }
        if (at != 0 && !seen(node, slot)) break;
        report.principal_variation.push_back(tree.edges(node)[slot].action);
        if (!seen(node, slot)) break;
        if (at == 0) report.value = report.values[slot];
        at = tree.edges(node)[slot].child;
    }
    return report;
}

}  // namespace boardwright
