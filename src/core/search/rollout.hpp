// Monte Carlo tree search with random rollouts (UCT), generic over games.
//
// Looks at who is to move at every node, so a role may move several times running, and chance nodes
// are sampled. Proven wins are not propagated: strength comes from the number of simulations.
#pragma once

#include <chrono>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "../game.hpp"
#include "../random.hpp"

namespace boardwright {

// Whichever is reached first ends the search; 0 means no limit of that kind.
struct RolloutLimit {
    std::uint64_t simulations = 0;
    double seconds = 0;
};

struct RolloutReport {
    std::vector<Action> actions;      // at the root
    std::vector<std::uint64_t> visits;
    std::vector<double> values;       // mean result in -1 .. 1 for the role to move at the root
    std::vector<Action> principal_variation;
    std::uint64_t simulations = 0;
};

template <Game G>
class RolloutSearch {
  public:
    RolloutSearch(const Line<G>& root, std::uint64_t seed) : line_(root), random_(seed, 0) {
        nodes_.push_back({});
    }

    // `stop` is asked every few simulations whether to answer now, and may throw.
    template <class Stop>
    RolloutReport run(RolloutLimit limit, Stop& stop) {
        using Clock = std::chrono::steady_clock;
        const auto begin = Clock::now();
        const std::size_t root_length = line_.length();
        std::uint64_t done = 0;
        while (limit.simulations == 0 || done < limit.simulations) {
            if ((done % 16) == 0 && done > 0) {
                if (stop()) break;
                const double elapsed = std::chrono::duration<double>(Clock::now() - begin).count();
                if (limit.seconds > 0 && elapsed >= limit.seconds) break;
            }
            simulate();
            line_.reset(root_length);
            ++done;
        }
        return report(done);
    }

  private:
    static constexpr double kExploration = 1.4142135623730951;
    static constexpr std::size_t kMostNodes = 20'000'000;  // about one gigabyte; then the tree grows no more

    struct Node {
        Action action = kNoAction;
        Role chooser = kChance;        // who chose `action`; `total` is from that role's side
        std::uint32_t first_child = 0;
        std::uint32_t children = 0;
        std::uint64_t visits = 0;
        double total = 0;
    };

    void simulate() {
        path_.assign(1, 0);
        std::uint32_t at = 0;
        while (!line_.over()) {
            if (nodes_[at].children == 0) {
                if ((nodes_[at].visits == 0 && at != 0) || nodes_.size() > kMostNodes) break;
                expand(at);
            }
            at = choose(nodes_[at]);
            line_.play(nodes_[at].action);
            path_.push_back(at);
        }
        while (!line_.over()) {
            line_.play(line_.game().nth_action(line_.now(), random_.below(line_.count_actions())));
        }
        const Result result = line_.now().result;
        for (const std::uint32_t index : path_) {
            Node& node = nodes_[index];
            ++node.visits;
            if (result != Result::kDraw) node.total += result == win_for(node.chooser) ? 1 : -1;
        }
    }

    void expand(std::uint32_t at) {
        const auto first = static_cast<std::uint32_t>(nodes_.size());
        const Role chooser = line_.now().to_move;
        line_.each_action([&](Action action) { nodes_.push_back({action, chooser, 0, 0, 0, 0}); });
        nodes_[at].first_child = first;
        nodes_[at].children = static_cast<std::uint32_t>(nodes_.size()) - first;
    }

    std::uint32_t choose(const Node& parent) {
        const Node* children = &nodes_[parent.first_child];
        if (children[0].chooser == kChance) {
            return parent.first_child + static_cast<std::uint32_t>(random_.below(static_cast<int>(parent.children)));
        }
        const double log_visits = std::log(static_cast<double>(parent.visits) + 1);
        // Unvisited children come first, in an order that starts at a random one.
        const auto shift = static_cast<std::uint32_t>(random_.below(static_cast<int>(parent.children)));
        double best_score = -std::numeric_limits<double>::infinity();
        std::uint32_t best = 0;
        for (std::uint32_t k = 0; k < parent.children; ++k) {
            const std::uint32_t i = k + shift < parent.children ? k + shift : k + shift - parent.children;
            const Node& child = children[i];
            if (child.visits == 0) return parent.first_child + i;
            const auto visits = static_cast<double>(child.visits);
            const double score = child.total / visits + kExploration * std::sqrt(log_visits / visits);
            if (score > best_score) {
                best_score = score;
                best = i;
            }
        }
        return parent.first_child + best;
    }

    RolloutReport report(std::uint64_t simulations) const {
        RolloutReport out;
        out.simulations = simulations;
        const Node& root = nodes_[0];
        for (std::uint32_t i = 0; i < root.children; ++i) {
            const Node& child = nodes_[root.first_child + i];
            out.actions.push_back(child.action);
            out.visits.push_back(child.visits);
            out.values.push_back(child.visits ? child.total / static_cast<double>(child.visits) : 0);
        }
        for (const Node* node = &root; node->children > 0;) {
            const Node* best = &nodes_[node->first_child];
            for (std::uint32_t i = 1; i < node->children; ++i) {
                const Node* child = &nodes_[node->first_child + i];
                if (child->visits > best->visits) best = child;
            }
            if (best->visits == 0) break;
            out.principal_variation.push_back(best->action);
            node = best;
        }
        return out;
    }

    Line<G> line_;
    Random random_;
    std::vector<Node> nodes_;
    std::vector<std::uint32_t> path_;
};

}  // namespace boardwright
