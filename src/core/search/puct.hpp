// PUCT and Gumbel tree search with batched evaluations; generic over games.
//
// The caller alternates: `collect` walks down the tree until a batch of positions waits for evaluation and
// writes their observations into one array; `apply` takes logits and values. Between the two the tree may be
// read, so that a search can be watched and stopped at any time. Positions of one batch are distinct: a
// simulation that reaches a waiting position is abandoned.
//
// The role to move is read at every node, so a role may move several times in a row; chance is sampled.
// Positions are reached by playing from the root, so repetitions and history planes follow the actual line of
// play. Ends of games, wins in one move, results of endgame tables and everything proven from these (see
// PuctTree::propagate_proof) are exact, and such positions are not evaluated.
//
// The subtree of the position after our move and the reply is reused by the next search.
#pragma once

#include "random.hpp"
#include "search/evaluation.hpp"
#include "search/puct_report.hpp"
#include "search/puct_rules.hpp"

namespace boardwright {

template <Game G>
class PuctSearch {
  public:
    using State = typename G::State;

    // The evaluator is used only for immediate wins and endgame tables. `bytes` bounds the tree, `batch` the
    // positions of one evaluation.
    PuctSearch(Evaluator<G> evaluator, std::size_t bytes, int batch, std::uint64_t seed)
        : evaluator_(std::move(evaluator)), tree_(bytes), rules_(tree_),
          line_(evaluator_.game(), evaluator_.game().start()), random_(seed, 0),
          roles_(static_cast<std::size_t>(batch)) {
        const auto shape = evaluator_.game().observation_shape();
        planes_ = shape[0] * shape[1] * shape[2];
        observations_.resize(planes_ * roles_.size());
    }
    PuctSearch(const PuctSearch&) = delete;  // rules_ refers to tree_

    // Sets the position to search, which must be ongoing. With `halving`, the number of simulations to come, it
    // is a Gumbel search and starts with an empty tree.
    void begin(const Line<G>& root, std::uint64_t halving) {
        abandon();
        const std::uint32_t known = halving > 0 ? kNowhere : find(root);
        line_ = root;
        root_length_ = root.length();
        if (known == kNowhere) {
            tree_.plant(root.now().to_move);
            if (root.now().to_move == kChance) expand_chance(0);
        } else {
            tree_.keep(known);
        }
        if (tree_[0].edges == 0) tree_[0].known = Result::kOngoing;  // even if proven: the moves must be ranked now
        halving_ = halving;
        simulations_ = evaluations_ = 0;
        full_ = false;
    }

    // Simulates until `batch` positions wait, or `simulations` (0: no limit) are done including those. It may stop
    // earlier; when no position waits and is_done(), the search is finished.
    int collect(int batch, std::uint64_t simulations) {
        abandon();
        const auto limit = std::min<std::size_t>(std::min<std::size_t>(static_cast<std::size_t>(batch), roles_.size()),
                                                 1 + tree_[0].visits / kVisitsPerLeaf);
        std::vector<std::uint32_t> abandoned;
        for (int settled = 0;
             waiting_.size() < limit && settled < kMaxSettled && abandoned.size() < limit && !is_done();) {
            if (simulations > 0 && simulations_ + waiting_.size() >= simulations) break;
            const auto [end, at] = simulate();
            line_.reset(root_length_);
            if (end == End::kAbandoned) abandoned.push_back(at);
            if (end == End::kSettled) ++settled;
            if (at == 0) break;  // nothing can follow before the root is evaluated
        }
        for (const std::uint32_t at : abandoned) tree_.mark(at, false);
        return static_cast<int>(waiting_.size());
    }

    // Takes the evaluations of the waiting positions, in their order: logits [waiting, actions], values [waiting]
    // for their movers.
    void apply(const float* logits, const float* values) {
        const auto actions = static_cast<std::size_t>(line_.game().actions());
        for (std::size_t i = 0; i < waiting_.size(); ++i) {
            const Waiting leaf = waiting_[i];
            tree_.mark(leaf.node, false);
            expand(leaf, logits + i * actions);
            PuctNode& node = tree_[leaf.node];
            const double value = std::isfinite(values[i]) ? std::clamp(values[i], -1.0f, 1.0f) : 0.0f;
            node.raw_value = static_cast<float>(value * side_of(node.mover));
            tree_.back_up(leaf.node, node.raw_value);
            ++evaluations_;
            if (leaf.node == 0) {
                expand_proven_root();
            } else {
                ++simulations_;
            }
        }
        waiting_.clear();
        legal_.clear();
    }

