//! The prices of calls, for subcommands that state what recordings cost.

use clap::Args;
use jiff::civil::Date;
use trimtab_model::model::Models;

/// Which prices calls have.
#[derive(Args, Clone, Copy, Debug, Default)]
pub(super) struct PriceArguments {
    /// Price every call as on this day [default: the prices at the time of the call]
    #[arg(long, value_name = "DATE", value_parser = day)]
    pub(super) prices_of: Option<Date>,
}

impl PriceArguments {
    /// The models with these prices.
    pub(super) fn of(self, models: &Models) -> Models {
        models.clone().priced_on(self.prices_of)
    }
}

/// Parses a day.
fn day(text: &str) -> Result<Date, String> {
    text.parse().map_err(|_| "expected a date, such as 2026-08-21".to_owned())
}
