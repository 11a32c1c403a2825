//! Settings with a closed set of values: an enum in the code, a name in the configuration.

use crate::language::edits_within;
use anyhow::{Result, bail};
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serializer};

/// Most letters that may be wrong in a name for another one to be offered.
const MISSPELT: usize = 3;

/// A closed set of values.
pub trait NamedChoice: Copy + PartialEq + 'static {
    /// Every value with its name, in the order in which they are told.
    const ALL: &'static [(&'static str, Self)];

    /// Its name in the configuration.
    fn name(self) -> &'static str {
        Self::ALL.iter().find(|(_, value)| *value == self).map_or("", |(name, _)| name)
    }

    /// The value of that name.
    ///
    /// # Errors
    /// Another name: the message holds those that there are, and the nearest.
    fn named(name: &str) -> Result<Self> {
        if let Some((_, value)) = Self::ALL.iter().find(|(known, _)| *known == name) {
            return Ok(*value);
        }
        let names: Vec<&str> = Self::ALL.iter().map(|(name, _)| *name).collect();
        let names = names.join(", ");
        match nearest(name, Self::ALL.iter().map(|(name, _)| *name)) {
            Some(known) => bail!("{name:?} is unknown, did you mean {known:?}? use one of: {names}"),
            None => bail!("{name:?} is unknown; use one of: {names}"),
        }
    }
}

/// The known name that differs in the fewest letters, where these are few.
fn nearest<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let letters = |text: &str| text.to_lowercase().chars().collect::<Vec<char>>();
    let name = letters(name);
    let limit = MISSPELT.min(name.len().div_ceil(2));
    known
        .filter_map(|known| Some((edits_within(&name, &letters(known), limit)?, known)))
        .min_by_key(|(edits, _)| *edits)
        .map(|(_, known)| known)
}

pub(super) fn serialize<C: NamedChoice, S: Serializer>(choice: &C, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(choice.name())
}

pub(super) fn deserialize<'de, C: NamedChoice, D: Deserializer<'de>>(deserializer: D) -> Result<C, D::Error> {
    C::named(&String::deserialize(deserializer)?).map_err(D::Error::custom)
}

/// The same where the setting may be absent.
pub(super) mod optional {
    use super::NamedChoice;
    use serde::{Deserializer, Serializer};

    #[expect(clippy::ref_option, reason = "serde hands the field as it is")]
    pub(in crate::config) fn serialize<C: NamedChoice, S: Serializer>(
        choice: &Option<C>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        match choice {
            Some(choice) => super::serialize(choice, serializer),
            None => serializer.serialize_none(),
        }
    }

    pub(in crate::config) fn deserialize<'de, C: NamedChoice, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<C>, D::Error> {
        super::deserialize(deserializer).map(Some)
    }
}

/// The JSON schema of such a setting: its names.
#[cfg(test)]
pub(super) fn schema<C: NamedChoice>(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
    let names: Vec<&str> = C::ALL.iter().map(|(name, _)| *name).collect();
    schemars::json_schema!({"type": "string", "enum": names})
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{CommunityEngine, Config, EmbeddingProvider, NameResolution, Provider};

    #[test]
    fn names_lead_to_values_and_back() {
        for (name, value) in Provider::ALL {
            assert_eq!((Provider::named(name).ok(), value.name()), (Some(*value), *name));
        }
        assert_eq!(EmbeddingProvider::ALL.len(), Provider::ALL.len() + 1, "every endpoint, and local");
        for (_, value) in Provider::ALL {
            assert!(EmbeddingProvider::ALL.contains(&(value.name(), EmbeddingProvider::Remote(*value))));
        }
        let text = "[llm]\nprovider = 'vllm'\n[llm.judge]\nprovider = 'ollama'\n[embeddings]\nprovider = 'local'\n\
                    [communities]\nengine = 'gds'\n[extraction]\nresolution = 'off'";
        let config = Config::parse(text).expect("valid");
        assert_eq!(
            (config.llm.provider, config.llm.judge.provider),
            (Provider::Vllm, Some(Provider::Ollama))
        );
        assert_eq!(
            (config.llm.extract.provider, config.embeddings.provider),
            (None, EmbeddingProvider::Local)
        );
        assert_eq!(config.communities.engine, CommunityEngine::Gds);
        assert_eq!(config.extraction.resolution, NameResolution::Off);
        let json = serde_json::to_value(&config).expect("JSON");
        assert_eq!(
            (&json["llm"]["provider"], &json["llm"]["judge"]["provider"]),
            (&"vllm".into(), &"ollama".into())
        );
        assert!(json["llm"]["extract"]["provider"].is_null());
    }

    #[test]
    fn a_name_that_does_not_exist_is_told_with_the_nearest() {
        let check = |text: &str, told: &[&str]| {
            let error = format!("{:#}", Config::parse(text).expect_err(text));
            assert!(told.iter().all(|part| error.contains(part)), "{error}");
        };
        check(
            "[llm]\nprovider = 'olama'",
            &["line 2 (provider)", "did you mean \"ollama\"?", "lmstudio, deepseek"],
        );
        check("[llm.judge]\nprovider = 'Openai'", &["did you mean \"openai\"?"]);
        check("[embeddings]\nprovider = 'locl'", &["did you mean \"local\"?"]);
        check("[text_units]\nencoding = 'o200k-base'", &["did you mean \"o200k_base\"?"]);
        check("[communities]\nobjective = 'beauty'", &["\"beauty\" is unknown; use one of: modularity, cpm"]);
        check("[communities]\nweight = 'counts'", &["did you mean \"count\"?"]);
        check("[raptor]\ncovariance = 'ful'", &["did you mean \"full\"?"]);
        check("[extraction]\nresolution = 'rule'", &["did you mean \"rules\"?"]);
    }
}
