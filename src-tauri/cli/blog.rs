//! `porchlight blog`: which pictures the posts of a folder use, moving them here, and undoing that.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use porchlight_service::app::blogs::OwnBlogs;
use porchlight_service::blog::window::BlogFound;
use porchlight_service::blog::{
    Adopted, Blog, Choice, NEW, Plan, PostProblem, Reference, Report, Target, Undone, not_permanent,
};
use porchlight_service::images::window::AddressKind;
use serde::Serialize;

use super::opened::Opened;
use super::printing::{Bar, is_on_terminal, print, print_error, print_json};
use super::shown::{printable, shown};
use super::{Invocation, UsageError};

/// What to do with the posts of a blog.
#[derive(Subcommand)]
pub(super) enum Action {
    /// List the pictures that posts use, and pictures that no post uses; nothing is written
    Scan(ScanOptions),
    /// Show how the pictures of all posts would move here; with --write, do it
    Adopt(AdoptOptions),
    /// Put the posts back that an adoption has changed and nobody has edited since; pictures stay
    Undo(UndoOptions),
}

/// What `blog scan` takes.
#[derive(Args)]
pub(super) struct ScanOptions {
    /// The folder of the blog
    #[arg(value_name = "DIR")]
    folder: PathBuf,

    /// The result as JSON
    #[arg(long)]
    json: bool,
}

/// What `blog adopt` takes.
#[derive(Args)]
pub(super) struct AdoptOptions {
    /// The folder of the blog
    #[arg(value_name = "DIR")]
    folder: PathBuf,

    /// Also move pictures from this host, over HTTPS; can be given more than once
    #[arg(long, value_name = "HOST")]
    foreign: Vec<String>,

    /// Also upload pictures that only drafts use
    #[arg(long)]
    drafts: bool,

    /// Write srcset, width and height into the `<img>` elements of HTML that have none
    #[arg(long)]
    responsive: bool,

    /// Upload the pictures and change the posts; without it, only the plan is printed
    #[arg(long)]
    write: bool,

    /// The result as JSON, without the diff
    #[arg(long)]
    json: bool,
}

/// What `blog undo` takes.
#[derive(Args)]
pub(super) struct UndoOptions {
    /// Which adoption, as it printed its number; the last one where it is left out
    id: Option<String>,

    /// The result as JSON
    #[arg(long)]
    json: bool,
}

/// The blogs of the host, or of this process alone.
struct Blogs {
    opened: Opened,
    own: Option<OwnBlogs>,
    blog: Blog,
    kind: AddressKind,
}

impl Blogs {
    async fn open(invocation: &Invocation) -> anyhow::Result<Self> {
        let opened = Opened::by(invocation).await?;
        let own = match &invocation.host {
            Some(_) => None,
            None => Some(OwnBlogs::open(&opened.service, &invocation.folder()?)),
        };
        let (blog, kind) = match (&invocation.host, &own) {
            (Some(host), _) => (host.blog().clone(), host.address_kind()),
            (None, Some(own)) => (own.blog.clone(), own.kind),
            (None, None) => anyhow::bail!("there is no upload queue"),
        };
        Ok(Self {
            opened,
            own,
            blog,
            kind,
        })
    }

    async fn close(self) {
        if let Some(own) = &self.own {
            own.stop().await;
        }
        self.opened.close().await;
    }
}

/// Runs it; `false` where some item failed.
pub(super) async fn run(invocation: Invocation, action: Action) -> anyhow::Result<bool> {
    let folder = |typed: PathBuf| {
        let folder = invocation.path(typed)?;
        match folder.is_dir() {
            true => anyhow::Ok(folder),
            false => Err(anyhow::Error::from(UsageError(format!(
                "{} is no folder: name the folder of the blog",
                shown(&folder)
            )))),
        }
    };
    let action = match action {
        Action::Scan(options) => Action::Scan(ScanOptions {
            folder: folder(options.folder)?,
            ..options
        }),
        Action::Adopt(options) => Action::Adopt(AdoptOptions {
            folder: folder(options.folder)?,
            ..options
        }),
        Action::Undo(options) => Action::Undo(options),
    };
    let blogs = Blogs::open(&invocation).await?;
    let done = match action {
        Action::Scan(options) => scan(&blogs, options).await,
        Action::Adopt(options) => adopt(&blogs, options).await,
        Action::Undo(options) => undo(&blogs, options).await,
    };
    blogs.close().await;
    done
}

async fn scan(blogs: &Blogs, options: ScanOptions) -> anyhow::Result<bool> {
    let report = blogs.blog.scan(&options.folder).await?;
    if options.json {
        print_json(&report)?;
    } else {
        for reference in &report.references {
            print(&line_of(reference))?;
        }
        for picture in &report.unused {
            print(&format!("unused   {}", printable(picture)))?;
        }
        for hash in &report.unused_here {
            print(&format!("unused here  {hash}"))?;
        }
        print(&summary(&report))?;
    }
    print_left(&report.unread);
    Ok(report.unread.is_empty())
}

/// `local    posts/a.md:3  images/a.png`
fn line_of(reference: &Reference) -> String {
    let (kind, note) = match &reference.target {
        Target::Local { picture } => ("local", format!("  {}", printable(picture))),
        Target::Missing => ("missing", String::new()),
        Target::Outside => ("outside", String::new()),
        Target::Foreign { host, .. } => ("foreign", format!("  {}", printable(host))),
        Target::Ours { hash, known: true } => ("ours", format!("  {hash}")),
        Target::Ours { known: false, .. } => ("unknown", String::new()),
    };
    format!(
        "{kind:<8} {}:{}  {}{note}{}",
        printable(&reference.file),
        reference.line,
        printable(&reference.address),
        if reference.draft { "  (draft)" } else { "" },
    )
}

