//! The counter `estimate`: tokens by kinds of characters, without a tokenizer.
//!
//! In: texts, and sizes of images. Out: token counts, near those of current byte-pair tokenizers. Every byte adds a
//! weight that depends on its kind and on the kind of the byte before it; so one pass is enough, a longer text never
//! counts less, and the parts of a text add up to the whole but for a few tokens. It does not know vocabularies.

mod weight;

use rust_decimal::Decimal;
use rust_decimal::prelude::ToPrimitive;

use crate::conversation::{Body, Counter, ImageSize, Message};

/// Weights are in fractions of a token: this many make one.
const TOKEN: u64 = 1024;

/// Factors are kept in thousandths.
const MILLI: u64 = 1000;

/// Tokens that a message costs beside its parts: the marks of its role and its end.
const ENVELOPE: u64 = 4;

/// Tokens that a call and a result cost beside their texts: their ids and the marks around them. In recorded sessions
/// of Claude a call with its result costs some 70 tokens more than their texts, at a factor of 1.15.
const CALL: u64 = 32;
const RESULT: u64 = 16;

/// Tokens that a declared tool costs beside its texts: brackets and keys.
const TOOL: u64 = 12;

/// Pixels of an image that make one token, and the longest side to which a larger image is scaled down first, as
/// Anthropic counts.
const IMAGE_PIXELS: u64 = 750;
const IMAGE_SIDE: u64 = 1568;

/// The most that an image costs.
const IMAGE_MOST: u64 = 1600;

/// What an image of unknown size is taken for: a screenshot. That makes 1,229 tokens.
const IMAGE_TYPICAL: ImageSize = ImageSize { width: 1280, height: 720 };

/// Counts tokens by kinds of characters, times a factor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Estimate {
    milli: u64,
}

impl Default for Estimate {
    fn default() -> Self {
        Self { milli: MILLI }
    }
}

impl Estimate {
    /// An estimate whose counts are all multiplied by a factor, kept between 0.1 and 10 and to three places.
    pub fn scaled(factor: Decimal) -> Self {
        let factor = factor.clamp(Decimal::new(1, 1), Decimal::TEN);
        let milli = (factor * Decimal::from(MILLI)).round().to_u64().unwrap_or(MILLI);
        Self { milli }
    }

    /// The factor.
    pub fn factor(self) -> Decimal {
        Decimal::from(self.milli) / Decimal::from(MILLI)
    }

    /// Tokens of a declared tool, as it is sent before the messages.
    pub fn tool(self, name: &str, description: &str, schema: &str) -> u64 {
        [name, description, schema].into_iter().map(|text| self.text(text)).sum::<u64>() + self.scale(TOOL)
    }

    /// A number of tokens times the factor.
    fn scale(self, tokens: u64) -> u64 {
        self.share(u128::from(tokens), 1)
    }

    /// Parts of a token times the factor, rounded to whole tokens.
    fn share(self, parts: u128, token: u64) -> u64 {
        let whole = u128::from(token * MILLI);
        u64::try_from((parts * u128::from(self.milli) + whole / 2) / whole).unwrap_or(u64::MAX)
    }
}

impl Counter for Estimate {
    fn text(&self, text: &str) -> u64 {
        if text.is_empty() {
            return 0;
        }
        self.share(u128::from(weigh(text.as_bytes())), TOKEN).max(1)
    }

    fn image(&self, size: Option<ImageSize>) -> u64 {
        let ImageSize { width, height } = size.unwrap_or(IMAGE_TYPICAL);
        let (width, height) = (u64::from(width), u64::from(height));
        let long = width.max(height).max(1);
        let scaled = |side: u64| if long > IMAGE_SIDE { side * IMAGE_SIDE / long } else { side };
        self.scale((scaled(width) * scaled(height)).div_ceil(IMAGE_PIXELS).clamp(1, IMAGE_MOST))
    }

    fn envelope(&self) -> u64 {
        self.scale(ENVELOPE)
    }

    fn message(&self, message: &Message) -> u64 {
        let marks = message.parts.iter().map(|part| match part.body {
            Body::ToolCall { .. } => CALL,
            Body::ToolResult(_) => RESULT,
            _ => 0,
        });
        let parts: u64 = message.parts.iter().map(|part| self.body(&part.body)).sum();
        parts + self.scale(ENVELOPE + marks.sum::<u64>())
    }
}

