//! ZIP archives, member by member, so that only one of them is in memory at a time.
//!
//! An archive without its directory, as an interrupted writer leaves it, is read from its beginning up to the first broken
//! member.

use std::io::{Cursor, Read};
use std::path::Path;

use zip::read::ZipFile;
use zip::{CompressionMethod, ZipArchive, read};

use super::{limit, zstd};

/// The key of a line with the name of a member.
pub(super) const MEMBER: &str = "zip_member";

/// The skipped kind of members that do not fit into the limit of what an archive may unpack to.
pub(super) const TOO_LARGE: &str = "archive member beyond the limit of unpacked bytes";

/// The skipped kind of members that cannot be unpacked.
pub(super) const BROKEN: &str = "broken archive member";

/// The signature of the header that precedes the content of a member.
const LOCAL_HEADER: &[u8] = b"PK\x03\x04";

/// Returns whether a file begins like a ZIP archive.
pub(super) fn is_archive(bytes: &[u8]) -> bool {
    bytes.starts_with(LOCAL_HEADER) || bytes.starts_with(b"PK\x05\x06")
}

/// An archive.
pub(super) struct Archive<'a> {
    bytes: &'a [u8],
    directory: Option<ZipArchive<Cursor<&'a [u8]>>>,
    /// The members in order.
    pub(super) members: Vec<Member>,
    /// The bytes that further members may have.
    budget: u64,
}

/// A member of an archive.
#[derive(Clone, Debug)]
pub(super) struct Member {
    pub(super) name: String,
    place: MemberPosition,
}

#[derive(Clone, Copy, Debug)]
enum MemberPosition {
    /// A position in the directory.
    Entry(usize),
    /// The offset of its header.
    Offset(usize),
}

impl<'a> Archive<'a> {
    /// Finds the members of an archive. Returns `None` when there is none.
    pub(super) fn open(bytes: &'a [u8]) -> Option<Self> {
        if !is_archive(bytes) {
            return None;
        }
        let mut directory = ZipArchive::new(Cursor::new(bytes)).ok();
        let members: Vec<Member> = match &mut directory {
            Some(zip) => (0..zip.len())
                .map(|index| Member { name: name_at(zip, index), place: MemberPosition::Entry(index) })
                .collect(),
            None => local_members(bytes),
        };
        let budget = limit::unpacked(bytes.len());
        (!members.is_empty()).then_some(Self { bytes, directory, members, budget })
    }

    /// The names of the members as JSON lines, by which formats recognise an archive.
    pub(super) fn listing(&self) -> String {
        let line = |member: &Member| format!("{}\n", serde_json::json!({ MEMBER: member.name }));
        self.members.iter().map(line).collect()
    }

    /// Unpacks a member.
    ///
    /// # Errors
    ///
    /// The skipped kind, if it is not JSON, is broken, or does not fit into what the archive may unpack to.
    pub(super) fn unpack(&mut self, member: &Member) -> Result<Vec<u8>, &'static str> {
        if !Path::new(&member.name).extension().is_some_and(|end| end.eq_ignore_ascii_case("json")) {
            return Err("archive member that is not JSON");
        }
        let content = match (member.place, &mut self.directory) {
            (MemberPosition::Entry(index), Some(zip)) => entry_content(zip, index, self.budget),
            (MemberPosition::Offset(offset), _) => {
                local_content(self.bytes.get(offset..).unwrap_or_default(), self.budget)
            }
            (MemberPosition::Entry(_), None) => None,
        };
        let content = content.ok_or(BROKEN)?;
        let left = self.budget.checked_sub(content.len() as u64);
        self.budget = left.unwrap_or_default();
        left.map(|_| content).ok_or(TOO_LARGE)
    }
}

/// The name of a member; empty if it cannot be read.
fn name_at(zip: &mut ZipArchive<Cursor<&[u8]>>, index: usize) -> String {
    let name = |file: &ZipFile<'_, _>| file.name().map(|name| name.to_string()).unwrap_or_default();
    zip.by_index_raw(index).map_or_else(|_| String::new(), |file| name(&file))
}

/// Returns the content of a member in the directory, up to one byte more than a limit, or `None` if it is damaged.
fn entry_content(zip: &mut ZipArchive<Cursor<&[u8]>>, index: usize, limit: u64) -> Option<Vec<u8>> {
    let mut raw = zip.by_index_raw(index).ok()?;
    if raw.compression() != CompressionMethod::ZSTD || raw.encrypted() {
        drop(raw);
        return read_up_to(zip.by_index(index).ok()?, limit);
    }
    let (mut packed, checksum) = (Vec::new(), raw.crc32());
    raw.read_to_end(&mut packed).ok()?;
    let content = zstd::decode(&packed, limit)?;
    let is_whole = content.len() as u64 <= limit;
    (!is_whole || crc32fast::hash(&content) == checksum).then_some(content)
}

fn read_up_to(mut source: impl Read, limit: u64) -> Option<Vec<u8>> {
    let mut content = Vec::new();
    source.by_ref().take(limit.saturating_add(1)).read_to_end(&mut content).ok()?;
    Some(content)
}

/// The header before the content of a member.
struct LocalHeader<'a> {
    method: u16,
    name: &'a [u8],
    /// The content, as far as the archive goes.
    packed: &'a [u8],
    /// The bytes from the header to the next one.
    length: usize,
}

