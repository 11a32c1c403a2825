//! How collections are made: the settings of `[vectors]` in Qdrant's terms, read back, compared and changed.
#![expect(
    deprecated,
    reason = "servers before 1.20 know `on_disk` and `always_ram`, and later ones read them"
)]

use super::convert::{BM25, DENSE};
use crate::config::{NamedChoice, Quantization, VectorsConfig};
use qdrant_client::qdrant::quantization_config::Quantization as Made;
use qdrant_client::qdrant::quantization_config_diff::Quantization as Change;
use qdrant_client::qdrant::vectors_config::Config;
use qdrant_client::qdrant::vectors_config_diff::Config as ConfigChange;
use qdrant_client::qdrant::{
    BinaryQuantization, CollectionInfo, CollectionParamsDiff, CreateCollection, Disabled, Distance,
    HnswConfigDiff, Memory, Modifier, QuantizationConfig, QuantizationConfigDiff, QuantizationSearchParams,
    QuantizationType, ScalarQuantization, SearchParams, SparseIndexConfig, SparseVectorConfig,
    SparseVectorParams, UpdateCollection, VectorParams, VectorParamsDiff, VectorParamsDiffMap,
    VectorParamsMap, VectorsConfig as Vectors, VectorsConfigDiff,
};
use std::collections::HashMap;

/// Candidates of the small copies for each hit that is wanted, of which the originals decide.
const OVERSAMPLING_INT8: f64 = 2.0;
const OVERSAMPLING_BINARY: f64 = 4.0;

/// What the configuration says about how collections are made.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct CollectionSettings {
    shards: Option<u32>,
    replicas: Option<u32>,
    write_consistency: Option<u32>,
    on_disk: Option<bool>,
    quantization: Option<Quantization>,
    hnsw_m: Option<u64>,
    hnsw_ef: Option<u64>,
}

/// A setting that a collection was not made with.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct SettingDifference {
    pub(super) setting: &'static str,
    pub(super) stored: String,
    pub(super) wanted: String,
}

impl SettingDifference {
    /// Whether the server changes it without making the collection anew.
    pub(super) fn is_changeable(&self) -> bool {
        self.setting != "shards"
    }
}

impl From<&VectorsConfig> for CollectionSettings {
    fn from(config: &VectorsConfig) -> Self {
        Self {
            shards: config.shards,
            replicas: config.replicas,
            write_consistency: config.write_consistency,
            on_disk: config.on_disk,
            quantization: config.quantization,
            hnsw_m: config.hnsw_m,
            hnsw_ef: config.hnsw_ef,
        }
    }
}

impl CollectionSettings {
    /// A new collection with our two vectors, of which the dense one may be missing.
    pub(super) fn collection(&self, name: &str, dimension: Option<usize>) -> CreateCollection {
        let vectors = dimension.map(|dimension| VectorParams {
            size: dimension as u64,
            distance: Distance::Cosine.into(),
            on_disk: self.on_disk,
            ..VectorParams::default()
        });
        CreateCollection {
            collection_name: name.to_owned(),
            shard_number: self.shards,
            replication_factor: self.replicas,
            write_consistency_factor: self.write_consistency,
            hnsw_config: self.hnsw(),
            quantization_config: self
                .quantization
                .and_then(stored_quantization)
                .map(|quantization| QuantizationConfig { quantization: Some(quantization) }),
            vectors_config: vectors.map(|params| Vectors {
                config: Some(Config::ParamsMap(VectorParamsMap {
                    map: HashMap::from([(DENSE.to_owned(), params)]),
                })),
            }),
            sparse_vectors_config: Some(self.sparse()),
            ..CreateCollection::default()
        }
    }

    /// What a collection was not made with.
    pub(super) fn differences(&self, info: &CollectionInfo) -> Vec<SettingDifference> {
        let stored = StoredSettings::of(info);
        let mut found = Vec::new();
        let mut compare = |setting, wanted: Option<String>, stored: Option<String>| {
            if let (Some(wanted), Some(stored)) = (wanted, stored)
                && wanted != stored
            {
                found.push(SettingDifference { setting, stored, wanted });
            }
        };
        let shown = |number: Option<u32>| number.map(|number| number.to_string());
        compare("shards", shown(self.shards), shown(stored.shards));
        compare("replicas", shown(self.replicas), shown(stored.replicas));
        compare("write_consistency", shown(self.write_consistency), shown(stored.write_consistency));
        compare("on_disk", self.on_disk.map(|on| on.to_string()), stored.on_disk.map(|on| on.to_string()));
        let quantization = self.quantization.map(|wanted| wanted.name().to_owned());
        compare("quantization", quantization, Some(stored.quantization));
        compare("hnsw_m", self.hnsw_m.map(|m| m.to_string()), stored.hnsw_m.map(|m| m.to_string()));
        compare("hnsw_ef", self.hnsw_ef.map(|ef| ef.to_string()), stored.hnsw_ef.map(|ef| ef.to_string()));
        found
    }

