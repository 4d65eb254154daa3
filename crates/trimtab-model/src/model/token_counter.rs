//! The token counter: an estimate, or a published tokenizer.
//!
//! The estimate approximates the counts of current byte-pair tokenizers without a vocabulary. Every byte of a text adds
//! a weight that depends on its class and on the class of the preceding byte. So counting takes one pass, a longer text
//! never counts less, and the counts of the parts of a text add up to the count of the whole except for a few tokens. A
//! published tokenizer counts only texts; images count by their size in both cases.

#[cfg(test)]
mod kinds;
mod weight;

use rust_decimal::Decimal;
use rust_decimal::prelude::ToPrimitive;
use trimtab_base::conversation::{Body, Counter, ImageSize, Message};

use super::models::Models;
use super::tokenizer::Tokenizer;

/// The scale of weights, which are stored in 1/1024 token.
const TOKEN: u64 = 1024;

/// The scale of factors, which are stored in thousandths.
const MILLI: u64 = 1000;

/// The tokens of a message besides its parts: the delimiters with its role.
const ENVELOPE: u64 = 4;

/// The tokens of a tool call and of a tool result besides their texts: ids and delimiters. In recorded Claude sessions
/// a call with its result costs about 70 tokens more than the texts of both; measured when the factor was 1.15.
const CALL_OVERHEAD: u64 = 32;
const RESULT_OVERHEAD: u64 = 16;

/// The same overheads for the models of OpenAI: in recorded sessions of Codex, OpenCode and tau2, a result costs eight
/// tokens more than its text.
const OPENAI_ENVELOPE: u64 = 3;
const OPENAI_CALL_OVERHEAD: u64 = 8;
const OPENAI_RESULT_OVERHEAD: u64 = 5;

/// The weight of a character of a signature. Providers that show only a summary of the reasoning, or nothing, put all
/// of the reasoning into the signature, in base64. Fitted to recorded sessions of Claude models, whose factor is 1.2:
/// 0.179 tokens a character.
const SIGNATURE_WEIGHT: u64 = 153;

/// The first characters of encrypted reasoning of OpenAI, the bytes that it has besides the reasoning, and the bytes of
/// a token; both numbers as Codex estimates them.
const ENCRYPTED: &str = "gAAAA";
const ENCRYPTED_ENVELOPE: u64 = 650;
const ENCRYPTED_TOKEN: u64 = 4;

/// The tokens of a tool declaration besides its texts: brackets and keys.
const TOOL_OVERHEAD: u64 = 12;

/// The pixels per token of an image, and the length to which the longer side of a larger image is first scaled down, as
/// documented by Anthropic.
const PIXELS_PER_TOKEN: u64 = 750;
const MAX_IMAGE_SIDE: u64 = 1568;

/// The maximum tokens of an image.
const MAX_IMAGE_TOKENS: u64 = 1600;

/// The size assumed for an image of unknown size: a screenshot, which counts 1,229 tokens.
const DEFAULT_IMAGE_SIZE: ImageSize = ImageSize { width: 1280, height: 720 };

/// Counts tokens: by the classes of bytes, with a factor for the tokenizer of a model, or with a published tokenizer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TokenCounter {
    /// The factor, in thousandths.
    milli: u64,
    /// The published tokenizer, or `None` to estimate.
    tokenizer: Option<Tokenizer>,
    /// Whether messages have the delimiters of OpenAI.
    is_openai: bool,
}

impl Default for TokenCounter {
    fn default() -> Self {
        Self { milli: MILLI, tokenizer: None, is_openai: false }
    }
}

impl TokenCounter {
    /// Creates an estimating counter that multiplies all counts by a factor. The factor is clamped to 0.1 to 10 and
    /// rounded to three decimal places.
    pub fn scaled(factor: Decimal) -> Self {
        let factor = factor.clamp(Decimal::new(1, 1), Decimal::TEN);
        let milli = (factor * Decimal::from(MILLI)).round().to_u64().unwrap_or(MILLI);
        Self { milli, ..Self::default() }
    }