    std::size_t waiting() const { return waiting_.size(); }
    std::uint64_t simulations() const { return simulations_; }
    bool is_done() const { return full_ || tree_[0].is_known(); }  // proven, or out of memory
    bool begun() const { return !tree_.empty(); }
    const PuctTree& tree() const { return tree_; }
    const G& game() const { return evaluator_.game(); }
    float* observations() { return observations_.data(); }
    std::int32_t* roles() { return roles_.data(); }
    std::size_t batch() const { return roles_.size(); }

    PuctReport report() {
        PuctReport report = report_of(tree_, rules_, halving_ > 0);
        report.simulations = simulations_;
        report.evaluations = evaluations_;
        return report;
    }

  private:
    // Visits of the root for each position of a batch: in-flight simulations should not decide where others go
    // while the tree is small.
    static constexpr std::uint32_t kVisitsPerLeaf = 8;
    static constexpr int kMaxSettled = 256;  // simulations without an evaluation before control returns to the caller
    static constexpr int kMaxForced = 64;  // forced moves in a row: the rules may never end a game of forced moves

    enum class End { kWaiting, kAbandoned, kSettled, kFull };

    struct Waiting {
        std::uint32_t node;
        std::size_t first, count;  // its legal actions in legal_
    };

    // How a simulation ended, and at which node.
    std::pair<End, std::uint32_t> simulate() {
        std::uint32_t at = 0;
        int forced = 0;  // positions with a single move passed for the first time
        while (true) {
            const PuctNode& node = tree_[at];
            if (node.is_known()) {
                tree_.back_up(at, value_of(node.known));
                ++simulations_;
                return {End::kSettled, at};
            }
            if (node.edges == 0) {
                const bool waits = node.pending > 0;
                if (!waits && !wait(at, forced++ < kMaxForced)) continue;
                tree_.mark(at, true);
                return {waits ? End::kAbandoned : End::kWaiting, at};
            }
            const std::uint32_t slot = choose(at);
            const PuctEdge& edge = tree_.edges(node)[slot];
            if (slot < node.opened) {
                line_.play(edge.action);
                at = edge.child;
            } else if (tree_.has_room(legal_.size() + static_cast<std::size_t>(line_.game().actions()))) {
                line_.play(edge.action);
                at = open(at);
            } else {
                full_ = true;
                return {End::kFull, at};
            }
        }
    }

    std::uint32_t choose(std::uint32_t at) {
        PuctNode& node = tree_[at];
        if (node.edges == 1) return 0;
        if (node.mover == kChance) {
            const auto drawn = static_cast<std::uint32_t>(random_.below(node.edges));
            if (drawn < node.opened) return drawn;
            std::swap(tree_.edges(node)[drawn], tree_.edges(node)[node.opened]);
            return node.opened;
        }
        if (halving_ == 0) return rules_.by_puct(at);
        if (at != 0) return rules_.by_improved_policy(at);
        const auto moves = std::min<std::uint64_t>(node.edges, PuctRules::kConsidered);
        return rules_.by_halving(0, considered_visits(moves, halving_, simulations_ + waiting_.size()));
    }

    // Adds a node for the position just reached.
    std::uint32_t open(std::uint32_t parent) {
        const std::uint32_t at = tree_.open(parent);
        PuctNode& node = tree_[at];
        const State& state = line_.now();
        node.mover = state.to_move;
        if (state.result != Result::kOngoing) {
            node.known = state.result;
        } else if (state.to_move == kChance) {
            expand_chance(at);
        } else if (const auto score = evaluator_.known(state, 0)) {
            node.known = *score == 0 ? Result::kDraw : win_for(*score > 0 ? state.to_move : 1 - state.to_move);
            node.distance = static_cast<std::uint16_t>(*score == 0 ? 0 : kWin - std::abs(*score));
        } else if (has_winning_move()) {
            node.known = win_for(node.mover);
            node.distance = 1;
        }
        if (node.is_known()) tree_.propagate_proof(at);
        return at;
    }

    // Whether one of the evaluator's candidates wins the game at once.
    bool has_winning_move() {
        winning_.clear();
        evaluator_.list_winning(line_.now(), winning_);
        const Result win = win_for(line_.now().to_move);
        return std::ranges::any_of(winning_, [&](const OrderedAction& move) {
            line_.play(move.action);
            const bool wins = line_.now().result == win;
            line_.undo();
            return wins;
        });
    }