    /// Asks the server to change what it can of a collection that is there.
    pub(super) fn change(&self, name: &str, has_dense: bool) -> UpdateCollection {
        let params = CollectionParamsDiff {
            replication_factor: self.replicas,
            write_consistency_factor: self.write_consistency,
            ..CollectionParamsDiff::default()
        };
        let dense = VectorParamsDiff { on_disk: self.on_disk, ..VectorParamsDiff::default() };
        let vectors = (has_dense && self.on_disk.is_some()).then(|| VectorsConfigDiff {
            config: Some(ConfigChange::ParamsMap(VectorParamsDiffMap {
                map: HashMap::from([(DENSE.to_owned(), dense)]),
            })),
        });
        UpdateCollection {
            collection_name: name.to_owned(),
            params: Some(params),
            hnsw_config: self.hnsw(),
            vectors_config: vectors,
            quantization_config: self
                .quantization
                .map(|wanted| QuantizationConfigDiff { quantization: Some(change(wanted)) }),
            sparse_vectors_config: self.on_disk.map(|_| self.sparse()),
            ..UpdateCollection::default()
        }
    }

    /// How one is searched: every vector looked at, or by the index.
    pub(super) fn search(&self, exact: bool) -> SearchParams {
        if exact {
            return SearchParams { exact: Some(true), ..SearchParams::default() };
        }
        let oversampling = match self.quantization {
            None | Some(Quantization::None) => None,
            Some(Quantization::Int8) => Some(OVERSAMPLING_INT8),
            Some(Quantization::Binary) => Some(OVERSAMPLING_BINARY),
        };
        SearchParams {
            exact: Some(false),
            hnsw_ef: self.hnsw_ef,
            quantization: oversampling.map(|_| QuantizationSearchParams {
                ignore: Some(false),
                rescore: Some(true),
                oversampling,
            }),
            ..SearchParams::default()
        }
    }

    fn hnsw(&self) -> Option<HnswConfigDiff> {
        (self.hnsw_m.is_some() || self.hnsw_ef.is_some()).then(|| HnswConfigDiff {
            m: self.hnsw_m,
            ef_construct: self.hnsw_ef,
            ..HnswConfigDiff::default()
        })
    }

    fn sparse(&self) -> SparseVectorConfig {
        let index = self
            .on_disk
            .map(|on_disk| SparseIndexConfig { on_disk: Some(on_disk), ..SparseIndexConfig::default() });
        let params = SparseVectorParams { index, modifier: Some(Modifier::Idf.into()) };
        SparseVectorConfig { map: HashMap::from([(BM25.to_owned(), params)]) }
    }
}

/// What a server tells about a collection, in our terms; absent where it tells nothing.
struct StoredSettings {
    shards: Option<u32>,
    replicas: Option<u32>,
    write_consistency: Option<u32>,
    on_disk: Option<bool>,
    quantization: String,
    hnsw_m: Option<u64>,
    hnsw_ef: Option<u64>,
}

impl StoredSettings {
    fn of(info: &CollectionInfo) -> Self {
        let config = info.config.as_ref();
        let params = config.and_then(|config| config.params.as_ref());
        let dense = params.and_then(|params| match params.vectors_config.as_ref()?.config.as_ref()? {
            Config::ParamsMap(named) => named.map.get(DENSE),
            Config::Params(_) => None,
        });
        // a vector's own settings come before those of its collection
        let hnsw = |value: fn(&HnswConfigDiff) -> Option<u64>| {
            let own = dense.and_then(|dense| dense.hnsw_config.as_ref()).and_then(value);
            own.or_else(|| config.and_then(|config| config.hnsw_config.as_ref()).and_then(value))
        };
        let own = dense.and_then(|dense| dense.quantization_config.as_ref());
        let quantization = own.or_else(|| config.and_then(|config| config.quantization_config.as_ref()));
        Self {
            shards: params.map(|params| params.shard_number),
            replicas: params.and_then(|params| params.replication_factor),
            write_consistency: params.and_then(|params| params.write_consistency_factor),
            on_disk: dense.map(|dense| is_on_disk(dense.on_disk, dense.memory)),
            quantization: name_of(quantization.and_then(|config| config.quantization.as_ref())),
            hnsw_m: hnsw(|hnsw| hnsw.m),
            hnsw_ef: hnsw(|hnsw| hnsw.ef_construct),
        }
    }
}

/// Servers of 1.20 and later tell a placement in memory instead of a flag.
fn is_on_disk(flag: Option<bool>, memory: Option<i32>) -> bool {
    match memory.and_then(|memory| Memory::try_from(memory).ok()) {
        Some(Memory::Cold) => true,
        Some(Memory::Cached | Memory::Pinned) => false,
        Some(Memory::Unknown) | None => flag == Some(true),
    }
}

fn name_of(stored: Option<&Made>) -> String {
    match stored {
        None => Quantization::None.name().to_owned(),
        Some(Made::Scalar(_)) => Quantization::Int8.name().to_owned(),
        Some(Made::Binary(_)) => Quantization::Binary.name().to_owned(),
        Some(Made::Product(_)) => "product".to_owned(),
        Some(Made::Turboquant(_)) => "turboquant".to_owned(),
    }
}

