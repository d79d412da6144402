#include "forcing_chains.hpp"

#include "../hint.hpp"
#include "chain_memory.hpp"
#include "stages.hpp"
#include "trace.hpp"

namespace sudokumill::explainer {
namespace {

using namespace chains;

/// Follows chains to a level. False if none leads so far.
template <int Words> bool reach(Levels<Words>& levels, int level) {
    while (levels.depth() < level) {
        if (!levels.advance()) {
            return false;
        }
    }
    return true;
}

template <int Words> Hint hint_of(const Stage& stage, const Levels<Words>& levels, int start, int on, int level) {
    Hint hint{.technique =
                  stage.kind == Stage::Kind::digit_chain ? Technique::forcing_x_chain : Technique::forcing_chain,
              .rating = stage.rating,
              .complexity = static_cast<std::uint32_t>(stage.length)};
    name_chain(levels, start, on, level, hint);
    return hint;
}

/// Writes the chain out for a path. Paths are rare, so this is kept out of the loops of the search: inlined, it
/// costs them a fiftieth of all grading.
template <int Words>
[[gnu::noinline]] void write_elimination(const Levels<Words>& levels, int candidate, int off, int on, int level,
                                         Search& search, Hint& hint) {
    const Links<Words>& links = levels.links();
    Branch branch{node_of(links, candidate, true), nodes_of(levels, off, on, level, false), {}};
    branch.nodes.push_back(node_of(links, candidate, false));
    hint.branches = search.branches->add({std::move(branch)});
}

template <int Words>
[[gnu::noinline]] void write_placement(const Levels<Words>& levels, int start, int level, Search& search,
                                       Hint& hint) {
    Branch branch{node_of(levels.links(), start, false), nodes_of(levels, start, start, level, false), {}};
    hint.branches = search.branches->add({std::move(branch)});
}

/// Forcing chains of the length of the stage that end in off.
///
///     s on -> x off -> ... -> y on -> s off
///
/// From x to y it is a chain from a candidate that is off. So what sees both x and y goes.
template <int Words> void find_eliminations(Chase<Words>& chase, const Stage& stage, Search& search) {
    const Links<Words>& links = chase.links;
    const int level = stage.length / 2 - 1;
    if (!reach(chase.from_off, level)) {
        return;
    }
    Bits<Words> found;
    for_each(links.linked, [&](int off) {
        for_each(chase.from_off.at(level, off), [&](int on) {
            Bits<Words> gone =
                links.weak[static_cast<std::size_t>(off)] & links.weak[static_cast<std::size_t>(on)];
            gone.remove(found);
            found |= gone;
            for_each(gone, [&](int candidate) {
                const auto index = static_cast<std::size_t>(candidate);
                Hint hint = hint_of(stage, chase.from_off, off, on, level);
                hint.cells.add(links.cell[index]);
                hint.digits = static_cast<NineBits>(hint.digits | bit_of(links.digit[index]));
                hint.eliminations.add(links.cell[index], links.digit[index]);
                if (search.branches != nullptr) {
                    write_elimination(chase.from_off, candidate, off, on, level, search, hint);
                }
                search.hints.add(hint);
            });
        });
    });
}

/// Those that end in on: from off the start is reached again.
template <int Words> void find_placements(Chase<Words>& chase, const Stage& stage, Search& search) {
    const Links<Words>& links = chase.links;
    const int level = stage.length / 2;
    if (!reach(chase.from_off, level)) {
        return;
    }
    for_each(links.linked, [&](int start) {
        if (chase.from_off.at(level, start).test(start)) {
            Hint hint = hint_of(stage, chase.from_off, start, start, level);
            hint.placed_cell = links.cell[static_cast<std::size_t>(start)];
            hint.placed_digit = links.digit[static_cast<std::size_t>(start)];
            if (search.branches != nullptr) {
                write_placement(chase.from_off, start, level, search, hint);
            }
            search.hints.add(hint);
        }
    });
}

template <int Words> void find_chains(Chase<Words>& chase, const Stage& stage, Search& search) {
    find_eliminations(chase, stage, search);
    find_placements(chase, stage, search);
}

template <int Words>
void find_cycles(const CandidateGrid& grid, Chase<Words>& chase, const Stage& stage, Technique technique,
                 Search& search) {
    if (reach(chase.from_on, stage.length / 2)) {
        chase.cycles.find(grid, chase.from_on, stage.length, technique, stage.rating, search);
    }
}

template <int Words> void begin(Chase<Words>& chase) {
    // What has no strong link starts no chain, and none leads back to it.
    chase.from_on.begin(chase.links, true, chase.links.linked);
    chase.from_off.begin(chase.links, false, chase.links.linked);
}

/// The search through the stages, until the sink keeps no more or no chain leads further.
class Stages {
  public:
    Stages(const CandidateGrid& grid, Search& search, StaticMemory& memory)
        : grid_(grid), search_(search), memory_(memory), large_(grid.all_candidates().size() > 256) {}

    void run() {
        for (int digit = 0; digit < kDigits; ++digit) {
            auto& chase = memory_.digits[static_cast<std::size_t>(digit)];
            link_digit(grid_, digit, chase.links);
            begin(chase);
        }
        link_bivalue_cells(grid_, memory_.bivalue.links);
        memory_.bivalue.from_on.begin(memory_.bivalue.links, true, memory_.bivalue.links.linked);
        for (const Stage& stage : kStages) {
            if (!search_.hints.keeps(stage.rating, static_cast<std::uint32_t>(stage.length))) {
                return;
            }
            look(stage);
        }
    }

  private:
    void look(const Stage& stage) {
        using enum Stage::Kind;
        switch (stage.kind) {
        case digit_cycle:
            for (auto& chase : memory_.digits) {
                find_cycles(grid_, chase, stage, Technique::x_cycle, search_);
            }
            break;
        case digit_chain:
            for (auto& chase : memory_.digits) {
                find_chains(chase, stage, search_);
            }
            break;
        case bivalue_cycle:
            find_cycles(grid_, memory_.bivalue, stage, Technique::y_cycle, search_);
            break;
        case mixed_cycle:
        case mixed_chain:
            if (large_) {
                look_mixed(stage, memory_.mixed_large);
            } else {
                look_mixed(stage, memory_.mixed);
            }
            break;
        }
    }

    template <int Words> void look_mixed(const Stage& stage, Chase<Words>& chase) {
        if (!mixed_linked_) {
            link_all(grid_, chase.links);
            begin(chase);
            mixed_linked_ = true;
        }
        if (stage.kind == Stage::Kind::mixed_cycle) {
            find_cycles(grid_, chase, stage, Technique::xy_cycle, search_);
        } else {
            find_chains(chase, stage, search_);
        }
    }

    const CandidateGrid& grid_;
    Search& search_;
    StaticMemory& memory_;
    bool large_;
    bool mixed_linked_ = false;
};

} // namespace

void find_forcing_chains(const CandidateGrid& grid, Search& search) {
    with_memory(search, [&](ChainMemory& memory) { Stages(grid, search, memory.of_static).run(); });
}

} // namespace sudokumill::explainer
