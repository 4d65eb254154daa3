//! Fuzzes the property `recording_lines` of `tests/suite/property.rs`.

#![no_main]

#[path = "../../tests/suite/property.rs"]
mod property;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| property::recorded::changed_lines(bytes));
