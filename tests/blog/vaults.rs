//! A vault of Obsidian and a folder of Typora, as these programs write them. Neither builds anything.

use crate::{Fixture, without_hashes};

#[tokio::test]
async fn a_vault_of_obsidian_keeps_its_notes_and_shows_its_pictures() {
    let fixture = Fixture::new();
    fixture.put(
        ".obsidian/app.json",
        "{\"attachmentFolderPath\": \"attachments\"}",
    );
    for picture in [
        "attachments/Pasted image 20260131081500.png",
        "attachments/2026/map.png",
        "daily/map.png",
        "attachments/截图.png",
        "attachments/diagram.svg.png",
    ] {
        fixture.picture(picture);
    }
    fixture.put("notes/Other note.md", "# Other\n");
    let note = "---\ntags: [trip]\ncssclasses:\n  - wide\nbanner: \"[[map.png]]\"\n---\n\
                ![[Pasted image 20260131081500.png]]\n\
                ![[Pasted image 20260131081500.png|300]]\n\
                ![[2026/map.png|a map]] ![[attachments/2026/map.png|640x480]]\n\
                > [!note] Callout\n> ![[截图.png]]\n\n\
                | a |\n|---|\n| ![[map.png\\|100]] |\n\n\
                ![text|200](attachments/Pasted%20image%2020260131081500.png)\n\
                [[Other note]] ![[Other note]] ![[Other note#Other]] [[map.png]] ![[gone.png]]\n\
                ```dataview\nlist from \"![[map.png]]\"\n```\n`![[map.png]]` ^block\n";
    fixture.put("daily/2026-01-31.md", note);
    let adopted = fixture.adopt(&[]).await;
    assert_eq!(adopted["uploaded"], 4, "{adopted}");
    let expected = note
        .replace("![[Pasted image 20260131081500.png]]", "![](URL)")
        .replace("![[Pasted image 20260131081500.png|300]]", "![|300](URL)")
        .replace("![[2026/map.png|a map]]", "![a map](URL)")
        .replace("![[attachments/2026/map.png|640x480]]", "![|640x480](URL)")
        .replace("![[截图.png]]", "![](URL)")
        .replace("![[map.png\\|100]]", "![\\|100](URL)")
        .replace("attachments/Pasted%20image%2020260131081500.png", "URL");
    assert_eq!(
        without_hashes(&fixture.read("daily/2026-01-31.md")),
        expected
    );
    let (code, _) = fixture.json(&["undo"]).await;
    assert_eq!(
        (code, fixture.read("daily/2026-01-31.md").as_str()),
        (0, note)
    );
}

#[tokio::test]
async fn a_folder_of_typora_with_assets_is_adopted() {
    let fixture = Fixture::new();
    for picture in [
        "A trip.assets/image-20260131.png",
        "A trip.assets/two words.png",
        "plain.assets/a.png",
    ] {
        fixture.picture(picture);
    }
    let trip = "# A trip\r\n\r\n![image-20260131](A%20trip.assets/image-20260131.png)\r\n\r\n\
                ![two words](A trip.assets/two words.png)\r\n\r\n\
                ![two words](<A trip.assets/two words.png>)\r\n\r\n\
                <img src=\"A trip.assets/two words.png\" alt=\"two words\" style=\"zoom:50%;\" />\r\n\r\n\
                ![plain](.\\plain.assets\\a.png)\r\n";
    fixture.put("A trip.md", trip);
    let adopted = fixture.adopt(&[]).await;
    assert_eq!(adopted["uploaded"], 3, "{adopted}");
    let expected = trip
        .replace("A%20trip.assets/image-20260131.png", "URL")
        .replace("<A trip.assets/two words.png>", "<URL>")
        .replace("src=\"A trip.assets/two words.png\"", "src=\"URL\"")
        .replace(".\\plain.assets\\a.png", "URL");
    assert_eq!(without_hashes(&fixture.read("A trip.md")), expected);
}
