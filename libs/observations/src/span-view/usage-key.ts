// Which count a key of `gen_ai.usage.*` or `llm.token_count.*` means. Looked up once per key, when a client
// first sends it.

export const buckets = [
  'input',
  'output',
  'total',
  'input_cached_tokens',
  'input_cache_creation',
  'output_reasoning_tokens',
  'output_audio_tokens',
  'input_audio_tokens',
  'output_accepted_prediction_tokens',
  'output_rejected_prediction_tokens',
] as const
export type Bucket = (typeof buckets)[number]

/**
 * Names that clients give a bucket. The first that is present counts, also with a 0; the others are consumed.
 */
export const aliases: Readonly<Record<Bucket, readonly string[]>> = {
  input: ['prompt_tokens', 'input_tokens', 'prompt'],
  output: ['completion_tokens', 'output_tokens', 'completion'],
  total: ['total_tokens', 'total'],
  input_cached_tokens: [
    'cache_read.input_tokens',
    'cache_read_input_tokens',
    'cache_read_tokens',
    'details.cache_read_tokens',
    'details.cache_read_input_tokens',
    'prompt_details.cache_read',
    'input_cached_tokens',
  ],
  input_cache_creation: [
    'cache_creation.input_tokens',
    'cache_creation_input_tokens',
    'cache_write_tokens',
    'details.cache_write_tokens',
    'details.cache_creation_input_tokens',
    'prompt_details.cache_write',
    'input_cache_creation',
  ],
  output_reasoning_tokens: ['reasoning.output_tokens', 'completion_details.reasoning', 'reasoning_tokens', 'details.reasoning_tokens'],
  output_audio_tokens: ['completion_details.audio', 'details.audio_tokens'],
  input_audio_tokens: ['prompt_details.audio'],
  output_accepted_prediction_tokens: ['details.accepted_prediction_tokens'],
  output_rejected_prediction_tokens: ['details.rejected_prediction_tokens'],
}

export interface UsageKey {
  /** Position in `buckets`, or -1: a count of its own. */
  readonly bucket: number
  /** Among the keys of the same count the smallest wins, in whatever order they were sent. */
  readonly rank: number
  readonly name: string
}

const bucketOf = new Map(
  Object.entries(aliases).flatMap(([bucket, names]) =>
    names.map((name, rank) => [name, { bucket: buckets.indexOf(bucket as Bucket), rank, name: bucket }] as const),
  ),
)
const details = 'details.'

/** `name`: the key without its prefix. `prefixRank`: place of the prefix, for counts that come under both. */
export function usageKeyOf(name: string, prefixRank: number): UsageKey {
  const alias = bucketOf.get(name)
  if (alias !== undefined) return { ...alias, rank: alias.rank * 2 + prefixRank }
  const inDetails = name.startsWith(details)
  return { bucket: -1, rank: (inDetails ? 2 : 0) + prefixRank, name: inDetails ? name.slice(details.length) : name }
}
