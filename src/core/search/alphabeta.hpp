// Alpha-beta, generic over games: iterative deepening, principal variation search with aspiration
// windows, a transposition table, killer and history ordering, late move reductions, quiescence.
//
// The role to move is read at every node, so a role may move several times in a row. Depth counts whole moves:
// further hops of a capture cost no depth. Threads search the same position independently and share the
// transposition table (lazy SMP).
#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <exception>
#include <functional>
#include <thread>

#include "game.hpp"
#include "search/evaluation.hpp"
#include "search/transposition.hpp"

namespace boardwright {

// The search ends at the first limit reached; 0 means no limit of that kind.
struct SearchLimit {
    int depth = 0;
    std::uint64_t nodes = 0;
    double seconds = 0;
};

struct SearchReport {
    int depth = 0;                 // whole moves searched completely
    int score = 0;                 // for the role to move
    std::uint64_t nodes = 0;
    double seconds = 0;
    std::vector<Action> principal_variation;  // never empty
};

// One thread's search of one position.
template <Game G>
class AlphaBetaThread {
  public:
    static constexpr int kMaxPlies = 200;  // actions from the root
    static constexpr int kMaxDepth = 100;  // whole moves

    struct Shared {
        TranspositionTable& table;
        std::atomic<bool> stop{false};
        std::atomic<std::uint64_t> nodes{0};
    };

    AlphaBetaThread(const Line<G>& root, Evaluator<G> evaluator, Shared& shared, std::uint64_t node_limit)
        : line_(root), evaluator_(std::move(evaluator)), shared_(shared), node_limit_(node_limit) {
        line_.reserve(root.length() + kMaxPlies + 2);
        root_length_ = root.length();
        for (auto& side : history_) side.assign(static_cast<std::size_t>(root.game().actions()), 0);
    }

    // Deepens until `last_depth` is done or `poll`, called from time to time, returns true. `done(report)` is called
    // after every completed depth. Returns the best line found.
    template <class Poll, class Done>
    SearchReport deepen(int first_depth, int last_depth, Poll&& poll, Done&& done) {
        poll_ = [&] { return poll(); };
        best_.principal_variation = {first_action()};
        try {
            for (iteration_ = first_depth; iteration_ <= last_depth; ++iteration_) {
                const int depth = iteration_;
                search_root(depth);
                best_.depth = depth;
                best_.nodes = nodes_;
                done(best_);
                if (is_decided(best_.score) && kWin - std::abs(best_.score) <= depth) break;
            }
        } catch (Stopped) {
            line_.reset(root_length_);
        }
        shared_.nodes.fetch_add(nodes_ - counted_, std::memory_order_relaxed);
        best_.nodes = nodes_;
        return best_;
    }

  private:
    using State = typename G::State;
    struct Stopped {};

    static constexpr int kWindow = 30;         // half the first aspiration window
    static constexpr int kInfinite = kWin + 1;

    Action first_action() const { return line_.game().nth_action(line_.now(), 0); }

    void search_root(int depth) {
        int low = -kInfinite, high = kInfinite, width = kWindow;
        if (depth >= 4 && !is_decided(best_.score)) {
            low = best_.score - width;
            high = best_.score + width;
        }
        while (true) {
            const int score = search(low, high, depth, 0);
            if (score > low && score < high) {
                best_.score = score;
                return;
            }
            width *= 4;
            if (score <= low) low = width > 2000 ? -kInfinite : score - width;
            if (score >= high) high = width > 2000 ? kInfinite : score + width;
        }
    }

