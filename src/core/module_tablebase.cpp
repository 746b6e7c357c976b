// The Python bindings of the draughts endgame tables.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <chrono>
#include <memory>
#include <stdexcept>
#include <string>
#include <tuple>

#include "signals.hpp"
#include "tablebase_build.hpp"
#include "tablebase_pack.hpp"
#include "tablebase_verify.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace boardwright {
namespace {

using namespace draughts;

// Calls back into Python at most ten times a second, however often it is asked to, and notices Ctrl-C.
class Notifier {
  public:
    explicit Notifier(nb::object callback) : callback_(std::move(callback)) {}

    void operator()(std::uint64_t done) {
        if (!signals_.due()) return;
        nb::gil_scoped_acquire held;
        if (PyErr_CheckSignals() != 0) throw nb::python_error();
        if (!callback_.is_none()) callback_(done);
    }

  private:
    nb::object callback_;
    SignalCheck signals_;
};

void check_pieces(int pieces) {
    if (pieces < 2 || pieces > kMostPieces) {
        throw std::invalid_argument("tables have from 2 to " + std::to_string(kMostPieces) + " pieces");
    }
}

Material material_of_table(const std::string& name) {
    for (int pieces = 2; pieces <= kMostPieces; ++pieces) {
        for (const Material& material : materials_in_order(pieces)) {
            if (material.name() == name) return material;
        }
    }
    throw std::invalid_argument("no table is called " + name);
}

std::vector<std::tuple<std::string, std::uint64_t>> table_names(int pieces) {
    check_pieces(pieces);
    std::vector<std::tuple<std::string, std::uint64_t>> names;
    for (const Material& material : materials_in_order(pieces)) {
        const int slices = material == material.turned() ? 1 : 2;
        names.emplace_back(material.name(), SliceIndex(material).size() * slices);
    }
    return names;
}

// An open folder and the cache of one reader.
class OpenTables {
  public:
    OpenTables(const std::string& folder, int pieces) : tables_(folder, pieces), prober_(tables_) {}

    const Tablebase& tables() const { return tables_; }

    // Outcome and plies; None for the plies of a draw.
    std::tuple<int, nb::object> probe(Bits black, Bits white, Bits kings, int role, int going_on) {
        const Board board = seen_by_mover(black, white, kings, role);
        if (going_on < 0 || going_on > 32) throw std::invalid_argument("a square is from 1 to 32");
        Value value;
        if (going_on == 0) {
            value = prober_.value(board);
        } else {
            const Bits square = Bits{1} << (going_on - 1), from = role == kBlack ? square : turned(square);
            const auto jumps = all_jumpers(board, 0);
            if (!((jumps[0] | jumps[1] | jumps[2] | jumps[3]) & from)) {
                throw std::invalid_argument("the piece that is to go on capturing cannot");
            }
            value = prober_.value_going_on(board, from);
        }
        const nb::object plies = value == kDrawn ? nb::object(nb::none()) : nb::object(nb::int_(int{value}));
        return {static_cast<int>(outcome(value)), plies};
    }

    int outcome_only(Bits black, Bits white, Bits kings, int role) {
        return static_cast<int>(prober_.outcome_of(seen_by_mover(black, white, kings, role)));
    }

  private:
    Board seen_by_mover(Bits black, Bits white, Bits kings, int role) const {
        if (role != kBlack && role != kWhite) throw std::invalid_argument("a role is 0 or 1");
        const Board board{{black, white}, kings};
        if ((black & white) || (kings & board.empty())) {
            throw std::invalid_argument("the bit boards contradict each other");
        }
        for (int side = 0; side < 2; ++side) {
            if (board.men(side) & crown_row(side)) throw std::invalid_argument("a man stands on its crowning row");
        }
        if (std::popcount(board.occupied()) > tables_.pieces()) {
            throw std::invalid_argument("the position has " + std::to_string(std::popcount(board.occupied())) +
                                        " pieces, the tables go to " + std::to_string(tables_.pieces()));
        }
        return role == kBlack ? board : turned(board);
    }

