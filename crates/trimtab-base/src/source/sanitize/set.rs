//! The unsafe characters (UAX #44: `Cc`, `Zl`, `Zp`, `Bidi_Control`, `Default_Ignorable_Code_Point`, noncharacters).

/// Why a character is unsafe.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// It moves the cursor, starts an escape sequence, or ends a line.
    Control,
    /// It reverses the direction of text.
    Bidirectional,
    /// It is not displayed.
    Invisible,
    /// It joins or separates the characters around it, and is not displayed itself.
    Joiner,
    /// It chooses a variant of the character before it.
    Selector,
}

impl Kind {
    /// What such characters are called.
    pub const fn noun(self) -> &'static str {
        match self {
            Self::Control => "control character",
            Self::Bidirectional => "bidirectional control character",
            Self::Invisible | Self::Joiner | Self::Selector => "invisible character",
        }
    }
}

/// Returns why a character is unsafe, or `None` if it is not. Joiners and selectors are safe in some places.
pub const fn kind(char: char) -> Option<Kind> {
    Some(match char {
        ' '..='~' => return None,
        '\0'..='\u{1f}' | '\u{7f}'..='\u{9f}' | '\u{2028}' | '\u{2029}' => Kind::Control,
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => Kind::Bidirectional,
        '\u{200c}' | '\u{200d}' => Kind::Joiner,
        '\u{180b}'..='\u{180d}' | '\u{180f}' | '\u{fe00}'..='\u{fe0f}' | '\u{e0100}'..='\u{e01ef}' => Kind::Selector,
        '\u{ad}'
        | '\u{34f}'
        | '\u{115f}'
        | '\u{1160}'
        | '\u{17b4}'
        | '\u{17b5}'
        | '\u{180e}'
        | '\u{200b}'
        | '\u{2060}'..='\u{2065}'
        | '\u{206a}'..='\u{206f}'
        | '\u{3164}'
        | '\u{feff}'
        | '\u{ffa0}'
        | '\u{fff0}'..='\u{fffb}'
        | '\u{1bca0}'..='\u{1bca3}'
        | '\u{1d173}'..='\u{1d17a}'
        | '\u{fdd0}'..='\u{fdef}'
        | '\u{e0000}'..='\u{e0fff}' => Kind::Invisible,
        char if (char as u32) & 0xfffe == 0xfffe => Kind::Invisible,
        _ => return None,
    })
}

/// Whether a character is an emoji, or a modifier or selector that ends one.
pub(super) const fn is_emoji(char: char) -> bool {
    matches!(char, '\u{2190}'..='\u{2bff}' | '\u{1f000}'..='\u{1faff}' | '\u{fe0f}' | '©' | '®')
}

/// Whether a character is of a script whose spelling needs joiners: Arabic to Thaana, Indic scripts, Tibetan to Mongolian.
pub(super) const fn is_joining_script(char: char) -> bool {
    matches!(
        char,
        '\u{620}'..='\u{8ff}' | '\u{900}'..='\u{dff}' | '\u{f00}'..='\u{109f}' | '\u{1780}'..='\u{17b3}'
        | '\u{17b6}'..='\u{17ff}' | '\u{1820}'..='\u{18af}' | '\u{a840}'..='\u{a8ff}' | '\u{fb50}'..='\u{fdcf}'
        | '\u{fe70}'..='\u{fefc}' | '\u{11000}'..='\u{11fff}'
    )
}

/// Whether a variation selector may follow a character.
pub(super) const fn takes_selector(base: char, selector: char) -> bool {
    match selector {
        '\u{180b}'..='\u{180f}' => matches!(base, '\u{1820}'..='\u{18af}'),
        '\u{e0100}'.. => matches!(base, '\u{2e80}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}'),
        _ => {
            matches!(base, '0'..='9' | '#' | '*' | '©' | '®') || (matches!(base, '\u{1000}'..) && kind(base).is_none())
        }
    }
}