/// The sum of the weights of all bytes.
fn weigh(bytes: &[u8]) -> u64 {
    let mut row = weight::START;
    let mut sum = 0;
    for byte in bytes {
        let kind = weight::KIND[usize::from(*byte)];
        sum += u64::from(weight::WEIGHT[usize::from(row | kind) & (weight::WEIGHT.len() - 1)]);
        row = weight::row(kind);
    }
    sum
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use proptest::prelude::*;

    use super::*;
    use crate::conversation::{Arguments, Part, Role};

    fn count(text: &str) -> u64 {
        Estimate::default().text(text)
    }

    /// Texts of several kinds with their counts by `o200k`.
    const KNOWN: [(&str, u64); 8] = [
        ("The quick brown fox jumps over the lazy dog, and nobody in the quiet village seems to mind at all.", 22),
        (
            "pub fn parse(text: &str) -> Result<Vec<Token>, Error> {\n    let mut tokens = Vec::new();\n    Ok(tokens)\n}\n",
            30,
        ),
        (
            r#"{"tool_call_id":"call_01","name":"read_file","arguments":{"path":"src/main.rs","limit":200},"ok":true}"#,
            30,
        ),
        (
            "2026-03-14T09:26:53Z INFO worker-7 request id=48213 took 118ms status=200 bytes=5120 path=/api/v2/items\n",
            40,
        ),
        (
            "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08 e3b0c44298fc1c149afbf4c8996fb92427ae41e4",
            67,
        ),
        ("Die Werkzeuge geben lange Ergebnisse zurück, und nur die letzten davon bleiben vollständig im Fenster.", 18),
        (
            "このファイルは大きすぎるため、最初の百行だけを読み込みます。次に、テストを実行して結果を確認してください。",
            36,
        ),
        ("Файл слишком большой, поэтому читаются только первые сто строк, а затем запускаются все тесты.", 21),
    ];

    #[test]
    fn counts_are_near_those_of_a_tokenizer() {
        for (text, exact) in KNOWN {
            let counted = count(text);
            assert!(counted.abs_diff(exact) * 2 <= exact, "{counted} for {exact}: {text}");
        }
        let (counted, exact) = KNOWN.iter().fold((0, 0), |sum, one| (sum.0 + count(one.0), sum.1 + one.1));
        assert!(counted.abs_diff(exact) * 10 <= exact, "{counted} for {exact}");
    }

    #[test]
    fn an_empty_text_is_free_and_any_other_is_not() {
        assert_eq!(count(""), 0);
        for text in ["a", " ", "\n", "\u{301}", "\0", "\u{7f}"] {
            assert!(count(text) >= 1, "{text:?}");
        }
        assert_eq!(Estimate::scaled(Decimal::new(1, 1)).text("a"), 1);
    }

    #[test]
    fn a_factor_scales_texts_and_is_kept_in_bounds() {
        let text = "one two three four five six seven eight nine ten ".repeat(100);
        let (plain, more) = (count(&text), Estimate::scaled(Decimal::new(15, 1)).text(&text));
        assert!(more.abs_diff(plain * 3 / 2) <= 1, "{more} for {plain}");
        assert_eq!(Estimate::scaled(Decimal::NEGATIVE_ONE).factor(), Decimal::new(1, 1));
        assert_eq!(Estimate::scaled(Decimal::MAX).factor(), Decimal::TEN);
    }

    #[test]
    fn images_cost_by_their_pixels_after_scaling_within_bounds() {
        let image = |width, height| Estimate::default().image(Some(ImageSize { width, height }));
        assert_eq!([image(1, 1), image(200, 200), image(1000, 1000), image(1092, 1092)], [1, 54, 1334, 1590]);
        assert_eq!(image(1920, 1080), image(1568, 882), "the long side is scaled to 1568");
        assert_eq!([image(1080, 1920), image(1568, 1568), image(u32::MAX, u32::MAX)], [1600; 3]);
        assert_eq!([image(u32::MAX, 1), image(0, 0)], [1; 2]);
        assert_eq!(Estimate::default().image(None), image(1280, 720));
        assert_eq!(image(1280, 720), 1229);
    }

    #[test]
    fn messages_cost_an_envelope_and_tools_their_texts() {
        let estimate = Estimate::default();
        let message = Message::text(Role::User, Arc::from("hello"));
        assert_eq!(estimate.message(&message), ENVELOPE + count("hello"));
        let schema = r#"{"type":"object"}"#;
        assert_eq!(estimate.tool("read", "Reads.", schema), count("read") + count("Reads.") + count(schema) + TOOL);
    }

    #[test]
    fn calls_and_results_cost_their_marks() {
        let estimate = Estimate::default();
        let call = Part::call("c1", "read", Arguments::Text("{}".into()));
        let calls = Message::new(Role::Assistant, vec![call.clone(), call]);
        assert_eq!(estimate.message(&calls), ENVELOPE + 2 * (CALL + count("read") + count("{}")));
        let result = Message::new(Role::Tool, vec![Part::result("c1", "done", false)]);
        assert_eq!(estimate.message(&result), ENVELOPE + RESULT + count("done"));
        assert_eq!(Estimate::scaled(Decimal::TWO).envelope(), 2 * ENVELOPE);
    }

    #[test]
    fn weights_are_never_larger_than_declared() {
        assert_eq!(weight::WEIGHT.iter().copied().max().map(u64::from), Some(weight::LARGEST));
    }

    /// Tokens that a cut may add or save: the weight of one byte, three roundings by half, and the least of one.
    const CUT: u64 = weight::LARGEST / TOKEN + 2;

    proptest! {
        #[test]
        fn a_longer_text_never_counts_less(a in "\\PC{0,60}|[ -~\n\t]{0,200}", b in "\\PC{0,60}|[ -~\n\t]{0,200}") {
            let both = format!("{a}{b}");
            prop_assert!(count(&both) >= count(&a));
        }

        #[test]
        fn parts_add_up_but_for_a_few_tokens(a in "\\PC{0,60}|[ -~\n\t]{0,200}", b in "\\PC{0,60}|[ -~\n\t]{0,200}") {
            let both = format!("{a}{b}");
            prop_assert!(count(&both).abs_diff(count(&a) + count(&b)) <= CUT);
        }

        #[test]
        fn no_text_counts_more_than_two_tokens_a_byte(text in "\\PC{1,80}") {
            prop_assert!(count(&text) <= 2 * u64::try_from(text.len()).expect("short"));
        }
    }
}
