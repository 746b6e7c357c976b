// Monte Carlo tree search (UCT), generic over games.
//
// Reads the role to move at every node, so a role may move several times in a row; chance nodes are sampled.
//
// Each thread grows a tree of its own from its own random stream, and the statistics of the moves at the root
// are added up at the end (root parallelism). No memory is shared, so a given number of simulations always
// returns the same result.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <exception>
#include <limits>
#include <memory>
#include <thread>

#include "game.hpp"
#include "random.hpp"

namespace boardwright {

// Game knowledge for simulations: here none. A game's own `Rollouts` has the same four members.
template <Game G>
struct PlainRollouts {
    explicit PlainRollouts(const G&) {}

    // The default of RolloutOptions::depth.
    static constexpr int kDepth = 0;

    // The winner of an ongoing game where the game can prove it statically, else kOngoing.
    Result foresee(const Line<G>&) const { return Result::kOngoing; }

    // The same by a search. Called at a node of the tree on every visit but the first, with the number of
    // visits, so that it may search deeper where most simulations pass.
    Result search_for_proof(const Line<G>&, std::uint32_t) const { return Result::kOngoing; }

    // The next action of a simulation that has left the tree.
    Action choose(const Line<G>& line, Random& random) const {
        return line.game().nth_action(line.now(), random.below(line.count_actions()));
    }
};

// The search ends at the first limit reached; 0 means no limit of that kind.
struct RolloutLimit {
    std::uint64_t simulations = 0;
    double seconds = 0;
};

struct RolloutOptions {
    // The value of a move is (wins - losses) / visits, or wins / visits; undecided games count as visits only.
    bool losses_count = true;
    // The logarithm in UCT is of the visits to the node's children, or of those to the node itself.
    bool log_of_children = false;
    // Whether a win proven by Rollouts::foresee ends a simulation.
    bool foresee = false;
    // Whether proven results are backed up (Winands, Björnsson and Saito, "Monte-Carlo Tree Search Solver",
    // 2008): a move proven to lose is not tried again, and a proven root ends the search. With both,
    // Rollouts::search_for_proof searches from the nodes of the tree as well.
    bool prove = false;
    int depth = 0;  // whole moves from the root after which a simulation counts as undecided; 0: no limit
    int threads = 1;
    std::vector<Action> root_actions;  // the only ones considered; empty: all
};

struct RolloutReport {
    std::vector<Action> actions;  // at the root
    std::vector<std::uint64_t> visits;
    // Mean result for the role to move at the root, as if one more game had been undecided: only proven
    // results are 1 and -1.
    std::vector<double> values;
    std::vector<Result> known;  // proven result of each; kOngoing where there is none
    std::vector<Action> principal_variation;  // begins with the best action
    std::uint64_t simulations = 0;
};

// The tree of one thread.
template <Game G, class Rollouts>
class RolloutTree {
  public:
    RolloutTree(const Line<G>& root, const RolloutOptions& options, std::uint64_t seed, int thread)
        : options_(options), rollouts_(root.game()), line_(root), root_length_(root.length()),
          last_ply_(options.depth > 0 ? static_cast<int>(root.now().plies) + options.depth
                                      : std::numeric_limits<int>::max()),
          max_nodes_(kMaxNodes / static_cast<std::size_t>(options.threads)),
          random_(seed, static_cast<std::uint64_t>(thread)) {
        nodes_.push_back({});
        expand(0, options.root_actions);
    }

    void simulate() {
        const Result result = descend();
        line_.reset(root_length_);
        if (options_.prove) propagate_proof();
        for (const std::uint32_t index : path_) {
            Node& node = nodes_[index];
            ++node.visits;
            if (result == win_for(node.chooser)) {
                ++node.wins;
            } else if (result != Result::kDraw) {
                ++node.losses;
            }
            const float visits = static_cast<float>(node.visits);
            const float total =
                static_cast<float>(node.wins) - (options_.losses_count ? static_cast<float>(node.losses) : 0);
            node.value = options_.prove && lost(node) ? -std::numeric_limits<float>::max() : total / visits;
            node.exploration = 1 / std::sqrt(visits);
        }
    }

    // Whether the result of the root is proven.
    bool settled() const { return nodes_[0].known != Result::kOngoing; }

    // Adds this tree's statistics of the moves at the root; every tree has them in the same order.
    void add_to(RolloutReport& out) const {
        const Node& root = nodes_[0];
        out.actions.resize(root.children);
        out.visits.resize(root.children);
        out.values.resize(root.children);
        out.known.resize(root.children, Result::kOngoing);
        out.simulations += root.visits;
        for (std::uint32_t i = 0; i < root.children; ++i) {
            const Node& child = nodes_[root.first_child + i];
            out.actions[i] = child.action;
            out.visits[i] += child.visits;
            out.values[i] += static_cast<double>(child.wins) - static_cast<double>(child.losses);
            if (child.known != Result::kOngoing) out.known[i] = child.known;
        }
    }

