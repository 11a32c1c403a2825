//! `graphwright demo`: the main job on a bundled sample, with nothing installed.

use super::{Common, index_report, print, query as query_command, serve};
use crate::index::run::{self, IndexRequest};
use crate::private;
use crate::progress::talk;
use crate::query::{Method, QueryRequest};
use crate::services::Access;
use anyhow::{Context, Result};
use std::net::SocketAddr;
use std::path::Path;
use std::process::ExitCode;

/// The sample: public-domain texts (Charles Dickens 1843; Luo Guanzhong, 14th century).
const SAMPLE: [(&str, &str); 2] = [
    ("a-christmas-carol.txt", include_str!("../../tests/fixtures/sample/a-christmas-carol.txt")),
    ("三国演义.txt", include_str!("../../tests/fixtures/sample/three-kingdoms.txt")),
];

/// The questions that the demo asks.
const QUESTIONS: [(&str, Method); 3] = [
    ("Who was Jacob Marley?", Method::Local),
    ("刘备、关羽、张飞是什么关系？", Method::Local),
    ("What are the main themes of these texts?", Method::Global),
];

/// The question that the page is opened with.
const FIRST: &str = "Who%20was%20Jacob%20Marley%3F";

#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// Show the sample on a page in the browser, a question already asked
    #[arg(long)]
    serve: bool,
    /// Where the page is to be reached, with --serve
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:8464", requires = "serve")]
    listen: SocketAddr,
}

pub(super) async fn run(common: &Common, arguments: &Arguments) -> Result<ExitCode> {
    let config = common.config()?;
    let workspace = if common.workspace == "default" { "demo" } else { &common.workspace };
    let listen = arguments.serve.then_some(arguments.listen);
    let page =
        listen.map(|listen| serve::DemoPage::new(common, config.clone(), workspace, listen)).transpose()?;
    let folder = common.data.join("demo-documents");
    write_sample(&folder)?;
    let services = common.connect_to(workspace, config, Access::Write).await?;
    talk("indexing the sample: A Christmas Carol (English) and Romance of the Three Kingdoms (Chinese)");
    let request = IndexRequest { paths: vec![folder.display().to_string()], ..IndexRequest::default() };
    let result = run::index(&services, &request, &common.progress()).await;
    services.graph.unlock_writer().await?;
    index_report::print_summary(&result?);
    if let Some(page) = page {
        drop(services);
        return page.show(common, &format!("#/w/{workspace}/ask?q={FIRST}")).await;
    }
    for (question, method) in QUESTIONS {
        print::line(&format!("\n▶ {question}\n"));
        let request = QueryRequest {
            question: question.to_owned(),
            method,
            response_type: "Multiple Paragraphs".to_owned(),
            ..QueryRequest::default()
        };
        let (answer, printed) = query_command::answered(&services, &request).await?;
        query_command::show_sources(&answer, &printed);
    }
    print::line(&format!(
        "\nThe index is in {data} (workspace {workspace}). Try next:\n  \
         {program} --data {data} --workspace {workspace} query \"Who was Jacob Marley?\"\n  \
         {program} --data {data} --workspace {workspace} query \"曹操是谁？\" --context\n  \
         {program} --data {data} --workspace {workspace} status\n  \
         {program} init && {program} index YOUR-FOLDER && {program} query \"…\"",
        program = called(),
        data = common.data.display()
    ));
    Ok(ExitCode::SUCCESS)
}

/// How whoever runs the program called it: by its name, or by the path of a build that is not installed.
fn called() -> String {
    std::env::args().next().filter(|path| !path.contains(' ')).unwrap_or_else(|| "graphwright".to_owned())
}

fn write_sample(folder: &Path) -> Result<()> {
    private::create_dir_all(folder).with_context(|| format!("cannot make folder {}", folder.display()))?;
    for (name, text) in SAMPLE {
        let path = folder.join(name);
        private::write(&path, text).with_context(|| format!("cannot write {}", path.display()))?;
    }
    Ok(())
}
