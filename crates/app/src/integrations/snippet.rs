//! What the owner pastes into a blog: a few lines of HTML with a script that
//! shows what `/check` says.

/// The text, with a place for the address.
const SNIPPET: &str = include_str!("snippet.html");

/// Where the address goes: a string of the script.
const PLACE: &str = "\"{address}\"";

/// The snippet for the service at this address.
pub fn snippet(address: &str) -> String {
    SNIPPET.replace(PLACE, &quoted(address.trim_end_matches('/')))
}

/// A string for a script inside of HTML: nothing in it ends the string, or the
/// script.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text)
        .to_string()
        .replace('<', "\\u003c")
        .replace('>', "\\u003e")
        .replace('\u{2028}', "\\u2028")
        .replace('\u{2029}', "\\u2029")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_address_is_in_it_once_and_without_a_slash_at_its_end() {
        let snippet = snippet("https://light.example/");
        assert_eq!(snippet.matches("\"https://light.example\"").count(), 1);
        assert!(!snippet.contains(PLACE), "{snippet}");
    }

    #[test]
    fn no_address_leaves_its_string() {
        let hostile = "https://a.example/\"</script><script>alert(1)//\u{2028}\\";
        let snippet = snippet(hostile);
        assert_eq!(snippet.matches("</script>").count(), 1, "{snippet}");
        assert_eq!(snippet.matches("<script>").count(), 1, "{snippet}");
        let string = quoted(hostile);
        assert!(!string.contains(['<', '>', '\u{2028}']), "{string}");
        assert_eq!(
            serde_json::from_str::<String>(&string).expect("a string"),
            hostile
        );
    }
}
