//! Figures that add up over transcripts.

/// Figures that are summed over transcripts.
pub(crate) trait Sum {
    /// Adds those of another transcript.
    fn add(&mut self, other: &Self);
}

/// Saturates.
impl Sum for u64 {
    fn add(&mut self, other: &Self) {
        *self = self.saturating_add(*other);
    }
}

/// Saturates.
impl Sum for i64 {
    fn add(&mut self, other: &Self) {
        *self = self.saturating_add(*other);
    }
}

/// `None` adds nothing; the sum is `None` if all are.
impl Sum for Option<u64> {
    fn add(&mut self, other: &Self) {
        *self = (*self).into_iter().chain(*other).reduce(u64::saturating_add);
    }
}

/// Declares structs whose sum is the sum of each field. A struct whose fields have values is declared alone, and a function `of`
/// follows, which returns it: the values use the parameters of the function and what its body binds.
macro_rules! summed {
    ($(#[$about:meta])* $visibility:vis struct $name:ident {
        $($(#[$field_about:meta])* $field_visibility:vis $field:ident: $type:ty = $value:expr,)*
    }

    $(#[$of_about:meta])* $of_visibility:vis fn of($($parameter:ident: $parameter_type:ty),*) { $($body:tt)* }) => {
        $crate::report::figure::summed! {
            $(#[$about])* $visibility struct $name { $($(#[$field_about])* $field_visibility $field: $type,)* }
        }

        impl $name {
            $(#[$of_about])*
            $of_visibility fn of($($parameter: $parameter_type),*) -> Self {
                $($body)*
                Self { $($field: $value,)* }
            }
        }
    };
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
