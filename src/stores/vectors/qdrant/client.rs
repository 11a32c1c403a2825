//! Qdrant's calls over a channel of our own: the official client trusts the system's authorities alone, and prints a key
//! that cannot be sent.

use crate::config::VectorsConfig;
use crate::stores::{StoreError, StoreResult};
use crate::{address, tls};
use qdrant_client::qdrant::collections_client::CollectionsClient;
use qdrant_client::qdrant::points_client::PointsClient;
use qdrant_client::qdrant::qdrant_client::QdrantClient;
use qdrant_client::qdrant::{
    CollectionOperationResponse, CountPoints, CountResponse, CreateCollection, CreateFieldIndexCollection,
    DeleteCollection, DeletePoints, GetCollectionInfoRequest, GetCollectionInfoResponse, GetPoints,
    GetResponse, HealthCheckReply, HealthCheckRequest, ListCollectionsRequest, ListCollectionsResponse,
    PointsOperationResponse, QueryPoints, QueryResponse, ScrollPoints, ScrollResponse, UpdateCollection,
    UpsertPoints,
};
use std::time::Duration;
use tonic::metadata::{Ascii, MetadataValue};
use tonic::service::Interceptor;
use tonic::service::interceptor::InterceptedService;
use tonic::transport::{Certificate, Channel, ClientTlsConfig, Endpoint};
use tonic::{Request, Status};

/// Longest wait for a connection.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// Bytes of an answer beyond which a server is not to be trusted: 256 points with vectors of 65,536 numbers, and more
/// hits than are ever asked for.
const MAX_ANSWER_BYTES: usize = 128 << 20;

type Service = InterceptedService<Channel, ClientKey>;
type Answer<T> = Result<T, Status>;

/// Puts the key into every request.
#[derive(Clone)]
pub(super) struct ClientKey(Option<MetadataValue<Ascii>>);

impl Interceptor for ClientKey {
    fn call(&mut self, mut request: Request<()>) -> Result<Request<()>, Status> {
        if let Some(key) = &self.0 {
            request.metadata_mut().insert("api-key", key.clone());
        }
        Ok(request)
    }
}

/// The calls that are used.
pub(super) struct Client {
    collections: CollectionsClient<Service>,
    points: PointsClient<Service>,
    server: QdrantClient<Service>,
}

impl Client {
    /// Prepares the channel; nothing is sent yet.
    pub(super) fn new(url: &str, config: &VectorsConfig, timeout: Duration) -> StoreResult<Self> {
        let unusable = |what: &str| StoreError::Unusable(format!("{}: {what}", address::redacted(url)));
        tls::install_provider();
        let key = if config.api_key.is_empty() {
            None
        } else {
            let mut key: MetadataValue<Ascii> = config
                .api_key
                .reveal()
                .parse()
                .map_err(|_invalid| unusable("the API key has signs that no header can hold"))?;
            key.set_sensitive(true);
            Some(key)
        };
        let mut endpoint = Endpoint::from_shared(url.to_owned())
            .map_err(|error| unusable(&error.to_string()))?
            .timeout(timeout)
            .connect_timeout(timeout.min(CONNECT_TIMEOUT))
            .keep_alive_while_idle(true);
        if url.starts_with("https:") {
            let trusted = match &config.ca_file {
                Some(file) => {
                    let authorities = tls::read_authorities("[vectors]", file);
                    let authorities =
                        authorities.map_err(|error| StoreError::Unusable(format!("{error:#}")))?;
                    ClientTlsConfig::new().ca_certificate(Certificate::from_pem(authorities))
                }
                None => ClientTlsConfig::new().with_native_roots(),
            };
            endpoint = endpoint.tls_config(trusted).map_err(|error| unusable(&error.to_string()))?;
        }
        let service = InterceptedService::new(endpoint.connect_lazy(), ClientKey(key));
        Ok(Self {
            collections: CollectionsClient::new(service.clone()).max_decoding_message_size(MAX_ANSWER_BYTES),
            points: PointsClient::new(service.clone()).max_decoding_message_size(MAX_ANSWER_BYTES),
            server: QdrantClient::new(service),
        })
    }

    pub(super) async fn health_check(&self) -> Answer<HealthCheckReply> {
        Ok(self.server.clone().health_check(HealthCheckRequest {}).await?.into_inner())
    }

    pub(super) async fn list_collections(&self) -> Answer<ListCollectionsResponse> {
        Ok(self.collections.clone().list(ListCollectionsRequest {}).await?.into_inner())
    }

    pub(super) async fn create_collection(
        &self,
        request: CreateCollection,
    ) -> Answer<CollectionOperationResponse> {
        Ok(self.collections.clone().create(request).await?.into_inner())
    }

    pub(super) async fn update_collection(
        &self,
        request: UpdateCollection,
    ) -> Answer<CollectionOperationResponse> {
        Ok(self.collections.clone().update(request).await?.into_inner())
    }

    pub(super) async fn collection_info(&self, name: &str) -> Answer<GetCollectionInfoResponse> {
        let request = GetCollectionInfoRequest { collection_name: name.to_owned() };
        Ok(self.collections.clone().get(request).await?.into_inner())
    }

    pub(super) async fn delete_collection(&self, name: &str) -> Answer<CollectionOperationResponse> {
        let request = DeleteCollection { collection_name: name.to_owned(), ..DeleteCollection::default() };
        Ok(self.collections.clone().delete(request).await?.into_inner())
    }

    pub(super) async fn create_field_index(
        &self,
        request: impl Into<CreateFieldIndexCollection>,
    ) -> Answer<PointsOperationResponse> {
        Ok(self.points.clone().create_field_index(request.into()).await?.into_inner())
    }

    pub(super) async fn query(&self, request: impl Into<QueryPoints>) -> Answer<QueryResponse> {
        Ok(self.points.clone().query(request.into()).await?.into_inner())
    }

    pub(super) async fn scroll(&self, request: impl Into<ScrollPoints>) -> Answer<ScrollResponse> {
        Ok(self.points.clone().scroll(request.into()).await?.into_inner())
    }

    pub(super) async fn get_points(&self, request: impl Into<GetPoints>) -> Answer<GetResponse> {
        Ok(self.points.clone().get(request.into()).await?.into_inner())
    }

    pub(super) async fn count(&self, request: impl Into<CountPoints>) -> Answer<CountResponse> {
        Ok(self.points.clone().count(request.into()).await?.into_inner())
    }

    pub(super) async fn upsert_points(
        &self,
        request: impl Into<UpsertPoints>,
    ) -> Answer<PointsOperationResponse> {
        Ok(self.points.clone().upsert(request.into()).await?.into_inner())
    }

    pub(super) async fn delete_points(
        &self,
        request: impl Into<DeletePoints>,
    ) -> Answer<PointsOperationResponse> {
        Ok(self.points.clone().delete(request.into()).await?.into_inner())
    }
}