fn stored_quantization(wanted: Quantization) -> Option<Made> {
    match wanted {
        Quantization::None => None,
        Quantization::Int8 => Some(Made::Scalar(int8())),
        Quantization::Binary => Some(Made::Binary(binary())),
    }
}

fn change(wanted: Quantization) -> Change {
    match wanted {
        Quantization::None => Change::Disabled(Disabled {}),
        Quantization::Int8 => Change::Scalar(int8()),
        Quantization::Binary => Change::Binary(binary()),
    }
}

fn int8() -> ScalarQuantization {
    ScalarQuantization {
        r#type: QuantizationType::Int8.into(),
        always_ram: Some(true),
        ..ScalarQuantization::default()
    }
}

fn binary() -> BinaryQuantization {
    BinaryQuantization { always_ram: Some(true), ..BinaryQuantization::default() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use qdrant_client::qdrant::{CollectionConfig, CollectionParams};

    const ALL: CollectionSettings = CollectionSettings {
        shards: Some(3),
        replicas: Some(2),
        write_consistency: Some(1),
        on_disk: Some(true),
        quantization: Some(Quantization::Int8),
        hnsw_m: Some(32),
        hnsw_ef: Some(200),
    };

    /// What a server would tell of a collection that was made so.
    fn collection_info(made: CreateCollection) -> CollectionInfo {
        let params = CollectionParams {
            shard_number: made.shard_number.unwrap_or(1),
            replication_factor: made.replication_factor.or(Some(1)),
            write_consistency_factor: made.write_consistency_factor.or(Some(1)),
            vectors_config: made.vectors_config,
            sparse_vectors_config: made.sparse_vectors_config,
            ..CollectionParams::default()
        };
        let mut hnsw = HnswConfigDiff { m: Some(16), ef_construct: Some(100), ..HnswConfigDiff::default() };
        hnsw.m = made.hnsw_config.and_then(|wanted| wanted.m).or(hnsw.m);
        hnsw.ef_construct = made.hnsw_config.and_then(|wanted| wanted.ef_construct).or(hnsw.ef_construct);
        let config = CollectionConfig {
            params: Some(params),
            hnsw_config: Some(hnsw),
            quantization_config: made.quantization_config,
            ..CollectionConfig::default()
        };
        CollectionInfo { config: Some(config), ..CollectionInfo::default() }
    }

    fn differing(
        wanted: CollectionSettings,
        made_by: CollectionSettings,
        dimension: Option<usize>,
    ) -> Vec<String> {
        let differences = wanted.differences(&collection_info(made_by.collection("c", dimension)));
        differences.into_iter().map(|d| format!("{} {} not {}", d.setting, d.stored, d.wanted)).collect()
    }

    #[test]
    fn what_a_collection_was_not_made_with_is_found() {
        let none: Vec<String> = Vec::new();
        assert_eq!(differing(ALL, ALL, Some(8)), none);
        assert_eq!(
            differing(CollectionSettings::default(), ALL, Some(8)),
            none,
            "what is not set is as the server has it"
        );
        assert_eq!(
            differing(ALL, CollectionSettings::default(), Some(8)),
            [
                "shards 1 not 3",
                "replicas 1 not 2",
                "on_disk false not true",
                "quantization none not int8",
                "hnsw_m 16 not 32",
                "hnsw_ef 100 not 200",
            ]
        );
        let none_wanted =
            CollectionSettings { quantization: Some(Quantization::None), ..CollectionSettings::default() };
        assert_eq!(differing(none_wanted, ALL, Some(8)), ["quantization int8 not none"]);
        let disk = CollectionSettings { on_disk: Some(true), ..CollectionSettings::default() };
        assert_eq!(
            differing(disk, CollectionSettings::default(), None),
            none,
            "no dense vector, nothing to place"
        );
    }

    #[test]
    fn a_newer_server_that_tells_a_placement_is_understood() {
        for (flag, memory, expected) in [
            (None, None, false),
            (Some(true), None, true),
            (None, Some(Memory::Cold), true),
            (Some(true), Some(Memory::Pinned), false),
            (Some(true), Some(Memory::Unknown), true),
        ] {
            assert_eq!(is_on_disk(flag, memory.map(i32::from)), expected, "{flag:?} {memory:?}");
        }
        assert!(is_on_disk(Some(true), Some(77)), "a placement of later years");
    }

    #[test]
    fn hits_of_small_copies_are_scored_again() {
        let exact = ALL.search(true);
        assert_eq!((exact.exact, exact.quantization), (Some(true), None));
        let by_index = ALL.search(false);
        assert_eq!((by_index.exact, by_index.hnsw_ef), (Some(false), Some(200)));
        let rescored = by_index.quantization.and_then(|quantization| quantization.rescore);
        assert_eq!(rescored, Some(true));
        assert_eq!(CollectionSettings::default().search(false).quantization, None);
    }
}
