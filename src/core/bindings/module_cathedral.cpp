// The Python bindings of Cathedral.
#include "bindings/search.hpp"
#include "games/cathedral/evaluation.hpp"

namespace boardwright {

extern template class AlphaBetaThread<Cathedral>;

namespace {

// Reads boardwright.games.cathedral.rules.Tables.
CathedralTables cathedral_tables(nb::handle tables) {
    CathedralTables t;
    FieldReader{tables}("size", t.size)("claim_cap", t.claim_cap)("first_building_claims", t.first_building_claims)
        ("first", t.first)("shaped", t.shaped)("full_observation", t.full_observation)("piece", t.piece)
        ("piece_size", t.piece_size)("mirrored", t.mirrored)("placement_key", t.placement_key)
        ("claims_key", t.claims_key)("role_key", t.role_key)("cathedral_gone_key", t.cathedral_gone_key)
        ("first_role_key", t.first_role_key);
    using Masks = nb::ndarray<const bool, nb::ndim<3>, nb::c_contig, nb::device::cpu>;
    const auto masks = nb::cast<Masks>(nb::object(tables.attr("cells")));
    const bool* covered = masks.data();
    for (auto& cells_by_action : t.cells) {
        cells_by_action.resize(masks.shape(1));
        for (auto& cells : cells_by_action) {
            for (int cell = 0; cell < t.size * t.size; ++cell) {
                if (*covered++) cells.push_back(cell);
            }
        }
    }
    return t;
}

using Where = nb::ndarray<const std::int32_t, nb::shape<2, Cathedral::kBuildings>, nb::c_contig, nb::device::cpu>;

auto where(const Position<Cathedral>& p) {
    auto where = std::make_unique<std::int32_t[]>(2 * Cathedral::kBuildings);
    for (int role = 0; role < 2; ++role) {
        std::copy_n(p.line.now().where[role].begin(), Cathedral::kBuildings, &where[role * Cathedral::kBuildings]);
    }
    return numpy_array(std::move(where), std::array<std::size_t, 2>{2, Cathedral::kBuildings});
}

Position<Cathedral> set_up(std::shared_ptr<const Cathedral> game, Where where, int cathedral, std::array<int, 2> placed,
                           Role to_move, Role first_role, int plies) {
    const auto check_placement = [&](int action, int lowest) {
        require(action >= lowest && action < game->actions(), "no placement has number " + std::to_string(action));
    };
    std::array<std::array<std::int16_t, Cathedral::kBuildings>, 2> at;
    for (int i = 0; i < 2 * Cathedral::kBuildings; ++i) {
        const std::int32_t action = where.data()[i];
        check_placement(action, Cathedral::kInHand);
        at[i / Cathedral::kBuildings][i % Cathedral::kBuildings] = static_cast<std::int16_t>(action);
    }
    check_placement(cathedral, Cathedral::kGone);
    return {game, Line<Cathedral>(*game, game->make(at, cathedral, placed, to_move, first_role, plies))};
}

}  // namespace

void bind_cathedral(nb::module_& module) {
    using P = Position<Cathedral>;
    bind_position<Cathedral>(module, "CathedralPosition")
        .def("where", &where, "[2, 14]: the action that placed each building of each role, -1 in hand")
        .def(
            "placed",
            [](const P& p) { return std::vector<int>(p.line.now().placed.begin(), p.line.now().placed.end()); },
            "Buildings placed so far by each role, counted up to 2")
        .def("rewards", &now<&Cathedral::State::rewards, Cathedral>, "Of the last action, by role")
        .def(
            "territory",
            [](const P& p, Role role) {
                check_role(role);
                return p.game->cell_numbers(p.line.now().territory[role]);
            },
            "role"_a, "Cells x * size + y")
        .def_prop_ro("cathedral", &now<&Cathedral::State::cathedral, Cathedral>,
                     "The action that placed it; -1 before that, -2 once captured")
        .def_prop_ro("first_role", &now<&Cathedral::State::first_role, Cathedral>);
    bind_game<Cathedral>(module, "Cathedral", &cathedral_tables)
        .def("setup", &set_up, "where"_a, "cathedral"_a, "placed"_a, "to_move"_a, "first_role"_a, "plies"_a);
    bind_alphabeta<Cathedral>(module, "CathedralAlphaBeta");
    bind_puct<Cathedral>(module, "CathedralPuct");
}

}  // namespace boardwright
