//! Texts of kinds that single weights for letters, marks or scripts would count badly, compared with a published tokenizer.

use trimtab_base::conversation::Counter;

use super::TokenCounter;
use crate::model::tokenizer::Tokenizer;

/// The largest error of a text of any kind, in percent of its tokens. Texts of this length differ more than longer ones.
const MAX_ERROR: u64 = 35;

fn lines(line: &str) -> String {
    format!("{line}\n").repeat(12)
}

/// A line of a character above and below each of several headings.
fn headings(character: &str) -> String {
    let rule = character.repeat(76);
    let headings = ["Install the packages", "Run all the tests", "Write what has changed", "Summary of 3 failures"];
    headings.map(|heading| format!("{rule}\n{heading}\n{rule}\n\n")).concat()
}

/// The kinds, each with a text.
fn kinds() -> Vec<(&'static str, String)> {
    let own = |text: &str| text.to_owned();
    vec![
        ("rules of hyphens", headings("-")),
        ("rules of equals signs", headings("=")),
        ("rules of box drawing", headings("─")),
        ("rules of double lines", headings("═")),
        ("hyphens only", "-".repeat(4000)),
        ("spaces only", " ".repeat(4000)),
        ("a letter only", "x".repeat(400)),
        (
            "a table with box drawing",
            own("┌──────────────┬────────┬─────────┐\n\
                 │ file         │  lines │ covered │\n\
                 ├──────────────┼────────┼─────────┤\n\
                 │ src/main.rs  │    120 │   87.5% │\n\
                 │ src/parse.rs │  1,310 │   92.1% │\n\
                 └──────────────┴────────┴─────────┘\n"),
        ),
        (
            "a tree of files",
            own(
                ".\n├── Cargo.toml\n├── src\n│   ├── main.rs\n│   ├── parse\n│   │   ├── lexer.rs\n│   │   └── tree.rs\n│   └── lib.rs\n\
                 └── tests\n    └── parse.rs\n",
            ),
        ),
        (
            "a table in ASCII",
            own(
                "| file         |  lines | covered |\n|--------------|-------:|--------:|\n| src/main.rs  |    120 |   87.5% |\n\
                 | src/parse.rs |  1,310 |   92.1% |\n",
            ),
        ),
        (
            "capitals",
            own(
                "DO NOT CHANGE THE FILES IN THIS FOLDER. THEY ARE WRITTEN BY A SCRIPT, AND EVERY CHANGE IS LOST WHEN IT RUNS \
                 AGAIN. ASK THE OWNERS OF THE SERVICE BEFORE YOU RESTART THE DATABASE.",
            ),
        ),
        (
            "constants",
            own(
                "MAX_RETRY_COUNT=5\nDEFAULT_TIMEOUT_SECONDS=30\nCACHE_DIRECTORY=/var/cache\nLOG_LEVEL=DEBUG\nHTTP_PROXY_HOST=localhost\n",
            ),
        ),
        (
            "SQL",
            own(
                "SELECT customer_id, COUNT(*) AS orders FROM sales WHERE status = 'PAID' GROUP BY customer_id HAVING COUNT(*) > 3 \
                 ORDER BY orders DESC LIMIT 20;",
            ),
        ),
        ("deep indentation", lines("                                return self.parse(token)")),
        (
            "nested JSON",
            own(
                "{\n    \"server\": {\n        \"routes\": [\n            {\n                \"path\": \"/items\",\n                \"methods\": [\n\
                 \x20                   \"GET\",\n                    \"POST\"\n                ]\n            }\n        ]\n    }\n}\n",
            ),
        ),
        (
            "Hebrew",
            own(
                "הקובץ גדול מדי, ולכן נקראות רק מאה השורות הראשונות. לאחר מכן מריצים את הבדיקות ומוודאים שהתוצאה נכונה. אם משהו נכשל, \
                 יש לתקן את הקוד ולנסות שוב.",
            ),
        ),
        (
            "Arabic",
            own("الملف كبير جدا، لذلك تتم قراءة أول مئة سطر فقط. بعد ذلك يتم تشغيل الاختبارات والتأكد من صحة النتيجة."),
        ),
        (
            "Chinese",
            own(
                "我们今天去公园散步，天气很好。这个工具的结果太长了，所以只保留最后几条。请先运行测试，然后检查输出是否正确。",
            ),
        ),
        (
            "Korean",
            own("파일이 너무 커서 처음 백 줄만 읽습니다. 그런 다음 테스트를 실행하고 결과가 올바른지 확인하세요."),
        ),
        (
            "Greek",
            own(
                "Το αρχείο είναι πολύ μεγάλο, γι' αυτό διαβάζονται μόνο οι πρώτες εκατό γραμμές και μετά εκτελούνται οι δοκιμές.",
            ),
        ),
    ]
}

#[test]
fn every_kind_of_text_is_counted_roughly_as_by_a_tokenizer() {
    let errors: Vec<_> = kinds()
        .into_iter()
        .filter_map(|(kind, text)| {
            let (counted, exact) = (TokenCounter::default().text(&text), Tokenizer::O200k.count(&text));
            (counted.abs_diff(exact) * 100 > exact * MAX_ERROR).then(|| format!("{kind}: {counted} for {exact}"))
        })
        .collect();
    assert!(errors.is_empty(), "{errors:#?}");
}
