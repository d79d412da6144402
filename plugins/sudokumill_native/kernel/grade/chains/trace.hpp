// One chain of links, gone backwards: its cells, and its reasons.
#pragma once

#include "../hint.hpp"
#include "implications.hpp"
#include "levels.hpp"
#include "reasons.hpp"

namespace sudokumill::explainer::chains {

/// Adds what the strong link `off` = `on` needs: they are the only two of a cell, or of a region.
template <int Words>
void add_link(const Links<Words>& links, const CandidateGrid& now, int off, int on, Reasons& reasons) {
    const int cell = links.cell[static_cast<std::size_t>(on)];
    const int other = links.cell[static_cast<std::size_t>(off)];
    if (cell == other) {
        reasons.add_cell(cell);
        return;
    }
    const int digit = links.digit[static_cast<std::size_t>(on)];
    for (const int region : kLayout.regions_of[static_cast<std::size_t>(cell)]) {
        if (kLayout.region[static_cast<std::size_t>(region)].contains(other) &&
            count_of(now.positions(digit, region)) == 2) {
            reasons.add_region(region, digit);
            return;
        }
    }
}

/// Goes a shortest chain from a start to a candidate that is on, backwards; the levels say how it goes.
///
/// Calls `act(off, on)` for each strong link, and gives the candidate that is the first to be on.
template <int Words, typename Act>
int trace(const Levels<Words>& levels, int start, int on, int level, Act&& act) {
    const Links<Words>& links = levels.links();
    for (; level > 1; --level) {
        const int earlier = first_in(levels.at(level - 1, start) & links.back[static_cast<std::size_t>(on)]);
        act(first_in(links.weak[static_cast<std::size_t>(earlier)] & links.strong[static_cast<std::size_t>(on)]),
            on);
        on = earlier;
    }
    return on;
}

/// Adds what such a chain needs.
template <int Words>
void add_chain(const Levels<Words>& levels, const CandidateGrid& now, int start, int on, int level, bool start_on,
               Reasons& reasons) {
    const int first = trace(levels, start, on, level,
                            [&](int off, int then_on) { add_link(levels.links(), now, off, then_on, reasons); });
    if (!start_on) {
        add_link(levels.links(), now, start, first, reasons);
    }
}

/// The cells and digits of such a chain, the start and the end among them.
template <int Words> void name_chain(const Levels<Words>& levels, int start, int on, int level, Hint& hint) {
    const auto name = [&](int candidate) {
        const auto index = static_cast<std::size_t>(candidate);
        hint.cells.add(levels.links().cell[index]);
        hint.digits = static_cast<NineBits>(hint.digits | bit_of(levels.links().digit[index]));
    };
    name(start);
    name(trace(levels, start, on, level, [&](int off, int then_on) {
        name(off);
        name(then_on);
    }));
}

/// A candidate of the links, on or off.
template <int Words> Node node_of(const Links<Words>& links, int candidate, bool on) {
    const auto index = static_cast<std::size_t>(candidate);
    return {links.cell[index], links.digit[index], on};
}

/// The nodes of such a chain, the start and the end among them.
template <int Words>
std::vector<Node> nodes_of(const Levels<Words>& levels, int start, int on, int level, bool start_on) {
    const Links<Words>& links = levels.links();
    std::vector<Node> nodes{node_of(links, start, start_on)};
    const int first = trace(levels, start, on, level, [&](int off, int then_on) {
        nodes.push_back(node_of(links, off, false));
        nodes.push_back(node_of(links, then_on, true));
    });
    nodes.push_back(node_of(links, first, true));
    return nodes;
}

} // namespace sudokumill::explainer::chains