    // Expands all moves of a proven root, so that the quickest win is found.
    void expand_proven_root() {
        if (!evaluator_.known(line_.now(), 0) && !has_winning_move()) return;
        while (tree_[0].opened < tree_[0].edges) {
            line_.play(tree_.edges(tree_[0])[tree_[0].opened].action);
            open(0);
            line_.undo();
        }
    }

    // Queues a position for evaluation. If it may be skipped and has a single move, it gets that move instead
    // (the position after it is the better one to evaluate) and the result is false.
    bool wait(std::uint32_t at, bool may_skip) {
        const std::size_t first = legal_.size();
        line_.each_action([&](Action action) { legal_.push_back({1, kNowhere, action}); });
        if (legal_.size() == first + 1 && at != 0 && may_skip) {
            tree_.expand(at, {&legal_.back(), 1});
            legal_.pop_back();
            return false;
        }
        line_.game().observe(line_.states(), tree_[at].mover, observations_.data() + waiting_.size() * planes_);
        roles_[waiting_.size()] = tree_[at].mover;
        waiting_.push_back({at, first, legal_.size() - first});
        return true;
    }

    // Drops the waiting positions; a later simulation queues them again.
    void abandon() {
        for (const Waiting& leaf : waiting_) tree_.mark(leaf.node, false);
        waiting_.clear();
        legal_.clear();
    }

    void expand(const Waiting& leaf, const float* logits) {
        const std::span<PuctEdge> moves(legal_.data() + leaf.first, leaf.count);
        float highest = -std::numeric_limits<float>::infinity(), total = 0;
        for (const PuctEdge& move : moves) highest = std::max(highest, logits[move.action]);
        for (PuctEdge& move : moves) total += move.prior = std::exp(logits[move.action] - highest);
        const bool sound = std::isfinite(total) && total > 0;  // a net's logits may overflow
        for (PuctEdge& move : moves) move.prior = sound ? move.prior / total : 1.0f / static_cast<float>(moves.size());
        std::ranges::sort(moves, [](const PuctEdge& a, const PuctEdge& b) {
            return std::tuple(-a.prior, a.action) < std::tuple(-b.prior, b.action);
        });
        tree_.expand(leaf.node, moves);
    }

    void expand_chance(std::uint32_t at) {
        std::vector<PuctEdge> outcomes;
        line_.each_action([&](Action action) { outcomes.push_back({0, kNowhere, action}); });
        for (PuctEdge& outcome : outcomes) outcome.prior = 1.0f / static_cast<float>(outcomes.size());
        tree_.expand(at, outcomes);
    }

    // The node of a position, if the line of play passes through the root of the last search, else kNowhere.
    std::uint32_t find(const Line<G>& root) const {
        if (tree_.empty() || root.length() < root_length_) return kNowhere;
        const auto states = root.states();
        for (std::size_t i = 0; i < root_length_; ++i) {
            if (!is_same(states[i], line_.states()[i])) return kNowhere;
        }
        std::uint32_t at = 0;
        for (const State& state : states.subspan(root_length_)) {
            const auto edges = tree_.edges(tree_[at]).first(tree_[at].opened);
            const auto edge = std::ranges::find(edges, state.action, &PuctEdge::action);
            if (edge == edges.end()) return kNowhere;
            at = edge->child;
        }
        return at;
    }

    static bool is_same(const State& a, const State& b) {
        if constexpr (requires { a.quiet; }) {
            if (a.quiet != b.quiet) return false;
        }
        return a.hash == b.hash && a.action == b.action && a.plies == b.plies && a.to_move == b.to_move;
    }

    Evaluator<G> evaluator_;
    PuctTree tree_;
    PuctRules rules_;
    Line<G> line_;  // at the root between calls
    std::size_t root_length_ = 0;
    Random random_;
    std::uint64_t halving_ = 0;  // simulations of a Gumbel search; 0: PUCT
    std::vector<Waiting> waiting_;
    std::vector<PuctEdge> legal_;  // moves of the waiting positions
    ActionList winning_;  // scratch
    std::size_t planes_ = 0;  // numbers in an observation
    std::vector<float> observations_;  // [batch, rows, columns, planes]
    std::vector<std::int32_t> roles_;  // [batch]
    std::uint64_t simulations_ = 0, evaluations_ = 0;
    bool full_ = false;
};

}  // namespace boardwright
