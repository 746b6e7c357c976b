// Endgame tables of English draughts: retrograde analysis of one material and its colour-swapped counterpart.
//
// A forward pass settles every position with captures or without moves, since all its moves lead to finished tables.
// For any other position it counts the moves within the two slices and evaluates the moves that crown a man. Then, for
// d = 0, 1, 2, …, the positions with value d update their predecessors: the predecessor of a loss in d is a win in d +
// 1; the predecessor of a win in d has one move less to try, and with no move left it is a loss. Positions never
// reached are drawn. Each position is visited twice, however long its win.
#pragma once

#include <functional>
#include <memory>

#include "tablebase/value.hpp"

namespace boardwright::draughts {

// Positions of one or several slices, counted by value.
struct SliceCounts {
    std::uint64_t positions = 0, wins = 0, draws = 0, losses = 0;
    std::uint64_t longest = 0;  // plies of the longest win

    static SliceCounts of(const std::vector<Value>& values);
    void add(const SliceCounts& other);
    bool operator==(const SliceCounts&) const = default;
};

struct SolvedSlice {
    SliceIndex index;
    std::vector<Value> values;
};

// Finished slices, complete in memory, by material. Values of positions with captures may be missing.
class SolvedSlices {
  public:
    SolvedSlices() : by_code_(Material::kCodes) {}
    SolvedSlices(const SolvedSlices&) = delete;
    SolvedSlices& operator=(const SolvedSlices&) = delete;

    const SolvedSlice* find(const Material& material) const { return by_code_[material.code()].get(); }
    void put(SolvedSlice slice);
    void drop(const Material& material) { by_code_[material.code()].reset(); }
    Value value(const Board& board) const;

  private:
    std::vector<std::unique_ptr<SolvedSlice>> by_code_;
};

// Called from time to time, by the calling thread, with the number of positions done; may throw to cancel.
using Progress = std::function<void(std::uint64_t)>;

// The slice of the material, and that of its colour-swapped counterpart where it is another.
std::vector<SolvedSlice> solve_pair(const Material& material, const SolvedSlices& finished, int threads,
                                    const Progress& progress);

}  // namespace boardwright::draughts
