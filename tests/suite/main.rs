//! All tests that run against the library and the binary from outside, in one binary.
