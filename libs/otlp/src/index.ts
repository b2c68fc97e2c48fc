export { encodeStatus, encodeTraceResponse, type PartialSuccess, type StatusDetails } from './answer.ts'
export {
  keepValidSpans,
  type PartLimits,
  type RequestSlice,
  type SplitRequest,
  singleSpans,
  sliceByTrace,
  spansLargerThan,
  splitRequest,
} from './cut.ts'
export { encodingOfBody, inflateBody, inflateBodySync } from './inflate.ts'
export type { JsonWarning } from './json/scalars.ts'
export { type TranscodeOptions, transcodeJsonRequest } from './json/transcode.ts'
export { type ContentEncoding, mediaTypeOf, type OtlpFormat, parseContentEncoding, parseMediaType } from './media-type.ts'
export { attributeShape, createNestingCheck, maxContainers, type NestingCheck } from './nesting.ts'
export { describeRejections, maxRejectedSpans, type RejectedSpan, type RejectReason, rejectReasons } from './rejection.ts'
export { defaultMaxRowBytes, defaultMaxTraces, rowBytesOf, smallestRowBytes } from './row-budget.ts'
export { type ScanOptions, scanTraceRequest, type TraceScan } from './scan.ts'
export { forEachSpan, SpanCursor } from './span-cursor.ts'
export { int64Number, int64Text, isZero, microsOf, uint64Text, WireReader, wireType } from './wire.ts'
export { createWorkMeter, defaultMaxWork, uncountedWorkBytes, type WorkMeter } from './work.ts'
