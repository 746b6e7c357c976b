// The Python bindings of draughts.

#include <initializer_list>
#include <ranges>

#include "bindings/search.hpp"
#include "games/draughts/evaluation.hpp"

namespace boardwright {

extern template class AlphaBetaThread<Draughts>;

namespace {

// Reads boardwright.games.draughts.rules.Tables.
DraughtsTables draughts_tables(nb::handle tables) {
    DraughtsTables t;
    FieldReader{tables}("repetition_limit", t.repetition_limit)("max_quiet_plies", t.max_quiet_plies)
        ("man_moves_are_quiet", t.man_moves_are_quiet)("max_plies", t.max_plies)("history", t.history)
        ("extra_planes", t.extra_planes)("quiet_scale", t.quiet_scale)("piece_key", t.piece_key)
        ("continuing_key", t.continuing_key)("white_to_move_key", t.white_to_move_key);
    return t;
}

using Array = nb::ndarray<const float, nb::c_contig, nb::device::cpu>;
using Weights = nb::typed<nb::dict, nb::str, nb::any>;

Array weight(const nb::dict& weights, const std::string& name) {
    Array array;
    require(weights.contains(name.c_str()) && nb::try_cast(weights[name.c_str()], array),
            "weight " + name + " of an evaluation net is missing or not an array of float32");
    return array;
}

std::string text(std::span<const std::size_t> shape) {
    std::string joined;
    for (const std::size_t size : shape) joined += (joined.empty() ? "" : ", ") + std::to_string(size);
    return "[" + joined + "]";
}

void check_shape(const std::string& name, const Array& array, std::initializer_list<std::size_t> expected) {
    std::vector<std::size_t> found(array.ndim());
    for (std::size_t axis = 0; axis < found.size(); ++axis) found[axis] = array.shape(axis);
    require(std::ranges::equal(found, expected), "weight " + name + " of an evaluation net has shape " + text(found) +
                                                     ", expected " + text(std::vector(expected)));
}

// The net with the weights of boardwright.nets.layout, or null; the kernel of the second layer has its sizes.
std::shared_ptr<const draughts::EvaluationNet> evaluation_net(const std::optional<Weights>& weights) {
    using Net = draughts::EvaluationNet;
    if (!weights) return nullptr;
    const std::string second = "params/hidden/kernel";
    const Array kernel = weight(*weights, second);
    require(kernel.ndim() == 3, "weight " + second + " of an evaluation net must have three axes");
    const std::size_t phases = kernel.shape(0), width = kernel.shape(1), hidden = kernel.shape(2);
    const std::array<std::size_t, 3> limits{Net::kMaxPhases, Net::kMaxWidth, Net::kMaxHidden};
    require(
        phases >= 1 && phases <= limits[0] && width >= 1 && width <= limits[1] && hidden >= 1 && hidden <= limits[2],
        "weight " + second + " of an evaluation net must not be empty or larger than " + text(limits));
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

// The tables of a folder; null without a folder.
std::shared_ptr<const draughts::Tablebase> open_tables(const std::optional<std::string>& folder) {
    return folder ? std::make_shared<const draughts::Tablebase>(*folder, 0) : nullptr;
}

Position<Draughts> set_up(std::shared_ptr<const Draughts> game, std::uint32_t black, std::uint32_t white,
                          std::uint32_t kings, Role to_move, int continuing, int quiet, int plies) {
    check_role(to_move);
    require(continuing >= 0 && continuing <= 32, "continuing must be a square from 1 to 32, or 0");
    const draughts::Bits piece = continuing ? draughts::Bits{1} << (continuing - 1) : 0;
    return {game, Line<Draughts>(*game, game->make({{black, white}, kings}, to_move, piece, quiet, plies))};
}

}  // namespace

void bind_draughts(nb::module_& module) {
    using P = Position<Draughts>;
    bind_position<Draughts>(module, "DraughtsPosition")
        .def_prop_ro(
            "black", [](const P& p) { return p.line.now().board.pieces[0]; }, "Bits: square s is bit s - 1")
        .def_prop_ro("white", [](const P& p) { return p.line.now().board.pieces[1]; })
        .def_prop_ro(
            "kings", [](const P& p) { return p.line.now().board.kings; }, "Of both sides")
        .def_prop_ro(
            "continuing",
            [](const P& p) {
                const auto piece = p.line.now().continuing;
                return piece ? std::countr_zero(piece) + 1 : 0;
            },
            "Square of the piece that must continue its capture, or 0")
        .def_prop_ro("quiet", &now<&Draughts::State::quiet, Draughts>, "Whole moves without progress")
        .def_prop_ro("seen", &now<&Draughts::State::seen, Draughts>, "Earlier occurrences of the position");
    bind_game<Draughts>(module, "Draughts", &draughts_tables)
        .def("setup", &set_up, "black"_a, "white"_a, "kings"_a, "to_move"_a, "continuing"_a, "quiet"_a, "plies"_a);
    bind_alphabeta<Draughts>(module, "DraughtsAlphaBeta")
        .def(
            "__init__",
            [](AlphaBeta<Draughts>* self, std::shared_ptr<const Draughts> game, int megabytes, int threads,
               const std::optional<std::string>& tables, const std::optional<Weights>& net) {
                new (self) AlphaBeta<Draughts>(Evaluator<Draughts>(*game, open_tables(tables), evaluation_net(net)),
                                               table_bytes(megabytes), checked_threads(threads));
            },
            "game"_a, "megabytes"_a, "threads"_a, "tables"_a = nb::none(), "net"_a = nb::none(), nb::keep_alive<1, 2>(),
            "`tables`: a folder of endgame tables; `net`: weights by the names of `boardwright.nets.layout`");
    bind_puct<Draughts>(module, "DraughtsPuct")
        .def(
            "__init__",
            [](PuctSearch<Draughts>* self, std::shared_ptr<const Draughts> game, int megabytes, int batch,
               std::uint64_t seed, const std::optional<std::string>& tables) {
                Evaluator<Draughts> evaluator(*game, open_tables(tables), nullptr);
                PuctMethods<Draughts>::construct(self, std::move(evaluator), megabytes, batch, seed);
            },
            "game"_a, "megabytes"_a, "batch"_a, "seed"_a, "tables"_a = nb::none(), nb::keep_alive<1, 2>());
}

}  // namespace boardwright