    /// Creates an estimating counter with the overheads of a model, and with the factor 1.
    pub fn of_model(id: &str, models: &Models) -> Self {
        Self { is_openai: models.find(id).is_some_and(|model| model.family == "gpt"), ..Self::default() }
    }

    /// The same counter with another factor; see [`TokenCounter::scaled`].
    pub fn with_factor(self, factor: Decimal) -> Self {
        Self { milli: Self::scaled(factor).milli, ..self }
    }

    /// Creates a counter that counts texts with a published tokenizer.
    pub fn exact(tokenizer: Tokenizer) -> Self {
        Self { tokenizer: Some(tokenizer), is_openai: true, ..Self::default() }
    }

    /// The published tokenizer that counts texts, if there is one.
    pub(super) const fn tokenizer(self) -> Option<Tokenizer> {
        self.tokenizer
    }

    /// Whether a published tokenizer counts texts.
    pub const fn is_exact(self) -> bool {
        self.tokenizer.is_some()
    }

    /// The tokens of a message, a call and a result besides their texts.
    const fn overheads(self) -> (u64, u64, u64) {
        if self.is_openai {
            (OPENAI_ENVELOPE, OPENAI_CALL_OVERHEAD, OPENAI_RESULT_OVERHEAD)
        } else {
            (ENVELOPE, CALL_OVERHEAD, RESULT_OVERHEAD)
        }
    }

    /// The factor.
    pub fn factor(self) -> Decimal {
        Decimal::from(self.milli) / Decimal::from(MILLI)
    }

    /// Counts the tokens of a tool declaration.
    pub fn tool(self, name: &str, description: &str, schema: &str) -> u64 {
        [name, description, schema].into_iter().map(|text| self.text(text)).sum::<u64>() + self.scale(TOOL_OVERHEAD)
    }

    /// The tokens of the reasoning in a signature.
    pub(super) fn signature(self, signature: Option<&str>) -> u64 {
        let signature = signature.unwrap_or_default();
        let length = signature.len() as u64;
        if signature.starts_with(ENCRYPTED) {
            self.scale((length / 4 * 3).saturating_sub(ENCRYPTED_ENVELOPE) / ENCRYPTED_TOKEN)
        } else {
            self.scale_weight(length.saturating_mul(SIGNATURE_WEIGHT), TOKEN)
        }
    }

    /// The measure of a text that is not empty: its tokens for a published tokenizer, else its weight. It does not
    /// depend on the factor.
    pub(super) fn measure(self, text: &str) -> u64 {
        self.tokenizer.map_or_else(|| total_weight(text.as_bytes()), |tokenizer| tokenizer.count(text))
    }

    /// The tokens of a text with this measure.
    pub(super) fn of_measure(self, measure: u64) -> u64 {
        let unit = if self.is_exact() { 1 } else { TOKEN };
        self.scale_weight(measure, unit).max(1)
    }

    /// The tokens of a message besides its texts and images.
    pub(super) fn overhead(self, message: &Message) -> u64 {
        let (envelope, call, result) = self.overheads();
        let overheads = message.parts.iter().map(|part| match part.body {
            Body::ToolCall { .. } => call,
            Body::ToolResult(_) => result,
            _ => 0,
        });
        self.scale(envelope + overheads.sum::<u64>())
    }

    /// Multiplies a number of tokens by the factor.
    fn scale(self, tokens: u64) -> u64 {
        self.scale_weight(tokens, 1)
    }

    /// Multiplies a weight by the factor and rounds it to tokens, of which each has the weight `token`.
    fn scale_weight(self, weight: u64, token: u64) -> u64 {
        let divisor = token * MILLI;
        // Only absurd sizes need 128 bits, which take several times as long.
        if let Some(product) = weight.checked_mul(self.milli).and_then(|product| product.checked_add(divisor / 2)) {
            return product / divisor;
        }
        let product = u128::from(weight) * u128::from(self.milli) + u128::from(divisor / 2);
        u64::try_from(product / u128::from(divisor)).unwrap_or(u64::MAX)
    }
}

impl Counter for TokenCounter {
    fn estimate_factor(&self) -> Option<u64> {
        Some(self.milli)
    }

