// Endgame tables of English draughts: building the files of a folder, one material after another.
#pragma once

#include "tablebase/tables.hpp"

namespace boardwright::draughts {

// Needs a byte for every position with fewer pieces, a byte for every position that a crowning leads to from
// this material or a later one, and two bytes for every position of this material: 0.2 GiB in all for 5
// pieces, some 2 GiB for 6.
class TableBuilder {
  public:
    TableBuilder(std::filesystem::path folder, int threads) : folder_(std::move(folder)), threads_(threads) {}

    // Whether the material's file exists and is sound.
    bool has(const Material& material) const;

    // Solves a material and its colour-swapped counterpart, and writes the file; all materials before it in
    // materials_in_order() must have files. `progress` may throw to cancel: then nothing is written.
    void build(const Material& material, const Progress& progress);

  private:
    void prepare(const Material& material);
    void load(const Material& material);

    const std::filesystem::path folder_;
    const int threads_;
    SolvedSlices solved_;
};

}  // namespace boardwright::draughts
