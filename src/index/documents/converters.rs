//! Formats that only other programs read: RTF, DOC, PPT, MSG, `iWork`. Nothing is run unless it is configured.

use super::kinds::{self, FileKind};
use super::{ReadElsewhere, ReadOptions, Reading, SourceFile, SourceProblem, UnreadPages, read_bytes};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Seconds that a command may run.
const SECONDS: u64 = 180;
/// How often a running command is looked at.
const LOOK: Duration = Duration::from_millis(20);
/// Bytes of a page's text.
const LONGEST_PAGE: u64 = 1 << 20;
/// Bytes of a command's words that are kept.
const LONGEST_WORDS: u64 = 8192;

/// The format that a command would have to read, where no reader of ours knows it.
pub(super) fn wanted(file: &SourceFile, options: &ReadOptions) -> Option<&'static str> {
    let named = matches!(FileKind::of(&file.path), Some(FileKind::Converted(_)));
    let mut head = [0; 8];
    let length = std::fs::File::open(&file.path).and_then(|mut opened| opened.read(&mut head)).ok()?;
    let head = head.get(..length)?;
    if !named && !head.starts_with(b"{\\rtf") && !head.starts_with(b"\xd0\xcf\x11\xe0") {
        return None;
    }
    if head.starts_with(b"PK") && !is_iwork(&file.path) {
        return None;
    }
    let bytes = read_bytes(&file.path, options.max_bytes).ok()?;
    match kinds::of_marks(&file.path, &bytes)? {
        FileKind::Converted(format) => Some(format),
        _ => None,
    }
}

fn is_iwork(path: &Path) -> bool {
    matches!(FileKind::of(path), Some(FileKind::Converted("pages" | "numbers" | "key")))
}

/// Why a file of such a format is not read where no command may run: inside archives and mails.
pub(super) fn inside(format: &str) -> String {
    match format {
        "locked" => "asks for a password; save it without one".into(),
        _ => format!(
            "is of type {format}, which a converter must read, inside another file; unpack it and index that"
        ),
    }
}

/// Has the configured command make a file readable, and reads what it made.
pub(super) fn read(file: &SourceFile, format: &str, options: &ReadOptions) -> Reading {
    if format == "locked" {
        return Reading::refused(&file.path, "asks for a password; save it without one");
    }
    let Some(command) = options.converters.get(format) else {
        let reason = format!(
            "is of type {format}, which is read through a converter and none is set; set [documents.converters] \
             {format} = \"soffice --headless --convert-to docx --outdir {{out}} {{in}}\", or save it in another format"
        );
        return Reading::refused(&file.path, reason);
    };
    match convert(&file.path, command, options) {
        Ok(made) => {
            let converted = SourceFile { path: made.path.clone(), key: file.key.clone() };
            super::read_apart(&converted, options).told_of(&file.path, "as converted: ")
        }
        Err(reason) => Reading::refused(&file.path, reason),
    }
}

/// Has a command give a PDF of pictures a text layer, and takes what is read then where it is more.
pub fn with_text_layer(
    file: &SourceFile,
    mut reading: Reading,
    command: &str,
    options: &ReadOptions,
) -> Reading {
    let (whole, inside): (Vec<UnreadPages>, Vec<UnreadPages>) =
        std::mem::take(&mut reading.unread).into_iter().partition(|unread| unread.key == file.key);
    let before: u64 = whole.iter().map(|unread| unread.numbers().len() as u64).sum();
    reading.unread = whole;
    if before > 0 {
        match convert(&file.path, command, options) {
            Ok(made) => {
                let layered = SourceFile { path: made.path.clone(), key: file.key.clone() };
                let again = super::read_apart(&layered, options);
                let left: u64 = again.unread.iter().map(|unread| unread.numbers().len() as u64).sum();
                if left < before && !again.documents.is_empty() {
                    reading = again.told_of(&file.path, "as [documents] ocr read it: ");
                    for document in &mut reading.documents {
                        document.read_elsewhere = Some(ReadElsewhere { read: before - left, left });
                    }
                }
            }
            Err(reason) => {
                reading.problems.push(SourceProblem::new(&file.path, format!("[documents] ocr: {reason}")));
            }
        }
    }
    reading.unread.extend(inside);
    reading.tell_unread();
    reading
}

/// The text of a picture as a command prints it.
///
/// # Errors
/// In a sentence without the picture's name: the command cannot be started, fails, or takes too long.
pub fn text_of_picture(picture: &[u8], command: &str, options: &ReadOptions) -> Result<String, String> {
    let folder = WorkFolder::make()?;
    let path = folder.0.join("page.png");
    std::fs::write(&path, picture).map_err(|error| format!("the picture cannot be written ({error})"))?;
    let made = convert(&path, &command.replace("{image}", "{in}"), options).map_err(|reason| {
        let reason = reason.strip_prefix("cannot be converted: ").unwrap_or(&reason);
        reason.replace("[documents.converters]", "[documents] ocr")
    })?;
    let file = std::fs::File::open(&made.path).map_err(|error| super::unreadable(&error))?;
    let mut text = Vec::new();
    file.take(LONGEST_PAGE).read_to_end(&mut text).map_err(|error| super::unreadable(&error))?;
    Ok(String::from_utf8_lossy(&text).into_owned())
}

