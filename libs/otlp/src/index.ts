export { encodeStatus, encodeTraceResponse, type PartialSuccess } from './answer.ts'
export {
  keepValidSpans,
  type RequestSlice,
  singleSpans,
  sliceByTrace,
  spansLargerThan,
  splitRequest,
} from './cut.ts'
export { encodingOfBody, inflateBody, inflateBodySync } from './inflate.ts'
export type { JsonWarning } from './json/scalars.ts'
export { transcodeJsonRequest } from './json/transcode.ts'
export { type ContentEncoding, mediaTypeOf, type OtlpFormat, parseContentEncoding, parseMediaType } from './media-type.ts'
export { attributeShape, createNestingCheck, maxContainers } from './nesting.ts'
export { describeRejections, maxRejectedSpans, type RejectedSpan, type RejectReason } from './rejection.ts'
export { defaultMaxRowBytes, rowBytesOf, smallestRowBytes } from './row-budget.ts'
export { scanTraceRequest, type TraceScan } from './scan.ts'
export { forEachSpan, SpanCursor } from './span-cursor.ts'
export { int64Number, int64Text, isZero, microsOf, WireReader, wireType } from './wire.ts'
export { createWorkMeter, defaultMaxWork } from './work.ts'
