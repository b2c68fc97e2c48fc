export {
  type ChunkEncoder,
  type ChunkEncoderOptions,
  type ChunkRecord,
  createChunkEncoder,
  type EncodedChunk,
  type RejectedRow,
} from './block/chunk-encoder.ts'
export { type ExplainedColumn, type ExplainedRequest, type ExplainedSpan, explainRequest, type RequestFacts } from './block/explain.ts'
export { mappingVersion } from './block/mapping-version.ts'
export { type RawSpan, type RowPlace, type RowSelection, selectionOf } from './block/row-place.ts'
export { normalizedEnvironment } from './columns/environment.ts'
export type { RecordRejectReason } from './span-view/decode-record.ts'
export { type Losses, type LossReason, lossReasons } from './span-view/losses.ts'
export { type ObservationType, observationTypes } from './span-view/observation-type.ts'