    // Score of line_.now() for the role to move. `ply` counts actions from the root.
    int search(int alpha, int beta, int depth, int ply) {
        const State& state = line_.now();
        variation_[ply].clear();
        if (const auto score = settled(state, ply)) return *score;
        if (depth <= 0 || ply >= kMaxPlies) return quiesce(alpha, beta, ply);
        count_node();

        const std::uint64_t key = evaluator_.key(state);
        const bool zero_window = beta - alpha == 1;
        Action stored_action = kNoAction;
        if (const auto entry = shared_.table.find(key)) {
            stored_action = entry->action;
            const int value = from_table(entry->value, ply);
            const bool fails_high = value >= beta && (static_cast<int>(entry->bound) & static_cast<int>(Bound::kLower));
            const bool fails_low = value <= alpha && (static_cast<int>(entry->bound) & static_cast<int>(Bound::kUpper));
            if (ply > 0 && zero_window && entry->depth >= depth && seen_before(state) == 0 &&
                (fails_high || fails_low)) {
                return value;
            }
        }

        ActionList& actions = actions_[ply];
        actions.clear();
        evaluator_.list(state, actions);
        order(actions, stored_action, state.to_move, ply);
        // A forced move costs no depth, but no line extends beyond twice the depth that way.
        const int cost = actions.size() == 1 && ply < 2 * iteration_ ? 0 : 1;

        const int first_alpha = alpha;
        int best = -kInfinite;
        Action best_action = kNoAction;
        for (std::size_t i = 0; i < actions.size(); ++i) {
            const Action action = next_best(actions, i);
            const bool quiet = actions[i].order < kSharp;
            line_.play(action);
            const State& after = line_.now();
            const bool same = after.to_move == state.to_move;
            const int left = after.continues ? depth : depth - cost;
            const auto search_child = [&](int low, int high, int plies) {
                return same ? search(low, high, plies, ply + 1) : -search(-high, -low, plies, ply + 1);
            };
            int score;
            if (i == 0) {
                score = search_child(alpha, beta, left);
            } else {
                const int less = quiet && depth >= 3 && !after.continues ? reduction(depth, static_cast<int>(i)) : 0;
                score = search_child(alpha, alpha + 1, left - less);
                if (less > 0 && score > alpha) score = search_child(alpha, alpha + 1, left);
                if (score > alpha && score < beta) score = search_child(alpha, beta, left);
            }
            line_.undo();
            if (score > best) {
                best = score;
                if (score > alpha || best_action == kNoAction) best_action = action;
                if (score > alpha) {
                    alpha = score;
                    update_variation(action, ply);
                    if (ply == 0) {
                        best_.score = score;
                        best_.principal_variation = variation_[0];
                    }
                }
                if (alpha >= beta) {
                    if (quiet) reward(actions, i, state.to_move, depth, ply);
                    break;
                }
            }
        }
        const Bound bound = best >= beta ? Bound::kLower : best > first_alpha ? Bound::kExact : Bound::kUpper;
        shared_.table.store(
            key, {bound == Bound::kUpper ? kNoAction : best_action, static_cast<std::int16_t>(to_table(best, ply)),
                  static_cast<std::int8_t>(std::min(depth, 120)), bound});
        return best;
    }

    // Searches sharp moves only, until the position is quiet.
    int quiesce(int alpha, int beta, int ply) {
        const State& state = line_.now();
        if (const auto score = settled(state, ply)) return *score;
        count_node();
        const bool forced = evaluator_.is_forced(state) && ply < kMaxPlies;
        int best = -kInfinite;
        if (!forced) {
            best = evaluator_.value(state);
            if (best >= beta || ply >= kMaxPlies) return best;
            alpha = std::max(alpha, best);
        }
        ActionList& actions = actions_[ply];
        actions.clear();
        evaluator_.list_sharp(state, actions);
        for (std::size_t i = 0; i < actions.size(); ++i) {
            line_.play(next_best(actions, i));
            const bool same = line_.now().to_move == state.to_move;
            const int score = same ? quiesce(alpha, beta, ply + 1) : -quiesce(-beta, -alpha, ply + 1);
            line_.undo();
            best = std::max(best, score);
            alpha = std::max(alpha, score);
            if (alpha >= beta) break;
        }
        return best;
    }

    static int seen_before(const State& state) {
        if constexpr (requires { state.seen; }) return state.seen;
        return 0;
    }

    // Whether the state occurred since the root: a side that repeated once can repeat again. States that occurred
    // only before the root are searched, since the rules may require one more repetition and both may now deviate.
    bool repeats_since_root(const State& state) const {
        if (seen_before(state) == 0) return false;
        const auto states = line_.states();
        for (std::size_t earlier = states.size() - 1; earlier-- >= root_length_;) {
            if (states[earlier].hash == state.hash) return true;
        }
        return false;
    }

