// Alpha-beta of Tablut, compiled apart from the bindings, whose size would limit what the compiler inlines here.
#include "games/tablut/evaluation.hpp"
#include "search/alphabeta.hpp"

template class boardwright::AlphaBetaThread<boardwright::Tablut>;
