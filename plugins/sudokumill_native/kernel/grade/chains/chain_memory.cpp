#include "chain_memory.hpp"

namespace sudokumill::explainer {

OwnedChainMemory make_chain_memory() {
    return {new ChainMemory, [](ChainMemory* memory) { delete memory; }};
}

} // namespace sudokumill::explainer