    // The score of a state that needs no search: the game is over, repeats, or is in an endgame table.
    std::optional<int> settled(const State& state, int ply) {
        if (state.result != Result::kOngoing) {
            if (state.result == Result::kDraw) return 0;
            return state.result == win_for(state.to_move) ? kWin - ply : ply - kWin;
        }
        if (ply == 0) return std::nullopt;
        if (state.to_move == kChance) return evaluator_.value(state);
        if (evaluator_.repeats_to_draw() && repeats_since_root(state)) return 0;
        return evaluator_.known(state, ply);
    }

    void order(ActionList& actions, Action stored_action, Role role, int ply) {
        const auto& killers = killers_[ply];
        const auto& history = history_[role];
        for (OrderedAction& move : actions) {
            if (move.action == stored_action) {
                move.order = 1 << 30;
            } else if (move.order < kSharp) {
                if (move.action == killers[0]) move.order = kSharp - 1;
                else if (move.action == killers[1]) move.order = kSharp - 2;
                else move.order += history[move.action];
            }
        }
    }

    // Swaps the best of the remaining actions to index i. Most nodes need only the first few, so the rest is
    // sorted only when a node needs more.
    static Action next_best(ActionList& actions, std::size_t i) {
        constexpr std::size_t kFew = 8;
        if (i > kFew) return actions[i].action;
        if (i == kFew) {
            std::stable_sort(actions.begin() + kFew, actions.end(),
                             [](const auto& a, const auto& b) { return a.order > b.order; });
            return actions[i].action;
        }
        std::size_t best = i;
        for (std::size_t k = i + 1; k < actions.size(); ++k) {
            if (actions[k].order > actions[best].order) best = k;
        }
        std::swap(actions[i], actions[best]);
        return actions[i].action;
    }

    // A quiet move caused a cutoff: try it earlier elsewhere, and those tried before it later.
    void reward(const ActionList& actions, std::size_t cut, Role role, int depth, int ply) {
        auto& killers = killers_[ply];
        const Action action = actions[cut].action;
        if (killers[0] != action) {
            killers[1] = killers[0];
            killers[0] = action;
        }
        const auto push = [&](Action which, int by) {
            std::int32_t& score = history_[role][which];
            score += by - static_cast<std::int32_t>(std::int64_t{score} * std::abs(by) / kMaxHistory);
        };
        const int by = std::min(depth * depth * 16, kMaxHistory / 4);
        push(action, by);
        for (std::size_t i = 0; i < cut; ++i) {
            if (actions[i].order < kSharp) push(actions[i].action, -by);
        }
    }

    static int reduction(int depth, int index) {
        static const auto table = [] {
            std::array<std::array<std::int8_t, 64>, 64> reductions{};
            for (int d = 1; d < 64; ++d) {
                for (int i = 3; i < 64; ++i)
                    reductions[d][i] = static_cast<std::int8_t>(1.0 + std::log(d) * std::log(i) / 1.9);
            }
            return reductions;
        }();
        return std::min<int>(table[std::min(depth, 63)][std::min(index, 63)], depth - 1);
    }

    void update_variation(Action action, int ply) {
        auto& here = variation_[ply];
        here.assign(1, action);
        const auto& rest = variation_[ply + 1];
        here.insert(here.end(), rest.begin(), rest.end());
    }

    void count_node() {
        if ((++nodes_ & 1023) == 0) {
            shared_.nodes.fetch_add(nodes_ - counted_, std::memory_order_relaxed);
            counted_ = nodes_;
            if (shared_.stop.load(std::memory_order_relaxed) || poll_()) throw Stopped{};
        }
        if (nodes_ == node_limit_) throw Stopped{};
    }

    // Proven scores are stored by their distance from the position, not from the root.
    static int to_table(int score, int ply) {
        return !is_proven(score) ? score : score > 0 ? score + ply : score - ply;
    }
    static int from_table(int score, int ply) {
        return !is_proven(score) ? score : score > 0 ? score - ply : score + ply;
    }

