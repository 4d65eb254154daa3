//! Keys and tokens of known forms: what they begin with, of which characters they consist, and how long they are.

use std::ops::Range;

use self::Alphabet::{Alphanumeric, Base64, Hex, Path, Upper, Word};

/// The characters of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Alphabet {
    Alphanumeric,
    Base64,
    Hex,
    /// The rest of a URL whose path is secret.
    Path,
    /// Upper case letters, digits and hyphens.
    Upper,
    /// Letters, digits, `_`, `-` and `.`.
    Word,
}

/// What a key begins with, its characters, and the fewest of them after the beginning, which is kept.
type Form = (&'static str, Alphabet, usize);

/// Fewer characters after the beginning are no key.
const MIN_KEY: usize = 12;
/// So many characters tell whether there is a key.
const MAX_EXAMINED: usize = 256;
/// Fewer letters are no key without a digit.
const MIN_LETTERS: usize = 16;

/// The forms in the order of their beginnings.
const FORMS: &[Form] = &[
    ("1//0", Word, 20),
    ("4b1d", Alphanumeric, 38),
    ("A3-", Upper, 26),
    ("AAAAAAAAAAAAAAAAAAAAA", Path, 20),
    ("ABIA", Upper, MIN_KEY),
    ("ABSK", Base64, 40),
    ("ACCA", Upper, MIN_KEY),
    ("AGE-SECRET-KEY-1", Upper, 20),
    ("AIza", Word, MIN_KEY),
    ("AKCp", Alphanumeric, 40),
    ("AKIA", Word, MIN_KEY),
    ("API-", Upper, 26),
    ("AQVN", Word, 30),
    ("ASIA", Word, MIN_KEY),
    ("ATATT3", Base64, 20),
    ("ATBB", Alphanumeric, 24),
    ("ATCTT3", Base64, 20),
    ("BBDC-", Base64, 20),
    ("CLOJARS_", Alphanumeric, 20),
    ("EAAA", Word, 40),
    ("EAAB", Alphanumeric, 40),
    ("EAAC", Alphanumeric, 40),
    ("EAAG", Alphanumeric, 40),
    ("EAAM", Alphanumeric, 40),
    ("EZAK", Alphanumeric, 40),
    ("EZTK", Alphanumeric, 40),
    ("FLWPUBK-", Word, MIN_KEY),
    ("FLWPUBK_TEST-", Word, MIN_KEY),
    ("FLWSECK-", Word, MIN_KEY),
    ("FLWSECK_TEST-", Word, MIN_KEY),
    ("GOCSPX-", Word, MIN_KEY),
    ("GR1348941", Word, MIN_KEY),
    ("HRKU-", Word, 20),
    ("LTAI", Alphanumeric, MIN_KEY),
    ("NRAK-", Upper, MIN_KEY),
    ("NRII-", Word, MIN_KEY),
    ("NRJS-", Word, MIN_KEY),
    ("NRRA-", Word, MIN_KEY),
    ("PMAK-", Word, MIN_KEY),
    ("PMAT-", Word, MIN_KEY),
    ("SG.", Word, MIN_KEY),
    ("SK", Hex, 32),
    ("ZXlK", Base64, 40),
    ("access-development-", Word, MIN_KEY),
    ("access-production-", Word, MIN_KEY),
    ("access-sandbox-", Word, MIN_KEY),
    ("amzn.mws.", Word, MIN_KEY),
    ("api_org_", Alphanumeric, 20),
    ("apify_api_", Alphanumeric, MIN_KEY),
    ("bedrock-api-key-", Base64, 20),
    ("bkua_", Alphanumeric, MIN_KEY),
    ("cmVmd", Alphanumeric, 40),
    ("dapi", Hex, 32),
    ("dckr_oat_", Word, MIN_KEY),
    ("dckr_pat_", Word, MIN_KEY),
    ("discord.com/api/webhooks/", Path, MIN_KEY),
    ("discordapp.com/api/webhooks/", Path, MIN_KEY),
    ("dnkey-", Word, MIN_KEY),
    ("doo_v1_", Word, MIN_KEY),
    ("dop_v1_", Word, MIN_KEY),
    ("dor_v1_", Word, MIN_KEY),
    ("dp.audit.", Word, MIN_KEY),
    ("dp.ct.", Word, MIN_KEY),
    ("dp.pt.", Word, MIN_KEY),
    ("dp.sa.", Word, MIN_KEY),
    ("dp.scim.", Word, MIN_KEY),
    ("dp.st.", Word, MIN_KEY),
    ("dt0c01.", Word, MIN_KEY),
    ("duffel_live_", Word, MIN_KEY),
    ("duffel_test_", Word, MIN_KEY),
    ("eyJ", Word, MIN_KEY),
    ("fc-", Hex, 32),
    ("figd_", Word, MIN_KEY),
    ("fio-u-", Word, 40),
    ("fm1a_", Base64, 40),
    ("fm1r_", Base64, 40),
    ("fm2_", Base64, 40),
    ("fo1_", Word, 40),
    ("gho_", Word, MIN_KEY),
    ("ghp_", Word, MIN_KEY),
    ("ghr_", Word, MIN_KEY),
    ("ghs_", Word, MIN_KEY),
    ("ghu_", Word, MIN_KEY),
    ("github_pat_", Word, MIN_KEY),
    ("glagent-", Word, MIN_KEY),
    ("glc_", Base64, 20),
    ("glcbt-", Word, MIN_KEY),
    ("gldt-", Word, MIN_KEY),
    ("glffct-", Word, MIN_KEY),
    ("glft-", Word, MIN_KEY),
    ("glimt-", Word, MIN_KEY),
    ("gloas-", Word, MIN_KEY),
    ("glpat-", Word, MIN_KEY),
    ("glptt-", Word, MIN_KEY),
    ("glrt-", Word, MIN_KEY),
    ("glsa_", Word, MIN_KEY),
    ("glsoat-", Word, MIN_KEY),
    ("gsk_", Word, MIN_KEY),
    ("hf_", Word, MIN_KEY),
    ("hooks.slack.com/services/", Path, MIN_KEY),
    ("hooks.slack.com/triggers/", Path, MIN_KEY),
    ("hooks.slack.com/workflows/", Path, MIN_KEY),
    ("hvb.", Word, 20),
    ("hvr.", Word, 20),
    ("hvs.", Word, 20),
    ("ico-", Alphanumeric, 32),
    ("key-", Hex, 32),
    ("lin_api_", Word, MIN_KEY),
    ("lin_oauth_", Word, MIN_KEY),
    ("live_", Alphanumeric, 31),
    ("lsv2_pt_", Word, MIN_KEY),
    ("lsv2_sk_", Word, MIN_KEY),
    ("nfp_", Alphanumeric, 30),
    ("npm_", Word, MIN_KEY),
    ("ntn_", Word, MIN_KEY),
    ("nvapi-", Word, 20),
    ("ops_", Base64, 40),
    ("oy2", Alphanumeric, 43),
    ("p8e-", Alphanumeric, 28),
    ("pat", Word, 70),
    ("pat.", Word, 60),
    ("phc_", Alphanumeric, 30),
    ("phx_", Alphanumeric, 30),
    ("pk.", Word, 60),
    ("pk_live_", Word, MIN_KEY),
    ("pk_test_", Word, MIN_KEY),
    ("pnu_", Alphanumeric, 30),
    ("pplx-", Alphanumeric, 20),
    ("pscale_oauth_", Word, 20),
    ("pscale_pw_", Word, 20),
    ("pscale_tkn_", Word, 20),
    ("pubkey-", Hex, 32),
    ("pul-", Hex, 40),
    ("pypi-", Word, MIN_KEY),
    ("r8_", Word, MIN_KEY),
    ("rdme_", Alphanumeric, 40),
    ("rk_live_", Word, MIN_KEY),
    ("rk_prod_", Word, MIN_KEY),
    ("rk_test_", Word, MIN_KEY),
    ("rnd_", Alphanumeric, 24),
    ("rpa_", Alphanumeric, 30),
    ("rubygems_", Hex, 40),
    ("rzp_live_", Word, MIN_KEY),
    ("rzp_test_", Word, MIN_KEY),
    ("s-s4t2af-", Hex, 40),
    ("s-s4t2ud-", Hex, 40),
    ("sat.", Word, 60),
    ("sb_secret_", Word, MIN_KEY),
    ("sbp_", Hex, 40),
    ("secret_", Alphanumeric, 40),
    ("sgp_", Word, 40),
    ("sha256~", Word, 20),
    ("shippo_live_", Hex, 20),
    ("shippo_test_", Hex, 20),
    ("shpat_", Hex, 20),
    ("shpca_", Hex, 20),
    ("shppa_", Hex, 20),
    ("shpss_", Hex, 20),
    ("shptka_", Hex, 20),
    ("sk-", Word, MIN_KEY),
    ("sk-ant-", Word, MIN_KEY),
    ("sk-lf-", Word, MIN_KEY),
    ("sk-or-v1-", Word, MIN_KEY),
    ("sk-proj-", Word, MIN_KEY),
    ("sk.", Word, 60),
    ("sk_live_", Word, MIN_KEY),
    ("sk_prod_", Word, MIN_KEY),
    ("sk_test_", Word, MIN_KEY),
    ("sl.", Base64, 60),
    ("sm_aat_", Alphanumeric, MIN_KEY),
    ("sm_pat_", Alphanumeric, MIN_KEY),
    ("sm_sat_", Alphanumeric, MIN_KEY),
    ("sntrys_", Base64, 20),
    ("sntryu_", Hex, 20),
    ("sq0atp-", Word, MIN_KEY),
    ("sq0csp-", Word, MIN_KEY),
    ("sq0idp-", Word, MIN_KEY),
    ("sqa_", Alphanumeric, 30),
    ("sqp_", Alphanumeric, 30),
    ("squ_", Alphanumeric, 30),
    ("t1.", Base64, 60),
    ("test_", Hex, 31),
    ("tfp_", Word, 40),
    ("tk-us-", Word, 40),
    ("tskey-", Word, MIN_KEY),
    ("tvly-", Word, MIN_KEY),
    ("v1.0-", Word, 60),
    ("webhook.office.com/webhookb2/", Path, 20),
    ("whsec_", Base64, MIN_KEY),
    ("xai-", Alphanumeric, 40),
    ("xapp-", Word, MIN_KEY),
    ("xkeysib-", Word, MIN_KEY),
    ("xoxa-", Word, MIN_KEY),
    ("xoxb-", Word, MIN_KEY),
    ("xoxc-", Word, MIN_KEY),
    ("xoxd-", Base64, MIN_KEY),
    ("xoxe-", Word, MIN_KEY),
    ("xoxe.xoxb-", Word, MIN_KEY),
    ("xoxe.xoxp-", Word, MIN_KEY),
    ("xoxo-", Word, MIN_KEY),
    ("xoxp-", Word, MIN_KEY),
    ("xoxr-", Word, MIN_KEY),
    ("xoxs-", Word, MIN_KEY),
    ("xsmtpsib-", Word, MIN_KEY),
    ("ya29.", Word, MIN_KEY),
];

impl Alphabet {
    fn contains(self, byte: u8) -> bool {
        match self {
            Hex => byte.is_ascii_hexdigit(),
            Alphanumeric => byte.is_ascii_alphanumeric(),
            Upper => byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'-',
            Word => byte.is_ascii_alphanumeric() || b"_-.".contains(&byte),
            Base64 => byte.is_ascii_alphanumeric() || b"_-.+/=".contains(&byte),
            Path => byte.is_ascii_alphanumeric() || b"_-./%@".contains(&byte),
        }
    }
}

/// The keys of known forms in a text, without their beginnings.
pub(super) fn tokens(text: &str) -> Vec<Range<usize>> {
    let (mut found, mut end) = (Vec::new(), 0);
    let starts = text.bytes().enumerate().filter(|(_, byte)| byte.is_ascii_alphanumeric()).map(|(at, _)| at);
    for at in starts {
        if at < end || !is_start(text.as_bytes(), at) {
            continue;
        }
        if let Some(key) = token_at(text, at) {
            end = key.end;
            found.push(key);
        }
    }
    found.extend(marked(text));
    found
}

/// Whether a key may begin here: no letter or digit is before it, unless that is the end of an escape sequence.
fn is_start(text: &[u8], at: usize) -> bool {
    let Some(before) = at.checked_sub(1).map(|before| text[before]) else { return true };
    let back = |count: usize| at.checked_sub(count).map_or(b' ', |at| text[at]);
    let is_sgr = || {
        let parameters = text[..at - 1].iter().rev().take_while(|byte| byte.is_ascii_digit() || **byte == b';').count();
        parameters < 12 && back(parameters + 2) == b'['
    };
    match before {
        b'n' | b't' | b'r' if back(2) == b'\\' => true,
        b'm' if is_sgr() => true,
        _ if before.is_ascii_hexdigit() && back(3) == b'%' => true,
        _ => !before.is_ascii_alphanumeric(),
    }
}

/// The key of a known form that begins here, without its beginning.
fn token_at(text: &str, at: usize) -> Option<Range<usize>> {
    let rest = text.get(at..)?;
    let first = rest.as_bytes().first()?;
    let from = FORMS.partition_point(|(prefix, ..)| prefix.as_bytes()[0] < *first);
    let same_start = FORMS.iter().skip(from).take_while(|(prefix, ..)| prefix.as_bytes()[0] == *first);
    let of = |(prefix, alphabet, least): &Form| {
        let key = rest.strip_prefix(prefix)?;
        let length = |most: usize| key.bytes().take(most).take_while(|byte| alphabet.contains(*byte)).count();
        let examined = length(MAX_EXAMINED);
        let is_key = examined >= *least && is_random(key.get(..examined)?, *alphabet);
        let length = if is_key { length(key.len()) } else { 0 };
        is_key.then_some(at + prefix.len()..at + prefix.len() + length)
    };
    // The longest beginning is the last.
    same_start.filter_map(of).last()
}

/// Whether the rest of a key has a digit, or many letters that are no words.
fn is_random(key: &str, alphabet: Alphabet) -> bool {
    let letters = || key.bytes().filter(u8::is_ascii_alphabetic).map(|byte| byte.is_ascii_uppercase());
    let changes = letters().zip(letters().skip(1)).filter(|(a, b)| a != b).count();
    key.bytes().any(|byte| byte.is_ascii_digit())
        || letters().count() >= MIN_LETTERS && changes * 20 >= letters().count() * 7
        || alphabet == Hex
        || key.len() >= MIN_LETTERS && key.bytes().all(|byte| byte.is_ascii_uppercase())
}

/// Keys with a mark in the middle: the mark, the kind and the number of characters before it, and how many are after it.
type Marked = (&'static str, fn(&u8) -> bool, std::ops::RangeInclusive<usize>, std::ops::RangeInclusive<usize>);

/// Secrets of applications in Azure, tokens of Terraform Cloud, and tokens of bots of Telegram.
const MARKED: &[Marked] = &[
    ("Q~", |byte| byte.is_ascii_alphanumeric() || b"_~.-".contains(byte), 4..=4, 31..=36),
    (".atlasv1.", u8::is_ascii_alphanumeric, 14..=14, 40..=80),
    (":AA", u8::is_ascii_digit, 6..=16, 30..=36),
];

/// The keys with a mark in the middle.
fn marked(text: &str) -> Vec<Range<usize>> {
    let bytes = text.as_bytes();
    let of = |(mark, is_part, before, after): &Marked, at: usize| {
        let length = |bytes: &mut dyn Iterator<Item = &u8>, most: usize, is_part: &dyn Fn(&u8) -> bool| {
            bytes.take(most).take_while(|byte| is_part(byte)).count()
        };
        let count = length(&mut bytes[..at].iter().rev(), *before.end(), is_part);
        let end = at + mark.len();
        let rest = length(&mut bytes[end..].iter(), *after.end(), &|byte| Word.contains(*byte) || *byte == b'~');
        (before.contains(&count) && after.contains(&rest)).then_some(at - count..end + rest)
    };
    let marks = MARKED.iter().flat_map(|marked| text.match_indices(marked.0).map(move |(at, _)| (marked, at)));
    marks.filter_map(|(marked, at)| of(marked, at)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_are_in_order() {
        assert!(FORMS.is_sorted_by(|a, b| a.0 < b.0));
    }
}
