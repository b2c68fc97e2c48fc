// The rate limits that an installation can set (contract §16.6). This module loads no schemas, because the gateway imports it.
export const buckets = [
  'public-api',
  'public-api-legacy',
  'ingestion',
  'legacy-ingestion',
  'media-upload',
  'prompts',
  'public-api-v2-metrics',
  'public-api-metrics',
  'public-api-daily-metrics-legacy',
  'datasets',
  'annotation-queues',
  'trace-delete',
  'score-delete',
  'feedback',
] as const

/** The rate limit that applies to the operation's requests. */
export type Bucket = (typeof buckets)[number] | 'none'