    static constexpr std::int32_t kMaxHistory = 1 << 20;

    Line<G> line_;
    Evaluator<G> evaluator_;
    Shared& shared_;
    std::function<bool()> poll_;
    std::size_t root_length_ = 0;
    int iteration_ = 1;
    std::uint64_t nodes_ = 0, counted_ = 0, node_limit_;
    SearchReport best_;
    std::array<ActionList, kMaxPlies + 2> actions_;
    std::array<std::vector<Action>, kMaxPlies + 2> variation_;
    std::array<std::array<Action, 2>, kMaxPlies + 2> killers_ = no_killers();
    std::array<std::vector<std::int32_t>, 2> history_;

    static constexpr auto no_killers() {
        std::array<std::array<Action, 2>, kMaxPlies + 2> none{};
        for (auto& pair : none) pair.fill(kNoAction);
        return none;
    }
};

// A player's search. The transposition table is kept from move to move.
template <Game G>
class AlphaBeta {
  public:
    AlphaBeta(Evaluator<G> evaluator, std::size_t table_bytes, int threads)
        : evaluator_(std::move(evaluator)), table_(table_bytes), threads_(threads) {}

    // `stop` is called from time to time, returns whether to stop, and may throw; `done(report)` is called after
    // every completed depth. Both are called from this thread only. With one thread and no time limit the result
    // depends only on the position and the earlier searches of this object.
    template <class Stop, class Done>
    SearchReport run(const Line<G>& root, SearchLimit limit, Stop&& stop, Done&& done) {
        using Thread = AlphaBetaThread<G>;
        const auto begin = std::chrono::steady_clock::now();
        const auto elapsed = [&] {
            return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
        };
        int deepest = limit.depth > 0 ? std::min(limit.depth, Thread::kMaxDepth) : Thread::kMaxDepth;
        // With a single legal action a short search suffices: it only needs a value.
        if (limit.seconds > 0 && root.count_actions() == 1) deepest = std::min(deepest, kForcedDepth);
        table_.new_search();
        typename Thread::Shared shared{table_};
        struct StopOnExit {  // stops the helpers before they are joined, also when an exception is thrown
            std::vector<std::jthread> helpers;
            std::atomic<bool>& flag;
            ~StopOnExit() { flag.store(true); }
        } team{{}, shared.stop};
        // Each thread has its share of the nodes, the first also the remainder, so that together they never search
        // more, however unevenly they run.
        const std::uint64_t each = limit.nodes / static_cast<std::uint64_t>(threads_);
        const std::uint64_t rest = limit.nodes % static_cast<std::uint64_t>(threads_);
        const int helpers = limit.nodes > 0 && each == 0 ? 0 : threads_ - 1;
        auto thread = std::make_unique<Thread>(root, evaluator_, shared, each + rest);
        const auto help = [&](int helper) {
            try {
                auto helping = std::make_unique<Thread>(root, evaluator_, shared, each);
                helping->deepen(1 + helper % 2, deepest, [] { return false; }, [](const SearchReport&) {});
            } catch (const std::exception&) {  // no memory for another thread: the others continue without it
            }
        };
        try {
            for (int helper = 1; helper <= helpers; ++helper) team.helpers.emplace_back(help, helper);
        } catch (const std::exception&) {  // the system refuses more threads: those that started suffice
        }
        const auto poll = [&] {
            if (limit.seconds > 0 && elapsed() >= limit.seconds) return true;
            return stop();
        };
        const auto finish = [&](SearchReport report) {
            if (threads_ > 1) report.nodes = shared.nodes.load(std::memory_order_relaxed);
            report.seconds = elapsed();
            return report;
        };
        const SearchReport best =
            thread->deepen(1, deepest, poll, [&](const SearchReport& report) { done(finish(report)); });
        shared.stop.store(true);
        team.helpers.clear();
        return finish(best);
    }

    Evaluator<G>& evaluator() { return evaluator_; }

  private:
    static constexpr int kForcedDepth = 8;

    Evaluator<G> evaluator_;
    TranspositionTable table_;
    int threads_;
};

}  // namespace boardwright
