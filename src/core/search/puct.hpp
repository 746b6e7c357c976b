// PUCT and Gumbel tree search that asks for evaluations in batches; generic over games.
//
// The caller alternates: `collect` walks down the tree until a batch of positions waits to be evaluated and
// writes what their movers observe into one array; `apply` takes the answers. Between the two anything may be
// asked of the tree, so that a search can be watched and ended at any time. Positions of one batch differ: a
// simulation that comes to a position that waits already is given up.
//
// It looks at who is to move at every node, so a role may move several times running, and draws what chance
// does. Positions are reached by playing from the root, so that repetitions are what the rules say of this line
// of play, and history planes are true. Ends of games, wins at the next move, what endgame tables know and what
// follows from all these (see PuctTree::pass_up) is exact, and such positions are not evaluated.
//
// The tree outlives the move: what is known about the position after our move and the reply is kept.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "../random.hpp"
#include "evaluation.hpp"
#include "puct_report.hpp"
#include "puct_rules.hpp"

namespace boardwright {

template <Game G>
class PuctSearch {
  public:
    using State = typename G::State;

    // The evaluator is asked only for wins and for what endgame tables know. The tree has so many bytes, a batch at
    // most so many positions.
    PuctSearch(Evaluator<G> evaluator, std::size_t bytes, int batch, std::uint64_t seed)
        : evaluator_(std::move(evaluator)), tree_(bytes), rules_(tree_), line_(evaluator_.game(), evaluator_.game().start()),
          random_(seed, 0), roles_(static_cast<std::size_t>(batch)) {
        const auto shape = evaluator_.game().observation_shape();
        planes_ = shape[0] * shape[1] * shape[2];
        observations_.resize(planes_ * roles_.size());
    }
    PuctSearch(const PuctSearch&) = delete;  // rules_ looks at tree_

    // The position to search from now on; its game must go on. With `halving`, the number of simulations to
    // come, it is a Gumbel search and begins afresh.
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
        if (tree_[0].edges == 0) tree_[0].known = Result::kOngoing;  // however sure: now its moves must be told apart
        halving_ = halving;
        simulations_ = evaluations_ = 0;
        full_ = false;
    }

    // Simulates until `batch` positions wait, or there have been `simulations` with those, 0 for no limit. It may
    // find less to do; with nothing waiting and is_done() there is no more.
    int collect(int batch, std::uint64_t simulations) {
        abandon();
        const auto most = std::min<std::size_t>(std::min<std::size_t>(static_cast<std::size_t>(batch), roles_.size()),
                                                1 + tree_[0].visits / kVisitsALeaf);
        std::vector<std::uint32_t> given_up;
        for (int settled = 0; waiting_.size() < most && settled < kMostSettled && given_up.size() < most && !is_done();) {
            if (simulations > 0 && simulations_ + waiting_.size() >= simulations) break;
            const auto [end, at] = simulate();
            line_.reset(root_length_);
            if (end == End::kGivenUp) given_up.push_back(at);
            if (end == End::kSettled) ++settled;
            if (at == 0) break;  // before the root is evaluated nothing can follow
        }
        for (const std::uint32_t at : given_up) tree_.mark(at, false);
        return static_cast<int>(waiting_.size());
    }

