// The Python bindings of the draughts endgame tables.

#include "bindings/position.hpp"
#include "tablebase/build.hpp"
#include "tablebase/pack.hpp"
#include "tablebase/verify.hpp"

namespace boardwright {
namespace {

using namespace draughts;

struct TableSize {
    std::string name;
    std::uint64_t positions;
};

struct ProbeResult {
    int outcome;
    std::optional<int> plies;
};

void check_pieces(int pieces) {
    require(pieces >= 2 && pieces <= kMaxPieces, "pieces must be from 2 to " + std::to_string(kMaxPieces));
}

Material material_named(const std::string& name, std::vector<Material> (*listed)(int)) {
    for (int pieces = 2; pieces <= kMaxPieces; ++pieces) {
        for (const Material& material : listed(pieces)) {
            if (material.name() == name) return material;
        }
    }
    throw std::invalid_argument("unknown table " + name);
}

std::vector<TableSize> table_sizes(int pieces) {
    check_pieces(pieces);
    std::vector<TableSize> sizes;
    for (const Material& material : materials_in_order(pieces)) {
        const int slices = material == material.turned() ? 1 : 2;
        sizes.push_back({material.name(), SliceIndex(material).size() * slices});
    }
    return sizes;
}

// An open folder and the cache of one reader.
class OpenTables {
  public:
    OpenTables(const std::string& folder, int pieces) : tables_(folder, pieces), prober_(tables_) {}

    int pieces() const { return tables_.pieces(); }

    ProbeResult probe(Bits black, Bits white, Bits kings, int role, int continuing) {
        const Board board = seen_by_mover(black, white, kings, role);
        require(continuing >= 0 && continuing <= 32, "continuing must be a square from 1 to 32, or 0");
        Value value;
        if (continuing == 0) {
            value = prober_.value(board);
        } else {
            const Bits square = Bits{1} << (continuing - 1), from = role == kBlack ? square : turned(square);
            require(union_of(all_jumpers(board, 0)) & from, "the piece that must continue its capture cannot capture");
            value = prober_.value_in_capture(board, from);
        }
        return {static_cast<int>(outcome(value)), value == kDrawn ? std::nullopt : std::optional<int>(value)};
    }

    SliceCounts counts(int pieces) const {
        check_pieces(pieces);
        return tables_.counts(pieces);
    }

    SliceCounts slice_counts(const std::string& name) const {
        const StoredSlice* slice = tables_.slice(material_named(name, slices_in_order));
        require(slice, "table " + name + " is not open");
        return slice->counts();
    }

    PackedOutcomes packed(int threads) const {
        SignalCheck check;
        nb::gil_scoped_release release;
        return pack_outcomes(tables_, threads, [&] { check(); });
    }

    Verification verify(int pieces, int threads) const {
        check_pieces(pieces);
        require(pieces <= tables_.pieces(), "the tables go to " + std::to_string(tables_.pieces()) + " pieces");
        SignalCheck check;
        nb::gil_scoped_release release;
        return verify_tables(tables_, pieces, threads, [&] { check(); });
    }

  private:
    Board seen_by_mover(Bits black, Bits white, Bits kings, int role) const {
        check_role(static_cast<Role>(role));
        const Board board{{black, white}, kings};
        require(!(black & white) && !(kings & board.empty()), "the bit boards contradict each other");
        for (int side = 0; side < 2; ++side) {
            require(!(board.men(side) & crown_row(side)), "a man is on its crowning row");
        }
        const int pieces = std::popcount(board.occupied());
        require(pieces <= tables_.pieces(), "the position has " + std::to_string(pieces) +
                                                " pieces, the tables go to " + std::to_string(tables_.pieces()));
        return role == kBlack ? board : turned(board);
    }

