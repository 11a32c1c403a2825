//! Completion: what a client may be about to type as an argument of a prompt or as a part of a resource's address.

use crate::serve::app::Shared;
use crate::serve::listing::{self, DocumentFilter};
use crate::serve::problem::{Outcome, Problem};
use crate::serve::reading;
use crate::serve::tokens::Caller;
use rmcp::model::{CompleteRequestParams, CompletionInfo, Reference};

/// What stands between two names.
const BETWEEN: [&str; 6] = [" and ", ", ", " vs ", "、", "，", "和"];

enum Completed {
    Workspaces,
    Documents,
    Entities,
}

/// What an argument is; `None` for what nothing can be said of.
fn completed(reference: &Reference, argument: &str) -> Option<Completed> {
    match (reference, argument) {
        (Reference::Prompt(prompt), "name" | "names")
            if ["explore_entity", "compare"].contains(&prompt.name.as_str()) =>
        {
            Some(Completed::Entities)
        }
        (Reference::Resource(_), "workspace") => Some(Completed::Workspaces),
        (Reference::Resource(template), "id") if template.uri.starts_with("doc://") => {
            Some(Completed::Documents)
        }
        (Reference::Resource(template), "id") if template.uri.contains("/entity/") => {
            Some(Completed::Entities)
        }
        _ => None,
    }
}

/// Names of entities and keys of documents that hold what is typed, the best fit first, and names of workspaces.
///
/// # Errors
/// A workspace that the caller may not see; what the stores say.
pub(super) async fn complete(
    app: &Shared,
    caller: &Caller,
    request: &CompleteRequestParams,
) -> Outcome<CompletionInfo> {
    let typed = request.argument.value.as_str();
    let (values, has_more) = match completed(&request.r#ref, &request.argument.name) {
        None => (Vec::new(), false),
        Some(Completed::Workspaces) => {
            let mut names = app.names_for(caller);
            names.retain(|name| name.starts_with(typed));
            let count = names.len();
            names.truncate(CompletionInfo::MAX_VALUES);
            (names, count > CompletionInfo::MAX_VALUES)
        }
        Some(of_workspace) => {
            let named = request.context.as_ref().and_then(|context| context.get_argument("workspace"));
            let name = named.cloned().map_or_else(|| app.default_workspace(caller), Ok)?;
            let workspace = app.workspace(caller, &name).await?;
            let limit = CompletionInfo::MAX_VALUES;
            if matches!(of_workspace, Completed::Documents) {
                let wanted = DocumentFilter { q: Some(typed), limit, ..DocumentFilter::default() };
                let found = listing::documents(&workspace, &wanted).await?;
                (found.items.into_iter().map(|document| document.key).collect(), found.next.is_some())
            } else {
                let (before, last) = last_name(typed);
                let found = reading::entities(&workspace, Some(last), None, None, limit).await?;
                let completed = found.items.into_iter().map(|row| format!("{before}{}", row.name));
                (completed.collect(), found.next.is_some())
            }
        }
    };
    CompletionInfo::with_pagination(values, None, has_more).map_err(Problem::failed)
}

/// The name that is being typed, and what stands before it.
fn last_name(typed: &str) -> (&str, &str) {
    let ends = BETWEEN.iter().filter_map(|between| Some(typed.rfind(between)? + between.len()));
    typed.split_at(ends.max().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_of_several_names_is_completed() {
        assert_eq!(last_name("Scro"), ("", "Scro"));
        assert_eq!(last_name("Scrooge and Mar"), ("Scrooge and ", "Mar"));
        assert_eq!(last_name("刘备、曹"), ("刘备、", "曹"));
        assert_eq!(last_name(""), ("", ""));
    }
}
