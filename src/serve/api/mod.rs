//! The routes below `/api/v1`: one file a resource.

pub(crate) mod answers;
mod conversations;
mod documents;
mod entities;
pub(crate) mod jobs;
mod library;
mod communities;
pub(crate) mod edits;
mod feedback;
mod maps;
mod operation;
pub(crate) mod trends;
mod upkeep;
mod work;
mod workspaces;
pub(crate) mod events;

use super::routes::Routes;

/// All of them.
pub(crate) fn add_to(routes: &mut Routes) {
    operation::add_to(routes);
    workspaces::add_to(routes);
    answers::add_to(routes);
    conversations::add_to(routes);
    documents::add_to(routes);
    entities::add_to(routes);
    communities::add_to(routes);
    maps::add_to(routes);
    library::add_to(routes);
    jobs::add_to(routes);
    edits::add_to(routes);
    feedback::add_to(routes);
    trends::add_to(routes);
    upkeep::add_to(routes);
}
