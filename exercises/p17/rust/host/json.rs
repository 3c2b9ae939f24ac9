//! JSON, as far as the protocol has it: its numbers are integers.

use std::fmt::Write;

#[derive(Clone)]
pub enum Json {
    Null,
    Bool(bool),
    Int(i64),
    Text(String),
    List(Vec<Json>),
    Map(Vec<(String, Json)>),
}

impl Json {
    pub fn text(text: impl Into<String>) -> Json {
        Json::Text(text.into())
    }

    pub fn map<const N: usize>(fields: [(&str, Json); N]) -> Json {
        Json::Map(fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
    }

    /// A value of the protocol that is told by its tag, `{"$": tag, …}`.
    pub fn tagged<const N: usize>(tag: &str, fields: [(&str, Json); N]) -> Json {
        let mut value = Json::map([("$", Json::text(tag))]);
        fields.into_iter().for_each(|(name, field)| value.put(name, field));
        value
    }

    /// Add a field to a map.
    pub fn put(&mut self, name: &str, value: Json) {
        if let Json::Map(fields) = self {
            fields.push((name.to_owned(), value));
        }
    }

    /// A field of a map; null where there is none.
    pub fn get(&self, name: &str) -> &Json {
        let found = self.fields().iter().find(|(key, _)| key == name);
        found.map_or(&Json::Null, |(_, value)| value)
    }

    pub fn fields(&self) -> &[(String, Json)] {
        match self {
            Json::Map(fields) => fields,
            _ => &[],
        }
    }

    pub fn items(&self) -> &[Json] {
        match self {
            Json::List(items) => items,
            _ => &[],
        }
    }

    pub fn as_str(&self) -> &str {
        match self {
            Json::Text(text) => text,
            _ => "",
        }
    }

    pub fn as_size(&self) -> Option<usize> {
        match self {
            Json::Int(number) => usize::try_from(*number).ok(),
            _ => None,
        }
    }

    /// What a text says; None where it is no JSON.
    pub fn read(text: &[u8]) -> Option<Json> {
        let mut reader = Reader { rest: text };
        let value = reader.value()?;
        reader.skip_blanks();
        reader.rest.is_empty().then_some(value)
    }

    /// Write it to the end of a text, in ASCII.
    pub fn write(&self, out: &mut String) {
        match self {
            Json::Null => out.push_str("null"),
            Json::Bool(value) => out.push_str(if *value { "true" } else { "false" }),
            Json::Int(number) => write!(out, "{}", number).unwrap(),
            Json::Text(text) => write_text(text, out),
            Json::List(items) => write_all(items, ['[', ']'], out, Json::write),
            Json::Map(fields) => write_all(fields, ['{', '}'], out, |(name, value), out| {
                write_text(name, out);
                out.push(':');
                value.write(out);
            }),
        }
    }
}

fn write_all<T>(items: &[T], ends: [char; 2], out: &mut String, write: fn(&T, &mut String)) {
    out.push(ends[0]);
    for (number, item) in items.iter().enumerate() {
        if number > 0 {
            out.push(',');
        }
        write(item, out);
    }
    out.push(ends[1]);
}

fn write_text(text: &str, out: &mut String) {
    out.push('"');
    for unit in text.encode_utf16() {
        match u8::try_from(unit) {
            Ok(b'"' | b'\\') => out.extend(['\\', char::from(unit as u8)]),
            Ok(b' '..=b'~') => out.push(char::from(unit as u8)),
            _ => write!(out, "\\u{:04x}", unit).unwrap(),
        }
    }
    out.push('"');
}

struct Reader<'a> {
    rest: &'a [u8],
}

impl Reader<'_> {
    fn value(&mut self) -> Option<Json> {
        match self.peek()? {
            b'"' => self.text().map(Json::Text),
            b'[' => self.list([b'[', b']'], Reader::value).map(Json::List),
            b'{' => self.list([b'{', b'}'], Reader::field).map(Json::Map),
            b'n' => self.word("null", Json::Null),
            b't' => self.word("true", Json::Bool(true)),
            b'f' => self.word("false", Json::Bool(false)),
            _ => self.int().map(Json::Int),
        }
    }

    fn skip_blanks(&mut self) {
        while let [b' ' | b'\t' | b'\r' | b'\n', rest @ ..] = self.rest {
            self.rest = rest;
        }
    }

    /// What comes next, blanks aside.
    fn peek(&mut self) -> Option<u8> {
        self.skip_blanks();
        self.rest.first().copied()
    }

    fn take(&mut self, wanted: u8) -> Option<()> {
        (self.peek()? == wanted).then(|| self.rest = &self.rest[1..])
    }

    fn word(&mut self, word: &str, value: Json) -> Option<Json> {
        self.rest = self.rest.strip_prefix(word.as_bytes())?;
        Some(value)
    }

    fn int(&mut self) -> Option<i64> {
        let is_part = |byte: &u8| byte.is_ascii_digit() || *byte == b'-';
        let len = self.rest.iter().take_while(|byte| is_part(byte)).count();
        let (digits, rest) = self.rest.split_at(len);
        self.rest = rest;
        std::str::from_utf8(digits).ok()?.parse().ok()
    }

    fn list<T>(&mut self, ends: [u8; 2], item: fn(&mut Self) -> Option<T>) -> Option<Vec<T>> {
        let mut items = Vec::new();
        self.take(ends[0])?;
        while self.peek()? != ends[1] {
            if !items.is_empty() {
                self.take(b',')?;
            }
            items.push(item(self)?);
        }
        self.take(ends[1])?;
        Some(items)
    }

    fn field(&mut self) -> Option<(String, Json)> {
        self.peek()?;
        let name = self.text()?;
        self.take(b':')?;
        Some((name, self.value()?))
    }

    /// Escapes are of UTF-16, and may be half a character, which is none of Rust's.
    fn text(&mut self) -> Option<String> {
        self.take(b'"')?;
        let mut units = Vec::new();
        loop {
            let len = self.rest.iter().position(|byte| matches!(byte, b'"' | b'\\'))?;
            let (plain, rest) = self.rest.split_at(len);
            units.extend(std::str::from_utf8(plain).ok()?.encode_utf16());
            self.rest = &rest[1..];
            if rest[0] == b'"' {
                return Some(String::from_utf16_lossy(&units));
            }
            units.push(self.escape()?);
        }
    }

    fn escape(&mut self) -> Option<u16> {
        let (&byte, rest) = self.rest.split_first()?;
        self.rest = rest;
        Some(match byte {
            b'n' => 10,
            b't' => 9,
            b'r' => 13,
            b'b' => 8,
            b'f' => 12,
            b'u' => {
                let digits = std::str::from_utf8(self.rest.get(..4)?).ok()?;
                self.rest = &self.rest[4..];
                u16::from_str_radix(digits, 16).ok()?
            }
            other => other.into(),
        })
    }
}
