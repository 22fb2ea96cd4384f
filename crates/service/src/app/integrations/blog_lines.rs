//! What the owner pastes into a blog: the custom element that shows the reply of `/check`.

use crate::images::window::AddressKind;
use crate::router::routes::WIDGET;
use crate::status::window::reach::BlogForm;

/// The lines for the service at this address; `whole` ones hold the script itself, so that nothing
/// but the status is asked of an address that may change.
pub fn lines(address: &str, form: BlogForm, whole: bool) -> String {
    let address = address.trim_end_matches('/');
    let (start, source) = match form {
        BlogForm::Html => ("<script type=\"module\"", format!("{address}/widget.js")),
        // Otherwise Astro bundles the script.
        BlogForm::Astro => (
            "<script is:inline type=\"module\"",
            format!("{address}/widget.js"),
        ),
        BlogForm::Hexo => return hexo(&lines(address, BlogForm::Html, whole)),
        BlogForm::Vue => return vue(address, whole),
    };
    let script = match whole {
        true => format!("{start}>\n{WIDGET}</script>\n"),
        false => format!("{start} src=\"{}\"></script>\n", in_html(&source)),
    };
    format!("{script}{}\n", element(address))
}

/// A script in Hexo's folder `scripts`, with the HTML as a template literal of JavaScript.
fn hexo(html: &str) -> String {
    let text = html
        .replace('\\', "\\\\")
        .replace('`', "\\`")
        .replace("${", "\\${");
    format!("hexo.extend.injector.register(\"body_begin\", `\n{text}`);\n")
}

/// An entry of `head` in the configuration, and the element.
fn vue(address: &str, whole: bool) -> String {
    let (attributes, script) = match whole {
        true => (serde_json::json!({ "type": "module" }), Some(WIDGET)),
        false => {
            let source = format!("{address}/widget.js");
            (serde_json::json!({ "type": "module", "src": source }), None)
        }
    };
    let entry = match script {
        Some(script) => serde_json::json!(["script", attributes, script]),
        None => serde_json::json!(["script", attributes]),
    };
    format!("head: [{entry}],\n\n{}\n", element(address))
}

fn element(address: &str) -> String {
    format!("<porch-light src=\"{}\"></porch-light>", in_html(address))
}

/// As it is written between the quotes of an attribute.
fn in_html(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('"', "&quot;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}

/// Whether the lines for such an address hold the script itself, unless the owner chooses otherwise.
pub fn are_whole(kind: AddressKind) -> bool {
    kind != AddressKind::Permanent
}

#[cfg(test)]
mod tests {
    use super::*;

    const URL: &str = "https://light.example/";

    #[test]
    fn the_address_is_in_the_lines_of_each_form_without_a_slash_at_its_end() {
        for form in [BlogForm::Html, BlogForm::Astro, BlogForm::Vue] {
            let short = lines(URL, form, false);
            assert!(
                short.contains("\"https://light.example/widget.js\""),
                "{short}"
            );
            for lines in [short, lines(URL, form, true)] {
                let element = "<porch-light src=\"https://light.example\"></porch-light>\n";
                assert!(lines.ends_with(element), "{lines}");
            }
        }
        assert_eq!(
            lines(URL, BlogForm::Html, false),
            "<script type=\"module\" src=\"https://light.example/widget.js\"></script>\n\
             <porch-light src=\"https://light.example\"></porch-light>\n"
        );
    }

    #[test]
    fn the_lines_for_hexo_are_those_of_the_quick_start() {
        let page = include_str!("../../../../../docs/quickstart.md");
        let short = lines("https://light.alice.workers.dev", BlogForm::Hexo, false);
        assert!(page.contains(&format!("```js\n{short}```")), "{short}");
        // With the script's own templates closed to the outer one.
        let whole = lines(URL, BlogForm::Hexo, true);
        let (_, text) = whole.split_once('`').expect("the template");
        let (text, _) = text.rsplit_once('`').expect("its end");
        let bare = text
            .replace("\\\\", "")
            .replace("\\`", "")
            .replace("\\${", "");
        assert!(!bare.contains('`') && !bare.contains("${"));
    }

    #[test]
    fn whole_lines_hold_the_script_and_nothing_in_it_ends_it() {
        for form in [BlogForm::Html, BlogForm::Astro] {
            let whole = lines(URL, form, true);
            assert_eq!(whole.matches("</script").count(), 1);
            assert!(whole.contains(WIDGET) && !whole.contains("/widget.js"));
        }
        let whole = lines(URL, BlogForm::Vue, true);
        let (head, _) = whole.split_once("],\n\n").expect("the entry");
        let entry = head.strip_prefix("head: [").expect("the entry");
        let entry: serde_json::Value = serde_json::from_str(entry).expect("JSON");
        assert_eq!(entry[2].as_str(), Some(WIDGET));
    }

    #[test]
    fn no_address_leaves_its_attribute() {
        let hostile = "https://a.example/\"></script><script>alert(1)//&";
        let lines = lines(hostile, BlogForm::Html, false);
        assert_eq!(lines.matches("<script").count(), 1, "{lines}");
        assert_eq!(lines.matches('"').count(), 6, "{lines}");
    }
}
