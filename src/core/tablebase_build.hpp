// Endgame tables of English draughts: building the files of a folder, one material after another.
#pragma once

#include "tablebase.hpp"

namespace boardwright::draughts {

// Needs a byte for every position with fewer pieces, a byte for those a crowning leads to from the
// material in work or one still to come, and two bytes for those of the material in work: 0.2 GiB in all
// for 5 pieces, some 2 GiB for 6.
class TableBuilder {
  public:
    TableBuilder(std::filesystem::path folder, int threads) : folder_(std::move(folder)), threads_(threads) {}

    // Whether the material's file is there and sound.
    bool has(const Material& material) const {
        try {
            const TableFile file(folder_, material);
            return true;
        } catch (const TableError&) {
            return false;
        }
    }

    // Solves a material and its turned self, all before it in materials_in_order() having files, and
    // writes the file. `progress` is told how many positions are done, and may throw to give up: then
    // nothing is written.
    void build(const Material& material, const PairSolver::Progress& progress) {
        prepare(material);
        std::uint64_t done = 0;
        const auto remember = [&](std::uint64_t positions) {
            done = positions;
            if (progress) progress(done);
        };
        std::vector<SolvedSlice> solved = PairSolver(material, solved_, threads_, remember).solve();
        write_table(table_path(folder_, material), solved, threads_, [&] { remember(done); });
        for (SolvedSlice& slice : solved) solved_.put(std::move(slice));
    }

  private:
    // Has in memory what the material needs, and drops what neither it nor a later one does.
    void prepare(const Material& material) {
        for (int pieces = 2; pieces < material.pieces(); ++pieces) {
            for (const Material& smaller : materials_in_order(pieces)) load(smaller);
        }
        std::vector<Material> needed;
        bool reached = false;
        for (const Material& later : materials_in_order(material.pieces())) {
            reached = reached || later == material;
            if (!reached) continue;
            for (const Material& crowned : after_crowning(later)) {
                if (later == material) load(crowned);
                needed.push_back(crowned);
            }
        }
        for (const Material& other : materials_in_order(material.pieces())) {
            if (std::ranges::find(needed, other) != needed.end()) continue;
            solved_.drop(other);
            solved_.drop(other.turned());
        }
    }

    // What becomes of a material when either side crowns a man, as listed by materials_in_order().
    static std::vector<Material> after_crowning(const Material& material) {
        std::vector<Material> crowned;
        for (int side = 0; side < 2; ++side) {
            Material after = material;
            if (after.men[side]-- == 0) continue;
            ++after.kings[side];
            const bool even = after.pieces(0) == after.pieces(1);
            crowned.push_back(even && after.kings[0] < after.kings[1] ? after.turned() : after);
        }
        return crowned;
    }

    void load(const Material& material) {
        if (solved_.find(material) && solved_.find(material.turned())) return;
        const TableFile file(folder_, material);
        for (const StoredSlice& slice : file.slices()) solved_.put(slice.read_all(threads_));
    }

    const std::filesystem::path folder_;
    const int threads_;
    SolvedSlices solved_;
};

}  // namespace boardwright::draughts