fn summary(report: &Report) -> String {
    let found = BlogFound::of(report, String::new(), false);
    let hosts = found.foreign.iter();
    let hosts = hosts.map(|one| format!("{} {}", printable(&one.host), one.count));
    let hosts = match hosts.collect::<Vec<_>>().join(", ").as_str() {
        "" => String::new(),
        hosts => format!(" ({hosts})"),
    };
    format!(
        "{} posts: {} local, {} foreign{hosts}, {} ours, {} missing, {} outside; \
         {} of the folder's pictures and {} of those here are in no post",
        found.posts,
        found.local,
        found.foreign.iter().map(|one| one.count).sum::<usize>(),
        found.ours,
        found.missing,
        found.outside,
        found.unused,
        report.unused_here.len(),
    )
}

/// What `adopt` prints for scripts.
#[derive(Serialize)]
struct Outcome<'a> {
    report: &'a Report,
    /// Pictures that would come, or have come.
    pictures: usize,
    /// Posts that would change, and addresses in them.
    posts: usize,
    references: usize,
    /// With `--write`.
    #[serde(skip_serializing_if = "Option::is_none")]
    adopted: Option<&'a Adopted>,
}

async fn adopt(blogs: &Blogs, options: AdoptOptions) -> anyhow::Result<bool> {
    if options.write && blogs.kind != AddressKind::Permanent {
        return Err(UsageError(not_permanent().to_string()).into());
    }
    let named = options.foreign.iter().map(|host| host.to_lowercase());
    let named: Vec<String> = named.collect();
    let choice = Choice {
        foreign: named.clone(),
        drafts: options.drafts,
        responsive: options.responsive,
    };
    let plan = blogs.blog.plan(&options.folder, choice).await?;
    let known = BlogFound::of(&plan.report, String::new(), false).foreign;
    for host in &named {
        if !known.iter().any(|known| known.host == *host) {
            print_error(&format!("no post has a picture of {}", printable(host)));
        }
    }
    print_left(&plan.report.unread);
    let is_read = plan.report.unread.is_empty();
    let (report, pictures) = (plan.report.clone(), plan.sources.len());
    let (posts, references) = (plan.posts(), plan.references());
    let adopted = match options.write {
        false => {
            if !options.json {
                show(&plan)?;
            }
            None
        }
        true => Some({
            if let Some(own) = &blogs.own {
                own.start().await;
            }
            let bar = Bar::new("pictures", options.json);
            blogs.blog.adopt(plan, blogs.kind, &bar.progress()).await?
        }),
    };
    if options.json {
        print_json(&Outcome {
            report: &report,
            pictures,
            posts,
            references,
            adopted: adopted.as_ref(),
        })?;
    } else if let Some(adopted) = &adopted {
        print(&done(adopted))?;
    }
    let Some(adopted) = adopted else {
        return Ok(is_read);
    };
    for failed in &adopted.failed {
        print_error(&format!(
            "failed   {}:{}  {}: {}",
            printable(&failed.file),
            failed.line.unwrap_or_default(),
            printable(failed.address.as_deref().unwrap_or_default()),
            printable(&failed.why.to_string()),
        ));
    }
    print_left(&adopted.left);
    Ok(is_read && adopted.failed.is_empty() && adopted.left.is_empty())
}

/// Prints the plan: what stays, the diff, and what would be done.
fn show(plan: &Plan) -> anyhow::Result<()> {
    let stays = |target: &Target| matches!(target, Target::Missing | Target::Outside);
    for reference in &plan.report.references {
        if stays(&reference.target) {
            print_error(&line_of(reference));
        }
    }
    let mut printed = Ok(());
    let is_seen = is_on_terminal();
    let left = plan.diff(|diff| {
        for line in diff.split_terminator('\n') {
            if printed.is_ok() {
                printed = match is_seen {
                    true => print(&printable(line)),
                    // As it is, so that `patch` takes it.
                    false => print(line),
                };
            }
        }
    });
    printed?;
    print_left(&left);
    print_error(&format!(
        "{} pictures would come here, and {} addresses in {} posts would change; {NEW} stands for what \
         the address of each gets. Nothing was written: --write does it",
        plan.sources.len(),
        plan.references(),
        plan.posts(),
    ));
    Ok(())
}

fn done(adopted: &Adopted) -> String {
    let Adopted {
        uploaded,
        already_here,
        posts,
        references,
        ..
    } = adopted;
    let undo = match &adopted.id {
        Some(id) => format!("; `porchlight blog undo {id}` puts the posts back"),
        None => String::new(),
    };
    format!(
        "{uploaded} pictures uploaded, {already_here} already here; {references} addresses in {posts} \
         posts changed{undo}"
    )
}

async fn undo(blogs: &Blogs, options: UndoOptions) -> anyhow::Result<bool> {
    let undone: Undone = blogs.blog.undo(options.id).await?;
    if options.json {
        print_json(&undone)?;
    } else {
        for file in &undone.restored {
            print(&format!("restored {}", printable(file)))?;
        }
        print(&format!(
            "{} posts in {} are as before {}; the {} pictures that came with it stay",
            undone.restored.len(),
            printable(&undone.folder),
            undone.id,
            undone.uploaded,
        ))?;
    }
    print_left(&undone.left);
    Ok(undone.left.is_empty())
}

fn print_left(files: &[PostProblem]) {
    for PostProblem { file, why, .. } in files {
        print_error(&format!(
            "left     {}: {}",
            printable(file),
            printable(&why.to_string())
        ));
    }
}
