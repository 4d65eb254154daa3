//! Figures that add up over transcripts.

/// Figures of which a sum over transcripts can be made.
pub(crate) trait Sum {
    /// Adds those of another transcript.
    fn add(&mut self, other: &Self);
}

/// Counts grow up to the largest number.
impl Sum for u64 {
    fn add(&mut self, other: &Self) {
        *self = self.saturating_add(*other);
    }
}

/// Differences stay within what can be written.
impl Sum for i64 {
    fn add(&mut self, other: &Self) {
        *self = self.saturating_add(*other);
    }
}

/// What is unknown adds nothing.
impl Sum for Option<u64> {
    fn add(&mut self, other: &Self) {
        *self = (*self).into_iter().chain(*other).reduce(u64::saturating_add);
    }
}

/// Declares structs whose sum is the sum of each field.
macro_rules! summed {
    ($($(#[$about:meta])* $visibility:vis struct $name:ident $(<$of:ident>)? {
        $($(#[$field_about:meta])* $field_visibility:vis $field:ident: $type:ty,)*
    })*) => {$(
        $(#[$about])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, serde::Deserialize, serde::Serialize, schemars::JsonSchema)]
        #[non_exhaustive]
        $visibility struct $name $(<$of>)? {
            $($(#[$field_about])* $field_visibility $field: $type,)*
        }

        impl $(<$of: $crate::report::figure::Sum>)? $crate::report::figure::Sum for $name $(<$of>)? {
            fn add(&mut self, other: &Self) {
                $($crate::report::figure::Sum::add(&mut self.$field, &other.$field);)*
            }
        }
    )*};
}

pub(in super::super) use summed;
