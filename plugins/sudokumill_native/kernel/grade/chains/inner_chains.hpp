// Chains inside a chain: what nested chains try where the links of the outer one lead no further.
#pragma once

#include <memory>
#include <vector>

#include "dynamic_search.hpp"
#include "inference.hpp"
#include "static_memory.hpp"

namespace sudokumill::explainer::chains {

/// Forcing chains, of one digit or mixed. What cycles eliminate they eliminate too.
class InnerForcingChains : public Inferrer {
  public:
    explicit InnerForcingChains(StaticMemory& memory) : memory_(memory) {}
    void infer(const CandidateGrid& before, const CandidateGrid& now, Budget& budget,
               std::vector<Inference>& found) override;

  private:
    StaticMemory& memory_;
};

/// Cell and region forcing chains.
class InnerMultipleChains : public Inferrer {
  public:
    explicit InnerMultipleChains(StaticMemory& memory) : memory_(memory) {}
    void infer(const CandidateGrid& before, const CandidateGrid& now, Budget& budget,
               std::vector<Inference>& found) override;

  private:
    StaticMemory& memory_;
};

/// Dynamic forcing chains, with an inferrer of their own or without.
class InnerDynamicChains : public Inferrer {
  public:
    explicit InnerDynamicChains(Inferrer* inferrer) : inferrer_(inferrer) {}
    void infer(const CandidateGrid& before, const CandidateGrid& now, Budget& budget,
               std::vector<Inference>& found) override;

  private:
    Inferrer* inferrer_;
    DynamicSearch<4> dynamic_;
    DynamicSearch<9> dynamic_large_; // where there are more than 256 candidates
};

/// Tries inferrers one after the other; the first that finds anything ends the try.
class FirstOf : public Inferrer {
  public:
    explicit FirstOf(std::vector<Inferrer*> inferrers) : inferrers_(std::move(inferrers)) {}
    void infer(const CandidateGrid& before, const CandidateGrid& now, Budget& budget,
               std::vector<Inference>& found) override;

  private:
    std::vector<Inferrer*> inferrers_;
};

} // namespace sudokumill::explainer::chains