    Tablebase tables_;
    Prober prober_;
};

void build(TableBuilder& builder, const std::string& name,
           const std::optional<nb::typed<nb::callable, void(std::uint64_t)>>& progress) {
    const Material material = material_named(name, materials_in_order);
    SignalCheck check;
    const auto report = [&](std::uint64_t done) {
        if (progress) (*progress)(done);
        return false;
    };
    nb::gil_scoped_release release;
    builder.build(material, [&](std::uint64_t done) { check([&] { return report(done); }); });
}

auto words_of(PackedOutcomes& packed) {
    return nb::ndarray<nb::numpy, std::uint32_t, nb::ndim<1>>(packed.words.get(), {packed.size}, nb::handle());
}

}  // namespace

void bind_tablebase(nb::module_& module) {
    nb::exception<TableError>(module, "TablebaseFileError", PyExc_ValueError);

    module.attr("TABLEBASE_MAX_PIECES") = kMaxPieces;
    nb::class_<TableSize>(module, "TableSize", "A table and how many positions it has.")
        .def_ro("name", &TableSize::name)
        .def_ro("positions", &TableSize::positions);
    module.def("tablebase_tables", &table_sizes, "pieces"_a, "The tables with that many pieces, in build order");

    nb::class_<ProbeResult>(module, "ProbeResult", "The value of a position for the role to move.")
        .def_ro("outcome", &ProbeResult::outcome, "0 loss, 1 draw, 2 win")
        .def_ro("plies", &ProbeResult::plies, "To the end of the game; None for a draw");
    nb::class_<SliceCounts>(module, "SliceCounts", "Positions counted by their value for the mover.")
        .def_ro("positions", &SliceCounts::positions)
        .def_ro("wins", &SliceCounts::wins)
        .def_ro("draws", &SliceCounts::draws)
        .def_ro("losses", &SliceCounts::losses)
        .def_ro("longest", &SliceCounts::longest, "Plies of the longest win");
    nb::class_<Verification>(module, "Verification", "The result of checking tables.")
        .def_ro("positions", &Verification::positions)
        .def_ro("wrong_values", &Verification::wrong_values)
        .def_ro("wrong_counts", &Verification::wrong_counts);
    nb::class_<PackedOutcomes::Slice>(module, "PackedSlice", "The positions of one material in PackedOutcomes.")
        .def_prop_ro(
            "men", [](const PackedOutcomes::Slice& slice) { return slice.material.men; }, "Mover's, enemy's")
        .def_prop_ro(
            "kings", [](const PackedOutcomes::Slice& slice) { return slice.material.kings; }, "The same")
        .def_ro("first", &PackedOutcomes::Slice::first, "Number of its first position");
    nb::class_<PackedOutcomes>(module, "PackedOutcomes", "The outcome of every position, for a GPU.")
        .def_ro("slices", &PackedOutcomes::slices)
        .def_prop_ro("words", &words_of, nb::rv_policy::reference_internal, "Outcomes, two bits each, 16 a word");

    nb::class_<OpenTables>(module, "DraughtsTables", "The tables of a folder, opened and checked.")
        .def(nb::init<const std::string&, int>(), "folder"_a, "pieces"_a = 0, "With 0 pieces, all that have files")
        .def_prop_ro("pieces", &OpenTables::pieces)
        .def("probe", &OpenTables::probe, "black"_a, "white"_a, "kings"_a, "role"_a, "continuing"_a = 0)
        .def("counts", &OpenTables::counts, "pieces"_a)
        .def("slice_counts", &OpenTables::slice_counts, "name"_a, "The mover's pieces first, as KK-K")
        .def("packed", &OpenTables::packed, "threads"_a)
        .def("verify", &OpenTables::verify, "pieces"_a, "threads"_a);

    nb::class_<TableBuilder>(module, "DraughtsTableBuilder", "Solves tables in build order, into a folder.")
        .def(
            "__init__",
            [](TableBuilder* self, const std::string& folder, int threads) {
                require(threads >= 1, "threads must be at least 1");
                new (self) TableBuilder(folder, threads);
            },
            "folder"_a, "threads"_a)
        .def(
            "has",
            [](const TableBuilder& builder, const std::string& name) {
                return builder.has(material_named(name, materials_in_order));
            },
            "name"_a, "Whether the table's file exists and is sound")
        .def("build", &build, "name"_a, "progress"_a = nb::none(), "`progress` gets the number of positions done");
}

}  // namespace boardwright
