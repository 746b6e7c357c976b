// Alpha-beta of Cathedral, compiled apart from the bindings, whose size would limit what the compiler inlines here.
#include "games/cathedral/evaluation.hpp"
#include "search/alphabeta.hpp"

template class boardwright::AlphaBetaThread<boardwright::Cathedral>;
