export { forEachSpan, SpanCursor } from './span-cursor.ts'
export { int64Number, int64Text, isZero, microsOf, uint64Text, WireReader, wireType } from './wire.ts'