    // The principal variation of the i-th move at the root: the most visited move at each step.
    std::vector<Action> line_through(std::size_t i) const {
        std::vector<Action> actions;
        const Node* node = &nodes_[nodes_[0].first_child + i];
        while (true) {
            actions.push_back(node->action);
            const auto first = nodes_.begin() + node->first_child, last = first + node->children;
            const auto fewer = [](const Node& a, const Node& b) { return a.visits < b.visits; };
            const auto best = std::max_element(first, last, fewer);
            if (best == last || best->visits == 0) return actions;
            node = &*best;
        }
    }

  private:
    static constexpr float kExploration = 1.41421356f;
    static constexpr std::size_t kMaxNodes = 20'000'000;  // of all threads, 720 MB; then trees stop growing

    struct Node {
        Action action = kNoAction;
        Role chooser = kChance;  // who chose `action`; the counts are from that role's side
        Result known = Result::kOngoing;  // proven result: the game is over, foreseen or proven
        std::uint32_t first_child = 0;
        std::uint32_t children = 0;
        std::uint32_t visits = 0;
        std::uint32_t wins = 0;
        std::uint32_t losses = 0;
        float value = std::numeric_limits<float>::max();  // unvisited moves are tried first
        float exploration = 0;  // 1 / sqrt(visits)
    };

    // Walks down the tree and simulates from its leaf; undecided simulations return kDraw too.
    Result descend() {
        path_.assign(1, 0);
        std::uint32_t at = 0;
        while (true) {
            if (line_.over()) return nodes_[at].known = line_.now().result;
            if (at != 0) {
                if (nodes_[at].known != Result::kOngoing) return nodes_[at].known;
                if (nodes_[at].visits == 0) {
                    nodes_[at].known = foresee();
                    return play_out(nodes_[at].known);
                }
                if (options_.prove && options_.foresee) {
                    nodes_[at].known = rollouts_.search_for_proof(line_, nodes_[at].visits);
                    if (nodes_[at].known != Result::kOngoing) return nodes_[at].known;
                }
                if (at_depth()) return Result::kDraw;
            }
            if (nodes_[at].children == 0) {
                if (nodes_.size() > max_nodes_) return play_out(Result::kOngoing);
                expand(at, {});
            }
            at = choose(at);
            line_.play(nodes_[at].action);
            path_.push_back(at);
        }
    }

    Result play_out(Result foreseen) {
        while (foreseen == Result::kOngoing) {
            if (at_depth()) return Result::kDraw;
            line_.play(rollouts_.choose(line_, random_));
            if (line_.over()) return line_.now().result;
            foreseen = foresee();
        }
        return foreseen;
    }

    static bool lost(const Node& node) {
        return node.known != Result::kOngoing && node.known != Result::kDraw && node.known != win_for(node.chooser);
    }

    // Proves the nodes of the path, from its end up, as far as their children allow.
    void propagate_proof() {
        for (std::size_t i = path_.size() - 1; i > 0; --i) {
            const Node& child = nodes_[path_[i]];
            Node& parent = nodes_[path_[i - 1]];
            if (child.known == Result::kOngoing || child.chooser == kChance) return;
            parent.known = child.known == win_for(child.chooser) ? child.known : result_of_known_children(parent);
        }
    }

    // The best result for the chooser where no child wins; kOngoing where a child is unproven.
    Result result_of_known_children(const Node& parent) const {
        Result best = win_for(1 - nodes_[parent.first_child].chooser);
        for (std::uint32_t i = 0; i < parent.children; ++i) {
            const Result known = nodes_[parent.first_child + i].known;
            if (known == Result::kOngoing) return known;
            if (known == Result::kDraw) best = known;
        }
        return best;
    }

    Result foresee() const { return options_.foresee ? rollouts_.foresee(line_) : Result::kOngoing; }
    bool at_depth() const { return static_cast<int>(line_.now().plies) >= last_ply_; }

    void expand(std::uint32_t at, std::span<const Action> actions) {
        const auto first = static_cast<std::uint32_t>(nodes_.size());
        Node child;
        child.chooser = line_.now().to_move;
        const auto add = [&](Action action) {
            child.action = action;
            nodes_.push_back(child);
        };
        if (actions.empty()) {
            line_.each_action(add);
        } else {
            std::for_each(actions.begin(), actions.end(), add);
        }
        nodes_[at].first_child = first;
        nodes_[at].children = static_cast<std::uint32_t>(nodes_.size()) - first;
    }