    fn text(&self, text: &str) -> u64 {
        if text.is_empty() { 0 } else { self.of_measure(self.measure(text)) }
    }

    fn image(&self, size: Option<ImageSize>) -> u64 {
        let ImageSize { width, height } = size.unwrap_or(DEFAULT_IMAGE_SIZE);
        let (width, height) = (u64::from(width), u64::from(height));
        let longer = width.max(height).max(1);
        let scaled = |side: u64| if longer > MAX_IMAGE_SIDE { side * MAX_IMAGE_SIDE / longer } else { side };
        self.scale((scaled(width) * scaled(height)).div_ceil(PIXELS_PER_TOKEN).clamp(1, MAX_IMAGE_TOKENS))
    }

    fn envelope(&self) -> u64 {
        self.scale(self.overheads().0)
    }

    fn body(&self, body: &Body) -> u64 {
        match body {
            // The text may be a summary of the reasoning in the signature: the larger one counts.
            Body::Thinking { text, signature } => self.text(text).max(self.signature(signature.as_deref())),
            _ => body.tokens(self),
        }
    }

    fn message(&self, message: &Message) -> u64 {
        let parts: u64 = message.parts.iter().map(|part| self.body(&part.body)).sum();
        parts + self.overhead(message)
    }
}

/// The sum of the weights of all bytes. The first byte weighs as much as after a line break.
fn total_weight(bytes: &[u8]) -> u64 {
    let mut sum = bytes.first().map_or(0, |first| weight::of([b'\n', *first]));
    let mut rest = bytes;
    // Reads eight pairs from two words, which is faster than loading each pair.
    while let (Some(even), Some(odd)) = (rest.first_chunk(), rest.get(1..).and_then(|rest| rest.first_chunk())) {
        sum += weight::of_pairs(u64::from_le_bytes(*even)) + weight::of_pairs(u64::from_le_bytes(*odd));
        rest = &rest[8..];
    }
    sum + rest.windows(2).map(|pair| weight::of([pair[0], pair[1]])).sum::<u64>()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use proptest::prelude::*;
    use trimtab_base::conversation::{Arguments, Part, Role};

    use super::*;

    fn count(text: &str) -> u64 {
        TokenCounter::default().text(text)
    }

    /// Texts of several kinds with their counts by the `o200k` tokenizer.
    const TOKENIZER_COUNTS: [(&str, u64); 8] = [
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
    fn counts_approximate_those_of_a_tokenizer() {
        for (text, exact) in TOKENIZER_COUNTS {
            let counted = count(text);
            assert!(counted.abs_diff(exact) * 2 <= exact, "{counted} for {exact}: {text}");
        }
        let (counted, exact) = TOKENIZER_COUNTS
            .iter()
            .fold((0, 0), |(counted, exact), (text, tokens)| (counted + count(text), exact + *tokens));
        assert!(counted.abs_diff(exact) * 10 <= exact, "{counted} for {exact}");
    }

    #[test]
    fn only_an_empty_text_counts_zero() {
        assert_eq!(count(""), 0);
        for text in ["a", " ", "\n", "\u{301}", "\0", "\u{7f}"] {
            assert!(count(text) >= 1, "{text:?}");
        }
        assert_eq!(TokenCounter::scaled(Decimal::new(1, 1)).text("a"), 1);
    }

    #[test]
    fn the_factor_scales_counts_and_is_clamped() {
        let text = "one two three four five six seven eight nine ten ".repeat(100);
        let (plain, more) = (count(&text), TokenCounter::scaled(Decimal::new(15, 1)).text(&text));
        assert!(more.abs_diff(plain * 3 / 2) <= 1, "{more} for {plain}");
        assert_eq!(TokenCounter::scaled(Decimal::NEGATIVE_ONE).factor(), Decimal::new(1, 1));
        assert_eq!(TokenCounter::scaled(Decimal::MAX).factor(), Decimal::TEN);
    }

    #[test]
    fn images_count_by_their_pixels_after_scaling_down() {
        let image = |width, height| TokenCounter::default().image(Some(ImageSize { width, height }));
        assert_eq!([image(1, 1), image(200, 200), image(1000, 1000), image(1092, 1092)], [1, 54, 1334, 1590]);
        assert_eq!(image(1920, 1080), image(1568, 882), "the longer side is scaled down to 1568");
        assert_eq!([image(1080, 1920), image(1568, 1568), image(u32::MAX, u32::MAX)], [1600; 3]);
        assert_eq!([image(u32::MAX, 1), image(0, 0)], [1; 2]);
        assert_eq!(TokenCounter::default().image(None), image(1280, 720));
        assert_eq!(image(1280, 720), 1229);
    }

    #[test]
    fn messages_and_tools_count_their_texts_and_an_overhead() {
        let counter = TokenCounter::default();
        let message = Message::text(Role::User, Arc::from("hello"));
        assert_eq!(counter.message(&message), ENVELOPE + count("hello"));
        let schema = r#"{"type":"object"}"#;
        assert_eq!(
            counter.tool("read", "Reads.", schema),
            count("read") + count("Reads.") + count(schema) + TOOL_OVERHEAD
        );
    }

    #[test]
    fn reasoning_in_a_signature_is_counted() {
        let reasoning = |text: &str, signature: &str| {
            let signature = Some(signature.into());
            TokenCounter::default().body(&Body::Thinking { text: Arc::from(text), signature })
        };
        assert_eq!([reasoning("", &"x".repeat(1024)), reasoning("", ""), reasoning("", "x")], [153, 0, 0]);
        assert_eq!(reasoning("the text of the reasoning", "x"), count("the text of the reasoning"));
        // Of 4,000 characters of base64, 2,350 bytes are reasoning.
        assert_eq!(reasoning("", &format!("gAAAA{}", "x".repeat(3_995))), 587);
    }

    #[test]
    fn calls_and_results_count_an_overhead() {
        let counter = TokenCounter::default();
        let call = Part::call("c1", "read", Arguments::Text("{}".into()));
        let calls = Message::new(Role::Assistant, vec![call.clone(), call]);
        assert_eq!(counter.message(&calls), ENVELOPE + 2 * (CALL_OVERHEAD + count("read") + count("{}")));
        let result = Message::new(Role::Tool, vec![Part::result("c1", "done", false)]);
        assert_eq!(counter.message(&result), ENVELOPE + RESULT_OVERHEAD + count("done"));
        assert_eq!(TokenCounter::scaled(Decimal::TWO).envelope(), 2 * ENVELOPE);
    }

    #[test]
    fn the_largest_weight_is_as_declared() {
        assert_eq!(weight::PAIRS.iter().copied().max().map(u64::from), Some(weight::MAX_WEIGHT));
    }

    /// The most by which splitting a text can change its count: one weight, three roundings and the minimum of one
    /// token.
    const MAX_SPLIT_ERROR: u64 = weight::MAX_WEIGHT / TOKEN + 2;

    proptest! {
        #[test]
        fn a_text_weighs_as_much_as_its_pairs(text in prop::collection::vec(any::<u8>(), 0..40)) {
            let bytes = [b"\n", text.as_slice()].concat();
            let pairs = bytes.windows(2).map(|pair| weight::of([pair[0], pair[1]]));
            prop_assert_eq!(total_weight(&text), pairs.sum::<u64>());
        }

        #[test]
        fn a_longer_text_never_counts_less(a in "\\PC{0,60}|[ -~\n\t]{0,200}", b in "\\PC{0,60}|[ -~\n\t]{0,200}") {
            let both = format!("{a}{b}");
            prop_assert!(count(&both) >= count(&a));
        }

        #[test]
        fn the_counts_of_the_parts_add_up_to_nearly_the_whole(a in "\\PC{0,60}|[ -~\n\t]{0,200}", b in "\\PC{0,60}|[ -~\n\t]{0,200}") {
            let both = format!("{a}{b}");
            prop_assert!(count(&both).abs_diff(count(&a) + count(&b)) <= MAX_SPLIT_ERROR);
        }

        #[test]
        fn no_text_counts_more_than_two_tokens_a_byte(text in "\\PC{1,80}") {
            prop_assert!(count(&text) <= 2 * u64::try_from(text.len()).expect("short"));
        }
    }
}
