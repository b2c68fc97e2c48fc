export {
  type ChunkEncoder,
  type ChunkEncoderOptions,
  type ChunkRecord,
  createChunkEncoder,
  type EncodedChunk,
  type RejectedRow,
} from './chunk-encoder.ts'
export { normalizedEnvironment } from './columns/environment.ts'
export { type ObservationType, observationTypes } from './columns/type.ts'
export type { RecordRejectReason } from './decode-record.ts'
export { type ExplainedColumn, type ExplainedRequest, type ExplainedSpan, explainRequest, type RequestFacts } from './explain.ts'
export { type Losses, type LossReason, lossReasons } from './losses.ts'
export { mappingVersion } from './mapping-version.ts'
export { type RawSpan, type RowPlace, type RowSelection, selectionOf } from './row-place.ts'
