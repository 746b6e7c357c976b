// Alpha-beta of Draughts, compiled apart from the bindings, whose size would limit what the compiler inlines here.
#include "games/draughts/evaluation.hpp"
#include "search/alphabeta.hpp"

template class boardwright::AlphaBetaThread<boardwright::Draughts>;
