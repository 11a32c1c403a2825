CALL gds.leiden.stream($graph, {relationshipWeightProperty: 'weight', gamma: $resolution, randomSeed: $seed,
  concurrency: 1, includeIntermediateCommunities: true})
YIELD nodeId, communityId, intermediateCommunityIds
RETURN gds.util.asNode(nodeId).id AS id, intermediateCommunityIds AS communities
