// The record of `sdk.usage`: what one process has accepted and refused of one SDK version on one day, so far.
// A later record of the same key says more and takes the place of the earlier one, so one that is lost, or
// comes twice, changes nothing (ADR 0025).
import { sdkUsageHistory } from './avro/history.ts'
import { createRecordCodec } from './avro/record-codec.ts'
import { sdkUsageSchema } from './avro/sdk-usage-record.ts'

/**
 * `direct`, `staged`: spans over OTLP, by their way. `ingestion`: events of the legacy API, and the scores
 * among them. `scores`: the route of scores. `refused`: what the write mode does not take, whatever the route.
 */
export type UsagePath = 'direct' | 'staged' | 'ingestion' | 'scores' | 'refused'

export interface SdkUsage {
  /** Empty where there were too many projects to be told apart. */
  readonly projectId: string
  /** Days since the epoch, UTC. */
  readonly day: number
  /** As sent, cut; `other` beyond the number of SDKs that are told apart. */
  readonly sdkName: string
  readonly sdkVersion: string
  readonly path: UsagePath
  /** Names the run of the process that counted. */
  readonly source: string
  /** Of that process on that day, as the three below. */
  readonly requests: number
  /** 0 where a request was refused before it was read. */
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

/** Key of the topic: what a process says of one SDK stays in order. */
export const sdkUsageKey = ({ projectId, sdkName, sdkVersion }: Pick<SdkUsage, 'projectId' | 'sdkName' | 'sdkVersion'>): string =>
  `${projectId}/${sdkName}/${sdkVersion}`