    // The answers to the positions that wait, in their order: logits [waiting, actions], values [waiting] from
    // the side of their movers.
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
                open_what_is_sure();
            } else {
                ++simulations_;
            }
        }
        waiting_.clear();
        legal_.clear();
    }

    std::size_t waiting() const { return waiting_.size(); }
    std::uint64_t simulations() const { return simulations_; }
    bool is_settled() const { return tree_[0].is_known(); }
    bool is_full() const { return full_; }
    bool is_done() const { return is_settled() || is_full(); }
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
    // A batch has at most a position for so many visits of the root: what is under way should not decide where
    // simulations go while little is known.
    static constexpr std::uint32_t kVisitsALeaf = 8;
    static constexpr int kMostSettled = 256;  // simulations without an evaluation, before the caller is heard
    static constexpr int kMostForced = 64;    // moves in a row: rules need not end a game in which nobody has a choice

    enum class End { kWaiting, kGivenUp, kSettled, kFull };

    struct Waiting {
        std::uint32_t node;
        std::size_t first, count;  // its legal actions in legal_
    };

    // How a simulation ended, and at which node.
    std::pair<End, std::uint32_t> simulate() {
        std::uint32_t at = 0;
        int forced = 0;  // positions without a choice that it went through for the first time
        while (true) {
            const PuctNode& node = tree_[at];
            if (node.is_known()) {
                tree_.back_up(at, value_of(node.known));
                ++simulations_;
                return {End::kSettled, at};
            }
            if (node.edges == 0) {
                const bool waits = node.pending > 0;
                if (!waits && !wait(at, forced++ < kMostForced)) continue;
                tree_.mark(at, true);
                return {waits ? End::kGivenUp : End::kWaiting, at};
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

    // A node for the position that has just been played to.
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
        } else if (wins_at_once()) {
            node.known = win_for(node.mover);
            node.distance = 1;
        }
        if (node.is_known()) tree_.pass_up(at);
        return at;
    }

    // Whether the role to move has a move that wins the game, of those that the evaluator names.
    bool wins_at_once() {
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

    // Where the root itself is sure all its moves are looked at, so that the quickest win is known.
    void open_what_is_sure() {
        if (!evaluator_.known(line_.now(), 0) && !wins_at_once()) return;
        while (tree_[0].opened < tree_[0].edges) {
            line_.play(tree_.edges(tree_[0])[tree_[0].opened].action);
            open(0);
            line_.undo();
        }
    }

    // Lets a position wait to be evaluated. Or, if it may be gone through, not one with a single move, which says nothing
    // that the position after it does not say better: false, and it has its move.
    bool wait(std::uint32_t at, bool may_go_on) {
        const std::size_t first = legal_.size();
        line_.each_action([&](Action action) { legal_.push_back({1, kNowhere, action}); });
        if (legal_.size() == first + 1 && at != 0 && may_go_on) {
            tree_.expand(at, {&legal_.back(), 1});
            legal_.pop_back();
            return false;
        }
        line_.game().observe(line_.states(), tree_[at].mover, observations_.data() + waiting_.size() * planes_);
        roles_[waiting_.size()] = tree_[at].mover;
        waiting_.push_back({at, first, legal_.size() - first});
        return true;
    }

    // Forgets what waits, which will be asked for again when a simulation comes by.
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
        const bool sound = std::isfinite(total) && total > 0;  // a net may overflow
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

    // The node of a position, if it lies behind the root that was searched last, by the same line of play.
    std::uint32_t find(const Line<G>& root) const {
        if (tree_.empty() || root.length() < root_length_) return kNowhere;
        const auto states = root.states();
        for (std::size_t i = 0; i < root_length_; ++i) {
            if (!alike(states[i], line_.states()[i])) return kNowhere;
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

    static bool alike(const State& a, const State& b) {
        if constexpr (requires { a.quiet; }) {
            if (a.quiet != b.quiet) return false;
        }
        return a.hash == b.hash && a.action == b.action && a.plies == b.plies && a.to_move == b.to_move;
    }

    Evaluator<G> evaluator_;
    PuctTree tree_;
    PuctRules rules_;
    Line<G> line_;                     // at the root between calls
    std::size_t root_length_ = 0;
    Random random_;
    std::uint64_t halving_ = 0;        // simulations of a Gumbel search; 0: PUCT
    std::vector<Waiting> waiting_;
    std::vector<PuctEdge> legal_;      // moves of the positions that wait
    ActionList winning_;               // scratch
    std::size_t planes_ = 0;           // numbers in an observation
    std::vector<float> observations_;  // [batch, rows, columns, planes]
    std::vector<std::int32_t> roles_;  // [batch]
    std::uint64_t simulations_ = 0, evaluations_ = 0;
    bool full_ = false;
};

}  // namespace boardwright