/// What a command made, gone when dropped.
struct ConvertedFile {
    path: PathBuf,
    #[expect(dead_code, reason = "removes the folder when dropped")]
    folder: WorkFolder,
}

/// A folder for a command's work, removed with all in it when dropped.
struct WorkFolder(PathBuf);

impl WorkFolder {
    fn make() -> Result<Self, String> {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("graphwright-{}-{number}", std::process::id()));
        let mut folder = std::fs::DirBuilder::new();
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut folder, 0o700);
        folder.create(&path).map_err(|error| format!("cannot be converted: no folder for it ({error})"))?;
        Ok(Self(path))
    }
}

impl Drop for WorkFolder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn convert(path: &Path, command: &str, options: &ReadOptions) -> Result<ConvertedFile, String> {
    let folder = WorkFolder::make()?;
    let whole = std::path::absolute(path).map_err(|error| format!("cannot be converted: {error}"))?;
    let mut words = command.split_whitespace();
    let program = words.next().ok_or("cannot be converted: the converter's command is empty")?;
    let mut arguments: Vec<std::ffi::OsString> = Vec::new();
    let (mut names_input, mut names_output) = (false, false);
    for word in words {
        names_input |= word.contains("{in}");
        names_output |= word.contains("{out}");
        // arguments are passed as they are: no shell reads them
        arguments.push(match word {
            "{in}" => whole.clone().into_os_string(),
            "{out}" => folder.0.clone().into_os_string(),
            word => word
                .replace("{in}", &whole.to_string_lossy())
                .replace("{out}", &folder.0.to_string_lossy())
                .into(),
        });
    }
    if !names_input {
        arguments.push(whole.into_os_string());
    }
    let printed = folder.0.join("printed.txt");
    let output = if names_output {
        Stdio::null()
    } else {
        std::fs::File::create(&printed).map_err(|error| format!("cannot be converted: {error}"))?.into()
    };
    let words_file = folder.0.join(".words");
    let errors =
        std::fs::File::create(&words_file).map_err(|error| format!("cannot be converted: {error}"))?;
    let mut running = Command::new(program);
    running.args(arguments).current_dir(&folder.0).stdin(Stdio::null()).stdout(output).stderr(errors);
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut running, 0);
    let child = running.spawn().map_err(|error| {
        format!("cannot be converted: {program} cannot be started ({error}); see [documents.converters]")
    })?;
    let succeeded = wait(child, options)?;
    if !succeeded {
        return Err(format!("cannot be converted: {program} failed{}", last_words(&words_file)));
    }
    let path = if names_output { only_file(&folder.0) } else { Some(printed) };
    let path = path
        .ok_or_else(|| format!("cannot be converted: {program} made no file{}", last_words(&words_file)))?;
    Ok(ConvertedFile { path, folder })
}

/// Waits for a command's end; it is ended where it takes too long or the run is to stop.
fn wait(mut child: Child, options: &ReadOptions) -> Result<bool, String> {
    let started = Instant::now();
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return Ok(status.success()),
            Ok(None) if options.stop.is_asked() => {
                end(&mut child);
                return Err("was not converted: the run was stopped".into());
            }
            Ok(None) if started.elapsed() > Duration::from_secs(SECONDS) => {
                end(&mut child);
                return Err(format!("cannot be converted: the converter took longer than {SECONDS} s"));
            }
            Ok(None) => std::thread::sleep(LOOK),
            Err(error) => return Err(format!("cannot be converted: {error}")),
        }
    }
}

/// Ends a command and what it started.
fn end(child: &mut Child) {
    #[cfg(unix)]
    if let Some(group) = i32::try_from(child.id()).ok().and_then(rustix::process::Pid::from_raw) {
        let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
    }
    let _ = child.kill();
    let _ = child.wait();
}

fn only_file(folder: &Path) -> Option<PathBuf> {
    let mut files: Vec<PathBuf> = folder
        .read_dir()
        .ok()?
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| {
            path.symlink_metadata().is_ok_and(|known| known.is_file())
                && !path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'))
        })
        .collect();
    files.sort();
    files.into_iter().next()
}

/// The last line that a command said, if any.
fn last_words(path: &Path) -> String {
    let mut words = String::new();
    let read = std::fs::File::open(path).and_then(|file| file.take(LONGEST_WORDS).read_to_string(&mut words));
    let last = words.lines().map(str::trim).rfind(|line| !line.is_empty());
    match (read, last) {
        (Ok(_), Some(line)) => format!(": {}", line.chars().take(200).collect::<String>()),
        _ => String::new(),
    }
}