    Tablebase tables_;
    Prober prober_;
};

nb::tuple counts_tuple(const SliceCounts& counts) {
    return nb::make_tuple(counts.positions, counts.wins, counts.draws, counts.losses, counts.longest);
}

}  // namespace

void bind_tablebase(nb::module_& module) {
    nb::exception<TableError>(module, "TablebaseFileError", PyExc_ValueError);

    module.attr("TABLEBASE_MOST_PIECES") = kMostPieces;
    module.def("tablebase_tables", &table_names, "pieces"_a);

    nb::class_<OpenTables>(module, "DraughtsTables")
        .def(nb::init<const std::string&, int>(), "folder"_a, "pieces"_a = 0)
        .def_prop_ro("pieces", [](const OpenTables& open) { return open.tables().pieces(); })
        .def("probe", &OpenTables::probe, "black"_a, "white"_a, "kings"_a, "role"_a, "going_on"_a = 0)
        .def("outcome", &OpenTables::outcome_only, "black"_a, "white"_a, "kings"_a, "role"_a)
        .def("counts",
             [](const OpenTables& open, int pieces) {
                 check_pieces(pieces);
                 return counts_tuple(open.tables().counts(pieces));
             },
             "pieces"_a)
        .def("slice_counts",
             [](const OpenTables& open, const std::string& name) {
                 for (int pieces = 2; pieces <= open.tables().pieces(); ++pieces) {
                     for (const Material& material : materials_in_order(pieces)) {
                         for (const Material& side : {material, material.turned()}) {
                             if (side.name() == name) return counts_tuple(open.tables().slice(side)->counts());
                         }
                     }
                 }
                 throw std::invalid_argument("no slice is called " + name);
             },
             "name"_a)
        .def("packed",
             [](const OpenTables& open, int threads) {
                 Notifier notify{nb::none()};
                 std::vector<std::tuple<int, int, int, int, std::uint64_t>> slices;
                 std::unique_ptr<std::uint32_t[]> words;
                 std::size_t size = 0;
                 {
                     nb::gil_scoped_release release;
                     PackedOutcomes packed(open.tables(), threads, [&] { notify(0); });
                     for (const auto& [m, first] : packed.slices()) {
                         slices.emplace_back(m.men[0], m.kings[0], m.men[1], m.kings[1], first);
                     }
                     size = packed.size();
                     words = packed.release();
                 }
                 std::uint32_t* raw = words.release();
                 nb::capsule owner(raw, [](void* p) noexcept { delete[] static_cast<std::uint32_t*>(p); });
                 return nb::make_tuple(slices, nb::ndarray<nb::numpy, std::uint32_t, nb::ndim<1>>(raw, {size}, owner));
             },
             "threads"_a)
        .def("verify",
             [](const OpenTables& open, int pieces, int threads) {
                 check_pieces(pieces);
                 if (pieces > open.tables().pieces()) throw std::invalid_argument("the tables have fewer pieces");
                 Notifier notify{nb::none()};
                 Verification report;
                 {
                     nb::gil_scoped_release release;
                     report = TableVerifier(open.tables(), threads).verify(pieces, [&] { notify(0); });
                 }
                 return nb::make_tuple(report.positions, report.wrong_values, report.wrong_counts);
             },
             "pieces"_a, "threads"_a);

    nb::class_<TableBuilder>(module, "DraughtsTableBuilder")
        .def("__init__",
             [](TableBuilder* self, const std::string& folder, int threads) {
                 if (threads < 1) throw std::invalid_argument("a build needs a thread");
                 new (self) TableBuilder(folder, threads);
             },
             "folder"_a, "threads"_a)
        .def("has",
             [](const TableBuilder& builder, const std::string& name) { return builder.has(material_of_table(name)); },
             "name"_a)
        .def("build",
             [](TableBuilder& builder, const std::string& name, nb::object progress) {
                 const Material material = material_of_table(name);
                 Notifier notify{std::move(progress)};
                 nb::gil_scoped_release release;
                 builder.build(material, [&](std::uint64_t done) { notify(done); });
             },
             "name"_a, "progress"_a.none() = nb::none());
}

}  // namespace boardwright
