export {
  type ChunkRecord,
  createChunkEncoder,
  type EncodedChunk,
} from './block/chunk-encoder.ts'
export { type ExplainedSpan, explainRequest, type RequestFacts } from './block/explain.ts'
export { mappingVersion } from './block/mapping-version.ts'
export { selectionOf } from './block/row-place.ts'
