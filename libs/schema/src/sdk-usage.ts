// The record of `sdk.usage`: requests that one process has accepted and refused from one SDK version on one day so far. A later record with
// the same key replaces the earlier one, so a lost or repeated record changes nothing (ADR 0025).
import { sdkUsageHistory } from './avro/history.ts'
import { createRecordCodec } from './avro/record-codec.ts'
import { sdkUsageSchema } from './avro/sdk-usage-record.ts'

/**
 * `direct` and `staged` are spans over OTLP, by route. `ingestion` is events of the legacy API, including its scores. `scores` is the
 * scores endpoint. `refused` is requests that the write mode refuses, on any endpoint.
 */
export type UsagePath = 'direct' | 'staged' | 'ingestion' | 'scores' | 'refused'

export interface SdkUsage {
  /** Empty if there were too many projects to count them separately. */
  readonly projectId: string
  /** Days since the epoch, UTC. */
  readonly day: number
  /** The name as the SDK sent it, shortened. `other` beyond the maximum number of SDKs that are counted separately. */
  readonly sdkName: string
  readonly sdkVersion: string
  readonly path: UsagePath
  /** Identifies the run of the counting process. */
  readonly source: string
  /** Number of requests that the process counted on that day; the next three fields are such counts, too. */
  readonly requests: number
  /** 0 if the request was refused before it was read. */
  readonly spans: number
  readonly events: number
  readonly scores: number
  readonly lastSeenMs: number
}

const codec = createRecordCodec<SdkUsage>(sdkUsageSchema, sdkUsageHistory)

/** Avro single-object encoding. */
export const encodeSdkUsage = (usage: SdkUsage): Buffer => codec.encode(usage)

/** Throws UndecodableRecord. */
export const decodeSdkUsage = (bytes: Uint8Array): SdkUsage => codec.decode(bytes)

/** Key of the topic. This key keeps the records of one process about one SDK in order. */
export const sdkUsageKey = ({ projectId, sdkName, sdkVersion }: Pick<SdkUsage, 'projectId' | 'sdkName' | 'sdkVersion'>): string =>
  `${projectId}/${sdkName}/${sdkVersion}`
