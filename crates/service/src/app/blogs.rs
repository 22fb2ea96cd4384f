//! The blogs of a process that serves nobody: a command on its own.

use std::path::Path;

use crate::blog::Blog;
use crate::images::window::AddressKind;
use crate::service::Service;
use crate::state::StateReader;
use crate::tunnel::Plan;
use crate::uploads::{OwnImages, Uploads};

/// Blogs, and the upload queue that is theirs alone.
pub struct OwnBlogs {
    pub blog: Blog,
    /// How long the address of links leads here.
    pub kind: AddressKind,
    uploads: Uploads,
}

impl OwnBlogs {
    /// Those of a service that nothing else runs. Links have the address of the settings.
    pub fn open(service: &Service, data_folder: &Path) -> Self {
        let settings = service.settings();
        let plan = Plan::of(&settings.tunnel).ok().flatten();
        let of_tunnel = plan.as_ref().and_then(Plan::fixed_address);
        let address = settings.chosen_url().or(of_tunnel).cloned();
        let kind = address
            .as_ref()
            .map_or(AddressKind::Local, AddressKind::of_chosen);
        let own = OwnImages {
            images: service.images().clone(),
            local_url: StateReader::constant(format!("http://{}", settings.server.listen)),
            public_url: StateReader::constant(address),
        };
        let uploads = service.uploads(own, data_folder);
        Self {
            blog: Blog::new(uploads.clone(), data_folder),
            kind,
            uploads,
        }
    }

    /// Starts the queue, which also continues what waits in it.
    pub async fn start(&self) {
        self.uploads.start().await;
    }

    /// Stops the queue; what is in it continues at the next start.
    pub async fn stop(&self) {
        self.uploads.stop().await;
    }
}