impl<'a> LocalHeader<'a> {
    fn at(bytes: &'a [u8]) -> Option<Self> {
        const LENGTH: usize = 30;
        let head = bytes.get(..LENGTH).filter(|head| head.starts_with(LOCAL_HEADER))?;
        let short = |at: usize| Some(u16::from_le_bytes(*head.get(at..)?.first_chunk()?));
        let size = u32::from_le_bytes(*head.get(18..)?.first_chunk()?);
        let (flags, name, extra) = (short(6)?, usize::from(short(26)?), usize::from(short(28)?));
        // The size follows the content, or is in a further field.
        if flags & 8 != 0 || size == u32::MAX {
            return None;
        }
        let start = LENGTH + name + extra;
        let length = start.checked_add(usize::try_from(size).ok()?)?;
        let packed = bytes.get(start..length.min(bytes.len()))?;
        Some(Self { method: short(8)?, name: bytes.get(LENGTH..LENGTH + name)?, packed, length })
    }
}

/// The members up to the first one without a whole header.
fn local_members(bytes: &[u8]) -> Vec<Member> {
    let (mut members, mut offset) = (Vec::new(), 0_usize);
    while let Some(header) = bytes.get(offset..).and_then(LocalHeader::at) {
        let name = String::from_utf8_lossy(header.name).into_owned();
        members.push(Member { name, place: MemberPosition::Offset(offset) });
        offset = offset.saturating_add(header.length);
    }
    members
}

/// Returns the content of the member whose header is at the beginning, up to one byte more than a limit, or `None` if
/// it is damaged.
fn local_content(bytes: &[u8], limit: u64) -> Option<Vec<u8>> {
    const ZSTD: u16 = 93;
    let header = LocalHeader::at(bytes)?;
    if header.method == ZSTD {
        let is_cut = header.length > bytes.len();
        return if is_cut { None } else { zstd::decode(header.packed, limit) };
    }
    read_up_to(read::read_zipfile_from_stream(&mut Cursor::new(bytes)).ok()??, limit)
}

#[cfg(test)]
pub(super) mod tests {
    use std::io::Write;

    use zip::ZipWriter;
    use zip::write::SimpleFileOptions;

    use super::*;

    /// An archive with these members.
    pub(in crate::transcript) fn archive(method: CompressionMethod, members: &[(&str, &str)]) -> Vec<u8> {
        let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
        for (name, content) in members {
            writer.start_file(*name, SimpleFileOptions::default().compression_method(method)).expect("starts");
            writer.write_all(content.as_bytes()).expect("a written member");
        }
        writer.finish().expect("finishes").into_inner()
    }

    const METHODS: [CompressionMethod; 3] =
        [CompressionMethod::Stored, CompressionMethod::Deflated, CompressionMethod::Zstd];

    /// The members with their contents, or why they have none.
    fn unpacked(archive: &mut Archive<'_>) -> Vec<(String, Result<String, &'static str>)> {
        let members = archive.members.clone();
        let content =
            |member: &Member| archive.unpack(member).map(|content| String::from_utf8(content).expect("UTF-8"));
        let contents: Vec<_> = members.iter().map(content).collect();
        members.into_iter().map(|member| member.name).zip(contents).collect()
    }

    fn open(bytes: &[u8]) -> Archive<'_> {
        Archive::open(bytes).expect("an archive")
    }

    #[test]
    fn json_members_are_unpacked_and_the_others_are_named() {
        for method in METHODS {
            let content = "[1,".repeat(100_000) + "7]";
            let bytes = archive(method, &[("a.json", &content), ("b/\"c\".png", "PNG")]);
            let expected = [
                ("a.json".to_owned(), Ok(content)),
                ("b/\"c\".png".to_owned(), Err("archive member that is not JSON")),
            ];
            assert_eq!(unpacked(&mut open(&bytes)), expected);
        }
    }

    #[test]
    fn members_beyond_the_limit_are_not_unpacked() {
        for method in METHODS {
            let bytes = archive(method, &[("a.json", "[1]"), ("b.json", "[2,3,4]"), ("c.json", "5")]);
            let mut archive = Archive { budget: 6, ..open(&bytes) };
            let kinds: Vec<_> = unpacked(&mut archive).into_iter().map(|(_, content)| content.err()).collect();
            assert_eq!(kinds, [None, Some(TOO_LARGE), Some(TOO_LARGE)]);
        }
    }

    #[test]
    fn a_small_archive_unpacks_to_little() {
        let zeros = " ".repeat(64 << 20);
        for method in &METHODS[1..] {
            let bytes = archive(*method, &[("a.json", &zeros)]);
            assert!(bytes.len() < 100_000);
            assert_eq!(
                open(&bytes).unpack(&Member { name: "a.json".to_owned(), place: MemberPosition::Entry(0) }),
                Err(TOO_LARGE)
            );
        }
    }

    #[test]
    fn an_archive_without_its_directory_is_read_up_to_the_first_broken_member() {
        for method in METHODS {
            let bytes = archive(method, &[("a.json", "[1]"), ("b.json", "[2,3,4,5,6]")]);
            let second = memchr::memmem::rfind(&bytes[..bytes.len() / 2], b"b.json").expect("its name");
            let found = unpacked(&mut open(&bytes[..second + 9]));
            assert_eq!(found, [("a.json".to_owned(), Ok("[1]".to_owned())), ("b.json".to_owned(), Err(BROKEN))]);
        }
        assert!(Archive::open(b"PK\x03\x04rest").is_none());
    }

    #[test]
    fn a_changed_byte_breaks_a_member_of_any_method() {
        for method in METHODS {
            let content = (0..2_000).map(|number| format!("[{number}]")).collect::<String>();
            let mut bytes = archive(method, &[("a.json", &content)]);
            let middle = bytes.len() / 3;
            bytes[middle] ^= 0x55;
            assert_eq!(unpacked(&mut open(&bytes)), [("a.json".to_owned(), Err(BROKEN))], "{method}");
        }
    }
}
