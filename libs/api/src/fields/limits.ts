// Limits that clients know (contract §16.2). An operator cannot change them, because SDKs choose their batch sizes by these limits.

/** Body limit of POST /api/public/ingestion and POST /api/public/dataset-items. */
export const maxBatchBytes = 4_500_000
/** Body limit of all other routes. */
export const maxBodyBytes = 1_000_000
/** Body limit of POST /api/public/dataset-items/batch. Each line of the body has the limit of a single item. */
export const maxItemsBatchBytes = 64 * 1024 * 1024
/**
 * Body limit of requests that create or change a project or an organization. The limit is small, because every read of a project also
 * reads the project's metadata.
 */
export const maxProjectBytes = 64 * 1024
/** Body limit of POST /api/public/feedback. */
export const maxFeedbackBytes = 16 * 1024
/** Maximum number of scores in one request. SDKs send up to 100. */
export const maxScores = 1_000
/** Maximum number of traces that one request deletes. */
export const maxDeletedTraces = 1_000
/** Maximum number of issues that a response lists per body, event, or score. */
export const maxIssues = 20
