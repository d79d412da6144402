"""The fast engine: a generator, a digger and two solvers over a C++20 kernel."""
