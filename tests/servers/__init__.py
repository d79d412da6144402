"""Real servers for tests: each starts on a free port of the loopback interface and ends with its tests."""
