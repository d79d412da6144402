#include "best_inferences.hpp"
#include "inner_chains.hpp"
#include "length.hpp"
#include "trace.hpp"

namespace sudokumill::explainer::chains {
namespace {

constexpr Tenths kXChain = 66;
constexpr Tenths kMixed = 70;

/// Follows all chains of some links to their ends, and offers each forcing chain.
template <int Words> class AllForcingChains {
  public:
    AllForcingChains(Chase<Words>& chase, const CandidateGrid& before, const CandidateGrid& now, Tenths least,
                     BestInferences& best)
        : chase_(chase), now_(now), reasons_(before, now), least_(least), best_(best) {}

    void run() {
        const Links<Words>& links = chase_.links;
        chase_.from_on.begin(links, true);
        chase_.from_off.begin(links, false);
        Bits<Words> on_done;
        Bits<Words> off_done;
        do {
            const int level = chase_.from_on.depth();
            for (int start = 0; start < links.count; ++start) {
                const auto index = static_cast<std::size_t>(start);
                if (count_of(now_.candidates(links.cell[index])) < 2) {
                    continue;
                }
                const Bits<Words> last = chase_.from_on.at(level, start) & links.weak[index];
                if (last.any() && !on_done.test(start)) {
                    on_done.set(start);
                    offer(start, first_in(last), level, true);
                }
                if (chase_.from_off.at(level, start).test(start) && !off_done.test(start)) {
                    off_done.set(start);
                    offer(start, start, level, false);
                }
            }
        } while (advance());
    }

  private:
    bool advance() {
        const bool more_on = chase_.from_on.go_on();
        const bool more_off = chase_.from_off.go_on();
        return more_on || more_off;
    }

    void offer(int start, int last, int level, bool start_on) {
        const auto index = static_cast<std::size_t>(start);
        const auto rating = static_cast<Tenths>(least_ + length_tenths(2 * level));
        const int number =
            best_.offer(chase_.links.cell[index], chase_.links.digit[index], !start_on, rating, 2 * level,
                        least_ == kXChain ? Technique::forcing_x_chain : Technique::forcing_chain);
        if (number >= 0) {
            reasons_.clear();
            add_chain(start_on ? chase_.from_on : chase_.from_off, now_, start, last, level, start_on, reasons_);
            best_.at(number).because = reasons_.because();
        }
    }

    Chase<Words>& chase_;
    const CandidateGrid& now_;
    Reasons reasons_;
    Tenths least_;
    BestInferences& best_;
};

template <int Words>
void find_mixed(Chase<Words>& chase, const CandidateGrid& before, const CandidateGrid& now, BestInferences& best) {
    link_all(now, chase.links);
    AllForcingChains<Words>(chase, before, now, kMixed, best).run();
}

} // namespace

void InnerForcingChains::infer(const CandidateGrid& before, const CandidateGrid& now, Budget& budget,
                               std::vector<Inference>& found) {
    const int candidates = now.all_candidates().size();
    // All starts go together, which costs as much as half of them would one by one.
    if (!budget.spend(1 + static_cast<std::uint64_t>(candidates) / 2)) {
        return;
    }
    BestInferences best(now);
    for (int digit = 0; digit < kDigits; ++digit) {
        auto& chase = memory_.digits[static_cast<std::size_t>(digit)];
        link_digit(now, digit, chase.links);
        AllForcingChains<1>(chase, before, now, kXChain, best).run();
    }
    if (candidates > Links<4>::kMost) {
        find_mixed(memory_.mixed_large, before, now, best);
    } else {
        find_mixed(memory_.mixed, before, now, best);
    }
    best.give(found);
}

void FirstOf::infer(const CandidateGrid& before, const CandidateGrid& now, Budget& budget,
                    std::vector<Inference>& found) {
    const std::size_t known = found.size();
    for (Inferrer* inferrer : inferrers_) {
        inferrer->infer(before, now, budget, found);
        if (found.size() > known || budget.exhausted()) {
            return;
        }
    }
}

} // namespace sudokumill::explainer::chains
