//! The JSON Schemas of the output formats, one file per schema.
//!
//! Tests validate the output of the binary with each schema.
//! A schema is one file and two adjacent lines here: `mod` and the entry in `SCHEMAS`.

mod calibrate;
mod ci;
mod compare_arms;
mod diff;
mod events;
mod finding;
mod findings;
mod import;
mod inspect;
mod plan;
mod playbook;
mod settings;
mod simulate;
mod statistics;
mod suggest;
mod sweep;
mod test;
mod transcript_find;
mod transcript_show;
mod transcript_stat;
mod transcript_validate;

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use schemars::transform::RecursiveTransform;
use serde_json::Value as Json;
use trimtab_language::fact::written_host_fact;

/// The schema of an output format.
#[derive(Debug)]
pub struct Schema {
    /// Its name on the command line.
    pub name: &'static str,
    /// Which output it describes.
    pub summary: &'static str,
    /// The schema.
    pub json: fn() -> Json,
}

/// The schemas, in the order of the help.
pub static SCHEMAS: &[&Schema] = &[
    &findings::SCHEMA,
    &finding::SCHEMA,
    &statistics::SCHEMA,
    &test::SCHEMA,
    &simulate::SCHEMA,
    &sweep::SCHEMA,
    &events::SCHEMA,
    &transcript_stat::SCHEMA,
    &transcript_show::SCHEMA,
    &transcript_validate::SCHEMA,
    &transcript_find::SCHEMA,
    &calibrate::SCHEMA,
    &suggest::SCHEMA,
    &compare_arms::SCHEMA,
    &import::SCHEMA,
    &inspect::SCHEMA,
    &plan::SCHEMA,
    &playbook::SCHEMA,
    &diff::SCHEMA,
    &ci::SCHEMA,
    &settings::SCHEMA,
];

/// The dialect in which the schemas are written.
const DIALECT: &str = "https://json-schema.org/draft/2020-12/schema";

/// The schema of what a type serializes to.
fn derived<T: JsonSchema>(title: &str) -> Json {
    // JSON has no sizes of integers.
    let without_sizes = RecursiveTransform(|schema: &mut schemars::Schema| {
        schema.remove("format");
    });
    let settings = SchemaSettings::draft2020_12().for_serialize().with_transform(without_sizes);
    let mut schema = settings.into_generator().into_root_schema_for::<T>();
    schema.insert("title".to_owned(), title.into());
    schema.to_value()
}

/// An object of exactly these properties, all of them required.
pub(super) fn object(properties: &Json) -> Json {
    let names: Vec<String> = properties.as_object().into_iter().flat_map(|map| map.keys().cloned()).collect();
    serde_json::json!({
        "type": "object",
        "properties": properties,
        "required": names,
        "additionalProperties": false,
    })
}

/// The pattern of a declared fact as a policy writes it.
pub(super) fn host_fact_pattern() -> String {
    format!("^{}[A-Za-z_][A-Za-z0-9_]*$", written_host_fact("").replace('.', "\\."))
}

/// An object with at least these properties.
pub(super) fn open_object(properties: &Json) -> Json {
    let mut json = object(properties);
    json["additionalProperties"] = true.into();
    json
}