    std::uint32_t choose(std::uint32_t at) {
        const Node& parent = nodes_[at];
        const Node* children = &nodes_[parent.first_child];
        // Ties are broken by a random starting point.
        const auto start = static_cast<std::uint32_t>(random_.below(static_cast<int>(parent.children)));
        if (children[0].chooser == kChance) return parent.first_child + start;
        // Every visit but the first, which ended here, continued to a child (except at the root).
        const bool less_one = options_.log_of_children && at != 0;
        const auto visits = static_cast<float>(std::max(1u, parent.visits - (less_one ? 1 : 0)));
        const float factor = kExploration * std::sqrt(std::log(visits));
        float best_score = -std::numeric_limits<float>::infinity();
        std::uint32_t best = start;
        const auto scan = [&](std::uint32_t from, std::uint32_t to) {
            for (std::uint32_t i = from; i < to; ++i) {
                const float score = children[i].value + factor * children[i].exploration;
                if (score > best_score) {
                    best_score = score;
                    best = i;
                }
            }
        };
        scan(start, parent.children);
        scan(0, start);
        return parent.first_child + best;
    }

    const RolloutOptions& options_;
    Rollouts rollouts_;
    Line<G> line_;
    std::size_t root_length_;
    int last_ply_;
    std::size_t max_nodes_;
    Random random_;
    std::vector<Node> nodes_;
    std::vector<std::uint32_t> path_;
};

// The statistics of one or several trees. The best move is one proven to win; else the most visited of those
// not proven to lose; else the most visited.
template <class Trees>
RolloutReport report_of(const Trees& trees, Role to_move) {
    RolloutReport total;
    for (const auto& tree : trees) tree->add_to(total);
    const auto proven = [&](std::size_t i) {  // 1 is a win, -1 a loss
        return int{total.known[i] == win_for(to_move)} - int{total.known[i] == win_for(1 - to_move)};
    };
    for (std::size_t i = 0; i < total.actions.size(); ++i) {
        total.values[i] /= static_cast<double>(total.visits[i] + 1);
        if (total.known[i] != Result::kOngoing) total.values[i] = proven(i);
    }
    const auto rank = [&](std::size_t i) { return std::pair(proven(i), total.visits[i]); };
    std::size_t best = 0;
    for (std::size_t i = 1; i < total.actions.size(); ++i) {
        if (rank(i) > rank(best)) best = i;
    }
    total.principal_variation = (*trees.begin())->line_through(best);
    return total;
}

// Searches from `root`, which must not be over. `stop(tree)` is called every few simulations, in the calling
// thread only, with that thread's tree; it returns whether to stop, and may throw.
template <class Rollouts, Game G, class Stop>
RolloutReport rollout_search(const Line<G>& root, const RolloutOptions& options, RolloutLimit limit, std::uint64_t seed,
                             Stop&& stop) {
    using Clock = std::chrono::steady_clock;
    using Tree = RolloutTree<G, Rollouts>;
    const auto begin = Clock::now();
    const auto threads = static_cast<std::uint64_t>(options.threads);
    std::atomic<bool> stopped = false;
    std::vector<std::unique_ptr<Tree>> trees(threads);
    std::vector<std::exception_ptr> errors(threads);

    const auto work = [&](std::uint64_t thread) {
        try {
            trees[thread] = std::make_unique<Tree>(root, options, seed, static_cast<int>(thread));
            Tree& tree = *trees[thread];
            const std::uint64_t share = limit.simulations / threads + (thread < limit.simulations % threads);
            for (std::uint64_t done = 0; limit.simulations == 0 || done < share; ++done) {
                if (tree.settled()) stopped = true;
                if (stopped) break;
                if (done % 16 == 0 && done > 0) {
                    if (thread == 0 && stop(tree)) stopped = true;
                    const double elapsed = std::chrono::duration<double>(Clock::now() - begin).count();
                    if (limit.seconds > 0 && elapsed >= limit.seconds) break;
                }
                tree.simulate();
            }
        } catch (...) {
            errors[thread] = std::current_exception();
            stopped = true;
        }
    };
    {
        std::vector<std::jthread> helpers;  // joined on leaving
        for (std::uint64_t thread = 1; thread < threads; ++thread) helpers.emplace_back(work, thread);
        work(0);
    }
    for (const auto& error : errors) {
        if (error) std::rethrow_exception(error);
    }
    return report_of(trees, root.now().to_move);
}

}  // namespace boardwright
