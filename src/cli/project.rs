//! Where a project begins: the nearest folder, from the working folder up, that holds a configuration or data.

use anyhow::{Context, Result, bail};
use std::path::{Path, PathBuf};

/// Configuration of a project.
pub(super) const CONFIG: &str = "graphwright.toml";
/// Embedded data of a project.
pub(super) const DATA: &str = ".graphwright";

/// The folder above the working folder that the project begins in; `None` where it begins in the working folder, or
/// nowhere yet. What belongs to somebody else than the working folder does not count: in a folder that everybody may
/// write to, everybody could put a configuration above ours.
///
/// # Errors
/// There is no working folder.
pub(super) fn root_above() -> Result<Option<PathBuf>> {
    let here = std::env::current_dir().context("cannot tell the working folder")?;
    Ok(root_of(&here).filter(|root| *root != here).map(Path::to_path_buf))
}

/// The folder that the project begins in, to which the names of its documents are relative.
///
/// # Errors
/// There is no working folder.
pub(super) fn root() -> Result<PathBuf> {
    root_above()?.map_or_else(std::env::current_dir, Ok).context("cannot tell the working folder")
}

fn root_of(folder: &Path) -> Option<&Path> {
    folder.ancestors().find(|above| {
        let [config, data] = [above.join(CONFIG), above.join(DATA)];
        (config.is_file() && have_one_owner(folder, &config))
            || (data.is_dir() && have_one_owner(folder, &data))
    })
}

#[cfg(unix)]
fn have_one_owner(folder: &Path, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let owner = |path: &Path| path.metadata().ok().map(|known| known.uid());
    // a link is its owner's choice, whoever owns what it leads to
    let of_link = path.symlink_metadata().ok().map(|known| known.uid());
    owner(path).is_some_and(|found| Some(found) == owner(folder) && of_link == Some(found))
}

#[cfg(not(unix))]
fn have_one_owner(_: &Path, _: &Path) -> bool {
    true
}

/// Refuses a configuration or a data folder that nobody named and that is another user's than the one who runs this, the one
/// whose the folder around it is, and root: where everybody may write, everybody could put one for us.
///
/// # Errors
/// Says how to use it on purpose.
#[cfg(unix)]
pub(super) fn refuse_of_another(path: &Path, flag: &str) -> Result<()> {
    use std::os::unix::fs::MetadataExt;
    let owner = |path: &Path| path.symlink_metadata().ok().map(|known| known.uid());
    let around = path.parent().filter(|around| !around.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let me = rustix::process::geteuid().as_raw();
    match owner(path) {
        // what root puts somewhere is meant for all
        Some(found)
            if found != me
                && found != 0
                && Some(found) != around.metadata().ok().map(|known| known.uid()) =>
        {
            bail!(
                "{} belongs to another user than you, and than the folder that it is in; if it is meant for you, name it: \
             {flag} {}",
                path.display(),
                path.display()
            )
        }
        _ => Ok(()),
    }
}

#[cfg(not(unix))]
pub(super) fn refuse_of_another(_: &Path, _: &str) -> Result<()> {
    Ok(())
}

/// Refuses a data folder that nobody named and that is a link out of its project: with somebody else's project it would lead
/// to what is ours, and questions asked there would send that wherever the project says.
///
/// # Errors
/// Says where it leads, and how to use it on purpose.
pub(super) fn refuse_link_out(data: &Path) -> Result<()> {
    if !data.is_symlink() {
        return Ok(());
    }
    let root = data.parent().filter(|root| !root.as_os_str().is_empty()).unwrap_or(Path::new("."));
    if let (Ok(target), Ok(root)) = (data.canonicalize(), root.canonicalize())
        && !target.starts_with(root)
    {
        bail!(
            "{} is a link to {}, out of the project; if that is your data, name it: --data {}",
            data.display(),
            target.display(),
            target.display()
        );
    }
    Ok(())
}

/// A path whose `~` is the user's home, as a shell has it: quotes and configuration files have no shell.
///
/// # Errors
/// There is no home folder.
pub(super) fn expand_home(path: &str) -> Result<PathBuf, String> {
    let Some(rest) = path.strip_prefix('~').filter(|rest| rest.is_empty() || rest.starts_with('/')) else {
        return Ok(PathBuf::from(path));
    };
    match std::env::home_dir() {
        Some(home) => Ok(home.join(rest.trim_start_matches('/'))),
        None => Err(format!("{path:?}: there is no home folder; set HOME, or write the whole path")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_folder_with_a_configuration_or_data_is_the_project() {
        let folder = tempfile::tempdir().unwrap();
        let inner = folder.path().join("a/b/c");
        std::fs::create_dir_all(&inner).unwrap();
        assert_eq!(root_of(&inner), None);
        std::fs::write(folder.path().join(CONFIG), "").unwrap();
        assert_eq!(root_of(&inner), Some(folder.path()));
        std::fs::create_dir(folder.path().join("a/b").join(DATA)).unwrap();
        assert_eq!(root_of(&inner), Some(folder.path().join("a/b").as_path()));
    }

    #[cfg(unix)]
    #[test]
    fn a_data_folder_that_leads_out_of_the_project_has_to_be_named() {
        let (theirs, ours) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let data = theirs.path().join(DATA);
        std::fs::create_dir(theirs.path().join("inside")).unwrap();
        std::os::unix::fs::symlink("inside", &data).unwrap();
        refuse_link_out(&data).unwrap();
        std::fs::remove_file(&data).unwrap();
        std::os::unix::fs::symlink(ours.path(), &data).unwrap();
        let error = refuse_link_out(&data).unwrap_err().to_string();
        assert!(error.contains("out of the project") && error.contains("--data"), "{error}");
    }

    #[cfg(unix)]
    #[test]
    fn what_another_user_put_where_everybody_may_write_has_to_be_named() {
        use std::os::unix::fs::{MetadataExt, chown};
        let folder = tempfile::tempdir().unwrap();
        let config = folder.path().join(CONFIG);
        std::fs::write(&config, "").unwrap();
        refuse_of_another(&config, "--config").unwrap();
        refuse_of_another(&folder.path().join(DATA), "--data").unwrap();
        // only root may give files away
        if folder.path().metadata().unwrap().uid() != 0 {
            return;
        }
        chown(&config, Some(65_534), None).unwrap();
        let error = refuse_of_another(&config, "--config").unwrap_err().to_string();
        assert!(error.contains("another user") && error.contains("--config"), "{error}");
        chown(folder.path(), Some(65_534), None).unwrap();
        refuse_of_another(&config, "--config").unwrap();
    }

    #[test]
    fn a_tilde_is_the_home_folder() {
        let home = std::env::home_dir().unwrap();
        assert_eq!(expand_home("~/notes").unwrap(), home.join("notes"));
        assert_eq!(expand_home("~").unwrap(), home.join(""));
        assert_eq!(expand_home("~other/x").unwrap(), PathBuf::from("~other/x"));
        assert_eq!(expand_home("a/~").unwrap(), PathBuf::from("a/~"));
    }
}
