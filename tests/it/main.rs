#![cfg(test)]
//! Everything that is tested on the host, in one binary.

mod support;
