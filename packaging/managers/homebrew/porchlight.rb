# A cask for a tap of Homebrew. A release fills in the parts between two @ (packaging/release.sh).
cask "porchlight" do
  version "@VERSION@"
  sha256 "@SHA256:Porchlight_@VERSION@_aarch64.dmg@"

  url "@REPOSITORY@/releases/download/v#{version}/Porchlight_#{version}_aarch64.dmg"
  name "Porchlight"
  desc "Shows your status and pictures on your own blog"
  homepage "@REPOSITORY@"

  depends_on arch: :arm64

  app "Porchlight.app"

  uninstall launchctl: "blog.porchlight.desktop",
            quit:      "blog.porchlight.desktop"

  zap trash: [
    "~/Library/Application Support/Porchlight",
    "~/Library/LaunchAgents/blog.porchlight.desktop.plist",
  ]
end
