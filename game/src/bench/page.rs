//! In: texts and numbers. Out: pieces of a page.
//! Never knows: what they say.

use super::plots::short;

/// A table; cells are HTML already.
pub fn table(header: &[&str], rows: impl IntoIterator<Item = Vec<String>>) -> String {
    let header: String = header.iter().map(|name| format!("<th>{name}</th>")).collect();
    let row = |cells: Vec<String>| format!("<tr>{}</tr>", cells.iter().map(|cell| format!("<td>{cell}</td>")).collect::<String>());
    let rows: String = rows.into_iter().map(row).collect();
    format!("<table><thead><tr>{header}</tr></thead><tbody>{rows}</tbody></table>")
}

/// A picture with what it shows.
pub fn figure(told: &str, svg: &str) -> String {
    format!("<div class=\"card\"><figure><figcaption>{told}</figcaption>{svg}</figure></div>")
}

/// A row of a table of two columns.
pub fn cell(name: &str, value: &str) -> String {
    format!("<tr><td>{}</td><td>{}</td></tr>", escaped(name), escaped(value))
}

/// "p50 / p99".
pub fn pair(p50: f64, p99: f64) -> String {
    format!("{} / {}", short(p50), short(p99))
}

/// Bytes in MiB, or in GiB where these are many.
pub fn mib(bytes: u64) -> String {
    if bytes >= 8 << 30 {
        return format!("{} GiB", short(bytes as f64 / f64::from(1 << 30)));
    }
    format!("{} MiB", short(bytes as f64 / f64::from(1 << 20)))
}

/// Text as HTML has it.
pub fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_cannot_become_markup() {
        assert_eq!(escaped("<a href=\"x\">&"), "&lt;a href=&quot;x&quot;&gt;&amp;");
        assert_eq!(table(&["a"], [vec!["1".to_owned()]]), "<table><thead><tr><th>a</th></tr></thead><tbody><tr><td>1</td></tr></tbody></table>");
        assert_eq!((mib(3 << 20), mib(24 << 30)), ("3 MiB".to_owned(), "24 GiB".to_owned()));
    }
}
