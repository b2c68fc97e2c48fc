// The record of `sdk.usage`: requests that one process has accepted and refused from one SDK version on one day so
// far. A later record of the same key replaces the earlier one, so a lost or repeated record changes nothing (ADR
// 0025).
import { sdkUsageHistory } from './avro/history.ts'
import { createRecordCodec } from './avro/record-codec.ts'
import { sdkUsageSchema } from './avro/sdk-usage-record.ts'

/**
 * `direct`, `staged`: spans over OTLP, by route. `ingestion`: events of the legacy API, including its scores.
 * `scores`: the scores endpoint. `refused`: requests that the write mode refuses, on any endpoint.
 */
export type UsagePath = 'direct' | 'staged' | 'ingestion' | 'scores' | 'refused'

export interface SdkUsage {
  /** Empty when there were too many projects to distinguish. */
  readonly projectId: string
  /** Days since the epoch, UTC. */
  readonly day: number
  /** Name as sent, shortened. `other` beyond the maximum number of distinguished SDKs. */
  readonly sdkName: string
  readonly sdkVersion: string
  readonly path: UsagePath
  /** Identifies the run of the counting process. */
  readonly source: string
  /** Count of that process on that day, like the three below. */
  readonly requests: number
  /** 0 when a request was refused before it was read. */
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

/** Key of the topic: a process's records about one SDK stay in order. */
export const sdkUsageKey = ({ projectId, sdkName, sdkVersion }: Pick<SdkUsage, 'projectId' | 'sdkName' | 'sdkVersion'>): string =>
  `${projectId}/${sdkName}/${sdkVersion}`
