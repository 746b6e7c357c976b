#include "tablebase/index.hpp"

#include <algorithm>

namespace boardwright::draughts {
namespace {

// Sets of k squares out of 32, in the order of their greatest square, then the next (colexicographic):
// sets within the first n squares come before all others, for every n.
class SquareSets {
  public:
    SquareSets() {
        for (int n = 0; n <= 32; ++n) {
            choose_[n][0] = 1;
            for (int k = 1; n > 0 && k <= kMaxPieces; ++k) choose_[n][k] = choose_[n - 1][k - 1] + choose_[n - 1][k];
        }
        sets_[0] = {0};
        for (int k = 1; k < kMaxPieces; ++k) {
            // Sets of k with greatest square s are the sets of k - 1 below s, each with s added.
            for (int s = k - 1; s < 32; ++s) {
                for (std::uint32_t i = 0; i < choose_[s][k - 1]; ++i)
                    sets_[k].push_back(sets_[k - 1][i] | Bits{1} << s);
            }
        }
    }

    std::uint32_t count(int squares, int k) const { return choose_[squares][k]; }
    Bits set(int k, std::uint32_t number) const { return sets_[k][number]; }

    // The number of a set, its members counted among the squares that are not taken.
    std::uint32_t number(Bits set, Bits taken) const {
        std::uint32_t number = 0;
        for (int i = 1; set; ++i, set &= set - 1) {
            const Bits below = (set & -set) - 1;
            number += choose_[std::popcount(below & ~taken)][i];
        }
        return number;
    }

    // The number of the set turned by 180 degrees.
    std::uint32_t number_turned(Bits set) const {
        std::uint32_t number = 0;
        for (int i = 1; set; ++i) {
            const int square = std::countl_zero(set);
            number += choose_[square][i];
            set ^= Bits{0x80000000} >> square;
        }
        return number;
    }

    // The set with a number, counted among the squares that are not taken.
    Bits among_free(int k, std::uint32_t number, Bits taken) const {
        Bits free_set = 0;
        for (Bits left = sets_[k][number]; left; left &= left - 1) {
            Bits bit = left & -left;
            for (Bits others = taken; others; others &= others - 1) {
                if ((others & -others) <= bit) bit <<= 1;
            }
            free_set |= bit;
        }
        return free_set;
    }

  private:
    std::array<std::array<std::uint32_t, kMaxPieces + 1>, 33> choose_{};
    std::array<std::vector<Bits>, kMaxPieces> sets_;
};

const SquareSets& square_sets() {  // built at the first use: one megabyte
    static const SquareSets built;
    return built;
}

Board men_on_board(const Material& material, std::uint32_t own, std::uint32_t enemy) {
    const SquareSets& sets = square_sets();
    return {{sets.set(material.men[0], own), turned(sets.set(material.men[1], enemy))}, 0};
}

}  // namespace

std::string Material::name() const {
    const auto side = [&](int which) { return std::string(kings[which], 'K') + std::string(men[which], 'M'); };
    return side(0) + '-' + side(1);
}

std::vector<Material> materials_in_order(int pieces) {
    std::vector<Material> order;
    for (int men = 0; men <= pieces; ++men) {
        for (int strong = pieces - 1; strong >= pieces - strong; --strong) {
            const int weak = pieces - strong;
            for (int strong_men = std::max(0, men - weak); strong_men <= std::min(men, strong); ++strong_men) {
                const int weak_men = men - strong_men;
                const Material material{{strong_men, weak_men}, {strong - strong_men, weak - weak_men}};
                if (strong == weak && material.kings[0] < material.kings[1]) continue;
                order.push_back(material);
            }
        }
    }
    return order;
}

std::vector<Material> slices_in_order(int pieces) {
    std::vector<Material> order;
    for (const Material& material : materials_in_order(pieces)) {
        order.push_back(material);
        if (material != material.turned()) order.push_back(material.turned());
    }
    return order;
}

SliceIndex::SliceIndex(const Material& material) : material_(material) {
    const SquareSets& sets = square_sets();
    const int men = material.men[0] + material.men[1];
    digits_ = {sets.count(kSquaresForMen, material.men[0]), sets.count(kSquaresForMen, material.men[1]),
               sets.count(32 - men, material.kings[0]), sets.count(32 - men - material.kings[0], material.kings[1])};
}

std::uint64_t SliceIndex::row() const {
    for (int i = 3; i > 0; --i) {
        if (digits_[i] > 1) return digits_[i];
    }
    return digits_[0];
}

std::uint64_t SliceIndex::number(const Board& board) const {
    const SquareSets& sets = square_sets();
    assert(Material::of(board) == material_);
    const Bits men = board.occupied() & ~board.kings;
    std::uint64_t number = sets.number(board.men(0), 0);
    number = number * digits_[1] + sets.number_turned(board.men(1));
    number = number * digits_[2] + sets.number(board.kings_of(0), men);
    return number * digits_[3] + sets.number(board.kings_of(1), men | board.kings_of(0));
}

Board SliceIndex::board(std::uint64_t number) const {
    assert(number < size());
    return SliceWalk(*this, number).board();
}

SliceWalk::SliceWalk(const SliceIndex& slice, std::uint64_t first) : slice_(&slice) {
    for (int i = 3; i >= 0; --i) {
        digit_[i] = static_cast<std::uint32_t>(first % slice.digits_[i]);
        first /= slice.digits_[i];
    }
    place_men();
}

void SliceWalk::advance() {
    if (++digit_[3] < slice_->digits_[3]) return place_enemy_kings();
    digit_[3] = 0;
    if (++digit_[2] < slice_->digits_[2]) return place_kings();
    digit_[2] = 0;
    if (++digit_[1] == slice_->digits_[1]) {
        digit_[1] = 0;
        if (++digit_[0] == slice_->digits_[0]) digit_[0] = 0;
    }
    place_men();
}

void SliceWalk::place_men() {
    men_ = men_on_board(slice_->material(), digit_[0], digit_[1]);
    gap_ = (men_.pieces[0] & men_.pieces[1]) != 0;
    place_kings();
}

void SliceWalk::place_kings() {
    if (gap_) return;
    kings_ = square_sets().among_free(slice_->material().kings[0], digit_[2], men_.occupied());
    place_enemy_kings();
}

void SliceWalk::place_enemy_kings() {
    if (gap_) return;
    const Bits enemy_kings = square_sets().among_free(slice_->material().kings[1], digit_[3], men_.occupied() | kings_);
    board_ = {{men_.pieces[0] | kings_, men_.pieces[1] | enemy_kings}, kings_ | enemy_kings};
}

}  // namespace boardwright::draughts
