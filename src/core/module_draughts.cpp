// The Python bindings of draughts.
#include <nanobind/stl/optional.h>

#include <initializer_list>
#include <ranges>
#include <span>

#include "bindings_puct.hpp"
#include "draughts_evaluation.hpp"

namespace boardwright {
namespace {

// Reads boardwright.games.draughts.rules.Tables, field by field.
DraughtsTables draughts_tables(nb::handle tables) {
    const auto field = [&](const char* name) { return nb::object(tables.attr(name)); };
    DraughtsTables t;
    t.repetition_limit = nb::cast<int>(field("repetition_limit"));
    t.max_quiet_plies = nb::cast<int>(field("max_quiet_plies"));
    t.man_moves_are_quiet = nb::cast<bool>(field("man_moves_are_quiet"));
    t.max_plies = nb::cast<int>(field("max_plies"));
    t.history = nb::cast<int>(field("history"));
    t.extra_planes = nb::cast<bool>(field("extra_planes"));
    t.quiet_scale = nb::cast<float>(field("quiet_scale"));
    const auto keys = nb::cast<nb::ndarray<const std::uint64_t, nb::shape<4, 32>, nb::c_contig, nb::device::cpu>>(field("piece_key"));
    for (int piece = 0; piece < 4; ++piece) std::copy_n(keys.data() + piece * 32, 32, t.piece_key[piece].begin());
    const auto more = nb::cast<nb::ndarray<const std::uint64_t, nb::shape<32>, nb::c_contig, nb::device::cpu>>(field("continuing_key"));
    std::copy_n(more.data(), 32, t.continuing_key.begin());
    t.white_to_move_key = nb::cast<std::uint64_t>(field("white_to_move_key"));
    return t;
}

using Array = nb::ndarray<const float, nb::c_contig, nb::device::cpu>;

Array weight(const nb::dict& weights, const std::string& name) {
    Array array;
    if (!weights.contains(name.c_str()) || !nb::try_cast(weights[name.c_str()], array)) {
        throw std::invalid_argument("weight " + name + " of an evaluation net is missing or no array of float32");
    }
    return array;
}

std::string text(std::span<const std::size_t> shape) {
    std::string joined;
    for (const std::size_t size : shape) joined += (joined.empty() ? "" : ", ") + std::to_string(size);
    return "[" + joined + "]";
}

void check_shape(const std::string& name, const Array& array, std::initializer_list<std::size_t> wanted) {
    std::vector<std::size_t> found(array.ndim());
    for (std::size_t axis = 0; axis < found.size(); ++axis) found[axis] = array.shape(axis);
    if (!std::ranges::equal(found, wanted)) {
        throw std::invalid_argument("weight " + name + " of an evaluation net is " + text(found) + " where " +
                                    text(std::vector(wanted)) + " is wanted");
    }
}

// The net of the weights that boardwright.nets.layout names, or none; the second layer's kernel tells its sizes.
std::shared_ptr<const draughts::EvaluationNet> evaluation_net(const std::optional<nb::dict>& weights) {
    using Net = draughts::EvaluationNet;
    if (!weights) return nullptr;
    const std::string second = "params/hidden/kernel";
    const Array kernel = weight(*weights, second);
    if (kernel.ndim() != 3) throw std::invalid_argument("weight " + second + " of an evaluation net has not three axes");
    const std::size_t phases = kernel.shape(0), width = kernel.shape(1), hidden = kernel.shape(2);
    if (phases < 1 || phases > Net::kMostPhases || width < 1 || width > Net::kMostWidth || hidden < 1 || hidden > Net::kMostHidden) {
        throw std::invalid_argument("weight " + second + " of an evaluation net is larger than " +
                                    text(std::array<std::size_t, 3>{Net::kMostPhases, Net::kMostWidth, Net::kMostHidden}) + ", or empty");
    }
    std::vector<Array> kept{kernel};  // until the net has copied them
    const auto span = [&](const std::string& name, std::initializer_list<std::size_t> shape) {
        kept.push_back(weight(*weights, name));
        check_shape(name, kept.back(), shape);
        return std::span<const float>(kept.back().data(), kept.back().size());
    };
    return std::make_shared<const Net>(draughts::EvaluationWeights{
        .width = static_cast<int>(width),
        .hidden = static_cast<int>(hidden),
        .phases = static_cast<int>(phases),
        .features_kernel = span("params/features/kernel", {Net::kCells * Net::kKinds, width}),
        .features_bias = span("params/features/bias", {width}),
        .hidden_kernel = span(second, {phases, width, hidden}),
        .hidden_bias = span("params/hidden/bias", {phases, hidden}),
        .output_kernel = span("params/output/kernel", {phases, hidden}),
        .output_bias = span("params/output/bias", {phases}),
    });
}

// The tables of a folder, or none.
std::shared_ptr<const draughts::Tablebase> opened_tables(const std::optional<std::string>& folder) {
    return folder ? std::make_shared<const draughts::Tablebase>(*folder, 0) : nullptr;
}

}  // namespace

void bind_draughts(nb::module_& module) {
    using P = Position<Draughts>;
    bind_position<Draughts>(module, "DraughtsPosition")
        .def_prop_ro("black", [](const P& p) { return p.line.now().board.pieces[0]; })
        .def_prop_ro("white", [](const P& p) { return p.line.now().board.pieces[1]; })
        .def_prop_ro("kings", [](const P& p) { return p.line.now().board.kings; })
        .def_prop_ro("continuing",
                     [](const P& p) {
                         const auto piece = p.line.now().continuing;
                         return piece ? std::countr_zero(piece) + 1 : 0;
                     })
        .def_prop_ro("quiet", [](const P& p) { return p.line.now().quiet; })
        .def_prop_ro("seen", [](const P& p) { return int{p.line.now().seen}; });
    nb::class_<Draughts>(module, "Draughts")
        .def("__init__",
             [](Draughts* self, nb::handle tables) { new (self) Draughts(draughts_tables(tables)); }, "tables"_a)
        .def("start",
             [](std::shared_ptr<const Draughts> game) {
                 return P{game, Line<Draughts>(*game, game->start())};
             })
        .def("setup",
             [](std::shared_ptr<const Draughts> game, std::uint32_t black, std::uint32_t white, std::uint32_t kings,
                Role to_move, int continuing, int quiet, int plies) {
                 check_role<Draughts>(to_move);
                 const draughts::Bits piece = continuing ? draughts::Bits{1} << (continuing - 1) : 0;
                 return P{game, Line<Draughts>(*game, game->make({{black, white}, kings}, to_move, piece, quiet, plies))};
             },
             "black"_a, "white"_a, "kings"_a, "to_move"_a, "continuing"_a, "quiet"_a, "plies"_a);
    bind_alphabeta<Draughts>(module, "DraughtsAlphaBeta")
        .def("__init__",
             [](AlphaBeta<Draughts>* self, std::shared_ptr<const Draughts> game, int megabytes, int threads,
                const std::optional<std::string>& tables, const std::optional<nb::dict>& net) {
                 new (self) AlphaBeta<Draughts>(Evaluator<Draughts>(*game, opened_tables(tables), evaluation_net(net)),
                                                table_bytes(megabytes), checked_threads(threads));
             },
             "game"_a, "megabytes"_a, "threads"_a, "tables"_a.none() = nb::none(), "net"_a.none() = nb::none(),
             nb::keep_alive<1, 2>());
    bind_puct<Draughts>(module, "DraughtsPuct")
        .def("__init__",
             [](PuctSearch<Draughts>* self, std::shared_ptr<const Draughts> game, int megabytes, int batch, std::uint64_t seed,
                const std::optional<std::string>& tables) {
                 new_puct(self, Evaluator<Draughts>(*game, opened_tables(tables), nullptr), megabytes, batch, seed);
             },
             "game"_a, "megabytes"_a, "batch"_a, "seed"_a, "tables"_a.none() = nb::none(), nb::keep_alive<1, 2>());
}

}  // namespace boardwright
