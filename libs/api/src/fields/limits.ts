// Limits that clients know (contract §16.2). They are no settings, because SDKs cut their batches by them.

/** Of POST /api/public/ingestion and POST /api/public/dataset-items. */
export const maxBatchBytes = 4_500_000
/** Of every other body. */
export const maxBodyBytes = 1_000_000
/** Of POST /api/public/dataset-items/batch; each of its lines has the limit of one item. */
export const maxItemsBatchBytes = 64 * 1024 * 1024
/** Of a project: its metadata are read with it each time. */
export const maxProjectBytes = 64 * 1024
/** Of POST /api/public/feedback. */
export const maxFeedbackBytes = 16 * 1024
/** Scores of one request; SDKs send up to 100. */
export const maxScores = 1_000
/** Traces that one request deletes. */
export const maxDeletedTraces = 1_000
/** Issues that a response names for one body, or for one event or score in it. */
export const maxIssues = 20
