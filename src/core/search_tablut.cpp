// Alpha-beta of Tablut, compiled apart from the bindings, whose size would limit what the compiler inlines here.
#include "search/alphabeta.hpp"
#include "tablut_evaluation.hpp"

template class boardwright::AlphaBetaThread<boardwright::Tablut>;
