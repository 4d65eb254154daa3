//! Reads JSON with comments and trailing commas.

use std::rc::Rc;

use jsonc_parser::ast::{ObjectProp, Value as Json};
use jsonc_parser::common::{Range, Ranged};
use jsonc_parser::{CollectOptions, CommentCollectionStrategy, ParseOptions, parse_to_ast};
use smol_str::SmolStr;
use trimtab_base::source::{Source, Span, Spanned};
use trimtab_syntax::syntax::yaml;
use trimtab_syntax::syntax::yaml::node::{Entry, Node, Value};

const MARK: char = '\u{FEFF}';

/// Returns the tree, or `None` if there is no value.
///
/// # Errors
/// Where the syntax is wrong, and why.
pub(super) fn read(source: &Source) -> Result<Option<Rc<Node>>, (Span, String)> {
    let text = source.text().trim_start_matches(MARK);
    let reader = Reader { source, start: source.text().len() - text.len() };
    let collect = CollectOptions { comments: CommentCollectionStrategy::Off, tokens: false };
    match parse_to_ast(text, &collect, &options()) {
        Ok(parsed) => Ok(parsed.value.map(|value| reader.node(&value))),
        Err(error) => {
            let reason = error.kind().to_string();
            let mut letters = reason.chars();
            let first = letters.next().map(|letter| letter.to_ascii_lowercase());
            Err((reader.span(error.range()), first.into_iter().chain(letters).collect()))
        }
    }
}

const fn options() -> ParseOptions {
    ParseOptions {
        allow_comments: true,
        allow_loose_object_property_names: false,
        allow_trailing_commas: true,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_non_finite_numbers: false,
        allow_extended_string_escapes: false,
    }
}

struct Reader<'s> {
    source: &'s Source,
    /// The length of a byte order mark.
    start: usize,
}

impl Reader<'_> {
    fn span(&self, range: Range) -> Span {
        Span::new(self.source.id(), self.start + range.start, self.start + range.end)
    }

    fn node(&self, json: &Json<'_>) -> Rc<Node> {
        let value = match json {
            Json::StringLit(text) => Value::Text(SmolStr::from(text.value.as_ref())),
            Json::NumberLit(number) => yaml::number(number.value).unwrap_or(Value::Huge),
            Json::BooleanLit(flag) => Value::Bool(flag.value),
            Json::NullKeyword(_) => Value::Null,
            Json::Array(list) => Value::List(list.elements.iter().map(|value| self.node(value)).collect()),
            Json::Object(object) => Value::Map(object.properties.iter().map(|entry| self.entry(entry)).collect()),
        };
        Rc::new(Node::branch(value, self.span(json.range())))
    }

    fn entry(&self, property: &ObjectProp<'_>) -> Entry {
        let key = Spanned::new(SmolStr::from(property.name.as_str()), self.span(property.name.range()));
        Entry { key, value: self.node(&property.value) }
    }
}
