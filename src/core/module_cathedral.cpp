// The Python bindings of Cathedral.
#include "bindings_search.hpp"
#include "cathedral_evaluation.hpp"

namespace boardwright {

extern template class AlphaBetaThread<Cathedral>;

namespace {

// Reads boardwright.games.cathedral.rules.Tables.
CathedralTables cathedral_tables(nb::handle tables) {
    using Flags = nb::ndarray<const bool, nb::ndim<3>, nb::c_contig, nb::device::cpu>;
    using Ints = nb::ndarray<const std::int32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
    using Keys = nb::ndarray<const std::uint64_t, nb::c_contig, nb::device::cpu>;
    const auto field = [&](const char* name) { return nb::object(tables.attr(name)); };
    CathedralTables t;
    t.size = nb::cast<int>(field("size"));
    t.claim_cap = nb::cast<int>(field("claim_cap"));
    t.first_building_claims = nb::cast<bool>(field("first_building_claims"));
    t.first = nb::cast<int>(field("first"));
    t.shaped = nb::cast<bool>(field("shaped"));
    t.full_observation = nb::cast<bool>(field("full_observation"));
    const auto pieces = nb::cast<Ints>(field("piece"));
    t.piece.assign(pieces.data(), pieces.data() + pieces.shape(0));
    const auto sizes = nb::cast<Ints>(field("piece_size"));
    std::copy_n(sizes.data(), t.piece_size.size(), t.piece_size.begin());
    const auto cells = nb::cast<Flags>(field("cells"));
    const auto placement_keys = nb::cast<Keys>(field("placement_key"));
    const auto claims_keys = nb::cast<Keys>(field("claims_key"));
    const auto mirrored =
        nb::cast<nb::ndarray<const bool, nb::shape<2>, nb::c_contig, nb::device::cpu>>(field("mirrored"));
    const std::size_t actions = t.piece.size(), count = cells.shape(2);
    for (std::size_t role = 0; role < 2; ++role) {
        t.mirrored[role] = mirrored.data()[role];
        t.claims_key[role] = claims_keys.data()[role];
        t.placement_key[role].assign(placement_keys.data() + role * actions,
                                     placement_keys.data() + (role + 1) * actions);
        t.cells[role].resize(actions);
        for (std::size_t action = 0; action < actions; ++action) {
            for (std::size_t c = 0; c < count; ++c) {
                if (cells.data()[(role * actions + action) * count + c])
                    t.cells[role][action].push_back(static_cast<int>(c));
            }
        }
    }
    std::copy_n(nb::cast<Keys>(field("role_key")).data(), 3, t.role_key.begin());
    t.cathedral_gone_key = nb::cast<std::uint64_t>(field("cathedral_gone_key"));
    t.first_role_key = nb::cast<std::uint64_t>(field("first_role_key"));
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
    const auto check_placement = [&](int action, int least) {
        require(action >= least && action < game->actions(), "no such placement");
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
        .def(
            "rewards", [](const P& p) { return p.line.now().rewards; }, "Of the last action, by role")
        .def(
            "territory",
            [](const P& p, Role role) {
                check_role(role);
                return p.game->cell_numbers(p.line.now().territory[role]);
            },
            "role"_a, "Cells x * size + y")
        .def_prop_ro(
            "cathedral", [](const P& p) { return int{p.line.now().cathedral}; },
            "The action that placed it; -1 before that, -2 once captured")
        .def_prop_ro("first_role", [](const P& p) { return int{p.line.now().first_role}; });
    bind_game<Cathedral>(module, "Cathedral", &cathedral_tables)
        .def("setup", &set_up, "where"_a, "cathedral"_a, "placed"_a, "to_move"_a, "first_role"_a, "plies"_a);
    bind_alphabeta<Cathedral>(module, "CathedralAlphaBeta");
    bind_puct<Cathedral>(module, "CathedralPuct");
}

}  // namespace boardwright
