//! What the configuration of models would have leave this machine, and where to.

use super::endpoint::{self, Environment};
use crate::address;
use crate::config::Config;
use std::collections::BTreeSet;

/// Addresses of the endpoints that are used, as they may be shown; sorted.
pub fn addresses(config: &Config, environment: Environment<'_>) -> BTreeSet<String> {
    let sendings = endpoint::sendings(config, environment);
    sendings.iter().map(|sending| address::redacted(&sending.address)).collect()
}

/// What only a trusted configuration may do: send a secret or a file of this machine to an address that neither the
/// provider nor the environment gives, or decide whose certificates hold where a secret is sent. Addresses of this machine
/// are no danger: whoever wrote a file has nothing that listens there.
pub fn exposures(config: &Config, environment: Environment<'_>) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for sending in endpoint::sendings(config, environment) {
        if address::is_local(&sending.address) {
            continue;
        }
        let (section, shown) = (&sending.section, address::redacted(&sending.address));
        for secret in &sending.secrets {
            if !sending.is_known {
                found.insert(format!("{section} sends {secret} to {shown}"));
            }
            if sending.has_own_authority {
                found.insert(format!("{section} sends {secret} to whom its ca_file takes for {shown}"));
            }
        }
        if let (Some(folder), false, true) =
            (&config.llm.prompts, sending.is_known, section.starts_with("[llm"))
        {
            found.insert(format!("{section} sends files of the folder {} to {shown}", folder.display()));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_and_files_that_would_leave_are_named_with_their_address() {
        let environment = |name: &str| match name {
            "OPENAI_API_KEY" => Some("key".to_owned()),
            "AZURE_OPENAI_ENDPOINT" => Some("https://ours.openai.azure.com".to_owned()),
            _ => None,
        };
        let check = |text: &str, expected: &[&str]| {
            let config = Config::parse(text).unwrap();
            let found = exposures(&config, &environment);
            assert_eq!(found.iter().map(String::as_str).collect::<Vec<_>>(), expected, "{text}");
        };
        let evil = "[llm]\nprovider='openai'\nmodel='m'\nbase_url='https://u:p@evil.example/v1?x=1'\n";
        // the provider's own variable does not go there at all, and what the file holds itself is no secret of ours
        check(evil, &[]);
        check(&format!("{evil}api_key='sk-of-the-file'"), &[]);
        check(
            &format!("{evil}api_key='${{AWS_SECRET}}'"),
            &["[llm] sends ${AWS_SECRET} to https://evil.example/v1"],
        );
        check(
            &format!("{evil}api_key_file='/home/me/.ssh/id_ed25519'\nprompts='p'"),
            &[
                "[llm] sends files of the folder p to https://evil.example/v1",
                "[llm] sends the file /home/me/.ssh/id_ed25519 to https://evil.example/v1",
            ],
        );
        let role = "[llm]\nprovider='openai'\nmodel='m'\n[llm.judge]\nbase_url='http://evil.example'\n";
        check(role, &[]);
        check(
            &format!("{role}api_key='${{OPENAI_API_KEY}}'"),
            &["[llm.judge] sends ${OPENAI_API_KEY} to http://evil.example"],
        );
        check(
            "[llm]\nprovider='openai'\nmodel='m'\nca_file='evil.pem'",
            &["[llm] sends OPENAI_API_KEY to whom its ca_file takes for https://api.openai.com/v1"],
        );
        check(
            "[embeddings]\nprovider='openai'\nmodel='m'\nbase_url='https://evil.example'\napi_key='${X}'",
            &["[embeddings] sends ${X} to https://evil.example"],
        );
        let reranking = "[rerank]\nprovider='jina'\nmodel='m'\nbase_url='https://evil.example'\n";
        check(reranking, &[]);
        check(&format!("{reranking}api_key='${{X}}'"), &["[rerank] sends ${X} to https://evil.example"]);
        for fine in [
            "[llm]\nprovider='openai'\nmodel='m'\napi_key='${OPENAI_API_KEY}'",
            "[llm]\nprovider='azure'\nmodel='m'\nbase_url='https://ours.openai.azure.com'\napi_key='${X}'",
            "[llm]\nprovider='vllm'\nmodel='m'\nbase_url='http://127.0.0.1:1/v1'\napi_key='${X}'\nprompts='p'",
            "[llm]\nprovider='none'\nbase_url='https://evil.example'\napi_key='${X}'",
        ] {
            check(fine, &[]);
        }
    }
}
