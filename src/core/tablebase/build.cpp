#include "tablebase/build.hpp"

namespace boardwright::draughts {
namespace {

// The materials after either side crowns a man, as listed by materials_in_order().
std::vector<Material> after_crowning(const Material& material) {
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

}  // namespace

bool TableBuilder::has(const Material& material) const {
    try {
        const TableFile file(folder_, material);
        return true;
    } catch (const TableError&) {
        return false;
    }
}

void TableBuilder::build(const Material& material, const Progress& progress) {
    prepare(material);
    std::uint64_t done = 0;
    const auto report = [&](std::uint64_t positions) {
        done = positions;
        if (progress) progress(done);
    };
    std::vector<SolvedSlice> solved = solve_pair(material, solved_, threads_, report);
    write_table(table_path(folder_, material), solved, threads_, [&] { report(done); });
    for (SolvedSlice& slice : solved) solved_.put(std::move(slice));
}

// Loads what the material needs, and drops what neither it nor a later one needs.
void TableBuilder::prepare(const Material& material) {
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

void TableBuilder::load(const Material& material) {
    if (solved_.find(material) && solved_.find(material.turned())) return;
    const TableFile file(folder_, material);
    for (const StoredSlice& slice : file.slices()) solved_.put(slice.read_all(threads_));
}

}  // namespace boardwright::draughts
