// The record of `sdk.usage`: the requests, spans, events and scores that a process has counted so far, for one SDK version on one day. A
// later record with the same key contains the whole count again, and replaces the earlier record. A repeated record therefore has no
// effect, and the loss of a record has no effect if a later record follows (ADR 0025).
import { sdkUsageHistory } from './avro/history.ts'
import { createRecordCodec } from './avro/record-codec.ts'
import { sdkUsageSchema } from './avro/sdk-usage-record.ts'

/**
 * `direct`: spans over OTLP on the route `direct`. `staged`: spans over OTLP on the route `staging`. `ingestion`: the legacy API, including
 * its score events. `scores`: the scores endpoint. `refused`: requests over OTLP or to the legacy API that were refused, completely or in
 * part, because of the write mode.
 */
export type UsagePath = 'direct' | 'staged' | 'ingestion' | 'scores' | 'refused'

export interface SdkUsage {
  /** Empty if there were too many projects to count them separately. */
  readonly projectId: string
  /** Days since the epoch, UTC. */
  readonly day: number
  /** The SDK's shortened name; `other` if there are too many SDKs. */
  readonly sdkName: string
  readonly sdkVersion: string
  readonly path: UsagePath
  /** Identifies one run of the counting process. */
  readonly source: string
  /** Number of requests on that day so far. `spans`, `events` and `scores` are also totals of that day so far. */
  readonly requests: number
  /** 0 if the request was refused before it was read. */
  readonly spans: number
  readonly events: number
  readonly scores: number
  readonly lastSeenMs: number
}

const codec = createRecordCodec<SdkUsage>(sdkUsageSchema, sdkUsageHistory)

export const encodeSdkUsage = (usage: SdkUsage): Buffer => codec.encode(usage)

/** Throws UndecodableRecord. */
export const decodeSdkUsage = (bytes: Uint8Array): SdkUsage => codec.decode(bytes)

/** With this key, the records that one process writes about one SDK stay in order. */
export const sdkUsageKey = ({ projectId, sdkName, sdkVersion }: Pick<SdkUsage, 'projectId' | 'sdkName' | 'sdkVersion'>): string =>
  `${projectId}/${sdkName}/${sdkVersion}`
