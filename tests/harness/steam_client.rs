//! A Steam client's folder and the process it keeps beside a running game,
//! both in the shapes that the real one gives them.

use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use tempfile::TempDir;

/// The account that signed in last.
const STEAM_ID: &str = "76561197960287930";
/// The same without what all SteamIDs of persons have in common.
const ACCOUNT: &str = "22202";

/// The folder; it goes with this.
pub struct SteamClient(TempDir);

/// A running game. Dropping it ends it.
pub struct Game(Child);

impl SteamClient {
    /// A client with Portal 2 (played for 12 hours and 34 minutes) in its own
    /// library, Half-Life in a second one, and a third one on a drive that is
    /// not there.
    pub fn installed() -> Self {
        let client = Self(tempfile::tempdir().expect("a folder"));
        let folder = client.folder();
        let (second, gone) = (folder.join("other-drive"), folder.join("unplugged"));
        client.write(
            "steamapps/libraryfolders.vdf",
            &format!(
                r#""libraryfolders"
{{
	"0"
	{{
		"path"		"{}"
		"label"		""
		"contentid"		"4811324018123456789"
		"totalsize"		"0"
		"apps"
		{{
			"620"		"13023113203"
		}}
	}}
	"1"
	{{
		"path"		"{}"
	}}
	"2"
	{{
		"path"		"{}"
	}}
}}
"#,
                folder.display(),
                gone.display(),
                second.display()
            ),
        );
        client.manifest("steamapps", 620, "Portal 2");
        client.manifest("other-drive/steamapps", 70, "Half-Life");
        client.write(
            "config/loginusers.vdf",
            &format!(
                r#""users"
{{
	"76561197960265729"
	{{
		"AccountName"		"brother"
		"MostRecent"		"0"
		"Timestamp"		"1760000000"
	}}
	"{STEAM_ID}"
	{{
		"AccountName"		"owner"
		"PersonaName"		"Owner \"the\" Great"
		"RememberPassword"		"1"
		"MostRecent"		"1"
		"Timestamp"		"1763000000"
	}}
}}
"#
            ),
        );
        client.write(
            &format!("userdata/{ACCOUNT}/config/localconfig.vdf"),
            r#""UserLocalConfigStore"
{
	"friends"
	{
		"PersonaName"		"Owner"
	}
	"Software"
	{
		"Valve"
		{
			"Steam"
			{
				"apps"
				{
					"620"
					{
						"LastPlayed"		"1763000000"
						"Playtime2wks"		"34"
						"Playtime"		"754"
					}
				}
			}
		}
	}
}
"#,
        );
        client
    }

    /// Where it is.
    pub fn folder(&self) -> &Path {
        self.0.path()
    }

    /// The settings that lead a service here, and to this store.
    pub fn settings(&self, store: &str) -> Vec<String> {
        vec![
            format!("game.steam_folder={}", self.folder().display()),
            format!("game.steam_store_url={store}"),
        ]
    }

    /// Writes one of its files.
    pub fn write(&self, file: &str, text: &str) {
        self.write_bytes(file, text.as_bytes());
    }

    fn write_bytes(&self, file: &str, bytes: &[u8]) {
        let path: PathBuf = self.folder().join(file);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(path, bytes).expect("to write");
    }

    /// Adds a game of another shop, and returns the number that the Web API has for it.
    pub fn add_shortcut(&self, id: u32, name: &str) -> u64 {
        let text = |key: &str, value: &str| format!("\x01{key}\0{value}\0").into_bytes();
        let shortcut = [
            b"\0shortcuts\0\x000\0\x02appid\0".to_vec(),
            id.to_le_bytes().to_vec(),
            text("AppName", name),
            text("Exe", "\"/usr/bin/game\""),
            text("StartDir", "\"/usr/bin/\""),
            text("icon", ""),
            b"\x08\x08\x08".to_vec(),
        ];
        let file = format!("userdata/{ACCOUNT}/config/shortcuts.vdf");
        self.write_bytes(&file, &shortcut.concat());
        u64::from(id) << 32 | 0x0200_0000
    }

    fn manifest(&self, steamapps: &str, id: u32, name: &str) {
        self.write(
            &format!("{steamapps}/appmanifest_{id}.acf"),
            &format!(
                r#""AppState"
{{
	"appid"		"{id}"
	"universe"		"1"
	"name"		"{name}"
	"StateFlags"		"4"
	"installdir"		"{name}"
	"LastUpdated"		"1762000000"
	"SizeOnDisk"		"13023113203"
	"buildid"		"7877543"
	"LastOwner"		"{STEAM_ID}"
}}
"#
            ),
        );
    }

    /// Starts a game, with the command line that the client gives its process.
    /// It is a shell that waits for its standard input to close.
    pub fn start_game(&self, id: u64) -> Game {
        self.start(id, "echo; read -r line")
    }

    /// The same with a program of this name, which is there when this returns.
    pub fn start_game_of(&self, id: u64, program: &str) -> Game {
        let file = self.folder().join(program);
        if !file.exists() {
            std::os::unix::fs::symlink("/bin/sh", file).expect("a link");
        }
        self.start(
            id,
            &format!("./{program} -c 'echo; read -r line; exit'; exit"),
        )
    }

    fn start(&self, id: u64, script: &str) -> Game {
        use std::os::unix::process::CommandExt as _;

        let wait = self.0.path().join("SteamLaunch");
        fs::write(wait, format!("{script}\n")).expect("to write");
        let mut child = Command::new("/bin/sh")
            .arg0(self.0.path().join("ubuntu12_32/reaper"))
            .args(["SteamLaunch", &format!("AppId={id}"), "--", "game.sh"])
            .current_dir(self.0.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("a shell");
        let mut runs = [0];
        let output = child.stdout.as_mut().expect("its output");
        output.read_exact(&mut runs).expect("that it runs");
        Game(child)
    }
}

impl Drop for Game {
    fn drop(&mut self) {
        // It ends by itself when its standard input closes.
        drop(self.0.stdin.take());
        let _ = self.0.wait();
    }
}
